/* Values by running every input against the interpreter, on random programs: what is found is what
 * occurs, no less and no more.
 *
 * For each s-op its set and kinds in each context, for each selector the counts of its rows, joint
 * values of s-ops drawn, pairs of levels that meet, and which nodes can fail; of the inputs on
 * which the node has an answer.  Sequences that mix strings with numbers, which the interpreter
 * refuses and runs keep, are left out.  And what products find must hold all of it: sets, counts of
 * rows, joint values, also over a basis, levels that meet, values that are moved; also where
 * positions are told apart by their order alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/campaign.h"
#include "tests/unit/random_judge.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 40 };
#else
enum { PROGRAMS = 400 };
#endif
enum { LONGEST = 7, DRAWN = 6 };

typedef struct Trial {
    Judge judge;
    Budget budget;
    Session *session;
    Graph *graph;
    Arena *arena;
    Domain domain;
    Values *values, *products;
    NodeId root;
    uint32_t nodes;
    bool *needed;
    const char *text;
    Chooser chooser;
    size_t facts;
} Trial;

static const char *shown(Trial *t, NodeId node) {
    return graph_text(t->graph, node, 200, t->arena);
}

/* --- inputs ------------------------------------------------------------------------------ */

typedef void EachInput(Trial *t, Exec *exec, uint32_t n, void *context);

static bool is_inside(Trial *t, Exec *exec) {
    Fault fault;
    if (t->domain.where == NODE_NONE) return true;
    const Column *where = exec_column(exec, t->domain.where, &fault);
    for (size_t i = 0; where && i < where->length; i++)
        if (!atom_truth(column_at(where, i))) return false;
    return where != NULL;
}

static void interpret_input(Trial *t, const uint32_t *ids, uint32_t n, EachInput *each,
                            void *context) {
    Atom tokens[LONGEST];
    for (uint32_t i = 0; i < n; i++) tokens[i] = t->domain.alphabet[ids[i]];
    Arena *arena = arena_child(t->arena);
    Exec *exec = exec_new(t->graph, &(Input){.tokens = tokens, .length = n},
                          (ExecOptions){.keep = true, .threads = 1}, arena);
    if (is_inside(t, exec)) each(t, exec, n, context);
    exec_free(exec);
    arena_free(arena);
}

static void each_input(Trial *t, EachInput *each, void *context) {
    uint32_t fixed = t->domain.first >= 0;
    for (uint32_t n = 1; n <= t->domain.max_length; n++) {
        uint32_t ids[LONGEST] = {fixed ? (uint32_t)t->domain.first : 0}, k = fixed;
        do {
            interpret_input(t, ids, n, each, context);
            for (k = fixed; k < n && ++ids[k] == t->domain.alphabet_size;) ids[k++] = 0;
        } while (k < n);
    }
}

/* --- what occurs ------------------------------------------------------------------------- */

/* Strings stand beside numbers. */
static bool is_mix(FaultId id) {
    return id == FAULT_MIXED_TYPES || id == FAULT_DEFAULT_TYPE;
}

/* Rows of a context and of levels, as the interpreter gives them; kinds of the last column. */
typedef struct Occurring {
    const NodeId *nodes;
    uint32_t count;
    TupleMap *rows; /* -> kinds */
    bool failed, mixed;
} Occurring;

static uint32_t level_of(Trial *t, NodeId node, Atom value) {
    const NodeValues *v = values_of(t->values, node);
    for (uint32_t k = 0; k < v->count; k++)
        if (atom_equal(v->levels[k], value) || atom_same(v->levels[k], value)) return k;
    fail_msg("%s\n%s has the value %s, not among its levels", t->text, shown(t, node),
             atom_show(value, ATOM_QUOTED, t->arena));
    return 0;
}

static void find_rows(Trial *t, Exec *exec, uint32_t n, void *context) {
    Occurring *o = context;
    const Column *column[4] = {NULL};
    for (uint32_t k = 0; k < o->count; k++) {
        Fault fault = {0};
        column[k] = exec_column(exec, o->nodes[k], &fault);
        o->failed |= !column[k];
        o->mixed |= !column[k] && is_mix(fault.id);
    }
    for (uint32_t k = 0; k < o->count; k++)
        if (!column[k]) return;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row[5] = {context_of(n, i)};
        bool found;
        for (uint32_t k = 0; k < o->count; k++)
            row[k + 1] = level_of(t, o->nodes[k], column_at(column[k], i));
        uint32_t *kinds = tuple_map_at(o->rows, row, &found);
        if (!found) *kinds = 0;
        *kinds |= kind_bit(column_at(column[o->count - 1], i));
    }
}

