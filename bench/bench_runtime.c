/* bench_runtime.c: the runtime against what it replaces, as ratios in one run.
 *
 *   dense products   against OpenBLAS multiplying matrices of the same sizes
 *   attention        against two products with all scores in memory between them
 *   compiled models  against the same engine without compressed rows (`--path dense`), and against
 *                    a plain pass, one product a matrix and one input at a time (plain_real.h)
 *   length           how time grows
 *
 *   threads          all processors against one
 *
 * Prints rows for bench/run, separated by tabs: table, what, value, unit, low, high, goal. Each
 * value is a median of several repetitions after one warm-up; a ratio is that of two times measured
 * one after the other. Both sides have one thread, and the processor's time is counted, so that
 * other programs disturb little; `threads` alone counts real time. Compiled models come from
 * bin/rasp; without it their rows are left out. */
#include "base/parallel.h"
#include "runtime/forward.h"
#include "runtime/safetensors.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define plain_exp32 expf
#define plain_exp64 exp
#define REAL_BITS   32
#include "bench/plain_real.h"
#undef REAL_BITS
#define REAL_BITS 64
#include "bench/plain_real.h"
#undef REAL_BITS

enum { REPETITIONS = 5 };

typedef void Work(void *context);

static clockid_t clock_used = CLOCK_PROCESS_CPUTIME_ID;

static double seconds(Work *work, void *context) {
    struct timespec from, to;
    clock_gettime(clock_used, &from);
    work(context);
    clock_gettime(clock_used, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const char *table, const char *what, double *values, const char *unit,
                      const char *goal) {
    qsort(values, REPETITIONS, sizeof *values, by_size);
    printf("%s\t%s\t%.3g\t%s\t%.3g\t%.3g\t%s\n", table, what, values[REPETITIONS / 2], unit,
           values[0], values[REPETITIONS - 1], goal);
    fflush(stdout);
}

/* How many times as long `slow` takes as `fast`, times `factor`. */
static void compare(const char *table, const char *what, Work *slow, void *slow_context, Work *fast,
                    void *fast_context, double factor, const char *unit, const char *goal) {
    double ratios[REPETITIONS];
    slow(slow_context);
    fast(fast_context);
    for (int i = 0; i < REPETITIONS; i++) {
        double a = seconds(slow, slow_context);
        ratios[i] = factor * a / seconds(fast, fast_context);
    }
    print_row(table, what, ratios, unit, goal);
}

static _Noreturn void die(const RtError *err) {
    fprintf(stderr, "bench_runtime: %s\n", err->text);
    exit(1);
}

/* ---- models and inputs ---- */

static uint64_t random_state = 1;

static double random_unit(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)random_state * 0x1p-63;
}

static void fill(Tensor *t) {
    double size = 1 / sqrt((double)t->rows);
    for (size_t i = 0; i < tensor_size(t); i++) t->data[i] = size * random_unit();
}

enum { LETTERS = 26 };

/* Random embeddings of 26 tokens; without `positions`, tokens alone tell positions apart. */
static Model *random_model(size_t length, size_t width, bool positions) {
    RtAtom alphabet[LETTERS], values[] = {rt_int(0), rt_int(1)};
    for (int i = 0; i < LETTERS; i++) alphabet[i] = rt_int(i);
    Model *model = model_new(RT_F32, RT_INT, alphabet, LETTERS, length, width);
    fill(&model->tokens);
    if (positions) fill(&model->positions);
    model_add_output(model, "out", RT_DECODE_ARGMAX, 0, values, 2);
    return model;
}

static void add_head(ModelLayer *layer, size_t size) {
    ModelHead *head = layer_add_head(layer, size, size);
    fill(&head->query);
    fill(&head->key);
    fill(&head->value);
    fill(&head->output);
}

typedef struct {
    Engine *engine;
    RunInput *inputs;
    RunResult *results;
    size_t count;
} Runs;

/* `threads` as in RunOptions: 0 for all there are. */
static Runs runs_new(const Model *model, RtPath path, int threads, size_t count, size_t n) {
    RunOptions options = run_options();
    options.path = path;
    options.threads = threads;
    RtError err;
    Runs runs = {engine_new(model, &options, &err), calloc(count, sizeof(RunInput)),
                 calloc(count, sizeof(RunResult)), count};
    if (!runs.engine) die(&err);
    for (size_t i = 0; i < count; i++) {
        size_t *ids = calloc(n, sizeof *ids);
        for (size_t j = 0; j < n; j++)
            ids[j] = (size_t)(fabs(random_unit()) * (double)model->alphabet_size);
        runs.inputs[i] = (RunInput){ids, n};
    }
    return runs;
}

static void runs_free(Runs *runs) {
    for (size_t i = 0; i < runs->count; i++) free((size_t *)runs->inputs[i].ids);
    free(runs->inputs);
    free(runs->results);
    engine_free(runs->engine);
}

static void run_all(void *context) {
    Runs *runs = context;
    RtError err;
    if (!engine_run_batch(runs->engine, runs->inputs, runs->count, runs->results, &err)) die(&err);
    for (size_t i = 0; i < runs->count; i++) run_result_clear(&runs->results[i]);
}

