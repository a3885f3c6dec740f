/* Hidden units: what rounding does to them, and how active they can be, from the values that their
 * table knows of x.
 *
 * These are all values of x that matter: an output of the table that somebody relies on has a value
 * wherever its program has an answer, and so a point there.  Where an output is known by the sign
 * of x alone, its points have the ends of what x can be. */
#include "compile/prove/certificate_private.h"

#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>

/* The least and the greatest nominal value of x. */
static void x_range(const CircuitTable *table, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (uint32_t o = 0; o < table->output_count; o++) {
        const TableOutput *output = &table->outputs[o];
        for (uint32_t p = 0; p < output->points; p++) {
            *low = fmin(*low, output->x[p]);
            *high = fmax(*high, output->x[p]);
        }
    }
}

/* How far x goes beyond where the unit begins: an activation is no larger, but for errors. */
static double unit_reach(const TableUnit *unit, double low, double high) {
    double reach = unit->sign > 0 ? high - unit->at : unit->at - low;
    return fmax(0, reach) + DBL_EPSILON * (fmax(fabs(low), fabs(high)) + fabs(unit->at));
}

/* How large x less the form's constant can be where the unit is active, or is computed to be:
 * rounding is of the size of what is rounded. */
static double unit_reads(const CircuitTable *table, const TableUnit *unit, double low, double high,
                         double x_error) {
    double from = unit->sign > 0 ? unit->at : low, to = unit->sign > 0 ? high : unit->at;
    double constant = table->form.constant;
    double most = fmax(fabs(from - constant), fabs(to - constant)) + x_error;
    return (most + fabs(constant - unit->at)) * (1 + 0x1p-10);
}

UnitBound certificate_unit(const Checker *k, const ModelMlp *ideal, const ModelMlp *actual,
                           size_t u, const bool *meant, double most) {
    double bias = tensor_get(&ideal->in_bias, 0, u), sum = fabs(bias), grain = grain_of(bias);
    double change = fabs(tensor_get(&actual->in_bias, 0, u) - bias);
    bool exact = change == 0;
    double terms = 1, read = sum;
    for (uint32_t d = 0; d < k->width; d++) {
        double w = tensor_get(&ideal->in, d, u), a = tensor_get(&actual->in, d, u);
        if (w == 0 && a == 0) continue;
        change += fabs(a - w) * (k->row[d].size + k->row[d].error);
        if (!meant[d]) change += fabs(w) * k->row[d].error; /* the sink's dimension */
        double reads = fabs(w) * (k->row[d].size + k->row[d].error);
        sum += reads;
        read += meant[d] ? fmin(reads, most) : reads;
        exact &= a == w && k->row[d].error == 0;
        grain = finer(grain, grain_of(w) * k->row[d].grain);
        terms++;
    }
    certificate_note_reach(k, sum + change);
    grain = exact ? grain : 0;
    return (UnitBound){.noise = change + sum_rounding(k, read + change, grain, terms),
                       .size = sum + change,
                       .grain = grain};
}

Units certificate_units(const Checker *k, const CircuitTable *table, double x_error,
                        const ModelMlp *ideal, const ModelMlp *actual) {
    uint32_t count = table->shape.unit_count;
    Units units = {.unit = ARENA_ARRAY(k->arena, (size_t)count + 1, UnitBound)};
    bool *meant = ARENA_ARRAY(k->arena, k->width, bool);
    for (uint32_t t = 0; t < table->form.count; t++)
        meant[k->circuit->parts[table->form.terms[t].part].dim] = true;
    double low, high;
    x_range(table, &low, &high);
    for (uint32_t n = 0; n < count; n++) {
        const TableUnit *unit = &table->shape.units[n];
        UnitBound *bound = &units.unit[n];
        bool judged = table->shape.off != NULL;
        double off = judged ? table->shape.off[n] : 0, scale = fabs(unit->sign);
        double most = INFINITY; /* several terms may cancel */
        if (table->form.count == 1)
            most = scale * unit_reads(table, unit, low, high, x_error) + off;
        *bound = certificate_unit(k, ideal, actual, unit_place(table, n), meant, most);
        if (judged)
            bound->noise += off + certificate_stray(k, table, ideal, n);
        else
            bound->noise += fabs(sum_lost(table->form.constant, -unit->at)); /* bias */
        double reach = scale * (unit_reach(unit, low, high) + x_error) + bound->noise;
        bound->size = fmin(bound->size, reach);
    }
    return units;
}
