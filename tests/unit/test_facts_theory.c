/* Which fragments known programs lie in, as the theory has it; and that a program of one layer
 * shown to be of a class is one that a decision of that class (express/) finds possible.
 * Runs in the project's root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "api/rasp_facts.h"
#include "express/decide.h"
#include "tests/unit/random_program.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 150 };
#else
enum { PROGRAMS = 1000 };
#endif
#define COUNT(array) (sizeof(array) / sizeof *(array))

static RaspProgram *load(const char *path, const char *text, RaspSop *sop) {
    RaspError error;
    RaspSource source = {.path = path, .text = text, .length = text ? strlen(text) : 0};
    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    if (!program || !rasp_program_sop(program, NULL, sop, &error)) fail_msg("%s", error.text);
    return program;
}

/* --- the table ----------------------------------------------------------------------------- */

/* u unique, c causal, m looks nowhere ahead, s strictly back, k constants alone; positions by the
 * first letter of their word; then the depth in C-RASP, - for none. */
static void describe(const RaspFacts *f, char *text, size_t size) {
    snprintf(text, size, "%s%s%s%s%s %c ", f->unique ? "u" : "", f->causal ? "c" : "",
             f->reach.after ? "" : "m", f->reach.after || f->reach.here ? "" : "s",
             f->constants ? "k" : "", rasp_positions_name((int)f->positions)[0]);
    size_t length = strlen(text);
    if (f->counting)
        snprintf(text + length, size - length, "%u", f->counting_depth);
    else
        snprintf(text + length, size - length, "-");
}

static const struct Known {
    const char *program, *expected, *why;
} known[] = {
    /* 2204.06618: neither is in AC0, so no unique hard attention does it */
    {"histogram", " u 1", "counts equal tokens, by cases of the token"},
    {"majority", "k u 1", "a mean compared with a half"},
    {"length", "k u 1", ""},
    /* 2404.04393: Dyck-1 is depth 2; balances are sums of counts */
    {"dyck", "cmk m 2", "no prefix below 0"},
    {"pair-balance", "cmk m 1", ""},
    {"shuffle-dyck", "cmk m 2", ""},
    {"frac-prevs", "cmk m 1", ""},
    /* parity is not in C-RASP, nor in first-order logic */
    {"parity", "k u -", "a remainder of a count"},
    {"tomita-5", "k u -", "two of them"},
    {"running-parity", "cmk m -", ""},
    {"cycle-navigation", "cmk m -", ""},
    /* one position retrieved; the position before is no count (2503.14615) */
    {"shift", "ucms d -", "the token three back"},
    {"has-seen", "ucms m 1", "is there an equal token before?"},
    {"tomita-1", "uk u 1", "no 0 anywhere"},
    {"subsequence", "uk m 2", "an a, behind it a b, behind it a c"},
    {"all-different", "u m 2", ""},
    {"first", "ucmk n 2", "a position is a count"},
    {"reverse", " n -", "the last position is the length"},
    {"sort", " n -", ""},
    {"induction", " d -", "the latest of equal tokens by its number"},
    {"induction-first", "u d -", ""},
    {"k-hop-2", " n -", ""},
    {"caesar", "ucmsk u 0", "no attention at all"},
};

static void test_known(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(known); k++) {
        char pattern[128], text[64];
        glob_t found;
        RaspSop sop;
        RaspFacts facts;
        RaspError error;
        snprintf(pattern, sizeof pattern, "programs/*/%s.rasp", known[k].program);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        RaspProgram *program = load(found.gl_pathv[0], NULL, &sop);
        if (!rasp_program_facts(program, &sop, NULL, &facts, &error)) fail_msg("%s", error.text);
        describe(&facts, text, sizeof text);
        if (strcmp(text, known[k].expected) != 0)
            fail_msg("%s (%s): expected '%s', found '%s'", known[k].program, known[k].why,
                     known[k].expected, text);
        rasp_program_free(program);
        globfree(&found);
    }
}

