/* The graph below some s-ops, to read, and its values on one input. */
#include "api/rasp_graph.h"

#include "api/drawing.h"
#include "api/input.h"
#include "api/program.h"
#include "api/repl.h"
#include "api/value.h"

#include "graph/analysis.h"

#include <stdlib.h>

struct RaspGraph {
    Core core;            /* within the budget of the program or session */
    RaspProgram *program; /* or … */
    RaspRepl *repl;
    Session *session;
    Exec *exec; /* NULL: there is no input */
    RaspSequence tokens;
    bool is_string;
    RaspGraphNode *nodes;
    size_t count;
    NodeId *ids;      /* [count]: of the session's graph */
    uint32_t *number; /* [the session's nodes]: the way back */
    uint32_t *roots;
    RaspGraphHead *heads;
    size_t head_count;
    RaspSequence *sequences; /* [count], once asked for */
    const bool **selections; /* the same */
};

/* What a call is made for. */
typedef struct Call {
    RaspGraph *graph;
    const RaspSop *sops;
    size_t count;
    const RaspInput *input;
    uint32_t node;
    const char *title;
    char *text;
} Call;

/* In an event of a session a stop must end the session's statement. */
static bool call_graph(RaspGraph *g, RaspError *error, CoreBody *body, Call *call) {
    call->graph = g;
    if (g->repl) return repl_ask(g->repl, error, body, call);
    return core_call(&g->core, error, RASP_FAILED, body, call);
}

/* --- nodes ------------------------------------------------------------------------------ */

enum { TEXT_LIMIT = 200 };

static const char *operator_of(const Node *node) {
    static const char *const token_name[TOKENS_COUNT] = {
#define TOKENS(id, spelling, display, ...) [TOKENS_##id] = display,
#include "base/builtin.def"
    };
    static const char *const lookup_name[] = {[LOOKUP_LIST] = "list",
                                              [LOOKUP_STRING] = "string",
                                              [LOOKUP_DICT] = "dict",
                                              [LOOKUP_SET] = "set"};
    if (node->kind == NODE_TOKENS) return token_name[node->tokens];
    if (node->kind == NODE_MAP || node->kind == NODE_SELECT) return ops[node->op].spelling;
    return node->kind == NODE_LOOKUP ? lookup_name[node->lookup->kind] : NULL;
}

static const RaspAtom *atoms_out(const Atom *atoms, size_t count, Arena *arena) {
    if (!atoms) return NULL;
    RaspAtom *out = ARENA_ARRAY(arena, count + 1, RaspAtom);
    for (size_t k = 0; k < count; k++) out[k] = atom_out(atoms[k]);
    return out;
}

static void fill_lookup(RaspGraphNode *out, const Lookup *lookup, Arena *arena) {
    if (!lookup) return;
    out->entry_count = lookup->count;
    out->keys = atoms_out(lookup->keys, lookup->count, arena);
    out->entries = atoms_out(lookup->values, lookup->count, arena);
}

static RaspGraphNode node_out(RaspGraph *g, NodeId id, const Layers *layers) {
    static const RaspGraphKind kinds[] = {
        [NODE_TOKENS] = RASP_GRAPH_TOKENS,     [NODE_INDICES] = RASP_GRAPH_INDICES,
        [NODE_CONSTANT] = RASP_GRAPH_CONSTANT, [NODE_MAP] = RASP_GRAPH_MAP,
        [NODE_LOOKUP] = RASP_GRAPH_LOOKUP,     [NODE_SELECT] = RASP_GRAPH_SELECT,
        [NODE_AND] = RASP_GRAPH_AND,           [NODE_OR] = RASP_GRAPH_OR,
        [NODE_NOT] = RASP_GRAPH_NOT,           [NODE_AGGREGATE] = RASP_GRAPH_AGGREGATE,
        [NODE_WIDTH] = RASP_GRAPH_WIDTH,
    };
    const Graph *graph = session_graph(g->session);
    const Node *node = graph_node(graph, id);
    bool selector = node_is_selector(node);
    RaspGraphNode out = {.kind = kinds[node->kind],
                         .op = operator_of(node),
                         .operand_count = (uint32_t)node->arity,
                         .layer = node->depth,
                         .head = layers->head_of[id],
                         .uniform = selector && layers->alike[id],
                         .everything = selector && selects_everything(graph, id),
                         .name = node->name ? node->name->text : NULL,
                         .text = graph_text(graph, id, TEXT_LIMIT, g->core.arena),
                         .place = place_of(session_sources(g->session), node->span)};
    if (node->kind == NODE_CONSTANT || node->kind == NODE_AGGREGATE)
        out.atom = atom_out(node->atom);
    for (int k = 0; k < node->arity; k++) out.operand[k] = g->number[node->arg[k]];
    fill_lookup(&out, node->lookup, g->core.arena);
    return out;
}

