/* Every plan against the meaning: selectors of every shape, and random ones, over columns of
 * every kind, through every plan; counts, fetches and means are compared bit by bit with what
 * GMP and MPFR give. */
#include "tests/unit/exec_fixture.h"

static const ExecPlan plans[] = {EXEC_PLAN_AUTO, EXEC_PLAN_NAIVE, EXEC_PLAN_TERMS, EXEC_PLAN_BITS};
static const char *const plan_names[] = {"auto", "naive", "terms", "bits"};
enum { PLANS = sizeof plans / sizeof *plans };

static const OpId comparisons[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};

static void check_width(Fixture *f, ExecPlan plan, NodeId selector, const bool *matrix) {
    NodeId width = graph_width(f->graph, selector, nowhere);
    Exec *exec = exec_new(f->graph, &f->input, (ExecOptions){.plan = plan}, f->arena);
    exec_want(exec, &width, 1);
    Fault fault;
    const Column *column = exec_column(exec, width, &fault);
    assert_non_null(column);
    assert_int_equal(column->type, SEQUENCE_INT);
    for (size_t i = 0; i < f->n; i++) {
        int64_t count = 0;
        for (size_t j = 0; j < f->n; j++) count += matrix[i * f->n + j];
        if (!atom_same(column_at(column, i), atom_int(count))) {
            const char *text = graph_text(f->graph, selector, 400, f->arena);
            expect_same(
                column_at(column, i), atom_int(count),
                arena_format(f->arena, "width, plan %s, n %zu, %s", plan_names[plan], f->n, text),
                i);
        }
    }
    exec_free(exec);
}

static void check_aggregate(Fixture *f, ExecPlan plan, NodeId selector, NodeId values,
                            Atom fallback, const Atom *expected, FaultId expected_fault) {
    NodeId node = graph_aggregate(f->graph, selector, values, fallback, nowhere);
    Exec *exec = exec_new(f->graph, &f->input, (ExecOptions){.plan = plan}, f->arena);
    exec_want(exec, &node, 1);
    Fault fault = {0};
    const Column *column = exec_column(exec, node, &fault);
    const char *what = arena_format(f->arena, "plan %s, n %zu, %s", plan_names[plan], f->n,
                                    graph_text(f->graph, node, 400, f->arena));
    if (fault.id != expected_fault) fail_msg("%s: fault %d", what, (int)fault.id);
    for (size_t i = 0; column && i < f->n; i++)
        expect_same(column_at(column, i), expected[i], what, i);
    exec_free(exec);
}

/* The selector through every plan: its table, widths, and aggregates of some columns. */
static void check_selector(Fixture *f, Random *random, NodeId selector, const NodeId *values,
                           size_t value_count) {
    const bool *matrix = oracle_matrix(f, selector);
    Atom *expected = ARENA_ARRAY(f->arena, f->n, Atom);
    const Atom fallbacks[] = {atom_int(0), atom_float(-0.5), atom_bool(true), text_atom(f, "none")};
    for (int p = 0; p < PLANS; p++) check_width(f, plans[p], selector, matrix);
    for (size_t v = 0; v < value_count; v++) {
        Atom fallback = fallbacks[random_below(random, 4)];
        FaultId fault = oracle_aggregate(f, matrix, column_of(f, values[v]), fallback, expected);
        for (int p = 0; p < PLANS; p++)
            check_aggregate(f, plans[p], selector, values[v], fallback, expected, fault);
    }
    Exec *exec = exec_new(f->graph, &f->input, (ExecOptions){.keep = true}, f->arena);
    Fault fault;
    const bool *shown = exec_matrix(exec, selector, &fault);
    assert_memory_equal(shown, matrix, f->n * f->n);
    exec_free(exec);
}

/* --- every comparison of every kind of column ---------------------------------------------- */

/* Is this case, by number, one of the share? */
static bool drawn(unsigned *number) {
    return (*number)++ % share() == 0;
}

