/* What shows that there is no layer: few pairs, and a proof. */
#include "express/search.h"

#include "express/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the formula of some pairs ------------------------------------------------------------ */

/* Adds all pairs; with `guards`, each has a variable without which it does not count. */
static void encode(Formula *f, ClassKind kind, unsigned heads, unsigned values, const Pairs *pairs,
                   int *guards) {
    Arena *arena = f->arena;
    const Instance *all = f->task->instances;
    Average *average = NULL;
    Unique *unique = NULL;
    if (kind == CLASS_AVERAGE) {
        average = average_new(f, heads, values, f->task->length);
    } else {
        uint32_t *members = ARENA_ARRAY(arena, 2 * pairs->count + 1, uint32_t), *literals;
        for (size_t k = 0; k < pairs->count; k++) {
            members[2 * k] = pairs->at[k].x;
            members[2 * k + 1] = pairs->at[k].y;
        }
        uint32_t count = unique_literals(arena, f->task, members, 2 * pairs->count, &literals);
        unique = unique_new(f, heads, literals, count);
    }
    for (size_t k = 0; k < pairs->count; k++) {
        const Instance *x = &all[pairs->at[k].x], *y = &all[pairs->at[k].y];
        if (guards) guards[k] = ++f->variables;
        if (average)
            average_pair(average, k, x, y, guards ? guards[k] : 0);
        else
            unique_pair(unique, k, x, y, guards ? guards[k] : 0);
    }
}

/* --- fewer pairs --------------------------------------------------------------------------- */

static void add_to_solver(void *context, int literal) {
    solver_add(context, literal);
}

typedef struct Shrink {
    Solver *solver;
    const int *guards;
    bool *in; /* [pair] still part of the set */
    size_t count;
} Shrink;

/* Is the set without pair `without` impossible?  Then only what was needed stays in. */
static SolverAnswer impossible(Shrink *s, size_t without) {
    for (size_t k = 0; k < s->count; k++)
        if (s->in[k] && k != without) solver_assume(s->solver, s->guards[k]);
    SolverAnswer answer = solver_solve(s->solver);
    if (answer == SOLVER_NO)
        for (size_t k = 0; k < s->count; k++)
            s->in[k] = s->in[k] && k != without && solver_failed(s->solver, s->guards[k]);
    return answer;
}

static bool shrink(Shrink *s, Limits *limits) {
    if (impossible(s, s->count) != SOLVER_NO) return false;
    for (size_t k = s->count; k-- > 0;) { /* later pairs have longer inputs, mostly */
        if (!s->in[k]) continue;
        if (limits_reached(limits) || impossible(s, k) == SOLVER_STOPPED) return false;
    }
    return true;
}

static void keep_chosen(Pairs *pairs, const bool *in) {
    size_t kept = 0;
    for (size_t k = 0; k < pairs->count; k++)
        if (in[k]) pairs->at[kept++] = pairs->at[k];
    pairs->count = kept;
}

bool witness_shrink(Arena *arena, const Task *task, ClassKind kind, unsigned heads, unsigned values,
                    Limits *limits, Pairs *pairs) {
    Arena *scratch = arena_child(arena);
    Budget *budget = arena_budget(arena);
    BudgetGuard guard;
    Solver *solver = solver_new();
    if (!solver) budget_stop(budget, BUDGET_OUT_OF_MEMORY);
    if (!BUDGET_ENTER(budget, &guard)) {
        solver_free(solver);
        budget_stop(budget, budget->stop);
    }
    solver_stop_when(solver, limits_reached, limits);
    Formula f = {.arena = scratch, .task = task, .add = add_to_solver, .context = solver};
    int *guards = ARENA_ARRAY(scratch, pairs->count + 1, int);
    Shrink s = {solver, guards, ARENA_ARRAY(scratch, pairs->count + 1, bool), pairs->count};
    for (size_t k = 0; k < pairs->count; k++) s.in[k] = true;
    encode(&f, kind, heads, values, pairs, guards);
    bool least = shrink(&s, limits);
    keep_chosen(pairs, s.in);
    budget_leave(budget, &guard);
    solver_free(solver);
    arena_free(scratch);
    return least;
}

/* --- the proof ----------------------------------------------------------------------------- */

typedef struct Writer {
    Solver *solver;
    FILE *out;
} Writer;

static void add_and_write(void *context, int literal) {
    Writer *w = context;
    solver_add(w->solver, literal);
    fprintf(w->out, literal ? "%d " : "0\n", literal);
}

static char *read_whole(const char *path) {
    FILE *in = fopen(path, "rb");
    char *text = NULL, buffer[1 << 14];
    size_t size = 0, got;
    FILE *out = in ? open_memstream(&text, &size) : NULL;
    while (out && (got = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, got, out);
    if (in) fclose(in);
    if (out) fclose(out);
    return text;
}

static char *with_header(const Formula *f, const char *clauses) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    fprintf(out, "p cnf %d %zu\n%s", f->variables, f->clauses, clauses);
    fclose(out);
    return text;
}

/* Encodes, solves, writes; the solver closes the proof when it is freed. */
static bool solve_with_proof(Formula *f, Writer *w, ClassKind kind, unsigned heads, unsigned values,
                             const Pairs *pairs, char **cnf) {
    char *clauses = NULL;
    size_t size;
    w->out = open_memstream(&clauses, &size);
    if (!w->out) return false;
    encode(f, kind, heads, values, pairs, NULL);
    fclose(w->out);
    bool no = solver_solve(w->solver) == SOLVER_NO;
    if (no) *cnf = with_header(f, clauses);
    free(clauses);
    return no && *cnf;
}

bool witness_prove(Arena *arena, const Task *task, ClassKind kind, unsigned heads, unsigned values,
                   Limits *limits, const Pairs *pairs, char **cnf, char **proof) {
    char path[] = "/tmp/rasp-proof-XXXXXX";
    int file = mkstemp(path);
    if (file < 0) return false;
    close(file);
    Arena *scratch = arena_child(arena);
    Writer w = {.solver = solver_new()};
    Formula f = {.arena = scratch, .task = task, .add = add_and_write, .context = &w};
    *cnf = *proof = NULL;
    if (w.solver) solver_stop_when(w.solver, limits_reached, limits);
    bool done = w.solver && solver_proof(w.solver, path) &&
                solve_with_proof(&f, &w, kind, heads, values, pairs, cnf);
    solver_free(w.solver);
    if (done) *proof = read_whole(path);
    unlink(path);
    arena_free(scratch);
    return done && *proof;
}
