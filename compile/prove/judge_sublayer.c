/* A feed-forward sublayer: its tables, the dimensions that it clears, and nothing else. */
#include "compile/prove/judge_tables.h"

#include <string.h>

/* --- clears --------------------------------------------------------------------------- */

/* The least that the form is. */
static double least_of(Judge *j, const Linear *l) {
    double least = l->constant - l->slack;
    for (uint32_t k = 0; k < l->count; k++) {
        double f = l->term[k].factor, own = INFINITY, low, high;
        if (values_unlisted(j->values, l->term[k].node, &low, &high)) {
            least += fmin(f * low, f * high);
            continue;
        }
        const NodeValues *v = values_of(j->values, l->term[k].node);
        for (uint32_t m = 0; v && m < v->count; m++) own = fmin(own, f * level_number(v, m));
        least += v && isfinite(own) ? own : -INFINITY;
    }
    return least;
}

/* h - relu(h - least) - least = 0, where h is never below. */
static bool judge_clear(Judge *j, const CircuitClear *claim, CircuitClear *made,
                        const ModelMlp *weights, double *bias, Linear *after, bool *cleared) {
    size_t width = j->model->width, unit = claim->unit, dim = claim->dim;
    NodeId node = j->claims->parts[claim->part].node;
    if (dim >= width || j->claims->parts[claim->part].dim != dim || cleared[dim])
        return judge_refuse(j, node, "dimension %zu is not its own", dim);
    cleared[dim] = true;
    bool clears =
        tensor_get(&weights->in, dim, unit) == 1 && tensor_get(&weights->out, unit, dim) == -1;
    for (size_t d = 0; d < width; d++) {
        if (d == dim) continue;
        bool silent = linear_is_zero(&j->state[d]); /* the sink's own, at program positions */
        clears &= tensor_get(&weights->out, unit, d) == 0;
        clears &= silent || tensor_get(&weights->in, d, unit) == 0;
    }
    if (!clears) return judge_refuse(j, node, "unit %zu does not clear its dimension", unit);
    *made = *claim;
    made->least = -tensor_get(&weights->in_bias, 0, unit);
    double below = made->least - least_of(j, &j->state[dim]);
    after[dim] = linear_add(j, after[dim], -1, j->state[dim]);
    after[dim].slack = below > 0 ? below : 0;
    bias[dim] += made->least;
    return isfinite(below) || judge_refuse(j, node, "it has no least value to clear it by");
}

/* --- a sublayer ----------------------------------------------------------------------- */

static bool is_silent(const ModelMlp *weights, size_t unit) {
    bool reads = tensor_get(&weights->in_bias, 0, unit) > 0, writes = false;
    for (size_t d = 0; d < weights->in.rows; d++) {
        reads |= tensor_get(&weights->in, d, unit) != 0;
        writes |= tensor_get(&weights->out, unit, d) != 0;
    }
    return !reads || !writes;
}

/* Marks claimed units; false: they are not there, or claimed twice. */
static bool take_units(bool *taken, const ModelMlp *weights, size_t first, size_t count) {
    if (first > weights->in.cols || count > weights->in.cols - first) return false;
    for (size_t u = first; u < first + count; u++) {
        if (taken[u]) return false;
        taken[u] = true;
    }
    return true;
}

bool judge_sublayer(Judge *j, uint32_t layer, uint32_t sublayer) {
    const ModelMlp *weights = j->model->layers[layer]->mlps[sublayer];
    const Circuit *claims = j->claims;
    size_t width = j->model->width, units = weights->in.cols;
    Linear *after = ARENA_ARRAY(j->arena, width, Linear);
    double *bias = ARENA_ARRAY(j->arena, width, double);
    bool *taken = ARENA_ARRAY(j->arena, units, bool);
    bool *cleared = ARENA_ARRAY(j->arena, width, bool);
    memcpy(after, j->state, width * sizeof *after);
    for (size_t d = 0; d < width; d++) bias[d] = tensor_get(&weights->out_bias, 0, d);
    for (uint32_t k = 0; k < claims->clear_count; k++) {
        const CircuitClear *c = &claims->clears[k];
        if (c->layer != layer || c->sublayer != sublayer) continue;
        if (!take_units(taken, weights, c->unit, 1))
            return judge_refuse(j, claims->parts[c->part].node, "there is no unit %u", c->unit);
        if (!judge_clear(j, c, (CircuitClear *)&j->circuit->clears[k], weights, bias, after,
                         cleared))
            return false;
    }
    for (uint32_t k = 0; k < claims->table_count; k++) {
        const CircuitTable *t = &claims->tables[k];
        if (t->layer != layer || t->sublayer != sublayer) continue;
        if (!t->shape.unit_count || !take_units(taken, weights, t->first_unit, t->shape.unit_count))
            return judge_refuse(j, t->x, "its table's units are not there");
        if (!judge_table(j, t, (CircuitTable *)&j->circuit->tables[k], weights, bias, after,
                         cleared))
            return false;
    }
    for (size_t u = 0; u < units; u++)
        if (!taken[u] && !is_silent(weights, u))
            return judge_refuse(j, NODE_NONE, "nothing is claimed of unit %zu of layer %u", u,
                                layer);
    for (size_t d = 0; d < width; d++) {
        if (bias[d] != 0)
            return judge_refuse(j, NODE_NONE,
                                "nothing is claimed of what layer %u adds to "
                                "dimension %zu",
                                layer, d);
        j->row0[d] += tensor_get(&weights->out_bias, 0, d);
    }
    memcpy(j->state, after, width * sizeof *after);
    return true;
}
