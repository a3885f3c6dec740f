/* Loops on several threads: each piece once, by a thread of its own number, whatever the counts. */
#include "base/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { MOST = 1000 };

typedef struct Seen {
    atomic_int times[MOST];
    atomic_int on[300]; /* threads within a piece now: never two of one number */
    atomic_bool shared, wrong_thread;
    int threads;
} Seen;

static void see(void *context, size_t piece, int thread) {
    Seen *seen = context;
    if (thread < 0 || thread >= seen->threads) {
        atomic_store(&seen->wrong_thread, true);
        return;
    }
    if (atomic_fetch_add(&seen->on[thread], 1) != 0) atomic_store(&seen->shared, true);
    atomic_fetch_add(&seen->times[piece], 1);
    atomic_fetch_sub(&seen->on[thread], 1);
}

static void expect_each_once(size_t count, int threads) {
    Seen *seen = calloc(1, sizeof *seen);
    assert_non_null(seen);
    seen->threads = threads > 1 ? threads : 1;
    parallel_for(count, threads, see, seen);
    for (size_t k = 0; k < MOST; k++) assert_int_equal(seen->times[k], k < count);
    assert_false(seen->shared);
    assert_false(seen->wrong_thread);
    free(seen);
}

static void test_pieces(void **state) {
    static const size_t counts[] = {0, 1, 2, 3, 7, MOST};
    static const int threads[] = {-1, 0, 1, 2, 3, 8, 300};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
            expect_each_once(counts[c], threads[t]);
}

/* The system gives no thread: the caller does it all. */
static void test_no_threads(void **state) {
    struct rlimit before, few;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NPROC, &before), 0);
    few = (struct rlimit){0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NPROC, &few), 0);
    expect_each_once(MOST, 8);
    assert_int_equal(setrlimit(RLIMIT_NPROC, &before), 0);
}

static void mark(void *context, size_t begin, size_t end) {
    unsigned char *marks = context;
    for (size_t i = begin; i < end; i++) marks[i]++;
}

static void test_ranges(void **state) {
    static const size_t counts[] = {0, 1, 16383, 16384, 16385, 100000};
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int threads = 1; threads <= 3; threads++) {
            unsigned char *marks = calloc(counts[c] + 1, 1);
            assert_non_null(marks);
            parallel_ranges(counts[c], threads, mark, marks);
            for (size_t i = 0; i <= counts[c]; i++) assert_int_equal(marks[i], i < counts[c]);
            free(marks);
        }
}

static void test_cores(void **state) {
    (void)state;
    assert_true(parallel_cores() >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_no_threads),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
