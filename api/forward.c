/* Runs of the transformer. */
#include "api/engine.h"
#include "api/input.h"
#include "api/value.h"

#include "interp/exec/exec.h"
#include "runtime/decode.h"
#include "runtime/reference.h"

#include <stdlib.h>

struct RaspForward {
    Core core; /* within the engine's budget */
    RaspEngine *engine;
    size_t *ids;
    size_t length;
    bool is_string;
    RaspSequence tokens;
    RunResult result;
    RaspSequence *outputs;
    bool *answered; /* by output */
};

/* --- words ------------------------------------------------------------------------------ */

static const RtRule rules[] = {
    [RASP_SOFTMAX] = RT_SOFTMAX, [RASP_HARD_LEFT] = RT_HARD_LEFT, [RASP_HARD_RIGHT] = RT_HARD_RIGHT,
    [RASP_AVERAGE] = RT_AVERAGE, [RASP_SPARSEMAX] = RT_SPARSEMAX, [RASP_ENTMAX15] = RT_ENTMAX15,
    [RASP_ENTMAX] = RT_ENTMAX,   [RASP_TOP_K] = RT_TOP_K};
static const RtPath paths[] = {[RASP_PATH_AUTO] = RT_PATH_AUTO,
                               [RASP_PATH_DENSE] = RT_PATH_DENSE,
                               [RASP_PATH_SPARSE] = RT_PATH_SPARSE};

const char *rasp_rule_name(int rule) {
    return rule >= 0 && rule <= RASP_TOP_K ? rt_rules[rules[rule]].name : NULL;
}

bool rasp_rule_has_temperature(RaspRule rule) {
    return rasp_rule_name((int)rule) && rt_rules[rules[rule]].temperature;
}

bool rasp_rule_is_kernel(RaspRule rule) {
    return rasp_rule_name((int)rule) && rt_rules[rules[rule]].kernel;
}

RaspRuleParameter rasp_rule_parameter(RaspRule rule) {
    if (!rasp_rule_name((int)rule)) return (RaspRuleParameter){0};
    const RtRuleParameter *p = &rt_rules[rules[rule]].parameter;
    return (RaspRuleParameter){p->name, p->whole, p->least, p->example};
}

bool rasp_rule_accepts(RaspRule rule, double parameter) {
    return rasp_rule_name((int)rule) && rt_rule_accepts(rules[rule], parameter);
}

RtRule rule_to_runtime(RaspRule rule) {
    return rules[rule];
}

RaspRule rule_from_runtime(RtRule rule) {
    int k = 0;
    while (rules[k] != rule) k++;
    return (RaspRule)k;
}

const char *rasp_path_name(int path) {
    return path >= 0 && path <= RASP_PATH_SPARSE ? rt_path_names[paths[path]] : NULL;
}

bool engine_options(Core *core, const RaspEngineOptions *o, RunOptions *options) {
    if (!rasp_rule_name((int)o->rule) || !rasp_path_name((int)o->path) || o->threads < 0 ||
        !(o->temperature >= 0))
        return core_fail(core, RASP_WRONG_USE,
                         "expected a rule, a path, threads and a temperature of at least 0, found "
                         "%d, %d, %d and %g",
                         (int)o->rule, (int)o->path, o->threads, o->temperature);
    RtError reason;
    if (!rt_rule_check(rules[o->rule], o->parameter, &reason))
        return core_fail(core, RASP_WRONG_USE, "%s", reason.text);
    *options = run_options();
    options->rule = rules[o->rule];
    options->parameter = o->parameter;
    options->path = paths[o->path];
    options->threads = o->threads;
    options->stop = core->config.cancel;
    if (o->temperature > 0) options->temperature = o->temperature;
    return true;
}

/* An engine keeps each weight once, with an index where the matrix is compressed, and what position
 * adds to the scores of a head at each distance. */
size_t engine_bytes(const RaspModel *m) {
    size_t heads = 0, biases = 0, row = 2 * m->model->max_length * sizeof(double);
    for (size_t l = 0; l < m->model->layer_count; l++)
        for (size_t h = 0; h < m->model->layers[l]->head_count; h++)
            heads += m->model->layers[l]->heads[h]->bias.form != RT_BIAS_NONE;
    if (__builtin_mul_overflow(heads, row, &biases)) return SIZE_MAX >> 16;
    return m->info.parameters * (sizeof(double) + sizeof(uint32_t)) + biases;
}

/* --- engines ---------------------------------------------------------------------------- */