/* Programs that differ in one thing. */
static const struct Known written[] = {
    {"x = selector_width(select(tokens, \"a\", ==));", "k u 1", "counts"},
    {"x = selector_width(select(tokens, \"a\", ==)) > 0;", "uk u 1", "is there one?"},
    {"x = selector_width(select(tokens, \"a\", ==)) > 1;", "k u 1", "are there two?"},
    {"x = selector_width(select(tokens, \"a\", ==) and select(indices, indices, <)) == 0;",
     "ucmsk m 1", "strictly back"},
    {"x = selector_width(select(tokens, \"a\", ==) and not select(indices, indices, >)) == 0;",
     "ucmk m 1", "back and here"},
    {"x = selector_width(select(tokens, \"a\", ==) and select(indices, indices, !=)) == 0;",
     "uk m 1", "elsewhere"},
    {"x = aggregate(select(1, 1, ==), indicator(tokens == \"a\")) == 1;", "uk u 1", "only a"},
    {"x = aggregate(select(1, 1, ==), indicator(tokens == \"a\")) > 0;", "uk u 1", "some a"},
    {"x = aggregate(select(1, 1, ==), indicator(tokens == \"a\")) > 0.5;", "k u 1", "most"},
    {"x = aggregate(select(1, 1, ==), indicator(tokens == \"a\"));", "k u 1", "the share"},
    {"x = aggregate(select(tokens, tokens, ==), indicator(tokens == \"a\"));", "u u 1",
     "the token, by way of others"},
    {"x = selector_width(select(indices, indices, <));", "cmsk m 1", "the position, counted"},
    {"x = indices;", "ucmsk n 1", "the position"},
    {"x = indices % 2;", "ucmsk n -", "parity of the position"},
    {"x = aggregate(select(indices, indices - 1, ==), tokens, \"-\");", "ucms d -", "one back"},
    {"x = aggregate(select(indices, indices + 1, ==), tokens, \"-\");", "u d -", "one ahead"},
    {"x = aggregate(select(indices, 0, ==), tokens);", "ucmk n 2", "the first"},
    {"x = aggregate(select(indices, indices, ==), indices) == indices;", "ucmk o -",
     "a count is moved"},
    {"n = selector_width(select(tokens, \"a\", ==)); x = n * n > 4;", "k u -", "a square"},
    {"n = selector_width(select(tokens, \"a\", ==)); x = 3 * n - 4 > n;", "k u 1", "linear"},
    {"n = selector_width(select(tokens, \"a\", ==)); x = selector_width(select(n, n, ==));", " u -",
     "counts compared with counts"},
    {"n = selector_width(select(tokens, \"a\", ==)); x = selector_width(select(n, 2, <));", "k u 2",
     "counts compared with a constant"},
    {"n = selector_width(select(tokens, \"a\", ==)); x = selector_width(select(tokens, \"a\" if n "
     "> 2 "
     "else \"b\", ==));",
     " u 1", "the query's count stays outside"},
};

static void test_written(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(written); k++) {
        char text[64];
        RaspSop sop;
        RaspFacts facts;
        RaspError error;
        RaspTarget target = {.alphabet = "abc", .max_length = 6};
        RaspProgram *program = load("written", written[k].program, &sop);
        if (!rasp_program_facts(program, &sop, &target, &facts, &error)) fail_msg("%s", error.text);
        describe(&facts, text, sizeof text);
        if (strcmp(text, written[k].expected) != 0)
            fail_msg("%s (%s): expected '%s', found '%s'", written[k].program, written[k].why,
                     written[k].expected, text);
        rasp_program_free(program);
    }
}

/* --- decisions ----------------------------------------------------------------------------- */

/* With as many heads and values as the text shows, a layer of the class does it. */
static void possible(RaspProgram *program, const RaspSop *sop, const RaspFacts *facts,
                     uint32_t longest, Query query) {
    Budget budget;
    BudgetGuard guard;
    RaspError error;
    budget_init(&budget, (size_t)1 << 30);
    if (!BUDGET_ENTER(&budget, &guard)) fail_msg("out of memory");
    Arena *arena = arena_new(&budget);
    Limits limits = {.budget = &budget};
    Task *task = task_of_program(arena, program, sop, NULL, facts->alphabet,
                                 (uint32_t)facts->alphabet_size, -1, false);
    Decider *decider = decider_new(arena, task, &query, longest, &limits);
    for (uint32_t n = 1; n <= longest; n++) {
        Verdict verdict;
        if (!decider_next(decider, 0, &verdict, &error)) fail_msg("%s", error.text);
        if (verdict.answer != ANSWER_YES)
            fail_msg("%s: no layer of class %d with %u heads at N = %u", sop->name, query.kind,
                     query.most, n);
    }
    decider_free(decider);
    arena_free(arena);
    budget_leave(&budget, &guard);
}

