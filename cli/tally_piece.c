/* Pieces of test campaigns: counts, which add up (of one that is `largest` the largest stands for
 * all), and the first failures. */
#include "cli/merge.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

enum { FAILURES_SHOWN = 5 };

typedef struct Count {
    const char *name;
    size_t value;
} Count;

typedef struct Failure {
    size_t number;
    const char *text;
} Failure;

typedef struct Tally {
    Count *counts;
    size_t count_count, count_room;
    Failure *failures;
    size_t failure_count, failure_room;
} Tally;

static Count *count_named(Tally *t, const char *name) {
    for (size_t k = 0; k < t->count_count; k++)
        if (strcmp(t->counts[k].name, name) == 0) return &t->counts[k];
    t->counts = arena_grow(command_arena(), t->counts, &t->count_room, t->count_count + 1,
                           sizeof *t->counts);
    t->counts[t->count_count].name = name;
    return &t->counts[t->count_count++];
}

static void add_piece(Tally *t, const json_t *piece) {
    const json_t *entry;
    size_t k;
    json_array_foreach(json_object_get(piece, "counts"), k, entry) {
        Count *count = count_named(t, piece_text(entry, "name"));
        size_t value = piece_count(entry, "value");
        if (!json_is_true(json_object_get(entry, "largest")))
            count->value += value;
        else if (value > count->value)
            count->value = value;
    }
    json_array_foreach(json_object_get(piece, "failures"), k, entry) {
        t->failures = arena_grow(command_arena(), t->failures, &t->failure_room,
                                 t->failure_count + 1, sizeof *t->failures);
        t->failures[t->failure_count++] =
            (Failure){piece_count(entry, "number"), piece_text(entry, "text")};
    }
}

static int by_number(const void *a, const void *b) {
    const Failure *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void put_value(Json *j, const char *key, const json_t *value) {
    char *text = json_dumps(value, JSON_ENCODE_ANY);
    json_ready(j, key, text ? text : "null");
    free(text);
}

static void print_json(const Pieces *p, const Tally *t) {
    const char *key;
    json_t *value;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_object_foreach(p->run, key, value) put_value(&j, key, value);
    json_begin_object(&j, "counts");
    for (size_t k = 0; k < t->count_count; k++)
        json_count(&j, t->counts[k].name, t->counts[k].value);
    json_end(&j);
    json_begin_array(&j, "failures");
    for (size_t k = 0; k < t->failure_count && k < FAILURES_SHOWN; k++)
        json_text(&j, NULL, t->failures[k].text);
    json_end(&j);
    json_number(&j, "seconds", "%.6f", p->seconds);
    pieces_json_lack(p, &j);
    json_end(&j);
}

static void print_text(const Pieces *p, const Tally *t) {
    const char *key;
    json_t *value;
    printf("%s:", safe_text(piece_text(p->run, "name")));
    json_object_foreach(p->run, key, value) {
        const char *text = json_string_value(value);
        if (strcmp(key, "name") == 0) continue;
        if (text)
            printf(" %s %s", key, safe_text(text));
        else
            printf(" %s %s", key, grouped(piece_count(p->run, key)));
    }
    printf("%s%s\n", p->lack ? ", and not all: " : "", p->lack ? p->lack : "");
    for (size_t k = 0; k < t->count_count; k++)
        printf("  %-26s %12s\n", t->counts[k].name, grouped(t->counts[k].value));
    for (size_t k = 0; k < t->failure_count && k < FAILURES_SHOWN; k++)
        printf("  failure %s\n%s\n", grouped(t->failures[k].number), t->failures[k].text);
    printf("  done in      %.3g s\n", p->seconds);
}

int merge_tally(const Pieces *p, const MergeOptions *options) {
    Tally t = {0};
    for (uint32_t k = 0; k < p->of; k++)
        if (piece_found(p, k)) add_piece(&t, piece_found(p, k));
    if (t.failure_count) qsort(t.failures, t.failure_count, sizeof *t.failures, by_number);
    (options->json ? print_json : print_text)(p, &t);
    if (t.failure_count) return EXIT_DISAGREE;
    return p->lack ? EXIT_FAILED : EXIT_FINE;
}
