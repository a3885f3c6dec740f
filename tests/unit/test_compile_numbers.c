/* Numbers: what a compiled model prints is what the interpreter prints, kind and last bit.
 *
 *     RASP_SEED=7 RASP_PROGRAMS=3000 build/release/unit/test_compile_numbers
 *
 * A table of programs on which float and int arithmetic bites, with the answers written down, and
 * random programs of sums that cancel, large and tiny numbers, means of means, and values that are
 * ints here and floats there.  The judge compares atoms itself, kind by kind and bit by bit; two
 * floats may differ only by what the certificate says of joined ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compile/atoms.h"
#include "compile/record.h"
#include "tests/unit/campaign.h"
#include "tests/unit/random_judge.h"

#include <math.h>

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 150 };
#else
enum { PROGRAMS = 1500 };
#endif
enum { MOST_TOKENS = 4, MOST_LENGTH = 4, TEXT = 4096 };

typedef struct Numbers {
    const char *token[MOST_TOKENS]; /* up to a NULL; as literals, all of one kind */
    uint32_t max_length;
} Numbers;

typedef struct Trial {
    Judge judge;
    Budget budget;
    BudgetGuard guard;
    Session *session;
    Arena *arena;
    CompileOutput output;
    CompileOptions options;
    Compiled compiled;
    LowerError error;
    bool compiled_well;
} Trial;

/* --- one program ---------------------------------------------------------------------------- */

static Atom read_token(const char *text, Intern *table) {
    if (*text == '"') return token_atom(text, LETTERS, table);
    return token_atom(text, strpbrk(text, ".e") ? FLOATS : INTS, table);
}

/* False: the text is not RASP. */
static bool trial_open(Trial *t, const char *text, const Numbers *domain) {
    memset(t, 0, sizeof *t);
    budget_init(&t->budget, (size_t)1 << 31);
    budget_push(&t->budget, &t->guard);
    if (setjmp(t->guard.jump)) fail_msg("out of memory: %s", text);
    t->session = judge_session(&t->judge, &t->budget);
    Binding main;
    if (!session_load_text(t->session, "numbers.rasp", text, strlen(text))) return false;
    if (!session_main(t->session, &main) || main.value.kind != VALUE_SOP) return false;
    t->arena = session_arena(t->session);
    t->output = (CompileOutput){"result", main.value.object->node};
    t->options = compile_options();
    Atom *atoms = ARENA_ARRAY(t->arena, MOST_TOKENS, Atom);
    uint32_t count = 0;
    for (; count < MOST_TOKENS && domain->token[count]; count++)
        atoms[count] = read_token(domain->token[count], session_intern(t->session));
    t->options.alphabet = atoms;
    t->options.alphabet_size = count;
    t->options.max_length = domain->max_length;
    t->compiled_well = compile_graph(session_graph(t->session), &t->output, 1, &t->options,
                                     t->arena, &t->compiled, &t->error);
    return true;
}

static void trial_close(Trial *t) {
    compiled_clear(&t->compiled);
    model_free(t->compiled.model);
    budget_leave(&t->budget, &t->guard);
    session_free(t->session);
    assert_int_equal(t->budget.used, 0);
}

static bool same(const Trial *t, Atom expected, Atom found) {
    const Certificate *c = t->compiled.certificate;
    if (expected.kind != found.kind) return false;
    if (expected.kind == ATOM_STRING) return expected.s == found.s;
    if (expected.kind != ATOM_FLOAT) return expected.i == found.i;
    if (memcmp(&expected.f, &found.f, sizeof found.f) == 0) return true;
    return fabs(expected.f - found.f) <= c->joined_absolute;
}

/* What the model says on an input, in the arena. */
static Atom *model_says(Trial *t, Engine *engine, const size_t *ids, size_t n) {
    RunResult result;
    RtError error;
    const ModelOutput *output = t->compiled.model->outputs[0];
    Atom *atoms = ARENA_ARRAY(t->arena, n, Atom);
    if (!engine_run(engine, ids, n, &result, &error)) fail_msg("%s", error.text);
    for (size_t i = 0; i < n; i++)
        atoms[i] = atom_from_file(&output->values[run_reading(&result, 0, i)->index],
                                  session_intern(t->session));
    run_result_clear(&result);
    return atoms;
}

