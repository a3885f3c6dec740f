/* lab_fixture.h: an arena for tests of the lab's tools, and numbers to fill it with.  Without a
 * guard: running out of memory aborts the test. */
#ifndef RASP_TESTS_LAB_FIXTURE_H
#define RASP_TESTS_LAB_FIXTURE_H

#include "base/arena.h"
#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static Budget budget;
static Arena *arena;

/* A test's or a group's setup and teardown. */
static int open_arena(void **state) {
    (void)state;
    budget_init(&budget, BUDGET_DEFAULT_LIMIT);
    arena = arena_new(&budget);
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    arena_free(arena);
    return 0;
}

/* Uniform in [-1, 1), which is symmetric. */
static inline double draw(Random *random) {
    return (double)(random_bits(random) >> 11) * 0x1p-52 - 1;
}

#endif
