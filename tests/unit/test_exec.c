/* Running graphs: tokens and their conversions, sequence types, faults and their texts, what
 * is freed and kept, chains of a million nodes, long inputs in several threads, Ctrl-C, and
 * memory that runs out at every allocation. */
#include "tests/unit/exec_fixture.h"

static NodeId tokens(Fixture *f, TokenType type) {
    return graph_tokens(f->graph, type, nowhere);
}
static NodeId indices(Fixture *f) {
    return graph_indices(f->graph, nowhere);
}
static NodeId constant(Fixture *f, Atom atom) {
    return graph_constant(f->graph, atom, nowhere);
}
static NodeId map2(Fixture *f, OpId op, NodeId a, NodeId b) {
    return graph_map(f->graph, op, (NodeId[]){a, b}, nowhere);
}
static NodeId selecting(Fixture *f, OpId op, NodeId key, NodeId query) {
    return graph_select(f->graph, op, key, query, nowhere);
}
static NodeId mean(Fixture *f, NodeId selector, NodeId values) {
    return graph_aggregate(f->graph, selector, values, atom_int(0), nowhere);
}

/* A sequence as text: values as in a list, then the type. */
static const char *show(Fixture *f, const Column *column) {
    const char *text = "";
    for (size_t i = 0; i < column->length; i++)
        text = arena_format(f->arena, "%s%s%s", text, i ? " " : "",
                            atom_show(column_at(column, i), ATOM_LISTED, f->arena));
    return arena_format(f->arena, "%s (%s)", text, sequence_type_name(column->type));
}

/* What the node gives: values and type, or the reference's message. */
static const char *run(Fixture *f, NodeId node) {
    Exec *exec = exec_new(f->graph, &f->input, (ExecOptions){.keep = true}, f->arena);
    Fault fault;
    const Column *column = exec_column(exec, node, &fault);
    const char *text = column ? show(f, column) : fault_reference_text(&fault, f->arena);
    exec_free(exec);
    return text;
}

static void set_tokens(Fixture *f, const Atom *atoms) {
    for (size_t i = 0; i < f->n; i++) f->tokens[i] = atoms[i];
    f->input.is_string = false;
}

static void set_text(Fixture *f, const char *text) {
    for (size_t i = 0; i < f->n; i++) f->tokens[i] = atom_string(intern(f->intern, text + i, 1));
}

/* --- tokens ------------------------------------------------------------------------------------
 */