static void list_heads(RaspGraph *g, const Layers *layers) {
    g->heads = ARENA_ARRAY(g->core.arena, layers->head_count + 1, RaspGraphHead);
    g->head_count = layers->head_count;
    for (size_t k = 0; k < layers->head_count; k++) {
        NodeId selector = layers->heads[k].selector;
        uint32_t node = selector == NODE_NONE ? RASP_NO_NODE : g->number[selector];
        g->heads[k] = (RaspGraphHead){layers->heads[k].layer, node};
    }
}

static void list_nodes(RaspGraph *g, const NodeId *roots, size_t count) {
    const Graph *graph = session_graph(g->session);
    Arena *arena = g->core.arena;
    uint32_t total = graph_count(graph);
    const bool *needed = graph_needed(graph, roots, count, arena);
    Layers layers = analyse_layers(graph, roots, count, arena);
    g->ids = ARENA_ARRAY(arena, (size_t)total + 1, NodeId);
    g->number = ARENA_ARRAY(arena, (size_t)total + 1, uint32_t);
    for (NodeId id = 0; id < total; id++) {
        g->number[id] = needed[id] ? (uint32_t)g->count : RASP_NO_NODE;
        if (needed[id]) g->ids[g->count++] = id;
    }
    g->nodes = ARENA_ARRAY(arena, g->count + 1, RaspGraphNode);
    for (size_t k = 0; k < g->count; k++) g->nodes[k] = node_out(g, g->ids[k], &layers);
    g->roots = ARENA_ARRAY(arena, count + 1, uint32_t);
    for (size_t k = 0; k < count; k++) g->roots[k] = g->number[roots[k]];
    list_heads(g, &layers);
    g->sequences = ARENA_ARRAY(arena, g->count + 1, RaspSequence);
    g->selections = ARENA_ARRAY(arena, g->count + 1, const bool *);
}

/* --- graphs of programs ----------------------------------------------------------------- */

static bool read_tokens(RaspGraph *g, const RaspInput *from) {
    Tokens tokens;
    Arena *arena = g->core.arena;
    if (!input_read(&g->core, from, arena, &tokens)) return false;
    Atom *atoms = ARENA_BLOCK(arena, tokens.count, Atom);
    for (size_t k = 0, at = 0; k < tokens.count; k++)
        atoms[k] = atom_in(tokens_next(&tokens, k, &at), session_intern(g->session));
    Input input = {.tokens = atoms, .length = tokens.count, .is_string = tokens.text != NULL};
    g->is_string = input.is_string;
    g->tokens = sequence_of_tokens(atoms, tokens.count);
    g->exec = exec_new(session_graph(g->session), &input, (ExecOptions){.keep = true}, arena);
    return true;
}

static bool read_program(Core *core, void *context) {
    const Call *call = context;
    RaspGraph *g = call->graph;
    if (call->input && !read_tokens(g, call->input)) return false;
    NodeId *roots = ARENA_ARRAY(core->arena, call->count + 1, NodeId);
    for (size_t k = 0; k < call->count; k++) roots[k] = call->sops[k].node;
    list_nodes(g, roots, call->count);
    return true;
}

static RaspGraph *new_graph(const Core *owner, RaspError *error) {
    RaspGraph *g = calloc(1, sizeof *g);
    if (!g) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a graph");
        return NULL;
    }
    if (core_share(&g->core, owner, error)) return g;
    free(g);
    return NULL;
}

RaspGraph *rasp_graph_new(RaspProgram *program, const RaspSop *sops, size_t count,
                          const RaspInput *input, RaspError *error) {
    RaspGraph *g = new_graph(&program->core, error);
    if (!g) return NULL;
    g->program = program_keep(program);
    g->session = program->session;
    Call call = {.sops = sops, .count = count, .input = input};
    if (call_graph(g, error, read_program, &call)) return g;
    rasp_graph_free(g);
    return NULL;
}

void rasp_graph_free(RaspGraph *g) {
    if (!g) return;
    core_clear(&g->core);
    rasp_program_free(g->program);
    free(g);
}

/* --- graphs of what a session draws ----------------------------------------------------- */

static bool read_value(Core *core, void *context) {
    const Call *call = context;
    (void)core;
    list_nodes(call->graph, &(NodeId){call->node}, 1);
    return true;
}

