#include "runtime/decode.h"

#include "runtime/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void decoder_clear(Decoder *decoder) {
    free(decoder->name);
    free(decoder->class);
    free(decoder->levels);
    *decoder = (Decoder){0};
}

typedef struct {
    const RtAtom *atom;
    size_t index;
} Indexed;

static int by_atom(const void *a, const void *b) {
    const Indexed *x = a, *y = b;
    int order = rt_atom_compare(x->atom, y->atom);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Numbers the different atoms, so that equal ones share a class. */
static bool find_classes(Decoder *decoder, const ModelOutput *output) {
    size_t n = output->value_count;
    Indexed *sorted = rt_calloc(n, sizeof *sorted);
    decoder->class = rt_calloc(n, sizeof *decoder->class);
    if (!sorted || !decoder->class) {
        free(sorted);
        return false;
    }
    for (size_t k = 0; k < n; k++) sorted[k] = (Indexed){&output->values[k], k};
    qsort(sorted, n, sizeof *sorted, by_atom);
    size_t class = 0;
    for (size_t k = 0; k < n; k++) {
        if (k && rt_atom_compare(sorted[k - 1].atom, sorted[k].atom) != 0) class ++;
        decoder->class[sorted[k].index] = class;
    }
    decoder->distinct = class + 1 == n;
    free(sorted);
    return true;
}

static int by_number(const void *a, const void *b) {
    const Level *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static bool find_levels(Decoder *decoder, const ModelOutput *output) {
    size_t n = output->value_count;
    Level *levels = decoder->levels = rt_calloc(n, sizeof *levels);
    if (!levels) return false;
    for (size_t k = 0; k < n; k++) levels[k] = (Level){output_place(output, k), k, INFINITY};
    qsort(levels, n, sizeof *levels, by_number);
    for (size_t k = 0; k < n; k++) {
        size_t last = decoder->level_count;
        if (last && levels[last - 1].number == levels[k].number) continue;
        levels[decoder->level_count++] = levels[k];
    }
    size_t last = decoder->level_count - 1;
    for (size_t k = 0; k < last; k++) {
        double half = (levels[k + 1].number - levels[k].number) / 2;
        levels[k].reach = fmin(levels[k].reach, half);
        levels[k + 1].reach = half;
    }
    double width = levels[last].number - levels[0].number;
    decoder->levels_a_unit = width > 0 ? (double)last / width : 0;
    return true;
}

bool decoder_init(Decoder *decoder, const ModelOutput *output, RtError *err) {
    bool argmax = output->decode == RT_DECODE_ARGMAX, nearest = output->decode == RT_DECODE_NEAREST;
    bool whole = output->decode == RT_DECODE_WHOLE;
    *decoder = (Decoder){.decode = output->decode,
                         .start = output->start,
                         .count = argmax ? output->value_count : 1,
                         .low = whole ? (double)output->values[0].u.i : 0,
                         .high = whole ? (double)output->values[1].u.i : 0};
    decoder->name = rt_memdup(output->name, strlen(output->name));
    if (decoder->name && (!argmax || find_classes(decoder, output)) &&
        (!nearest || find_levels(decoder, output)))
        return true;
    decoder_clear(decoder);
    return rt_error(err, "out of memory for the %zu values of output '%s'", output->value_count,
                    output->name);
}

/* In one pass, where no value stands twice. */
static Reading read_distinct(size_t count, const double *x) {
    size_t best = 0;
    double second = -INFINITY;
    for (size_t k = 1; k < count; k++) {
        bool larger = x[k] > x[best];
        double lesser = larger ? x[best] : x[k];
        if (lesser > second) second = lesser;
        if (larger) best = k;
    }
    return (Reading){(ptrdiff_t)best, x[best], x[best] - second};
}

static Reading read_argmax(const Decoder *decoder, const double *x) {
    if (decoder->distinct) return read_distinct(decoder->count, x);
    size_t best = 0;
    for (size_t k = 1; k < decoder->count; k++) {
        if (x[k] > x[best]) best = k;
    }
    double second = -INFINITY;
    for (size_t k = 0; k < decoder->count; k++) {
        if (decoder->class[k] != decoder->class[best] && x[k] > second) second = x[k];
    }
    return (Reading){(ptrdiff_t)best, x[best], x[best] - second};
}

static Reading read_nearest(const Decoder *decoder, double x) {
    const Level *levels = decoder->levels;
    size_t low = 0, high = decoder->level_count; /* levels[low] ≤ x < levels[high], or low = 0 */
    double guess = (x - levels[0].number) * decoder->levels_a_unit;
    if (guess >= 1 && guess < (double)(high - 1)) { /* mostly levels are evenly spaced */
        size_t at = (size_t)guess;
        if (levels[at].number <= x) low = at;
        if (levels[at + 1].number > x) high = at + 1;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (levels[middle].number <= x)
            low = middle;
        else
            high = middle;
    }
    size_t best = low;
    if (high < decoder->level_count && levels[high].number - x < fabs(x - levels[low].number))
        best = high;
    const Level *level = &levels[best];
    return (Reading){(ptrdiff_t)level->index, x, level->reach - fabs(x - level->number)};
}

static Reading read_whole(const Decoder *decoder, double x) {
    double v = rt_whole(x, decoder->low, decoder->high);
    double gap = decoder->low < decoder->high ? 1 : INFINITY;
    return (Reading){-1, x, gap / 2 - fabs(x - v)};
}

bool decoder_read(const Decoder *decoder, const double *x, Reading *reading, RtError *err) {
    double zero = 0; /* or NaN, if one is not finite */
    for (size_t k = 0; k < decoder->count; k++) zero += x[k] - x[k];
    for (size_t k = 0; zero != 0 && k < decoder->count; k++) {
        if (!isfinite(x[k]))
            return rt_error(err,
                            "output '%s': expected a finite number, found %g; the model's numbers "
                            "overflow its dtype",
                            decoder->name, x[k]);
    }
    switch (decoder->decode) {
    case RT_DECODE_ARGMAX:
        *reading = read_argmax(decoder, x);
        break;
    case RT_DECODE_NEAREST:
        *reading = read_nearest(decoder, *x);
        break;
    case RT_DECODE_WHOLE:
        *reading = read_whole(decoder, *x);
        break;
    default:
        *reading = (Reading){-1, *x, INFINITY};
        break;
    }
    return true;
}
