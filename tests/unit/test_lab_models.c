/* The lab's trained models: gradients against central differences, closed forms, counts by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lab/denoise.h"
#include "lab/lab.h"
#include "lab/ngram.h"
#include "lab/parallel.h"
#include "lab/simplex.h"
#include "lab/text.h"
#include "lab/vote_weights.h"
#include "runtime/forward.h"
#include "runtime/safetensors.h"

/* Every test measures inside of a notebook, which has the arenas and the guard. */
static void measure_by(bool keep, Measurement *measurement, void *context) {
    Budget budget;
    budget_init(&budget, BUDGET_DEFAULT_LIMIT);
    Notebook *notebook =
        notebook_new(&budget, &(NotebookOptions){.seed = 1, .threads = 2, .keep = keep});
    const Outcome *o = notebook_run(notebook, "test", measurement, context);
    assert_int_equal(o->ending, ENDED);
    assert_true(outcome_holds(o));
    notebook_free(notebook);
}

static void measure(Measurement *measurement, void *context) {
    measure_by(true, measurement, context);
}

/* --- the vote model --------------------------------------------------------------------------- */

enum { SYMBOLS = 5, CONTEXT = 7, HEADS = 2, SEQUENCES = 6 };

/* The loss at one position, from the definition. */
static double position_loss(const VoteModel *m, const size_t *x, size_t i) {
    double z[SYMBOLS];
    for (size_t y = 0; y < SYMBOLS; y++) z[y] = vote_model_direct(m)[x[i] * SYMBOLS + y];
    for (size_t h = 0; h < m->heads; h++) {
        double total = 0, part[SYMBOLS] = {0};
        for (size_t j = 0; j <= i; j++) {
            double e = exp(vote_model_scores(m, h)[x[i] * SYMBOLS + x[j]] +
                           vote_model_distances(m, h)[i - j]);
            total += e;
            for (size_t y = 0; y < SYMBOLS; y++)
                part[y] += e * vote_model_votes(m, h)[x[j] * SYMBOLS + y];
        }
        for (size_t y = 0; y < SYMBOLS; y++) z[y] += part[y] / total;
    }
    return log_sum_exp(z, SYMBOLS) - z[x[i + 1]];
}

static double loss(const VoteModel *m, const size_t *tokens) {
    double sum = 0;
    for (size_t s = 0; s < SEQUENCES; s++)
        for (size_t i = 0; i < CONTEXT; i++) sum += position_loss(m, tokens + s * (CONTEXT + 1), i);
    return sum / (SEQUENCES * CONTEXT);
}

static void vote_gradient(Lab *lab, Page *page, void *context) {
    (void)context;
    VoteModel m = vote_model_new(lab->arena, lab->rng, SYMBOLS, CONTEXT, HEADS);
    size_t size = vote_model_size(SYMBOLS, CONTEXT, HEADS), tokens[SEQUENCES * (CONTEXT + 1)];
    rng_normals(lab->rng, m.parameters, size, 0.7);
    for (size_t k = 0; k < SEQUENCES * (CONTEXT + 1); k++) tokens[k] = rng_below(lab->rng, SYMBOLS);
    double *gradient = ARENA_ARRAY(lab->arena, size, double), worst = 0;
    VoteTrainer *trainer = vote_trainer_new(lab, &m, SEQUENCES);
    double value = vote_trainer_gradient(trainer, &(VoteBatch){SEQUENCES, tokens}, gradient);
    check_near(page, IDENTITY, "loss", value, loss(&m, tokens), 1e-12);
    for (size_t k = 0; k < size; k++) {
        double kept = m.parameters[k], step = 1e-5, above;
        m.parameters[k] = kept + step;
        above = loss(&m, tokens);
        m.parameters[k] = kept - step;
        worst = fmax(worst, fabs((above - loss(&m, tokens)) / (2 * step) - gradient[k]));
        m.parameters[k] = kept;
    }
    check_near(page, IDENTITY, "gradient", worst, 0, 1e-8);
    /* As votes: the same logits at every position, with and without a null vote. */
    for (size_t i = 0; i < CONTEXT; i++)
        for (int null_vote = 0; null_vote < 2; null_vote++) {
            ModelVotes v = vote_model_at(&m, tokens, i, null_vote, lab->arena);
            double z[SYMBOLS], law[SYMBOLS] = {0};
            votes_logits(&v.votes, v.weights, z);
            law[tokens[i + 1]] = 1;
            double sum = cross_entropy(law, z, SYMBOLS);
            check_near(page, IDENTITY, "votes", sum, position_loss(&m, tokens, i), 1e-12);
        }
}

static void test_vote_model(void **state) {
    (void)state;
    measure(vote_gradient, NULL);
}

/* Tokens of the built-in text, from anywhere. */
static void draw_text(void *context, Rng *rng, size_t length, size_t *tokens) {
    const Text *text = context;
    size_t at = rng_below(rng, text->length - length);
    for (size_t k = 0; k < length; k++) tokens[k] = text->symbols[at + k];
}

