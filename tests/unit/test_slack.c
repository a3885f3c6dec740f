/* What rounding does to a sum that is kept as a linear form, against exact arithmetic (GMP).  (A
 * slack that is too small shows in no answer of a model in f32; the certificate builds on it.) */
#include "compile/lower/context.h"
#include "compile/lower/slack.h"
#include "tests/unit/compile_fixture.h"

#include <float.h>
#include <gmp.h>
#include <math.h>

/* The last statement is a sum or difference.  Whether it can be a form: its values are further
 * apart than 16 times what is lost, or, in careful lowering, 2^30 times. */
static const struct {
    const char *text, *alphabet;
    uint32_t length;
    bool folds, careful;
} cases[] = {
    {"y = indices + length;", "a", 4, true, true},
    {"y = {\"a\": 0.5, \"b\": 0.25}[tokens] - indices;", "ab", 4, true, true},
    {"y = {\"a\": 0.1, \"b\": 0.7}[tokens] + indices;", "ab", 4, true, true},
    {"y = indices + {\"a\": 0.1, \"b\": 0.7}[tokens];", "ab", 4, true, true},
    {"y = indices - {\"a\": 0.1, \"b\": 0.7}[tokens];", "ab", 4, true, true},
    {"y = {\"a\": 20000.7, \"b\": 0.1}[tokens] + {\"a\": 0.3, \"b\": 0.2}[tokens[0]];", "ab", 2,
     true, true},
    {"y = {\"a\": 0.3, \"b\": 0.2}[tokens[0]] - {\"a\": 20000.7, \"b\": 0.1}[tokens];", "ab", 2,
     true, true},
    {"y = {\"a\": 1000000000.7, \"b\": 0.1}[tokens] + {\"a\": 0.3, \"b\": 0.2}[tokens[0]];", "ab",
     2, true, false},
    /* one that is no int, first and last */
    {"y = {\"a\": 0.7, \"b\": 9}[tokens] + indices;", "ab", 4, true, true},
    {"y = {\"a\": 9, \"b\": 0.7}[tokens] + indices;", "ab", 4, true, true},
    {"y = length - {\"a\": 0.7, \"b\": 9}[tokens];", "ab", 4, true, true},
    {"y = length - {\"a\": 9, \"b\": 0.7}[tokens];", "ab", 4, true, true},
    /* the largest first, and last */
    {"y = {\"a\": 10.0 ^ 16, \"b\": 1.0}[tokens] + indices;", "ab", 4, false, false},
    {"y = {\"b\": 1.0, \"a\": 10.0 ^ 16}[tokens] + indices;", "ba", 4, false, false},
    {"y = indices - {\"a\": -(10.0 ^ 16), \"b\": 1.0}[tokens];", "ab", 4, false, false},
    {"y = {\"a\": 10.0 ^ 16, \"b\": 1.0}[tokens] + 8 * indices;", "ab", 4, true, true},
    /* too many pairs to try */
    {"x = {\"a\": 7.7, \"b\": 0.1, \"c\": 0.7, \"d\": 0.3}[tokens]; s = select(indices, indices, "
     "<=);"
     "y = aggregate(s, x) + aggregate(select(indices, indices, >=), x);",
     "abcd", 9, true, true},
};
enum { CASES = sizeof cases / sizeof *cases, MOST_PAIRS = 20000 };

typedef struct Sum {
    CompileFixture f;
    Lower *lower;
    NodeId node, a, b;
    double sign;
    const NodeValues *v, *of_a, *of_b;
} Sum;

static void sum_open(Sum *s, size_t k, bool careful) {
    fixture_open(&s->f, cases[k].text, cases[k].alphabet, cases[k].length);
    Binding main;
    assert_true(session_main(s->f.session, &main));
    Graph *graph = session_graph(s->f.session);
    Domain *domain = ARENA_NEW(s->f.arena, Domain);
    *domain = compile_domain(&s->f.options);
    Values *values = values_new(graph, domain, 100000, 10000000, s->f.arena);
    s->lower = lower_new(
        values, (LowerOptions){MASKS_PER_HEAD, 100000, careful ? LOWER_CAREFUL : LOWER_PLAIN},
        s->f.arena);
    s->node = main.value.object->node;
    const Node *node = graph_node(graph, s->node);
    assert_true(node->kind == NODE_MAP && (node->op == OP_ADD || node->op == OP_SUB));
    s->a = node->arg[0], s->b = node->arg[1], s->sign = node->op == OP_ADD ? 1 : -1;
    s->v = values_of(values, s->node);
    s->of_a = values_of(values, s->a), s->of_b = values_of(values, s->b);
    assert_true(s->v && s->of_a && s->of_b);
}

