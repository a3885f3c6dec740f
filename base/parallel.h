/* parallel.h: a loop whose pieces do not depend on one another, on several threads.
 *
 * Threads are made for the loop and end with it: some 20 us each, so a loop is worth it from about
 * a millisecond on.  Whoever waits sleeps: a machine that has other work to do loses nothing, which
 * is why this is not OpenMP, whose threads spin. */
#ifndef RASP_BASE_PARALLEL_H
#define RASP_BASE_PARALLEL_H

#include <stddef.h>

/* Piece `piece` of the loop, on thread `thread`: 0 (the caller's own) … threads − 1. */
typedef void ParallelWork(void *context, size_t piece, int thread);

/* Pieces 0 … count − 1, each once, handed out in order to whoever is free.  Signals are handled by
 * the caller's thread.  Where the system gives fewer threads, those do all of it. */
void parallel_for(size_t count, int threads, ParallelWork *work, void *context);

/* The same for many small elements, 0 … count − 1, handed out by the range. */
typedef void ParallelRange(void *context, size_t begin, size_t end);
void parallel_ranges(size_t count, int threads, ParallelRange *work, void *context);

/* Cores that this process may use, at least 1. */
int parallel_cores(void);

#endif