/* The runtime's logits of n tokens against the model's own: the largest difference. */
static double engine_difference(const Engine *engine, const VoteModel *m, const size_t *tokens,
                                size_t n, Arena *scratch) {
    RunResult result;
    RtError err;
    double worst = 0, z[TEXT_SYMBOLS];
    assert_true(engine_run(engine, tokens, n, &result, &err));
    assert_int_equal(result.raw_size, m->symbols);
    for (size_t i = 0; i < n; i++) {
        ModelVotes v = vote_model_at(m, tokens, i, false, scratch);
        votes_logits(&v.votes, v.weights, z);
        worst = fmax(worst, max_difference(z, result.raw + i * m->symbols, m->symbols));
    }
    run_result_clear(&result);
    return worst;
}

/* A model trained as item 73 does in its quick form, kept, and loaded from what was kept. */
static void vote_file(Lab *lab, Page *page, void *context) {
    const char *alphabet = context;
    enum { LONGEST = 64 };
    Text text = text_excerpt(lab->arena);
    VoteModel m = vote_model_new(lab->arena, lab->rng, TEXT_SYMBOLS, LONGEST, 4);
    vote_model_train(lab, &m, &(VoteTraining){60, 8, vote_training.rate},
                     &(TokenSource){draw_text, &text}, lab->rng, 0, 1);
    vote_weights_keep(lab, page, &m, alphabet, "kept");
    if (!lab->keep) assert_null(page->weights);
    if (!lab->keep) return;
    assert_non_null(page->weights);
    assert_string_equal(page->weights->name, "kept");
    RtError err;
    Model *model = model_load_bytes(page->weights->bytes, page->weights->size, &err);
    assert_non_null(model);
    RunOptions options = run_options();
    options.keep_raw = true;
    Engine *engine = engine_new(model, &options, &err);
    assert_non_null(engine);
    for (size_t k = 0; k < 10; k++) {
        size_t tokens[LONGEST], n = k ? 1 + rng_below(lab->rng, LONGEST) : LONGEST, id;
        draw_text(&text, lab->rng, n, tokens);
        check_near(page, IDENTITY, "logits", engine_difference(engine, &m, tokens, n, lab->arena),
                   0, 1e-12);
        RtAtom token = alphabet ? rt_string(alphabet + tokens[0], 1) : rt_int((int64_t)tokens[0]);
        assert_true(rt_token_id(engine, &token, &id, &err) && id == tokens[0]);
    }
    engine_free(engine);
    model_free(model);
}

static void test_vote_file(void **state) {
    (void)state;
    measure(vote_file, (void *)text_alphabet);
    measure(vote_file, NULL);
    measure_by(false, vote_file, NULL); /* nobody wants the file: nothing is kept */
}

/* --- the denoising head ----------------------------------------------------------------------- */

static void denoise_slopes(Lab *lab, Page *page, void *context) {
    const DenoiseTask *task = context;
    const Kernel softmax_kernel = {KERNEL_SOFTMAX, 1, 0, 0};
    enum { N = 9, MATRIX = DENOISE_WIDTH * DENOISE_WIDTH };
    DenoiseHead head, gradient = {{0}, {0}};
    Precedents p = precedents_new(lab->arena, task, N);
    DenoisePass pass = denoise_pass_new(lab->arena, N);
    rng_normals(lab->rng, head.score, MATRIX, 0.3);
    rng_normals(lab->rng, head.output, MATRIX, 0.3);
    precedents_draw(task, lab->rng, N, 3, &p);
    denoise_run(task, &head, &p, &softmax_kernel, 1, &pass);
    denoise_gradient(task, &head, &p, &pass, &gradient);
    double worst = 0, step = 1e-5;
    double *parameters[] = {head.score, head.output}, *slopes[] = {gradient.score, gradient.output};
    for (size_t q = 0; q < 2; q++)
        for (size_t k = 0; k < MATRIX; k++) {
            double kept = parameters[q][k], above;
            parameters[q][k] = kept + step;
            denoise_run(task, &head, &p, &softmax_kernel, 1, &pass);
            above = pass.loss;
            parameters[q][k] = kept - step;
            denoise_run(task, &head, &p, &softmax_kernel, 1, &pass);
            worst = fmax(worst, fabs((above - pass.loss) / (2 * step) - slopes[q][k]));
            parameters[q][k] = kept;
        }
    check_near(page, IDENTITY, "gradient", worst, 0, 1e-7);
}

/* The best mass is a minimum of the loss that the closed form is made from. */
static void test_best_mass(void **state) {
    (void)state;
    static const double ps[] = {0.5, 0.8, 1, 1.2};
    for (size_t k = 0; k < 4; k++)
        for (size_t m = 1; m <= 16; m *= 2) {
            double p = ps[k], noise = 0.25, n = 64, found = 0, least = INFINITY;
            for (int step = 0; step <= 10000; step++) {
                double a = step / 1e4;
                double f = pow(p * a - 1, 2) + p * p * noise * a * a / (double)m +
                           p * p * (1 - a) * (1 - a) * (1 + noise) / (n - (double)m);
                if (f < least) least = f, found = a;
            }
            assert_true(fabs(denoise_best_mass(&denoise_tagged, p, 64, m) - found) < 2e-4);
        }
    /* b → ∞: only exact collisions of tags are left, 2^−16 of them. */
    assert_true(fabs(denoise_law_mass(&denoise_tagged, 50, 64, 1) - 1 / (1 + 63 * 0x1p-16)) <
                1e-12);
    assert_true(fabs(denoise_law_mass(&denoise_tagged, 0, 64, 4) - 4.0 / 64) < 1e-12);
}