/* One token, converted each way: asis, str, int, float, bool. */
static void conversions(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 1);
    const struct {
        Atom token;
        const char *converted[5];
    } cases[] = {
        {atom_int(-12),
         {"-12 (ints)", "'-12' (strings)", "-12 (ints)", "-12.0 (floats)", "True (bools)"}},
        {atom_float(-2.75),
         {"-2.75 (floats)", "'-2.75' (strings)", "-2 (ints)", "-2.75 (floats)", "True (bools)"}},
        {atom_float(-0.0),
         {"-0.0 (floats)", "'-0.0' (strings)", "0 (ints)", "-0.0 (floats)", "False (bools)"}},
        {atom_bool(true),
         {"True (bools)", "'True' (strings)", "1 (ints)", "1.0 (floats)", "True (bools)"}},
        {text_atom(&f, "+07"),
         {"'+07' (strings)", "'+07' (strings)", "7 (ints)", "7.0 (floats)", "True (bools)"}},
        {text_atom(&f, "-1.5"),
         {"'-1.5' (strings)", "'-1.5' (strings)", "invalid literal for int() with base 10: '-1.5'",
          "-1.5 (floats)", "True (bools)"}},
        {text_atom(&f, "it's"),
         {"\"it's\" (strings)", "\"it's\" (strings)",
          "invalid literal for int() with base 10: \"it's\"",
          "could not convert string to float: \"it's\"", "True (bools)"}},
        {text_atom(&f, ""),
         {"'' (strings)", "'' (strings)", "invalid literal for int() with base 10: ''",
          "could not convert string to float: ''", "False (bools)"}},
        {text_atom(&f, "9223372036854775808"),
         {"'9223372036854775808' (strings)", "'9223372036854775808' (strings)",
          "int too large: the result of tokens_int does not fit in 64 bits",
          "9.223372036854776e+18 (floats)", "True (bools)"}},
        {atom_float(1e300),
         {"1e+300 (floats)", "'1e+300' (strings)",
          "int too large: the result of tokens_int does not fit in 64 bits", "1e+300 (floats)",
          "True (bools)"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (TokenType type = TOKENS_ASIS; type <= TOKENS_BOOL; type++) {
            set_tokens(&f, &cases[k].token);
            assert_string_equal(run(&f, tokens(&f, type)), cases[k].converted[type]);
        }
    fixture_close(&f);
}

static void sequence_types(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 3);
    const Atom a = text_atom(&f, "a"), t = atom_bool(true), one = atom_int(1),
               half = atom_float(0.5);
    const struct {
        Atom tokens[3];
        const char *text;
    } cases[] = {
        {{a, a, a}, "'a' 'a' 'a' (strings)"},
        {{t, t, t}, "True True True (bools)"},
        {{one, one, one}, "1 1 1 (ints)"},
        {{half, half, half}, "0.5 0.5 0.5 (floats)"},
        {{t, one, t}, "True 1 True (ints)"},
        {{half, one, t}, "0.5 1 True (floats)"},
        {{t, t, half}, "True True 0.5 (floats)"},
        {{one, a, one},
         "attempted to create sequence with vals of different types:\n\t\t [1, 'a', 1]"},
        {{a, a, half},
         "attempted to create sequence with vals of different types:\n\t\t ['a', 'a', 0.5]"},
        {{a, t, half},
         "attempted to create sequence with vals of different types:\n\t\t ['a', True, 0.5]"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        set_tokens(&f, cases[k].tokens);
        assert_string_equal(run(&f, tokens(&f, TOKENS_ASIS)), cases[k].text);
    }
    fixture_close(&f);
}

/* --- examples of language.md ----------------------------------------------------------------- */

static void examples(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 5);
    set_text(&f, "hello");
    NodeId s = tokens(&f, TOKENS_STR), i = indices(&f), one = constant(&f, atom_int(1));
    NodeId earlier = selecting(&f, OP_LT, i, i), same = selecting(&f, OP_EQ, s, s);
    NodeId previous = selecting(&f, OP_EQ, i, map2(&f, OP_SUB, i, one));
    NodeId all = selecting(&f, OP_EQ, one, one);
    NodeId is_l = map2(&f, OP_EQ, s, constant(&f, text_atom(&f, "l")));
    const struct {
        NodeId node;
        const char *text;
    } cases[] = {
        {mean(&f, earlier, i), "0 0 0.5 1.0 1.5 (floats)"},
        {graph_width(f.graph, same, nowhere), "1 1 2 2 1 (ints)"},
        {mean(&f, all, i), "2.0 2.0 2.0 2.0 2.0 (floats)"},
        {graph_width(f.graph, selecting(&f, OP_EQ, one, i), nowhere), "0 5 0 0 0 (ints)"},
        {graph_width(f.graph, selecting(&f, OP_EQ, s, i), nowhere), "0 0 0 0 0 (ints)"},
        {graph_width(f.graph, selecting(&f, OP_NE, s, i), nowhere), "5 5 5 5 5 (ints)"},
        {mean(&f, previous, is_l), "0 False False True True (ints)"},
        {graph_aggregate(f.graph, previous, s, text_atom(&f, "-"), nowhere),
         "'-' 'h' 'e' 'l' 'l' (strings)"},
        {mean(&f, previous, s), "attempted to create sequence with vals of different types:\n"
                                "\t\t (0, 'h', 'e', 'l', 'l')"},
        {mean(&f, all, s), "asked to average multiple values, but they are non-numbers: "
                           "['h', 'e', 'l', 'l', 'o']"},
        {mean(&f, same, is_l), "asked to average multiple values, but they are non-numbers: "
                               "[False, False, True, True, False]"},
        {graph_width(f.graph, selecting(&f, OP_LT, s, i), nowhere),
         "'>' not supported between instances of 'int' and 'str'"},
        {graph_width(f.graph, selecting(&f, OP_GE, i, s), nowhere),
         "'<=' not supported between instances of 'str' and 'int'"},
        {graph_width(f.graph, graph_or(f.graph, all, selecting(&f, OP_GT, i, s), nowhere), nowhere),
         "'<' not supported between instances of 'str' and 'int'"},
        {map2(&f, OP_ADD, s, i), "can only concatenate str (not \"int\") to str"},
        {map2(&f, OP_DIV, one, i), "division by zero"},
        {map2(&f, OP_MUL, s, i), "'' 'e' 'll' 'lll' 'oooo' (strings)"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(run(&f, cases[k].node), cases[k].text);
    fixture_close(&f);
}

/* A mix of bools and ints is numbers; a single value keeps its kind; a fault of a later
 * argument comes after one of an earlier. */
static void aggregate_rules(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 2);
    const Atom mixed[] = {atom_bool(true), atom_int(4)},
               bools[] = {atom_bool(true), atom_bool(true)};
    NodeId m = add_column(&f, mixed, false), b = add_column(&f, bools, false), i = indices(&f);
    NodeId all = selecting(&f, OP_GE, i, constant(&f, atom_int(0)));
    NodeId own = selecting(&f, OP_EQ, i, i);
    NodeId bad_key = map2(&f, OP_ADD, tokens(&f, TOKENS_STR), i);
    NodeId bad_value = map2(&f, OP_MOD, i, constant(&f, atom_int(0)));
    assert_string_equal(run(&f, mean(&f, all, m)), "2.5 2.5 (floats)");
    assert_string_equal(run(&f, mean(&f, own, m)), "True 4 (ints)");
    assert_string_equal(run(&f, mean(&f, own, b)), "True True (bools)");
    assert_string_equal(run(&f, mean(&f, selecting(&f, OP_EQ, bad_key, i), bad_value)),
                        "can only concatenate str (not \"int\") to str");
    assert_string_equal(run(&f, mean(&f, own, bad_value)), "integer modulo by zero");
    fixture_close(&f);
}

/* The text of a long sequence is cut, and no more than cut. */
static void long_messages(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 5000);
    NodeId s = tokens(&f, TOKENS_STR), i = indices(&f);
    const char *text = run(&f, mean(&f, selecting(&f, OP_LE, i, i), s));
    assert_true(strlen(text) < 1000);
    assert_non_null(strstr(text, "'t', …]"));
    fixture_close(&f);
}

/* --- life of columns ---------------------------------------------------------------------------
 */

/* A chain of sums: columns go after their last reader, so memory does not grow with it. */
static void columns_are_freed(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 100000);
    NodeId node = indices(&f);
    for (int k = 0; k < 100; k++) {
        node = map2(&f, OP_ADD, node, constant(&f, atom_int(k)));
        if (k % 10 == 0) node = mean(&f, selecting(&f, OP_EQ, node, node), node);
    }
    size_t before = f.budget.used;
    f.budget.peak = before;
    Exec *exec = exec_new(f.graph, &f.input, (ExecOptions){0}, f.arena);
    exec_want(exec, &node, 1);
    Fault fault;
    assert_non_null(exec_column(exec, node, &fault));
    size_t column = f.n * sizeof(int64_t);
    assert_true(f.budget.used - before < 2 * column);
    assert_true(f.budget.peak - before < 12 * column);
    exec_free(exec);
    assert_true(f.budget.used - before < column / 2);
    fixture_close(&f);
}

