/* Working memory kept between runs of one engine.
 *
 * A run takes a buffer and gives it back, so that the next one finds its pages in place (clearing
 * new ones cost a fifth of a short run). Any number of threads may take and give at once; a buffer
 * belongs to one run at a time. */
#ifndef RUNTIME_SPARES_H
#define RUNTIME_SPARES_H

#include "runtime/memory.h"

typedef struct Spares Spares;

Spares *spares_new(void);
void spares_free(Spares *spares);

/* A buffer of any size, empty if none is spare. */
RtBuffer spares_take(Spares *spares);

/* Buffers above 64 MiB, and those for which there is no place, are freed. */
void spares_give(Spares *spares, RtBuffer buffer);

#endif
