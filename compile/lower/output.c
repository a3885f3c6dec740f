#include "compile/lower/output.h"

#include "compile/lower/kinds.h"
#include "compile/values/numbers.h"
#include "compile/values/sums.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    return atom_compare_total(a, b);
}

/* Bools are read by argmax, so that they come out as bools. */
static bool reads_as_number(const NodeValues *v) {
    bool fits = v->count > 0 && values_numeric(v);
    for (uint32_t k = 0; k < v->count && fits; k++) {
        fits = (v->kinds[k] & (IS_BOOL | IS_NEGATIVE_ZERO)) == 0;
        fits &= v->levels[k].kind != ATOM_INT || fabs(atom_double(v->levels[k])) <= 0x1p53;
    }
    return fits;
}

/* Keeps one of each run of the sorted levels that may be one real number, the least; class[m]:
 * which one stands for level m. */
static void join_levels(Lower *lower, OutputPlan *plan, const Atom *sorted, double *class) {
    Arena *arena = lower_arena(lower);
    Atom *values = ARENA_ARRAY(arena, plan->value_count, Atom);
    double *most = ARENA_ARRAY(arena, plan->value_count, double);
    uint32_t count = 0;
    for (uint32_t m = 0; m < plan->value_count; m++) {
        bool joins =
            count && values_joinable(lower_values(lower), plan->node, values[count - 1], sorted[m]);
        if (!joins) values[count++] = sorted[m];
        most[count - 1] = feature_number(sorted[m]);
        class[m] = count - 1;
    }
    plan->values = values;
    plan->most = most;
    plan->value_count = count;
}

static bool plan_number(Lower *lower, OutputPlan *plan) {
    Form *form = ARENA_NEW(lower_arena(lower), Form);
    double *place = ARENA_ARRAY(lower_arena(lower), plan->value_count, double);
    for (uint32_t k = 0; k < plan->value_count; k++) place[k] = atom_double(plan->values[k]);
    plan->numeric = true;
    plan->place = place;
    plan->forms = form;
    plan->form_count = 1;
    return lower_feature(lower, plan->node, form);
}

/* --- numbers of several kinds --------------------------------------------------------------- */

/* All that the output can be, kind by kind, each by value. */
typedef struct Kinds {
    NodeId rank;               /* an s-op: which of the kinds it is */
    KindBits kind[KIND_COUNT]; /* by rank */
    uint32_t count;
    double stride; /* from one kind's numbers to the next one's */
    Atom *value;
    uint32_t value_count;
} Kinds;

static bool find_kinds(Lower *lower, OutputPlan *plan, const NodeValues *v, Kinds *kinds) {
    Graph *graph = values_graph(lower_values(lower));
    Arena *arena = lower_arena(lower);
    unsigned all = 0;
    Atom *key = ARENA_ARRAY(arena, KIND_COUNT, Atom), *rank = ARENA_ARRAY(arena, KIND_COUNT, Atom);
    double low = INFINITY, high = -INFINITY;
    for (uint32_t k = 0; k < v->count; k++) {
        all |= v->kinds[k];
        low = fmin(low, feature_number(v->levels[k]));
        high = fmax(high, feature_number(v->levels[k]));
    }
    for (int k = 0; k < KIND_COUNT; k++) {
        if (!(all >> k & 1)) continue;
        key[kinds->count] = atom_int(k);
        rank[kinds->count] = atom_int(kinds->count);
        kinds->kind[kinds->count++] = (KindBits)(1 << k);
    }
    NodeId kind = kinds_of(lower, plan->node);
    if (kind == NODE_NONE)
        return lower_fail(lower, plan->node,
                          "is an int here and a float there, and which of them "
                          "cannot be computed");
    const Lookup *lookup = lookup_new(graph_arena(graph), LOOKUP_DICT, key, rank, kinds->count);
    kinds->rank = graph_lookup(graph, lookup, kind, graph_node(graph, plan->node)->span);
    kinds->stride = high > low ? exp2(ceil(log2(high - low)) + 1) : 1;
    return true;
}

