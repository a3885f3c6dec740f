/* judge_fixture.h: compiled programs, and of what the compiler knows of them the claims alone. */
#ifndef RASP_TESTS_JUDGE_FIXTURE_H
#define RASP_TESTS_JUDGE_FIXTURE_H

#include "tests/unit/compile_fixture.h"

#include "compile/prove/judge.h"

#include <math.h>

typedef struct Case {
    const char *text, *alphabet;
    uint32_t max_length;
} Case;

static const Case cases[] = {
    {"result = selector_width(select(tokens, tokens, ==));", "abc", 4},
    {"result = aggregate(select(indices, length - 1 - indices, ==), tokens);", "abc", 4},
    {"result = sort(tokens, tokens);", "ab", 4},
    {"result = sort(tokens, -selector_width(select(tokens, tokens, ==)));", "ab", 4},
    {"result = aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0.5;", "ab",
     5},
    {"result = aggregate(select(tokens, \"a\", ==), indices, -1);", "ab", 5},
    {"d = {\"a\": \"b\", \"b\": \"c\", \"c\": \"a\", \"-\": \"-\"};\n"
     "result = d[d[shift(tokens, 1, \"-\")]];",
     "abc", 4},
    {"result = has_focus(select(tokens, tokens, ==) and select(indices, indices, <));", "abc", 4},
    {"key = 4 * tokens_int + indices;\n"
     "result = has_focus(select(key, key + tokens_int, <) and select(tokens, \"1\", ==));",
     "012", 4},
    {"result = selector_width(select(tokens, tokens, ==) or select(indices, indices, <));", "ab",
     5},
    {"result = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));", "ab", 5},
};
enum { CASES = sizeof cases / sizeof *cases };

static inline void open_case(CompileFixture *f, const Case *c) {
    fixture_open(f, c->text, c->alphabet, c->max_length);
    if (!fixture_compile(f)) fail_msg("%s: %s", c->text, f->error.message);
}

/* --- claims alone --------------------------------------------------------------------- */

/* The claims that a file can make, in memory of their own: nothing else of the circuit's. */
typedef struct Claims {
    Circuit circuit;
    CircuitPart *parts;
    CircuitHead *heads;
    CircuitTable *tables;
    CircuitClear *clears;
    CircuitOutput *outputs;
} Claims;

static inline void copy_heads(Claims *k, const Circuit *c, Arena *arena) {
    k->circuit.heads = k->heads = ARENA_ARRAY(arena, c->head_count, CircuitHead);
    for (uint32_t h = 0; h < c->head_count; h++) {
        const CircuitHead *from = &c->heads[h];
        CircuitComponent *part = ARENA_ARRAY(arena, from->component_count, CircuitComponent);
        for (uint32_t m = 0; m < from->component_count; m++)
            part[m] = (CircuitComponent){.node = from->components[m].node,
                                         .part = from->components[m].part};
        k->heads[h] = (CircuitHead){.layer = from->layer,
                                    .index = from->index,
                                    .stage = from->stage,
                                    .selector = from->selector,
                                    .kind = from->kind,
                                    .score = {.mask = from->score.mask},
                                    .components = part,
                                    .component_count = from->component_count};
    }
}

static inline void copy_tables(Claims *k, const Circuit *c, Arena *arena) {
    k->circuit.tables = k->tables = ARENA_ARRAY(arena, c->table_count, CircuitTable);
    for (uint32_t t = 0; t < c->table_count; t++) {
        const CircuitTable *from = &c->tables[t];
        TableOutput *output = ARENA_ARRAY(arena, from->output_count, TableOutput);
        for (uint32_t o = 0; o < from->output_count; o++)
            output[o] = (TableOutput){.node = from->outputs[o].node, .part = from->outputs[o].part};
        k->tables[t] = (CircuitTable){.layer = from->layer,
                                      .sublayer = from->sublayer,
                                      .first_unit = from->first_unit,
                                      .stage = from->stage,
                                      .x = from->x,
                                      .outputs = output,
                                      .output_count = from->output_count,
                                      .shape = {.unit_count = from->shape.unit_count}};
    }
}

static inline void copy_others(Claims *k, const Circuit *c, Arena *arena) {
    k->circuit.parts = k->parts = ARENA_ARRAY(arena, c->part_count, CircuitPart);
    for (uint32_t p = 0; p < c->part_count; p++) {
        const CircuitPart *from = &c->parts[p];
        k->parts[p] = (CircuitPart){.origin = from->origin,
                                    .node = from->node,
                                    .dim = from->dim,
                                    .born = from->born,
                                    .last = from->last};
    }
    k->circuit.clears = k->clears = ARENA_ARRAY(arena, c->clear_count, CircuitClear);
    for (uint32_t m = 0; m < c->clear_count; m++) {
        k->clears[m] = c->clears[m];
        k->clears[m].least = NAN;
    }
    k->circuit.outputs = k->outputs = ARENA_ARRAY(arena, c->output_count, CircuitOutput);
    for (uint32_t o = 0; o < c->output_count; o++) {
        k->outputs[o] = c->outputs[o];
        k->outputs[o].forms = NULL;
        k->outputs[o].most = NULL;
    }
}

static inline Claims claims_of(const Circuit *c, Arena *arena) {
    Claims k = {.circuit = {.graph = c->graph,
                            .domain = c->domain,
                            .width = c->width,
                            .sink = c->sink,
                            .one = c->one,
                            .first_layer = c->first_layer,
                            .layers = c->layers,
                            .layer_count = c->layer_count,
                            .part_count = c->part_count,
                            .head_count = c->head_count,
                            .table_count = c->table_count,
                            .clear_count = c->clear_count,
                            .output_count = c->output_count}};
    k.circuit.options.kernel = c->options.kernel;
    k.circuit.options.log_length = c->options.log_length;
    copy_heads(&k, c, arena);
    copy_tables(&k, c, arena);
    copy_others(&k, c, arena);
    return k;
}

static inline bool judged(CompileFixture *f, const Circuit *claims, const Model *model,
                          Verdict *v) {
    return judge_claims(claims, session_graph(f->session), f->options.way, f->options.table_limit,
                        model, f->arena, v);
}

/* What is let pass must be right, and within the bound. */
static inline void must_be_right(CompileFixture *f, const Verdict *v, const char *text,
                                 const char *what) {
    CheckReport report = fixture_check(f, f->compiled.model);
    bool right = report.runs[0].agreed == report.compared;
    double error = report.runs[0].largest_error;
    double bound = v->certificate.error + v->certificate.joined_absolute;
    if (!right || error > bound)
        fail_msg("%s: holds with %s: %s, error %g, bound %g", text, what, right ? "right" : "wrong",
                 error, bound);
}

#endif
