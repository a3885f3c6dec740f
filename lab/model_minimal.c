/* Items 21 and 26: the minimal model as a formula and as compiled programs; select and aggregate,
 * and the bound on their error. */
#include "lab/model.h"

#include "api/rasp_check.h"
#include "api/rasp_facts.h"
#include "lab/drawn.h"
#include "lab/kernel.h"
#include "lab/programs.h"
#include "lab/simplex.h"
#include "lab/spelling.h"

#include <math.h>
#include <string.h>

/* --- 21: the minimal model -------------------------------------------------------------------- */

static Matrix weights_of(const Tensor *t) {
    return (Matrix){t->rows, t->cols, t->data};
}

/* sum += Σ_{j≤i} a_ij v(h_j), i = 0 .. n−1, the weights by any kernel. */
static void add_head(Arena *arena, const ModelHead *head, const Kernel *kernel, Matrix h,
                     Matrix sum) {
    Matrix q = matrix_product(arena, h, weights_of(&head->query));
    Matrix k = matrix_product(arena, h, weights_of(&head->key));
    Matrix v = matrix_product(arena, matrix_product(arena, h, weights_of(&head->value)),
                              weights_of(&head->output));
    double *s = ARENA_ARRAY(arena, h.rows, double), *a = ARENA_ARRAY(arena, h.rows, double);
    for (size_t i = 0; i < h.rows; i++) {
        for (size_t j = 0; j <= i; j++) s[j] = dot(matrix_row(q, i), matrix_row(k, j), q.cols);
        kernel_weights(kernel, s, i + 1, a);
        for (size_t j = 0; j <= i; j++)
            for (size_t c = 0; c < h.cols; c++) *matrix_at(sum, i, c) += a[j] * *matrix_at(v, j, c);
    }
}

/* m(z) = ReLU(z in + b) out + c, added to each row. */
static Matrix add_sublayer(Arena *arena, const ModelMlp *mlp, Matrix h) {
    Matrix hidden = matrix_product(arena, h, weights_of(&mlp->in));
    for (size_t k = 0; k < hidden.rows * hidden.cols; k++)
        hidden.x[k] = fmax(hidden.x[k] + mlp->in_bias.data[k % hidden.cols], 0);
    Matrix out = matrix_sum(arena, h, 1, matrix_product(arena, hidden, weights_of(&mlp->out)));
    for (size_t k = 0; k < out.rows * out.cols; k++) out.x[k] += mlp->out_bias.data[k % out.cols];
    return out;
}

static Matrix by_formula(Arena *arena, const Model *model, const Kernel *kernel, const size_t *ids,
                         size_t n) {
    Matrix h = matrix_new(arena, n, model->width);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < model->width; c++)
            *matrix_at(h, i, c) =
                tensor_get(&model->tokens, ids[i] + 1, c) + tensor_get(&model->positions, i + 1, c);
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        Matrix sum = matrix_copy(arena, h);
        for (size_t k = 0; k < layer->head_count; k++)
            add_head(arena, layer->heads[k], kernel, h, sum);
        h = sum;
        for (size_t k = 0; k < layer->mlp_count; k++) h = add_sublayer(arena, layer->mlps[k], h);
    }
    return h;
}

static const struct {
    RtRule rule;
    KernelKind kernel;
} sigmas[] = {
    {RT_SOFTMAX, KERNEL_SOFTMAX},       {RT_HARD_LEFT, KERNEL_HARD_LEFT},
    {RT_HARD_RIGHT, KERNEL_HARD_RIGHT}, {RT_AVERAGE, KERNEL_AVERAGE},
    {RT_SPARSEMAX, KERNEL_SPARSEMAX},   {RT_ENTMAX15, KERNEL_ENTMAX15},
};
enum { SIGMAS = sizeof sigmas / sizeof *sigmas };

