/* Items 28 and 30: the KV cache by tokens, by chunks and in pages; and the mass on the sink. */
#include "lab/model.h"

#include "api/rasp_circuit.h"
#include "lab/cache.h"
#include "lab/drawn.h"
#include "lab/programs.h"
#include "lab/spelling.h"
#include "runtime/reference.h"

#include <math.h>
#include <string.h>

enum { LENGTH = 40, WIDTH = 12 };

/* Two layers with sublayers; and a single head without projections: the stream holds its query,
 * key and value (in [−1, 1]), 3 numbers each, and what it reads. */
static const Shape shape = {WIDTH, 3, 4, 2, 2, 16, 6, LENGTH, RT_MASK_CAUSAL, RT_F64, true};
static const Shape one_head = {WIDTH, 3, 3, 1, 1, 0, 6, LENGTH, RT_MASK_CAUSAL, RT_F64, true};

static void free_stream(void *stream) {
    run_stream_free(stream);
}

/* Token by token through the engine. */
static Matrix stream_rows(Lab *lab, Page *page, const Engine *engine, const size_t *ids, size_t n) {
    RtError err = {"no engine"};
    Matrix rows = matrix_new(lab->arena, n, WIDTH);
    RunStream *stream = engine ? run_stream_new(engine, &err) : NULL;
    bool ok = stream != NULL;
    Reading readings[WIDTH];
    if (ok) lab_defer(lab, free_stream, stream);
    for (size_t i = 0; ok && i < n; i++) {
        ok = run_stream_push(stream, ids[i], readings, &err);
        for (size_t c = 0; ok && c < WIDTH; c++) *matrix_at(rows, i, c) = readings[c].number;
    }
    if (!ok) {
        page_note(page, "the stream refused: %s", err.text);
        check_none(page, "streams that failed", 1);
    }
    return rows;
}

/* Through the cache, by chunks of random sizes up to `most`. */
static Matrix chunked_rows(Lab *lab, Cache *cache, size_t width, const size_t *ids, size_t n,
                           size_t most) {
    Matrix rows = matrix_new(lab->arena, n, width);
    for (size_t done = 0; done < n;) {
        size_t count = 1 + rng_below(lab->rng, most);
        if (count > n - done) count = n - done;
        cache_push(cache, ids + done, count, (Matrix){count, width, matrix_row(rows, done)});
        done += count;
    }
    return rows;
}

/* All rows in one page, in order: a contiguous cache. */
static Cache *contiguous(Lab *lab, const Model *model) {
    return cache_new(cache_pool_new(lab->arena, model, model->max_length + 1, 1, lab->rng));
}

/* --- 28: full, by tokens, by chunks ------------------------------------------------------------
 */

typedef struct Decoding {
    double stream[RT_DTYPE_COUNT]; /* engine: a full pass − token by token */
    double cache;                  /* the lab's cache − the engine's full pass, float64 */
    size_t bits, rows;             /* rows that chunks changed in some bit */
} Decoding;

static void drop_projections(Model *model) {
    ModelHead *head = model->layers[0]->heads[0];
    Tensor *parts[] = {&head->query, &head->key, &head->value, &head->output};
    Tensor *embeddings[] = {&model->tokens, &model->positions};
    for (size_t t = 0; t < 4; t++) {
        memset(parts[t]->data, 0, tensor_size(parts[t]) * sizeof(double));
        for (size_t c = 0; c < 3; c++)
            tensor_set(parts[t], t < 3 ? 3 * t + c : c, t < 3 ? c : 9 + c, 1);
    }
    for (size_t t = 0; t < 2; t++)
        for (size_t row = 0; row < embeddings[t]->rows; row++)
            for (size_t c = 6; c < WIDTH; c++) {
                double x = fmax(-0.5, fmin(0.5, tensor_get(embeddings[t], row, c)));
                tensor_set(embeddings[t], row, c, c < 9 ? x : 0);
            }
}