/* The engine's own copy of the program, so that engines of one model may go to other threads. */
static bool make_judge(RaspEngine *e) {
    unsigned char *bytes;
    size_t size;
    Core *core = &e->core;
    const char *where = e->owner->info.where;
    if (!where) return true;
    if (!rasp_model_bytes(e->owner, &bytes, &size, core->error)) return false;
    const char *name = e->owner->name ? e->owner->name : "the model";
    e->judge = rasp_model_from_bytes(bytes, size, name, &core->config, core->error);
    free(bytes);
    RaspProgram *program = e->judge ? rasp_model_program(e->judge, core->error) : NULL;
    return program && rasp_program_expression(program, where, &e->where, core->error);
}

static bool start(Core *core, void *context) {
    RaspEngine *e = (RaspEngine *)core;
    const RaspEngineOptions *o = context;
    RtError reason;
    if (!engine_options(core, o, &e->options)) return false;
    arena_charge(core->arena, engine_bytes(e->owner));
    e->engine = engine_new(e->model, &e->options, &reason);
    if (e->engine) return make_judge(e);
    if (!e->owner->name) return core_fail(core, RASP_FAILED, "%s", reason.text);
    return core_fail(core, RASP_FAILED, "'%s': %s", e->owner->name, reason.text);
}

RaspEngine *rasp_engine_new(const RaspModel *model, const RaspEngineOptions *options,
                            const RaspConfig *config, RaspError *error) {
    static const RaspEngineOptions usual;
    RaspEngine *e = calloc(1, sizeof *e);
    if (!e) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for an engine");
        return NULL;
    }
    atomic_init(&e->keepers, 1);
    e->owner = model_keep((RaspModel *)(uintptr_t)model);
    e->model = model->model;
    const RaspEngineOptions *wanted = options ? options : &usual;
    if (core_init(&e->core, config ? config : &model->core.config, error) &&
        core_call(&e->core, error, RASP_FAILED, start, (void *)(uintptr_t)wanted))
        return e;
    rasp_engine_free(e);
    return NULL;
}

static RaspEngine *engine_keep(RaspEngine *e) {
    atomic_fetch_add(&e->keepers, 1);
    return e;
}

void rasp_engine_free(RaspEngine *e) {
    if (!e || atomic_fetch_sub(&e->keepers, 1) > 1) return;
    engine_free(e->engine);
    core_clear(&e->core);
    rasp_model_free(e->judge);
    model_drop(e->owner);
    free(e);
}

/* --- inputs ----------------------------------------------------------------------------- */

static bool token_id(const RaspEngine *e, Core *core, RaspAtom token, size_t *id) {
    RtError reason;
    RtAtom atom = atom_to_runtime(token);
    return rt_token_id(e->engine, &atom, id, &reason) ||
           core_fail(core, RASP_FAILED, "%s", reason.text);
}

static bool accepts_first(const RaspEngine *e, Core *core, size_t id) {
    char found[64], wanted[64];
    ptrdiff_t first = e->owner->info.first;
    if (first < 0 || id == (size_t)first) return true;
    return core_fail(core, RASP_FAILED,
                     "outside of what the file was compiled for: inputs start with %s, this one "
                     "with %s",
                     rt_atom_text(&e->model->alphabet[first], wanted, sizeof wanted),
                     rt_atom_text(&e->model->alphabet[id], found, sizeof found));
}

/* Is the domain's s-op true at every position?  The interpreter says so. */
static bool accepts_where(const RaspEngine *e, Core *core, const RaspInput *input) {
    RaspError reason;
    if (!e->judge) return true;
    RaspRun *run = rasp_run_new(e->judge->program, input, &e->where, 1, NULL, &reason);
    const RaspSequence *values = run ? rasp_run_sequence(run, 0, &reason) : NULL;
    bool fine = values != NULL;
    if (!fine && reason.status >= RASP_OUT_OF_MEMORY)
        core_fail(core, reason.status, "%s", reason.text); /* it was stopped */
    else if (!fine)
        core_fail(core, RASP_FAILED,
                  "'%s', which the file assumes to be true everywhere, fails: %s", e->where.name,
                  reason.text);
    for (size_t i = 0; fine && i < rasp_sequence_length(values); i++)
        if (!atom_truth(
                atom_in(rasp_sequence_at(values, i), session_intern(e->judge->program->session))))
            fine = core_fail(core, RASP_FAILED,
                             "outside of what the file was compiled for: '%s' is not true at "
                             "position %zu",
                             e->where.name, i);
    rasp_run_free(run);
    return fine;
}

