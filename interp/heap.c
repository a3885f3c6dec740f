#include "interp/heap.h"

#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SMALL 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SMALL 0
#endif
#endif
#ifndef SMALL
#define SMALL 512 /* bytes; larger pieces are blocks */
#endif

enum { GRAIN = 16, SIZES = 512 / GRAIN + 1 };

/* A freed small piece. */
typedef struct Free {
    struct Free *next;
} Free;

struct Heap {
    Arena *arena;
    const HeapClass *classes;
    Cell *cells;
    Cell *gray;
    Free *free[SIZES]; /* by size in grains */
    size_t live;       /* bytes in use */
    size_t fresh;      /* bytes allocated since the last collection */
    bool stress;
};

Heap *heap_new(Arena *arena, const HeapClass *classes) {
    Heap *heap = ARENA_NEW(arena, Heap);
    heap->arena = arena;
    heap->classes = classes;
    return heap;
}

Arena *heap_arena(const Heap *heap) {
    return heap->arena;
}

void *heap_alloc(Heap *heap, size_t size) {
    void *memory;
    size_t grains = (size + GRAIN - 1) / GRAIN;
    if (size > SMALL) {
        memory = arena_block(heap->arena, size, 1);
        memset(memory, 0, size);
    } else if (heap->free[grains]) {
        memory = heap->free[grains];
        heap->free[grains] = heap->free[grains]->next;
        memset(memory, 0, size);
    } else {
        memory = arena_alloc(heap->arena, grains * GRAIN);
    }
    heap->live += size;
    heap->fresh += size;
    return memory;
}

void heap_release(Heap *heap, void *memory, size_t size) {
    if (!memory) return;
    heap->live -= size;
    if (size > SMALL) {
        arena_release(heap->arena, memory);
        return;
    }
    size_t grains = (size + GRAIN - 1) / GRAIN;
    Free *piece = memory;
    piece->next = heap->free[grains];
    heap->free[grains] = piece;
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
    const Budget *budget = arena_budget(heap->arena);
    size_t old = heap->live > heap->fresh ? heap->live - heap->fresh : 0;
    if (heap->fresh >= (old > TRIFLE ? old : TRIFLE)) return true;
    return heap->fresh >= old / 8 && heap->fresh >= (budget->limit - budget->used) / 2;
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

void heap_stress(Heap *heap, bool on) {
    heap->stress = on;
}
