#include "compile/compile.h"

#include <string.h>

static const uint32_t ROWS_PER_LEVEL = 64; /* combinations looked at for each value allowed */

CompileOptions compile_options(void) {
    return (CompileOptions){
        .max_length = 16, .first = -1, .where = NODE_NONE, .table_limit = 65536};
}

static bool lower_outputs(Compiled *c, const CompileOutput *outputs, Arena *arena,
                          LowerError *error) {
    c->outputs = ARENA_ARRAY(arena, c->output_count, OutputPlan);
    for (uint32_t k = 0; k < c->output_count; k++) {
        if (output_plan(c->lower, outputs[k].name, outputs[k].node, &c->outputs[k])) continue;
        *error = *lower_error(c->lower);
        return false;
    }
    return true;
}

bool compile_graph(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                   const CompileOptions *options, Arena *arena, Compiled *c, LowerError *error) {
    *c = (Compiled){.output_count = output_count};
    c->domain = (Domain){options->alphabet, options->alphabet_size, options->max_length,
                         options->first, options->where};
    c->values = values_new(graph, &c->domain, options->table_limit,
                           (uint64_t)options->table_limit * ROWS_PER_LEVEL, arena);
    c->lower = lower_new(c->values, (LowerOptions){options->masks, options->table_limit}, arena);
    for (uint32_t k = 0; k < output_count; k++)
        if (graph_node(graph, outputs[k].node)->depth > c->depth)
            c->depth = graph_node(graph, outputs[k].node)->depth;
    if (!lower_outputs(c, outputs, arena, error)) return false;
    c->emit = (EmitOptions){.dtype = options->dtype == COMPILE_F32 ? RT_F32 : RT_F64,
                            .beta = 64,
                            .log_length = options->log_length};
    if (emit_model(c->lower, c->outputs, output_count, c->emit, &c->emission)) {
        c->model = c->emission.model;
        return true;
    }
    model_free(c->emission.model);
    *error = (LowerError){.node = NODE_NONE, .message = "out of memory for the weights"};
    return false;
}
