/* Hidden units: what they read, where they bend, what they write. */
#include "compile/prove/judge_tables.h"

#include <stdlib.h>

/* --- what the units read -------------------------------------------------------------- */

size_t pivot_of(const Reader *t, size_t unit) {
    size_t d = 0, width = t->j->model->width;
    while (d < width && (t->j->state[d].count == 0 || tensor_get(&t->weights->in, d, unit) == 0))
        d++;
    return d;
}

/* The bias, and what dimensions that are constant add to it. */
static double unit_bias(const Reader *t, size_t unit, double *lost) {
    double bias = tensor_get(&t->weights->in_bias, 0, unit);
    for (size_t d = 0; d < t->j->model->width; d++) {
        double w = tensor_get(&t->weights->in, d, unit);
        if (w == 0 || t->j->state[d].count) continue;
        double product = w * t->j->state[d].constant;
        *lost += fabs(fma(w, t->j->state[d].constant, -product)) + fabs(sum_lost(bias, product)) +
                 fabs(w) * t->j->state[d].slack;
        bias += product;
    }
    return bias;
}

bool read_direct(Reader *t) {
    Judge *j = t->j;
    size_t first = t->claim->first_unit, width = j->model->width;
    size_t pivot = pivot_of(t, first);
    if (pivot == width) return judge_refuse(j, t->claim->x, "its table's units read nothing");
    t->direct = linear_constant(0);
    for (size_t d = 0; d < width; d++)
        if (j->state[d].count)
            t->direct =
                linear_add(j, t->direct, tensor_get(&t->weights->in, d, first), j->state[d]);
    Affine a = solve_affine(j, t->direct, t->claim->x);
    double gap = node_gap(j, t->claim->x) * fabs(a.scale);
    if (a.scale == 0 || !(a.slack == 0 || a.slack < gap / 2))
        return judge_refuse(j, t->claim->x, "its table's units read something else: off by %.3g",
                            a.slack);
    t->scale = a.scale, t->constant = a.constant, t->slack = a.slack / fabs(a.scale);
    return true;
}

/* relu(in h + bias) as relu(slope * (x - at)). */
static bool read_unit(Reader *t, uint32_t u) {
    Judge *j = t->j;
    size_t first = t->claim->first_unit, unit = first + u, width = j->model->width;
    size_t pivot = pivot_of(t, first);
    double ratio =
        tensor_get(&t->weights->in, pivot, unit) / tensor_get(&t->weights->in, pivot, first);
    double slope = ratio * t->scale, off = 0;
    for (size_t d = 0; d < width; d++) {
        if (!j->state[d].count) continue;
        double w = tensor_get(&t->weights->in, d, unit), v = tensor_get(&t->weights->in, d, first);
        double apart = fabs(w - ratio * v) + fabs(fma(ratio, v, -ratio * v));
        if (apart > 0) off += apart * linear_size(j, &j->state[d]);
    }
    double bias = unit_bias(t, unit, &off), a = bias / ratio, at = -(t->constant + a) / t->scale;
    if (slope == 0 || !isfinite(slope) || !isfinite(at))
        return judge_refuse(j, t->claim->x, "a unit of its table reads something else");
    /* Meant is ratio * (scale * x + constant) + bias. */
    off += fabs(fma(a, ratio, -bias)) + fabs(ratio * sum_lost(t->constant, a)) +
           fabs(ratio * fma(at, t->scale, t->constant + a));
    int exponent;
    if (fma(ratio, t->scale, -slope) != 0 || fabs(frexp(slope, &exponent)) != 0.5)
        off += 4 * DBL_EPSILON * fabs(slope) * (fabs(at) + node_size(j, t->claim->x));
    t->unit[u] = (TableUnit){at, slope};
    t->off[u] = off;
    return isfinite(off) || judge_refuse(j, t->claim->x, "a unit of its table has no bound");
}

typedef struct Sorted {
    TableUnit unit;
    uint32_t column;
    double off;
} Sorted;

