/* The inputs of a target, one by one. */
#include "api/rasp_check.h"
#include "api/target.h"
#include "api/value.h"

#include "compile/inputs.h"

#include <stdlib.h>

struct RaspInputs {
    Core core; /* within the program's budget */
    RaspProgram *program;
    Record record;
    Domain domain;
    Inputs *inputs;
    uint64_t wanted, tried, inside; /* those of other pieces, too */
    uint32_t *ids;                  /* of the last input */
    RaspAtom *alphabet, *tokens;    /* and its tokens */
    RaspInputsInfo info;
};

typedef struct InputsCall {
    RaspInputs *inputs;
    const RaspTarget *target;
    const RaspCheckOptions *options;
} InputsCall;

static bool prepare(Core *core, void *context) {
    const InputsCall *call = context;
    const RaspCheckOptions *o = call->options;
    RaspInputs *i = call->inputs;
    Arena *arena = i->core.arena;
    const CompileOptions *c = &i->record.options;
    (void)core;
    i->record = (Record){.options = compile_options()};
    if (!target_domain(i->program, call->target, &i->record)) return false;
    i->domain = (Domain){c->alphabet, c->alphabet_size, c->max_length, c->first, c->where};
    i->wanted = o->count;
    InputPlan plan = {o->exhaustive_limit, o->count, o->seed, {o->shard - 1, o->shards}};
    i->inputs = inputs_new(&i->domain, plan, arena);
    i->ids = ARENA_ARRAY(arena, c->max_length, uint32_t);
    i->tokens = ARENA_ARRAY(arena, c->max_length, RaspAtom);
    i->alphabet = ARENA_ARRAY(arena, c->alphabet_size, RaspAtom);
    for (uint32_t k = 0; k < c->alphabet_size; k++) i->alphabet[k] = atom_out(c->alphabet[k]);
    i->info = (RaspInputsInfo){.exhaustive = inputs_exhaustive(i->inputs),
                               .complete_length = inputs_complete_length(i->inputs),
                               .max_length = c->max_length,
                               .seed = o->seed};
    return true;
}

RaspInputs *rasp_inputs_new(RaspProgram *program, const RaspTarget *target,
                            const RaspCheckOptions *options, RaspError *error) {
    static const RaspTarget any;
    RaspCheckOptions usual = rasp_check_options();
    RaspInputs *i = calloc(1, sizeof *i);
    if (!i) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for the inputs");
        return NULL;
    }
    i->program = program_keep(program);
    InputsCall call = {i, target ? target : &any, options ? options : &usual};
    if (core_share(&i->core, &program->core, error) &&
        core_call(&program->core, error, RASP_WRONG_PROGRAM, prepare, &call))
        return i;
    rasp_inputs_free(i);
    return NULL;
}

void rasp_inputs_free(RaspInputs *i) {
    if (!i) return;
    core_clear(&i->core);
    rasp_program_free(i->program);
    free(i);
}

/* --- giving ----------------------------------------------------------------------------- */

static bool is_true(RaspAtom atom) {
    return atom.kind == RASP_STRING ? atom.as.s.length > 0
                                    : !rasp_atom_equal(atom, rasp_bool(false));
}

/* Does `where` hold everywhere?  An input on which it fails is outside, too. */
static bool is_inside(RaspInputs *i, const RaspInput *input, RaspError *error) {
    RaspSop where = {.node = i->domain.where};
    if (where.node == NODE_NONE) return true;
    RaspRun *run =
        rasp_run_new(i->program, input, &where, 1, &(RaspRunOptions){.threads = 1}, error);
    const RaspSequence *values = run ? rasp_run_sequence(run, 0, error) : NULL;
    bool inside = values != NULL;
    for (size_t k = 0; inside && k < rasp_sequence_length(values); k++)
        inside = is_true(rasp_sequence_at(values, k));
    rasp_run_free(run);
    if (values || error->status == RASP_FAILED) *error = (RaspError){0};
    return inside;
}

/* What is drawn never ends: enough were given, or the domain has hardly any. */
static bool is_enough(const RaspInputs *i) {
    return !i->info.exhaustive &&
           (i->inside >= i->wanted || i->tried >= i->wanted * INPUTS_OUTSIDE);
}

bool rasp_inputs_next(RaspInputs *i, RaspInput *input, RaspError *error) {
    RaspError unwanted;
    if (!error) error = &unwanted;
    *error = (RaspError){0};
    while (!is_enough(i)) {
        uint32_t length = inputs_next(i->inputs, i->ids);
        if (length == 0) return false;
        for (uint32_t k = 0; k < length; k++) i->tokens[k] = i->alphabet[i->ids[k]];
        *input = (RaspInput){.tokens = i->tokens, .count = length};
        i->tried++;
        bool inside = is_inside(i, input, error);
        if (error->status != RASP_OK) return false;
        i->inside += inside;
        if (!inputs_own(i->inputs)) continue;
        i->info.outside += !inside;
        if (!inside) continue;
        i->info.number = inputs_number(i->inputs);
        return ++i->info.given;
    }
    return false;
}

RaspInputsInfo rasp_inputs_info(const RaspInputs *i) {
    return i->info;
}
