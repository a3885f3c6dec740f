/* Units of a judged circuit: of a table read off weights, not made by one form. */
#include "compile/prove/certificate_private.h"

double certificate_stray(const Checker *k, const CircuitTable *table, const ModelMlp *ideal,
                         uint32_t n) {
    size_t place = table->first_unit + table->shape.column[n];
    double error = 0;
    for (uint32_t t = 0; t < table->form.count; t++) {
        uint32_t dim = k->circuit->parts[table->form.terms[t].part].dim;
        double meant = table->shape.units[n].sign * table->form.terms[t].factor;
        double apart = fabs(tensor_get(&ideal->in, dim, place) - meant);
        error += (apart + DBL_EPSILON * fabs(meant)) * k->row[dim].error;
    }
    return error;
}