static bool comparable(Recipe a, Recipe b) {
    bool a_text = a == RECIPE_LETTERS || a == RECIPE_WORDS;
    bool b_text = b == RECIPE_LETTERS || b == RECIPE_WORDS;
    return a_text == b_text;
}

static void every_pair(void **state) {
    (void)state;
    Random random = {1};
    static const size_t lengths[] = {1, 7, 70};
    unsigned number = 0;
    for (Recipe a = 0; a < RECIPE_COUNT; a++)
        for (Recipe b = 0; b < RECIPE_COUNT; b++)
            for (size_t k = 0; k < 3; k++) {
                Fixture f;
                if (!drawn(&number)) continue;
                fixture_open(&f, lengths[k]);
                NodeId key = random_column(&f, &random, a), query = random_column(&f, &random, b);
                NodeId values[] = {
                    random_column(&f, &random, (Recipe)random_below(&random, RECIPE_COUNT)),
                    random_column(&f, &random, RECIPE_INDICES)};
                for (size_t c = 0; c < 6; c++) {
                    if (c >= 2 && !comparable(a, b)) break;
                    NodeId selector = graph_select(f.graph, comparisons[c], key, query, nowhere);
                    check_selector(&f, &random, selector, values, 2);
                    if (k != 1) continue;
                    NodeId own = graph_select(f.graph, comparisons[c], key, key, nowhere);
                    check_selector(&f, &random, own, values, 2);
                }
                fixture_close(&f);
            }
}

/* --- the shapes that plans are made of ------------------------------------------------------ */

/* A formula in letters: e l L g G n select by == < <= > >= != on the next pair of columns
 * (taken round), & | ! join what is on the stack; a digit chooses the pair instead. */
static NodeId read_shape(Fixture *f, const char *shape, const NodeId *keys, const NodeId *queries) {
    NodeId stack[16];
    size_t depth = 0, pair = 0;
    for (; *shape; shape++) {
        static const char letters[] = "enlLgG";
        const char *letter = strchr(letters, *shape);
        if (*shape >= '0' && *shape <= '9')
            pair = (size_t)(*shape - '0');
        else if (letter) {
            stack[depth++] = graph_select(f->graph, comparisons[letter - letters], keys[pair],
                                          queries[pair], nowhere);
            pair++;
        } else if (*shape == '!')
            stack[depth - 1] = graph_not(f->graph, stack[depth - 1], nowhere);
        else {
            NodeId b = stack[--depth], a = stack[depth - 1];
            stack[depth - 1] = *shape == '&' ? graph_and(f->graph, a, b, nowhere)
                                             : graph_or(f->graph, a, b, nowhere);
        }
    }
    return stack[0];
}

static const char *const shapes[] = {
    "e",       "l",           "n!",          "eG&",       "le&",       "ll&",       "lG&",
    "l0e|1l&", "e1l&0l|",     "ee&",         "ee&e&",     "el&L&",     "eel&&L&",   "ll|",
    "en|!",    "nn&",         "nn|",         "n1l&",      "n1l|",      "l0G&",      "l0g|",
    "l0L|1e&", "3e4e&5e&",    "3e0l&",       "6e0l&",     "6e!7e|0e&", "3e4e|5e|",  "ll&l&",
    "lG&e&l&", "ll|l|",       "e1e|2e|",     "eeeee&&&&", "lllll||||", "e!1l!&2l&", "l0l!|",
    "l0l!&",   "e1l&0l1e&|!", "0l1l&0g1g&|", "3e1L&0G|",  "n3e&",      "0l8l&",     "0G8l&",
    "0e8l&",   "0l8L&9l&",    "8l9l&",       "0l8g|1e&",  "6l6G&",
};

/* Pairs 0 to 2: random keys and queries; 3 to 5: a key against a constant; 6, 7: a constant
 * against queries; 8, 9: the keys of 0 with other queries. */