/* Several wanted nodes stay, whatever they share, in any order of asking. */
static void wanted_stay(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 3000);
    NodeId i = indices(&f), twice = map2(&f, OP_ADD, i, i);
    NodeId before = selecting(&f, OP_LT, twice, twice);
    NodeId nodes[] = {graph_width(f.graph, before, nowhere), i, mean(&f, before, i), twice};
    Exec *exec = exec_new(f.graph, &f.input, (ExecOptions){0}, f.arena);
    exec_want(exec, nodes, 4);
    Fault fault;
    for (int round = 0; round < 2; round++)
        for (size_t k = 4; k-- > 0;) assert_non_null(exec_column(exec, nodes[k], &fault));
    for (size_t p = 0; p < f.n; p++) {
        expect_same(column_at(exec_column(exec, nodes[0], &fault), p), atom_int((int64_t)p),
                    "width", p);
        expect_same(column_at(exec_column(exec, nodes[3], &fault), p), atom_int(2 * (int64_t)p),
                    "twice", p);
    }
    /* One that was not wanted, whose arguments are gone, is computed all the same. */
    NodeId other = mean(&f, selecting(&f, OP_GT, twice, twice), map2(&f, OP_MUL, i, twice));
    assert_non_null(exec_column(exec, other, &fault));
    exec_free(exec);
    fixture_close(&f);
}

