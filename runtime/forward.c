#include "runtime/forward.h"

#include "base/parallel.h"
#include "runtime/blas.h"
#include "runtime/memory.h"
#include "runtime/pass.h"
#include "runtime/spares.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *const rt_path_names[RT_PATH_COUNT] = {"auto", "dense", "sparse"};

typedef struct {
    RtAtom atom; /* the engine's own copy */
    size_t id;
} Token;

/* A head that needs the whole input, and why. */
typedef struct {
    bool found;
    size_t layer, head;
    RtMask mask;
} Lookahead;

struct Engine {
    const PassType *pass;
    void *prepared;
    RunOptions options;
    const char *kernels;
    uint32_t of_byte[256]; /* 1 + the id of the token that is this byte; 0: there is none */
    size_t max_length, token_count, nonzeros;
    Token *tokens; /* sorted by atom */
    Decoder *decoders;
    size_t output_count, raw_size, max_dims;
    Lookahead lookahead;
    Spares *spares;
};

struct RunStream {
    const Engine *engine;
    void *pass;
    size_t length;
};

RunOptions run_options(void) {
    return (RunOptions){.rule = RT_SOFTMAX, .temperature = 1, .path = RT_PATH_AUTO};
}

void run_result_clear(RunResult *result) {
    free(result->readings);
    free(result->raw);
    *result = (RunResult){0};
}

const Reading *run_reading(const RunResult *result, size_t output, size_t position) {
    return &result->readings[output * result->length + position];
}

/* ---- making an engine ---- */

void engine_free(Engine *engine) {
    if (!engine) return;
    if (engine->prepared) engine->pass->release(engine->prepared);
    for (size_t i = 0; engine->tokens && i < engine->token_count; i++) {
        if (engine->tokens[i].atom.kind == RT_STRING)
            free((char *)engine->tokens[i].atom.u.s.bytes);
    }
    for (size_t o = 0; engine->decoders && o < engine->output_count; o++)
        decoder_clear(&engine->decoders[o]);
    spares_free(engine->spares);
    free(engine->tokens);
    free(engine->decoders);
    free(engine);
}

static bool is_byte(const RtAtom *atom) {
    return atom->kind == RT_STRING && atom->u.s.length == 1;
}

static int by_atom(const void *a, const void *b) {
    return rt_atom_compare(&((const Token *)a)->atom, &((const Token *)b)->atom);
}

static bool copy_tokens(Engine *engine, const Model *model, RtError *err) {
    engine->tokens = rt_calloc(model->alphabet_size, sizeof *engine->tokens);
    if (!engine->tokens) return rt_error(err, "out of memory for %zu tokens", model->alphabet_size);
    for (size_t i = 0; i < model->alphabet_size; i++) {
        Token *token = &engine->tokens[i];
        *token = (Token){model->alphabet[i], i};
        engine->token_count = i + 1;
        if (token->atom.kind != RT_STRING) continue;
        token->atom.u.s.bytes = rt_memdup(token->atom.u.s.bytes, token->atom.u.s.length);
        if (!token->atom.u.s.bytes) return rt_error(err, "out of memory for the alphabet");
    }
    qsort(engine->tokens, engine->token_count, sizeof *engine->tokens, by_atom);
    for (size_t i = 0; i < engine->token_count; i++) {
        const RtAtom *atom = &engine->tokens[i].atom;
        if (is_byte(atom))
            engine->of_byte[(unsigned char)*atom->u.s.bytes] = (uint32_t)engine->tokens[i].id + 1;
    }
    return true;
}

static bool copy_outputs(Engine *engine, const Model *model, RtError *err) {
    engine->decoders = rt_calloc(model->output_count, sizeof *engine->decoders);
    if (!engine->decoders)
        return rt_error(err, "out of memory for %zu outputs", model->output_count);
    for (size_t o = 0; o < model->output_count; o++) {
        Decoder *decoder = &engine->decoders[o];
        if (!decoder_init(decoder, model->outputs[o], err)) return false;
        engine->output_count = o + 1;
        engine->raw_size += decoder->count;
        if (decoder->count > engine->max_dims) engine->max_dims = decoder->count;
    }
    return true;
}