RaspGraph *rasp_value_graph(RaspRepl *repl, RaspValue value, RaspError *error) {
    Exec *exec = repl_exec(repl);
    if (value.kind != RASP_VALUE_SOP || !exec) {
        error_set(error, RASP_WRONG_USE, "only an s-op that is applied or drawn has a graph");
        return NULL;
    }
    RaspGraph *g = new_graph((const Core *)repl, error);
    if (!g) return NULL;
    g->repl = repl;
    g->session = repl_session(repl);
    g->exec = exec;
    const Input *input = exec_input(exec);
    g->is_string = input->is_string;
    g->tokens = sequence_of_tokens(input->tokens, input->length);
    Call call = {.node = repl_node(value)};
    if (call_graph(g, error, read_value, &call)) return g;
    rasp_graph_free(g);
    return NULL;
}

/* --- reading ---------------------------------------------------------------------------- */

const RaspGraphNode *rasp_graph_nodes(const RaspGraph *g, size_t *count) {
    *count = g->count;
    return g->nodes;
}

uint32_t rasp_graph_root(const RaspGraph *g, size_t k) {
    return g->roots[k];
}

const RaspGraphHead *rasp_graph_heads(const RaspGraph *g, size_t *count) {
    *count = g->head_count;
    return g->heads;
}

const RaspSequence *rasp_graph_input(const RaspGraph *g, bool *is_string) {
    if (is_string) *is_string = g->is_string;
    return g->exec ? &g->tokens : NULL;
}

static bool report_fault(RaspGraph *g, Core *core, Fault *fault) {
    if (g->repl) return core_fail(core, RASP_FAILED, "%s", fault_text(fault, g->core.arena));
    DiagSink sink = core_sink(core);
    fault_report_run(fault, &sink, session_sources(g->session), g->core.arena);
    return false;
}

static bool find_values(Core *core, void *context) {
    const Call *call = context;
    RaspGraph *g = call->graph;
    Fault fault;
    const Column *column = exec_column(g->exec, g->ids[call->node], &fault);
    if (!column) return report_fault(g, core, &fault);
    g->sequences[call->node] = sequence_of_column(column);
    return true;
}

static bool find_selection(Core *core, void *context) {
    const Call *call = context;
    RaspGraph *g = call->graph;
    Fault fault;
    const bool *cells = exec_matrix(g->exec, g->ids[call->node], &fault);
    return (g->selections[call->node] = cells) || report_fault(g, core, &fault);
}

/* Is it a node of that kind, and is there an input? */
static bool can_ask(const RaspGraph *g, uint32_t node, bool selector, RaspError *error) {
    bool known = node < g->count, selects = known && g->nodes[node].kind >= RASP_GRAPH_SELECT &&
                                            g->nodes[node].kind <= RASP_GRAPH_NOT;
    if (g->exec && known && selects == selector) return true;
    return error_set(error, RASP_WRONG_USE,
                     g->exec ? "node %u is no %s" : "node %u: the graph has no input, so no %s",
                     node, selector ? "selector" : "s-op");
}

const RaspSequence *rasp_graph_values(RaspGraph *g, uint32_t node, RaspError *error) {
    Call call = {.node = node};
    if (!can_ask(g, node, false, error)) return NULL;
    if (g->sequences[node].length) return &g->sequences[node];
    return call_graph(g, error, find_values, &call) ? &g->sequences[node] : NULL;
}

const bool *rasp_graph_selection(RaspGraph *g, uint32_t node, RaspError *error) {
    Call call = {.node = node};
    if (!can_ask(g, node, true, error)) return NULL;
    if (g->selections[node]) return g->selections[node];
    return call_graph(g, error, find_selection, &call) ? g->selections[node] : NULL;
}

/* --- DOT text --------------------------------------------------------------------------- */

static bool find_dot(Core *core, void *context) {
    Call *call = context;
    RaspGraph *g = call->graph;
    Fault fault;
    Drawing drawing = {.graph = session_graph(g->session),
                       .exec = g->exec,
                       .length = exec_input(g->exec)->length,
                       .root = g->ids[call->node],
                       .title = call->title};
    call->text = drawing_text(core, &drawing, g->core.arena, &fault);
    return call->text || (fault.id != FAULT_NONE && report_fault(g, core, &fault));
}

char *rasp_graph_dot(RaspGraph *g, size_t k, const char *title, RaspError *error) {
    Call call = {.node = g->roots[k], .title = title};
    if (!can_ask(g, g->roots[k], false, error)) return NULL;
    call_graph(g, error, find_dot, &call);
    return call.text;
}