static Occurring occurring(Trial *t, const NodeId *nodes, uint32_t count) {
    Occurring o = {nodes, count, tuple_map_new(t->arena, count + 1), false, false};
    each_input(t, find_rows, &o);
    return o;
}

/* --- one s-op ---------------------------------------------------------------------------- */

static bool in_products(Trial *t, NodeId node, uint32_t context, Atom value) {
    const NodeValues *v = values_of(t->products, node);
    uint32_t count;
    if (!v) return true;
    const uint32_t *member = values_set(t->products, v->sets[context], &count);
    for (uint32_t k = 0; k < count; k++)
        if (atom_equal(v->levels[member[k]], value) || atom_same(v->levels[member[k]], value))
            return true;
    return false;
}

static void check_sop(Trial *t, NodeId node) {
    const NodeValues *v = values_of(t->values, node);
    assert_non_null(v);
    Occurring o = occurring(t, &node, 1);
    if (o.mixed) return;
    unsigned *kinds = ARENA_ARRAY(t->arena, v->count, unsigned);
    uint32_t rows = 0;
    for (uint32_t k = 0; k < tuple_map_count(o.rows); k++) {
        bool found;
        const uint32_t *row = tuple_map_key(o.rows, k);
        kinds[row[1]] |= *tuple_map_at(o.rows, row, &found);
    }
    for (uint32_t c = 0; c < domain_contexts(&t->domain); c++) {
        uint32_t count;
        const uint32_t *member = values_set(t->values, v->sets[c], &count);
        for (uint32_t k = 0; k < count; k++, rows++) {
            bool found;
            (void)tuple_map_at(o.rows, (uint32_t[]){c, member[k]}, &found);
            if (!found)
                fail_msg("%s\n%s never is %s in context %u", t->text, shown(t, node),
                         atom_show(v->levels[member[k]], ATOM_QUOTED, t->arena), c);
            if (!in_products(t, node, c, v->levels[member[k]]))
                fail_msg("%s\n%s: products lack %s", t->text, shown(t, node),
                         atom_show(v->levels[member[k]], ATOM_QUOTED, t->arena));
        }
    }
    assert_int_equal(rows, tuple_map_count(o.rows));
    bool alphabet = graph_node(t->graph, node)->kind == NODE_TOKENS; /* all of it */
    for (uint32_t k = 0; k < v->count && !alphabet; k++)
        if (kinds[k] != v->kinds[k])
            fail_msg("%s\n%s: kinds of %s are %u, not %u", t->text, shown(t, node),
                     atom_show(v->levels[k], ATOM_QUOTED, t->arena), kinds[k], v->kinds[k]);
    t->facts += rows;
}

/* --- one selector ------------------------------------------------------------------------ */

typedef struct Counts {
    NodeId selector;
    uint32_t *least, *most;
    bool mixed;
} Counts;

static void find_counts(Trial *t, Exec *exec, uint32_t n, void *context) {
    Counts *counts = context;
    Fault fault = {0};
    (void)t;
    const bool *matrix = exec_check_selector(exec, counts->selector, &fault)
                             ? exec_matrix(exec, counts->selector, &fault)
                             : NULL;
    counts->mixed |= !matrix && is_mix(fault.id);
    for (uint32_t i = 0; matrix && i < n; i++) {
        uint32_t width = 0, c = context_of(n, i);
        for (uint32_t j = 0; j < n; j++) width += matrix[i * n + j];
        if (width < counts->least[c]) counts->least[c] = width;
        if (width > counts->most[c]) counts->most[c] = width;
    }
}

