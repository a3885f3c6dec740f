/* Runs of the interpreter. */
#include "api/input.h"
#include "api/program.h"
#include "api/value.h"

#include "interp/exec/exec.h"

#include <stdlib.h>

struct RaspRun {
    Core core; /* within the program's budget */
    RaspProgram *program;
    Exec *exec;
    NodeId *nodes;
    RaspSequence *sequences; /* one an s-op */
    size_t count;
    Input input;
    RaspSequence tokens;
};

/* --- making ready ----------------------------------------------------------------------- */

typedef struct RunCall {
    const RaspInput *input;
    const RaspSop *sops;
    const RaspRunOptions *options;
} RunCall;

/* The characters of a text: one input, whose values are a column. */
static void take_characters(RaspRun *run, const Tokens *tokens) {
    Arena *arena = run->core.arena;
    Intern *table = session_intern(run->program->session);
    size_t count = tokens->count;
    const Str **strings = ARENA_BLOCK(arena, count, const Str *);
    if (count == tokens->length)
        intern_ascii(table, tokens->text, count, strings);
    else
        for (size_t k = 0, at = 0; k < count; k++)
            strings[k] = atom_in(tokens_next(tokens, k, &at), table).s;
    Column *column = ARENA_NEW(arena, Column);
    *column = (Column){.type = SEQUENCE_STRING, .form = COLUMN_STRING, .length = count};
    column->strings = strings;
    run->input = (Input){.strings = strings, .length = count, .is_string = true};
    run->tokens = sequence_of_column(column);
}

static bool read_tokens(RaspRun *run, const RaspInput *from) {
    Tokens tokens;
    Arena *arena = run->core.arena;
    Intern *table = session_intern(run->program->session);
    if (!input_read(&run->core, from, arena, &tokens)) return false;
    if (tokens.text) {
        take_characters(run, &tokens);
        return true;
    }
    Atom *atoms = ARENA_BLOCK(arena, tokens.count, Atom);
    for (size_t k = 0, at = 0; k < tokens.count; k++)
        atoms[k] = atom_in(tokens_next(&tokens, k, &at), table);
    run->input = (Input){.tokens = atoms, .length = tokens.count};
    run->tokens = sequence_of_tokens(atoms, tokens.count);
    return true;
}

static bool prepare(Core *core, void *context) {
    RaspRun *run = (RaspRun *)core;
    const RunCall *call = context;
    const RaspRunOptions *o = call->options;
    ExecOptions options = {.plan = o->plan == RASP_PLAN_NAIVE ? EXEC_PLAN_NAIVE : EXEC_PLAN_AUTO,
                           .threads = o->threads,
                           .stats = o->stats};
    if (!read_tokens(run, call->input)) return false;
    run->nodes = ARENA_ARRAY(core->arena, run->count + 1, NodeId);
    run->sequences = ARENA_ARRAY(core->arena, run->count + 1, RaspSequence);
    for (size_t k = 0; k < run->count; k++) run->nodes[k] = call->sops[k].node;
    run->exec = exec_new(session_graph(run->program->session), &run->input, options, core->arena);
    exec_want(run->exec, run->nodes, run->count);
    return true;
}

RaspRun *rasp_run_new(RaspProgram *program, const RaspInput *input, const RaspSop *sops,
                      size_t count, const RaspRunOptions *options, RaspError *error) {
    static const RaspRunOptions usual = {RASP_PLAN_AUTO, 0, false};
    RaspRun *run = calloc(1, sizeof *run);
    if (!run) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a run");
        return NULL;
    }
    run->program = program_keep(program);
    run->count = count;
    RunCall call = {input, sops, options ? options : &usual};
    if (core_share(&run->core, &program->core, error) &&
        core_call(&run->core, error, RASP_FAILED, prepare, &call))
        return run;
    rasp_run_free(run);
    return NULL;
}

void rasp_run_free(RaspRun *run) {
    if (!run) return;
    core_clear(&run->core);
    rasp_program_free(run->program);
    free(run);
}

const RaspSequence *rasp_run_input(const RaspRun *run, bool *is_string) {
    if (is_string) *is_string = run->input.is_string;
    return &run->tokens;
}

/* --- values ----------------------------------------------------------------------------- */

