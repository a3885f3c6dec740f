/* Elementwise operators on columns against the operator table, atom by atom: values, sequence
 * types, and which position fails first with what message. */
#include "tests/unit/exec_fixture.h"

/* The kinds of the values, as the sequence type of language.md 7.2; false: mixed. */
static bool expected_type(const Atom *values, size_t n, SequenceType *type) {
    size_t kinds[4] = {0};
    for (size_t i = 0; i < n; i++) kinds[values[i].kind]++;
    if (kinds[ATOM_STRING]) {
        *type = SEQUENCE_STRING;
        return kinds[ATOM_STRING] == n;
    }
    *type = kinds[ATOM_BOOL] == n ? SEQUENCE_BOOL
            : kinds[ATOM_FLOAT]   ? SEQUENCE_FLOAT
                                  : SEQUENCE_INT;
    return true;
}

static void check_fault(Fixture *f, const Fault *found, Fault expected) {
    assert_string_equal(fault_reference_text(found, f->arena),
                        fault_reference_text(&expected, f->arena));
}

/* op on three columns, by every way of running it. */
static void check_map(Fixture *f, OpId op, const NodeId *args) {
    NodeId node = graph_map(f->graph, op, args, nowhere);
    Atom *expected = ARENA_ARRAY(f->arena, f->n, Atom), arg[OP_MAX_ARITY];
    FaultId id = FAULT_NONE;
    for (size_t i = 0; i < f->n && !id; i++) {
        for (int k = 0; k < ops[op].arity; k++) arg[k] = column_of(f, args[k])[i];
        id = op_eval(op, arg, f->intern, &expected[i]);
    }
    SequenceType type = SEQUENCE_BOOL;
    bool fits = id || expected_type(expected, f->n, &type);
    for (int plan = 0; plan < 2; plan++) {
        Exec *exec =
            exec_new(f->graph, &f->input,
                     (ExecOptions){.plan = plan ? EXEC_PLAN_NAIVE : EXEC_PLAN_AUTO}, f->arena);
        Fault fault = {0};
        const Column *column = exec_column(exec, node, &fault);
        assert_int_equal(column != NULL, !id && fits);
        if (id) check_fault(f, &fault, op_fault(op, id, arg, nowhere));
        if (!id && !fits) assert_int_equal(fault.id, FAULT_MIXED_TYPES);
        if (column) assert_int_equal(column->type, type);
        for (size_t i = 0; column && i < f->n; i++)
            expect_same(column_at(column, i), expected[i], ops[op].spelling, i);
        exec_free(exec);
    }
}

/* Strings repeated 2^63 times end the run out of memory: not for here. */
static bool too_long(OpId op, Recipe a, Recipe b) {
    bool text =
        a == RECIPE_LETTERS || a == RECIPE_WORDS || b == RECIPE_LETTERS || b == RECIPE_WORDS;
    bool huge = a == RECIPE_HUGE_INTS || a == RECIPE_BIG_MIXED || b == RECIPE_HUGE_INTS ||
                b == RECIPE_BIG_MIXED;
    return op == OP_MUL && text && huge;
}

static void operators_on_all_kinds(void **state) {
    (void)state;
    Random random = {21};
    for (OpId op = 0; op < OP_COUNT; op++)
        for (Recipe a = 0; a < RECIPE_COUNT; a++)
            for (Recipe b = 0; b < RECIPE_COUNT; b++) {
                if (ops[op].arity == 1 && b) break;
                if (too_long(op, a, b)) continue;
                Fixture f;
                fixture_open(&f, 1 + random_below(&random, 20));
                NodeId args[] = {
                    random_column(&f, &random, a), random_column(&f, &random, b),
                    random_column(&f, &random, (Recipe)random_below(&random, RECIPE_COUNT))};
                check_map(&f, op, args);
                const NodeId turned[] = {args[2], args[0], args[1]};
                if (op == OP_IF) check_map(&f, op, turned);
                fixture_close(&f);
            }
}

/* Values that no random column would meet often: overflow, zero divisors, the ends. */
static void operators_at_the_ends(void **state) {
    (void)state;
    static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1,   -(1ll << 53) - 1, -1,       0, 1, 3,
                                   1ll << 53, (1ll << 53) + 1, INT64_MAX - 1,    INT64_MAX};
    enum { ENDS = sizeof ends / sizeof *ends };
    for (OpId op = 0; op < OP_COUNT; op++)
        for (size_t a = 0; a < ENDS; a++)
            for (size_t b = 0; b < ENDS; b++) {
                Fixture f;
                fixture_open(&f, 3);
                const Atom x[] = {atom_int(2), atom_int(5), atom_int(ends[a])};
                const Atom y[] = {atom_int(1), atom_int(2), atom_int(ends[b])};
                const Atom z[] = {atom_float(1.5), atom_float(2), atom_float((double)ends[b])};
                NodeId xs = add_column(&f, x, false), ys = add_column(&f, y, false);
                NodeId zs = add_column(&f, z, false);
                check_map(&f, op, (NodeId[]){xs, ys, zs});
                check_map(&f, op, (NodeId[]){xs, zs, ys});
                fixture_close(&f);
            }
}

