/* Selectors on short inputs whose keys and queries are small numbers, or few strings: as bytes,
 * sixteen keys are compared with a query at once. */
#include "interp/exec/selection.h"

#include <string.h>

enum { WIDTH = 16, MOST = INT8_MAX };

typedef int8_t Bytes __attribute__((vector_size(WIDTH)));

/* Keys and queries of all inputs, in one order; room for a vector behind them. */
typedef struct Operands {
    int8_t *key, *query;
    size_t key_step, query_step; /* 0: a constant */
} Operands;

/* --- numbers ---------------------------------------------------------------------------- */

static size_t stored(const Column *column) {
    return column->constant ? 1 : column->length;
}

static bool is_number(const Column *column) {
    return column->form == COLUMN_INT || column->form == COLUMN_BOOL;
}

static bool number_bytes(const Column *column, int8_t *to) {
    size_t count = stored(column);
    if (column->form == COLUMN_BOOL) {
        memcpy(to, column->bools, count);
        return true;
    }
    uint64_t beyond = 0;
    for (size_t i = 0; i < count; i++) {
        beyond |= ((uint64_t)column->ints[i] + 128) & ~UINT64_C(255);
        to[i] = (int8_t)column->ints[i];
    }
    return beyond == 0;
}

/* --- strings ---------------------------------------------------------------------------- */

/* Different strings, numbered as they come.  (Few: those met lately are found by their hash.) */
typedef struct Strings {
    const Str *string[MOST];
    size_t count;
    const Str *met[256];
    int8_t number[256]; /* of those met */
} Strings;

static bool add_string(Strings *s, const Str *string) {
    size_t at = string->hash % 256, k = 0;
    if (s->met[at] == string) return true;
    while (k < s->count && s->string[k] != string) k++;
    if (k == MOST) return false;
    if (k == s->count) s->string[s->count++] = string;
    s->met[at] = string;
    s->number[at] = (int8_t)k;
    return true;
}

static bool string_bytes(Strings *s, const Column *column, int8_t *to) {
    for (size_t i = 0; i < stored(column); i++) {
        if (!add_string(s, column->strings[i])) return false;
        to[i] = s->number[column->strings[i]->hash % 256];
    }
    return true;
}

/* rank[k]: how many of them are less than string k. */
static void rank_strings(const Strings *s, int8_t rank[MOST]) {
    uint8_t sorted[MOST];
    for (size_t k = 0; k < s->count; k++) {
        size_t at = k;
        for (; at > 0 && str_compare(s->string[sorted[at - 1]], s->string[k]) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = (uint8_t)k;
    }
    for (size_t at = 0; at < s->count; at++) rank[sorted[at]] = (int8_t)at;
}

static void order_bytes(const int8_t rank[MOST], const Column *column, int8_t *bytes) {
    for (size_t i = 0; i < stored(column); i++) bytes[i] = rank[bytes[i]];
}

/* --- both ------------------------------------------------------------------------------- */

static bool fill(Operands *o, unsigned mask, const Column *keys, const Column *queries) {
    if (is_number(keys) && is_number(queries))
        return number_bytes(keys, o->key) &&
               (o->query == o->key || number_bytes(queries, o->query));
    if (keys->form != COLUMN_STRING || queries->form != COLUMN_STRING) return false;
    Strings strings;
    strings.count = 0;
    memset(strings.met, 0, sizeof strings.met);
    if (!string_bytes(&strings, keys, o->key) ||
        (o->query != o->key && !string_bytes(&strings, queries, o->query)))
        return false;
    bool ordered = ((mask & OUTCOME_LESS) != 0) != ((mask & OUTCOME_GREATER) != 0);
    int8_t rank[MOST];
    if (!ordered) return true;
    rank_strings(&strings, rank);
    order_bytes(rank, keys, o->key);
    if (o->query != o->key) order_bytes(rank, queries, o->query);
    return true;
}

/* --- comparing -------------------------------------------------------------------------- */

static Bytes load(const int8_t *from) {
    Bytes bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

/* A bit for each lane, which are all ones or all zeros. */
static uint64_t bits_of(Bytes lanes) {
#ifdef __SSE2__
    typedef char Chars __attribute__((vector_size(WIDTH)));
    return (uint32_t)__builtin_ia32_pmovmskb128((Chars)lanes);
#else
    uint64_t bits = 0;
    for (int k = 0; k < WIDTH; k++) bits |= (uint64_t)(lanes[k] & 1) << k;
    return bits;
#endif
}

/* All ones for the outcomes that count. */
typedef struct Wanted {
    Bytes less, equal, greater;
} Wanted;

static Bytes all_if(bool wanted) {
    return (Bytes){0} - (int8_t)wanted;
}

/* One input of n tokens. */
static void compare(const int8_t *key, const int8_t *query, size_t query_step, const Wanted *wanted,
                    size_t n, uint64_t *words) {
    uint64_t all = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
    memset(words, 0, n * sizeof *words);
    for (size_t at = 0; at < n; at += WIDTH) {
        Bytes keys = load(key + at);
        for (size_t i = 0; i < n; i++) {
            Bytes q = (Bytes){0} + query[i * query_step];
            Bytes holds = ((Bytes)(keys < q) & wanted->less) |
                          ((Bytes)(keys == q) & wanted->equal) |
                          ((Bytes)(keys > q) & wanted->greater);
            words[i] |= bits_of(holds) << at & all;
        }
    }
}

/* A constant, as if it were stored for each key of an input. */
static void spread(int8_t *key) {
    memset(key, key[0], SHORT_LENGTH);
}

bool bytes_select(Exec *exec, unsigned mask, const Column *keys, const Column *queries,
                  uint64_t *words) {
    size_t n = exec->input.segment, room = exec->input.length + SHORT_LENGTH + WIDTH;
    int8_t *bytes = ARENA_BLOCK(exec->arena, 2 * room, int8_t);
    memset(bytes + stored(keys), 0, room - stored(keys)); /* lanes behind the last key */
    Operands o = {.key = bytes, .query = keys == queries ? bytes : bytes + room};
    bool fits = fill(&o, mask, keys, queries);
    if (fits && keys->constant) spread(o.key);
    o.key_step = !keys->constant;
    o.query_step = !queries->constant;
    Wanted wanted = {all_if(mask & OUTCOME_LESS), all_if(mask & OUTCOME_EQUAL),
                     all_if(mask & OUTCOME_GREATER)};
    for (size_t first = 0; fits && first < exec->input.length; first += n)
        compare(o.key + first * o.key_step, o.query + first * o.query_step, o.query_step, &wanted,
                n, words + first);
    arena_release(exec->arena, bytes);
    return fits;
}
