#include "interp/exec/exec.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "interp/exec/selection.h"

#include <assert.h>
#include <string.h>

Exec *exec_new(const Graph *graph, const Input *input, ExecOptions options, Arena *arena) {
    if (input->length > EXEC_MAX_LENGTH) {
        arena_budget(arena)->wanted = SIZE_MAX;
        budget_stop(arena_budget(arena), BUDGET_OUT_OF_MEMORY);
    }
    Exec *exec = ARENA_NEW(arena, Exec);
    *exec = (Exec){.graph = graph, .input = *input, .options = options, .arena = arena};
    if (!input->segment) exec->input.segment = input->length;
    if (options.threads <= 0)
        exec->options.threads = input->length < EXEC_THREADS_FROM ? 1 : parallel_cores();
    return exec;
}

/* All that was computed for the node. */
static void clear_slot(Exec *exec, Slot *slot) {
    column_free(exec->arena, slot->column);
    key_index_free(slot->index, exec->arena);
    selection_free(exec, slot->selection);
    slot->column = NULL;
    slot->index = NULL;
    slot->selection = NULL;
    slot->words = NULL;
    slot->checked = false;
}

const Input *exec_input(const Exec *exec) {
    return &exec->input;
}

void exec_free(Exec *exec) {
    for (size_t id = 0; id < exec->slot_capacity; id++) clear_slot(exec, &exec->slots[id]);
}

static void make_slots(Exec *exec) {
    exec->slots = arena_grow(exec->arena, exec->slots, &exec->slot_capacity,
                             graph_count(exec->graph), sizeof *exec->slots);
}

/* --- freeing ---------------------------------------------------------------------------- */

static void push(Exec *exec, size_t *depth, NodeId node) {
    exec->stack = arena_grow(exec->arena, exec->stack, &exec->stack_capacity, *depth + 1,
                             sizeof *exec->stack);
    exec->stack[(*depth)++] = node;
}

/* What a node counts for in progress: those that attend take most of the time. */
static double node_work(const Node *node) {
    enum { ATTENDING = 20 };
    bool attends = node->kind == NODE_AGGREGATE || node->kind == NODE_WIDTH;
    return node_is_selector(node) ? 0 : attends ? ATTENDING : 1;
}

void exec_progress(Exec *exec, double part) {
    exec_poll(exec);
    if (!exec->options.progress || exec->work == 0) return;
    const Node *node = graph_node(exec->graph, exec->current);
    double done = (exec->work_done + part * node_work(node)) / exec->work;
    exec->options.progress(exec->options.progress_context, done < 1 ? done : 1);
}

/* `by` reads the argument; is it the first to do so? */
static bool add_reader(Exec *exec, const Node *by, NodeId argument) {
    Slot *slot = &exec->slots[argument];
    bool first = slot->readers++ == 0, counts = by->kind == NODE_WIDTH;
    slot->counted = counts && (first || slot->counted);
    return first;
}

/* Counts readers below the node; a node's own arguments are counted when it is met first. */
static void count_readers(Exec *exec, NodeId root) {
    size_t depth = 0;
    if (exec->slots[root].readers++ == 0) push(exec, &depth, root);
    while (depth) {
        const Node *node = graph_node(exec->graph, exec->stack[--depth]);
        exec->work += node_work(node);
        for (int k = 0; k < node->arity; k++)
            if (add_reader(exec, node, node->arg[k])) push(exec, &depth, node->arg[k]);
    }
}

void exec_want(Exec *exec, const NodeId *nodes, size_t count) {
    if (exec->options.keep) return;
    make_slots(exec);
    for (size_t k = 0; k < count; k++) {
        exec->slots[nodes[k]].pinned = true;
        count_readers(exec, nodes[k]);
    }
}

/* The node has been computed: its arguments have one reader less.  A selector goes on
 * reading its arguments until its own readers are done. */
static void release_arguments(Exec *exec, NodeId done, size_t depth) {
    size_t bottom = depth;
    push(exec, &depth, done);
    while (depth > bottom) {
        const Node *node = graph_node(exec->graph, exec->stack[--depth]);
        for (int k = 0; k < node->arity; k++) {
            Slot *slot = &exec->slots[node->arg[k]];
            if (slot->readers == 0 || --slot->readers > 0 || slot->pinned) continue;
            clear_slot(exec, slot);
            if (node_is_selector(graph_node(exec->graph, node->arg[k])))
                push(exec, &depth, node->arg[k]);
        }
    }
}

/* --- computing -------------------------------------------------------------------------- */

static Column *exec_indices(Exec *exec, const Node *node, Fault *fault) {
    (void)node, (void)fault;
    Column *column = column_new(exec->arena, COLUMN_INT, exec->input.length);
    for (size_t first = 0; first < column->length; first += exec->input.segment)
        for (size_t i = 0; i < exec->input.segment; i++) column->ints[first + i] = (int64_t)i;
    return column;
}

static Column *exec_constant(Exec *exec, const Node *node, Fault *fault) {
    (void)fault;
    return column_constant(exec->arena, node->atom, exec->input.length);
}

typedef Column *Compute(Exec *exec, const Node *node, Fault *fault);

static const struct {
    Compute *compute; /* NULL: a selector */
    const char *plan;
} kinds[] = {[NODE_TOKENS] = {exec_tokens, "input"},
             [NODE_INDICES] = {exec_indices, "input"},
             [NODE_CONSTANT] = {exec_constant, "constant"},
             [NODE_MAP] = {exec_map, "elementwise"},
             [NODE_LOOKUP] = {exec_map, "elementwise"},
             [NODE_SELECT] = {NULL, NULL},
             [NODE_AND] = {NULL, NULL},
             [NODE_OR] = {NULL, NULL},
             [NODE_NOT] = {NULL, NULL},
             [NODE_AGGREGATE] = {exec_aggregate, "naive"},
             [NODE_WIDTH] = {exec_width, "naive"}};

