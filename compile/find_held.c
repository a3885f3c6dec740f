/* What dimensions hold, and for how long. */
#include "compile/find_walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sums ------------------------------------------------------------------------------ */

static void add_term(Held *h, NodeId node, double factor) {
    uint32_t k = 0;
    while (k < h->count && h->term[k].node != node) k++;
    if (k == HELD_MOST) {
        h->unknown = true;
        return;
    }
    if (k == h->count) {
        h->term[k].node = node;
        h->term[h->count++].factor = 0;
    }
    h->term[k].factor += factor;
}

void held_add(Finder *f, Held *held, size_t d, NodeId node, double factor) {
    (void)f;
    if (isnan(factor)) held[d].unknown = true;
    add_term(&held[d], node, factor);
}

double *find_column(Finder *f, uint32_t time, size_t d) {
    double *w = ARENA_ARRAY(f->arena, f->model->width, double);
    w[d] = 1;
    return find_reading(f, time, w);
}

double *find_reading(Finder *f, uint32_t time, const double *weights) {
    size_t width = f->model->width;
    double *y = ARENA_ARRAY(f->arena, f->sample.cells, double);
    for (size_t d = 0; d < width; d++) {
        if (weights[d] == 0) continue;
        const double *h = f->sample.h[time] + d;
        for (uint32_t k = 0; k < f->sample.cells; k++) y[k] += weights[d] * h[k * width];
    }
    return y;
}

/* --- readings as s-ops ----------------------------------------------------------------- */

static NodeId constant(Finder *f, double x) {
    double whole = round(x);
    bool integral = fabs(x - whole) < 1e-3 * fmax(1, fabs(x)) && fabs(whole) < 1e15;
    return graph_constant(f->graph, integral ? atom_int((int64_t)whole) : atom_float(x), SPAN_NONE);
}

NodeId find_number(Finder *f, NodeId node) {
    if (node == NODE_NONE) return node;
    const Candidate *c = match_node(&f->match, node);
    bool flag = c && c->classes > 0 && c->level[0].kind == ATOM_BOOL;
    return flag ? graph_map(f->graph, OP_INDICATOR, &node, SPAN_NONE) : node;
}

/* What the factors are to be multiplied by to be small whole numbers, or that the least is 1. */
static double unit_of(const Held *h) {
    double least = INFINITY;
    for (uint32_t k = 0; k < h->count; k++) least = fmin(least, fabs(h->term[k].factor));
    for (int times = 1; times <= 60; times++) {
        bool whole = true;
        for (uint32_t k = 0; k < h->count; k++) {
            double x = h->term[k].factor / least * times;
            whole &= fabs(x - round(x)) < 1e-4 * fmax(1, fabs(x));
        }
        if (whole) return times / least;
    }
    return 1 / least;
}

static NodeId sum_of(Finder *f, const Held *h) {
    double unit = unit_of(h);
    NodeId sum = NODE_NONE;
    for (uint32_t k = 0; k < h->count; k++) {
        double factor = h->term[k].factor * unit;
        NodeId times = constant(f, factor), one = find_number(f, h->term[k].node);
        if (fabs(factor - 1) >= 1e-3)
            one = graph_map(f->graph, OP_MUL, (NodeId[]){one, times}, SPAN_NONE);
        sum = sum == NODE_NONE ? one : graph_map(f->graph, OP_ADD, (NodeId[]){sum, one}, SPAN_NONE);
    }
    return sum;
}

static bool fits(Finder *f, NodeId node, const double *y) {
    double scale, offset;
    const Candidate *c = node == NODE_NONE ? NULL : match_node(&f->match, node);
    return c && match_affine(&f->match, c, y, &scale, &offset);
}

NodeId find_read(Finder *f, uint32_t time, const double *weights, const double *y) {
    Held all = {.count = 0}, kept = {.count = 0};
    double most = 0;
    (void)time;
    for (size_t d = 0; d < f->model->width; d++) {
        if (weights[d] == 0) continue;
        all.unknown |= f->held[d].unknown;
        for (uint32_t k = 0; k < f->held[d].count; k++)
            add_term(&all, f->held[d].term[k].node, weights[d] * f->held[d].term[k].factor);
    }
    for (uint32_t k = 0; k < all.count; k++) most = fmax(most, fabs(all.term[k].factor));
    for (uint32_t k = 0; k < all.count; k++)
        if (fabs(all.term[k].factor) > 1e-6 * most)
            add_term(&kept, all.term[k].node, all.term[k].factor);
    bool known = !all.unknown && kept.count > 0;
    if (known && kept.count == 1 && fits(f, kept.term[0].node, y)) return kept.term[0].node;
    NodeId sum = NODE_NONE, node = f->own && known ? NODE_NONE : match_number(&f->match, y);
    if (node != NODE_NONE) return node;
    if (known) sum = sum_of(f, &kept);
    return fits(f, sum, y) ? sum : match_number(&f->match, y);
}

