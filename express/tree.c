#include "express/tree.h"

#include <math.h>
#include <string.h>

enum { LONG = 76 };

typedef struct Split {
    size_t feature;
    uint32_t value;
    bool below; /* feature < value, else feature == value */
    double cost;
} Split;

static uint32_t cell(const Tree *t, uint32_t row, size_t feature) {
    return t->cells[row * t->feature_count + feature];
}

static bool goes_left(const Tree *t, const Split *s, uint32_t row) {
    uint32_t v = cell(t, row, s->feature);
    return s->below ? v < s->value : v == s->value;
}

/* count * entropy of the labels. */
static double disorder(const uint32_t *histogram, uint32_t labels) {
    double total = 0, sum = 0;
    for (uint32_t k = 0; k < labels; k++) {
        if (!histogram[k]) continue;
        total += histogram[k];
        sum += histogram[k] * log2(histogram[k]);
    }
    return total > 0 ? total * log2(total) - sum : 0;
}

/* Rows of each value and label. */
static uint32_t *histograms(const Tree *t, Arena *scratch, const uint32_t *rows, size_t count,
                            size_t feature) {
    uint32_t *h =
        ARENA_ARRAY(scratch, (size_t)(t->features[feature].count + 1) * t->label_count, uint32_t);
    for (size_t k = 0; k < count; k++)
        h[(size_t)cell(t, rows[k], feature) * t->label_count + t->labels[rows[k]]]++;
    return h;
}

static double cost_of(const uint32_t *left, const uint32_t *all, uint32_t *rest, uint32_t labels) {
    uint64_t inside = 0, outside = 0;
    for (uint32_t k = 0; k < labels; k++) {
        rest[k] = all[k] - left[k];
        inside += left[k];
        outside += rest[k];
    }
    return inside && outside ? disorder(left, labels) + disorder(rest, labels) : INFINITY;
}

static void consider(Split *best, Split found) {
    /* An equality is easier to read than a threshold, and an earlier feature than a later one. */
    if (found.cost < best->cost - 1e-9) *best = found;
}

static void try_feature(const Tree *t, Arena *scratch, const uint32_t *rows, size_t count,
                        size_t feature, const uint32_t *all, Split *best) {
    uint32_t labels = t->label_count, values = t->features[feature].count;
    uint32_t *h = histograms(t, scratch, rows, count, feature);
    uint32_t *below = ARENA_ARRAY(scratch, labels, uint32_t);
    uint32_t *rest = ARENA_ARRAY(scratch, labels, uint32_t);
    for (uint32_t v = 0; v < values; v++)
        consider(best,
                 (Split){feature, v, false, cost_of(&h[(size_t)v * labels], all, rest, labels)});
    for (uint32_t v = 1; v < values && t->features[feature].ordered; v++) {
        for (uint32_t k = 0; k < labels; k++) below[k] += h[(size_t)(v - 1) * labels + k];
        consider(best, (Split){feature, v, true, cost_of(below, all, rest, labels)});
    }
}

static Split choose(const Tree *t, const uint32_t *rows, size_t count) {
    Arena *scratch = arena_child(t->arena);
    Split best = {.cost = INFINITY};
    uint32_t *all = ARENA_ARRAY(scratch, t->label_count, uint32_t);
    for (size_t k = 0; k < count; k++) all[t->labels[rows[k]]]++;
    for (size_t f = 0; f < t->feature_count; f++)
        try_feature(t, scratch, rows, count, f, all, &best);
    arena_free(scratch);
    return best;
}

static bool pure(const Tree *t, const uint32_t *rows, size_t count) {
    for (size_t k = 1; k < count; k++)
        if (t->labels[rows[k]] != t->labels[rows[0]]) return false;
    return true;
}

/* Sorts rows to the left and to the right; how many are left. */
static size_t partition(const Tree *t, const Split *s, uint32_t *rows, size_t count) {
    size_t left = 0;
    for (size_t k = 0; k < count; k++) {
        if (!goes_left(t, s, rows[k])) continue;
        uint32_t row = rows[k];
        rows[k] = rows[left];
        rows[left++] = row;
    }
    return left;
}

static const char *named(const Tree *t, const char *text) {
    if (strlen(text) <= LONG) return text;
    const char *name = arena_format(t->arena, "_t%u", ++*t->names);
    fprintf(t->out, "%s = %s;\n", name, text);
    return name;
}

static const char *expression(const Tree *t, uint32_t *rows, size_t count) {
    if (pure(t, rows, count)) return t->leaves[t->labels[rows[0]]];
    budget_poll(arena_budget(t->arena));
    Split s = choose(t, rows, count);
    if (isinf(s.cost)) return t->leaves[t->labels[rows[0]]]; /* rows that no column tells apart */
    size_t left = partition(t, &s, rows, count);
    const char *yes = named(t, expression(t, rows, left));
    const char *no = named(t, expression(t, rows + left, count - left));
    const Feature *f = &t->features[s.feature];
    return arena_format(t->arena, "(%s if %s %s %s else %s)", yes, f->name,
                        s.below ? "<" : "==", f->texts[s.value], no);
}

const char *tree_text(const Tree *t, size_t rows) {
    uint32_t *all = ARENA_ARRAY(t->arena, rows + 1, uint32_t);
    for (uint32_t k = 0; k < rows; k++) all[k] = k;
    return expression(t, all, rows);
}