/* The graph grows while an Exec lives. */
static void growing_graph(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 4);
    Exec *exec = exec_new(f.graph, &f.input, (ExecOptions){.keep = true}, f.arena);
    NodeId node = indices(&f);
    Fault fault;
    for (int k = 0; k < 3000; k++) {
        node = map2(&f, OP_ADD, node, constant(&f, atom_int(k % 3)));
        NodeId selector = selecting(&f, OP_LE, node, node);
        assert_true(exec_check_selector(exec, selector, &fault));
        assert_non_null(exec_column(exec, graph_width(f.graph, selector, nowhere), &fault));
    }
    assert_string_equal(show(&f, exec_column(exec, node, &fault)), "3000 3001 3002 3003 (ints)");
    exec_free(exec);
    fixture_close(&f);
}

/* Chains far deeper than a machine stack, of s-ops and of selectors. */
static void deep_chains(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 2);
    NodeId node = indices(&f), one = constant(&f, atom_int(1));
    NodeId selector = selecting(&f, OP_EQ, node, node);
    NodeId alternate[] = {selecting(&f, OP_LT, node, node), selecting(&f, OP_GT, node, node)};
    const int deep = 1000000 / (int)share() / 4 * 4;
    for (int k = 0; k < deep; k++) node = map2(&f, OP_ADD, node, one);
    for (int k = 0; k < deep / 2; k++) {
        selector = graph_not(f.graph, selector, nowhere);
        selector = graph_or(f.graph, selector, alternate[k % 2], nowhere);
    }
    NodeId width = graph_width(f.graph, selector, nowhere);
    static const ExecPlan plans[] = {EXEC_PLAN_AUTO, EXEC_PLAN_TERMS, EXEC_PLAN_BITS};
    for (int p = 0; p < 3; p++) {
        Exec *exec = exec_new(f.graph, &f.input, (ExecOptions){.plan = plans[p]}, f.arena);
        exec_want(exec, (NodeId[]){node, width}, 2);
        Fault fault;
        const char *sums = arena_format(f.arena, "%d %d (ints)", deep, deep + 1);
        assert_string_equal(show(&f, exec_column(exec, node, &fault)), sums);
        assert_string_equal(show(&f, exec_column(exec, width, &fault)), "2 1 (ints)");
        exec_free(exec);
    }
    fixture_close(&f);
}

/* --- long inputs --------------------------------------------------------------------------------
 */

/* Row i of the selector, from the values of its columns. */
static void oracle_row(Fixture *f, NodeId selector, size_t i, bool *row) {
    const Node node = *graph_node(f->graph, selector);
    if (node.kind == NODE_SELECT) {
        const Atom *keys = column_of(f, node.arg[0]), query = column_of(f, node.arg[1])[i];
        for (size_t j = 0; j < f->n; j++) row[j] = op_compare(node.op, keys[j], query);
        return;
    }
    bool *other = malloc(f->n * sizeof *other);
    oracle_row(f, node.arg[0], i, row);
    oracle_row(f, node.arg[1], i, other);
    for (size_t j = 0; j < f->n; j++)
        row[j] = node.kind == NODE_AND ? row[j] && other[j] : row[j] || other[j];
    free(other);
}