/* `tokens_int` and its like are made before any text is read: their faults are shown where the
 * s-op first uses them. */
static Span fault_span(const RaspRun *run, NodeId root, const Fault *fault) {
    const Graph *graph = session_graph(run->program->session);
    if (fault->span.end > fault->span.begin) return fault->span;
    const bool *needed = graph_needed(graph, &root, 1, run->core.arena);
    for (NodeId id = 0; id < graph_count(graph); id++)
        for (int k = 0; needed[id] && k < graph_node(graph, id)->arity; k++) {
            const Node *argument = graph_node(graph, graph_node(graph, id)->arg[k]);
            if (argument->kind == NODE_TOKENS && argument->tokens != TOKENS_STR)
                return graph_node(graph, id)->span;
        }
    return fault->span;
}

static bool report(RaspRun *run, size_t k, Fault *fault) {
    DiagSink sink = core_sink(&run->core);
    fault->span = fault_span(run, run->nodes[k], fault);
    fault_report_run(fault, &sink, session_sources(run->program->session), run->core.arena);
    return false;
}

typedef struct Asked {
    size_t k;
    const bool *cells;
} Asked;

static bool compute(Core *core, void *context) {
    RaspRun *run = (RaspRun *)core;
    const Asked *asked = context;
    Fault fault;
    const Column *column = exec_column(run->exec, run->nodes[asked->k], &fault);
    if (!column) return report(run, asked->k, &fault);
    run->sequences[asked->k] = sequence_of_column(column);
    return true;
}

static bool select_cells(Core *core, void *context) {
    RaspRun *run = (RaspRun *)core;
    Asked *asked = context;
    Fault fault;
    asked->cells = exec_matrix(run->exec, run->nodes[asked->k], &fault);
    return asked->cells || report(run, asked->k, &fault);
}

/* Of an s-op that is there, and is a selector or none, as is wanted. */
static bool ask(RaspRun *run, bool selector, CoreBody *body, Asked *asked, RaspError *error) {
    const Graph *graph = session_graph(run->program->session);
    if (asked->k >= run->count)
        return error_set(error, RASP_WRONG_USE, "the run has %zu s-ops, found number %zu",
                         run->count, asked->k);
    if (node_is_selector(graph_node(graph, run->nodes[asked->k])) != selector)
        return error_set(error, RASP_WRONG_USE, "number %zu of the run is %s", asked->k,
                         selector ? "an s-op, expected a selector"
                                  : "a selector, expected an s-op");
    return core_call(&run->core, error, RASP_FAILED, body, asked);
}

const RaspSequence *rasp_run_sequence(RaspRun *run, size_t k, RaspError *error) {
    Asked asked = {k, NULL};
    return ask(run, false, compute, &asked, error) ? &run->sequences[k] : NULL;
}

const bool *rasp_run_selection(RaspRun *run, size_t k, RaspError *error) {
    Asked asked = {k, NULL};
    return ask(run, true, select_cells, &asked, error) ? asked.cells : NULL;
}

/* --- what it cost ----------------------------------------------------------------------- */

typedef struct StatsCall {
    RaspStat *rows;
    size_t count;
} StatsCall;

static const char *label(RaspRun *run, NodeId id) {
    const Node *node = graph_node(session_graph(run->program->session), id);
    Arena *arena = run->core.arena;
    const char *text = program_text(run->program, id, node->name ? 24 : 40, arena);
    return node->name ? arena_format(arena, "%s = %s", node->name->text, text) : text;
}

static bool list_stats(Core *core, void *context) {
    StatsCall *call = context;
    RaspRun *run = (RaspRun *)core;
    const ExecStat *stats = exec_stats(run->exec, &call->count);
    call->rows = ARENA_ARRAY(core->arena, call->count + 1, RaspStat);
    for (size_t k = 0; k < call->count; k++)
        call->rows[k] = (RaspStat){label(run, stats[k].node), stats[k].plan, stats[k].rows,
                                   stats[k].seconds, stats[k].bytes};
    return true;
}

const RaspStat *rasp_run_stats(RaspRun *run, size_t *count, RaspError *error) {
    StatsCall call = {0};
    bool done = core_call(&run->core, error, RASP_FAILED, list_stats, &call);
    *count = done ? call.count : 0;
    return done ? call.rows : NULL;
}
