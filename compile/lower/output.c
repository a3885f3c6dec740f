#include "compile/lower/output.h"

#include "compile/lower/kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    return atom_compare_total(a, b);
}

/* Bools are read by argmax, so that they come out as bools. */
static bool reads_as_number(const NodeValues *v) {
    bool fits = v->count > 0 && values_numeric(v);
    for (uint32_t k = 0; k < v->count && fits; k++)
        fits = (v->kinds[k] & (IS_BOOL | IS_NEGATIVE_ZERO)) == 0;
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
    plan->numeric = true;
    plan->forms = form;
    plan->form_count = 1;
    return lower_feature(lower, plan->node, form);
}

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

/* Which of the values, by class, level k of the node that says everything is. */
static const double *numbers_of(Lower *lower, const Atom *value, uint32_t count, const Atom *sorted,
                                const double *class) {
    double *number = ARENA_ARRAY(lower_arena(lower), count, double);
    for (uint32_t k = 0; k < count; k++) {
        const Atom *at = bsearch(&value[k], sorted, count, sizeof *sorted, by_value);
        number[k] = class[at - sorted];
    }
    return number;
}

/* The values as they are printed: levels, of the kind that they have.  *said: the s-op whose
 * levels tell them, one for one. */
static Atom *exact_values(Lower *lower, NodeId node, NodeId *said, uint32_t *count) {
    const NodeValues *v = values_of(lower_values(lower), node);
    bool single = values_single_kinds(v);
    *said = single ? node : kinds_joint(lower, node);
    const NodeValues *s = *said == NODE_NONE ? NULL : values_of(lower_values(lower), *said);
    if (!s) {
        lower_fail_values(lower);
        return NULL;
    }
    Atom *value = ARENA_ARRAY(lower_arena(lower), s->count, Atom);
    for (uint32_t k = 0; k < s->count; k++) {
        int64_t code = single ? 0 : atom_integer(s->levels[k]);
        value[k] =
            single ? kind_variant(v->levels[k], (KindBits)v->kinds[k])
                   : kind_variant(v->levels[code / KIND_COUNT], (KindBits)(1 << code % KIND_COUNT));
    }
    *count = s->count;
    return value;
}

bool output_plan(Lower *lower, const char *name, NodeId node, OutputPlan *plan) {
    const NodeValues *v = values_of(lower_values(lower), node);
    *plan = (OutputPlan){.name = name, .node = node};
    if (!v) return lower_fail_values(lower);
    for (uint32_t k = 0; k < v->count; k++)
        if (v->levels[k].kind == ATOM_FLOAT && !isfinite(v->levels[k].f))
            return lower_fail(lower, node, "can be %s, and numbers in a weights file are finite",
                              atom_show(v->levels[k], ATOM_PLAIN, lower_arena(lower)));
    if (v->count == 0) return lower_fail(lower, node, "fails on every input of the domain");
    NodeId said;
    uint32_t count;
    Atom *value = exact_values(lower, node, &said, &count);
    if (!value) return false;
    Atom *sorted = ARENA_ARRAY(lower_arena(lower), count, Atom);
    double *class = ARENA_ARRAY(lower_arena(lower), count, double);
    memcpy(sorted, value, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_value);
    plan->value_count = count;
    join_levels(lower, plan, sorted, class);
    bool number = said == node && reads_as_number(v) && !lower_options(lower).careful;
    return number ? plan_number(lower, plan)
                  : plan_choice(lower, plan, said, numbers_of(lower, value, count, sorted, class));
}