static void check_rows(Fixture *f, Random *random, NodeId selector, NodeId values,
                       const Column *width, const Column *average) {
    bool *row = malloc(f->n * sizeof *row);
    for (int sample = 0; sample < 12; sample++) {
        size_t i = random_below(random, f->n), last = 0;
        int64_t count = 0;
        oracle_row(f, selector, i, row);
        for (size_t j = 0; j < f->n; j++)
            if (row[j]) count++, last = j;
        expect_same(column_at(width, i), atom_int(count), "width", i);
        if (!average) continue;
        Atom expected = count == 0   ? atom_int(0)
                        : count == 1 ? column_of(f, values)[last]
                                     : atom_float(oracle_mean(column_of(f, values), row, f->n));
        expect_same(column_at(average, i), expected, "mean", i);
    }
    free(row);
}

/* Every kind of plan on an input long enough for several threads; some rows are looked at. */
static void long_inputs(void **state) {
    (void)state;
    Random random = {31};
    Fixture f;
    fixture_open(&f, 70000);
    NodeId i = random_column(&f, &random, RECIPE_INDICES);
    NodeId word = random_column(&f, &random, RECIPE_LETTERS);
    NodeId any = random_column(&f, &random, RECIPE_SHUFFLED);
    NodeId values = random_column(&f, &random, RECIPE_FLOATS);
    NodeId before = selecting(&f, OP_LT, i, i), larger = selecting(&f, OP_GT, any, any);
    NodeId same = selecting(&f, OP_EQ, word, word);
    NodeId cut = graph_and(f.graph, larger, before, nowhere);
    const struct {
        NodeId selector;
        const char *plan;
    } cases[] = {
        {same, "groups"},
        {before, "by index"},
        {larger, "prefix sums"},
        {graph_and(f.graph, same, before, nowhere), "groups, prefix sums"},
        {graph_and(f.graph, same, larger, nowhere), "groups, prefix sums"},
        {cut, "dominance"},
        {graph_and(f.graph, cut, selecting(&f, OP_LE, values, values), nowhere), "rows of bits"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool bits = strcmp(cases[k].plan, "rows of bits") == 0; /* a mean takes all set bits */
        NodeId width = graph_width(f.graph, cases[k].selector, nowhere);
        NodeId average = mean(&f, cases[k].selector, values);
        Exec *exec =
            exec_new(f.graph, &f.input, (ExecOptions){.threads = 2, .stats = true}, f.arena);
        exec_want(exec, (NodeId[]){width, average}, 2);
        Fault fault;
        const Column *widths = exec_column(exec, width, &fault);
        const Column *averages = bits ? NULL : exec_column(exec, average, &fault);
        check_rows(&f, &random, cases[k].selector, values, widths, averages);
        size_t count;
        const ExecStat *stats = exec_stats(exec, &count);
        assert_string_equal(stats[count - 1].plan, cases[k].plan);
        exec_free(exec);
    }
    fixture_close(&f);
}

/* --- stops ---------------------------------------------------------------------------------------
 */

static NodeId everything_at_once(Fixture *f) {
    NodeId i = indices(f), s = tokens(f, TOKENS_STR);
    NodeId key =
        map2(f, OP_MOD, map2(f, OP_MUL, i, constant(f, atom_int(37))), constant(f, atom_int(101)));
    NodeId third = map2(f, OP_DIV, key, constant(f, atom_int(3)));
    NodeId before = selecting(f, OP_LT, i, i), larger = selecting(f, OP_GE, third, third);
    NodeId same = selecting(f, OP_EQ, s, s);
    NodeId cut = graph_and(f->graph, larger, before, nowhere);
    NodeId odd = graph_and(f->graph, cut, selecting(f, OP_LT, key, key), nowhere);
    NodeId parts[] = {mean(f, graph_and(f->graph, same, before, nowhere), third),
                      mean(f, cut, third), mean(f, odd, third), mean(f, same, third),
                      graph_width(f->graph, graph_or(f->graph, same, larger, nowhere), nowhere)};
    NodeId sum = i;
    for (size_t k = 0; k < 5; k++) sum = map2(f, OP_ADD, sum, parts[k]);
    return sum;
}

static const ExecPlan stop_plans[] = {EXEC_PLAN_TERMS, EXEC_PLAN_BITS, EXEC_PLAN_NAIVE};

/* Each allocation of a run fails in its turn; the arena of the run takes all with it. */
static void out_of_memory(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 130);
    NodeId node = everything_at_once(&f);
    for (int p = 0; p < 3; p++)
        for (volatile long k = 1, done = 0; !done; k++) {
            BudgetGuard guard;
            Arena *volatile arena = NULL;
            size_t used = f.budget.used;
            f.budget.fail_after = k;
            if (BUDGET_ENTER(&f.budget, &guard)) {
                arena = arena_new(&f.budget);
                Exec *exec =
                    exec_new(f.graph, &f.input, (ExecOptions){.plan = stop_plans[p]}, arena);
                exec_want(exec, &node, 1);
                Fault fault;
                assert_non_null(exec_column(exec, node, &fault));
                done = 1;
                budget_leave(&f.budget, &guard);
            } else
                assert_int_equal(f.budget.stop, BUDGET_OUT_OF_MEMORY);
            f.budget.fail_after = 0;
            arena_free(arena);
            assert_int_equal(f.budget.used, used);
        }
    fixture_close(&f);
}

