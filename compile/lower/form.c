#include "compile/lower/form.h"

#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>

Form form_constant(double value) {
    return (Form){.constant = value};
}

Form form_part(uint32_t part, Arena *arena) {
    FormTerm *term = ARENA_NEW(arena, FormTerm);
    *term = (FormTerm){.part = part, .factor = 1};
    return (Form){.terms = term, .count = 1};
}

Form form_loose(Form form, double slack) {
    form.slack += slack;
    return form;
}

/* a * x + b * y, and a bound on its rounding. */
static double combine(double a, double x, double b, double y, double *rounding) {
    double p = a * x, q = b * y;
    *rounding = fabs(fma(a, x, -p)) + fabs(fma(b, y, -q)) + fabs(sum_lost(p, q));
    if (*rounding != 0) *rounding *= 1 + 4 * DBL_EPSILON;
    return p + q;
}

static FormTerm combined(FormTerm x, double a, FormTerm y, double b) {
    FormTerm term = {.part = x.part};
    term.factor = combine(a, x.factor, b, y.factor, &term.error);
    term.error += fabs(a) * x.error + fabs(b) * y.error;
    return term;
}

Form form_sum(Form x, double a, Form y, double b, Arena *arena) {
    FormTerm *terms = ARENA_ARRAY(arena, (size_t)x.count + y.count, FormTerm);
    Form sum = {.terms = terms};
    uint32_t i = 0, j = 0;
    while (i < x.count || j < y.count) {
        uint32_t of_x = i < x.count ? x.terms[i].part : UINT32_MAX;
        uint32_t of_y = j < y.count ? y.terms[j].part : UINT32_MAX;
        uint32_t part = of_x < of_y ? of_x : of_y;
        FormTerm none = {.part = part};
        FormTerm next =
            combined(of_x == part ? x.terms[i] : none, a, of_y == part ? y.terms[j] : none, b);
        i += of_x == part;
        j += of_y == part;
        if (next.factor != 0 || next.error != 0) terms[sum.count++] = next;
    }
    double rounding;
    sum.constant = combine(a, x.constant, b, y.constant, &rounding);
    sum.slack = fabs(a) * x.slack + fabs(b) * y.slack + rounding;
    return sum;
}

Form form_affine(Form x, double a, double c, Arena *arena) {
    return form_sum(x, a, form_constant(c), 1, arena);
}

bool form_same(Form a, Form b) {
    if (a.count != b.count || a.constant != b.constant) return false;
    for (uint32_t k = 0; k < a.count; k++)
        if (a.terms[k].part != b.terms[k].part || a.terms[k].factor != b.terms[k].factor)
            return false;
    return true;
}
