/* Forward passes on many inputs. */
#include "api/engine.h"

#include <string.h>

enum { AT_ONCE = 256 }; /* inputs whose results are kept at a time: in a cache, if they are short */

typedef struct BatchCall {
    const RaspBatch *batch;
    const RaspBatchReadings *readings;
    size_t tokens; /* of the whole batch */
} BatchCall;

/* Some of the inputs: `count` from number `first` on, whose tokens begin at `at`. */
typedef struct Some {
    size_t first, count, at;
    RunInput *inputs;
    RunResult *results;
    Reading *readings; /* the results' */
} Some;

/* The error of one input, with its number in front. */
static bool fail_input(Core *core, size_t input, const RaspError *reason) {
    return core_fail(core, reason->status, "input %zu: %s", input, reason->text);
}

static bool accepts(const RaspEngine *e, Core *core, const RunInput *input, size_t number,
                    Arena *arena) {
    const RaspModelInfo *info = &e->owner->info;
    if (info->first < 0 && !e->judge) return true;
    RaspAtom *tokens = ARENA_BLOCK(arena, input->n, RaspAtom);
    for (size_t k = 0; k < input->n; k++) tokens[k] = info->alphabet[input->ids[k]];
    RaspInput wanted = {.tokens = tokens, .count = input->n};
    RaspError reason = {0}, *outer = core->error;
    core->error = &reason;
    bool fine = engine_accepts(e, core, input->ids[0], &wanted);
    core->error = outer;
    return fine || fail_input(core, number, &reason);
}

static bool read_input(const RaspEngine *e, Core *core, const RaspBatch *batch, size_t number,
                       size_t at, Arena *arena, RunInput *input) {
    const RaspModelInfo *info = &e->owner->info;
    size_t n = batch->lengths[number];
    if (n < 1 || n > info->max_length)
        return core_fail(core, RASP_FAILED, "input %zu: expected from 1 to %zu tokens, found %zu",
                         number, info->max_length, n);
    size_t *ids = ARENA_BLOCK(arena, n, size_t);
    for (size_t k = 0; k < n; k++) {
        ids[k] = batch->ids[at + k];
        if (ids[k] >= info->alphabet_size)
            return core_fail(core, RASP_FAILED,
                             "input %zu: expected numbers of tokens below %zu, found %zu at "
                             "position %zu",
                             number, info->alphabet_size, ids[k], k);
    }
    *input = (RunInput){ids, n};
    return accepts(e, core, input, number, arena);
}

/* Does the flag of the output say that there is an answer? */
static bool has_answer(const RaspEngine *e, const RunResult *result, size_t output) {
    ptrdiff_t flag = e->owner->info.outputs[output].flag;
    for (size_t i = 0; flag >= 0 && i < result->length; i++) {
        const Reading *r = run_reading(result, (size_t)flag, i);
        if (!rasp_atom_equal(engine_value(e, (size_t)flag, r), rasp_bool(false))) return false;
    }
    return true;
}

static void write_readings(const RaspEngine *e, const BatchCall *call, const RunResult *result,
                           size_t at) {
    const RaspBatchReadings *to = call->readings;
    for (size_t k = 0; k < e->owner->info.output_count; k++) {
        bool answered = has_answer(e, result, k);
        const Reading *r = run_reading(result, k, 0);
        for (size_t i = 0, cell = k * call->tokens + at; i < result->length; i++, cell++, r++) {
            if (to->values) to->values[cell] = answered ? (int32_t)r->index : RASP_NO_ANSWER;
            if (to->numbers) to->numbers[cell] = r->number;
            if (to->margins) to->margins[cell] = r->margin;
        }
    }
}

static bool run_some(const RaspEngine *e, Core *core, const BatchCall *call, const Some *some) {
    RtError reason;
    if (!engine_run_batch_in(e->engine, some->inputs, some->count, some->results, some->readings,
                             &reason))
        return core->config.cancel && *core->config.cancel
                   ? engine_failed(core, &reason)
                   : core_fail(core, RASP_FAILED, "counted from input %zu: %s", some->first,
                               reason.text);
    for (size_t k = 0, at = some->at; k < some->count; at += some->inputs[k++].n)
        write_readings(e, call, &some->results[k], at);
    return true;
}

static bool run(Core *core, void *context) {
    const RaspEngine *e = (const RaspEngine *)core;
    const BatchCall *call = context;
    Some some = {0};
    bool fine = true;
    for (; fine && some.first < call->batch->count; some.first += some.count) {
        Arena *arena = arena_child(core->arena);
        size_t left = call->batch->count - some.first, tokens = 0;
        some.count = left < AT_ONCE ? left : AT_ONCE;
        some.inputs = ARENA_ARRAY(arena, some.count, RunInput);
        some.results = ARENA_ARRAY(arena, some.count, RunResult);
        for (size_t k = 0; fine && k < some.count; tokens += some.inputs[k++].n)
            fine = read_input(e, core, call->batch, some.first + k, some.at + tokens, arena,
                              &some.inputs[k]);
        if (fine) some.readings = ARENA_BLOCK(arena, tokens * e->model->output_count, Reading);
        fine = fine && run_some(e, core, call, &some);
        some.at += tokens;
        arena_free(arena);
    }
    return fine;
}

bool rasp_forward_batch(RaspEngine *engine, const RaspBatch *batch,
                        const RaspBatchReadings *readings, RaspError *error) {
    BatchCall call = {batch, readings, 0};
    for (size_t k = 0; k < batch->count; k++) call.tokens += batch->lengths[k];
    return core_call(&engine->core, error, RASP_FAILED, run, &call);
}