static int by_place(const void *a, const void *b) {
    double x = ((const Sorted *)a)->unit.at, y = ((const Sorted *)b)->unit.at;
    return (x > y) - (x < y);
}

bool read_units(Reader *t) {
    uint32_t count = t->claim->shape.unit_count;
    Sorted *sorted = ARENA_ARRAY(t->j->arena, count, Sorted);
    t->unit = ARENA_ARRAY(t->j->arena, count, TableUnit);
    t->column = ARENA_ARRAY(t->j->arena, count, uint32_t);
    t->off = ARENA_ARRAY(t->j->arena, count, double);
    for (uint32_t u = 0; u < count; u++) {
        if (!read_unit(t, u)) return false;
        sorted[u] = (Sorted){t->unit[u], u, t->off[u]};
    }
    qsort(sorted, count, sizeof *sorted, by_place);
    for (uint32_t u = 0; u < count; u++) {
        t->unit[u] = sorted[u].unit;
        t->column[u] = sorted[u].column;
        t->off[u] = sorted[u].off;
    }
    t->shape =
        (TableShape){.units = t->unit, .column = t->column, .off = t->off, .unit_count = count};
    return true;
}

/* --- what they write ------------------------------------------------------------------ */

static double out_weight(const Reader *t, uint32_t u, size_t d) {
    return tensor_get(&t->weights->out, t->claim->first_unit + t->column[u], d);
}

/* Is dimension d's column, bias included, a multiple of the leader's? */
static bool multiple_of(const Reader *t, size_t leader, size_t d, double *factor) {
    uint32_t count = t->shape.unit_count, pivot = 0;
    while (pivot < count && out_weight(t, pivot, leader) == 0) pivot++;
    if (pivot == count) return false;
    *factor = out_weight(t, pivot, d) / out_weight(t, pivot, leader);
    if (*factor == 0 || t->bias[d] != *factor * t->bias[leader]) return false;
    for (uint32_t u = 0; u < count; u++) {
        double w = out_weight(t, u, leader), product = *factor * w;
        if (out_weight(t, u, d) != product || fma(*factor, w, -product) != 0) return false;
    }
    return true;
}

static void find_class(Reader *t, size_t d) {
    bool written = false;
    for (uint32_t u = 0; u < t->shape.unit_count && !written; u++)
        written = out_weight(t, u, d) != 0;
    t->class_of[d] = UINT32_MAX;
    if (!written) return;
    t->factor_of[d] = 1;
    for (size_t c = 0; c < t->classes; c++)
        if (multiple_of(t, t->leader[c], d, &t->factor_of[d])) {
            t->class_of[d] = (uint32_t)c;
            return;
        }
    t->factor_of[d] = 1;
    t->class_of[d] = (uint32_t)t->classes;
    t->leader[t->classes++] = d;
}

void find_classes(Reader *t) {
    Judge *j = t->j;
    size_t width = j->model->width;
    t->leader = ARENA_ARRAY(j->arena, width, size_t);
    t->class_of = ARENA_ARRAY(j->arena, width, uint32_t);
    t->factor_of = ARENA_ARRAY(j->arena, width, double);
    bool *done = ARENA_ARRAY(j->arena, width, bool);
    for (uint32_t o = 0; o < t->claim->output_count; o++) {
        size_t d = j->claims->parts[t->claim->outputs[o].part].dim;
        if (d >= width || done[d]) continue;
        find_class(t, d);
        done[d] = true;
    }
    for (size_t d = 0; d < width; d++)
        if (!done[d]) find_class(t, d);
    double *factor = ARENA_ARRAY(j->arena, t->classes * t->shape.unit_count, double);
    double *base = ARENA_ARRAY(j->arena, t->classes, double);
    for (size_t c = 0; c < t->classes; c++) {
        base[c] = t->bias[t->leader[c]];
        for (uint32_t u = 0; u < t->shape.unit_count; u++)
            factor[u * t->classes + c] = out_weight(t, u, t->leader[c]);
    }
    t->shape.base = base;
    t->shape.factor = factor;
}