static double largest(const NodeValues *v) {
    double most = 0;
    for (uint32_t k = 0; k < v->count; k++) most = fmax(most, fabs(atom_double(v->levels[k])));
    return most;
}

/* |x + y - sum|, of doubles. */
static double lost(double x, double y, double sum) {
    mpq_t exact, next;
    mpq_inits(exact, next, NULL);
    mpq_set_d(exact, x);
    mpq_set_d(next, y);
    mpq_add(exact, exact, next);
    mpq_set_d(next, sum);
    mpq_sub(exact, exact, next);
    double difference = fabs(mpq_get_d(exact));
    mpq_clears(exact, next, NULL);
    return difference;
}

/* Over all pairs of values whose sum is none too large for the node. */
static double most_lost(const Sum *s) {
    double most = 0, size = largest(s->v);
    for (uint32_t i = 0; i < s->of_a->count; i++)
        for (uint32_t j = 0; j < s->of_b->count; j++) {
            double x = atom_double(s->of_a->levels[i]);
            double y = s->sign * atom_double(s->of_b->levels[j]);
            if (fabs(x + y) <= size) most = fmax(most, lost(x, y, x + y));
        }
    return most;
}

static void test_sums(void **state) {
    (void)state;
    size_t estimated = 0, rounded = 0;
    for (size_t k = 0; k < 2 * (size_t)CASES; k++) {
        Sum s;
        const char *text = cases[k / 2].text;
        sum_open(&s, k / 2, k % 2);
        double most = most_lost(&s), size = largest(s.v), slack = -1;
        double found = sum_slack(s.lower, s.a, s.b, s.sign, s.node);
        bool all = (double)s.of_a->count * s.of_b->count <= MOST_PAIRS;
        if (all ? found != most : found < most || found > 2 * DBL_EPSILON * size)
            fail_msg("%s: slack %g, loses %g", text, found, most);
        assert_true(slack_size(s.lower, s.node) == size);
        assert_true(slack_size(s.lower, s.a) == largest(s.of_a));
        assert_true(slack_size(s.lower, s.b) == largest(s.of_b));
        bool folds = slack_folds(s.lower, s.node, &slack);
        if (folds != (k % 2 ? cases[k / 2].careful : cases[k / 2].folds) || slack != found)
            fail_msg("%s: folds %d, slack %g of %g", text, folds, slack, found);
        estimated += !all;
        rounded += all && most > 0;
        fixture_close(&s.f);
    }
    assert_true(estimated > 0 && rounded > 6);
}

/* A factor's error counts as often as the part is large, whichever of its values is the largest. */
static void test_forms(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double size;
    } parts[] = {{"y = {\"a\": -9, \"b\": 1, \"c\": 2}[tokens];", 9},
                 {"y = {\"a\": 2, \"b\": 9, \"c\": 1}[tokens];", 9},
                 {"y = {\"a\": 1, \"b\": 2, \"c\": -9}[tokens];", 9}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        CompileFixture f;
        Binding main;
        Form made;
        fixture_open(&f, parts[k].text, "abc", 2);
        assert_true(session_main(f.session, &main));
        Domain domain = compile_domain(&f.options);
        Values *values = values_new(session_graph(f.session), &domain, 1000, 1000, f.arena);
        Lower *lower = lower_new(values, (LowerOptions){.table_limit = 1000}, f.arena);
        assert_true(lower_feature(lower, main.value.object->node, &made));
        assert_true(made.count == 1 && slack_of_form(lower, made) == 0);
        FormTerm term = {made.terms[0].part, 3, 0.25};
        Form form = {.terms = &term, .count = 1, .slack = 0.5};
        assert_true(slack_of_form(lower, form) == 0.5 + 0.25 * parts[k].size);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums), cmocka_unit_test(test_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
