/* cache.h: the KV cache: keys and values of what was read, kept in pages, for models that never
 * look ahead.
 *
 * A position's keys and values, of all layers and heads, are a row; rows stand in pages of a pool,
 * and a sequence has a table that says which page holds its rows 0 .. page−1, and so on (block
 * table; arXiv:2309.06180). Any number of tokens may be pushed at once (prefill by chunks). A row
 * attends to its keys one after the other, by a running softmax, so results are the same bits
 * whatever the pages and chunks are. */
#ifndef RASP_LAB_CACHE_H
#define RASP_LAB_CACHE_H

#include "lab/matrix.h"
#include "runtime/model.h"

/* Softmax, heads masked causal or strict_causal, none scaled by the length. */
bool cache_fits(const Model *model);

/* `pages` pages of `page` rows; handed out in random order. The model must fit and outlive it. */
typedef struct CachePool CachePool;
CachePool *cache_pool_new(Arena *arena, const Model *model, size_t page, size_t pages, Rng *rng);

/* A sequence; several may share a pool. */
typedef struct Cache Cache;
Cache *cache_new(CachePool *pool);
/* Reads `count` more tokens; their rows of the residual stream behind the last layer to out[count,
 * W]. The pool must have pages for them (and one row for the sink). */
void cache_push(Cache *cache, const size_t *ids, size_t count, Matrix out);

#endif
