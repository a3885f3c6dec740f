/* Errors that are a share of what they are errors of.
 *
 * A counting head gives P = 1/(1+w), the sink's weight: w keys and the sink have scores that are e
 * or less from nominal, the others are far below.  Then 1/p is between 1 + w exp(-2e) and
 * (1 + w exp(2e)) (1 + r), with r what leaks, so p is P but for a share of exp(2e) (1 + r) - 1, and
 * rounding loses a share, too.  It is what tells 1/257 from 1/256: the least of the errors at all
 * counts would be taken for the greatest. */
#include "compile/prove/certificate_private.h"

/* Errors too small to change their sum as they were added up, but there: 2^-54 of it, each of up to
 * 2^18 units that write the dimension. */
static const double ABSORBED = 0x1p-36;

void certificate_share(const Checker *k, Bound *out, double ratio, const Bound *key,
                       const Bound *sink, double there, double slack) {
    if (key->size != 0 || there == 0 || !isfinite(ratio)) return;
    double sums = (2.0 * k->longest + 5) * k->unit; /* as in the error of any component */
    double value = sink->error / fabs(there);
    out->share = (ratio + (1 + ratio) * (value + sums * (1 + value)) + MEAN_SLACK) * (1 + 0x1p-40);
    out->floor = key->error * (1 + sums) + 2 * slack;
    out->shared = out->share < 0.5;
}

ReadBound certificate_reading(const Checker *k, const CircuitTable *table) {
    const Form *form = &table->form;
    double slack = certificate_slack(k, form);
    ReadBound read = {.error = slack, .share = INFINITY, .constant = form->constant};
    for (uint32_t t = 0; t < form->count; t++) {
        const Bound *b = &k->row[k->circuit->parts[form->terms[t].part].dim];
        double factor = fabs(form->terms[t].factor);
        read.error += factor * b->error;
        if (form->count > 1 || !b->shared || b->error != b->whole) continue;
        read.share = b->share;
        read.floor = factor * (b->floor + b->whole * ABSORBED) + slack * (1 + b->share);
    }
    return read;
}

double read_error(const ReadBound *read, double x) {
    if (!(read->share < 1)) return read->error;
    return fmin(read->error, read->share * fabs(x - read->constant) + read->floor);
}