const KeyIndex *exec_key_index(Exec *exec, NodeId key, bool ordered) {
    Slot *slot = &exec->slots[key];
    if (slot->index && (slot->index->ordered || !ordered)) return slot->index;
    key_index_free(slot->index, exec->arena);
    slot->index = NULL;
    return slot->index = key_index_new(slot->column, ordered, exec->arena);
}

static bool is_short(const Exec *exec) {
    return exec->input.segment <= SHORT_LENGTH && exec->options.plan == EXEC_PLAN_AUTO;
}

/* Of several inputs a column may hold values of two kinds where each of the inputs holds one, and
 * other rules may apply then: ints are averaged and bools are not.  Ints and floats are alike. */
static bool is_mixed(const Exec *exec, const Column *column) {
    if (exec->input.segment == exec->input.length || column->form != COLUMN_ATOM) return false;
    for (size_t i = 0; i < column->length; i++)
        if (column->atoms[i].kind != ATOM_INT && column->atoms[i].kind != ATOM_FLOAT) return true;
    return false;
}

/* Orders are between numbers or between strings; columns are all one or all the other.  The
 * reference makes the test as `query mirrored key`, first on the first key and query. */
static bool check_select(Exec *exec, const Node *node, Fault *fault) {
    if (node->kind != NODE_SELECT || (ops[node->op].flags & OP_TOTAL)) return true;
    Atom pair[2] = {column_at(exec_ready(exec, node->arg[1]), 0),
                    column_at(exec_ready(exec, node->arg[0]), 0)};
    if (atom_comparable(pair[0], pair[1])) return true;
    *fault = op_fault(ops[node->op].mirrored, FAULT_ORDER, pair, node->span);
    return false;
}

static bool compute_selector(Exec *exec, const Node *node, Slot *slot, Fault *fault) {
    if (!check_select(exec, node, fault)) return false;
    if (is_short(exec)) slot->words = short_words(exec, node);
    return slot->checked = true;
}

static void add_stat(Exec *exec, NodeId id, double seconds) {
    exec->stats = arena_grow(exec->arena, exec->stats, &exec->stat_capacity, exec->stat_count + 1,
                             sizeof *exec->stats);
    const Column *column = exec->slots[id].column;
    exec->stats[exec->stat_count++] = (ExecStat){.node = id,
                                                 .plan = exec->plan,
                                                 .rows = exec->rows         ? exec->rows
                                                         : column->constant ? 1
                                                                            : column->length,
                                                 .seconds = seconds,
                                                 .bytes = column_bytes(column)};
}

/* The node's arguments are there. */
static bool compute(Exec *exec, NodeId id, size_t depth, Fault *fault) {
    const Node *node = graph_node(exec->graph, id);
    Slot *slot = &exec->slots[id];
    exec->current = id;
    exec_progress(exec, 0);
    if (node_is_selector(node)) return compute_selector(exec, node, slot, fault);
    double start = exec->options.stats ? clock_seconds() : 0;
    exec->plan = kinds[node->kind].plan;
    exec->rows = 0;
    slot->column = kinds[node->kind].compute(exec, node, fault);
    if (!slot->column) return false;
    if (is_mixed(exec, slot->column)) {
        *fault = (Fault){.id = FAULT_NONE};
        return false;
    }
    exec->work_done += node_work(node);
    if (exec->options.stats) add_stat(exec, id, clock_seconds() - start);
    if (slot->readers) release_arguments(exec, id, depth);
    return true;
}

static bool is_ready(const Exec *exec, NodeId id) {
    return exec->slots[id].column || exec->slots[id].checked;
}

/* The first argument, left to right, that is not there yet. */
static NodeId first_missing(const Exec *exec, NodeId id) {
    const Node *node = graph_node(exec->graph, id);
    for (int k = 0; k < node->arity; k++)
        if (!is_ready(exec, node->arg[k])) return node->arg[k];
    return NODE_NONE;
}

/* Depth first, arguments left to right, as the reference evaluates, so that the fault found
 * first is the one it reports.  On a stack of our own: chains of a million nodes are legal. */
static bool make_ready(Exec *exec, NodeId root, Fault *fault) {
    make_slots(exec);
    size_t depth = 0;
    if (!is_ready(exec, root)) push(exec, &depth, root);
    while (depth) {
        NodeId id = exec->stack[depth - 1], missing = first_missing(exec, id);
        if (missing != NODE_NONE)
            push(exec, &depth, missing);
        else if (!compute(exec, id, depth, fault))
            return false;
        else
            depth--;
    }
    return true;
}

const Column *exec_column(Exec *exec, NodeId node, Fault *fault) {
    assert(!node_is_selector(graph_node(exec->graph, node)));
    return make_ready(exec, node, fault) ? exec->slots[node].column : NULL;
}

bool exec_check_selector(Exec *exec, NodeId node, Fault *fault) {
    return make_ready(exec, node, fault);
}

const bool *exec_matrix(Exec *exec, NodeId node, Fault *fault) {
    if (!make_ready(exec, node, fault)) return NULL;
    size_t n = exec->input.length;
    bool *matrix = arena_block(exec->arena, n, n * sizeof *matrix);
    Formula formula = formula_build(exec, node);
    for (size_t i = 0; i < n; i++) {
        exec_poll(exec);
        for (size_t j = 0; j < n; j++) matrix[i * n + j] = formula_cell(&formula, i, j);
    }
    formula_free(exec, &formula);
    return matrix;
}

const ExecStat *exec_stats(const Exec *exec, size_t *count) {
    *count = exec->stat_count;
    return exec->stats;
}