/* The values by kind and number, and where they stand. */
static void place_kinds(Lower *lower, OutputPlan *plan, const NodeValues *v, const Kinds *kinds,
                        double *rounding) {
    Arena *arena = lower_arena(lower);
    Atom *values = ARENA_ARRAY(arena, (size_t)v->count * KIND_COUNT, Atom);
    double *most = ARENA_ARRAY(arena, (size_t)v->count * KIND_COUNT, double);
    double *place = ARENA_ARRAY(arena, (size_t)v->count * KIND_COUNT, double);
    uint32_t total = 0;
    *rounding = 0;
    for (uint32_t r = 0; r < kinds->count; r++) {
        OutputPlan part = {.node = plan->node};
        Atom *own = ARENA_ARRAY(arena, v->count, Atom);
        double *class = ARENA_ARRAY(arena, v->count, double);
        for (uint32_t k = 0; k < v->count; k++)
            if (v->kinds[k] & kinds->kind[r])
                own[part.value_count++] = kind_variant(v->levels[k], kinds->kind[r]);
        qsort(own, part.value_count, sizeof *own, by_value);
        join_levels(lower, &part, own, class);
        for (uint32_t k = 0; k < part.value_count; k++, total++) {
            double number = atom_double(part.values[k]), shift = r * kinds->stride;
            values[total] = part.values[k];
            most[total] = part.most[k];
            place[total] = number + shift;
            *rounding = fmax(*rounding, fabs(sum_lost(number, shift)));
        }
    }
    plan->values = values;
    plan->most = most;
    plan->place = place;
    plan->value_count = total;
}

/* One number for both: the value, and for each kind another stretch of the line. */
static bool plan_kinds(Lower *lower, OutputPlan *plan, const NodeValues *v) {
    Kinds kinds = {0};
    Form of_value, of_rank, *form = ARENA_NEW(lower_arena(lower), Form);
    double rounding;
    if (!find_kinds(lower, plan, v, &kinds)) return false;
    if (!lower_feature(lower, plan->node, &of_value)) return false;
    if (!lower_feature(lower, kinds.rank, &of_rank)) return false;
    place_kinds(lower, plan, v, &kinds, &rounding);
    *form = form_sum(of_value, 1, of_rank, kinds.stride, lower_arena(lower));
    *form = form_loose(*form, rounding);
    plan->numeric = plan->placed = true;
    plan->forms = form;
    plan->form_count = 1;
    return true;
}

/* --- anything else -------------------------------------------------------------------------- */

/* `node`'s level k is the value number number[k]. */
static bool plan_choice(Lower *lower, OutputPlan *plan, NodeId node, const double *number) {
    Arena *arena = lower_arena(lower);
    Form code, *forms = ARENA_ARRAY(arena, plan->value_count, Form);
    if (!lower_feature(lower, lower_code(lower, node, number), &code)) return false;
    for (uint32_t k = 0; k < plan->value_count; k++)
        forms[k] = form_affine(code, 2.0 * k, -(double)k * k, arena);
    plan->form_count = plan->value_count;
    plan->forms = forms;
    return true;
}

/* The values as they are printed, of the kind that they have: value[k] for level k of `said`, or
 * used[k] = false where that is a combination that never occurs. */
typedef struct Exact {
    NodeId said; /* whose levels tell the values: the output itself, or its joint s-op */
    uint32_t levels;
    Atom *value;
    bool *used;
    Atom *sorted; /* those that are used */
    uint32_t count;
} Exact;

static void add_exact(Exact *e, const NodeValues *v, uint32_t k, uint32_t level, unsigned kind) {
    if (level >= v->count || !(v->kinds[level] & kind)) return;
    e->used[k] = true;
    e->sorted[e->count++] = e->value[k] = kind_variant(v->levels[level], (KindBits)kind);
}

