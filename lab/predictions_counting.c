/* Items 60 to 62: what counting needs: averages for a majority, two layers for a parity. */
#include "lab/predictions.h"

#include "lab/programs.h"
#include "lab/simplex.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static size_t ones(uint64_t word) {
    return (size_t)__builtin_popcountll(word);
}

/* --- 60: majority ----------------------------------------------------------------------------- */

/* Is more than half of the word 1? The model's last position says, for every word of n letters;
 * counts those where it does not. */
static size_t majority_errors(Lab *lab, RaspEngine *engine, size_t n) {
    size_t wrong = 0;
    char text[32];
    for (uint64_t word = 0; word < (uint64_t)1 << n; word++) {
        RaspError error;
        RaspInput input = {.text = text, .length = n};
        if (word % 256 == 0) lab_poll(lab);
        for (size_t i = 0; i < n; i++) text[i] = word >> i & 1 ? '1' : '0';
        RaspForward *f = rasp_forward(engine, &input, &error);
        wrong += !f || rasp_forward_reading(f, 0, n - 1).value.as.b != (2 * ones(word) > n);
        rasp_forward_free(f);
    }
    return wrong;
}

/* Unique hard attention on words of n letters: the head looks at one key, whose choice is a
 * priority over (letter, position), and the answer depends on that key and on the query, the last
 * letter; so for each last letter it is a decision list over letters at positions (lab §4.3). Rules
 * are taken while there are any: words that have the letter there and all one answer. Those left
 * over when none is can be told apart by no list. */
typedef struct Rule {
    size_t last, at, letter;
} Rule;

static bool applies(Rule rule, size_t n, size_t word) {
    return (word >> (n - 1) & 1) == rule.last && (word >> rule.at & 1) == rule.letter;
}

/* Takes the rule if its words have one answer; gives how many words that settles. */
static size_t take_rule(Rule rule, size_t n, bool *gone) {
    size_t count = (size_t)1 << n, seen[2] = {0};
    for (size_t w = 0; w < count; w++)
        if (!gone[w] && applies(rule, n, w)) seen[2 * ones(w) > n]++;
    if (seen[0] && seen[1]) return 0;
    for (size_t w = 0; w < count; w++) gone[w] |= applies(rule, n, w);
    return seen[0] + seen[1];
}

static size_t stuck_words(Lab *lab, size_t n) {
    size_t left = (size_t)1 << n, settled = 1;
    bool *gone = ARENA_ARRAY(lab->arena, left, bool);
    while (settled > 0) {
        settled = 0;
        for (size_t k = 0; k < 4 * n; k++)
            settled += take_rule((Rule){k % 2, k / 4, k / 2 % 2}, n, gone);
        left -= settled;
    }
    return left;
}

void predictions_majority(Lab *lab, Page *page) {
    size_t longest = lab->quick ? 9 : 16, wrong = 0, shortest = 0, passed = 0;
    LabProgram p;
    if (!lab_compile(lab, page, NULL, "aggregate(full_s, indicator(tokens == \"1\")) > 0.5", "01",
                     (uint32_t)longest, &p))
        return;
    RaspEngine *engine = lab_engine(lab, page, &p, RASP_SOFTMAX, 1);
    if (!engine) return;
    for (size_t n = 1; n <= longest; n++) {
        lab_progress(lab, (double)((size_t)1 << n) / (double)((size_t)2 << longest));
        wrong += majority_errors(lab, engine, n);
    }
    PageTable *table =
        page_table(page, "majority by one unique hard head",
                   (const char *const[]){"n", "words", "left when no rule applies", NULL});
    for (size_t n = 2; n <= 10; n++) {
        size_t stuck = stuck_words(lab, n);
        table_count(table, n);
        table_count(table, (size_t)1 << n);
        table_count(table, stuck);
        if (n < 4) shortest += stuck;
        passed += n >= 4 && stuck == 0;
    }
    check_none(
        page,
        arena_format(page->arena, "words of up to %zu letters that averaging gets wrong", longest),
        wrong);
    check_none(page, "lengths from 4 to 10 that a decision list can do", passed);
    check_none(page, "n = 2 and 3: words that a decision list leaves over", shortest);
}

/* --- 61: parity ------------------------------------------------------------------------------- */

static double relu(double x) {
    return fmax(x, 0);
}

/* The two-layer transformer on a word of N − 1 letters behind a CLS token at position 0. Layer 1: a
 * uniform head gives k/N; its sublayer 1[i = k]/N at position i. Layer 2: heads of CLS with scores
 * ±c (−1)^i. Output: odd head − even head; positive for an odd count. `scale`: log n or 1. */
static double parity_output(const unsigned char *letters, size_t n, double c) {
    enum { MOST = 1024 };
    double value[MOST], score[2][MOST], a[MOST], k = 0, out[2];
    for (size_t i = 1; i < n; i++) k += letters[i - 1];
    for (size_t i = 0; i < n; i++) {
        double share = k / (double)n, at = (double)i / (double)n, step = 1 / (double)n;
        value[i] = relu(share - at - step) - 2 * relu(share - at) + relu(share - at + step);
        score[0][i] = i & 1 ? c : -c; /* the odd head */
        score[1][i] = -score[0][i];
    }
    for (int h = 0; h < 2; h++) {
        softmax(score[h], n, 1, a);
        out[h] = dot(a, value, n);
    }
    return out[0] - out[1];
}