/* Relative to the size of a row's numbers. */
static double relative(Matrix a, Matrix b) {
    double size = matrix_norm(b) / sqrt((double)(b.rows * b.cols));
    return matrix_difference(a, b) / fmax(1, size);
}

/* `tiled`: the full pass sums tiles of 7 keys, the stream does not. */
static bool decode_random(Lab *lab, Page *page, const Shape *drawn, RtRule rule, bool tiled,
                          Decoding *d) {
    size_t ids[LENGTH];
    for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++) {
        Shape own = *drawn;
        RunOptions options = run_options();
        own.dtype = (RtDtype)dtype;
        options.rule = rule;
        options.parameter = rt_rules[rule].parameter.example;
        Model *model = draw_model(lab, page, &own);
        if (model && drawn == &one_head) drop_projections(model);
        Engine *engine = model ? make_engine(lab, page, model, &options) : NULL;
        options.query_tile = 5, options.key_tile = 7;
        Engine *pass = engine && tiled ? make_engine(lab, page, model, &options) : engine;
        if (!pass) return false;
        draw_ids(lab->rng, ids, LENGTH, own.tokens);
        Matrix full = run_engine(lab, page, pass, ids, LENGTH, WIDTH);
        Matrix step = stream_rows(lab, page, engine, ids, LENGTH);
        d->stream[dtype] = fmax(d->stream[dtype], relative(step, full));
        if (dtype != RT_F64 || rule != RT_SOFTMAX) continue;
        Matrix once = chunked_rows(lab, contiguous(lab, model), WIDTH, ids, LENGTH, 1);
        d->cache = fmax(d->cache, relative(once, full));
        for (size_t most = 2; most <= LENGTH; most *= 2) {
            Matrix rows = chunked_rows(lab, contiguous(lab, model), WIDTH, ids, LENGTH, most);
            for (size_t i = 0; i < LENGTH; i++, d->rows++)
                d->bits +=
                    memcmp(matrix_row(rows, i), matrix_row(once, i), WIDTH * sizeof *once.x) != 0;
        }
    }
    return true;
}

static const char *const causal_programs[] = {
    "selector_width(select(tokens, tokens, ==) and select(indices, indices, <=))",
    "aggregate(select(indices, indices, <=), 1 if tokens == \"a\" else 0)",
    "aggregate(select(tokens, tokens, ==) and select(indices, indices, <), indices, -1)",
    "aggregate(select(indices, indices - 1, ==) and select(indices, indices, <), tokens, \"-\")",
};
enum { CAUSAL = sizeof causal_programs / sizeof *causal_programs, WORD = 8 };

/* What output 0 of the model says of the rows, by the numbers of its values. */
static void decode_rows(const Model *model, Matrix rows, ptrdiff_t *values) {
    for (size_t i = 0; i < rows.rows; i++)
        values[i] = reference_decode(model->outputs[0], matrix_row(rows, i));
}

/* Positions of a word that are not decoded alike by the full pass, by tokens and by chunks. */
static size_t decoded_apart(Lab *lab, Page *page, const Model *model, const Engine *engine,
                            const char *word) {
    size_t n = strlen(word), ids[WORD], apart = 0;
    RtError err = {""};
    RunResult full;
    Reading reading;
    ptrdiff_t values[WORD];
    for (size_t i = 0; i < n; i++) {
        RtAtom letter = rt_string(word + i, 1);
        if (!rt_token_id(engine, &letter, &ids[i], &err)) return n;
    }
    if (!engine_run(engine, ids, n, &full, &err)) return n;
    RunStream *stream = run_stream_new(engine, &err);
    decode_rows(model, chunked_rows(lab, contiguous(lab, model), model->width, ids, n, 3), values);
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t expected = run_reading(&full, 0, i)->index;
        apart += !stream || !run_stream_push(stream, ids[i], &reading, &err) ||
                 reading.index != expected || values[i] != expected;
    }
    run_stream_free(stream);
    run_result_clear(&full);
    if (err.text[0]) page_note(page, "%s", err.text);
    return apart;
}

