/* Value sets and selector facts against brute force, on random programs.
 *
 * Everything else in the compiler rests on them, and `rasp verify` cannot see a wrong one: on
 * every input without an error, each s-op's value at each position must be in the set of its
 * context, each selector must select as many keys as its facts allow, and an aggregate that
 * is said to move must have selected equal values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/campaign.h"
#include "tests/unit/random_judge.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 60 };
#else
enum { PROGRAMS = 600 };
#endif
enum { MOST_INPUTS = 400 };

typedef struct Trial {
    Judge judge;
    Budget budget;
    Session *session;
    Graph *graph;
    Arena *arena;
    Domain domain;
    Values *values;
    NodeId root;
    uint32_t nodes; /* of the program, before any are added */
    bool *needed;
    const char *text;
    size_t facts; /* looked at */
} Trial;

/* --- one input ------------------------------------------------------------------------------ */

static bool in_set(Trial *t, const NodeValues *v, uint32_t context, Atom value) {
    uint32_t count;
    const uint32_t *member = values_set(t->values, v->sets[context], &count);
    for (uint32_t k = 0; k < count; k++)
        if (atom_equal(v->levels[member[k]], value)) return true;
    return false;
}

static const char *shown(Trial *t, NodeId node) {
    return graph_text(t->graph, node, 200, t->arena);
}

static void check_sop(Trial *t, Exec *exec, NodeId node, uint32_t n) {
    Fault fault;
    const NodeValues *v = values_of(t->values, node);
    const Column *column = v ? exec_column(exec, node, &fault) : NULL;
    if (!column) return; /* too many values to say, or not needed for the root's answer */
    for (uint32_t i = 0; i < n; i++) {
        Atom value = column_at(column, i);
        t->facts++;
        if (!in_set(t, v, context_of(n, i), value))
            fail_msg("%s\n%s has the value %s at %u of %u, not in its set", t->text, shown(t, node),
                     atom_show(value, ATOM_QUOTED, t->arena), i, n);
    }
}

static void check_selector(Trial *t, Exec *exec, NodeId node, uint32_t n) {
    Fault fault;
    const SelectorFacts *facts = values_selector(t->values, node);
    const bool *matrix = facts ? exec_matrix(exec, node, &fault) : NULL;
    for (uint32_t i = 0; matrix && i < n; i++) {
        uint32_t width = 0, c = context_of(n, i);
        for (uint32_t j = 0; j < n; j++) width += matrix[i * n + j];
        t->facts++;
        if (width < facts->least[c] || width > facts->most[c])
            fail_msg("%s\n%s selects %u keys at %u of %u, not %u to %u", t->text, shown(t, node),
                     width, i, n, facts->least[c], facts->most[c]);
    }
}

/* Moved values are equal, exactly. */
static bool agree(Atom a, Atom b) {
    return atom_equal(a, b);
}

static void check_moves(Trial *t, Exec *exec, NodeId node, uint32_t n) {
    Fault fault;
    Node aggregate = *graph_node(t->graph, node);
    if (!values_moves(t->values, node)) return;
    const bool *matrix = exec_matrix(exec, aggregate.arg[0], &fault);
    const Column *column = matrix ? exec_column(exec, aggregate.arg[1], &fault) : NULL;
    for (uint32_t i = 0; column && i < n; i++)
        for (uint32_t j = 0, first = n; j < n; j++) {
            if (!matrix[i * n + j]) continue;
            if (first == n) first = j;
            t->facts++;
            if (!agree(column_at(column, first), column_at(column, j)))
                fail_msg("%s\n%s is said to move, but mixes at %u of %u", t->text, shown(t, node),
                         i, n);
        }
}

static void check_input(Trial *t, const uint32_t *ids, uint32_t n) {
    Atom tokens[16];
    for (uint32_t i = 0; i < n; i++) tokens[i] = t->domain.alphabet[ids[i]];
    Input input = {.tokens = tokens, .length = n};
    Arena *arena = arena_child(t->arena);
    Exec *exec = exec_new(t->graph, &input, (ExecOptions){.keep = true, .threads = 1}, arena);
    Fault fault;
    if (exec_column(exec, t->root, &fault))
        for (NodeId node = 0; node < t->nodes; node++) {
            if (!t->needed[node]) continue;
            if (node_is_selector(graph_node(t->graph, node)))
                check_selector(t, exec, node, n);
            else
                check_sop(t, exec, node, n);
            if (graph_node(t->graph, node)->kind == NODE_AGGREGATE) check_moves(t, exec, node, n);
        }
    exec_free(exec);
    arena_free(arena);
}

/* All inputs, shortest first, as far as they go. */
static void check_inputs(Trial *t) {
    uint32_t ids[16] = {0};
    size_t inputs = 0;
    for (uint32_t n = 1; n <= t->domain.max_length; n++)
        for (bool more = true; more && inputs < MOST_INPUTS; inputs++) {
            check_input(t, ids, n);
            uint32_t k = 0;
            while (k < n && ++ids[k] == t->domain.alphabet_size) ids[k++] = 0;
            more = k < n;
        }
}

/* --- one program ---------------------------------------------------------------------------- */

static bool prepare(Trial *t, const RandomProgram *p, bool run) {
    CompileOutput outputs[MAX_ROOTS];
    if (!session_load_text(t->session, "random.rasp", t->text, strlen(t->text))) return false;
    if (!judge_outputs(t->session, p, outputs)) return false;
    t->graph = session_graph(t->session);
    t->root = outputs[p->root_count - 1].node;
    t->nodes = graph_count(t->graph);
    t->needed = graph_needed(t->graph, &t->root, 1, t->arena);
    t->domain = (Domain){alphabet_atoms(&p->alphabet, session_intern(t->session), t->arena),
                         p->alphabet.count, p->max_length, -1, NODE_NONE};
    t->values = values_new(t->graph, &t->domain, 65536, 1 << 22, t->arena);
    return !run || values_run(t->values);
}

static size_t check_program(const RandomProgram *p, const char *text, bool run) {
    Trial t = {.text = text};
    BudgetGuard guard;
    budget_init(&t.budget, (size_t)1 << 30);
    t.session = judge_session(&t.judge, &t.budget);
    assert_non_null(t.session);
    if (BUDGET_ENTER(&t.budget, &guard)) {
        t.arena = arena_child(session_arena(t.session));
        if (prepare(&t, p, run)) check_inputs(&t);
        budget_leave(&t.budget, &guard);
    }
    session_free(t.session);
    return t.facts;
}

static void check_facts(bool run) {
    Campaign c =
        campaign_begin(run ? "test_values: runs" : "test_values: products", 2106, PROGRAMS);
    size_t facts = 0;
    for (uint64_t seed; campaign_next(&c, &seed);) {
        static RandomProgram program;
        static char text[PROGRAM_TEXT];
        if (random_program_of(&program, seed, text, sizeof text))
            facts += check_program(&program, text, run);
    }
    print_message("seed %llu: %zu facts hold\n", (unsigned long long)c.seed, facts);
    assert_true(facts > 1000 * c.own);
}

static void test_products_hold(void **state) {
    (void)state;
    check_facts(false);
}

static void test_runs_hold(void **state) {
    (void)state;
    check_facts(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products_hold),
                                       cmocka_unit_test(test_runs_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