static void check_classes(RaspProgram *program, const RaspSop *sop, const RaspFacts *facts,
                          uint32_t longest, size_t checked[3]) {
    if (facts->average_values && facts->average_heads <= 3 && facts->average_values <= 4) {
        Query average = {CLASS_AVERAGE, facts->average_heads, facts->average_values, 1, false, 1};
        possible(program, sop, facts, longest, average);
        checked[0]++;
    }
    if (facts->unique && facts->unique_heads <= 3) {
        possible(program, sop, facts, longest,
                 (Query){CLASS_UNIQUE, facts->unique_heads, 1, 1, false, 1});
        checked[1]++;
    }
    if (facts->positions <= RASP_POSITIONS_MASKS) {
        possible(program, sop, facts, longest, (Query){CLASS_NO_POSITIONS, 1, 1, 1, false, 1});
        checked[2]++;
    }
}

static void test_decisions(void **state) {
    (void)state;
    size_t checked[3] = {0};
    glob_t found;
    assert_int_equal(glob("programs/*/*.rasp", 0, NULL, &found), 0);
    for (size_t k = 0; k < found.gl_pathc; k++) {
        RaspSop sop;
        RaspFacts facts;
        RaspError error;
        RaspProgram *program = load(found.gl_pathv[k], NULL, &sop);
        const RaspLayers *layers = rasp_program_layers(program, &sop, &error);
        assert_non_null(layers);
        const char *key, *value;
        bool plain = layers->count == 1;
        for (size_t s = 0; rasp_program_setting(program, s, &key, &value); s++)
            plain &= strcmp(key, "where") != 0 && strcmp(key, "first") != 0;
        if (plain && rasp_program_facts(program, &sop, NULL, &facts, &error)) {
            RaspTarget few = {.tokens = facts.alphabet,
                              .token_count = facts.alphabet_size < 2 ? facts.alphabet_size : 2,
                              .max_length = 4};
            if (rasp_program_facts(program, &sop, &few, &facts, &error))
                check_classes(program, &sop, &facts, 4, checked);
        }
        rasp_program_free(program);
    }
    globfree(&found);
    print_message("average %zu, unique %zu, masks %zu\n", checked[0], checked[1], checked[2]);
    assert_true(checked[0] > 8 && checked[1] > 4 && checked[2] > 4);
}

/* Random programs of one layer. */
static void test_random(void **state) {
    (void)state;
    static RandomProgram random;
    static char text[PROGRAM_TEXT], alphabet[256];
    Chooser chooser = {.random = {1}};
    size_t checked[3] = {0};
    for (int k = 0; k < PROGRAMS; k++) {
        RaspSop sop;
        RaspFacts facts;
        RaspError error;
        random_program(&random, &chooser, 0);
        if (random.where >= 0 || !program_text(&random, text, sizeof text)) continue;
        RaspSource source = {.path = "random", .text = text, .length = strlen(text)};
        RaspProgram *program = rasp_program_load(&source, &(RaspConfig){.cpu_seconds = 20}, &error);
        RaspTarget target = {.alphabet = alphabet_text(&random.alphabet, alphabet, sizeof alphabet),
                             .max_length = 3,
                             .table_limit = 512};
        if (program && rasp_program_sop(program, NULL, &sop, &error) &&
            rasp_program_facts(program, &sop, &target, &facts, &error) && facts.layers == 1)
            check_classes(program, &sop, &facts, 3, checked);
        rasp_program_free(program);
    }
    print_message("average %zu, unique %zu, masks %zu\n", checked[0], checked[1], checked[2]);
    assert_true(checked[0] > 10 && checked[1] > 10 && checked[2] > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_written),
                                       cmocka_unit_test(test_decisions),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