static void compare_formula(Lab *lab, Page *page) {
    enum { N = 12 };
    size_t cases = lab->quick ? 5 : 40;
    Shape shape = {12, 3, 4, 2, 2, 16, 6, N, RT_MASK_CAUSAL, RT_F64, true};
    PageTable *table =
        page_table(page, "two random layers, the engine against the formula",
                   (const char *const[]){"weights by", "largest relative error", NULL});
    double worst[SIGMAS] = {0}, all = 0;
    for (size_t c = 0; c < cases; c++) {
        Model *model = draw_model(lab, page, &shape);
        size_t ids[N];
        if (!model) return;
        draw_ids(lab->rng, ids, N, shape.tokens);
        for (size_t s = 0; s < SIGMAS; s++) {
            lab_poll(lab);
            RunOptions options = run_options();
            Kernel kernel = {.kind = sigmas[s].kernel, .temperature = 1};
            options.rule = sigmas[s].rule;
            Engine *engine = make_engine(lab, page, model, &options);
            Matrix found = run_engine(lab, page, engine, ids, N, shape.width);
            Matrix h = by_formula(lab->arena, model, &kernel, ids, N);
            double size = fmax(1, matrix_norm(h) / sqrt((double)(h.rows * h.cols)));
            worst[s] = fmax(worst[s], matrix_difference(found, h) / size);
        }
    }
    for (size_t s = 0; s < SIGMAS; s++) {
        all = fmax(all, worst[s]);
        table_text(table, kernel_infos[sigmas[s].kernel].name);
        table_number(table, worst[s], 2);
    }
    check_near(page, IDENTITY, "random layers: largest relative error, engine − formula", all, 0,
               1e-12);
}

static const struct {
    const char *source, *expression, *alphabet;
} programs[] = {
    {NULL, "selector_width(select(tokens, tokens, ==))", "abc"},
    {NULL, "aggregate(select(indices, length - indices - 1, ==), tokens)", "abc"},
    {NULL, "sort(tokens, tokens)", "abc"},
    {NULL, "aggregate(select(indices, indices - 1, ==), tokens, \"-\")", "abc"},
    {NULL, "aggregate(select(indices, indices, <=), 1 if tokens == \"a\" else 0)", "abc"},
    {"hist = selector_width(select(tokens, tokens, ==));\n",
     "selector_width(select(hist, hist, ==) and select(indices, indices, <=))", "abc"},
    {"next = shift(tokens, -1, \"-\");\n"
     "nth = selector_width(select(tokens, tokens, ==) and select(indices, indices, <=));\n",
     "aggregate(select(tokens, tokens, ==) and select(nth, nth - 1, ==), next, \"-\")", "abc"},
};
enum { PROGRAMS = sizeof programs / sizeof *programs, LONGEST = 14 };

/* Words that a model and the interpreter disagree on: all of up to `exhaustive` letters and `more`
 * longer ones. */
static size_t wrong_words(Lab *lab, const LabProgram *p, RaspEngine *engine, const char *alphabet,
                          size_t exhaustive, size_t more, size_t *words) {
    char word[LONGEST + 1];
    size_t wrong = 0;
    for (size_t n = 1; n <= exhaustive; n++)
        for (size_t code = 0; code < spell_count(alphabet, n); code++, ++*words) {
            if (code % 64 == 0) lab_poll(lab);
            spell(alphabet, code, n, word);
            wrong += lab_word_errors(p, engine, word) > 0;
        }
    for (size_t k = 0; k < more; k++, ++*words) {
        if (k % 64 == 0) lab_poll(lab);
        spell_random(alphabet, lab->rng, exhaustive + 1 + rng_below(lab->rng, LONGEST - exhaustive),
                     word);
        wrong += lab_word_errors(p, engine, word) > 0;
    }
    return wrong;
}

/* Which rules must give the program's values: those that pick one key only where one is enough. */
static bool unique_heads(Lab *lab, Page *page, const LabProgram *p, const char *alphabet) {
    RaspError error;
    RaspFacts facts;
    RaspTarget target = {.alphabet = alphabet, .max_length = LONGEST};
    if (rasp_program_facts(p->program, &p->sop, &target, &facts, &error)) return facts.unique;
    lab_poll(lab);
    page_note(page, "%s", error.text);
    check_none(page, "programs without facts", 1);
    return false;
}

void model_minimal(Lab *lab, Page *page) {
    size_t exhaustive = lab->quick ? 4 : 6, more = lab->quick ? 60 : 1000, wrong = 0, words = 0;
    PageTable *table =
        page_table(page, "compiled programs against the interpreter",
                   (const char *const[]){"program", "weights by", "words", "wrong", NULL});
    for (int k = 0; k < PROGRAMS; k++) {
        LabProgram p;
        if (!lab_compile(lab, page, programs[k].source, programs[k].expression,
                         programs[k].alphabet, LONGEST, &p))
            return;
        bool unique = unique_heads(lab, page, &p, programs[k].alphabet);
        for (int rule = 0; rasp_rule_name(rule); rule++) {
            if ((rule == RASP_HARD_LEFT || rule == RASP_HARD_RIGHT) && !unique) continue;
            if (rasp_rule_parameter((RaspRule)rule).name) continue; /* items 14 and 15 */
            RaspEngine *engine = lab_engine(lab, page, &p, (RaspRule)rule, 1);
            if (!engine) return;
            lab_progress(lab, (k + rule / 6.0) / PROGRAMS);
            size_t tried = 0, missed = wrong_words(lab, &p, engine, programs[k].alphabet,
                                                   exhaustive, more, &tried);
            wrong += missed, words += tried;
            table_text(table, programs[k].expression);
            table_text(table, rasp_rule_name(rule));
            table_count(table, tried);
            table_count(table, missed);
        }
    }
    check_none(page,
               arena_format(page->arena,
                            "of %zu runs (all words of up to %zu letters, longer ones at random), "
                            "those that differ from the interpreter",
                            words, exhaustive),
               wrong);
    compare_formula(lab, page);
}

