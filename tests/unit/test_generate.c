/* Random programs for people (generate/, rasp_generate.h): the same for a seed, of the depth that
 * was asked for, and no step of them idle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "api/rasp_generate.h"
#include "base/budget.h"
#include "generate/sketch.h"

enum { SEEDS = 12 };

/* --- sketches --------------------------------------------------------------------------- */

/* A name as a word of the text, behind `from`. */
static bool is_read(const char *from, const char *name, size_t length) {
    static const char word[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    for (const char *at = from; (at = strstr(at, name)); at++)
        if (strncmp(at, name, length) == 0 && !strchr(word, at[length]) && !strchr(word, at[-1]))
            return true;
    return false;
}

/* One statement a line, each name once, and read by a later one; the last is the result. */
static void check_text(const Sketch *s) {
    uint32_t lines = 0;
    for (const char *line = s->text; *line; line = strchr(line, '\n') + 1, lines++) {
        const char *equals = strstr(line, " = "), *end = strchr(line, '\n');
        assert_non_null(equals);
        assert_true(equals < end && end[-1] == ';');
        char name[64] = "";
        size_t length = (size_t)(equals - line);
        assert_true(length < sizeof name);
        memcpy(name, line, length);
        if (end[1])
            assert_true(is_read(end, name, length));
        else
            assert_string_equal(name, "result");
    }
    assert_int_equal(lines, s->steps);
}

static void test_sketches(void **state) {
    (void)state;
    static const char *const letters[] = {"a", "b", "(", "$1"}, *const digits[] = {"0", "12"};
    Budget budget;
    BudgetGuard guard;
    volatile size_t drawn = 0;
    budget_init(&budget, 0);
    assert_true(BUDGET_ENTER(&budget, &guard));
    for (uint32_t k = 0; k < 4000; k++) {
        SketchPlan plan = {.layers = 1 + k % 5, .steps = 8 + k % 20};
        plan.tokens = k % 2 ? letters : digits;
        plan.token_count = k % 2 ? 1 + k / 2 % 4 : 2;
        plan.closed = k % 3;
        plan.digits = !(k % 2);
        Arena *arena = arena_new(&budget);
        Random random = {k};
        Sketch sketch;
        if (sketch_draw(&plan, &random, arena, &sketch)) {
            drawn++;
            check_text(&sketch);
            assert_int_equal(sketch.layers, plan.layers);
            assert_true(sketch.heads >= plan.layers && sketch.steps <= plan.steps);
        }
        arena_free(arena);
    }
    budget_leave(&budget, &guard);
    assert_true(drawn > 400);
}

/* --- programs --------------------------------------------------------------------------- */

/* Runs it on a text; the values, which live with the run. */
static const RaspSequence *run_on(RaspProgram *p, const RaspSop *sop, const char *text,
                                  RaspRun **run) {
    RaspError error;
    RaspInput input = {.text = text, .length = strlen(text), .form = RASP_AS_STRING};
    *run = rasp_run_new(p, &input, sop, 1, NULL, &error);
    assert_non_null(*run);
    return rasp_run_sequence(*run, 0, &error);
}

/* It runs on inputs longer than those it was tried on. */
static void check_program(const char *text, uint32_t layers, uint32_t heads) {
    RaspError error;
    RaspSop sop;
    RaspRun *run;
    RaspSource source = {.text = text, .length = strlen(text)};
    RaspProgram *p = rasp_program_load(&source, NULL, &error);
    assert_non_null(p);
    assert_true(rasp_program_sop(p, NULL, &sop, &error));
    assert_string_equal(sop.name, "result");
    const RaspLayers *found = rasp_program_layers(p, &sop, &error);
    assert_int_equal(found->count, layers);
    assert_int_equal(found->head_count, heads);
    assert_non_null(run_on(p, &sop, "abcdabcddcbaabcd", &run));
    rasp_run_free(run);
    rasp_program_free(p);
}

static void test_programs(void **state) {
    (void)state;
    RaspError error;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        RaspRandomOptions options = {.seed = seed, .layers = 1 + (uint32_t)seed % 3};
        RaspRandomInfo info, again;
        char *text = rasp_random_program(&options, NULL, &info, &error);
        char *same = rasp_random_program(&options, NULL, &again, &error);
        assert_non_null(text);
        assert_string_equal(text, same);
        assert_memory_equal(&info, &again, sizeof info);
        assert_int_equal(info.layers, options.layers);
        check_program(text, info.layers, info.heads);
        rasp_free(text);
        rasp_free(same);
    }
}

/* Ctrl-C, memory, wrong options: an error and no program. */
static void test_failures(void **state) {
    (void)state;
    static const volatile sig_atomic_t cancelled = 1;
    RaspConfig stopped = {.cancel = &cancelled}, poor = {.memory = 100000};
    RaspRandomOptions usual = {.seed = 1}, heads = {.layers = 4, .heads = 3}, deep = {.layers = 99};
    RaspRandomOptions alphabet = {.target = {.alphabet = "aa"}};
    static const RaspAtom quote[] = {{.kind = RASP_STRING, .as.s = {"\"", 1}}};
    RaspRandomOptions unsayable = {.target = {.tokens = quote, .token_count = 1}};
    const struct {
        RaspRandomOptions *options;
        RaspConfig *config;
        RaspStatus status;
    } cases[] = {{&usual, &stopped, RASP_CANCELLED}, {&usual, &poor, RASP_OUT_OF_MEMORY},
                 {&heads, NULL, RASP_WRONG_USE},     {&deep, NULL, RASP_WRONG_USE},
                 {&alphabet, NULL, RASP_WRONG_USE},  {&unsayable, NULL, RASP_WRONG_USE}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        RaspError error = {0};
        assert_null(rasp_random_program(cases[k].options, cases[k].config, NULL, &error));
        assert_int_equal(error.status, cases[k].status);
        assert_true(*error.text != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sketches),
                                       cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