static void check_selector(Trial *t, NodeId node) {
    uint32_t contexts = domain_contexts(&t->domain);
    Counts counts = {.selector = node,
                     .least = ARENA_ARRAY(t->arena, contexts, uint32_t),
                     .most = ARENA_ARRAY(t->arena, contexts, uint32_t)};
    for (uint32_t c = 0; c < contexts; c++) counts.least[c] = LONGEST + 1;
    each_input(t, find_counts, &counts);
    if (counts.mixed) return;
    const SelectorFacts *facts = values_selector(t->values, node);
    assert_non_null(facts);
    bool some = true, one = true;
    for (uint32_t c = 0; c < contexts; c++) {
        if (counts.least[c] > LONGEST) continue; /* never comes up */
        if (facts->least[c] != counts.least[c] || facts->most[c] != counts.most[c])
            fail_msg("%s\n%s: %u to %u keys in context %u, not %u to %u", t->text, shown(t, node),
                     counts.least[c], counts.most[c], c, facts->least[c], facts->most[c]);
        some &= counts.least[c] > 0;
        one &= counts.most[c] <= 1;
        t->facts++;
    }
    assert_int_equal(facts->never_empty, some);
    assert_int_equal(facts->at_most_one, one);
    const SelectorFacts *products = values_selector(t->products, node);
    for (uint32_t c = 0; products && c < contexts; c++)
        if (counts.least[c] <= LONGEST &&
            (products->least[c] > counts.least[c] || products->most[c] < counts.most[c]))
            fail_msg("%s\n%s: %u to %u keys in context %u, products say %u to %u", t->text,
                     shown(t, node), counts.least[c], counts.most[c], c, products->least[c],
                     products->most[c]);
}

/* --- what is moved ----------------------------------------------------------------------- */

typedef struct Moving {
    NodeId aggregate;
    bool differs; /* a row selects several values */
} Moving;

static void find_moving(Trial *t, Exec *exec, uint32_t n, void *context) {
    Moving *m = context;
    Fault fault = {0};
    Node node = *graph_node(t->graph, m->aggregate);
    const Column *result = exec_column(exec, m->aggregate, &fault);
    const Column *value = result ? exec_column(exec, node.arg[1], &fault) : NULL;
    const bool *matrix = value && exec_check_selector(exec, node.arg[0], &fault)
                             ? exec_matrix(exec, node.arg[0], &fault)
                             : NULL;
    for (uint32_t i = 0; matrix && i < n; i++)
        for (uint32_t j = 0, first = n; j < n; j++) {
            if (!matrix[i * n + j]) continue;
            if (first == n) first = j;
            m->differs |= !atom_equal(column_at(value, first), column_at(value, j));
        }
}

static void check_moves(Trial *t, NodeId node) {
    Moving moving = {.aggregate = node};
    bool runs = values_moves(t->values, node), products = values_moves(t->products, node);
    if (!runs && !products) return;
    each_input(t, find_moving, &moving);
    if (moving.differs)
        fail_msg("%s\n%s is said to move what it mixes: runs %d, products %d", t->text,
                 shown(t, node), runs, products);
    t->facts++;
}

/* --- several ----------------------------------------------------------------------------- */

static NodeId draw_sop(Trial *t) {
    for (int tries = 0; tries < 100; tries++) {
        NodeId node = choose(&t->chooser, t->nodes);
        if (t->needed[node] && !node_is_selector(graph_node(t->graph, node))) return node;
    }
    return t->root;
}

static uint32_t products_level(Trial *t, NodeId node, uint32_t level) {
    const NodeValues *v = values_of(t->products, node);
    Atom value = values_of(t->values, node)->levels[level];
    for (uint32_t k = 0; k < v->count; k++)
        if (atom_equal(v->levels[k], value) || atom_same(v->levels[k], value)) return k;
    return UINT32_MAX;
}

/* What products find holds every row that occurs; so it does where the rows are asked for as
 * functions of the first nodes' arguments, which need not name those of one value. */
static void check_products_rows(Trial *t, const NodeId *nodes, TupleMap *joint, const Rows *rows) {
    TupleMap *found_rows = tuple_map_new(t->arena, 3);
    bool found;
    for (size_t r = 0; r < rows->row_count; r++)
        (void)tuple_map_at(found_rows, rows->level + r * 3, &found);
    for (uint32_t k = 0; k < tuple_map_count(joint); k++) {
        uint32_t row[3];
        for (uint32_t m = 0; m < 3; m++)
            row[m] = products_level(t, nodes[m], tuple_map_key(joint, k)[m]);
        (void)tuple_map_at(found_rows, row, &found);
        if (!found)
            fail_msg("%s\n%s, %s and %s: products lack a row", t->text, shown(t, nodes[0]),
                     shown(t, nodes[1]), shown(t, nodes[2]));
    }
    t->facts += tuple_map_count(joint);
}

