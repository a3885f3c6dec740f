/* The index by hash against a search entry by entry, with hashes that collide. */
#include "base/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 3000 };

typedef struct Numbers {
    uint32_t number[MOST];
    uint32_t count;
    uint32_t spread; /* how many hashes there are */
    Table table;
} Numbers;

static uint64_t hash_of(const Numbers *n, uint32_t number) {
    return number % n->spread * 0x9e3779b97f4a7c15u >> 7;
}

static uint64_t entry_hash(const void *entries, uint32_t k) {
    const Numbers *n = entries;
    return hash_of(n, n->number[k]);
}

static size_t find(const Numbers *n, uint32_t number) {
    size_t at = table_start(&n->table, hash_of(n, number));
    for (uint32_t k; (k = table_entry(&n->table, at)) != TABLE_NONE; at = table_next(&n->table, at))
        if (n->number[k] == number) break;
    return at;
}

static uint32_t search(const Numbers *n, uint32_t number) {
    for (uint32_t k = 0; k < n->count; k++)
        if (n->number[k] == number) return k;
    return TABLE_NONE;
}

static void add(Numbers *n, Arena *arena, uint32_t number) {
    if (table_full(&n->table, n->count)) table_grow(&n->table, arena, n->count, entry_hash, n);
    size_t at = find(n, number);
    assert_int_equal(table_entry(&n->table, at), search(n, number));
    if (table_entry(&n->table, at) != TABLE_NONE) return;
    n->number[n->count] = number;
    table_put(&n->table, at, n->count++);
}

static void fill(Arena *arena, uint32_t spread, size_t room) {
    static Numbers numbers;
    uint64_t state = spread;
    numbers = (Numbers){.spread = spread};
    if (room) numbers.table = table_new(arena, room);
    for (int k = 0; k < MOST; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        add(&numbers, arena, (uint32_t)(state >> 40) % MOST);
    }
    assert_true(2 * numbers.count <= numbers.table.size);
    for (uint32_t number = 0; number < MOST; number++)
        assert_int_equal(table_entry(&numbers.table, find(&numbers, number)),
                         search(&numbers, number));
    table_free(&numbers.table, arena);
}

static void test_against_search(void **state) {
    (void)state;
    Budget budget;
    BudgetGuard guard;
    budget_init(&budget, BUDGET_DEFAULT_LIMIT);
    assert_true(BUDGET_ENTER(&budget, &guard));
    Arena *arena = arena_new(&budget);
    static const uint32_t spreads[] = {1, 7, 1000, UINT32_MAX};
    for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++) {
        fill(arena, spreads[k], 0);
        fill(arena, spreads[k], MOST);
    }
    arena_free(arena);
    budget_leave(&budget, &guard);
}

static void test_size(void **state) {
    (void)state;
    assert_int_equal(table_size(0), 4);
    assert_int_equal(table_size(2), 4);
    assert_int_equal(table_size(3), 8);
    assert_int_equal(table_size(128), 256);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_search),
                                       cmocka_unit_test(test_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
