/* Plans: the sum of terms equals the formula on every pair of positions, its masks are ones a
 * term can run, and well-known shapes come out as the few terms they are. */
#include "tests/unit/exec_fixture.h"

#include "interp/exec/exec_run.h"
#include "interp/exec/plan.h"

/* The selector's formula, and the Exec that holds its columns. */
static Formula open_formula(Fixture *f, NodeId selector, Exec **exec) {
    *exec = exec_new(f->graph, &f->input, (ExecOptions){.keep = true, .plan = EXEC_PLAN_TERMS},
                     f->arena);
    Fault fault;
    assert_true(exec_check_selector(*exec, selector, &fault));
    return formula_build(*exec, selector);
}

/* The outcome of a variable on a pair of positions, from the values. */
static unsigned outcome_of(const Formula *formula, const Variable *variable, const bool *holds,
                           size_t i, size_t j) {
    if (variable->kind == VARIABLE_KEY) return holds[j] ? OUTCOME_TRUE : OUTCOME_FALSE;
    if (variable->kind == VARIABLE_QUERY) return holds[i] ? OUTCOME_TRUE : OUTCOME_FALSE;
    const FormulaStep *step = &formula->steps[variable->step];
    Atom key = column_at(step->keys, j), query = column_at(step->queries, i);
    return oracle_compare(OP_LT, key, query)   ? OUTCOME_LESS
           : oracle_compare(OP_GT, key, query) ? OUTCOME_GREATER
           : oracle_compare(OP_EQ, key, query) ? OUTCOME_EQUAL
                                               : OUTCOME_UNORDERED;
}

static int plan_value(const Plan *plan, const unsigned *outcome) {
    int sum = 0;
    for (size_t t = 0; t < plan->term_count; t++) {
        bool all = true;
        for (size_t v = 0; v < plan->variable_count; v++)
            all = all && (plan->term[t].mask[v] & outcome[v]);
        sum += all ? plan->term[t].weight : 0;
    }
    return sum;
}

/* Intervals of ranks, at most two keys of them. */
static void check_masks(const Formula *formula, const Plan *plan) {
    for (size_t t = 0; t < plan->term_count; t++) {
        NodeId ordered[PLAN_MAX_VARIABLES];
        size_t orders = 0;
        for (size_t v = 0; v < plan->variable_count; v++) {
            unsigned mask = plan->term[t].mask[v];
            if (plan->variable[v].kind != VARIABLE_PAIR || mask == OUTCOME_ANY) continue;
            assert_true(mask != 0 && mask != (OUTCOME_LESS | OUTCOME_GREATER));
            assert_false(mask & OUTCOME_UNORDERED);
            if (mask == OUTCOME_EQUAL) continue;
            NodeId key = formula->steps[plan->variable[v].step].key;
            size_t k = 0;
            while (k < orders && ordered[k] != key) k++;
            if (k == orders) ordered[orders++] = key;
        }
        assert_true(orders <= 2);
    }
}

/* true: there is a plan, and it is right. */
static bool check_plan(Fixture *f, NodeId selector) {
    Exec *exec;
    Formula formula = open_formula(f, selector, &exec);
    Plan plan;
    if (!plan_make(&formula, &plan)) return false;
    check_masks(&formula, &plan);
    bool *holds[PLAN_MAX_VARIABLES] = {NULL};
    for (size_t v = 0; v < plan.variable_count; v++)
        if (plan.variable[v].kind != VARIABLE_PAIR)
            holds[v] = formula_predicate(exec, &formula, plan.variable[v].step);
    const bool *matrix = oracle_matrix(f, selector);
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < f->n; j++) {
            unsigned outcome[PLAN_MAX_VARIABLES];
            for (size_t v = 0; v < plan.variable_count; v++)
                outcome[v] = outcome_of(&formula, &plan.variable[v], holds[v], i, j);
            assert_int_equal(plan_value(&plan, outcome), matrix[i * f->n + j]);
        }
    return true;
}

/* --- shapes ---------------------------------------------------------------------------------- */

typedef struct Names {
    Fixture f;
    NodeId k, q, x, y, i, c, z; /* ints: keys, queries; indices; a constant; with NaN */
} Names;

static void open_names(Names *names) {
    Random random = {5};
    fixture_open(&names->f, 12);
    NodeId *const shuffled[] = {&names->k, &names->q, &names->x, &names->y};
    for (size_t n = 0; n < 4; n++)
        *shuffled[n] = random_column(&names->f, &random, RECIPE_FEW_INTS);
    names->i = random_column(&names->f, &random, RECIPE_INDICES);
    names->c = random_column(&names->f, &random, RECIPE_CONSTANT);
    names->z = random_column(&names->f, &random, RECIPE_NAN);
}

