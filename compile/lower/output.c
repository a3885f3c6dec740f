#include "compile/lower/output.h"
#include "compile/values/numbers.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    return atom_compare_total(a, b);
}

/* Bools are read by argmax, so that they come out as bools. */
static bool reads_as_number(const NodeValues *v) {
    bool any = false;
    for (uint32_t k = 0; k < v->count; k++) {
        if (!atom_is_number(v->levels[k])) return false;
        if (v->levels[k].kind != ATOM_BOOL)
            any = true;
        else if (any)
            return false;
    }
    for (uint32_t k = 0; k < v->count; k++)
        if (v->levels[k].kind == ATOM_BOOL) return false;
    return any;
}

/* Floats that differ by the order of sums alone are one value. */
static bool nearly_equal(Atom a, Atom b) {
    if (a.kind == ATOM_STRING || b.kind == ATOM_STRING) return false;
    return numbers_near(atom_double(a), atom_double(b));
}

static bool plan_number(Lower *lower, OutputPlan *plan, const Atom *sorted) {
    Form *form = ARENA_NEW(lower_arena(lower), Form);
    Atom *values = ARENA_ARRAY(lower_arena(lower), plan->value_count, Atom);
    uint32_t count = 0;
    for (uint32_t m = 0; m < plan->value_count; m++)
        if (count == 0 || !nearly_equal(values[count - 1], sorted[m])) values[count++] = sorted[m];
    plan->numeric = true;
    plan->value_count = count;
    plan->values = values;
    plan->forms = form;
    plan->form_count = 1;
    return lower_feature(lower, plan->node, form);
}

static bool plan_choice(Lower *lower, OutputPlan *plan, const NodeValues *v, const Atom *sorted) {
    Arena *arena = lower_arena(lower);
    double *number = ARENA_ARRAY(arena, v->count, double);
    Atom *values = ARENA_ARRAY(arena, v->count, Atom);
    uint32_t count = 0;
    for (uint32_t m = 0; m < v->count; m++) {
        if (count == 0 || !nearly_equal(values[count - 1], sorted[m])) values[count++] = sorted[m];
        for (uint32_t k = 0; k < v->count; k++)
            if (atom_same(sorted[m], v->levels[k])) number[k] = count - 1;
    }
    Form code, *forms = ARENA_ARRAY(arena, count, Form);
    if (!lower_feature(lower, lower_code(lower, plan->node, number), &code)) return false;
    for (uint32_t k = 0; k < count; k++)
        forms[k] = form_affine(code, 2.0 * k, -(double)k * k, arena);
    plan->values = values;
    plan->value_count = plan->form_count = count;
    plan->forms = forms;
    return true;
}

bool output_plan(Lower *lower, const char *name, NodeId node, OutputPlan *plan) {
    const NodeValues *v = values_of(lower_values(lower), node);
    *plan = (OutputPlan){.name = name, .node = node};
    if (!v) return lower_fail_values(lower);
    if (v->count == 0) return lower_fail(lower, node, "fails on every input of the domain");
    Atom *sorted = ARENA_ARRAY(lower_arena(lower), v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) sorted[k] = v->levels[k];
    qsort(sorted, v->count, sizeof *sorted, by_value);
    plan->value_count = v->count;
    bool number = reads_as_number(v) && !lower_options(lower).careful;
    return number ? plan_number(lower, plan, sorted) : plan_choice(lower, plan, v, sorted);
}
