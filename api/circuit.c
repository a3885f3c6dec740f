/* The circuit of a model that was just compiled, or of one from a file. */
#include "api/circuit.h"

#include "api/model.h"
#include "compile/prove/difference.h"

typedef struct CircuitCall {
    RaspModel *model;
    Compiled fresh; /* cleared at the end, whatever a stop has jumped over */
} CircuitCall;

/* A loaded model's program, compiled again, must give what was loaded. */
static bool compile_again(Core *core, CircuitCall *call) {
    RaspModel *m = call->model;
    Difference difference;
    if (!model_compile(m, core, &call->fresh)) return false;
    if (!compiled_lay_out(&call->fresh, &m->target.record.options))
        return core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the model's layout");
    model_difference(call->fresh.model, m->model, &difference);
    return difference.same_shape ||
           core_fail(core, RASP_WRONG_FILE,
                     "'%s' is not what its program compiles to, so nothing is known of its "
                     "circuit: %s",
                     m->name, difference.shape);
}

static bool make(Core *core, void *context) {
    CircuitCall *call = context;
    RaspModel *m = call->model;
    if (!m->is_compiled && !compile_again(core, call)) return false;
    bool standard = m->target.record.options.layout == LAYOUT_STANDARD;
    m->circuit = circuit_view(m->is_compiled ? &m->compiled : &call->fresh, m->model, standard,
                              session_sources(m->program->session), core->arena);
    return true;
}

/* What a compilation leaves lives with the model, within its program's budget. */
static bool make_again(RaspModel *m, CircuitCall *call, RaspError *error) {
    bool done = rasp_model_program(m, error) &&
                core_share(&m->compiling, &m->program->core, error) &&
                core_call(&m->compiling, error, RASP_FAILED, make, call);
    compiled_clear(&call->fresh);
    model_free(call->fresh.model);
    if (!done) core_clear(&m->compiling);
    return done;
}

const RaspCircuit *rasp_model_circuit(RaspModel *m, RaspError *error) {
    CircuitCall call = {.model = m};
    if (m->circuit) return m->circuit;
    bool done = m->is_compiled ? core_call(&m->compiling, error, RASP_FAILED, make, &call)
                               : make_again(m, &call, error);
    return done ? m->circuit : NULL;
}
