/* A sublayer's products on their way into the residual stream.
 *
 * They are added one by one to what a dimension holds, so each addition may lose a part of that,
 * too, and of what other tables have added: n products onto h lose up to about n u (|h| + sum of
 * their sizes), and nothing if all of that are multiples of one power of two, and few enough. */
#include "compile/prove/certificate_private.h"

/* All that is added to a dimension: sizes, how many, and a grain (0: none known). */
typedef struct Added {
    double sum, count, grain;
} Added;

static void add(Added *to, double size, double grain) {
    to->sum += size;
    to->count++;
    to->grain = finer(to->grain, grain);
}

static Added added_to(const Checker *k, const ModelMlp *actual, uint32_t dim) {
    Added added = {.grain = INFINITY};
    for (size_t u = 0; u < actual->out.rows; u++) {
        double w = tensor_get(&actual->out, u, dim);
        const UnitBound *unit = &k->hidden[u];
        if (w == 0 || unit->size == 0) continue;
        add(&added, fabs(w) * unit->size, unit->noise == 0 ? grain_of(w) * unit->grain : 0);
    }
    double bias = tensor_get(&actual->out_bias, 0, dim);
    if (bias != 0) add(&added, fabs(bias), grain_of(bias));
    return added;
}

void certificate_add_up(const Checker *k, const ModelMlp *actual, Bound *after) {
    for (uint32_t d = 0; d < k->width; d++) {
        if (k->writers[d] == 0) continue;
        const Bound *h = &k->row[d];
        Added added = added_to(k, actual, d);
        bool alone = k->writers[d] == 1 && h->size == 0;
        double held = h->size + h->error, size = alone ? held : held + added.sum;
        double grain = h->error == 0 ? finer(added.grain, h->grain) : 0;
        after[d].error += sum_rounding(k, size, grain, added.count);
    }
}
