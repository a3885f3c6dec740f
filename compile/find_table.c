/* Hidden units: those that read multiples of one form are a table. */
#include "compile/find_walk.h"

#include <math.h>
#include <string.h>

/* Units of a sublayer, one behind the other, that read multiples of one form. */
typedef struct Group {
    Finder *f;
    const ModelMlp *weights;
    uint32_t layer, sublayer, time; /* before it */
    size_t first, count;
    NodeId x;
    double *slope, *at; /* by unit: slope * x + at goes into the ReLU */
} Group;

static bool is_active(const Finder *f, size_t d) {
    return f->held[d].count > 0 || f->held[d].unknown;
}

static bool is_silent(const ModelMlp *m, size_t u) {
    bool reads = tensor_get(&m->in_bias, 0, u) > 0, writes = false;
    for (size_t d = 0; d < m->in.rows; d++) {
        reads |= tensor_get(&m->in, d, u) != 0;
        writes |= tensor_get(&m->out, u, d) != 0;
    }
    return !reads || !writes;
}

/* The dimension that the unit takes away, or the width. */
static size_t cleared_by(const Finder *f, const ModelMlp *m, size_t u) {
    size_t width = f->model->width, dim = width;
    for (size_t d = 0; d < width; d++) {
        double in = tensor_get(&m->in, d, u), out = tensor_get(&m->out, u, d);
        if (out != 0 && (out != -1 || in != 1 || dim < width)) return width;
        if (out != 0) dim = d;
    }
    for (size_t d = 0; d < width && dim < width; d++)
        if (d != dim && is_active(f, d) && tensor_get(&m->in, d, u) != 0) return width;
    return dim;
}

static bool same_direction(const Finder *f, const ModelMlp *m, size_t u, size_t v) {
    double dot = 0, uu = 0, vv = 0;
    for (size_t d = 0; d < f->model->width; d++) {
        if (!is_active(f, d)) continue;
        double a = tensor_get(&m->in, d, u), b = tensor_get(&m->in, d, v);
        dot += a * b;
        uu += a * a;
        vv += b * b;
    }
    return uu > 0 && vv > 0 && fabs(dot * dot - uu * vv) <= 1e-9 * uu * vv;
}

/* --- what a group computes --------------------------------------------------------------- */

static double unit_sum(const Group *g, size_t u, uint32_t cell) {
    size_t width = g->f->model->width;
    const double *h = g->f->sample.h[g->time] + cell * width;
    double sum = tensor_get(&g->weights->in_bias, 0, u);
    for (size_t d = 0; d < width; d++) sum += tensor_get(&g->weights->in, d, u) * h[d];
    return sum;
}

static bool find_form(Group *g) {
    Finder *f = g->f;
    size_t width = f->model->width;
    double *w = ARENA_ARRAY(f->arena, width, double);
    for (size_t d = 0; d < width; d++)
        if (is_active(f, d)) w[d] = tensor_get(&g->weights->in, d, g->first);
    const double *y = find_reading(f, g->time, w);
    g->x = match_constant(&f->match, y) ? NODE_NONE : find_read(f, g->time, w, y);
    const Candidate *c = g->x == NODE_NONE ? NULL : match_node(&f->match, g->x);
    if (!c || !c->number) return false;
    uint32_t least = 0, most = 0;
    for (uint32_t k = 0; k < f->sample.cells; k++) {
        if (c->number[k] < c->number[least]) least = k;
        if (c->number[k] > c->number[most]) most = k;
    }
    g->slope = ARENA_ARRAY(f->arena, g->count, double);
    g->at = ARENA_ARRAY(f->arena, g->count, double);
    for (size_t u = 0; u < g->count; u++) {
        double low = unit_sum(g, g->first + u, least), high = unit_sum(g, g->first + u, most);
        g->slope[u] = (high - low) / (c->number[most] - c->number[least]);
        g->at[u] = low - g->slope[u] * c->number[least];
    }
    return true;
}

static double value_at(const Group *g, size_t d, double x) {
    double sum = 0;
    for (size_t u = 0; u < g->count; u++)
        sum += tensor_get(&g->weights->out, g->first + u, d) * fmax(0, g->slope[u] * x + g->at[u]);
    return sum;
}

/* What the dimension gets, as a function of another s-op, which may be x: at all values that these
 * can have together. */
