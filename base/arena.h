/* arena.h: memory that dies together.
 *
 * An Arena hands out memory from chunks and frees all of it at once.  Owners: one arena a
 * session (sources, syntax trees, graph, values), one a run (columns), one a compilation.
 * Allocation never returns NULL: the arena's Budget jumps to its guard instead (budget.h).
 *
 * Blocks are large pieces that may also be released early (columns after their last
 * reader); what is not released dies with the arena.
 */
#ifndef RASP_BASE_ARENA_H
#define RASP_BASE_ARENA_H

#include "base/budget.h"

#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(Budget *budget);
/* An arena that dies with its parent, if not freed before: scratch memory that a budget's
 * jump does not leak. */
Arena *arena_child(Arena *parent);
void arena_free(Arena *arena); /* NULL is fine */
Budget *arena_budget(const Arena *arena);

/* Zeroed, aligned for any type. */
void *arena_alloc(Arena *arena, size_t size);
/* `count` elements of `size` bytes, the product checked; zeroed. */
void *arena_array(Arena *arena, size_t count, size_t size);
/* A copy of `length` bytes with a NUL behind it. */
char *arena_text(Arena *arena, const char *text, size_t length);
/* printf into the arena. */
char *arena_format(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A growing array: returns `array` or a copy with room for at least `need` elements, new
 * elements zeroed; *capacity is updated.  The old copy stays in the arena (at most as much
 * again). */
void *arena_grow(Arena *arena, void *array, size_t *capacity, size_t need, size_t size);

/* Uninitialised; may be released before the arena dies. */
void *arena_block(Arena *arena, size_t count, size_t size);
void arena_release(Arena *arena, void *block); /* NULL is fine */

/* The same of a block, or of nothing; the old one is released, and new elements are uninitialised.
 */
void *arena_grow_block(Arena *arena, void *block, size_t *capacity, size_t need, size_t size);

/* Counts bytes that somebody else allocates as if they stood here, until the arena dies. */
void arena_charge(Arena *arena, size_t bytes);

#define ARENA_NEW(arena, Type)          ((Type *)arena_alloc(arena, sizeof(Type)))
#define ARENA_ARRAY(arena, count, Type) ((Type *)arena_array(arena, count, sizeof(Type)))
#define ARENA_BLOCK(arena, count, Type) ((Type *)arena_block(arena, count, sizeof(Type)))

#endif