/* The first head, if any, whose results for a position depend on later ones or on the length. */
static Lookahead find_lookahead(const Model *model) {
    for (size_t l = 0; l < model->layer_count; l++) {
        for (size_t h = 0; h < model->layers[l]->head_count; h++) {
            const ModelHead *head = model->layers[l]->heads[h];
            bool causal = head->mask == RT_MASK_CAUSAL || head->mask == RT_MASK_STRICT_CAUSAL;
            if (!causal || head->scale == RT_SCALE_LOG_LENGTH)
                return (Lookahead){true, l, h, head->mask};
        }
    }
    return (Lookahead){0};
}

static bool check_options(const RunOptions *options, RtError *err) {
    if ((unsigned)options->rule >= RT_RULE_COUNT)
        return rt_error(err, "no such weight rule: %d", (int)options->rule);
    if (!rt_rule_check(options->rule, options->parameter, err)) return false;
    if ((unsigned)options->path >= RT_PATH_COUNT)
        return rt_error(err, "no such path: %d", (int)options->path);
    if (!(options->temperature > 0) || !isfinite(options->temperature))
        return rt_error(err, "expected a positive temperature, found %g", options->temperature);
    if (options->threads < 0)
        return rt_error(err, "expected a number of threads of at least 0, found %d",
                        options->threads);
    return true;
}

Engine *engine_new(const Model *model, const RunOptions *options, RtError *err) {
    if (!check_options(options, err) || !model_check(model, err)) return NULL;
    const KernelSet *kernels = rt_kernels_find(options->kernels);
    if (!kernels) {
        rt_error(err, "this processor has no kernels '%s'", options->kernels);
        return NULL;
    }
    Engine *engine = rt_calloc(1, sizeof *engine);
    if (!engine) {
        rt_error(err, "out of memory");
        return NULL;
    }
    engine->pass = model->dtype == RT_F32 ? &rt_pass32 : &rt_pass64;
    engine->options = *options;
    engine->kernels = kernels->name;
    engine->max_length = model->max_length;
    engine->nonzeros = model_nonzeros(model);
    engine->lookahead = find_lookahead(model);
    engine->spares = spares_new();
    if (!engine->spares) {
        rt_error(err, "out of memory");
    } else if (copy_tokens(engine, model, err) && copy_outputs(engine, model, err)) {
        RunOptions own = *options;
        own.rule = rt_rule_of(options->rule, model->kernel);
        engine->prepared = engine->pass->prepare(model, &own, kernels, err);
        if (engine->prepared) return engine;
    }
    engine_free(engine);
    return NULL;
}

/* `"a", "b", "c", …`, the first of them. */
static const char *tokens_text(const Engine *engine, char *list, size_t size) {
    enum { SHOWN = 12 };
    size_t used = 0;
    for (size_t k = 0; k < engine->token_count && used < size; k++) {
        char text[32];
        const char *one = rt_atom_text(&engine->tokens[k].atom, text, sizeof text);
        const char *before = k ? ", " : "";
        int wrote = snprintf(list + used, size - used, "%s%s", before, k < SHOWN ? one : "…");
        used += wrote > 0 ? (size_t)wrote : 0;
        if (k == SHOWN) break;
    }
    return list;
}

bool rt_token_id(const Engine *engine, const RtAtom *token, size_t *id, RtError *err) {
    uint32_t known = is_byte(token) ? engine->of_byte[(unsigned char)*token->u.s.bytes] : 0;
    if (known) {
        *id = known - 1;
        return true;
    }
    const Token wanted = {.atom = *token};
    const Token *found =
        bsearch(&wanted, engine->tokens, engine->token_count, sizeof wanted, by_atom);
    if (found) {
        *id = found->id;
        return true;
    }
    char text[128], list[480];
    RtKind kind = engine->tokens[0].atom.kind;
    return rt_error(err, "token %s (%s) is not in the model's alphabet of %zu %s%s: %s",
                    rt_atom_text(token, text, sizeof text), rt_kind_names[token->kind],
                    engine->token_count, rt_kind_names[kind], engine->token_count == 1 ? "" : "s",
                    tokens_text(engine, list, sizeof list));
}

