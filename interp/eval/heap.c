#include "interp/eval/heap.h"

#include <string.h>

struct Heap {
    Budget *budget;
    const HeapClass *classes;
    Cell *cells;
    Cell *gray;
    size_t live;  /* bytes in use */
    size_t fresh; /* bytes allocated since the last collection */
    bool stress;
};

Heap *heap_new(Budget *budget, const HeapClass *classes) {
    Heap *heap = budget_alloc(budget, sizeof *heap);
    *heap = (Heap){.budget = budget, .classes = classes};
    return heap;
}

Budget *heap_budget(const Heap *heap) {
    return heap->budget;
}

void *heap_alloc(Heap *heap, size_t size) {
    void *memory = memset(budget_alloc(heap->budget, size), 0, size);
    heap->live += size;
    heap->fresh += size;
    return memory;
}

void heap_release(Heap *heap, void *memory, size_t size) {
    if (!memory) return;
    heap->live -= size;
    budget_free(heap->budget, memory, size);
}

void *heap_cell(Heap *heap, CellKind kind, size_t size) {
    Cell *cell = heap_alloc(heap, size);
    cell->next = heap->cells;
    cell->size = size;
    cell->kind = (uint8_t)kind;
    heap->cells = cell;
    return cell;
}

/* Collect when as much is new as was alive, but not for a trifle; sooner when what the budget
 * still has is half gone, unless so much is alive that it would hardly pay. */
bool heap_is_due(const Heap *heap) {
    enum { TRIFLE = 8 << 20, LEAST = 64 << 10 };
    if (heap->stress) return true;
    if (heap->fresh < LEAST) return false;
    size_t old = heap->live > heap->fresh ? heap->live - heap->fresh : 0;
    if (heap->fresh >= (old > TRIFLE ? old : TRIFLE)) return true;
    size_t left = heap->budget->limit - heap->budget->used;
    return heap->fresh >= old / 8 && heap->fresh >= left / 2;
}

void heap_mark(Heap *heap, Cell *cell) {
    if (!cell || cell->marked) return;
    cell->marked = 1;
    cell->gray = heap->gray;
    heap->gray = cell;
}

static void free_cell(Heap *heap, Cell *cell) {
    if (heap->classes[cell->kind].drop) heap->classes[cell->kind].drop(heap, cell);
    heap_release(heap, cell, cell->size);
}

void heap_sweep(Heap *heap) {
    while (heap->gray) {
        Cell *cell = heap->gray;
        heap->gray = cell->gray;
        heap->classes[cell->kind].trace(heap, cell);
    }
    for (Cell **at = &heap->cells; *at;) {
        Cell *cell = *at;
        if (cell->marked) {
            cell->marked = 0;
            at = &cell->next;
        } else {
            *at = cell->next;
            free_cell(heap, cell);
        }
    }
    heap->fresh = 0;
}

void heap_free(Heap *heap) {
    if (!heap) return;
    heap_sweep(heap); /* nothing is marked */
    budget_free(heap->budget, heap, sizeof *heap);
}

void heap_stress(Heap *heap, bool on) {
    heap->stress = on;
}
