#include "compile/compile.h"

#include "compile/emit/layout.h"
#include "compile/prove/certificate.h"

#include <stdio.h>
#include <time.h>

/* Inverse temperature for a score gap of 1: e^-64 leaks nothing that a float64 could see. */
static const double BETA = 64;
static const uint32_t ROWS_PER_LEVEL = 64; /* combinations looked at for each value allowed */

CompileOptions compile_options(void) {
    return (CompileOptions){
        .max_length = 16, .first = -1, .where = NODE_NONE, .table_limit = 65536};
}

/* Seconds since `*since`, which becomes now. */
static double lap(double *since) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec, passed = now - *since;
    *since = now;
    return passed;
}

static bool lower_outputs(Compiled *c, const CompileOutput *outputs, Arena *arena,
                          LowerError *error) {
    c->outputs = ARENA_ARRAY(arena, c->output_count, OutputPlan);
    for (uint32_t k = 0; k < c->output_count; k++) {
        bool planned = output_plan(c->lower, outputs[k].name, outputs[k].node, &c->outputs[k]);
        if (planned && !lower_error(c->lower)->message[0]) continue;
        *error = *lower_error(c->lower);
        return false;
    }
    return true;
}

/* Weights for one type and shape of tables, with the certificate; false when memory runs
 * out. */
static bool try_weights(Compiled *c, EmitOptions emit, Arena *arena) {
    Emission rounded;
    double clock = 0;
    lap(&clock);
    c->stats.tries++;
    compiled_clear(c);
    model_free(c->model);
    c->model = NULL;
    c->emit = emit;
    EmitOptions exact = emit;
    exact.dtype = RT_F64;
    bool made = emit_model(c->lower, c->outputs, c->output_count, exact, &c->emission);
    c->ideal = c->emission.model;
    if (!made) return false;
    made = emit_model(c->lower, c->outputs, c->output_count, emit, &rounded);
    c->model = rounded.model;
    if (!made) return false;
    model_round(c->model);
    c->stats.weights += lap(&clock);
    c->certificate = ARENA_NEW(arena, Certificate);
    certificate_check(c, c->model, arena, c->certificate);
    c->stats.certificate += lap(&clock);
    return true;
}

/* What is tried, in order, until the certificate holds: the smaller type first; tables with
 * flat parts where errors would pile up; careful lowering where they would be magnified. */
static const struct Try {
    bool careful, steep;
    RtDtype dtype;
} tries[] = {{false, false, RT_F32}, {false, false, RT_F64}, {false, true, RT_F32},
             {false, true, RT_F64},  {true, true, RT_F32},   {true, true, RT_F64}};

static void explain(Compiled *c, const CompileOptions *options, LowerError *error) {
    bool f32 = options->dtype == COMPILE_F32;
    *error = (LowerError){.node = NODE_NONE, .message = "out of memory for the weights"};
    if (!c->model || !c->ideal) return;
    if (c->certificate->holds)
        snprintf(error->message, sizeof error->message,
                 "the certified error is %.3g, the tolerance %.3g (--tolerance, --dtype)",
                 c->certificate->error, options->tolerance);
    else
        snprintf(
            error->message, sizeof error->message,
            "cannot certify the model in %s: %s (tightest: %s, %.2g times what is allowed; %s)",
            f32 ? "f32" : "f64", c->certificate->broken,
            *c->certificate->where ? c->certificate->where : "none", c->certificate->tightest,
            f32 ? "--dtype f64 is finer" : "a smaller --max-length or fewer steps are easier");
}

static bool choose_weights(Compiled *c, const CompileOutput *outputs, const CompileOptions *options,
                           Arena *arena, LowerError *error) {
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        bool f32 = tries[k].dtype == RT_F32;
        if (options->dtype != COMPILE_AUTO && (options->dtype == COMPILE_F32) != f32) continue;
        if (!c->lower || lower_options(c->lower).careful != tries[k].careful) {
            LowerOptions lowering = {options->masks, options->table_limit, tries[k].careful};
            double clock = 0;
            lap(&clock);
            c->lower = lower_new(c->values, lowering, arena);
            bool lowered = lower_outputs(c, outputs, arena, error);
            c->stats.lowering += lap(&clock);
            c->stats.nodes = graph_count(values_graph(c->values));
            if (!lowered) goto fail;
        }
        EmitOptions emit = {tries[k].dtype, BETA, tries[k].steep, options->log_length};
        if (!try_weights(c, emit, arena)) break;
        bool close = options->tolerance == 0 || c->certificate->error <= options->tolerance;
        if (c->certificate->holds && close) return true;
    }
    explain(c, options, error);
fail:
    compiled_clear(c);
    model_free(c->model);
    c->model = NULL;
    return false;
}

static bool can_be_true(Values *values, NodeId where) {
    const NodeValues *v = values_of(values, where);
    bool some = false;
    for (uint32_t k = 0; k < v->count; k++) some |= atom_truth(v->levels[k]);
    return some;
}

bool compile_graph(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                   const CompileOptions *options, Arena *arena, Compiled *c, LowerError *error) {
    *c = (Compiled){.output_count = output_count};
    c->domain = (Domain){options->alphabet, options->alphabet_size, options->max_length,
                         options->first, options->where};
    c->values = values_new(graph, &c->domain, options->table_limit,
                           (uint64_t)options->table_limit * ROWS_PER_LEVEL, arena);
    if (options->where != NODE_NONE && !values_of(c->values, options->where)) {
        *error = (LowerError){.node = options->where,
                              .message = "too many values to say on which inputs this is true"};
        return false;
    }
    if (options->where != NODE_NONE && !can_be_true(c->values, options->where)) {
        *error = (LowerError){.node = options->where, .message = "is true on no input"};
        return false;
    }
    for (uint32_t k = 0; k < output_count; k++)
        if (graph_node(graph, outputs[k].node)->depth > c->depth)
            c->depth = graph_node(graph, outputs[k].node)->depth;
    return choose_weights(c, outputs, options, arena, error);
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
