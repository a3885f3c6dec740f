#include "compile/lower/form.h"

Form form_constant(double value) {
    return (Form){.constant = value};
}

Form form_part(uint32_t part, Arena *arena) {
    FormTerm *term = ARENA_NEW(arena, FormTerm);
    *term = (FormTerm){part, 1};
    return (Form){term, 1, 0};
}

Form form_sum(Form x, double a, Form y, double b, Arena *arena) {
    FormTerm *terms = ARENA_ARRAY(arena, (size_t)x.count + y.count, FormTerm);
    uint32_t i = 0, j = 0, count = 0;
    while (i < x.count || j < y.count) {
        FormTerm next;
        if (j == y.count || (i < x.count && x.terms[i].part < y.terms[j].part))
            next = (FormTerm){x.terms[i].part, a * x.terms[i].factor}, i++;
        else if (i == x.count || y.terms[j].part < x.terms[i].part)
            next = (FormTerm){y.terms[j].part, b * y.terms[j].factor}, j++;
        else
            next = (FormTerm){x.terms[i].part, a * x.terms[i].factor + b * y.terms[j].factor}, i++,
            j++;
        if (next.factor != 0) terms[count++] = next;
    }
    return (Form){terms, count, a * x.constant + b * y.constant};
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
