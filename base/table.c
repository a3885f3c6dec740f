#include "base/table.h"

#include <string.h>

Table table_new(Arena *arena, size_t count) {
    Table table = {.size = table_size(count)};
    table.slots = ARENA_BLOCK(arena, table.size, uint32_t);
    memset(table.slots, 0, table.size * sizeof *table.slots);
    return table;
}

void table_free(Table *table, Arena *arena) {
    arena_release(arena, table->slots);
    *table = (Table){0};
}

void table_fill(Table *table, size_t count, TableHash *hash, const void *entries) {
    memset(table->slots, 0, table->size * sizeof *table->slots);
    for (uint32_t k = 0; k < count; k++) {
        size_t at = table_start(table, hash(entries, k));
        while (table_entry(table, at) != TABLE_NONE) at = table_next(table, at);
        table_put(table, at, k);
    }
}

void table_grow(Table *table, Arena *arena, size_t count, TableHash *hash, const void *entries) {
    Table larger = table_new(arena, table->size);
    table_fill(&larger, count, hash, entries);
    table_free(table, arena);
    *table = larger;
}