EngineInfo engine_info(const Engine *engine) {
    EngineInfo info = {.kernels = engine->kernels};
    engine->pass->info(engine->prepared, &info);
    return info;
}

/* ---- running ---- */

static bool check_id(const Engine *engine, size_t id, RtError *err) {
    return id < engine->token_count ||
           rt_error(err, "expected a token id below %zu, found %zu", engine->token_count, id);
}

static bool check_input(const Engine *engine, const RunInput *input, RtError *err) {
    if (input->n == 0) return rt_error(err, "expected at least one token, found an empty input");
    if (input->n > engine->max_length)
        return rt_error(err, "expected at most %zu tokens, the model's maximum length, found %zu",
                        engine->max_length, input->n);
    for (size_t j = 0; j < input->n; j++) {
        if (!check_id(engine, input->ids[j], err)) return rt_error_prefix(err, "position %zu", j);
    }
    return true;
}

static bool result_init(const Engine *engine, RunResult *result, size_t n, RtError *err) {
    *result = (RunResult){
        .length = n, .output_count = engine->output_count, .raw_size = engine->raw_size};
    size_t readings, raw = 0;
    bool fits = !__builtin_mul_overflow(n, engine->output_count, &readings) &&
                !__builtin_mul_overflow(n, engine->raw_size, &raw);
    if (fits) result->readings = rt_calloc(readings, sizeof *result->readings);
    if (fits && engine->options.keep_raw) result->raw = rt_calloc(raw, sizeof *result->raw);
    if (result->readings && (result->raw || !engine->options.keep_raw)) return true;
    run_result_clear(result);
    return rt_error(err, "out of memory for the results of %zu positions", n);
}

static Outputs outputs_of(const Engine *engine) {
    return (Outputs){engine->decoders, engine->output_count, engine->max_dims};
}

/* Multiplications of an input, about. */
static double work_of(const Engine *engine, size_t n) {
    double columns = (double)n + 1;
    return columns * ((double)engine->nonzeros + columns);
}

/* Threads that are worth their start: below some million multiplications one is faster. */
static int threads_for(const Engine *engine, double work) {
    const double worth = 4e6;
    if (work < worth) return 1;
    return engine->options.threads ? engine->options.threads : parallel_cores();
}

bool engine_run(const Engine *engine, const size_t *ids, size_t n, RunResult *result,
                RtError *err) {
    RunInput input = {ids, n};
    if (!check_input(engine, &input, err) || !result_init(engine, result, n, err)) return false;
    Pack pack = {&input, result, 1};
    Outputs outputs = outputs_of(engine);
    RtBuffer memory = spares_take(engine->spares);
    int blas = rt_blas_single();
    size_t at;
    bool ok = engine->pass->run(engine->prepared, &pack, &outputs, &memory,
                                threads_for(engine, work_of(engine, n)), &at, err);
    rt_blas_restore(blas);
    spares_give(engine->spares, memory);
    if (!ok) run_result_clear(result);
    return ok;
}

/* ---- batches ----
 *
 * Inputs are ordered by length and cut into packs of some hundred or thousand positions, so that
 * products have many columns and memory stays bounded; threads share the packs. Inputs of one
 * length go by themselves, if they are some: they run quicker (abreast_real.h). */

typedef struct {
    const Engine *engine;
    size_t count;
    size_t *number;     /* [count]: which of the caller's inputs it is, ordered by length */
    RunInput *inputs;   /* [count], in that order */
    RunResult *results; /* [count], whose arrays are the caller's results' */
    size_t *first;      /* [packs + 1] */
    size_t packs;
    pthread_mutex_t lock; /* of what follows */
    size_t failed_input;  /* the first that failed */
    RtError error;
} Batch;