/* --- codes ----------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

NodeId find_code(Finder *f, NodeId of, const Atom *keys, const double *numbers, size_t count) {
    double *sorted = ARENA_ARRAY(f->arena, count, double), gap = INFINITY;
    size_t distinct = 0;
    if (count == 0) return NODE_NONE;
    memcpy(sorted, numbers, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    double least = sorted[0], range = sorted[count - 1] - least;
    if (!(range > 0) || !isfinite(range)) return NODE_NONE;
    for (size_t k = 0; k < count; k++) /* those that are one number but for rounding */
        if (k == 0 || sorted[k] - sorted[distinct - 1] > 1e-5 * range)
            sorted[distinct++] = sorted[k];
    for (size_t k = 1; k < distinct; k++) gap = fmin(gap, sorted[k] - sorted[k - 1]);
    bool whole = true;
    for (size_t k = 0; k < distinct; k++) {
        double x = (sorted[k] - least) / gap;
        whole &= fabs(x - round(x)) < 1e-3 * fmax(1, x / 100);
    }
    Atom *values = ARENA_ARRAY(f->arena, count, Atom);
    for (size_t k = 0; k < count; k++) {
        size_t near = 0;
        while (near + 1 < distinct && sorted[near + 1] <= numbers[k]) near++;
        double x = (sorted[near] - least) / gap;
        values[k] = whole ? atom_int((int64_t)round(x)) : atom_float(x);
    }
    const Lookup *lookup = lookup_new(graph_arena(f->graph), LOOKUP_DICT, keys, values, count);
    return graph_lookup(f->graph, lookup, of, SPAN_NONE);
}

/* --- times ----------------------------------------------------------------------------- */

static bool row_reads(const Tensor *t, size_t d) {
    for (size_t k = 0; k < t->cols; k++)
        if (tensor_get(t, d, k) != 0) return true;
    return false;
}

static bool column_writes(const Tensor *t, size_t d) {
    for (size_t k = 0; k < t->rows; k++)
        if (tensor_get(t, k, d) != 0) return true;
    return false;
}

typedef struct Use {
    bool reads, writes;
} Use;

static Use use_of(const ModelLayer *l, uint32_t step, size_t d) {
    Use use = {false, false};
    if (step > 0) {
        const ModelMlp *m = l->mlps[step - 1];
        return (Use){row_reads(&m->in, d),
                     column_writes(&m->out, d) || tensor_get(&m->out_bias, 0, d) != 0};
    }
    for (size_t h = 0; h < l->head_count; h++) {
        const ModelHead *head = l->heads[h];
        use.reads |=
            row_reads(&head->query, d) || row_reads(&head->key, d) || row_reads(&head->value, d);
        use.writes |= column_writes(&head->output, d);
    }
    return use;
}

bool find_last(const Finder *f, size_t d, Stage born, Stage *last) {
    const Model *m = f->model;
    bool found = false;
    for (uint32_t l = 0; l < m->layer_count; l++)
        for (uint32_t step = 0; step <= m->layers[l]->mlp_count; step++) {
            Stage now = {f->found->claims.first_layer + l, step};
            if (!stage_before(born, now)) continue;
            Use use = use_of(m->layers[l], step, d);
            if (use.reads) *last = now, found = true;
            if (use.writes) return found;
        }
    return found;
}

uint32_t find_part(Finder *f, CircuitPart part) {
    Circuit *c = &f->found->claims;
    f->parts = arena_grow(f->arena, f->parts, &f->part_room, c->part_count + 1, sizeof *f->parts);
    f->parts[c->part_count] = part;
    return c->part_count++;
}

void find_places(Finder *f, uint32_t first) {
    for (uint32_t p = first; p < f->found->claims.part_count; p++) {
        CircuitPart *part = &f->parts[p];
        for (size_t d = 0; part->dim == DIM_NONE && d < f->model->width; d++) {
            const Held *held = &f->held[d];
            if (held->unknown || held->count != 1 || held->term[0].node != part->node) continue;
            if (find_last(f, d, part->born, &part->last)) part->dim = (uint32_t)d;
            for (uint32_t q = 0; q < p && part->dim != DIM_NONE; q++)
                if (f->parts[q].dim == d && !stage_before(f->parts[q].last, part->last))
                    part->dim = DIM_NONE;
        }
    }
}

/* --- notes ----------------------------------------------------------------------------- */

void find_note(Finder *f, bool found, const NodeId *nodes, uint32_t count, const char *place,
               const char *text) {
    Found *all = f->found;
    NodeId *copy = ARENA_ARRAY(f->arena, count + 1, NodeId);
    for (uint32_t k = 0; k < count; k++) copy[k] = nodes[k];
    all->pieces = arena_grow(f->arena, all->pieces, &all->piece_room, all->piece_count + 1,
                             sizeof *all->pieces);
    all->pieces[all->piece_count++] = (FoundPiece){place, text, found, copy, count};
}

const char *find_text(const Finder *f, NodeId node) {
    const Str *name = graph_node(f->graph, node)->name;
    return name && name->length < 60 ? name->text : graph_text(f->graph, node, 60, f->arena);
}
