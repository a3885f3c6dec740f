/* What is decoded: each value of the s-op, from where the weights put it. */
#include "compile/atoms.h"
#include "compile/prove/judge_private.h"

#include <string.h>

enum { MOST_TERMS = 40 };

typedef struct Output {
    Judge *j;
    const CircuitOutput *claim;
    NodeId node; /* by the name that rules know it by */
    const NodeValues *v;
    double *most;      /* by value: the greatest number decoded as it */
    NodeId kind;       /* where levels occur as several kinds; else NODE_NONE */
    uint32_t *decoded; /* by level and kind: which value stands for it; UINT32_MAX: it never is */
} Output;

/* The value that stands for the level as that kind: itself, or a number that it may be another
 * sum of. */
static bool decode_level(Output *o, uint32_t level, unsigned kind) {
    const CircuitOutput *c = o->claim;
    Atom is = kind_variant(o->v->levels[level], (KindBits)kind);
    uint32_t best = UINT32_MAX;
    for (uint32_t k = 0; k < c->value_count; k++) {
        Atom value = c->values[k];
        if (kind_bit(value) != kind) continue;
        bool same = atom_equal(value, is);
        if (same || (best == UINT32_MAX && values_joinable(o->j->values, o->node, value, is)))
            best = k;
        if (same) break;
    }
    o->decoded[level * KIND_COUNT + (uint32_t)__builtin_ctz(kind)] = best;
    if (best == UINT32_MAX)
        return judge_refuse(o->j, c->node, "it can be %s, which is not decoded",
                            atom_show(is, ATOM_LISTED, o->j->arena));
    if (number_is_exact(is)) o->most[best] = fmax(o->most[best], atom_double(is));
    return true;
}

static bool decode_levels(Output *o) {
    const CircuitOutput *c = o->claim;
    o->most = ARENA_ARRAY(o->j->arena, c->value_count, double);
    o->decoded = ARENA_ARRAY(o->j->arena, (size_t)o->v->count * KIND_COUNT, uint32_t);
    for (uint32_t k = 0; k < c->value_count; k++)
        o->most[k] = number_is_exact(c->values[k]) ? atom_double(c->values[k]) : NAN;
    for (uint32_t k = 0; k < o->v->count; k++)
        for (unsigned kind = 1; kind < 1u << KIND_COUNT; kind <<= 1) {
            o->decoded[k * KIND_COUNT + (uint32_t)__builtin_ctz(kind)] = UINT32_MAX;
            if ((o->v->kinds[k] & kind) && !decode_level(o, k, kind)) return false;
        }
    return true;
}

/* Where dimension `form` is to stand when the value is meant. */
static double place_of(const Output *o, uint32_t form, uint32_t level, uint32_t kind) {
    uint32_t value = o->decoded[level * KIND_COUNT + kind];
    double k = form, c = value;
    if (value == UINT32_MAX) return NAN;
    if (!o->claim->numeric) return 2 * k * c - k * k;
    /* A value that another stands for is as far behind its place as it is greater. */
    double behind = level_number(o->v, level) - atom_double(o->claim->values[value]);
    return o->claim->place[value] + behind;
}

/* The terms of all the output's dimensions, each once. */
static bool all_terms(const Output *o, NodeId *nodes, uint32_t *count) {
    *count = 0;
    for (uint32_t f = 0; f < o->claim->form_count; f++) {
        const Linear *l = &o->j->state[o->claim->start + f];
        for (uint32_t k = 0; k < l->count; k++) {
            uint32_t at = 0;
            while (at < *count && nodes[at] != l->term[k].node) at++;
            if (at < *count) continue;
            if (*count == MOST_TERMS) return false;
            nodes[(*count)++] = l->term[k].node;
        }
    }
    return true;
}

/* How far each dimension is from its place, on all joint values. */
static bool try_all(Output *o, Form *forms) {
    Judge *j = o->j;
    NodeId nodes[MOST_TERMS + 2];
    double number[MOST_TERMS];
    uint32_t count;
    Rows rows;
    if (!all_terms(o, nodes, &count)) return false;
    nodes[count] = o->kind == NODE_NONE ? o->node : o->kind;
    nodes[count + 1] = o->node;
    if (!joint_rows(j, nodes, count + 2, &rows)) return false;
    const NodeValues *kinds = values_of(j->values, nodes[count]);
    for (uint32_t f = 0; f < o->claim->form_count; f++) {
        const Linear *l = &j->state[o->claim->start + f];
        for (size_t r = 0; r < rows.row_count; r++) {
            const uint32_t *level = rows.level + r * rows.width;
            double lost;
            for (uint32_t k = 0; k < l->count; k++) {
                uint32_t at = 0;
                while (nodes[at] != l->term[k].node) at++;
                number[k] = level_number(values_of(j->values, nodes[at]), level[at]);
            }
            uint32_t is = level[count + 1], kind = (uint32_t)__builtin_ctz(o->v->kinds[is]);
            if (o->kind != NODE_NONE) kind = (uint32_t)level_number(kinds, level[count]);
            if (o->decoded[is * KIND_COUNT + kind] == UINT32_MAX) continue; /* it never is */
            double x = linear_at(l, number, &lost), place = place_of(o, f, is, kind);
            double off = fabs(x - place);
            if (off > 0) off += DBL_EPSILON * (fabs(x) + fabs(place));
            forms[f].slack = worse(forms[f].slack, l->slack + lost + off);
            if (isnan(off)) return false;
        }
    }
    return true;
}

