/* parallel.h: pieces of a measurement that do not depend on one another, on several threads. */
#ifndef RASP_LAB_PARALLEL_H
#define RASP_LAB_PARALLEL_H

#include "lab/item.h"

/* Calls work(context, k, arena) for k = 0 .. count−1 on lab->threads threads. Each call gets a
 * scratch arena that dies with it, and may write to places of its own in `context`; it allocates
 * from nothing else. Ctrl-C and the memory limit end the measurement as they do elsewhere. Progress
 * is told as going from `from` to `to`. */
void lab_parallel(Lab *lab, size_t count, void (*work)(void *context, size_t k, Arena *arena),
                  void *context, double from, double to);

#endif