static uint32_t add_to_basis(Trial *t, NodeId node, NodeId *basis, uint32_t count) {
    const NodeValues *v = values_of(t->products, node);
    if (!v || v->count != 1) basis[count++] = node;
    return count;
}

static void check_products_joint(Trial *t, const NodeId *nodes, TupleMap *joint) {
    NodeId basis[3 * OP_MAX_ARITY];
    uint32_t count = 0;
    Rows rows;
    if (values_rows(t->products, nodes, 3, UINT32_MAX, &rows))
        check_products_rows(t, nodes, joint, &rows);
    for (int m = 0; m < 3; m++) {
        const Node *n = graph_node(t->graph, nodes[m]);
        bool inner = n->kind == NODE_MAP || n->kind == NODE_LOOKUP;
        for (int k = 0; inner && k < n->arity; k++)
            count = add_to_basis(t, n->arg[k], basis, count);
        if (!inner) count = add_to_basis(t, nodes[m], basis, count);
    }
    if (values_rows_over(t->products, basis, count, nodes, 3, &rows))
        check_products_rows(t, nodes, joint, &rows);
}

/* Joint values over all contexts. */
static void check_joint(Trial *t) {
    NodeId nodes[3] = {draw_sop(t), draw_sop(t), draw_sop(t)};
    Occurring o = occurring(t, nodes, 3);
    if (o.mixed) return;
    TupleMap *joint = tuple_map_new(t->arena, 3);
    bool found;
    for (uint32_t k = 0; k < tuple_map_count(o.rows); k++)
        (void)tuple_map_at(joint, tuple_map_key(o.rows, k) + 1, &found);
    Rows rows;
    assert_true(values_rows(t->values, nodes, 3, UINT32_MAX, &rows));
    uint32_t occurring_rows = tuple_map_count(joint);
    for (size_t r = 0; r < rows.row_count; r++) {
        (void)tuple_map_at(joint, rows.level + r * 3, &found);
        if (!found)
            fail_msg("%s\n%s, %s and %s: a row that never occurs", t->text, shown(t, nodes[0]),
                     shown(t, nodes[1]), shown(t, nodes[2]));
    }
    assert_int_equal(rows.row_count, occurring_rows);
    t->facts += rows.row_count;
    check_products_joint(t, nodes, joint);
}

typedef struct Meeting {
    NodeId key, query;
    unsigned char *meet;
    uint32_t queries;
    bool mixed;
} Meeting;

static void find_meeting(Trial *t, Exec *exec, uint32_t n, void *context) {
    Meeting *m = context;
    Fault fault = {0};
    const Column *k = exec_column(exec, m->key, &fault);
    m->mixed |= !k && is_mix(fault.id);
    const Column *q = exec_column(exec, m->query, &fault);
    m->mixed |= !q && is_mix(fault.id);
    for (uint32_t j = 0; k && q && j < n; j++)
        for (uint32_t i = 0; i < n; i++)
            m->meet[level_of(t, m->key, column_at(k, j)) * m->queries +
                    level_of(t, m->query, column_at(q, i))] = 1;
}

static void check_products_meeting(Trial *t, const Meeting *m) {
    const NodeValues *k = values_of(t->products, m->key), *q = values_of(t->products, m->query);
    uint32_t keys = values_of(t->values, m->key)->count;
    if (!k || !q) return;
    unsigned char *meet = ARENA_ARRAY(t->arena, (size_t)k->count * q->count, unsigned char);
    values_meet(t->products, m->key, m->query, meet);
    for (uint32_t a = 0; a < keys; a++)
        for (uint32_t b = 0; b < m->queries; b++) {
            if (!m->meet[a * m->queries + b]) continue;
            uint32_t x = products_level(t, m->key, a), y = products_level(t, m->query, b);
            if (x == UINT32_MAX || y == UINT32_MAX || !meet[(size_t)x * q->count + y])
                fail_msg("%s\n%s and %s meet, products say not", t->text, shown(t, m->key),
                         shown(t, m->query));
        }
}