/* A number at itself: the form is the s-op. */
static void try_number(Output *o, Form *form) {
    Linear l = linear_add(o->j, o->j->state[o->claim->start], -1, linear_node(o->j, o->node, 1));
    Affine rest = solve_constant(o->j, l);
    form->slack = rest.slack + fabs(rest.constant);
}

/* Does the file decode it as is claimed? */
static bool same_decoder(Judge *j, const CircuitOutput *c, const ModelOutput *m) {
    RtDecode decode = c->whole     ? RT_DECODE_WHOLE
                      : c->numeric ? RT_DECODE_NEAREST
                                   : RT_DECODE_ARGMAX;
    bool same = m->decode == decode && m->start == c->start && m->value_count == c->value_count &&
                strcmp(m->name, c->name) == 0;
    for (size_t k = 0; same && k < m->value_count; k++)
        same = atom_is_in_file(c->values[k], &m->values[k]) &&
               (!c->numeric || (atom_is_number(c->values[k]) && output_place(m, k) == c->place[k] &&
                                (c->placed || c->place[k] == atom_double(c->values[k]))));
    for (size_t k = 1; same && c->numeric && k < m->value_count; k++)
        same = c->place[k - 1] < c->place[k];
    return same || judge_refuse(j, c->node, "the file decodes it in another way");
}

/* Is it a whole number from the least to the greatest that can be decoded, and an int? */
static bool is_whole(const Output *o, double least, double most) {
    const WholeSum *sum = values_whole_sum(o->j->values, o->node);
    if (sum) return (double)sum->least >= least && (double)sum->most <= most;
    const NodeValues *v = values_of(o->j->values, o->node);
    for (uint32_t k = 0; v && k < v->count; k++)
        if (v->kinds[k] != IS_INT || !(level_number(v, k) >= least && level_number(v, k) <= most))
            return false;
    return v != NULL;
}

static bool judge_whole(Output *o, CircuitOutput *made) {
    Judge *j = o->j;
    const CircuitOutput *c = o->claim;
    Form *form = ARENA_NEW(j->arena, Form);
    double *most = ARENA_ARRAY(j->arena, 2, double);
    if (c->value_count != 2 || c->form_count != 1 || c->start >= j->model->width)
        return judge_refuse(j, c->node, "its decoder reads other dimensions than there are");
    if (!is_whole(o, c->place[0], c->place[1]))
        return judge_refuse(j, c->node, "it may be other than a whole number from %.17g to %.17g",
                            c->place[0], c->place[1]);
    try_number(o, form);
    if (!(form->slack < 0.5))
        return judge_refuse(j, c->node, "dimension %u does not hold it", c->start);
    relies_on_form(j, o->node, &j->state[c->start]);
    if (!judge_reliance(j, c->node, &o->node, 1)) return false;
    *made = *c;
    made->forms = form;
    for (int k = 0; k < 2; k++) most[k] = c->place[k];
    made->most = most;
    return true;
}

static bool judge_output(Judge *j, const CircuitOutput *claim, CircuitOutput *made) {
    Output o = {.j = j, .claim = claim, .node = judge_name(j, claim->node)};
    if (claim->whole) return judge_whole(&o, made);
    o.v = values_of(j->values, o.node);
    if (!o.v) return judge_refuse(j, claim->node, "too many values to judge its decoder by");
    if (claim->start > j->model->width || claim->form_count > j->model->width - claim->start ||
        claim->form_count != (claim->numeric ? 1 : claim->value_count))
        return judge_refuse(j, claim->node, "its decoder reads other dimensions than there are");
    o.kind = values_single_kinds(o.v) ? NODE_NONE : kind_node(j, o.node);
    if (!values_single_kinds(o.v) && (o.kind == NODE_NONE || !values_of(j->values, o.kind)))
        return judge_refuse(j, claim->node,
                            "it is an int here and a float there, which is not "
                            "shown to be told");
    if (!decode_levels(&o)) return false;
    Form *forms = ARENA_ARRAY(j->arena, claim->form_count, Form);
    bool number = claim->numeric && !claim->placed && o.kind == NODE_NONE && values_numeric(o.v);
    if (number) try_number(&o, &forms[0]);
    if (!number || !(forms[0].slack < 0x1p-20 * node_gap(j, o.node))) {
        Form *all = ARENA_ARRAY(j->arena, claim->form_count, Form);
        bool done = try_all(&o, all);
        if (done && (!number || all[0].slack < forms[0].slack)) forms = all;
        if (!done && !number)
            return judge_refuse(j, claim->node, "what it reads has too many joint values");
    }
    for (uint32_t f = 0; f < claim->form_count; f++)
        if (!(forms[f].slack < 1e300))
            return judge_refuse(j, claim->node, "dimension %u does not hold it", claim->start + f);
    for (uint32_t f = 0; f < claim->form_count; f++)
        relies_on_form(j, o.node, &j->state[claim->start + f]);
    if (o.kind != NODE_NONE) relies_on(j, o.node, o.kind);
    if (!judge_reliance(j, claim->node, &o.node, 1)) return false;
    *made = *claim;
    made->forms = forms;
    made->most = o.most;
    return true;
}

bool judge_outputs(Judge *j) {
    CircuitOutput *made = (CircuitOutput *)j->circuit->outputs;
    for (uint32_t o = 0; o < j->claims->output_count; o++)
        if (!same_decoder(j, &j->claims->outputs[o], j->model->outputs[o]) ||
            !judge_output(j, &j->claims->outputs[o], &made[o]))
            return false;
    return true;
}
