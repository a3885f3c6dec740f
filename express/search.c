#include "express/search.h"

#include "express/solver.h"

enum { PAIRS_A_KEY = 20 };

static void add_to_solver(void *context, int literal) {
    solver_add(context, literal);
}

static Solver *limited_solver(Arena *arena, Limits *limits) {
    Solver *solver = solver_new();
    if (!solver) budget_stop(arena_budget(arena), BUDGET_OUT_OF_MEMORY);
    solver_stop_when(solver, limits_reached, limits);
    return solver;
}

static Answer answer_of(SolverAnswer answer) {
    return answer == SOLVER_YES ? ANSWER_YES : answer == SOLVER_NO ? ANSWER_NO : ANSWER_UNDECIDED;
}

static void tell(const Limits *limits, unsigned heads, size_t pairs) {
    if (limits->progress) limits->progress(limits->context, heads, pairs);
}

/* === average ============================================================================== */

struct AverageSearch {
    Arena *arena;
    const Task *task;
    unsigned heads, values;
    uint32_t longest;
    Limits *limits;
    Solver *solver;
    Formula formula;
    Average *average;
    Pairs pairs;
    size_t encoded; /* of the pairs */
};

AverageSearch *average_search_new(Arena *arena, const Task *task, unsigned heads, unsigned values,
                                  uint32_t longest, Limits *limits) {
    AverageSearch *s = ARENA_NEW(arena, AverageSearch);
    *s = (AverageSearch){.arena = arena,
                         .task = task,
                         .heads = heads,
                         .values = values,
                         .longest = longest,
                         .limits = limits,
                         .solver = limited_solver(arena, limits)};
    /* Most of the time goes into finding the last layer, after hundreds that were nearly right:
     * measured, 54 s become 2 (last index of 1, 7 tokens).  For one key of unique heads, and for
     * witnesses, proofs are what takes time. */
    solver_hopeful(s->solver);
    s->formula =
        (Formula){.arena = arena, .task = task, .add = add_to_solver, .context = s->solver};
    s->average = average_new(&s->formula, heads, values, longest);
    return s;
}

void average_search_free(AverageSearch *s) {
    if (!s || !s->solver) return;
    solver_free(s->solver);
    s->solver = NULL;
}

const Pairs *average_search_pairs(const AverageSearch *s) {
    return &s->pairs;
}

static bool true_in(Solver *solver, int variable) {
    return variable && solver_value(solver, variable);
}

static Layer *read_average(const AverageSearch *s) {
    const Task *task = s->task;
    Layer *layer = layer_new(s->arena, CLASS_AVERAGE, s->heads, s->values,
                             key_count(task, s->longest), literal_count(task, s->longest));
    for (unsigned h = 0; h < s->heads; h++) {
        for (uint32_t c = 0; c < layer->keys; c++)
            for (uint32_t l = 0; l < layer->literals; l++)
                *layer_selects(layer, h, c, l) =
                    true_in(s->solver, average_selects(s->average, h, c, l));
        for (unsigned m = 0; m < s->values; m++)
            for (uint32_t l = 0; l < layer->literals; l++)
                *layer_value(layer, h, m, l) =
                    true_in(s->solver, average_value(s->average, h, m, l));
    }
    return layer;
}

Answer average_search(AverageSearch *s, uint32_t length, Layer **layer) {
    const Task *task = s->task;
    for (;;) {
        budget_poll(arena_budget(s->arena));
        for (; s->encoded < s->pairs.count; s->encoded++) {
            const Pair *p = &s->pairs.at[s->encoded];
            average_pair(s->average, s->encoded, &task->instances[p->x], &task->instances[p->y], 0);
        }
        tell(s->limits, s->heads, s->pairs.count);
        Answer answer = answer_of(solver_solve(s->solver));
        if (answer != ANSWER_YES) return answer;
        *layer = read_average(s);
        layer_conflicts(*layer, task, NULL, task->until[length], PAIRS_A_KEY, s->arena, &s->pairs);
        if (s->pairs.count == s->encoded) return ANSWER_YES;
        if (limits_reached(s->limits)) return ANSWER_UNDECIDED;
    }
}

/* --- simpler layers ----------------------------------------------------------------------- */

static bool confuses(const Layer *layer, const Task *task, size_t count, Arena *arena) {
    Arena *scratch = arena_child(arena);
    Pairs pairs = {0};
    layer_conflicts(layer, task, NULL, count, 1, scratch, &pairs);
    arena_free(scratch);
    return pairs.count > 0;
}

/* Sets *bit to false if the layer stays right. */
static void try_without(Layer *layer, bool *bit, const Task *task, size_t count) {
    if (!*bit) return;
    *bit = false;
    *bit = confuses(layer, task, count, task->arena);
}