/* ---- dense products ---- */

enum { DENSE_ROWS = 2047 }; /* and the sink */

typedef struct {
    int rows, width, hidden;
    float *x, *m, *y;
} Gemm;

/* The products of one feed-forward sublayer. */
static void run_gemm(void *context) {
    const Gemm *g = context;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, g->rows, g->hidden, g->width, 1, g->x,
                g->width, g->m, g->hidden, 0, g->y, g->hidden);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, g->rows, g->width, g->hidden, 1, g->y,
                g->hidden, g->m, g->width, 0, g->x, g->width);
}

static void measure_dense(void) {
    for (size_t width = 512; width <= 1024; width *= 2) {
        Model *model = random_model(DENSE_ROWS, width, true);
        ModelMlp *mlp = layer_add_mlp(model_add_layer(model), 4 * width);
        fill(&mlp->in);
        fill(&mlp->out);
        Runs runs = runs_new(model, RT_PATH_AUTO, 1, 1, DENSE_ROWS);
        size_t hidden = 4 * width, rows = DENSE_ROWS + 1;
        Gemm gemm = {(int)rows,
                     (int)width,
                     (int)hidden,
                     calloc(rows * width, sizeof(float)),
                     calloc(width * hidden, sizeof(float)),
                     calloc(rows * hidden, sizeof(float))};
        char what[64];
        snprintf(what, sizeof what, "width %zu, hidden %zu, of sgemm's speed", width, hidden);
        compare("Runtime: dense products", what, run_gemm, &gemm, run_all, &runs, 100, "%", ">=80");
        free(gemm.x), free(gemm.m), free(gemm.y);
        runs_free(&runs);
        model_free(model);
    }
}

/* ---- plain passes ---- */

typedef struct {
    const Model *model;
    const Runs *runs;
    void *weights, *h, *r, *work;
} Plain;

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static Plain plain_new(const Model *model, const Runs *runs) {
    size_t rows = model->max_length + 1, work = 0;
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        for (size_t k = 0; k < layer->head_count; k++) {
            const ModelHead *head = layer->heads[k];
            work = larger(work, rows * (2 * head->query.cols + 2 * head->value.cols + rows));
        }
        for (size_t k = 0; k < layer->mlp_count; k++)
            work = larger(work, rows * layer->mlps[k]->in.cols);
    }
    bool f32 = model->dtype == RT_F32;
    return (Plain){model,
                   runs,
                   f32 ? plain_new32(model) : plain_new64(model),
                   calloc(rows * model->width, sizeof(double)),
                   calloc(rows * model->width, sizeof(double)),
                   calloc(work, sizeof(double))};
}

static void run_plain(void *context) {
    const Plain *p = context;
    for (size_t i = 0; i < p->runs->count; i++) {
        const RunInput *input = &p->runs->inputs[i];
        if (p->model->dtype == RT_F32)
            plain_run32(p->model, p->weights, input->ids, input->n, p->h, p->r, p->work);
        else
            plain_run64(p->model, p->weights, input->ids, input->n, p->h, p->r, p->work);
    }
}

/* The comparison is worth something only if both compute the same. */
static void check_plain(const Plain *p) {
    const Runs *runs = p->runs;
    RunResult result;
    RtError err;
    run_plain((void *)p);
    const RunInput *last = &runs->inputs[runs->count - 1];
    if (!engine_run(runs->engine, last->ids, last->n, &result, &err)) die(&err);
    for (size_t j = 0; j < last->n; j++) {
        const Reading *reading = run_reading(&result, 0, j);
        size_t at = (j + 1) * p->model->width + p->model->outputs[0]->start;
        if (p->model->outputs[0]->decode == RT_DECODE_ARGMAX) at += (size_t)reading->index;
        double found =
            p->model->dtype == RT_F32 ? (double)((float *)p->h)[at] : ((double *)p->h)[at];
        if (fabs(found - reading->number) > 1e-3 * fmax(1, fabs(found))) {
            rt_error(&err, "the plain pass gives %g, the engine %g", found, reading->number);
            die(&err);
        }
    }
    run_result_clear(&result);
}

static void plain_free(Plain *p) {
    free(p->h), free(p->r), free(p->work); /* the weights stay: this program ends soon */
}

static void measure_attention(void) {
    static const size_t sizes[] = {8, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Model *model = random_model(4096, 64, true);
        add_head(model_add_layer(model), sizes[i]);
        Runs runs = runs_new(model, RT_PATH_AUTO, 1, 1, 4096);
        Plain plain = plain_new(model, &runs);
        check_plain(&plain);
        char what[64];
        snprintf(what, sizeof what, "4,096 positions, head size %zu", sizes[i]);
        compare("Runtime: attention over two products", what, run_plain, &plain, run_all, &runs, 1,
                "times", ">=1");
        plain_free(&plain);
        runs_free(&runs);
        model_free(model);
    }
}

/* ---- compiled programs ---- */