static void fill_pairs(Fixture *f, Random *random, Recipe recipe, NodeId *keys, NodeId *queries) {
    for (size_t p = 0; p < 3; p++) {
        bool same = random_below(random, 2);
        Recipe own = p == 1 ? RECIPE_INDICES : p == 2 ? RECIPE_FEW_INTS : recipe;
        keys[p] = random_column(f, random, own);
        queries[p] = same ? keys[p] : random_column(f, random, p ? RECIPE_FEW_INTS : recipe);
    }
    NodeId constant = random_column(f, random, RECIPE_CONSTANT);
    for (size_t p = 3; p < 6; p++) {
        keys[p] = random_column(f, random, RECIPE_FEW_INTS);
        queries[p] = constant;
    }
    for (size_t p = 6; p < 8; p++) {
        keys[p] = constant;
        queries[p] = random_column(f, random, RECIPE_FEW_INTS);
    }
    for (size_t p = 8; p < 10; p++) {
        keys[p] = keys[0];
        queries[p] = random_column(f, random, recipe);
    }
}

static void every_shape(void **state) {
    (void)state;
    Random random = {2};
    static const size_t lengths[] = {2, 9, 64, 65, 130};
    unsigned number = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t k = 0; k < 5; k++)
            for (int round = 0; round < 2; round++) {
                Fixture f;
                if (!drawn(&number)) continue;
                fixture_open(&f, lengths[k]);
                NodeId keys[10], queries[10];
                Recipe recipe = (Recipe)random_below(&random, RECIPE_COUNT);
                fill_pairs(&f, &random, recipe, keys, queries);
                NodeId values[] = {
                    random_column(&f, &random, (Recipe)random_below(&random, RECIPE_NUMBERS)),
                    random_column(&f, &random, RECIPE_WORDS)};
                check_selector(&f, &random, read_shape(&f, shapes[s], keys, queries), values, 2);
                fixture_close(&f);
            }
}

/* --- random formulas ------------------------------------------------------------------------ */

static NodeId random_selector(Fixture *f, Random *random, const NodeId *columns, size_t count,
                              int depth) {
    if (depth == 0 || random_below(random, 4) == 0) {
        NodeId key = columns[random_below(random, count)];
        NodeId query = columns[random_below(random, count)];
        return graph_select(f->graph, comparisons[random_below(random, 6)], key, query, nowhere);
    }
    NodeId a = random_selector(f, random, columns, count, depth - 1);
    if (random_below(random, 4) == 0) return graph_not(f->graph, a, nowhere);
    NodeId b = random_selector(f, random, columns, count, depth - 1);
    return random_below(random, 2) ? graph_and(f->graph, a, b, nowhere)
                                   : graph_or(f->graph, a, b, nowhere);
}

static void random_formulas(void **state) {
    (void)state;
    Random random = {3};
    unsigned number = 0;
    for (int round = 0; round < 400; round++) {
        Fixture f;
        if (!drawn(&number)) continue;
        fixture_open(&f, 1 + random_below(&random, round % 4 ? 40 : 150));
        NodeId columns[4];
        for (size_t c = 0; c < 4; c++) {
            Recipe recipe = (Recipe)random_below(&random, RECIPE_COUNT);
            if (recipe == RECIPE_LETTERS || recipe == RECIPE_WORDS) recipe = RECIPE_INDICES;
            columns[c] = random_column(&f, &random, recipe);
        }
        NodeId selector =
            random_selector(&f, &random, columns, 2 + random_below(&random, 3), round % 5);
        NodeId values[] = {random_column(&f, &random, (Recipe)random_below(&random, RECIPE_COUNT)),
                           random_column(&f, &random, RECIPE_MIXED)};
        check_selector(&f, &random, selector, values, 2);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair),
        cmocka_unit_test(every_shape),
        cmocka_unit_test(random_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