static NodeId code_of(const Group *g, size_t d, NodeId of) {
    Finder *f = g->f;
    const NodeValues *v = values_of(f->values, of);
    NodeId both[] = {of, g->x};
    Rows rows;
    if (!v || !values_rows(f->values, both, of == g->x ? 1 : 2, UINT32_MAX, &rows))
        return NODE_NONE;
    v = values_of(f->values, of);
    const NodeValues *x = values_of(f->values, g->x);
    if (!x) return NODE_NONE;
    double *number = ARENA_ARRAY(f->arena, v->count, double), least = INFINITY, most = -INFINITY;
    size_t count = 0;
    Atom *keys = ARENA_ARRAY(f->arena, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) number[k] = NAN;
    double *y = ARENA_ARRAY(f->arena, rows.row_count, double);
    for (size_t r = 0; r < rows.row_count; r++) {
        Atom at = x->levels[rows.level[r * rows.width + rows.width - 1]];
        if (!atom_is_number(at)) return NODE_NONE;
        y[r] = value_at(g, d, atom_double(at));
        least = fmin(least, y[r]);
        most = fmax(most, y[r]);
    }
    for (size_t r = 0; r < rows.row_count; r++) {
        double *own = &number[rows.level[r * rows.width]];
        if (isnan(*own)) *own = y[r];
        if (!(fabs(*own - y[r]) <= 1e-3 * (most - least))) return NODE_NONE;
    }
    for (uint32_t k = 0; k < v->count; k++) {
        if (isnan(number[k])) continue;
        keys[count] = v->levels[k];
        number[count++] = number[k];
    }
    return find_code(f, of, keys, number, count);
}

/* The s-op with the fewest values that tells what the dimension gets. */
static NodeId coarsest(const Group *g, size_t d, const double *y) {
    Finder *f = g->f;
    NodeId best = NODE_NONE;
    uint32_t least = UINT32_MAX;
    size_t count = f->match.count;
    for (size_t k = 0; k < count; k++) {
        Candidate c = f->match.list[k];
        if (c.cells || c.classes < 2 || c.classes >= least) continue;
        double *value = ARENA_ARRAY(f->arena, c.classes, double);
        if (!match_classes(&f->match, &c, y, value)) continue;
        NodeId code = code_of(g, d, c.node);
        if (code == NODE_NONE) continue;
        best = code;
        least = c.classes;
    }
    return best;
}

static NodeId output_of(const Group *g, size_t d, const double *y, const NodeId *before,
                        uint32_t count) {
    Finder *f = g->f;
    double scale, offset;
    for (uint32_t k = 0; k < count; k++) {
        const Candidate *c = match_node(&f->match, before[k]);
        if (c && match_affine(&f->match, c, y, &scale, &offset)) return before[k];
    }
    NodeId node = match_number(&f->match, y);
    if (node == NODE_NONE) node = f->own ? code_of(g, d, g->x) : coarsest(g, d, y);
    if (node == NODE_NONE) node = f->own ? coarsest(g, d, y) : code_of(g, d, g->x);
    return node;
}

/* --- a group ----------------------------------------------------------------------------- */

static const char *place_of_units(const Group *g) {
    if (g->count == 1)
        return arena_format(g->f->arena, "layer %u, sublayer %u, unit %zu", g->layer + 1,
                            g->sublayer + 1, g->first);
    return arena_format(g->f->arena, "layer %u, sublayer %u, units %zu to %zu", g->layer + 1,
                        g->sublayer + 1, g->first, g->first + g->count - 1);
}

static double *group_gives(const Group *g, size_t d) {
    Finder *f = g->f;
    double *y = ARENA_ARRAY(f->arena, f->sample.cells, double);
    for (size_t u = g->first; u < g->first + g->count; u++) {
        double out = tensor_get(&g->weights->out, u, d);
        if (out == 0) continue;
        for (uint32_t k = 0; k < f->sample.cells; k++) y[k] += out * fmax(0, unit_sum(g, u, k));
    }
    return y;
}

static void forget_group(const Group *g, Held *after) {
    for (size_t d = 0; d < g->f->model->width; d++)
        for (size_t u = g->first; u < g->first + g->count; u++)
            if (tensor_get(&g->weights->out, u, d) != 0) after[d].unknown = true;
}

/* nodes: x, then the outputs; how many there are, or 0. */
static uint32_t find_outputs(Group *g, NodeId *nodes, Held *after) {
    Finder *f = g->f;
    uint32_t count = 1;
    nodes[0] = g->x;
    for (size_t d = 0; d < f->model->width; d++) {
        const double *y = group_gives(g, d);
        double scale, offset;
        if (match_constant(&f->match, y)) continue;
        NodeId node = output_of(g, d, y, nodes + 1, count - 1);
        const Candidate *c = node == NODE_NONE ? NULL : match_node(&f->match, node);
        if (!c || !match_affine(&f->match, c, y, &scale, &offset)) return 0;
        held_add(f, after, d, node, scale);
        uint32_t k = 1;
        while (k < count && nodes[k] != node) k++;
        if (k == count) nodes[count++] = node;
    }
    return count;
}

