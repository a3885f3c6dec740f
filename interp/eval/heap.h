/* heap.h: memory of values: lists, dicts, functions, scopes, s-op objects.
 *
 * Loops make garbage by the million, so that the session's arena will not do.  The
 * heap marks and sweeps.  It never collects by itself: the evaluator calls heap_collect at
 * its safe points (the end of a loop's turn, the begin of a call), where everything alive is
 * reachable from its value stack, its scopes and its calls.  Between two safe points, plain
 * C variables may hold values.
 *
 * Each cell is an allocation of its own, charged to the budget, so that memory once freed
 * can serve for anything, and so that AddressSanitizer finds a value used after its death.
 */
#ifndef RASP_INTERP_EVAL_HEAP_H
#define RASP_INTERP_EVAL_HEAP_H

#include "base/budget.h"

#include <stdint.h>

typedef enum CellKind { CELL_LIST, CELL_DICT, CELL_FUNCTION, CELL_OBJECT, CELL_SCOPE } CellKind;

/* The head of everything in the heap. */
typedef struct Cell {
    struct Cell *next; /* all cells */
    struct Cell *gray; /* marked, its references not yet followed */
    size_t size;       /* bytes, this head included */
    uint8_t kind, marked;
} Cell;

typedef struct Heap Heap;

/* Follows the references of a marked cell with heap_mark; and gives back memory that the
 * cell owns besides itself (heap_release). */
typedef struct HeapClass {
    void (*trace)(Heap *heap, Cell *cell);
    void (*drop)(Heap *heap, Cell *cell); /* may be NULL */
} HeapClass;

/* `classes` by CellKind. */
Heap *heap_new(Budget *budget, const HeapClass *classes);
void heap_free(Heap *heap); /* and all cells; NULL is fine */
Budget *heap_budget(const Heap *heap);

/* A zeroed cell of `size` bytes, or memory that a cell owns. */
void *heap_cell(Heap *heap, CellKind kind, size_t size);
void *heap_alloc(Heap *heap, size_t size);
void heap_release(Heap *heap, void *memory, size_t size);

/* Is it time to collect?  (So much has been allocated since the last time as was alive
 * then.) */
bool heap_is_due(const Heap *heap);
void heap_mark(Heap *heap, Cell *cell); /* NULL is fine */
void heap_sweep(Heap *heap);            /* follows what is marked, frees the rest */

/* Tests: collect at every safe point. */
void heap_stress(Heap *heap, bool on);

#endif