static void check_meeting(Trial *t) {
    Meeting m = {.key = draw_sop(t), .query = draw_sop(t)};
    m.queries = values_of(t->values, m.query)->count;
    size_t size = (size_t)values_of(t->values, m.key)->count * m.queries;
    m.meet = ARENA_ARRAY(t->arena, size, unsigned char);
    unsigned char *meet = ARENA_ARRAY(t->arena, size, unsigned char);
    each_input(t, find_meeting, &m);
    if (m.mixed) return;
    values_meet(t->values, m.key, m.query, meet);
    if (size && memcmp(meet, m.meet, size) != 0)
        fail_msg("%s\n%s and %s meet otherwise", t->text, shown(t, m.key), shown(t, m.query));
    t->facts += size;
    check_products_meeting(t, &m);
}

/* Does the root have an answer everywhere exactly if no node below it fails? */
static void check_answers(Trial *t) {
    bool never = true;
    for (NodeId node = 0; node < t->nodes; node++)
        if (t->needed[node])
            never &=
                values_never_fails(t->values, node) &&
                (node_is_selector(graph_node(t->graph, node)) || !values_mixes(t->values, node));
    Occurring o = occurring(t, &t->root, 1);
    if (o.failed == never) fail_msg("%s\nfails: %d, runs say %d", t->text, o.failed, !never);
}

/* --- one program ------------------------------------------------------------------------- */

static bool prepare(Trial *t, const RandomProgram *p) {
    CompileOutput outputs[MAX_ROOTS];
    NodeId where = NODE_NONE;
    if (!session_load_text(t->session, "random.rasp", t->text, strlen(t->text))) return false;
    if (!judge_outputs(t->session, p, outputs) || !judge_where(t->session, p, &where)) return false;
    t->graph = session_graph(t->session);
    t->root = outputs[p->root_count - 1].node;
    t->nodes = graph_count(t->graph);
    t->needed = graph_needed(t->graph, &t->root, 1, t->arena);
    t->domain = (Domain){alphabet_atoms(&p->alphabet, session_intern(t->session), t->arena),
                         p->alphabet.count, p->max_length, choose(&t->chooser, 8) ? -1 : 0, where};
    t->values = values_new(t->graph, &t->domain, 65536, 1 << 22, t->arena);
    t->products = values_new(t->graph, &t->domain, 65536, 1 << 22, t->arena);
    if (choose(&t->chooser, 2)) values_limit_states(t->products, 1); /* by the order alone */
    return t->domain.max_length <= LONGEST && values_run(t->values);
}

static void check_all(Trial *t) {
    for (NodeId node = 0; node < t->nodes; node++) {
        if (!t->needed[node]) continue;
        if (node_is_selector(graph_node(t->graph, node)))
            check_selector(t, node);
        else
            check_sop(t, node);
        if (graph_node(t->graph, node)->kind == NODE_AGGREGATE) check_moves(t, node);
    }
    for (int k = 0; k < DRAWN; k++) {
        check_joint(t);
        check_meeting(t);
    }
    check_answers(t);
}

static size_t check_program(const RandomProgram *p, const char *text, uint64_t seed) {
    Trial t = {.text = text, .chooser = {.random = {seed}}};
    BudgetGuard guard;
    budget_init(&t.budget, (size_t)1 << 30);
    t.session = judge_session(&t.judge, &t.budget);
    assert_non_null(t.session);
    if (BUDGET_ENTER(&t.budget, &guard)) {
        t.arena = arena_child(session_arena(t.session));
        if (prepare(&t, p)) check_all(&t);
        budget_leave(&t.budget, &guard);
    }
    session_free(t.session);
    return t.facts;
}

static void test_exact(void **state) {
    (void)state;
    Campaign c = campaign_begin("test_values_run", 2611, PROGRAMS);
    size_t facts = 0;
    for (uint64_t seed; campaign_next(&c, &seed);) {
        static RandomProgram program;
        static char text[PROGRAM_TEXT];
        if (random_program_of(&program, seed, text, sizeof text))
            facts += check_program(&program, text, seed);
    }
    print_message("seed %llu: %zu facts are exact\n", (unsigned long long)c.seed, facts);
    campaign_count(&c, "facts", facts);
    campaign_end(&c);
    assert_true(facts > 100 * c.own);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