void layer_simplify(Layer *layer, const Task *task, size_t count, Limits *limits) {
    for (unsigned h = 0; h < layer->heads; h++) {
        /* The sink first: without it a head is a plain aggregate. */
        for (uint32_t l = 0; l < layer->literals; l++)
            for (uint32_t c = 0; c < layer->keys; c++) {
                if (limits_reached(limits)) return;
                try_without(layer, layer_selects(layer, h, c, l), task, count);
            }
        for (unsigned m = 0; m < layer->values; m++)
            for (uint32_t l = 0; l < layer->literals; l++)
                try_without(layer, layer_value(layer, h, m, l), task, count);
    }
}

/* === unique =============================================================================== */

typedef struct UniqueSearch {
    const Task *task;
    const uint32_t *members, *literals;
    size_t count;
    uint32_t literal_count;
    unsigned heads;
    Solver *solver;
    Unique *unique;
} UniqueSearch;

/* The order that the solver says: by the number of literals that come later. */
static Order read_order(const UniqueSearch *s, Arena *arena, unsigned h) {
    uint32_t *list = ARENA_ARRAY(arena, s->literal_count, uint32_t);
    for (uint32_t a = 0; a < s->literal_count; a++) {
        uint32_t earlier = 0;
        for (uint32_t b = 0; b < s->literal_count; b++) {
            if (a == b) continue;
            int before = unique_before(s->unique, h, b, a);
            bool positive = solver_value(s->solver, before > 0 ? before : -before);
            earlier += before > 0 ? positive : !positive;
        }
        list[earlier] = s->literals[a];
    }
    uint32_t count = 0;
    while (count < s->literal_count && list[count] != 0) count++;
    return (Order){list, count < s->literal_count ? count + 1 : count};
}

/* A layer that knows this one key. */
static void unique_conflicts(const UniqueSearch *s, Arena *arena, const Order *orders,
                             Pairs *pairs) {
    const Task *task = s->task;
    Layer layer = {.kind = CLASS_UNIQUE, .heads = s->heads, .keys = key_count(task, TASK_LONGEST)};
    Arena *scratch = arena_child(arena);
    layer.orders = ARENA_ARRAY(scratch, s->heads * layer.keys, Order);
    uint32_t key = instance_key(task, &task->instances[s->members[0]]);
    for (unsigned h = 0; h < s->heads; h++) layer.orders[h * layer.keys + key] = orders[h];
    layer_conflicts(&layer, task, s->members, s->count, PAIRS_A_KEY, arena, pairs);
    arena_free(scratch);
}

static Answer unique_loop(UniqueSearch *s, Arena *arena, Limits *limits, Order *orders,
                          Pairs *pairs) {
    for (size_t encoded = 0;;) {
        budget_poll(arena_budget(arena));
        for (; encoded < pairs->count; encoded++) {
            const Pair *p = &pairs->at[encoded];
            unique_pair(s->unique, encoded, &s->task->instances[p->x], &s->task->instances[p->y],
                        0);
        }
        tell(limits, s->heads, pairs->count);
        Answer answer = answer_of(solver_solve(s->solver));
        if (answer != ANSWER_YES) return answer;
        for (unsigned h = 0; h < s->heads; h++) orders[h] = read_order(s, arena, h);
        unique_conflicts(s, arena, orders, pairs);
        if (pairs->count == encoded) return ANSWER_YES;
        if (limits_reached(limits)) return ANSWER_UNDECIDED;
    }
}

Answer unique_search(Arena *arena, const Task *task, const uint32_t *members, size_t count,
                     unsigned heads, Limits *limits, Order *orders, Pairs *pairs) {
    UniqueSearch s = {.task = task, .members = members, .count = count, .heads = heads};
    uint32_t *literals;
    Arena *scratch = arena_child(arena);
    BudgetGuard guard;
    Budget *budget = arena_budget(arena);
    volatile Answer answer = ANSWER_UNDECIDED;
    s.literal_count = unique_literals(scratch, task, members, count, &literals);
    s.literals = literals;
    Solver *solver = s.solver = limited_solver(arena, limits);
    if (!BUDGET_ENTER(budget, &guard)) { /* the solver is not the arena's */
        solver_free(solver);
        budget_stop(budget, budget->stop);
    }
    Formula formula = {.arena = scratch, .task = task, .add = add_to_solver, .context = s.solver};
    s.unique = unique_new(&formula, heads, s.literals, s.literal_count);
    answer = unique_loop(&s, arena, limits, orders, pairs);
    budget_leave(budget, &guard);
    solver_free(solver);
    arena_free(scratch);
    return answer;
}