bool engine_accepts(const RaspEngine *e, Core *core, size_t first, const RaspInput *input) {
    return accepts_first(e, core, first) && accepts_where(e, core, input);
}

static bool read_ids(RaspForward *f, const RaspInput *input) {
    Tokens tokens;
    Core *core = &f->core;
    const RaspEngine *e = f->engine;
    if (!input_read(core, input, core->arena, &tokens)) return false;
    f->length = tokens.count;
    f->is_string = tokens.text != NULL;
    f->ids = ARENA_BLOCK(core->arena, tokens.count, size_t);
    for (size_t k = 0, at = 0; k < tokens.count; k++)
        if (!token_id(e, core, tokens_next(&tokens, k, &at), &f->ids[k])) return false;
    RaspAtom *atoms = ARENA_BLOCK(core->arena, tokens.count, RaspAtom);
    for (size_t k = 0; k < tokens.count; k++) atoms[k] = e->owner->info.alphabet[f->ids[k]];
    f->tokens = sequence_of_atoms(atoms, tokens.count);
    return engine_accepts(e, core, f->ids[0], input);
}

/* --- outputs ---------------------------------------------------------------------------- */

RaspAtom engine_value(const RaspEngine *e, size_t output, const Reading *r) {
    const ModelOutput *from = e->owner->model->outputs[output];
    if (from->decode == RT_DECODE_WHOLE) return rasp_int(output_whole(from, r->number));
    return r->index < 0 ? rasp_float(r->number) : e->owner->info.outputs[output].values[r->index];
}

static RaspReading reading_out(const RaspEngine *e, size_t output, const Reading *r) {
    return (RaspReading){engine_value(e, output, r), r->number, r->margin};
}

static const char no_answer[] = "the model has no answer there: its program fails on this input";

static bool has_answer(const RaspForward *f, size_t output) {
    ptrdiff_t flag = f->engine->owner->info.outputs[output].flag;
    for (size_t i = 0; flag >= 0 && i < f->length; i++) {
        const Reading *r = run_reading(&f->result, (size_t)flag, i);
        RaspAtom value = engine_value(f->engine, (size_t)flag, r);
        if (!rasp_atom_equal(value, rasp_bool(false))) return false;
    }
    return true;
}

/* False: no output has an answer, and one must. */
static bool make_sequences(RaspForward *f, bool patched) {
    const RaspModelInfo *info = &f->engine->owner->info;
    bool any = false;
    f->outputs = ARENA_ARRAY(f->core.arena, info->output_count, RaspSequence);
    f->answered = ARENA_ARRAY(f->core.arena, info->output_count, bool);
    for (size_t k = 0; k < info->output_count; k++) {
        any |= f->answered[k] = has_answer(f, k);
        RaspAtom *atoms = ARENA_BLOCK(f->core.arena, f->length, RaspAtom);
        for (size_t i = 0; i < f->length; i++)
            atoms[i] = engine_value(f->engine, k, run_reading(&f->result, k, i));
        f->outputs[k] = sequence_of_atoms(atoms, f->length);
    }
    return any || patched || core_fail(&f->core, RASP_FAILED, "%s", no_answer);
}

typedef struct ForwardCall {
    const RaspInput *input;
    const RaspTap *tap;     /* NULL, as the patch is too: the engine */
    const RaspPatch *patch; /* NULL: nothing is changed */
} ForwardCall;

bool engine_failed(Core *core, const RtError *reason) {
    bool cancelled = core->config.cancel && *core->config.cancel;
    return core_fail(core, cancelled ? RASP_CANCELLED : RASP_FAILED, "%s", reason->text);
}

static bool run_engine(RaspForward *f) {
    RtError reason;
    return engine_run(f->engine->engine, f->ids, f->length, &f->result, &reason) ||
           engine_failed(&f->core, &reason);
}

/* --- traces ----------------------------------------------------------------------------- */

static bool decode(RaspForward *f, const double *h) {
    const Model *model = f->engine->model;
    RtError reason;
    f->result = (RunResult){.length = f->length, .output_count = model->output_count};
    f->result.readings = calloc(f->length * model->output_count, sizeof *f->result.readings);
    bool fine = f->result.readings != NULL;
    if (!fine) core_fail(&f->core, RASP_OUT_OF_MEMORY, "out of memory for the outputs");
    for (size_t k = 0; fine && k < model->output_count; k++) {
        Decoder decoder;
        fine = decoder_init(&decoder, model->outputs[k], &reason);
        for (size_t i = 0; fine && i < f->length; i++)
            fine = decoder_read(&decoder, h + (i + 1) * model->width + decoder.start,
                                &f->result.readings[k * f->length + i], &reason);
        if (!fine) core_fail(&f->core, RASP_FAILED, "%s", reason.text);
        decoder_clear(&decoder);
    }
    return fine;
}