/* A stopped Exec goes on where it was. */
static void use_after_stop(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 130);
    NodeId node = everything_at_once(&f);
    const char *expected = run(&f, node);
    for (volatile long k = 20; k < 200; k += 7) {
        Arena *arena = arena_new(&f.budget);
        Exec *exec = exec_new(f.graph, &f.input, (ExecOptions){.plan = EXEC_PLAN_TERMS}, arena);
        exec_want(exec, &node, 1);
        BudgetGuard guard;
        Fault fault;
        f.budget.fail_after = k;
        if (BUDGET_ENTER(&f.budget, &guard)) {
            exec_column(exec, node, &fault);
            budget_leave(&f.budget, &guard);
        }
        f.budget.fail_after = 0;
        const Column *column = exec_column(exec, node, &fault);
        assert_non_null(column);
        assert_string_equal(show(&f, column), expected);
        exec_free(exec);
        arena_free(arena);
    }
    fixture_close(&f);
}

typedef struct Told {
    size_t count;
    double last;
    bool falls;
} Told;

static void tell(void *context, double done) {
    Told *told = context;
    told->count++;
    told->falls = told->falls || done < told->last || done < 0 || done > 1;
    told->last = done;
}

/* Told often, never going back, and at the end nearly all. */
static void progress(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 1000);
    NodeId node = everything_at_once(&f);
    for (int p = 0; p < 3; p++) {
        Told told = {0};
        Exec *exec = exec_new(
            f.graph, &f.input,
            (ExecOptions){.plan = stop_plans[p], .progress = tell, .progress_context = &told},
            f.arena);
        exec_want(exec, &node, 1);
        Fault fault;
        assert_non_null(exec_column(exec, node, &fault));
        assert_true(told.count > 20);
        assert_false(told.falls);
        assert_true(told.last > 0.9);
        exec_free(exec);
    }
    fixture_close(&f);
}

static void cancelled(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 3000);
    NodeId node = everything_at_once(&f);
    volatile sig_atomic_t cancel = 1;
    for (int p = 0; p < 3; p++) {
        BudgetGuard guard;
        Arena *volatile arena = arena_new(&f.budget);
        volatile bool stopped = false;
        f.budget.cancel = &cancel;
        if (BUDGET_ENTER(&f.budget, &guard)) {
            Exec *exec = exec_new(f.graph, &f.input, (ExecOptions){.plan = stop_plans[p]}, arena);
            Fault fault;
            exec_column(exec, node, &fault);
            budget_leave(&f.budget, &guard);
        } else
            stopped = f.budget.stop == BUDGET_CANCELLED;
        f.budget.cancel = NULL;
        assert_true(stopped);
        arena_free(arena);
    }
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),   cmocka_unit_test(sequence_types),
        cmocka_unit_test(examples),      cmocka_unit_test(aggregate_rules),
        cmocka_unit_test(long_messages), cmocka_unit_test(columns_are_freed),
        cmocka_unit_test(wanted_stay),   cmocka_unit_test(growing_graph),
        cmocka_unit_test(deep_chains),   cmocka_unit_test(long_inputs),
        cmocka_unit_test(out_of_memory), cmocka_unit_test(use_after_stop),
        cmocka_unit_test(cancelled),     cmocka_unit_test(progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
