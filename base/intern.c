#include "base/intern.h"

#include "base/utf8.h"

#include <string.h>

/* Open addressing: a table of pointers is a third of the size of chained buckets, and
 * inputs of a million tokens look up a million strings. */
struct Intern {
    Arena *arena;
    const Str **slot;
    size_t count, capacity; /* capacity: a power of two */
    const Str *ascii[128];  /* one-character strings, the common tokens */
};

Intern *intern_new(Arena *arena) {
    Intern *table = ARENA_NEW(arena, Intern);
    table->arena = arena;
    table->capacity = 256;
    table->slot = ARENA_ARRAY(arena, table->capacity, const Str *);
    return table;
}

Arena *intern_arena(const Intern *table) {
    return table->arena;
}

/* Programs make strings of any length: the clock is looked at as often as for short ones. */
enum { POLL_EVERY = 1 << 16 };

/* FNV-1a, 32 bits. */
static uint32_t hash_bytes(Budget *budget, const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t k = 0; k < length; k++) {
        hash = (hash ^ (unsigned char)text[k]) * 16777619u;
        if (k % POLL_EVERY == POLL_EVERY - 1) budget_poll(budget);
    }
    return hash;
}

static void enlarge(Intern *table) {
    size_t capacity = table->capacity * 2;
    const Str **slot = ARENA_ARRAY(table->arena, capacity, const Str *);
    for (size_t k = 0; k < table->capacity; k++) {
        const Str *s = table->slot[k];
        if (!s) continue;
        size_t at = s->hash & (capacity - 1);
        while (slot[at]) at = (at + 1) & (capacity - 1);
        slot[at] = s;
    }
    table->slot = slot;
    table->capacity = capacity;
}

static const Str *intern_slow(Intern *table, const char *text, size_t length) {
    if (table->count * 2 >= table->capacity) enlarge(table);
    uint32_t hash = hash_bytes(arena_budget(table->arena), text, length);
    size_t at = hash & (table->capacity - 1);
    for (const Str *s; (s = table->slot[at]); at = (at + 1) & (table->capacity - 1))
        if (s->hash == hash && s->length == length && memcmp(s->text, text, length) == 0) return s;
    if (length > UINT32_MAX) {
        arena_budget(table->arena)->wanted = length;
        budget_stop(arena_budget(table->arena), BUDGET_OUT_OF_MEMORY);
    }
    Str *s = arena_alloc(table->arena, sizeof *s + length + 1);
    s->length = (uint32_t)length;
    s->chars = (uint32_t)utf8_count(text, length);
    s->hash = hash;
    if (length) memcpy(s->text, text, length);
    table->slot[at] = s;
    table->count++;
    return s;
}

const Str *intern(Intern *table, const char *text, size_t length) {
    if (length != 1 || (unsigned char)text[0] >= 128) return intern_slow(table, text, length);
    const Str **cached = &table->ascii[(unsigned char)text[0]];
    if (!*cached) *cached = intern_slow(table, text, length);
    return *cached;
}

void intern_ascii(Intern *table, const char *text, size_t length, const Str **to) {
    for (size_t k = 0; k < length; k++) {
        const Str *cached = table->ascii[(unsigned char)text[k]];
        to[k] = cached ? cached : intern(table, text + k, 1);
    }
}

const Str *intern_text(Intern *table, const char *text) {
    return intern(table, text, strlen(text));
}

int str_compare(const Str *a, const Str *b) {
    if (a == b) return 0;
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->text, b->text, shorter);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}
