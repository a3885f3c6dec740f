#include "compile/answers.h"

#include "compile/inputs.h"
#include "interp/exec/exec.h"

#include <string.h>

const char *const answers_words[] = {[ANSWERS_PROVED] = "proved",
                                     [ANSWERS_RUN] = "all run",
                                     [ANSWERS_NOT_SHOWN] = "not shown",
                                     [ANSWERS_PARTIAL] = "partial",
                                     NULL};

bool answers_proved(Total *total, const NodeId *sops, size_t count, Arena *arena) {
    const Graph *graph = total_graph(total);
    uint32_t nodes = graph_count(graph); /* helpers come later */
    const bool *needed = graph_needed(graph, sops, count, arena);
    for (NodeId id = 0; id < nodes; id++) {
        if (!needed[id]) continue;
        total_uniform(total, id); /* here, so that no chain is gone down later */
        if (!total_holds(total, id)) return false;
    }
    return true;
}

/* --- running ---------------------------------------------------------------------------- */

typedef struct Trial {
    Graph *graph;
    const Domain *domain;
    const NodeId *sops;
    size_t count;
    Arena *arena;
    NoAnswer *none;
} Trial;

typedef enum TrialEnd { OUTSIDE, ANSWERED, UNANSWERED } TrialEnd;

static bool is_true_everywhere(const Column *column) {
    for (size_t i = 0; i < column->length; i++)
        if (!atom_truth(column_at(column, i))) return false;
    return true;
}

static void note_fault(const Trial *t, size_t sop, const Fault *fault, const uint32_t *ids,
                       uint32_t length) {
    uint32_t *kept = ARENA_BLOCK(t->arena, length, uint32_t);
    memcpy(kept, ids, length * sizeof *kept);
    *t->none = (NoAnswer){.ids = kept, .length = length, .sop = sop, .fault = *fault};
    for (int k = 0; k < FAULT_ARGS; k++) { /* the run's memory ends with it */
        const char *text = fault->arg[k];
        if (text) t->none->fault.arg[k] = arena_text(t->arena, text, strlen(text));
    }
}

static TrialEnd run_sops(const Trial *t, Exec *exec, const uint32_t *ids, uint32_t length) {
    Fault fault;
    if (t->domain->where != NODE_NONE) {
        const Column *where = exec_column(exec, t->domain->where, &fault);
        if (!where || !is_true_everywhere(where)) return OUTSIDE;
    }
    for (size_t k = 0; k < t->count; k++) {
        fault = (Fault){0};
        if (exec_column(exec, t->sops[k], &fault)) continue;
        if (t->none) note_fault(t, k, &fault, ids, length);
        return UNANSWERED;
    }
    return ANSWERED;
}

static TrialEnd run_input(const Trial *t, const uint32_t *ids, uint32_t length) {
    Arena *scratch = arena_child(t->arena);
    Atom *tokens = ARENA_ARRAY(scratch, length, Atom);
    for (uint32_t i = 0; i < length; i++) tokens[i] = t->domain->alphabet[ids[i]];
    Input input = {.tokens = tokens, .length = length};
    Exec *exec = exec_new(t->graph, &input, (ExecOptions){.threads = 1, .keep = true}, scratch);
    TrialEnd outcome = run_sops(t, exec, ids, length);
    exec_free(exec);
    arena_free(scratch);
    budget_poll(arena_budget(t->arena));
    return outcome;
}

/* --- how many --------------------------------------------------------------------------- */

/* Steps of the interpreter, a node at a position each; selectors look at pairs. */
static const double WORK = 2e7;
enum { FEWEST = 200, MOST = 20000, SEED = 1 };

static double node_steps(const Node *node, double length) {
    enum { OVERHEAD = 50, PAIRS = 64 }; /* longer inputs are not run pair by pair */
    double pairs = length < PAIRS ? length : PAIRS;
    return OVERHEAD + length * (node->kind == NODE_SELECT ? pairs / 8 : 1);
}

static uint64_t inputs_to_try(const Trial *t) {
    const bool *needed = graph_needed(t->graph, t->sops, t->count, t->arena);
    double steps = 1;
    for (NodeId id = 0; id < graph_count(t->graph); id++)
        if (needed[id]) steps += node_steps(graph_node(t->graph, id), t->domain->max_length);
    double inputs = WORK / steps;
    return inputs < FEWEST ? FEWEST : inputs > MOST ? MOST : (uint64_t)inputs;
}

static Inputs *start_inputs(const Trial *t, uint64_t count) {
    InputPlan plan = {.exhaustive_limit = count, .count = count, .seed = SEED};
    return inputs_new(t->domain, plan, t->arena);
}

/* --- shortening ------------------------------------------------------------------------- */

/* Drops tokens one at a time while there is still no answer: what was drawn is long. */
static void shorten(const Trial *t) {
    enum { MOST_RUNS = 2000 };
    NoAnswer *none = t->none;
    uint32_t *ids = ARENA_ARRAY(t->arena, none->length, uint32_t), at = 0, kept_in_a_row = 0;
    for (uint32_t run = 0; run < MOST_RUNS && kept_in_a_row < none->length; run++) {
        uint32_t count = 0;
        if (none->length == 1) return;
        if (at >= none->length) at = 0;
        for (uint32_t i = 0; i < none->length; i++)
            if (i != at) ids[count++] = none->ids[i];
        bool starts_right = t->domain->first < 0 || ids[0] == (uint32_t)t->domain->first;
        bool dropped = starts_right && run_input(t, ids, count) == UNANSWERED;
        kept_in_a_row = dropped ? 0 : kept_in_a_row + 1;
        at += !dropped;
    }
}

Answers answers_try(Graph *graph, const Domain *domain, const NodeId *sops, size_t count,
                    Arena *arena, NoAnswer *none) {
    Trial t = {graph, domain, sops, count, arena, none};
    uint64_t most = inputs_to_try(&t), taken = 0;
    Inputs *inputs = start_inputs(&t, most);
    bool all = inputs_exhaustive(inputs);
    uint32_t *ids = ARENA_ARRAY(arena, domain->max_length, uint32_t), length;
    Answers answers = {.kind = all ? ANSWERS_RUN : ANSWERS_NOT_SHOWN};
    *none = (NoAnswer){0};
    while ((all || taken < most) && (length = inputs_next(inputs, ids)) > 0) {
        TrialEnd outcome = run_input(&t, ids, length);
        taken++;
        answers.tried += outcome != OUTSIDE;
        if (outcome != UNANSWERED) continue;
        uint32_t complete = inputs_complete_length(inputs);
        if (length > complete) shorten(&t);
        none->shortest = none->length <= complete + 1;
        break;
    }
    return answers;
}

bool answers_where_holds(Graph *graph, const Domain *domain, Arena *arena, bool *all) {
    NodeId where = domain->where;
    Trial t = {graph, domain, &where, 1, arena, NULL};
    uint64_t most = inputs_to_try(&t);
    Inputs *inputs = start_inputs(&t, most);
    uint32_t *ids = ARENA_ARRAY(arena, domain->max_length, uint32_t), length;
    *all = inputs_exhaustive(inputs);
    for (uint64_t taken = 0; *all || taken < most; taken++) {
        length = inputs_next(inputs, ids);
        if (length == 0) return false;
        if (run_input(&t, ids, length) == ANSWERED) return true;
    }
    return false;
}
