/* Numbers of the pass against s-ops, cell by cell. */
#include "compile/find_private.h"

#include "interp/exec/exec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of what tells two values apart: what rounding and attention that leaks may be off by. */
static const double NEAR = 0.125;
static const double NOTHING = 1e-5; /* of numbers that are about 1 */

/* --- s-ops on the sample --------------------------------------------------------------- */

static uint32_t class_of(Candidate *c, Atom value) {
    for (uint32_t k = 0; k < c->classes; k++)
        if (atom_same(c->level[k], value)) return k;
    c->level[c->classes] = value;
    return c->classes++;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void find_gap(const Matcher *m, Candidate *c) {
    double *sorted = ARENA_ARRAY(m->arena, c->classes, double);
    c->gap = INFINITY;
    for (uint32_t k = 0; k < c->classes; k++) {
        if (!atom_is_number(c->level[k]) || !isfinite(atom_double(c->level[k]))) {
            c->number = NULL;
            return;
        }
        sorted[k] = atom_double(c->level[k]);
    }
    qsort(sorted, c->classes, sizeof *sorted, by_size);
    double same = 1e-9 * (sorted[c->classes - 1] - sorted[0]); /* but for rounding */
    for (uint32_t k = 1; k < c->classes; k++)
        if (sorted[k] - sorted[k - 1] > same) c->gap = fmin(c->gap, sorted[k] - sorted[k - 1]);
}

static bool evaluate(const Matcher *m, Candidate *c, const SampleInput *input, Arena *run) {
    Input tokens = {.tokens = input->tokens, .length = input->length};
    Exec *exec = exec_new(m->graph, &tokens, (ExecOptions){.keep = true, .threads = 1}, run);
    Fault fault;
    bool done;
    if (c->cells) {
        const bool *matrix = exec_matrix(exec, c->node, &fault);
        done = matrix != NULL;
        if (done) memcpy(c->cells + input->pair, matrix, (size_t)input->length * input->length);
    } else {
        const Column *column = exec_column(exec, c->node, &fault);
        done = column != NULL;
        for (uint32_t i = 0; done && i < input->length; i++) {
            Atom value = column_at(column, i);
            c->class[input->cell + i] = class_of(c, value);
            c->number[input->cell + i] = atom_is_number(value) ? atom_double(value) : 0;
        }
    }
    exec_free(exec);
    return done;
}

const Candidate *match_node(Matcher *m, NodeId node) {
    const Sample *s = m->sample;
    for (size_t k = 0; k < m->count; k++)
        if (m->list[k].node == node) return &m->list[k];
    Candidate c = {.node = node};
    if (node_is_selector(graph_node(m->graph, node))) {
        c.cells = ARENA_ARRAY(m->arena, s->pairs, bool);
    } else {
        c.number = ARENA_ARRAY(m->arena, s->cells, double);
        c.class = ARENA_ARRAY(m->arena, s->cells, uint32_t);
        c.level = ARENA_ARRAY(m->arena, s->cells, Atom);
    }
    for (uint32_t k = 0; k < s->count; k++) {
        Arena *run = arena_child(m->arena);
        bool done = evaluate(m, &c, &s->inputs[k], run);
        arena_free(run);
        if (!done) return NULL;
    }
    if (!c.cells) find_gap(m, &c);
    m->list = arena_grow(m->arena, m->list, &m->room, m->count + 1, sizeof *m->list);
    m->list[m->count] = c;
    return &m->list[m->count++];
}

/* --- what pieces may make of them ------------------------------------------------------ */

static void add_of_selector(Matcher *m, NodeId selector) {
    Node n = *graph_node(m->graph, selector);
    (void)match_node(m, selector);
    (void)match_node(m, graph_width(m->graph, selector, n.span));
    if (n.kind != NODE_SELECT) return;
    bool by_query = graph_node(m->graph, n.arg[0])->kind == NODE_CONSTANT;
    bool by_key = graph_node(m->graph, n.arg[1])->kind == NODE_CONSTANT;
    if (by_query != by_key) (void)match_node(m, graph_map(m->graph, n.op, n.arg, n.span));
}

void match_begin(Matcher *m, const Sample *sample, Graph *graph, const NodeId *outputs,
                 uint32_t output_count, Arena *arena) {
    uint32_t count = graph_count(graph);
    const bool *needed = graph_needed(graph, outputs, output_count, arena);
    *m = (Matcher){.sample = sample, .graph = graph, .arena = arena};
    for (NodeId id = 0; id < count; id++) {
        NodeKind kind = graph_node(graph, id)->kind;
        if (!needed[id] || kind == NODE_CONSTANT) continue;
        if (!node_is_selector(graph_node(graph, id))) (void)match_node(m, id);
    }
    m->sops = m->count;
    for (NodeId id = 0; id < count; id++)
        if (needed[id] && node_is_selector(graph_node(graph, id))) add_of_selector(m, id);
}

/* --- matching -------------------------------------------------------------------------- */

bool match_constant(const Matcher *m, const double *y) {
    double least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < m->sample->cells; k++) {
        least = fmin(least, y[k]);
        most = fmax(most, y[k]);
    }
    return !(most - least > NOTHING * fmax(1, fmax(fabs(most), fabs(least))));
}

