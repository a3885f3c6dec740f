#include "compile/compile.h"

#include "base/clock.h"
#include "compile/compile_trace.h"
#include "compile/emit/emit.h"
#include "compile/emit/layout.h"
#include "compile/emit/schedule.h"
#include "compile/prove/certificate.h"

#include <stdio.h>
#include <string.h>

/* Inverse temperature for a score gap of 1: e^-64 leaks nothing that a float64 could see. */
static const double BETA = 64;
static const uint32_t ROWS_PER_LEVEL = 64; /* combinations looked at for each value allowed */

CompileOptions compile_options(void) {
    return (CompileOptions){
        .max_length = 16, .first = -1, .where = NODE_NONE, .table_limit = 65536};
}

Domain compile_domain(const CompileOptions *options) {
    return (Domain){options->alphabet, options->alphabet_size, options->max_length, options->first,
                    options->where};
}

/* The steps between a graph and its weights. */
typedef struct Compiler {
    const CompileOptions *options;
    const CompileOutput *outputs;
    uint32_t output_count, depth;
    Values *values;
    Lower *lower; /* NULL: not yet */
    OutputPlan *plans;
    Compiled *c;
    LowerError *error;
} Compiler;

static void forget_models(Compiled *c) {
    compiled_clear(c);
    model_free(c->model);
    c->model = NULL;
}

static bool lower_outputs(Compiler *k, bool careful) {
    Compiled *c = k->c;
    LowerOptions lowering = {k->options->masks, k->options->table_limit, careful};
    k->lower = lower_new(k->values, lowering, c->arena);
    k->plans = ARENA_ARRAY(c->arena, k->output_count, OutputPlan);
    c->circuit = NULL;
    for (uint32_t o = 0; o < k->output_count; o++) {
        bool planned = output_plan(k->lower, k->outputs[o].name, k->outputs[o].node, &k->plans[o]);
        if (planned && !lower_error(k->lower)->message[0]) continue;
        *k->error = *lower_error(k->lower);
        return false;
    }
    return true;
}

static bool lower_timed(Compiler *k, bool careful) {
    double start = clock_seconds();
    bool lowered = lower_outputs(k, careful);
    k->c->stats.lowering += clock_seconds() - start;
    k->c->stats.nodes = graph_count(values_graph(k->values));
    return lowered;
}

/* The circuit with this shape of tables and its exact weights, unless they are there. */
static bool make_circuit(Compiler *k, bool steep) {
    Compiled *c = k->c;
    if (c->circuit && c->ideal && c->circuit->options.steep == steep) return true;
    compiled_clear(c);
    CircuitOptions options = {BETA, steep, k->options->log_length};
    c->circuit = circuit_make(k->lower, k->plans, k->output_count, options, k->depth, c->arena);
    return emit_model(c->circuit, RT_F64, c->arena, &c->ideal);
}

/* Weights for one type and shape of tables, with the certificate; false when memory runs
 * out. */
static bool try_weights(Compiler *k, RtDtype dtype, bool steep) {
    Compiled *c = k->c;
    double start = clock_seconds();
    c->stats.tries++;
    model_free(c->model);
    c->model = NULL;
    if (!make_circuit(k, steep) || !emit_model(c->circuit, dtype, c->arena, &c->model)) {
        forget_models(c);
        return false;
    }
    model_round(c->model);
    double made = clock_seconds();
    Certificate *certificate = ARENA_NEW(c->arena, Certificate);
    certificate_check(c->circuit, c->ideal, c->model, c->arena, certificate);
    c->certificate = certificate;
    c->stats.weights += made - start;
    c->stats.certificate += clock_seconds() - made;
    return true;
}

/* What is tried, in order, until the certificate holds: the smaller type first; tables with
 * flat parts where errors would pile up; careful lowering where they would be magnified. */
static const struct Try {
    bool careful, steep;
    RtDtype dtype;
} tries[] = {{false, false, RT_F32}, {false, false, RT_F64}, {false, true, RT_F32},
             {false, true, RT_F64},  {true, true, RT_F32},   {true, true, RT_F64}};