/* --- 26: select and aggregate ----------------------------------------------------------------- */

/* What keys and queries are made of, and the same in the language. */
typedef enum Operand { LETTER, PLACE, CONSTANT } Operand;
static const char *const operand_texts[] = {"tokens_int", "indices", "1"};
static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
enum { COMPARISONS = 6 };

static int operand_at(Operand operand, const char *word, size_t i) {
    return operand == LETTER ? word[i] - '0' : operand == PLACE ? (int)i : 1;
}

/* select(k, q, op)[i, j]: compares the key's value at j with the query's at i. */
static bool selects(size_t op, int key, int query) {
    const bool results[COMPARISONS] = {key == query, key != query,
                                       key<query, key <= query, key> query, key >= query};
    return results[op];
}

/* The mean of the letters selected, as numbers; 5 where there are none. */
static double mean_selected(Operand key, Operand query, size_t op, const char *word, size_t i) {
    double sum = 0, count = 0;
    for (size_t j = 0; word[j]; j++)
        if (selects(op, operand_at(key, word, j), operand_at(query, word, i)))
            sum += word[j] - '0', count++;
    return count > 0 ? sum / count : 5;
}

/* Positions of all words of up to `longest` letters at which the model, or the interpreter, does
 * not give that mean. */
static size_t wrong_means(Lab *lab, Page *page, Operand key, Operand query, size_t op,
                          size_t longest, size_t *positions) {
    LabProgram p;
    RaspError error;
    char word[LONGEST + 1];
    size_t wrong = 0;
    const char *text = arena_format(lab->arena, "aggregate(select(%s, %s, %s), tokens_int, 5)",
                                    operand_texts[key], operand_texts[query], comparisons[op]);
    if (!lab_compile(lab, page, NULL, text, "012", (uint32_t)longest, &p)) return 1;
    RaspEngine *engine = lab_engine(lab, page, &p, RASP_SOFTMAX, 1);
    if (!engine) return 1;
    for (size_t n = 1; n <= longest; n++)
        for (size_t code = 0; code < spell_count("012", n); code++, *positions += n) {
            spell("012", code, n, word);
            wrong += lab_word_errors(&p, engine, word);
            RaspInput input = {.text = word, .length = n, .form = RASP_AS_STRING};
            RaspForward *f = rasp_forward(engine, &input, &error);
            for (size_t i = 0; i < n; i++)
                wrong += !f || lab_number(rasp_forward_reading(f, 0, i).value) !=
                                   mean_selected(key, query, op, word, i);
            rasp_forward_free(f);
        }
    return wrong;
}

/* The leak lemma: w keys score within δ of one another, n − w others at least g − 2δ less. Then
 * TV(a, U_S) ≤ λ + (1 − λ) tanh(βδ/2), λ = R/(1 + R), R = (n − w)/w exp(−β(g − 2δ)). */
static double leak_bound(size_t n, size_t w, double beta, double gap, double delta) {
    double r = (double)(n - w) / (double)w * exp(-beta * (gap - 2 * delta));
    double leak = r / (1 + r);
    return leak + (1 - leak) * tanh(beta * delta / 2);
}

static double leak_of(const double *scores, size_t n, size_t w, double beta) {
    double a[64], uniform[64];
    softmax(scores, n, 1 / beta, a);
    for (size_t j = 0; j < n; j++) uniform[j] = j < w ? 1 / (double)w : 0;
    return total_variation(a, uniform, n);
}

