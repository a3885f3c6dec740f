#include "compile/lower/output.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    return atom_compare_total(a, b);
}

/* Bools are read by argmax, so that they come out as bools. */
static bool reads_as_number(const NodeValues *v) {
    bool any = false;
    if (!values_numeric(v)) return false;
    for (uint32_t k = 0; k < v->count; k++) {
        if (v->levels[k].kind != ATOM_BOOL)
            any = true;
        else if (any)
            return false;
    }
    for (uint32_t k = 0; k < v->count; k++)
        if (v->levels[k].kind == ATOM_BOOL) return false;
    return any;
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

static bool plan_choice(Lower *lower, OutputPlan *plan, const NodeValues *v, const Atom *sorted,
                        const double *class) {
    Arena *arena = lower_arena(lower);
    double *number = ARENA_ARRAY(arena, v->count, double);
    for (uint32_t m = 0; m < v->count; m++)
        for (uint32_t k = 0; k < v->count; k++)
            if (atom_same(sorted[m], v->levels[k])) number[k] = class[m];
    Form code, *forms = ARENA_ARRAY(arena, plan->value_count, Form);
    if (!lower_feature(lower, lower_code(lower, plan->node, number), &code)) return false;
    for (uint32_t k = 0; k < plan->value_count; k++)
        forms[k] = form_affine(code, 2.0 * k, -(double)k * k, arena);
    plan->form_count = plan->value_count;
    plan->forms = forms;
    return true;
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
    Atom *sorted = ARENA_ARRAY(lower_arena(lower), v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) sorted[k] = v->levels[k];
    qsort(sorted, v->count, sizeof *sorted, by_value);
    plan->value_count = v->count;
    double *class = ARENA_ARRAY(lower_arena(lower), v->count, double);
    join_levels(lower, plan, sorted, class);
    bool number = reads_as_number(v) && !lower_options(lower).careful;
    return number ? plan_number(lower, plan) : plan_choice(lower, plan, v, sorted, class);
}
