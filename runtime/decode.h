/* Reading outputs: residual values to a value of the output, and how sure that is.
 *
 * A Decoder is a ModelOutput prepared for reading many positions; it copies what it needs. */
#ifndef RUNTIME_DECODE_H
#define RUNTIME_DECODE_H

#include "runtime/forward.h"

typedef struct {
    double number;
    size_t index; /* lowest index of that number in the output's values */
    double reach; /* half the distance to the closest other number; infinite: there is none */
} Level;

typedef struct {
    char *name;
    RtDecode decode;
    size_t start, count; /* residual dimensions it reads */
    size_t *class;       /* argmax: [count], equal for equal values */
    bool distinct;       /* argmax: no two are equal */
    Level *levels;       /* nearest: different numbers, ascending */
    size_t level_count;
    double levels_a_unit; /* how many a unit, if they were evenly spaced */
    double low, high;     /* whole: the ends */
} Decoder;

bool decoder_init(Decoder *decoder, const ModelOutput *output, RtError *err);
void decoder_clear(Decoder *decoder);

/* x: the `count` residual values from `start` on. False with `err` when one is not finite. */
bool decoder_read(const Decoder *decoder, const double *x, Reading *reading, RtError *err);

#endif