bool match_affine(const Matcher *m, const Candidate *c, const double *y, double *scale,
                  double *offset) {
    uint32_t least = 0, most = 0;
    if (!c->number || c->classes < 2 || !isfinite(c->gap)) return false;
    for (uint32_t k = 0; k < m->sample->cells; k++) {
        if (c->number[k] < c->number[least]) least = k;
        if (c->number[k] > c->number[most]) most = k;
    }
    *scale = (y[most] - y[least]) / (c->number[most] - c->number[least]);
    *offset = y[least] - *scale * c->number[least];
    double near = NEAR * c->gap * fabs(*scale);
    if (!(near > 0)) return false;
    for (uint32_t k = 0; k < m->sample->cells; k++)
        if (!(fabs(y[k] - (*scale * c->number[k] + *offset)) <= near)) return false;
    return true;
}

/* Where the k-th candidate stands that is tried. */
static size_t place_of(const Matcher *m, size_t k) {
    if (m->order == FIND_LAST) return m->count - 1 - k;
    return m->order == FIND_LAST_OF_SOPS && k < m->sops ? m->sops - 1 - k : k;
}

NodeId match_number(const Matcher *m, const double *y) {
    double scale, offset;
    for (size_t k = 0; k < m->count; k++) {
        const Candidate *c = &m->list[place_of(m, k)];
        if (!c->cells && match_affine(m, c, y, &scale, &offset)) return c->node;
    }
    return NODE_NONE;
}

bool match_classes(const Matcher *m, const Candidate *c, const double *y, double *value) {
    double least = INFINITY, most = -INFINITY;
    for (uint32_t k = 0; k < c->classes; k++) value[k] = NAN;
    for (uint32_t k = 0; k < m->sample->cells; k++) {
        least = fmin(least, y[k]);
        most = fmax(most, y[k]);
    }
    for (uint32_t k = 0; k < m->sample->cells; k++) {
        double *own = &value[c->class[k]];
        if (isnan(*own)) *own = y[k];
        if (!(fabs(*own - y[k]) <= 1e-3 * (most - least))) return false;
    }
    return true;
}

/* A selector of the program, or what two of them have in common. */
NodeId match_selector(Matcher *m, const bool *selected) {
    size_t pairs = m->sample->pairs, count = m->count;
    for (size_t k = 0; k < count; k++)
        if (m->list[k].cells && memcmp(m->list[k].cells, selected, pairs) == 0)
            return m->list[k].node;
    for (size_t a = 0; a < count; a++) {
        if (!m->list[a].cells) continue;
        for (size_t b = 0; b < count; b++) {
            const bool *x = m->list[a].cells, *y = m->list[b].cells;
            if (!y || a == b) continue;
            bool both = a < b, without = true, either = a < b;
            for (size_t p = 0; p < pairs && (both || without || either); p++) {
                both &= selected[p] == (x[p] && y[p]);
                either &= selected[p] == (x[p] || y[p]);
                without &= selected[p] == (x[p] && !y[p]);
            }
            NodeId first = m->list[a].node, second = m->list[b].node;
            if (both) return graph_and(m->graph, first, second, SPAN_NONE);
            if (either) return graph_or(m->graph, first, second, SPAN_NONE);
            if (without)
                return graph_and(m->graph, first, graph_not(m->graph, second, SPAN_NONE),
                                 SPAN_NONE);
        }
    }
    return NODE_NONE;
}