/* The next input in counting order; false behind the last. */
static bool next_input(const Trial *t, size_t *ids, size_t *n) {
    for (size_t i = 0; i < *n; i++) {
        if (++ids[i] < t->options.alphabet_size) return true;
        ids[i] = 0;
    }
    return ++*n <= t->options.max_length;
}

/* All inputs on which there is an answer; the first that is wrong is described. */
static bool trial_holds(Trial *t, size_t *inputs) {
    RunOptions run = run_options();
    RtError error;
    run.threads = 1;
    Engine *engine = engine_new(t->compiled.model, &run, &error);
    size_t ids[MOST_LENGTH] = {0}, n = 1;
    bool holds = true;
    if (!engine) fail_msg("%s", error.text);
    do {
        Arena *arena = arena_child(t->arena);
        Atom tokens[MOST_LENGTH];
        Fault fault;
        for (size_t i = 0; i < n; i++) tokens[i] = t->options.alphabet[ids[i]];
        Exec *exec = exec_new(session_graph(t->session), &(Input){.tokens = tokens, .length = n},
                              (ExecOptions){.threads = 1}, arena);
        const Column *column = exec_column(exec, t->output.node, &fault);
        const Atom *found = column ? model_says(t, engine, ids, n) : NULL;
        for (size_t i = 0; column && holds && i < n; i++) {
            holds = same(t, column_at(column, i), found[i]);
            if (holds) continue;
            add_atoms(&t->judge, "input ", tokens, (uint32_t)n, arena);
            add_atoms(&t->judge, ", expected ", (Atom[]){column_at(column, i)}, 1, arena);
            add_atoms(&t->judge, ", found ", &found[i], 1, arena);
        }
        *inputs += column != NULL;
        exec_free(exec);
        arena_free(arena);
    } while (holds && next_input(t, ids, &n));
    engine_free(engine);
    return holds;
}

/* --- the table ------------------------------------------------------------------------------ */

static const struct {
    const char *program;
    Numbers domain;
    size_t ids[MOST_LENGTH]; /* an input of the longest length */
    const char *answer;      /* or what the refusal says */
} cases[] = {
    {"x = tokens_int;", {{"1000000000", "1000000001"}, 1}, {1}, "[1000000001]"},
    {"x = tokens_int + 1;",
     {{"4000000000000", "4000000000001", "4000000000002"}, 2},
     {1, 2},
     "[4000000000002, 4000000000003]"},
    {"x = tokens_int;", {{"9007199254740992", "9007199254740993"}, 1}, {1}, "[9007199254740993]"},
    {"x = aggregate(select(indices, indices, <=), tokens_int);",
     {{"9007199254740992", "9007199254740993"}, 2},
     {0, 1},
     "averages 9007199254740993"},
    {"x = aggregate(select(indices, 0, ==), tokens_float); z = (x + indices) - x;"
     "y = aggregate(select(indices, z, ==), tokens, \"-\");",
     {{"0.0", "1.0", "10000000000000000.0"}, 4},
     {2, 0, 1, 0},
     "[1e+16, 1e+16, 1.0, -]"},
    {"z = (tokens_float[0] + indices) - tokens_float[0];",
     {{"1.0", "10000000000000000.0"}, 4},
     {1, 0, 0, 0},
     "[0.0, 0.0, 2.0, 4.0]"},
    {"s = tokens_float + shift(tokens_float, 1, 0.0); y = s - tokens_float;",
     {{"0.1", "20000.7"}, 3},
     {0, 1, 0},
     "[0.0, 0.09999999999854481, 20000.7]"},
    {"x = 10.0 ^ -13 * (indices + 1);",
     {{"1"}, 3},
     {0, 0, 0},
     "[1e-13, 2e-13, 3.0000000000000003e-13]"},
    /* never an int, though equal to the ints that it averages */
    {"a = aggregate(select(0, indices, <), 0 * indices, 0.0);"
     "x = a - selector_width(select(tokens, tokens, ==));",
     {{"1", "2"}, 4},
     {0, 1, 0, 0},
     "[-3.0, -1.0, -3.0, -3.0]"},
    {"x = aggregate(select(0, indices, <), 2 + 0 * indices, 2.0) * length;",
     {{"1"}, 3},
     {0, 0, 0},
     "[6.0, 6.0, 6.0]"},
    {"y = load_from_location(tokens == \"a\", 1);", {{"\"a\"", "\"b\""}, 2}, {0, 1}, "[F, F]"},
    {"y = load_from_location(tokens == \"a\", 2);", {{"\"a\"", "\"b\""}, 2}, {0, 1}, "[0, 0]"},
    {"x = {1: 0.1, 2: 0.2, 3: -0.3}[tokens_int]; y = (shift(x, 1, 0) + shift(x, 2, 0)) + x;",
     {{"1", "2", "3"}, 3},
     {0, 1, 2},
     "[0.1, 0.30000000000000004, 5.551115123125783e-17]"},
    {"y = aggregate(select(indices, indices, <=), indicator(tokens == \"a\"));",
     {{"\"a\"", "\"b\""}, 3},
     {0, 0, 1},
     "[1, 1.0, 0.6666666666666666]"},
    {"y = aggregate(select(tokens, tokens, ==), tokens_int, 0);",
     {{"1", "2"}, 3},
     {0, 1, 0},
     "[1.0, 2, 1.0]"},
    {"y = tokens_float * 0;", {{"1.0", "-1.0"}, 2}, {0, 1}, "[0.0, -0.0]"},
    {"y = tokens_float * (10.0 ^ 308);", {{"1.0", "100.0"}, 1}, {0}, "can be inf"},
    {"y = 0.1 + tokens_float;", {{"0.2", "0.3"}, 1}, {0}, "[0.30000000000000004]"},
    {"y = tokens_int ^ 39;", {{"3", "2"}, 1}, {0}, "[4052555153018976267]"},
};

