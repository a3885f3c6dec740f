/* Pairs that look the same, rows that are too many, sets that are stuck. */
#include "express/verify/bound.h"

#include "express/verify/field.h"

#include <string.h>

/* --- pairs that look the same ----------------------------------------------------------- */

/* Has each token the same count among the first so many? */
static bool same_counts(Check *check, const Certificate *c, const Instance *x, size_t x_length,
                        const Instance *y, size_t y_length) {
    char shown[80];
    int64_t *counts = ARENA_ARRAY(check->arena, c->symbols, int64_t);
    for (size_t i = 0; i < x_length; i++) counts[x->tokens[i]]++;
    for (size_t i = 0; i < y_length; i++) counts[y->tokens[i]]--;
    for (size_t t = 0; t < c->symbols; t++)
        if (counts[t])
            return refuse(check, "the inputs of the pair have %s in different numbers",
                          atom_show_json(c->alphabet[t], shown));
    return true;
}

static bool one_pair(Check *check, const Certificate *c, const Instance **x, const Instance **y) {
    if (c->pair_count != 1) return refuse(check, "expected one pair, found %zu", c->pair_count);
    *x = &c->instances[c->pairs[0].x];
    *y = &c->instances[c->pairs[0].y];
    if ((*x)->tokens[(*x)->position] == (*y)->tokens[(*y)->position]) return true;
    return refuse(check, "the instances of the pair have different tokens at their positions");
}

bool bound_no_positions(Check *check, const Certificate *c) {
    const Instance *x, *y;
    if (!one_pair(check, c, &x, &y)) return false;
    return same_counts(check, c, x, c->causal ? x->position + 1 : x->length, y,
                       c->causal ? y->position + 1 : y->length);
}

bool bound_window(Check *check, const Certificate *c) {
    const Instance *x, *y;
    if (!one_pair(check, c, &x, &y)) return false;
    if (x->position != y->position)
        return refuse(check, "expected a pair at one position, found %u and %u", x->position,
                      y->position);
    size_t end = x->position + 1, begin = end > c->distance + 1 ? end - c->distance - 1 : 0;
    for (size_t i = begin; i < end; i++)
        if (x->tokens[i] != y->tokens[i])
            return refuse(check,
                          "the inputs of the pair differ at position %zu, %zu before the "
                          "query",
                          i, end - 1 - i);
    return same_counts(check, c, x, begin, y, begin);
}

/* --- one head, decision lists ----------------------------------------------------------- */

/* Has the literal (p, t), or the sink if p is -1, two labels among the members that have it? */
static bool impure(const Certificate *c, const uint32_t *stuck, size_t count, ptrdiff_t p,
                   uint32_t t) {
    uint32_t label = LABEL_NONE;
    for (size_t k = 0; k < count; k++) {
        const Instance *x = &c->instances[stuck[k]];
        if (p >= 0 && ((size_t)p >= x->length || x->tokens[p] != t)) continue;
        if (label != LABEL_NONE && x->label != label) return true;
        label = x->label;
    }
    return false;
}

bool bound_stuck(Check *check, const Certificate *c) {
    uint32_t *stuck;
    size_t count;
    char shown[80];
    if (!field_numbers(check, c->document, "the certificate", "stuck", c->instance_count, &stuck,
                       &count))
        return false;
    if (c->heads != 1)
        return refuse(check, "a stuck set speaks of 1 head, the certificate of %zu", c->heads);
    if (count == 0) return refuse(check, "expected instances in 'stuck', found none");
    const Instance *first = &c->instances[stuck[0]];
    uint32_t own = first->tokens[first->position];
    for (size_t k = 0; k < count; k++) {
        const Instance *x = &c->instances[stuck[k]];
        if (x->position != first->position || x->tokens[x->position] != own)
            return refuse(check, "the stuck set has instances of two keys");
        budget_poll(&check->budget);
        for (ptrdiff_t p = -1; p < (ptrdiff_t)x->length; p++) {
            uint32_t token = p < 0 ? 0 : x->tokens[p];
            if (impure(c, stuck, count, p, token)) continue;
            if (p < 0) return refuse(check, "all instances of the stuck set have one label");
            return refuse(check,
                          "the set is not stuck: all its members with the token %s at position %td "
                          "have one label",
                          atom_show_json(c->alphabet[token], shown), p);
        }
    }
    return true;
}

/* --- rows that are too many ------------------------------------------------------------- */

typedef struct Rows {
    Check *check;
    const Certificate *certificate;
    Domain *domain;
    uint32_t *part, *rows;
    size_t part_count, row_count;
    bool *carried;    /* is this position in the part? */
    uint32_t *tokens; /* the input at hand */
    uint32_t *labels; /* of each row, one for each setting of the rest */
    size_t columns;
} Rows;

