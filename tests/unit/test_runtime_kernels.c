/* Each kernel, in each kernel set this processor can run, against a plain loop in long double (or
 * against libm). Written once for both types: REAL_BITS and the names that depend on it. */
#include "runtime/forward.h"
#include "runtime/kernels.h"
#include "tests/unit/runtime_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { GUARD = 64 }; /* elements after an array that kernels may read but not mind */

#define REAL_BITS 32
#include "tests/unit/runtime_kernels_real.h"
#undef REAL_BITS
#define REAL_BITS 64
#include "tests/unit/runtime_kernels_real.h"

typedef void Check32(const Kernels32 *kernels);
typedef void Check64(const Kernels64 *kernels);

static void every_set(Check32 *f32, Check64 *f64) {
    size_t tried = 0;
    for (const char *const *name = rt_kernel_names; *name; name++) {
        const KernelSet *set = rt_kernels_find(*name);
        if (!set) continue;
        print_message("%s\n", *name);
        f32(set->f32);
        f64(set->f64);
        tried++;
    }
    assert_true(tried >= 1);
}

static void test_exp(void **state) {
    (void)state;
    every_set(check_exp32, check_exp64);
}

static void test_max(void **state) {
    (void)state;
    every_set(check_max32, check_max64);
}

static void test_scores(void **state) {
    (void)state;
    every_set(check_scores32, check_scores64);
}

static void test_mix(void **state) {
    (void)state;
    every_set(check_mix32, check_mix64);
}

static void test_abreast(void **state) {
    (void)state;
    every_set(check_abreast32, check_abreast64);
}

static void test_strip(void **state) {
    (void)state;
    every_set(check_strip32, check_strip64);
}

static void test_hash(void **state) {
    (void)state;
    every_set(check_hash32, check_hash64);
}

static void test_argmax(void **state) {
    (void)state;
    every_set(check_argmax32, check_argmax64);
}

static void test_products(void **state) {
    (void)state;
    every_set(check_products32, check_products64);
}

static void test_find(void **state) {
    (void)state;
    assert_non_null(rt_kernels_find(NULL));
    assert_non_null(rt_kernels_find("base"));
    assert_null(rt_kernels_find("nothing"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp),  cmocka_unit_test(test_max),      cmocka_unit_test(test_scores),
        cmocka_unit_test(test_mix),  cmocka_unit_test(test_abreast),  cmocka_unit_test(test_strip),
        cmocka_unit_test(test_hash), cmocka_unit_test(test_products), cmocka_unit_test(test_argmax),
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