static void judge_case(size_t k) {
    Trial t;
    size_t inputs = 0, n = cases[k].domain.max_length;
    if (!trial_open(&t, cases[k].program, &cases[k].domain)) fail_msg("%s", t.judge.detail);
    if (*cases[k].answer != '[') {
        assert_false(t.compiled_well);
        if (!strstr(t.error.message, cases[k].answer)) fail_msg("%s", t.error.message);
    } else {
        if (!t.compiled_well) fail_msg("%s: %s", cases[k].program, t.error.message);
        RunOptions run = run_options();
        RtError error;
        Engine *engine = engine_new(t.compiled.model, &run, &error);
        const Atom *found = model_says(&t, engine, cases[k].ids, n);
        char text[512] = "[";
        for (size_t i = 0; i < n; i++) {
            const char *value = atom_show(found[i], ATOM_CELL, t.arena);
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : "", value);
        }
        strcat(text, "]");
        assert_string_equal(text, cases[k].answer);
        engine_free(engine);
        if (!trial_holds(&t, &inputs)) fail_msg("%s: %s", cases[k].program, t.judge.detail);
    }
    trial_close(&t);
}

static void test_cases(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) judge_case(k);
}

/* A refusal names the values that cannot be told apart. */
static void test_refusal(void **state) {
    (void)state;
    static const Numbers domain = {{"0.1", "0.2", "0.7"}, 4};
    Trial t;
    assert_true(trial_open(&t,
                           "m = aggregate(select(indices, indices, <=), tokens_float);"
                           "y = m == aggregate(select(indices, indices, <), tokens_float, 0.7);",
                           &domain));
    if (!t.compiled_well) {
        const char *message = t.error.message;
        if (!strstr(message, "too close") && !strstr(message, "rounding")) fail_msg("%s", message);
    }
    trial_close(&t);
}

/* --- random programs ------------------------------------------------------------------------ */

static const Numbers domains[] = {
    {{"0.1", "0.2"}, 3},
    {{"0.1", "20000.7"}, 3},
    {{"1.0", "10000000000000000.0"}, 3},
    {{"9007199254740991", "9007199254740993"}, 3},
    {{"9007199254740992", "2"}, 3},
    {{"0.0000000000001", "0.0000000000002"}, 3},
    {{"0.3", "-0.3", "0.1"}, 3},
    {{"3", "1", "2"}, 3},
    {{"4000000000000", "4000000000001"}, 3},
    {{"0.5", "0.25", "-2.0"}, 3},
    {{"1000000000", "1000000001"}, 3},
    {{"0.0", "-0.5"}, 4},
    {{"7", "-3"}, 4},
};

