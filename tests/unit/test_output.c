/* What the outputs of compiled programs can be read as, against what the interpreter gives on every
 * input: each value of each kind once, in order, and one for floats that may be one real number. */
#include "tests/unit/compile_fixture.h"

#include "compile/inputs.h"
#include "interp/exec/exec.h"

#include <math.h>

static const struct {
    const char *text, *alphabet;
    uint32_t length;
    bool joins; /* two floats for one real number occur */
} cases[] = {
    {"y = indices;", "a", 5, false},
    {"y = {\"a\": 0.5, \"b\": -1.5}[tokens] + indices;", "ab", 4, false},
    /* ints here, floats there */
    {"y = aggregate(select(tokens, tokens, ==), indices + 1);", "ab", 4, false},
    {"y = aggregate(select(tokens, \"a\", ==), indices, -3);", "ab", 4, false},
    {"y = 1 + indices if tokens == \"a\" else 2.0;", "ab", 4, false},
    /* sums of thirds, rounded in two orders */
    {"y = aggregate(select(tokens, \"a\", ==), indices, -3.0) * 2 - indices;", "ab", 5, true},
    {"x = {\"a\": 0.1, \"b\": 0.2, \"c\": -0.3}[tokens];"
     "y = (shift(x, 1, 0.7) + shift(x, 2, 0.7)) + x + 2;",
     "abc", 3, true},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Far from what rounding does to different numbers of these programs. */
static bool one_number(double x, double y) {
    return fabs(x - y) <= 0x1p-40 * fmax(fabs(x), fabs(y));
}

/* The one value that stands for what the interpreter gives: the same, or a float not above it. */
static uint32_t stands_for(const CircuitOutput *output, Atom given, const char *text,
                           bool *joined) {
    uint32_t found = UINT32_MAX;
    for (uint32_t v = 0; v < output->value_count; v++) {
        Atom value = output->values[v];
        if (value.kind != given.kind) continue;
        bool same = atom_same(value, given);
        if (!same && (given.kind != ATOM_FLOAT || !one_number(value.f, given.f))) continue;
        if (found != UINT32_MAX) fail_msg("%s: two values for one", text);
        found = v;
        if (!same && (value.f > given.f || output->most[v] < given.f))
            fail_msg("%s: %.17g is read for %.17g", text, value.f, given.f);
        *joined |= !same;
    }
    if (found == UINT32_MAX) fail_msg("%s: no value for one", text);
    return found;
}

static void run_input(CompileFixture *f, const uint32_t *ids, uint32_t n, const char *text,
                      bool *joined, bool *seen) {
    Arena *arena = arena_child(f->arena);
    Atom *tokens = ARENA_ARRAY(arena, n, Atom);
    for (uint32_t i = 0; i < n; i++) tokens[i] = f->options.alphabet[ids[i]];
    Input input = {.tokens = tokens, .length = n};
    Exec *exec = exec_new(session_graph(f->session), &input, (ExecOptions){.threads = 1}, arena);
    Fault fault;
    const Column *column = exec_column(exec, f->output.node, &fault);
    assert_non_null(column);
    for (uint32_t i = 0; i < n; i++)
        seen[stands_for(&f->compiled.circuit->outputs[0], column_at(column, i), text, joined)] =
            true;
    exec_free(exec);
    arena_free(arena);
}

static void test_values_of_outputs(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        CompileFixture f;
        uint32_t ids[8], n;
        bool joined = false;
        fixture_open(&f, cases[k].text, cases[k].alphabet, cases[k].length);
        if (!fixture_compile(&f)) fail_msg("%s: %s", cases[k].text, f.error.message);
        const CircuitOutput *output = &f.compiled.circuit->outputs[0];
        assert_true(output->numeric);
        bool *seen = ARENA_ARRAY(f.arena, output->value_count, bool);
        Inputs *inputs = inputs_new(&f.compiled.circuit->domain,
                                    (InputPlan){.exhaustive_limit = 10000}, f.arena);
        while ((n = inputs_next(inputs, ids)) > 0)
            run_input(&f, ids, n, cases[k].text, &joined, seen);
        for (uint32_t v = 0; v < output->value_count; v++) {
            bool known = false; /* sets may be too large, but of these kinds */
            for (uint32_t w = 0; w < output->value_count; w++)
                known |= seen[w] && output->values[w].kind == output->values[v].kind;
            if (!known) fail_msg("%s: value %u is of no kind that comes", cases[k].text, v);
            assert_true(v == 0 || output->place[v - 1] < output->place[v]);
        }
        assert_int_equal(joined, cases[k].joins);
        assert_int_equal(f.compiled.certificate->joined_absolute > 0, cases[k].joins);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values_of_outputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
