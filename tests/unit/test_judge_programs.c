/* The judge of claims on every bundled and recorded program, as compiled by default. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "api/program.h"
#include "compile/prove/judge.h"

#ifdef __SANITIZE_ADDRESS__
enum { LONGEST = 5, EACH = 6 };
#else
enum { LONGEST = 16, EACH = 1 };
#endif
enum { RECORDED_LENGTH = 9 };

/* NULL: it does not compile for that alphabet. */
static RaspModel *compile(const char *path, const char *alphabet, uint32_t length,
                          RaspProgram **program) {
    RaspError error = {0};
    RaspSource source = {.path = path};
    RaspTarget target = {.alphabet = alphabet, .max_length = length};
    RaspSop sop;
    *program = rasp_program_load(&source, NULL, &error);
    if (!*program || !rasp_program_sop(*program, NULL, &sop, &error))
        fail_msg("%s: %s", path, error.text);
    RaspModel *model = rasp_compile(*program, &sop, 1, &target, &error);
    if (!model) rasp_program_free(*program);
    return model;
}

static bool proved(RaspModel *m, RaspProgram *program, char text[800]) {
    const Compiled *compiled = &m->compiled;
    Budget *budget = arena_budget(compiled->arena);
    Verdict verdict = {.holds = false};
    BudgetGuard guard;
    snprintf(text, 800, "out of memory");
    if (!BUDGET_ENTER(budget, &guard)) return false;
    Arena *arena = arena_child(compiled->arena);
    bool holds =
        judge_claims(compiled->circuit, session_graph(program->session), VALUES_BY_DOMAIN,
                     m->target.record.options.table_limit, compiled->model, arena, &verdict);
    snprintf(text, 800, "%s%s", verdict.refused, verdict.certificate.broken);
    arena_free(arena);
    budget_leave(budget, &guard);
    return holds;
}

/* The length that the program's comment says, or less. */
static uint32_t length_of(const char *path) {
    RaspError error = {0};
    RaspSource source = {.path = path};
    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    const char *key, *value;
    uint32_t length = 16;
    if (!program) fail_msg("%s: %s", path, error.text);
    for (size_t k = 0; rasp_program_setting(program, k, &key, &value); k++)
        if (strcmp(key, "max-length") == 0) length = (uint32_t)strtoul(value, NULL, 10);
    rasp_program_free(program);
    return length < LONGEST ? length : LONGEST;
}

/* Alphabets are tried in turn until the program compiles; NULL: its comment's, or letters. */
static size_t prove_all(const char *pattern, uint32_t length, const char *const *alphabets,
                        size_t count) {
    glob_t files;
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    size_t done = 0;
    for (size_t k = 0; k < files.gl_pathc; k += EACH) {
        const char *path = files.gl_pathv[k];
        RaspProgram *program;
        RaspModel *model = NULL;
        char text[800];
        for (size_t a = 0; a < count && !model; a++)
            model = compile(path, alphabets[a], length ? length : length_of(path), &program);
        if (!model) fail_msg("%s does not compile", path);
        if (!proved(model, program, text)) fail_msg("%s: %s", path, text);
        rasp_model_free(model);
        rasp_program_free(program);
        done++;
    }
    globfree(&files);
    return done;
}

static void test_bundled(void **state) {
    (void)state;
    static const char *const own[] = {NULL};
    size_t done = prove_all("programs/*/*.rasp", 0, own, 1);
    print_message("%zu bundled programs proved\n", done);
    assert_true(done * EACH >= 95);
}

static void test_traps(void **state) {
    (void)state;
    static const char *const own[] = {NULL};
    assert_true(prove_all("tests/compile/traps/*.rasp", 0, own, 1) * EACH >= 30);
}

static void test_recorded(void **state) {
    (void)state;
    static const char *const some[] = {"[\"J\", \"LB\", \"no\", \"oCLrZaW\"]",
                                       "[1, 2, 3, 4, 5]",
                                       "[0.0, 0.25, 1.0]",
                                       "[\"a\", \"b\", \"c\"]",
                                       "[\"(\", \")\", \"a\"]",
                                       "[\"0\", \"1\", \"10\"]"};
    size_t done = prove_all("tests/compile/vectors/*.rasp", RECORDED_LENGTH, some,
                            sizeof some / sizeof *some);
    print_message("%zu recorded programs proved\n", done);
    assert_true(done * EACH >= 35);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundled),
        cmocka_unit_test(test_traps),
        cmocka_unit_test(test_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