/* `k<q`: a comparison of two names; `&`, `|`, `!` after what they join. */
static NodeId parse(Names *names, const char *text) {
    static const char letters[] = "kqxyicz";
    const NodeId node[] = {names->k, names->q, names->x, names->y, names->i, names->c, names->z};
    static const char operators[] = "=#<{>}";
    static const OpId op[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    Graph *graph = names->f.graph;
    NodeId stack[16];
    size_t depth = 0;
    for (; *text; text++) {
        if (strchr(letters, *text)) {
            NodeId key = node[strchr(letters, text[0]) - letters];
            NodeId query = node[strchr(letters, text[2]) - letters];
            OpId comparison = op[strchr(operators, text[1]) - operators];
            stack[depth++] = graph_select(graph, comparison, key, query, nowhere);
            text += 2;
        } else if (*text == '!')
            stack[depth - 1] = graph_not(graph, stack[depth - 1], nowhere);
        else if (*text == '&' || *text == '|') {
            NodeId b = stack[--depth], a = stack[depth - 1];
            stack[depth - 1] =
                *text == '&' ? graph_and(graph, a, b, nowhere) : graph_or(graph, a, b, nowhere);
        }
    }
    return stack[0];
}

/* Terms as `+1 [<][=]`, a bracket a variable that matters, in the order of the variables. */
static const char *show_plan(Fixture *f, const Plan *plan) {
    static const char *const pair[] = {"",  "<",  "=",  "<=",  ">",  "<>",  "=>",  "<=>",
                                       "u", "u<", "u=", "u<=", "u>", "u<>", "u=>", ""};
    static const char *const predicate[] = {"", "f", "t", "", "", "", "", "",
                                            "", "",  "",  "", "", "", "", ""};
    const char *text = "";
    for (size_t t = 0; t < plan->term_count; t++) {
        text = arena_format(f->arena, "%s%s%+d", text, t ? " " : "", plan->term[t].weight);
        for (size_t v = 0; v < plan->variable_count; v++)
            if (plan->term[t].mask[v] != OUTCOME_ANY)
                text = arena_format(f->arena, "%s[%s]", text,
                                    (plan->variable[v].kind == VARIABLE_PAIR
                                         ? pair
                                         : predicate)[plan->term[t].mask[v]]);
    }
    return text;
}

static const struct {
    const char *selector, *terms;
} shapes[] = {
    {"k=q", "+1[=]"},
    {"k=q!", "+1 -1[=]"},
    {"k#q", "+1 -1[=]"},
    {"k<q", "+1[<]"},
    {"k<q!", "+1[=>]"},
    {"k<qk>q&", ""},
    {"k<qk}q|", "+1"},
    {"k<qk=q|", "+1[<=]"},
    {"k=qx=y&", "+1[=][=]"},
    {"k=qx=y&i{i&", "+1[<=][=][=]"},
    {"k<kk=ki<i&|", "+1[<] +1[<][=]"}, /* sort: nothing is taken off */
    {"k=qi<i!&", "+1[=>][=]"},
    {"k=c", "+1[t]"},
    {"c=k", "+1[t]"},
    {"c=c", "+1"},
    {"c#c", ""},
    {"k=ci{i&", "+1[t][<=]"},
    {"z=q", "+1[=]"},
    {"z#q", "+1 -1[=]"},
    {"z<q!", "+1 -1[<]"}, /* with NaN, not the same as >= */
    {"z}q", "+1[=>]"},
};

static void known_shapes(void **state) {
    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        Names names;
        open_names(&names);
        NodeId selector = parse(&names, shapes[s].selector);
        assert_true(check_plan(&names.f, selector));
        Exec *exec;
        Formula formula = open_formula(&names.f, selector, &exec);
        Plan plan;
        assert_true(plan_make(&formula, &plan));
        assert_string_equal(show_plan(&names.f, &plan), shapes[s].terms);
        fixture_close(&names.f);
    }
}

/* Three keys in order comparisons have no plan; two have, and three on one key have. */
static void limits(void **state) {
    (void)state;
    static const struct {
        const char *selector;
        bool planned;
    } cases[] = {{"k<qx<y&", true},         {"k<qx<y&i<i&", false}, {"k<qk>y&i<i&", true},
                 {"k<qx<y&q=x&y=k&", true}, {"k<qx<y|i<i|", false}, {"k<qx<c&y<c&i<i&", true}};
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        Names names;
        open_names(&names);
        assert_int_equal(check_plan(&names.f, parse(&names, cases[s].selector)), cases[s].planned);
        fixture_close(&names.f);
    }
}

/* --- random formulas ----------------------------------------------------------------------------
 */

static NodeId random_formula(Names *names, Random *random, int depth) {
    static const OpId op[] = {OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE};
    const NodeId node[] = {names->k, names->q, names->x, names->i, names->c, names->z};
    Graph *graph = names->f.graph;
    if (depth == 0)
        return graph_select(graph, op[random_below(random, 6)], node[random_below(random, 6)],
                            node[random_below(random, 6)], nowhere);
    NodeId a = random_formula(names, random, depth - 1);
    if (random_below(random, 4) == 0) return graph_not(graph, a, nowhere);
    NodeId b = random_formula(names, random, depth - 1);
    return random_below(random, 2) ? graph_and(graph, a, b, nowhere)
                                   : graph_or(graph, a, b, nowhere);
}

static void random_formulas(void **state) {
    (void)state;
    Random random = {11};
    int planned = 0;
    for (int round = 0; round < 2000; round++) {
        Names names;
        open_names(&names);
        planned += check_plan(&names.f, random_formula(&names, &random, round % 4));
        fixture_close(&names.f);
    }
    assert_true(planned > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_shapes),
        cmocka_unit_test(limits),
        cmocka_unit_test(random_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