static size_t decode_program(Lab *lab, Page *page, const char *expression, size_t *words) {
    LabProgram p;
    RunOptions options = run_options();
    char word[WORD + 1];
    size_t apart = 0, longest = lab->quick ? 4 : 6;
    if (!lab_compile(lab, page, NULL, expression, "abc", WORD, &p)) return 1;
    const Model *model = lab_weights(lab, page, &p);
    Engine *engine = model ? make_engine(lab, page, model, &options) : NULL;
    if (!engine) return 1;
    if (!cache_fits(model)) {
        page_note(page, "%s: not causal in every head", expression);
        return 1;
    }
    for (size_t n = 1; n <= longest; n++)
        for (size_t code = 0; code < spell_count("abc", n); code++, ++*words) {
            if (code % 64 == 0) lab_poll(lab);
            spell("abc", code, n, word);
            apart += decoded_apart(lab, page, model, engine, word);
        }
    return apart;
}

void model_cache(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 3 : 30, apart = 0, words = 0;
    Decoding all = {.bits = 0}, head = {.bits = 0};
    PageTable *table = page_table(
        page, "two layers: the engine's full pass against token by token, largest difference",
        (const char *const[]){"weights by", "float32", "float64", NULL});
    for (int rule = 0; rule < RT_RULE_COUNT; rule++) {
        Decoding d = {.bits = 0};
        for (size_t c = 0; c < cases; c++) {
            lab_progress(lab, 0.5 * (rule + (double)c / (double)cases) / RT_RULE_COUNT);
            if (!decode_random(lab, page, &shape, (RtRule)rule, c % 2, &d)) return;
            if (!decode_random(lab, page, &one_head, (RtRule)rule, c % 2, &head)) return;
        }
        table_text(table, rt_rules[rule].name);
        for (int dtype = 0; dtype < RT_DTYPE_COUNT; dtype++) {
            table_number(table, d.stream[dtype], 2);
            all.stream[dtype] = fmax(all.stream[dtype], d.stream[dtype]);
        }
        all.bits += d.bits, all.rows += d.rows, all.cache = fmax(all.cache, d.cache);
    }
    for (int k = 0; k < CAUSAL; k++) {
        lab_progress(lab, 0.5 + 0.5 * k / CAUSAL);
        apart += decode_program(lab, page, causal_programs[k], &words);
    }
    check_near(page, IDENTITY, "a head, float32: full pass − token by token, largest, relative",
               head.stream[RT_F32], 0, 1e-6);
    check_near(page, IDENTITY, "two layers, float32", all.stream[RT_F32], 0, 1e-5);
    check_near(page, IDENTITY, "both, float64", fmax(head.stream[RT_F64], all.stream[RT_F64]), 0,
               1e-12);
    check_near(page, IDENTITY, "the lab's cache, key by key, − the engine's full pass, float64",
               fmax(head.cache, all.cache), 0, 1e-12);
    check_none(page,
               arena_format(page->arena,
                            "one order of summing: of %zu rows, those that chunks change in some "
                            "bit",
                            all.rows),
               all.bits);
    check_none(page,
               arena_format(page->arena,
                            "causal programs on %zu words: positions decoded otherwise by tokens "
                            "or chunks",
                            words),
               apart);
}

/* --- 30: pages, and the sink -------------------------------------------------------------------
 */