/* Long enough for several threads, with one failing position. */
static void long_columns(void **state) {
    (void)state;
    Fixture f;
    fixture_open(&f, 200000);
    Atom *x = ARENA_ARRAY(f.arena, f.n, Atom), *y = ARENA_ARRAY(f.arena, f.n, Atom);
    for (size_t i = 0; i < f.n; i++) {
        x[i] = atom_int((int64_t)i - 1000);
        y[i] = atom_int((int64_t)(i % 7) + 1);
    }
    NodeId good[] = {add_column(&f, x, false), add_column(&f, y, false)};
    static const OpId some[] = {OP_ADD, OP_MUL, OP_DIV, OP_MOD, OP_LT, OP_EQ, OP_AND};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) check_map(&f, some[k], good);
    y[150000] = atom_int(0);
    Atom *copy = ARENA_ARRAY(f.arena, f.n, Atom);
    memcpy(copy, y, f.n * sizeof *copy);
    NodeId bad[] = {good[0], add_column(&f, copy, false)};
    check_map(&f, OP_DIV, bad);
    check_map(&f, OP_MOD, bad);
    fixture_close(&f);
}

/* --- lookups ---------------------------------------------------------------------------------- */

static void check_lookup(Fixture *f, const Lookup *lookup, NodeId at) {
    NodeId node = graph_lookup(f->graph, lookup, at, nowhere);
    Exec *exec = exec_new(f->graph, &f->input, (ExecOptions){.keep = true}, f->arena);
    Fault fault = {0};
    const Column *column = exec_column(exec, node, &fault);
    const Atom *values = column_of(f, at);
    Atom *expected = ARENA_ARRAY(f->arena, f->n, Atom);
    FaultId id = FAULT_NONE;
    size_t i = 0;
    while (i < f->n && !(id = lookup_eval(lookup, values[i], &expected[i]))) i++;
    assert_int_equal(column == NULL, id != FAULT_NONE);
    if (id) check_fault(f, &fault, lookup_fault(lookup, id, values[i], nowhere, f->arena));
    for (i = 0; column && i < f->n; i++)
        expect_same(column_at(column, i), expected[i], "lookup", i);
    exec_free(exec);
}

/* Holes are faults when they are picked, and only then. */
static void check_holes(Fixture *f, Random *random, const Atom *keys, const Atom *values,
                        size_t count, NodeId at) {
    bool holes[4] = {false};
    for (size_t k = 0; k < count; k++) holes[k] = random_below(random, 2);
    const Lookup *plain = lookup_new(f->arena, LOOKUP_DICT, keys, values, count);
    const Lookup *holed = lookup_new_holed(f->arena, LOOKUP_DICT, keys, values, holes, count);
    bool any = false;
    for (size_t k = 0; k < count; k++) {
        Atom value;
        any |= holes[k];
        assert_int_equal(lookup_eval(holed, keys[k], &value),
                         holes[k] ? FAULT_PICKED_NO_ATOM : FAULT_NONE);
    }
    assert_int_equal(lookup_same(plain, holed), !any);
    check_lookup(f, holed, at);
}

static void lookups(void **state) {
    (void)state;
    Random random = {22};
    for (int round = 0; round < 300; round++) {
        Fixture f;
        fixture_open(&f, 1 + random_below(&random, 30));
        Atom letters[4], numbers[4];
        for (int k = 0; k < 4; k++) {
            letters[k] = text_atom(&f, (const char *[]){"a", "b", "c", "d"}[k]);
            numbers[k] = atom_int(k - 2);
        }
        size_t count = 1 + random_below(&random, 4);
        NodeId at = random_column(&f, &random, round % 2 ? RECIPE_LETTERS : RECIPE_FEW_INTS);
        const Atom *keys = round % 2 ? letters : numbers;
        check_lookup(&f, lookup_new(f.arena, LOOKUP_SET, keys, NULL, count), at);
        check_lookup(&f, lookup_new(f.arena, LOOKUP_DICT, keys, numbers, count), at);
        check_lookup(&f, lookup_new(f.arena, LOOKUP_LIST, NULL, letters, count), at);
        check_holes(&f, &random, keys, numbers, count, at);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_on_all_kinds),
        cmocka_unit_test(operators_at_the_ends),
        cmocka_unit_test(long_columns),
        cmocka_unit_test(lookups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