typedef struct {
    size_t n, number;
} Length;

static int by_length(const void *a, const void *b) {
    const Length *x = a, *y = b;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Mostly they have one length, or come in order. */
static bool is_ordered(const RunInput *inputs, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (inputs[i].n < inputs[i - 1].n) return false;
    return true;
}

static bool order_inputs(Batch *batch, const RunInput *inputs, const RunResult *results) {
    Length *order = rt_calloc(batch->count, sizeof *order);
    if (!order) return false;
    for (size_t i = 0; i < batch->count; i++) order[i] = (Length){inputs[i].n, i};
    if (!is_ordered(inputs, batch->count)) qsort(order, batch->count, sizeof *order, by_length);
    for (size_t i = 0; i < batch->count; i++) {
        batch->number[i] = order[i].number;
        batch->inputs[i] = inputs[order[i].number];
        batch->results[i] = results[order[i].number];
    }
    free(order);
    return true;
}

/* How many inputs from i on have the length of that one. */
static size_t alike_from(const Batch *batch, size_t i) {
    size_t end = i + 1;
    while (end < batch->count && batch->inputs[end].n == batch->inputs[i].n) end++;
    return end - i;
}

static void cut_packs(Batch *batch) {
    enum { SOME = 8 };
    size_t most = batch->engine->pass->pack_columns(batch->engine->prepared), columns = 0;
    bool before = true; /* whether those before have a length of their own */
    for (size_t i = 0, end = 0; i < batch->count; i++) {
        size_t n = batch->inputs[i].n + 1;
        bool starts = i == end, alone = before;
        if (starts) {
            end = i + alike_from(batch, i);
            alone = end - i >= SOME;
        }
        if ((starts && (alone || before)) || columns + n > most) {
            batch->first[batch->packs++] = i;
            columns = 0;
        }
        columns += n;
        before = alone;
    }
    batch->first[batch->packs] = batch->count;
}

static bool batch_init(Batch *batch, const RunInput *inputs, const RunResult *results) {
    size_t count = batch->count;
    batch->number = rt_calloc(count, sizeof *batch->number);
    batch->inputs = rt_calloc(count, sizeof *batch->inputs);
    batch->results = rt_calloc(count, sizeof *batch->results);
    batch->first = rt_calloc(count + 1, sizeof *batch->first);
    if (!batch->number || !batch->inputs || !batch->results || !batch->first ||
        !order_inputs(batch, inputs, results))
        return false;
    cut_packs(batch);
    return true;
}

static void batch_clear(Batch *batch) {
    free(batch->number);
    free(batch->inputs);
    free(batch->results);
    free(batch->first);
}

/* Keeps the error of the first input that fails, whatever the order threads work in. */
static void batch_fail(Batch *batch, size_t input, const RtError *err) {
    pthread_mutex_lock(&batch->lock);
    if (input < batch->failed_input) {
        batch->failed_input = input;
        batch->error = *err;
    }
    pthread_mutex_unlock(&batch->lock);
}

static void run_pack(Batch *batch, size_t p, int threads) {
    const Engine *engine = batch->engine;
    size_t first = batch->first[p], at = 0;
    Pack pack = {batch->inputs + first, batch->results + first, batch->first[p + 1] - first};
    Outputs outputs = outputs_of(engine);
    RtError err;
    RtBuffer memory = spares_take(engine->spares);
    if (!engine->pass->run(engine->prepared, &pack, &outputs, &memory, threads, &at, &err))
        batch_fail(batch, batch->number[first + at], &err);
    spares_give(engine->spares, memory);
}

static void run_one_pack(void *context, size_t p, int thread) {
    (void)thread;
    run_pack(context, p, 1);
}

static void run_packs(Batch *batch) {
    double work = 0;
    for (size_t i = 0; i < batch->count; i++) work += work_of(batch->engine, batch->inputs[i].n);
    int threads = threads_for(batch->engine, work);
    if (batch->packs == 1)
        run_pack(batch, 0, threads);
    else
        parallel_for(batch->packs, threads, run_one_pack, batch);
}

static void clear_results(RunResult *results, size_t count) {
    for (size_t i = 0; i < count; i++) run_result_clear(&results[i]);
}

/* Runs inputs that are fine into results that have their memory. */
static bool run_batch(const Engine *engine, const RunInput *inputs, size_t count,
                      const RunResult *results, RtError *err) {
    if (count == 0) return true;
    Batch batch = {
        .engine = engine, .count = count, .lock = PTHREAD_MUTEX_INITIALIZER, .failed_input = count};
    bool ready = batch_init(&batch, inputs, results);
    if (ready) {
        int blas = rt_blas_single();
        run_packs(&batch);
        rt_blas_restore(blas);
    }
    batch_clear(&batch);
    if (ready && batch.failed_input == count) return true;
    if (!ready) return rt_error(err, "out of memory for %zu inputs", count);
    if (err) *err = batch.error;
    return rt_error_prefix(err, "input %zu", batch.failed_input);
}

bool engine_run_batch(const Engine *engine, const RunInput *inputs, size_t count,
                      RunResult *results, RtError *err) {
    for (size_t i = 0; i < count; i++) {
        if (check_input(engine, &inputs[i], err) &&
            result_init(engine, &results[i], inputs[i].n, err))
            continue;
        clear_results(results, i);
        return rt_error_prefix(err, "input %zu", i);
    }
    bool ok = run_batch(engine, inputs, count, results, err);
    if (!ok) clear_results(results, count);
    return ok;
}

bool engine_run_batch_in(const Engine *engine, const RunInput *inputs, size_t count,
                         RunResult *results, Reading *readings, RtError *err) {
    for (size_t i = 0; i < count; i++) {
        size_t n = inputs[i].n;
        if (!check_input(engine, &inputs[i], err)) return rt_error_prefix(err, "input %zu", i);
        results[i] = (RunResult){n, engine->output_count, readings, engine->raw_size, NULL};
        readings += n * engine->output_count;
    }
    return run_batch(engine, inputs, count, results, err);
}

/* ---- streams ---- */

RunStream *run_stream_new(const Engine *engine, RtError *err) {
    const Lookahead *ahead = &engine->lookahead;
    if (ahead->found) {
        bool causal = ahead->mask == RT_MASK_CAUSAL || ahead->mask == RT_MASK_STRICT_CAUSAL;
        rt_error(err,
                 "the model cannot run one token at a time: head %zu of layer %zu %s; compile it "
                 "with causal masks and without log-length scaling, or run whole inputs",
                 ahead->head + 1, ahead->layer + 1,
                 causal ? "scales its scores by the input's length" : "sees later positions");
        return NULL;
    }
    RunStream *stream = rt_calloc(1, sizeof *stream);
    if (!stream) {
        rt_error(err, "out of memory for a stream");
        return NULL;
    }
    stream->engine = engine;
    int blas = rt_blas_single();
    stream->pass = engine->pass->stream_new(engine->prepared, err);
    rt_blas_restore(blas);
    if (stream->pass) return stream;
    free(stream);
    return NULL;
}

void run_stream_free(RunStream *stream) {
    if (!stream) return;
    stream->engine->pass->stream_free(stream->pass);
    free(stream);
}

size_t run_stream_length(const RunStream *stream) {
    return stream->length;
}

bool run_stream_push(RunStream *stream, size_t id, Reading *readings, RtError *err) {
    const Engine *engine = stream->engine;
    if (stream->length == engine->max_length)
        return rt_error(err, "expected at most %zu tokens, the model's maximum length, found more",
                        engine->max_length);
    if (!check_id(engine, id, err)) return false;
    Outputs outputs = outputs_of(engine);
    int blas = rt_blas_single();
    bool ok = engine->pass->stream_push(stream->pass, id, &outputs, readings, err);
    rt_blas_restore(blas);
    if (ok) stream->length++;
    return ok;
}