static void claim_table(const Group *g, const NodeId *nodes, uint32_t count) {
    Finder *f = g->f;
    Circuit *c = &f->found->claims;
    Stage stage = {c->first_layer + g->layer, g->sublayer + 1};
    TableOutput *outputs = ARENA_ARRAY(f->arena, count, TableOutput);
    for (uint32_t k = 1; k < count; k++) {
        outputs[k - 1].node = nodes[k];
        outputs[k - 1].part = find_part(f, (CircuitPart){.origin = FROM_TABLE,
                                                         .node = nodes[k],
                                                         .owner = c->table_count,
                                                         .column = k - 1,
                                                         .born = stage,
                                                         .dim = DIM_NONE});
    }
    f->tables =
        arena_grow(f->arena, f->tables, &f->table_room, c->table_count + 1, sizeof *f->tables);
    f->tables[c->table_count++] = (CircuitTable){.layer = g->layer,
                                                 .sublayer = g->sublayer,
                                                 .first_unit = (uint32_t)g->first,
                                                 .stage = stage,
                                                 .x = nodes[0],
                                                 .outputs = outputs,
                                                 .output_count = count - 1,
                                                 .shape.unit_count = (uint32_t)g->count};
}

static void find_group(Group *g, Held *after) {
    Finder *f = g->f;
    NodeId *nodes = ARENA_ARRAY(f->arena, f->model->width + 1, NodeId);
    bool reads = find_form(g);
    uint32_t count = reads ? find_outputs(g, nodes, after) : 0;
    if (count < 2) {
        find_note(f, false, NULL, 0, place_of_units(g),
                  reads ? arena_format(f->arena, "of %s, and give something that is no s-op",
                                       find_text(f, g->x))
                        : "read something that is no s-op");
        forget_group(g, after);
        return;
    }
    claim_table(g, nodes, count);
    find_note(
        f, true, nodes, count, place_of_units(g),
        arena_format(f->arena, "of %s -> %s", find_text(f, nodes[0]), find_text(f, nodes[1])));
}

/* --- clears ------------------------------------------------------------------------------ */

static void find_clear(Group *g, size_t dim, Held *after) {
    Finder *f = g->f;
    Circuit *c = &f->found->claims;
    Stage stage = {c->first_layer + g->layer, g->sublayer + 1};
    uint32_t part = UINT32_MAX;
    for (uint32_t p = 0; p < c->part_count; p++)
        if (f->parts[p].dim == dim && stage_before(f->parts[p].born, stage)) part = p;
    const char *place = arena_format(f->arena, "layer %u, sublayer %u, unit %zu", g->layer + 1,
                                     g->sublayer + 1, g->first);
    if (part == UINT32_MAX) {
        find_note(f, false, NULL, 0, place, "takes away what is no s-op");
        after[dim].unknown = true;
        return;
    }
    f->clears =
        arena_grow(f->arena, f->clears, &f->clear_room, c->clear_count + 1, sizeof *f->clears);
    f->clears[c->clear_count++] = (CircuitClear){.part = part,
                                                 .dim = (uint32_t)dim,
                                                 .layer = g->layer,
                                                 .sublayer = g->sublayer,
                                                 .unit = (uint32_t)g->first,
                                                 .stage = stage};
    find_note(f, true, NULL, 0, place, arena_format(f->arena, "gives dimension %zu back", dim));
    after[dim] = (Held){0};
}

/* --- a sublayer -------------------------------------------------------------------------- */

/* Clears first, as the judge goes. */
static void walk_units(Group *g, bool clears, Held *after) {
    Finder *f = g->f;
    size_t units = g->weights->in.cols, width = f->model->width;
    for (size_t u = 0; u < units; u += g->count) {
        size_t dim = cleared_by(f, g->weights, u);
        g->first = u;
        g->count = 1;
        if (is_silent(g->weights, u)) continue;
        if (dim < width) {
            if (clears) find_clear(g, dim, after);
            continue;
        }
        while (u + g->count < units && !is_silent(g->weights, u + g->count) &&
               cleared_by(f, g->weights, u + g->count) == width &&
               same_direction(f, g->weights, u, u + g->count))
            g->count++;
        if (!clears) find_group(g, after);
    }
}

void find_sublayer(Finder *f, uint32_t layer, uint32_t sublayer) {
    size_t width = f->model->width;
    Held *after = ARENA_ARRAY(f->arena, width, Held);
    uint32_t first = f->found->claims.part_count;
    Group g = {.f = f,
               .weights = f->model->layers[layer]->mlps[sublayer],
               .layer = layer,
               .sublayer = sublayer,
               .time = f->sample.layer_time[layer] + sublayer};
    memcpy(after, f->held, width * sizeof *after);
    walk_units(&g, true, after);
    walk_units(&g, false, after);
    memcpy(f->held, after, width * sizeof *after);
    find_places(f, first);
}