static bool find_exact(Lower *lower, NodeId node, Exact *e) {
    const NodeValues *v = values_of(lower_values(lower), node);
    bool single = values_single_kinds(v);
    e->said = single ? node : kinds_joint(lower, node);
    const NodeValues *s = e->said == NODE_NONE ? NULL : values_of(lower_values(lower), e->said);
    if (!s) return lower_fail_values(lower);
    e->levels = s->count;
    e->value = ARENA_ARRAY(lower_arena(lower), s->count, Atom);
    e->sorted = ARENA_ARRAY(lower_arena(lower), s->count, Atom);
    e->used = ARENA_ARRAY(lower_arena(lower), s->count, bool);
    for (uint32_t k = 0; k < s->count; k++) {
        if (single) {
            add_exact(e, v, k, k, v->kinds[k]);
        } else if (s->levels[k].kind == ATOM_INT) { /* else a mean of kinds */
            int64_t code = s->levels[k].i;
            add_exact(e, v, k, (uint32_t)(code / KIND_COUNT), 1u << code % KIND_COUNT);
        }
    }
    qsort(e->sorted, e->count, sizeof *e->sorted, by_value);
    return true;
}

/* Which of the values, by class, each level is. */
static const double *numbers_of(Lower *lower, const Exact *e, const double *class) {
    double *number = ARENA_ARRAY(lower_arena(lower), e->levels, double);
    for (uint32_t k = 0; k < e->levels; k++) {
        if (!e->used[k]) continue;
        const Atom *at = bsearch(&e->value[k], e->sorted, e->count, sizeof *e->sorted, by_value);
        number[k] = class[at - e->sorted];
    }
    return number;
}

/* Whole numbers that are too many to list: their ends. */
static bool plan_whole(Lower *lower, OutputPlan *plan, const WholeSum *sum) {
    Arena *arena = lower_arena(lower);
    Atom *values = ARENA_ARRAY(arena, 2, Atom);
    double *most = ARENA_ARRAY(arena, 2, double);
    for (int k = 0; k < 2; k++) {
        values[k] = atom_int(k ? sum->most : sum->least);
        most[k] = atom_double(values[k]);
    }
    plan->whole = true;
    plan->values = values;
    plan->most = most;
    plan->value_count = 2;
    return plan_number(lower, plan);
}

bool output_plan(Lower *lower, const char *name, NodeId node, OutputPlan *plan) {
    const WholeSum *sum = values_whole_sum(lower_values(lower), node);
    *plan = (OutputPlan){.name = name, .node = node};
    if (sum && sum->many) return plan_whole(lower, plan, sum);
    const NodeValues *v = values_of(lower_values(lower), node);
    if (!v) return lower_fail_values(lower);
    for (uint32_t k = 0; k < v->count; k++)
        if (v->levels[k].kind == ATOM_FLOAT && !isfinite(v->levels[k].f))
            return lower_fail(lower, node, "can be %s, and numbers in a weights file are finite",
                              atom_show(v->levels[k], ATOM_PLAIN, lower_arena(lower)));
    if (v->count == 0) return lower_fail(lower, node, "fails on every input of the domain");
    if (!values_single_kinds(v) && values_numeric(v) && lower_options(lower).care != LOWER_CAREFUL)
        return plan_kinds(lower, plan, v);
    Exact e = {0};
    if (!find_exact(lower, node, &e)) return false;
    double *class = ARENA_ARRAY(lower_arena(lower), e.count, double);
    plan->value_count = e.count;
    join_levels(lower, plan, e.sorted, class);
    bool number =
        e.said == node && reads_as_number(v) && lower_options(lower).care != LOWER_CAREFUL;
    return number ? plan_number(lower, plan)
                  : plan_choice(lower, plan, e.said, numbers_of(lower, &e, class));
}