static void test_denoise(void **state) {
    (void)state;
    measure(denoise_slopes, (void *)&denoise_tagged);
    measure(denoise_slopes, (void *)&denoise_untagged);
}

/* --- text ------------------------------------------------------------------------------------- */

static void ngrams_by_hand(Lab *lab, Page *page, void *context) {
    (void)context;
    static const char raw[] = "Ab_  \xe2\x80\x9c"
                              "a\xff\n\nB\xe2\x80\x9d";
    Text t = text_normalise(raw, sizeof raw - 1, lab->arena);
    char shown[32] = "";
    for (size_t k = 0; k < t.length; k++) shown[k] = text_alphabet[t.symbols[k]];
    check_none(page, "normalised", strcmp(shown, "ab \"a b\"") != 0);
    /* "abab": a twice, b twice; a is always followed by b, b once by a. */
    Text text = text_normalise("abab", 4, lab->arena);
    Ngrams n = ngrams_count(&text, 1, lab->arena);
    double law[TEXT_SYMBOLS], zero = 1.0 / TEXT_SYMBOLS;
    ngrams_law(&n, text.symbols, 0, law);
    double a = (2 + 2 * zero) / (4 + 2), other = 2 * zero / (4 + 2);
    check_near(page, IDENTITY, "p_0(a)", law[1], a, 1e-15);
    check_near(page, IDENTITY, "p_0(z)", law[26], other, 1e-15);
    ngrams_law(&n, text.symbols, 1, law); /* behind "a": c = 2, u = 1 */
    check_near(page, IDENTITY, "p(b | a)", law[2], (2 + a) / 3, 1e-15);
    check_near(page, IDENTITY, "sum", sum_of(law, TEXT_SYMBOLS), 1, 1e-15);
    /* Behind "ab": order 1 has c = 1, u = 1 for b; order 2 the same; both say a. */
    ngrams_law(&n, text.symbols, 2, law);
    double first = (1 + a) / 2;
    check_near(page, IDENTITY, "p(a | ab)", law[1], (1 + first) / 2, 1e-15);
    Text excerpt = text_excerpt(lab->arena);
    check_least(page, IDENTITY, "excerpt", (double)excerpt.length, 90000);
}

static void test_text(void **state) {
    (void)state;
    measure(ngrams_by_hand, NULL);
    Budget budget;
    budget_init(&budget, BUDGET_DEFAULT_LIMIT);
    Arena *arena = arena_new(&budget);
    Corpus corpus;
    char reason[256];
    assert_false(corpus_read("no-such-folder", &corpus, reason, sizeof reason, arena));
    assert_non_null(strstr(reason, "no-such-folder/pride.txt"));
    assert_non_null(strstr(reason, "lab/corpus no-such-folder"));
    arena_free(arena);
}

/* --- threads ---------------------------------------------------------------------------------- */

static void square(void *context, size_t k, Arena *arena) {
    size_t *room = ARENA_ARRAY(arena, 1000, size_t);
    room[999] = k;
    ((size_t *)context)[k] = room[999] * room[999];
}

static void in_parallel(Lab *lab, Page *page, void *context) {
    size_t *squares = context, wrong = 0;
    lab_parallel(lab, 200, square, squares, 0, 1);
    for (size_t k = 0; k < 200; k++) wrong += squares[k] != k * k;
    check_none(page, "squares", wrong);
}

static void greedy(void *context, size_t k, Arena *arena) {
    (void)context;
    ARENA_ARRAY(arena, k == 100 ? (size_t)1 << 40 : 10, double);
}

static void too_much(Lab *lab, Page *page, void *context) {
    check_none(page, "before", 0);
    lab_parallel(lab, 200, greedy, context, 0, 1);
    check_none(page, "after", 1);
}

static void test_parallel(void **state) {
    (void)state;
    size_t squares[200] = {0};
    measure(in_parallel, squares);
    Budget budget;
    budget_init(&budget, (size_t)64 << 20);
    Notebook *notebook = notebook_new(&budget, &(NotebookOptions){.seed = 1, .threads = 2});
    const Outcome *o = notebook_run(notebook, "test", too_much, NULL);
    assert_int_equal(o->ending, OUT_OF_MEMORY);
    assert_int_equal(page_check_count(o->page), 1);
    notebook_free(notebook);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vote_model), cmocka_unit_test(test_vote_file),
        cmocka_unit_test(test_best_mass),  cmocka_unit_test(test_denoise),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_parallel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