_Static_assert((int)RASP_ROLE_QUERY == (int)REFERENCE_QUERY &&
                   (int)RASP_ROLE_KEY == (int)REFERENCE_KEY &&
                   (int)RASP_ROLE_VALUE == (int)REFERENCE_VALUE &&
                   (int)RASP_ROLE_INPUT == (int)REFERENCE_INPUT,
               "the roles that read the stream in a pass");

static bool run_reference(RaspForward *f, const RaspTap *wanted, const RaspPatch *change) {
    static const RaspTap no_tap;
    static const RaspPatch no_patch;
    const RaspTap *tap = wanted ? wanted : &no_tap;
    const RaspPatch *patch = change ? change : &no_patch;
    RtError reason;
    ReferenceOptions options = {.rule = f->engine->options.rule,
                                .parameter = f->engine->options.parameter,
                                .temperature = f->engine->options.temperature,
                                .stop = f->core.config.cancel,
                                .tap = {.context = tap->context,
                                        .head = tap->head,
                                        .sublayer = tap->sublayer,
                                        .residual = tap->residual},
                                .patch = {.context = patch->context,
                                          .read = patch->read,
                                          .weights = patch->weights,
                                          .head = patch->head,
                                          .sublayer = patch->sublayer,
                                          .residual = patch->residual}};
    double *h = reference_run(f->engine->model, &options, f->ids, f->length, &reason);
    if (!h) return engine_failed(&f->core, &reason);
    bool fine = decode(f, h);
    free(h);
    return fine;
}

static bool run(Core *core, void *context) {
    RaspForward *f = (RaspForward *)core;
    const ForwardCall *call = context;
    if (!read_ids(f, call->input)) return false;
    bool plain = call->tap || call->patch;
    if (!(plain ? run_reference(f, call->tap, call->patch) : run_engine(f))) return false;
    return make_sequences(f, call->patch != NULL);
}

static RaspForward *forward_with(RaspEngine *e, CoreBody *body, const void *context,
                                 RaspError *error) {
    RaspForward *f = calloc(1, sizeof *f);
    if (!f) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a forward pass");
        return NULL;
    }
    f->engine = engine_keep(e);
    if (core_share(&f->core, &e->core, error) &&
        core_call(&f->core, error, RASP_FAILED, body, (void *)(uintptr_t)context))
        return f;
    rasp_forward_free(f);
    return NULL;
}

static RaspForward *forward(RaspEngine *e, const ForwardCall *call, RaspError *error) {
    return forward_with(e, run, call, error);
}

RaspForward *rasp_forward(RaspEngine *engine, const RaspInput *input, RaspError *error) {
    return forward(engine, &(ForwardCall){.input = input}, error);
}

RaspForward *rasp_trace(RaspEngine *engine, const RaspInput *input, const RaspTap *tap,
                        RaspError *error) {
    return forward(engine, &(ForwardCall){.input = input, .tap = tap}, error);
}

RaspForward *rasp_patch(RaspEngine *engine, const RaspInput *input, const RaspPatch *patch,
                        const RaspTap *tap, RaspError *error) {
    return forward(engine, &(ForwardCall){.input = input, .tap = tap, .patch = patch}, error);
}

/* --- many inputs ------------------------------------------------------------------------ */

/* A batch is all or nothing: what is too long must not be in it. */
static bool read_input(Core *core, void *context) {
    RaspForward *f = (RaspForward *)core;
    return read_ids(f, context) && f->length <= f->engine->model->max_length;
}

static bool take_result(Core *core, void *context) {
    RaspForward *f = (RaspForward *)core;
    f->result = *(RunResult *)context;
    *(RunResult *)context = (RunResult){0};
    return make_sequences(f, false);
}

/* Gives back those that have no result: they are run by themselves. */
static void drop(RaspForward **f) {
    rasp_forward_free(*f);
    *f = NULL;
}