/* What it must be: E = ⌈N/2⌉ even positions, O = ⌊N/2⌋ odd ones. */
static double parity_law(size_t k, size_t n, double c) {
    double even = (double)((n + 1) / 2), odd = (double)(n / 2), up = exp(c), down = exp(-c);
    if (k % 2) return (up / (even * down + odd * up) - down / (even * up + odd * down)) / (double)n;
    return (down / (even * down + odd * up) - up / (even * up + odd * down)) / (double)n;
}

void predictions_parity(Lab *lab, Page *page) {
    enum { LONG = 6 };
    size_t longest = lab->quick ? 10 : 14, wrong = 0;
    const double c = 1;
    double worst = 0;
    for (size_t n = 2; n <= longest + 1; n++)
        for (uint64_t word = 0; word < (uint64_t)1 << (n - 1); word++) {
            unsigned char letters[32] = {0};
            if (word % 1024 == 0) lab_poll(lab);
            for (size_t i = 0; i + 1 < n; i++) letters[i] = (unsigned char)(word >> i & 1);
            double out = parity_output(letters, n, c), law = parity_law(ones(word), n, c);
            wrong += (out > 0) != (ones(word) % 2 == 1);
            worst = fmax(worst, fabs(out / law - 1));
        }
    double x[LONG], loss[LONG], margin[LONG];
    PageTable *table = page_table(
        page, "length and what is left of the margin",
        (const char *const[]){"N", "margin", "2 tanh(c)/N²", "cross-entropy, nats", NULL});
    for (size_t l = 0; l < LONG; l++) {
        size_t n = (size_t)8 << l; /* even */
        unsigned char letters[1024] = {1};
        x[l] = (double)n;
        margin[l] = fabs(parity_output(letters, n, c));
        loss[l] = log1p(exp(-margin[l]));
        table_count(table, n);
        table_number(table, margin[l], 4);
        table_number(table, 2 * tanh(c) / ((double)n * (double)n), 4);
        table_number(table, loss[l], 6);
    }
    check_none(page,
               arena_format(page->arena, "words of up to %zu letters with the wrong sign", longest),
               wrong);
    check_near(page, IDENTITY, "largest relative error of the closed form", worst, 0, 1e-9);
    check_near(page, IDENTITY, "N = 64: margin · N²/2 against tanh c", margin[3] * 64 * 64 / 2,
               tanh(c), 1e-9);
    check_near(page, MEASUREMENT, "cross-entropy at N = 256 against log 2", loss[LONG - 1], log(2),
               1e-3);
    Plot *plot = plot_new(page->arena, "parity: the margin falls like 1/N²", "N", "margin");
    plot->log_x = plot->log_y = true;
    plot_line(plot, "margin", x, margin, LONG);
    page_plot(page, plot);
}

/* --- 62: the first letter --------------------------------------------------------------------- */

/* Is the first of N − 1 letters behind CLS a 1? Sublayer 1: ReLU(1[x = 1] + 1[i = 1] − 1); layer 2:
 * CLS scores `score` at i = 1 and 0 elsewhere, value −½ 1[i = 1] + that. */
static double first_output(Lab *lab, size_t n, bool one, double score) {
    Arena *scratch = arena_child(lab->arena);
    double *a = ARENA_ARRAY(scratch, n, double), *value = ARENA_ARRAY(scratch, n, double);
    for (size_t i = 1; i < n; i++) {
        bool letter = i == 1 ? one : i % 3 == 0; /* the others do not matter */
        value[i] = relu((letter ? 1 : 0) + (i == 1 ? 1 : 0) - 1) - (i == 1 ? 0.5 : 0);
        a[i] = i == 1 ? score : 0;
    }
    softmax(a, n, 1, a);
    double out = dot(a, value, n);
    arena_free(scratch);
    return out;
}

void predictions_first(Lab *lab, Page *page) {
    static const size_t sizes[] = {3, 11, 101, 1001, 10001};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const double c = 2;
    double worst = 0, x[SIZES], plain[SIZES], scaled[SIZES];
    size_t wrong = 0;
    for (size_t k = 0; k < SIZES; k++) {
        double n = (double)sizes[k], lead = pow(n, c);
        x[k] = n;
        plain[k] = first_output(lab, sizes[k], true, c);
        scaled[k] = first_output(lab, sizes[k], true, c * log(n));
        wrong += !(plain[k] > 0) || !(first_output(lab, sizes[k], false, c) < 0);
        worst = fmax(worst, fabs(plain[k] / (0.5 * exp(c) / (exp(c) + n - 1)) - 1));
        worst = fmax(worst, fabs(scaled[k] / (0.5 * lead / (lead + n - 1)) - 1));
    }
    check_near(page, IDENTITY, "largest relative error of the closed forms", worst, 0, 1e-10);
    check_none(page, "answers with the wrong sign", wrong);
    check_near(page, IDENTITY, "N = 1001: margin", plain[3], 0.0037, 5e-5);
    check_near(page, IDENTITY, "N = 1001: margin with log n", scaled[3], 0.4995, 5e-5);
    Plot *plot = plot_new(page->arena, "FIRST: the margin by length", "N", "margin");
    plot->log_x = true;
    plot_line(plot, "plain", x, plain, SIZES);
    plot_line(plot, "scores times log n", x, scaled, SIZES);
    page_plot(page, plot);
}
