#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Under the address sanitizer what nobody asked for is out of bounds: the rest of a chunk, what
 * rounding up adds, and a gap behind each piece, so that a loop over one element too many is seen.
 * (Fuzz targets, which clang builds, copy whole chunks and go without.) */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#define FORBID(memory, size) ASAN_POISON_MEMORY_REGION(memory, size)
#define ALLOW(memory, size)  ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
enum { GAP = 0 };
#define FORBID(memory, size) ((void)0)
#define ALLOW(memory, size)  ((void)0)
#endif

enum { ALIGN = 16, CHUNK_MIN = 1 << 13, CHUNK_MAX = 1 << 20 };

/* A chunk's or block's header; the data follows, aligned. */
typedef struct Piece {
    struct Piece *next, *prev;
    size_t size; /* header included */
} Piece;

#define HEADER ((sizeof(Piece) + ALIGN - 1) / ALIGN * ALIGN)

struct Arena {
    Budget *budget;
    Piece *chunks;
    Piece *blocks;
    Arena *parent, *children, *next, *prev; /* next, prev: among the parent's children */
    char *at, *end;                         /* the free part of the newest chunk */
    size_t chunk_size;
    size_t charged; /* bytes that are somebody else's */
};

Arena *arena_new(Budget *budget) {
    Arena *arena = budget_alloc(budget, sizeof *arena);
    *arena = (Arena){.budget = budget, .chunk_size = CHUNK_MIN};
    return arena;
}

Arena *arena_child(Arena *parent) {
    Arena *arena = arena_new(parent->budget);
    arena->parent = parent;
    arena->next = parent->children;
    if (arena->next) arena->next->prev = arena;
    parent->children = arena;
    return arena;
}

static void unlink_child(Arena *arena) {
    if (!arena->parent) return;
    if (arena->prev)
        arena->prev->next = arena->next;
    else
        arena->parent->children = arena->next;
    if (arena->next) arena->next->prev = arena->prev;
}

static void free_pieces(Budget *budget, Piece *piece) {
    while (piece) {
        Piece *next = piece->next;
        budget_free(budget, piece, piece->size);
        piece = next;
    }
}

void arena_free(Arena *arena) {
    if (!arena) return;
    unlink_child(arena);
    while (arena->children) arena_free(arena->children);
    free_pieces(arena->budget, arena->chunks);
    free_pieces(arena->budget, arena->blocks);
    budget_refund(arena->budget, arena->charged);
    budget_free(arena->budget, arena, sizeof *arena);
}

void arena_charge(Arena *arena, size_t bytes) {
    budget_charge(arena->budget, bytes);
    arena->charged += bytes;
}

Budget *arena_budget(const Arena *arena) {
    return arena->budget;
}

static Piece *push_piece(Arena *arena, Piece **list, size_t size) {
    if (size > SIZE_MAX / 2) {
        arena->budget->wanted = size;
        budget_stop(arena->budget, BUDGET_OUT_OF_MEMORY);
    }
    Piece *piece = budget_alloc(arena->budget, HEADER + size);
    *piece = (Piece){.next = *list, .size = HEADER + size};
    if (*list) (*list)->prev = piece;
    *list = piece;
    return piece;
}

static void *piece_data(Piece *piece) {
    return (char *)piece + HEADER;
}

void *arena_alloc(Arena *arena, size_t size) {
    if (size > CHUNK_MAX / 4)
        return memset(piece_data(push_piece(arena, &arena->blocks, size)), 0, size);
    size_t taken = size ? (size + ALIGN - 1) / ALIGN * ALIGN + GAP : ALIGN;
    if (taken > (size_t)(arena->end - arena->at)) {
        while (arena->chunk_size < taken) arena->chunk_size *= 2;
        arena->at = piece_data(push_piece(arena, &arena->chunks, arena->chunk_size));
        arena->end = arena->at + arena->chunk_size;
        FORBID(arena->at, arena->chunk_size);
        if (arena->chunk_size < CHUNK_MAX) arena->chunk_size *= 2;
    }
    void *memory = arena->at;
    arena->at += taken;
    ALLOW(memory, size);
    return memset(memory, 0, size);
}

static size_t product(Arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        arena->budget->wanted = SIZE_MAX;
        budget_stop(arena->budget, BUDGET_OUT_OF_MEMORY);
    }
    return bytes;
}

void *arena_array(Arena *arena, size_t count, size_t size) {
    return arena_alloc(arena, product(arena, count, size));
}

char *arena_text(Arena *arena, const char *text, size_t length) {
    char *copy = arena_alloc(arena, length + 1);
    if (length) memcpy(copy, text, length);
    return copy;
}

char *arena_format(Arena *arena, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = arena_alloc(arena, length < 0 ? 1 : (size_t)length + 1);
    if (length > 0) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void *arena_grow(Arena *arena, void *array, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return array;
    size_t larger = *capacity ? *capacity * 2 : 8;
    if (larger < need) larger = need;
    void *copy = arena_array(arena, larger, size);
    if (*capacity) memcpy(copy, array, *capacity * size);
    *capacity = larger;
    return copy;
}

void *arena_block(Arena *arena, size_t count, size_t size) {
    return piece_data(push_piece(arena, &arena->blocks, product(arena, count, size)));
}

void arena_release(Arena *arena, void *block) {
    if (!block) return;
    Piece *piece = (Piece *)(void *)((char *)block - HEADER);
    if (piece->prev)
        piece->prev->next = piece->next;
    else
        arena->blocks = piece->next;
    if (piece->next) piece->next->prev = piece->prev;
    budget_free(arena->budget, piece, piece->size);
}

void *arena_grow_block(Arena *arena, void *block, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return block;
    size_t larger = *capacity ? *capacity * 2 : 8;
    if (larger < need) larger = need;
    void *copy = arena_block(arena, larger, size);
    if (*capacity) memcpy(copy, block, *capacity * size);
    arena_release(arena, block);
    *capacity = larger;
    return copy;
}
