/* Items 11 and 12: hard attention, and RASP's aggregate as its averaging kind. */
#include "lab/heads.h"

#include "api/rasp_check.h"
#include "lab/kernel.h"
#include "lab/programs.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

enum { N = 9 };

/* Scores with ties. */
static void tied_scores(Rng *rng, double *s) {
    for (size_t j = 0; j < N; j++) s[j] = (double)rng_below(rng, 4);
}

/* One-hot at the first or last maximum, by looking at every pair. */
static void brute_force(const double *s, bool left, double *a) {
    for (size_t j = 0; j < N; j++) {
        a[j] = 1;
        for (size_t k = 0; k < N; k++) {
            bool before = left ? k < j : k > j;
            if (s[k] > s[j] || (s[k] == s[j] && before)) a[j] = 0;
        }
    }
}

/* --- 11: leftmost and rightmost ------------------------------------------------------------------
 */

/* Softmax of s ∓ ε j at τ = 1e-3: a tie of two keys is broken by e^(ε/τ) = e^50. */
static double limit_error(const double *s, bool left, const double *a) {
    double t[N], b[N], epsilon = left ? -0.05 : 0.05;
    for (size_t j = 0; j < N; j++) t[j] = s[j] + epsilon * (double)j;
    softmax(t, N, 1e-3, b);
    return max_difference(a, b, N);
}

/* Is the first, is the last match of position i in the first half; are most of them? */
static bool expected_at(const char *input, size_t i, RaspRule rule) {
    size_t n = strlen(input), first = n, last = 0, early = 0, count = 0;
    for (size_t j = 0; j < n; j++) {
        if (input[j] != input[i]) continue;
        if (first == n) first = j;
        last = j;
        early += j < n / 2;
        count++;
    }
    if (rule == RASP_HARD_LEFT) return first < n / 2;
    if (rule == RASP_HARD_RIGHT) return last < n / 2;
    return 2 * early > count;
}

static const char program[] =
    "aggregate(select(tokens, tokens, ==), 1 if indices < 4 else 0) > 0.5";

/* Positions at which the model under a rule is not what the rule should give. */
static size_t program_errors(Lab *lab, Page *page, size_t *differ) {
    static const char input[] = "abcacbbb";
    static const RaspRule rules[] = {RASP_HARD_LEFT, RASP_HARD_RIGHT, RASP_AVERAGE};
    size_t n = strlen(input), wrong = 0;
    LabProgram p;
    if (!lab_compile(lab, page, NULL, program, "abc", 8, &p)) return 1;
    for (int r = 0; r < 3; r++) {
        RaspError error;
        RaspEngineOptions options = {.rule = rules[r], .threads = 1};
        RaspEngine *engine = rasp_engine_new(p.model, &options, NULL, &error);
        RaspInput text = {.text = input, .length = n};
        RaspForward *f = engine ? rasp_forward(engine, &text, &error) : NULL;
        for (size_t i = 0; i < n; i++) {
            bool expected = expected_at(input, i, rules[r]);
            wrong += !f || rasp_forward_reading(f, 0, i).value.as.b != expected;
            *differ += r == 0 && expected != expected_at(input, i, RASP_HARD_RIGHT);
        }
        rasp_forward_free(f);
        rasp_engine_free(engine);
    }
    return wrong;
}

void heads_hard_attention(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 500 : 5000, differ = 0;
    double worst = 0, worst_limit = 0;
    for (size_t c = 0; c < cases; c++) {
        double s[N], a[N], b[N];
        lab_poll(lab);
        tied_scores(lab->rng, s);
        for (int left = 0; left < 2; left++) {
            Kernel kernel = {.kind = left ? KERNEL_HARD_LEFT : KERNEL_HARD_RIGHT, .temperature = 1};
            kernel_weights(&kernel, s, N, a);
            brute_force(s, left, b);
            worst = fmax(worst, max_difference(a, b, N));
            worst_limit = fmax(worst_limit, limit_error(s, left, a));
        }
    }
    check_near(page, IDENTITY, "largest difference from the comparison of all pairs", worst, 0, 0);
    check_near(page, IDENTITY, "largest difference from softmax of s ∓ εj, τ small", worst_limit, 0,
               1e-12);
    check_none(page, "positions of a compiled program that are not what its rule gives",
               program_errors(lab, page, &differ));
    check_least(page, IDENTITY, "of its 8 positions, those where the two rules differ",
                (double)differ, 1);
    page_note(page,
              "The program is %s: with leftmost attention it says whether the first match is in "
              "the first half, with rightmost the last one, with averaging whether most are.",
              program);
}

/* --- 12: averaging
 * --------------------------------------------------------------------------------- */

static const struct {
    const char *expression, *alphabet;
} programs[] = {
    {"selector_width(select(tokens, tokens, ==))", "abc"},
    {"aggregate(select(tokens, tokens, ==), indices)", "abc"},
    {"aggregate(select(indices, indices, <=), 1 if tokens == \"a\" else 0)", "ab"},
    {"aggregate(select(indices, length - indices - 1, ==), tokens)", "abc"},
    {"sort(tokens, tokens)", "abc"},
    {"count(tokens, \"a\")", "abc"},
    {"shift(tokens, 1, \"-\")", "abc"},
    {"contains(tokens, \"b\")", "abc"},
    {"mark_last_instance(tokens, \"a\")", "abc"},
    {"average(tokens_int)", "012"},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

/* Every input up to that length, by averaging hard attention and by the interpreter. */
static size_t compare(Lab *lab, Page *page, PageTable *table, int k) {
    LabProgram p;
    RaspError error;
    uint32_t length = lab->quick ? 4 : 6;
    if (!lab_compile(lab, page, NULL, programs[k].expression, programs[k].alphabet, length, &p))
        return 1;
    RaspCheckOptions options = rasp_check_options();
    options.rule = RASP_AVERAGE;
    options.threads = lab->threads;
    RaspCheckReport *report = rasp_check(p.model, &options, &error);
    if (!report) {
        lab_poll(lab); /* what was interrupted did not fail */
        page_note(page, "%s: %s", programs[k].expression, error.text);
        return 1;
    }
    size_t wrong = report->compared - report->runs[0].agreed;
    table_text(table, programs[k].expression);
    table_count(table, report->compared);
    table_count(table, wrong);
    rasp_check_free(report);
    return wrong;
}

void heads_averaging(Lab *lab, Page *page) {
    const char *const columns[] = {"program", "inputs", "wrong", NULL};
    size_t cases = lab->quick ? 500 : 5000, wrong = 0;
    double worst = 0;
    for (size_t c = 0; c < cases; c++) {
        double s[N], a[N], b[N];
        tied_scores(lab->rng, s);
        kernel_weights(&(Kernel){.kind = KERNEL_AVERAGE, .temperature = 1}, s, N, a);
        softmax(s, N, 1e-2, b); /* a gap of 1: e^-100 */
        worst = fmax(worst, max_difference(a, b, N));
    }
    PageTable *table = page_table(page, "all inputs, averaging against the interpreter", columns);
    for (int k = 0; k < PROGRAMS; k++) {
        lab_progress(lab, (double)k / PROGRAMS);
        wrong += compare(lab, page, table, k);
    }
    check_none(page, "inputs on which averaging heads and the interpreter differ", wrong);
    check_near(page, IDENTITY, "largest difference from softmax, τ small", worst, 0, 1e-15);
}