static const struct {
    const char *name, *alphabet;
    size_t length;
} programs[] = {
    {"histogram", "abcdefghijklmnopqrstuvwxyz", 50},
    {"reverse", "abcd", 100},
    {"sort", "abcdefghijklmnopqrstuvwxyz", 50},
    {"sort", "abcdefghijklmnopqrstuvwxyz", 200},
    {"most-freq", "abcd", 20},
};

static Model *compiled(const char *name, const char *alphabet, size_t length) {
    char path[] = "/tmp/rasp-bench-XXXXXX", command[256];
    int fd = mkstemp(path);
    if (fd < 0) return NULL;
    snprintf(command, sizeof command,
             "bin/rasp compile %s -o %s --alphabet %s --max-length %zu >/dev/null 2>&1", name, path,
             alphabet, length);
    RtError err;
    Model *model = system(command) == 0 ? model_load(path, &err) : NULL;
    remove(path);
    return model;
}

static void measure_program(const Model *model, const char *label) {
    size_t n = model->max_length, count = 1 + 200000 / (n * n);
    Runs runs = runs_new(model, RT_PATH_AUTO, 1, count, n);
    Runs dense = runs_new(model, RT_PATH_DENSE, 1, count, n);
    Plain plain = plain_new(model, &runs);
    check_plain(&plain);
    double rate[REPETITIONS];
    run_all(&runs);
    for (int i = 0; i < REPETITIONS; i++)
        rate[i] = (double)(n * count) / seconds(run_all, &runs) / 1e6;
    print_row("Runtime: compiled, tokens a second", label, rate, "million/s", "-");
    compare("Runtime: compiled, times the plain pass", label, run_plain, &plain, run_all, &runs, 1,
            "times", "-");
    compare("Runtime: compiled, times --path dense", label, run_all, &dense, run_all, &runs, 1,
            "times", ">=10");
    plain_free(&plain);
    runs_free(&dense);
    runs_free(&runs);
}

static void measure_programs(void) {
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *name = programs[i].name, *alphabet = programs[i].alphabet;
        Model *model = compiled(name, alphabet, programs[i].length);
        if (!model) continue;
        char label[96];
        snprintf(label, sizeof label, "%s, %zu tokens, N = %zu, %.1f%% not zero", name,
                 strlen(alphabet), programs[i].length,
                 100 * (double)model_nonzeros(model) / (double)model_parameters(model));
        measure_program(model, label);
        model_free(model);
    }
}

/* ---- length ---- */

typedef struct {
    const Engine *engine;
    size_t n;
} Stream;

static void run_stream(void *context) {
    const Stream *s = context;
    RtError err;
    RunStream *stream = run_stream_new(s->engine, &err);
    Reading reading;
    if (!stream) die(&err);
    for (size_t i = 0; i < s->n; i++) {
        if (!run_stream_push(stream, i % LETTERS, &reading, &err)) die(&err);
    }
    run_stream_free(stream);
}

static void measure_length(void) {
    enum { LONG = 100000, STREAM = 4000 };
    Model *model = random_model(LONG, 32, false);
    add_head(model_add_layer(model), 4);
    Runs half = runs_new(model, RT_PATH_AUTO, 1, 1, LONG / 2);
    Runs whole = runs_new(model, RT_PATH_AUTO, 1, 1, LONG);
    compare("Runtime: growth, 100,000 positions over 50,000", "26 different keys", run_all, &whole,
            run_all, &half, 1, "times", "<=2.3");
    runs_free(&half);
    runs_free(&whole);
    for (size_t h = 0; h < model->layers[0]->head_count; h++)
        model->layers[0]->heads[h]->mask = RT_MASK_CAUSAL;
    RunOptions options = run_options();
    RtError err;
    Engine *engine = engine_new(model, &options, &err);
    if (!engine) die(&err);
    Stream tokens = {engine, 2 * STREAM}, half_of_them = {engine, STREAM};
    compare("Runtime: growth of a stream, 8,000 tokens over 4,000", "one head", run_stream, &tokens,
            run_stream, &half_of_them, 1, "times", "<=4.4");
    engine_free(engine);
    model_free(model);
}

/* ---- threads ---- */

static void measure_threads(void) {
    Model *model = compiled("sort", "abcdefghijklmnopqrstuvwxyz", 50);
    if (!model) return;
    Runs one = runs_new(model, RT_PATH_AUTO, 1, 400, 50);
    Runs all = runs_new(model, RT_PATH_AUTO, 0, 400, 50);
    char what[64];
    snprintf(what, sizeof what, "sort, 400 inputs, %d threads over one", parallel_cores());
    clock_used = CLOCK_MONOTONIC;
    compare("Runtime: threads", what, run_all, &one, run_all, &all, 1, "times", "-");
    clock_used = CLOCK_PROCESS_CPUTIME_ID;
    runs_free(&one);
    runs_free(&all);
    model_free(model);
}

int main(void) {
    openblas_set_num_threads(1);
    measure_dense();
    measure_attention();
    measure_programs();
    measure_length();
    measure_threads();
    return 0;
}