/* $n number, $b bool, $x selector; the first is a leaf. */
static const char *const numbers[] = {"tokens_float",
                                      "indices",
                                      "tokens_float",
                                      "length",
                                      "(0.1 + 0 * indices)",
                                      "(3 + 0 * indices)",
                                      "((10.0 ^ 16) + 0 * indices)",
                                      "(-1 + 0 * indices)",
                                      "((10.0 ^ -13) + 0 * indices)",
                                      "(9007199254740992 + 0 * indices)",
                                      "(0.0 + 0 * indices)",
                                      "($n + $n)",
                                      "($n - $n)",
                                      "($n + $n)",
                                      "($n - $n)",
                                      "($n * $n)",
                                      "($n / 3)",
                                      "($n / (indices + 1))",
                                      "($n % 3)",
                                      "($n % -0.5)",
                                      "($n ^ 2)",
                                      "round($n)",
                                      "($n if $b else $n)",
                                      "(-$n)",
                                      "($n)[0]",
                                      "aggregate($x, $n)",
                                      "aggregate($x, $n, 0.0)",
                                      "aggregate($x, $n, 1)",
                                      "shift($n, 1, 0)",
                                      "shift($n, -1, 0.1)",
                                      "selector_width($x)",
                                      "aggregate($x, tokens_asis)",
                                      "indicator($b)"};
static const char *const bools[] = {"(indices > 0)", "($n == $n)", "($n < $n)", "($n <= $n)"};
static const char *const selectors[] = {
    "select(indices, indices, <=)", "full_s",
    "select(tokens, tokens, ==)",   "select(indices, indices, <)",
    "select($n, $n, ==)",           "select($n, $n, <)",
    "select(indices, $n, ==)"};
enum { NUMBER_LEAVES = 11, BOOL_LEAVES = 1, SELECTOR_LEAVES = 4 };

static void write_rule(Chooser *c, char type, int depth, char *text, size_t size) {
    const char *const *list = type == 'n' ? numbers : type == 'b' ? bools : selectors;
    unsigned leaves = type == 'n' ? NUMBER_LEAVES : type == 'b' ? BOOL_LEAVES : SELECTOR_LEAVES;
    unsigned all = type == 'n'   ? sizeof numbers / sizeof *numbers
                   : type == 'b' ? sizeof bools / sizeof *bools
                                 : sizeof selectors / sizeof *selectors;
    size_t at = strlen(text);
    for (const char *from = list[choose(c, depth > 0 ? all : leaves)]; *from; from++) {
        if (*from == '$') {
            write_rule(c, *++from, depth - 1, text, size);
            at = strlen(text);
        } else if (at + 1 < size) {
            text[at++] = *from;
            text[at] = '\0';
        }
    }
}

static void test_random(void **state) {
    (void)state;
    Campaign campaign = campaign_begin("test_compile_numbers", 53, PROGRAMS);
    size_t right = 0, refused = 0, joined = 0, odd = 0, inputs = 0;
    for (uint64_t seed; campaign_next(&campaign, &seed);) {
        Chooser c = chooser_of(seed);
        const Numbers *domain = &domains[choose(&c, sizeof domains / sizeof *domains)];
        char text[TEXT] = "result = ";
        write_rule(&c, choose(&c, 8) ? 'n' : 'b', 2 + (int)choose(&c, 3), text, sizeof text - 3);
        strcat(text, ";");
        Trial t;
        if (!trial_open(&t, text, domain)) {
            odd++;
        } else if (!t.compiled_well) {
            refused++;
        } else {
            if (!trial_holds(&t, &inputs))
                fail_msg("RASP_SEED=%llu %s alphabet %s, %s: %s", (unsigned long long)seed, text,
                         domain->token[0], domain->token[1], t.judge.detail);
            right++;
            joined += t.compiled.certificate->joined_absolute > 0;
        }
        trial_close(&t);
    }
    print_message("%zu right (%zu with joined floats) on %zu inputs, %zu refused, %zu not RASP\n",
                  right, joined, inputs, refused, odd);
    campaign_count(&campaign, "right", right);
    campaign_count(&campaign, "with joined floats", joined);
    campaign_count(&campaign, "inputs", inputs);
    campaign_count(&campaign, "refused", refused);
    campaign_count(&campaign, "not RASP", odd);
    campaign_end(&campaign);
    assert_true(right * 100 > (campaign.own - odd) * 85); /* extreme as they are, few are refused */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_refusal),
                                       cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