/* Two sequences that take pages of one pool in turn, against a contiguous cache each. */
static size_t paged_apart(Lab *lab, const Model *model, size_t page, size_t tokens, size_t *rows) {
    size_t ids[2][LENGTH], apart = 0, pages = 2 * ((LENGTH + page) / page + 1);
    CachePool *pool = cache_pool_new(lab->arena, model, page, pages, lab->rng);
    Cache *paged[2] = {cache_new(pool), cache_new(pool)};
    size_t n = model->max_length < LENGTH ? model->max_length : LENGTH, done[2] = {0}, w;
    Matrix found[2], expected[2];
    w = model->width;
    for (int s = 0; s < 2; s++) {
        draw_ids(lab->rng, ids[s], n, tokens);
        expected[s] = chunked_rows(lab, contiguous(lab, model), w, ids[s], n, n);
        found[s] = matrix_new(lab->arena, n, w);
    }
    while (done[0] < n || done[1] < n) {
        size_t s = rng_below(lab->rng, 2), count = 1 + rng_below(lab->rng, 4);
        if (count > n - done[s]) count = n - done[s];
        if (!count) continue;
        cache_push(paged[s], ids[s] + done[s], count,
                   (Matrix){count, w, matrix_row(found[s], done[s])});
        done[s] += count;
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < n; i++, ++*rows)
            apart += memcmp(matrix_row(found[s], i), matrix_row(expected[s], i),
                            w * sizeof(double)) != 0;
    return apart;
}

static const struct {
    const char *selector, *aggregate;
} sinks[] = {
    {"select(tokens, \"a\", ==)", "aggregate(select(tokens, \"a\", ==), indices, -1)"},
    {"select(indices, indices - 1, ==)",
     "aggregate(select(indices, indices - 1, ==), tokens, \"-\")"},
    {"select(tokens, tokens, ==) and select(indices, indices, <)",
     "aggregate(select(tokens, tokens, ==) and select(indices, indices, <), indices, -1)"},
};
enum { SINKS = sizeof sinks / sizeof *sinks };

/* The mass that a head puts on the sink, row by row. */
typedef struct Masses {
    uint32_t layer, head;
    size_t n;
    double sink[WORD + 1];
} Masses;

static void keep_masses(void *context, size_t layer, size_t head, size_t n, const double *scores,
                        const double *weights, size_t width, const double *result) {
    Masses *m = context;
    (void)scores, (void)width, (void)result;
    if (layer != m->layer || head != m->head) return;
    m->n = n;
    for (size_t i = 0; i <= n; i++) m->sink[i] = weights[i * (n + 1)];
}

/* What is found of a selector at one temperature. */
typedef struct SinkReport {
    size_t rows, empty, misplaced, beyond;
    double least, most; /* sink mass of empty rows, and of others */
} SinkReport;

/* The selected keys score β, the sink β/2, others at most 0. So the sink's mass is at least 1/(1 +
 * n e^(−β/2)) of an empty row, and at most 1/(1 + w e^(β/2)) of one that selects w keys. */
static void judge_masses(const Masses *m, const RaspSequence *width, double beta, SinkReport *r) {
    for (size_t i = 0; i < m->n; i++) {
        double mass = m->sink[i + 1], n = (double)m->n, bound;
        int64_t w = rasp_sequence_at(width, i).as.i;
        r->rows++;
        r->misplaced += (mass > 0.5) != (w == 0);
        if (w == 0) {
            bound = 1 / (1 + n * exp(-beta / 2));
            r->empty++;
            r->least = fmin(r->least, mass);
            r->beyond += mass < bound - 1e-12;
        } else {
            bound = 1 / (1 + (double)w * exp(beta / 2));
            r->most = fmax(r->most, mass);
            r->beyond += mass > bound * (1 + 1e-9);
        }
    }
}

/* The head whose rows may select nothing; NULL: none, or no circuit. */
static const RaspCircuitHead *head_with_default(const LabProgram *p, RaspError *error) {
    const RaspCircuit *circuit = rasp_model_circuit(p->model, error);
    for (size_t h = 0; circuit && h < circuit->head_count; h++)
        if (circuit->heads[h].defaults) return &circuit->heads[h];
    return NULL;
}

