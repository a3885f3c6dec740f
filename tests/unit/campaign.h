/* campaign.h: the programs of a random run, or of a piece of it.
 *
 *     RASP_SEED=7 RASP_PROGRAMS=2000 …        program k is made from seed + k alone
 *     RASP_SHARD=3/8 RASP_PIECE=FILE …        the third of eight pieces; FILE is for `rasp merge`,
 *                                             which joins pieces (docs/cluster.md)
 *
 *     Campaign c = campaign_begin("test_values", 2106, PROGRAMS);
 *     for (uint64_t seed; campaign_next(&c, &seed);) …
 *     campaign_count(&c, "facts", facts);
 *     campaign_end(&c);
 */
#ifndef RASP_TESTS_CAMPAIGN_H
#define RASP_TESTS_CAMPAIGN_H

#include "api/rasp.h"
#include "base/clock.h"
#include "base/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAMPAIGN_COUNTS = 24, CAMPAIGN_FAILURES = 8 };

typedef struct Campaign {
    const char *name;
    uint64_t seed, programs; /* of the whole run */
    uint64_t next;           /* program */
    size_t own;              /* programs of this piece so far */
    Shard shard;
    double start;
    struct {
        const char *name;
        size_t value;
    } counts[CAMPAIGN_COUNTS];
    struct {
        uint64_t number;
        char *text;
    } failures[CAMPAIGN_FAILURES]; /* the first ones */
    unsigned count_count, failure_count;
} Campaign;

static inline uint64_t campaign_setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static inline Campaign campaign_begin(const char *name, uint64_t seed, uint64_t programs) {
    Campaign c = {.name = name, .start = clock_seconds()};
    const char *shard = getenv("RASP_SHARD");
    c.seed = campaign_setting("RASP_SEED", seed);
    c.programs = campaign_setting("RASP_PROGRAMS", programs);
    unsigned number, of;
    if (!shard) return c;
    if (sscanf(shard, "%u/%u", &number, &of) != 2 || number < 1 || number > of) {
        fprintf(stderr, "RASP_SHARD: expected K/N, found '%s'\n", shard);
        exit(2);
    }
    c.shard = (Shard){number - 1, of};
    return c;
}

/* The next program of this piece, and its seed. */
static inline bool campaign_next(Campaign *c, uint64_t *seed) {
    while (c->next < c->programs && !shard_has(c->shard, c->next, 1)) c->next++;
    *seed = c->seed + c->next;
    if (c->next == c->programs) return false;
    c->own++;
    return c->next++, true;
}

static inline void campaign_count(Campaign *c, const char *name, size_t value) {
    if (c->count_count == CAMPAIGN_COUNTS) abort();
    c->counts[c->count_count].name = name;
    c->counts[c->count_count++].value = value;
}

/* The program that campaign_next gave last is wrong. */
static inline void campaign_fail(Campaign *c, const char *text) {
    if (c->failure_count == CAMPAIGN_FAILURES) return;
    c->failures[c->failure_count].number = c->next - 1;
    c->failures[c->failure_count++].text = strdup(text);
}

static inline void campaign_put_text(FILE *out, const char *text) {
    fputc('"', out);
    for (; text && *text; text++)
        if (*text == '"' || *text == '\\' || (unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static inline void campaign_put(const Campaign *c, FILE *out) {
    uint32_t of = c->shard.of ? c->shard.of : 1;
    fprintf(out, "{\"piece\": \"tally\", \"rasp\": \"%s\", \"shard\": %u, \"of\": %u, ",
            rasp_version(), c->shard.number + 1, of);
    fprintf(out, "\"done\": %zu, \"seconds\": %.6f, ", c->own, clock_seconds() - c->start);
    fprintf(out, "\"run\": {\"name\": \"%s\", \"seed\": \"%" PRIu64 "\", \"programs\": %" PRIu64,
            c->name, c->seed, c->programs);
    fprintf(out, ", \"effort\": %" PRIu64 "}, \"result\": {\"counts\": [",
            campaign_setting("RASP_EFFORT", 0));
    for (unsigned k = 0; k < c->count_count; k++)
        fprintf(out, "%s{\"name\": \"%s\", \"value\": %zu}", k ? ", " : "", c->counts[k].name,
                c->counts[k].value);
    fputs("], \"failures\": [", out);
    for (unsigned k = 0; k < c->failure_count; k++) {
        fprintf(out, "%s{\"number\": %" PRIu64 ", \"text\": ", k ? ", " : "",
                c->failures[k].number);
        campaign_put_text(out, c->failures[k].text);
        fputc('}', out);
    }
    fputs("]}}\n", out);
}

/* Writes the piece, if one is wanted. */
static inline void campaign_end(Campaign *c) {
    const char *path = getenv("RASP_PIECE");
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out) campaign_put(c, out);
    if (path && (!out || fclose(out) != 0)) {
        perror(path);
        exit(2);
    }
    for (unsigned k = 0; k < c->failure_count; k++) free(c->failures[k].text);
}

#endif