static void try_lemma(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 2000 : 20000, over = 0;
    double tightest = 0, exact = 0;
    for (size_t c = 0; c < cases; c++) {
        double scores[64], beta = exp(rng_between(lab->rng, -2, 2.5));
        size_t n = 1 + rng_below(lab->rng, 64), w = 1 + rng_below(lab->rng, n);
        double delta = rng_below(lab->rng, 3) ? rng_between(lab->rng, 0, 0.4) : 0;
        for (size_t j = 0; j < n; j++) {
            double err = delta * (rng_below(lab->rng, 2) ? 1 : rng_between(lab->rng, -1, 1));
            scores[j] = j < w ? err : delta - 1 - (rng_below(lab->rng, 2) ? 0 : rng_unit(lab->rng));
        }
        double leak = leak_of(scores, n, w, beta), bound = leak_bound(n, w, beta, 1, delta);
        over += leak > bound * (1 + 1e-12) + 1e-15;
        if (bound > 1e-6) tightest = fmax(tightest, leak / bound); /* smaller ones are rounding */
        for (size_t j = 0; j < n; j++) scores[j] = j < w ? 0 : -1;
        exact = fmax(exact, fabs(leak_of(scores, n, w, beta) - leak_bound(n, w, beta, 1, 0)));
    }
    check_none(page,
               arena_format(page->arena, "of %zu random rows, those beyond the leak lemma", cases),
               over);
    check_near(page, IDENTITY, "scores of exactly 0 and −g: largest |leak − lemma|", exact, 0,
               1e-12);
    check_figure(page, "the tightest row: leak over bound", tightest);
}

enum { TEMPERATURES = 8 };

/* A row of the table of certificates; the first temperature at which a word goes wrong, INFINITY
 * if none does. */
static double certificate_row(Lab *lab, Page *page, PageTable *table, int k, size_t *broken,
                              size_t *beyond) {
    LabProgram p;
    RaspError error;
    RaspCertificate proof;
    double temperatures[TEMPERATURES], fails = INFINITY;
    if (!lab_compile(lab, page, programs[k].source, programs[k].expression, programs[k].alphabet,
                     lab->quick ? 4 : 6, &p))
        return INFINITY;
    for (int t = 0; t < TEMPERATURES; t++) temperatures[t] = 1 << t;
    RaspCheckOptions options = rasp_check_options();
    options.threads = lab->threads;
    options.temperatures = temperatures;
    options.temperature_count = TEMPERATURES;
    RaspCheckReport *report = rasp_check(p.model, &options, &error);
    lab_poll(lab); /* what was interrupted did not fail */
    *broken += !report || !rasp_model_certificate(p.model, &proof) || !proof.holds;
    if (!report) return INFINITY;
    for (int t = TEMPERATURES; t-- > 0;)
        if (report->runs[t].agreed < report->compared) fails = temperatures[t];
    const RaspCheckRun *run = &report->runs[0];
    *broken += !(run->least_margin > 0) || run->agreed < report->compared;
    *beyond += run->largest_error > proof.error;
    table_text(table, programs[k].expression);
    table_number(table, proof.beta, 4);
    table_number(table, proof.error, 3);
    if (run->largest_error < 0)
        table_text(table, "decides");
    else
        table_number(table, run->largest_error, 3);
    table_number(table, run->least_margin, 3);
    table_number(table, fails, 3);
    rasp_check_free(report);
    return fails;
}

void model_select(Lab *lab, Page *page) {
    size_t longest = lab->quick ? 3 : 5, wrong = 0, positions = 0, broken = 0, beyond = 0, cold = 0;
    for (Operand key = LETTER; key <= PLACE; key++)
        for (Operand query = LETTER; query <= CONSTANT; query++)
            for (size_t op = 0; op < COMPARISONS; op++) {
                lab_progress(lab, (double)((key * 3 + query) * COMPARISONS + op) / 36);
                wrong += wrong_means(lab, page, key, query, op, longest, &positions);
            }
    check_none(page,
               arena_format(page->arena,
                            "36 selectors, %zu positions: aggregates that are not the mean of the "
                            "selected",
                            positions),
               wrong);
    try_lemma(lab, page);
    model_leak_forms(lab, page);
    PageTable *table =
        page_table(page, "certificates, and how hot it takes for a wrong answer",
                   (const char *const[]){"program", "β", "certified error", "largest error",
                                         "least margin", "first wrong at τ", NULL});
    for (int k = 0; k < PROGRAMS; k++)
        cold += certificate_row(lab, page, table, k, &broken, &beyond) < INFINITY;
    check_none(page, "programs without a certificate, or wrong under it", broken);
    check_none(page, "programs whose error exceeds the certified one", beyond);
    check_least(page, IDENTITY, "programs that go wrong once it is hot enough (τ ≤ 128)",
                (double)cold, 1);
}