static bool trace_sink(Lab *lab, Page *page, int k, double temperature, SinkReport *r) {
    LabProgram p;
    RaspSop width;
    RaspError error = {.text = "no head with a default"};
    char word[WORD + 1];
    size_t longest = lab->quick ? 4 : 6;
    bool ok = lab_compile(lab, page, NULL, sinks[k].aggregate, "abc", (uint32_t)longest, &p);
    RaspEngine *engine = ok ? lab_engine(lab, page, &p, RASP_SOFTMAX, temperature) : NULL;
    if (!engine) return false;
    const RaspCircuitHead *head = head_with_default(&p, &error);
    const char *text = arena_format(lab->arena, "selector_width(%s)", sinks[k].selector);
    ok = head && rasp_program_expression(p.program, text, &width, &error);
    for (size_t n = 1; ok && n <= longest; n++)
        for (size_t code = 0; ok && code < spell_count("abc", n); code++) {
            Masses masses = {.layer = head->layer, .head = head->head};
            RaspTap tap = {.context = &masses, .head = keep_masses};
            RaspInput input = {.text = word, .length = n, .form = RASP_AS_STRING};
            if (code % 64 == 0) lab_poll(lab);
            spell("abc", code, n, word);
            RaspForward *f = rasp_trace(engine, &input, &tap, &error);
            RaspRun *run = rasp_run_new(p.program, &input, &width, 1, NULL, &error);
            const RaspSequence *widths = run ? rasp_run_sequence(run, 0, &error) : NULL;
            ok = f && widths && masses.n == n;
            if (ok) judge_masses(&masses, widths, head->beta / temperature, r);
            rasp_forward_free(f);
            rasp_run_free(run);
        }
    if (ok) return true;
    page_note(page, "%s: %s", sinks[k].aggregate, error.text);
    check_none(page, "programs whose sink could not be looked at", 1);
    return false;
}

void model_pages(Lab *lab, Page *page) {
    static const size_t sizes[] = {1, 2, 3, 5, 8, 16, 64};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    size_t cases = lab->quick ? 2 : 20, apart = 0, rows = 0, misplaced = 0, beyond = 0, empty = 0;
    for (size_t c = 0; c < cases; c++)
        for (size_t s = 0; s < SIZES; s++) {
            lab_progress(lab, 0.5 * (double)(c * SIZES + s) / (double)(cases * SIZES));
            const Model *model = draw_model(lab, page, &shape);
            if (!model) return;
            apart += paged_apart(lab, model, sizes[s], shape.tokens, &rows);
        }
    for (int k = 0; k < CAUSAL; k++) {
        LabProgram p;
        if (!lab_compile(lab, page, NULL, causal_programs[k], "abc", WORD, &p)) return;
        const Model *model = lab_weights(lab, page, &p);
        if (!model) return;
        for (size_t s = 0; s < SIZES; s++)
            apart += paged_apart(lab, model, sizes[s], model->alphabet_size, &rows);
    }
    PageTable *table =
        page_table(page, "mass on the sink",
                   (const char *const[]){"selector", "τ", "rows", "empty", "least, of empty rows",
                                         "largest, of others", NULL});
    for (int k = 0; k < SINKS; k++)
        for (double temperature = 1; temperature <= 8; temperature *= 8) {
            SinkReport r = {.least = INFINITY};
            lab_progress(lab, 0.5 + 0.5 * k / SINKS);
            if (!trace_sink(lab, page, k, temperature, &r)) return;
            if (temperature == 1) misplaced += r.misplaced, empty += r.empty;
            beyond += r.beyond;
            table_text(table, sinks[k].selector);
            table_number(table, temperature, 2);
            table_count(table, r.rows);
            table_count(table, r.empty);
            table_number(table, r.least, 8);
            table_number(table, r.most, 3);
        }
    check_none(page,
               arena_format(page->arena,
                            "of %zu rows, those that pages of 1 to 64 rows change in some bit",
                            rows),
               apart);
    check_none(page, "rows with more than half on the sink that select a key, or the reverse",
               misplaced);
    check_none(page, "rows whose sink mass is beyond 1/(1 + n e^(−β/2)), or 1/(1 + w e^(β/2))",
               beyond);
    check_least(page, IDENTITY, "rows that select nothing", (double)empty, 1);
}