static void explain(const Compiled *c, const CompileOptions *options, LowerError *error) {
    bool f32 = options->dtype == COMPILE_F32;
    *error = (LowerError){.node = NODE_NONE, .message = "out of memory for the weights"};
    if (!c->model || !c->ideal) return;
    const Certificate *certificate = c->certificate;
    if (certificate->holds)
        snprintf(error->message, sizeof error->message,
                 "the certified error is %.3g, the tolerance %.3g (--tolerance, --dtype)",
                 certificate->error, options->tolerance);
    else
        snprintf(error->message, sizeof error->message, "cannot certify the model in %s: %s (%s)",
                 f32 ? "f32" : "f64", certificate->broken,
                 f32 ? "--dtype f64 is finer" : "a smaller --max-length or fewer steps are easier");
}

static bool choose_weights(Compiler *k) {
    const CompileOptions *options = k->options;
    Compiled *c = k->c;
    for (size_t t = 0; t < sizeof tries / sizeof *tries; t++) {
        bool f32 = tries[t].dtype == RT_F32, careful = tries[t].careful;
        if (options->dtype != COMPILE_AUTO && (options->dtype == COMPILE_F32) != f32) continue;
        if (!k->lower || lower_options(k->lower).careful != careful)
            if (!lower_timed(k, careful)) {
                forget_models(c);
                return false;
            }
        if (!try_weights(k, tries[t].dtype, tries[t].steep)) break;
        bool close = options->tolerance == 0 || c->certificate->error <= options->tolerance;
        if (c->certificate->holds && close) return true;
    }
    explain(c, options, k->error);
    forget_models(c);
    return false;
}

static bool can_be_true(Values *values, NodeId where) {
    const NodeValues *v = values_of(values, where);
    bool some = false;
    for (uint32_t k = 0; k < v->count; k++) some |= atom_truth(v->levels[k]);
    return some;
}

/* In memory of their own, whatever the caller does with the options. */
static const Domain *keep_domain(const CompileOptions *options, Arena *arena) {
    Domain *domain = ARENA_NEW(arena, Domain);
    Atom *alphabet = ARENA_ARRAY(arena, options->alphabet_size, Atom);
    memcpy(alphabet, options->alphabet, options->alphabet_size * sizeof *alphabet);
    *domain = compile_domain(options);
    domain->alphabet = alphabet;
    return domain;
}

static bool check_where(Values *values, NodeId where, LowerError *error) {
    if (where == NODE_NONE) return true;
    *error = (LowerError){.node = where};
    const char *message = NULL;
    if (!values_of(values, where))
        message = "too many values to say on which inputs this is true";
    else if (!can_be_true(values, where))
        message = "is true on no input";
    if (message) snprintf(error->message, sizeof error->message, "%s", message);
    return !message;
}

bool compile_graph(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                   const CompileOptions *options, Arena *arena, Compiled *c, LowerError *error) {
    *c = (Compiled){.arena = arena};
    Compiler k = {.options = options,
                  .outputs = outputs,
                  .output_count = output_count,
                  .c = c,
                  .error = error};
    k.values = values_new(graph, keep_domain(options, arena), options->table_limit,
                          (uint64_t)options->table_limit * ROWS_PER_LEVEL, arena);
    c->trace = ARENA_NEW(arena, CompileTrace);
    c->trace->values = k.values;
    if (!check_where(k.values, options->where, error)) return false;
    for (uint32_t o = 0; o < output_count; o++)
        if (graph_node(graph, outputs[o].node)->depth > k.depth)
            k.depth = graph_node(graph, outputs[o].node)->depth;
    return choose_weights(&k);
}

bool compiled_lay_out(Compiled *compiled, const CompileOptions *options) {
    if (options->layout == LAYOUT_COMPACT) return true;
    Model *standard = layout_standard(compiled->model);
    if (!standard) return false;
    model_free(compiled->model);
    compiled->model = standard;
    return true;
}

void compiled_clear(Compiled *compiled) {
    model_free(compiled->ideal);
    compiled->ideal = NULL;
}