static bool read_part(Rows *s, const Instance *first) {
    const Certificate *c = s->certificate;
    if (!field_numbers(s->check, c->document, "the certificate", "part", first->length, &s->part,
                       &s->part_count))
        return false;
    s->carried = ARENA_ARRAY(s->check->arena, first->length, bool);
    for (size_t k = 0; k < s->part_count; k++) {
        if (s->part[k] == first->position)
            return refuse(s->check, "the part has the query's own position %u", s->part[k]);
        if (s->carried[s->part[k]])
            return refuse(s->check, "the part has the position %u twice", s->part[k]);
        s->carried[s->part[k]] = true;
    }
    return true;
}

static bool read_rows(Rows *s) {
    const Certificate *c = s->certificate;
    if (!field_numbers(s->check, c->document, "the certificate", "rows", c->instance_count,
                       &s->rows, &s->row_count))
        return false;
    if (c->bits < 32 && s->row_count > (size_t)1 << c->bits) return true;
    return refuse(s->check, "expected more than 2^%zu rows, found %zu", c->bits, s->row_count);
}

static bool same_query(Rows *s) {
    const Instance *first = &s->certificate->instances[s->rows[0]];
    for (size_t r = 1; r < s->row_count; r++) {
        const Instance *x = &s->certificate->instances[s->rows[r]];
        if (x->length != first->length || x->position != first->position ||
            x->tokens[x->position] != first->tokens[first->position])
            return refuse(s->check, "expected rows of one length, position and token of the query");
    }
    return true;
}

/* The next setting of what is neither in the part nor the query; false behind the last. */
static bool next_setting(Rows *s, const Instance *x) {
    for (size_t i = 0; i < x->length; i++) {
        if (s->carried[i] || i == x->position) continue;
        if (++s->tokens[i] < s->certificate->symbols) return true;
        s->tokens[i] = 0;
    }
    return false;
}

/* The labels of a row, those of all settings of the rest. */
static bool fill_row(Rows *s, size_t r, uint32_t *labels) {
    const Certificate *c = s->certificate;
    const Instance *x = &c->instances[s->rows[r]];
    size_t column = 0;
    for (size_t i = 0; i < x->length; i++)
        s->tokens[i] = s->carried[i] || i == x->position ? x->tokens[i] : 0;
    do {
        bool outside = c->first >= 0 && s->tokens[0] != (uint32_t)c->first;
        if (!outside && !domain_labels(s->domain, s->tokens, x->length, labels)) return false;
        s->labels[r * s->columns + column++] = outside ? LABEL_NONE : labels[x->position];
    } while (next_setting(s, x));
    return true;
}

static bool fill_rows(Rows *s, const Instance *first) {
    const Certificate *c = s->certificate;
    uint32_t *labels = ARENA_ARRAY(s->check->arena, first->length, uint32_t);
    s->tokens = ARENA_ARRAY(s->check->arena, first->length, uint32_t);
    s->columns = 1;
    for (size_t i = 0; i < first->length; i++)
        if (!s->carried[i] && i != first->position) {
            s->columns *= c->symbols;
            if (s->columns > 1 << 26)
                return refuse(s->check, "the rest of the input has too many settings to try");
        }
    s->labels = ARENA_BLOCK(s->check->arena, s->row_count * s->columns, uint32_t);
    for (size_t r = 0; r < s->row_count; r++)
        if (!fill_row(s, r, labels)) return false;
    return true;
}

/* Is there a setting for which both have a label, and not the same? */
static bool told_apart(const Rows *s, size_t a, size_t b) {
    const uint32_t *x = s->labels + a * s->columns, *y = s->labels + b * s->columns;
    for (size_t k = 0; k < s->columns; k++)
        if (x[k] != LABEL_NONE && y[k] != LABEL_NONE && x[k] != y[k]) return true;
    return false;
}

bool bound_bits(Check *check, const Certificate *c, Domain *domain) {
    Rows s = {.check = check, .certificate = c, .domain = domain};
    if (!read_rows(&s) || !same_query(&s)) return false;
    const Instance *first = &c->instances[s.rows[0]];
    if (!read_part(&s, first) || !fill_rows(&s, first)) return false;
    for (size_t a = 0; a < s.row_count; a++)
        for (size_t b = 0; b < a; b++) {
            budget_poll(&check->budget);
            if (!told_apart(&s, a, b))
                return refuse(check,
                              "rows %zu and %zu need no different bits: nothing in the rest of the "
                              "input gives them different labels",
                              b, a);
        }
    return true;
}
