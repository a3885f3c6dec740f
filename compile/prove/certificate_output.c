/* Reading the outputs: their errors, margins, and the floats that are joined. */
#include "compile/prove/certificate_private.h"

/* What writing the form's weights as doubles loses. */
static double emit_slack(const Checker *k, const Form *form) {
    double size = fabs(form->constant);
    if (form->count == 1 && form->terms[0].factor == 1 && form->constant == 0) return 0;
    for (uint32_t t = 0; t < form->count; t++)
        size += fabs(form->terms[t].factor) * part_size(&k->circuit->parts[form->terms[t].part]);
    return (form->count + 2) * EMIT_SLACK * size;
}

static double output_error(const Checker *k, const CircuitOutput *output, uint32_t form) {
    const Form *f = &output->forms[form];
    return k->row[output->start + form].error + certificate_slack(k, f) + emit_slack(k, f);
}

/* The values are read half-way between neighbours, of which each may stand for greater ones. */
static double number_margin(Checker *k, const CircuitOutput *output) {
    double least = INFINITY;
    if (output->whole) {
        k->low = output->place[0], k->high = k->low + 1;
        return output->place[0] < output->place[1] ? 0.5 : INFINITY;
    }
    for (uint32_t v = 0; v + 1 < output->value_count; v++) {
        double a = output->place[v], b = output->place[v + 1];
        double joined = output->most[v] - atom_double(output->values[v]);
        double margin = fmin((b - a) / 2, (b - a) / 2 - joined);
        if (margin >= least) continue;
        least = margin;
        k->low = output->most[v], k->high = atom_double(output->values[v + 1]);
    }
    return least;
}

static void note_joined(Certificate *c, const CircuitOutput *output) {
    for (uint32_t v = 0; v < output->value_count; v++) {
        if (output->values[v].kind != ATOM_FLOAT) continue;
        double least = output->values[v].f, most = output->most[v];
        if (most == least) continue;
        c->joined_absolute = fmax(c->joined_absolute, most - least);
        c->joined_relative =
            fmax(c->joined_relative, (most - least) / fmin(fabs(least), fabs(most)));
    }
}

static void check_number(Checker *k, const CircuitOutput *output) {
    double error = output_error(k, output, 0);
    k->c->error = fmax(k->c->error, error);
    note_joined(k->c, output);
    certificate_decide(k, error, number_margin(k, output), "output", output->name);
}

/* Scores 2kc - k^2: another choice m is behind by (k - m)^2. */
static void check_choice(Checker *k, const CircuitOutput *output) {
    note_joined(k->c, output);
    for (uint32_t a = 0; a < output->value_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            double error = output_error(k, output, a) + output_error(k, output, b);
            double allowed = (double)(a - b) * (a - b);
            k->c->error = fmax(k->c->error, error);
            certificate_decide(k, error, allowed, "output", output->name);
        }
}

void certificate_output(Checker *k, const CircuitOutput *output) {
    (output->numeric ? check_number : check_choice)(k, output);
}