static bool run_together(RaspEngine *e, RaspForward **forwards, size_t count, RunInput *inputs,
                         RunResult *results) {
    RtError reason;
    size_t ready = 0;
    for (size_t k = 0; k < count; k++)
        if (forwards[k]) inputs[ready++] = (RunInput){forwards[k]->ids, forwards[k]->length};
    if (!engine_run_batch(e->engine, inputs, ready, results, &reason)) return false;
    for (size_t k = 0, at = 0; k < count; k++)
        if (forwards[k] &&
            !core_call(&forwards[k]->core, NULL, RASP_FAILED, take_result, &results[at++]))
            drop(&forwards[k]);
    return true;
}

void rasp_forward_many(RaspEngine *engine, const RaspInput *inputs, size_t count,
                       RaspForward **forwards) {
    bool judged = engine->judge; /* its program may have something to report, and once only */
    for (size_t k = 0; k < count; k++)
        forwards[k] = judged ? NULL : forward_with(engine, read_input, &inputs[k], NULL);
    if (judged) return;
    RunInput *ready = calloc(count + 1, sizeof *ready);
    RunResult *results = calloc(count + 1, sizeof *results);
    if (!ready || !results || !run_together(engine, forwards, count, ready, results))
        for (size_t k = 0; k < count; k++) drop(&forwards[k]);
    free(ready);
    free(results);
}

void rasp_forward_free(RaspForward *f) {
    if (!f) return;
    run_result_clear(&f->result);
    core_clear(&f->core);
    rasp_engine_free(f->engine);
    free(f);
}

const RaspSequence *rasp_forward_input(const RaspForward *f, bool *is_string) {
    if (is_string) *is_string = f->is_string;
    return &f->tokens;
}

const RaspSequence *rasp_forward_sequence(const RaspForward *f, size_t output) {
    return f->answered[output] ? &f->outputs[output] : NULL;
}

RaspReading rasp_forward_reading(const RaspForward *f, size_t output, size_t position) {
    return reading_out(f->engine, output, run_reading(&f->result, output, position));
}

/* --- a token at a time ------------------------------------------------------------------ */

struct RaspStream {
    Core core; /* within the engine's budget */
    RaspEngine *engine;
    RunStream *stream;
    Reading *readings;
};

static bool open_stream(Core *core, void *context) {
    RaspStream *s = (RaspStream *)core;
    RtError reason;
    (void)context;
    if (s->engine->judge)
        return core_fail(core, RASP_WRONG_USE,
                         "the file was compiled for inputs on which an s-op is true everywhere, "
                         "which cannot be checked token by token (--stream, --generate)");
    if (s->engine->model->output_count > s->engine->owner->info.output_count)
        return core_fail(core, RASP_WRONG_USE,
                         "the model says where it has no answer, which may show only at the end of "
                         "the input: it cannot be run token by token (--stream, --generate)");
    s->readings = ARENA_ARRAY(core->arena, s->engine->model->output_count, Reading);
    s->stream = run_stream_new(s->engine->engine, &reason);
    return s->stream || core_fail(core, RASP_FAILED, "%s", reason.text);
}

RaspStream *rasp_stream_new(RaspEngine *engine, RaspError *error) {
    RaspStream *s = calloc(1, sizeof *s);
    if (!s) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a stream");
        return NULL;
    }
    s->engine = engine_keep(engine);
    if (core_share(&s->core, &engine->core, error) &&
        core_call(&s->core, error, RASP_FAILED, open_stream, NULL))
        return s;
    rasp_stream_free(s);
    return NULL;
}

void rasp_stream_free(RaspStream *s) {
    if (!s) return;
    run_stream_free(s->stream);
    core_clear(&s->core);
    rasp_engine_free(s->engine);
    free(s);
}

typedef struct Push {
    RaspAtom token;
    RaspReading *readings;
} Push;

static bool push(Core *core, void *context) {
    RaspStream *s = (RaspStream *)core;
    const Push *p = context;
    RtError reason;
    size_t id;
    if (!token_id(s->engine, core, p->token, &id)) return false;
    if (run_stream_length(s->stream) == 0 && !accepts_first(s->engine, core, id)) return false;
    if (!run_stream_push(s->stream, id, s->readings, &reason)) return engine_failed(core, &reason);
    for (size_t k = 0; k < s->engine->model->output_count; k++)
        p->readings[k] = reading_out(s->engine, k, &s->readings[k]);
    return true;
}

bool rasp_stream_push(RaspStream *s, RaspAtom token, RaspReading *readings, RaspError *error) {
    return core_call(&s->core, error, RASP_FAILED, push, &(Push){token, readings});
}
