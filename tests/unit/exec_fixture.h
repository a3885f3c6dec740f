/* exec_fixture.h: a graph with columns of chosen values, random ones, and what selectors and
 * aggregates mean on them, computed here with GMP and MPFR and shared with nothing that is
 * tested. */
#ifndef RASP_TESTS_EXEC_FIXTURE_H
#define RASP_TESTS_EXEC_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gmp.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "interp/exec/exec.h"

/* --- a graph and its input ------------------------------------------------------------------ */

enum { MAX_COLUMNS = 24 };

/* RASP_SHARE=8: an eighth of the cases, spread over all, for who runs a suite for each of many
 * builds (tests/mutate/run). */
static inline unsigned share(void) {
    const char *text = getenv("RASP_SHARE");
    unsigned long whole = text ? strtoul(text, NULL, 10) : 1;
    return whole >= 1 && whole <= 100 ? (unsigned)whole : 1;
}

typedef struct Fixture {
    Budget budget;
    BudgetGuard guard;
    Arena *arena;
    Intern *intern;
    Graph *graph;
    Atom *tokens;
    Input input;
    size_t n;
    const Atom *column[MAX_COLUMNS]; /* the values of node[k] */
    NodeId node[MAX_COLUMNS];
    size_t column_count;
} Fixture;

static const Span nowhere = {0};

static inline void fixture_open(Fixture *f, size_t n) {
    *f = (Fixture){.n = n};
    budget_init(&f->budget, 0);
    budget_push(&f->budget, &f->guard);
    if (setjmp(f->guard.jump)) fail_msg("out of memory");
    f->arena = arena_new(&f->budget);
    f->intern = intern_new(f->arena);
    f->graph = graph_new(f->arena, f->intern);
    f->tokens = ARENA_ARRAY(f->arena, n, Atom);
    for (size_t i = 0; i < n; i++) f->tokens[i] = atom_string(intern_text(f->intern, "t"));
    f->input = (Input){.tokens = f->tokens, .length = n, .is_string = true};
}

static inline void fixture_close(Fixture *f) {
    budget_leave(&f->budget, &f->guard);
    arena_free(f->arena);
    assert_int_equal(f->budget.used, 0);
}

static inline Atom text_atom(Fixture *f, const char *text) {
    return atom_string(intern_text(f->intern, text));
}

/* A node with these values: a list looked up by indices; a constant where all are the same
 * value and `constant` is wanted. */
static inline NodeId add_column(Fixture *f, const Atom *values, bool constant) {
    NodeId node;
    if (constant)
        node = graph_constant(f->graph, values[0], nowhere);
    else {
        const Lookup *list = lookup_new(f->arena, LOOKUP_LIST, NULL, values, f->n);
        node = graph_lookup(f->graph, list, graph_indices(f->graph, nowhere), nowhere);
    }
    assert_true(f->column_count < MAX_COLUMNS);
    f->column[f->column_count] = values;
    f->node[f->column_count++] = node;
    return node;
}

static inline const Atom *column_of(const Fixture *f, NodeId node) {
    for (size_t k = 0; k < f->column_count; k++)
        if (f->node[k] == node) return f->column[k];
    fail_msg("no such column");
    return NULL;
}

/* --- random columns -------------------------------------------------------------------------- */

typedef enum Recipe {
    RECIPE_BOOLS,
    RECIPE_FEW_INTS,
    RECIPE_INDICES,
    RECIPE_SHUFFLED,
    RECIPE_HUGE_INTS,
    RECIPE_FLOATS,
    RECIPE_WILD_FLOATS, /* -0.0, subnormals, the largest */
    RECIPE_MIXED,       /* ints, bools and floats, equal across kinds */
    RECIPE_BIG_MIXED,   /* ints beyond 2^53 beside floats */
    RECIPE_CONSTANT,
    RECIPE_NUMBERS, /* how many there are of numbers */
    RECIPE_LETTERS = RECIPE_NUMBERS,
    RECIPE_WORDS,
    RECIPE_ORDERED, /* how many there are without NaN */
    RECIPE_INFINITE = RECIPE_ORDERED,
    RECIPE_NAN,
    RECIPE_COUNT
} Recipe;

static inline double wild_float(Random *random) {
    static const double wild[] = {-0.0,       0.0,         0x1p-1074,
                                  -0x1p-1074, 0x1p-1022,   0x1.8p1023,
                                  0x1p971,    -0x1p1023,   0x1.fffffffffffffp1,
                                  1e-300,     -0x1.8p1023, 0.1,
                                  1.0,        -3.5,        0x1p53};
    return wild[random_below(random, sizeof wild / sizeof *wild)];
}

static inline Atom random_word(Fixture *f, Random *random) {
    static const char *const word[] = {"", "a", "ab", "b", "ä", "aa", "日本", "z", "Z", "abc"};
    return text_atom(f, word[random_below(random, sizeof word / sizeof *word)]);
}

static inline Atom random_mixed(Random *random) {
    int64_t small = (int64_t)random_below(random, 5) - 2;
    switch (random_below(random, 4)) {
    case 0:
        return atom_bool(small > 0);
    case 1:
        return atom_float((double)small);
    case 2:
        return atom_float((double)small / 3);
    default:
        return atom_int(small);
    }
}

static inline Atom random_big_mixed(Random *random) {
    int64_t near = (1ll << 53) + (int64_t)random_below(random, 5) - 2;
    return random_below(random, 2) ? atom_int(near) : atom_float((double)near + 0.5);
}

static inline Atom random_value(Fixture *f, Random *random, Recipe recipe, size_t i) {
    static const int64_t huge[] = {INT64_MAX, INT64_MIN, INT64_MAX - 1, 1ll << 53, 0, -1};
    static const char *const letter[] = {"a", "b", "c", "d"};
    switch (recipe) {
    case RECIPE_BOOLS:
        return atom_bool(random_below(random, 2));
    case RECIPE_FEW_INTS:
        return atom_int((int64_t)random_below(random, 6) - 2);
    case RECIPE_INDICES:
        return atom_int((int64_t)i);
    case RECIPE_SHUFFLED:
        return atom_int((int64_t)random_below(random, f->n));
    case RECIPE_HUGE_INTS:
        return atom_int(huge[random_below(random, sizeof huge / sizeof *huge)]);
    case RECIPE_FLOATS:
        return atom_float((double)random_below(random, 40) / 7 - 2);
    case RECIPE_WILD_FLOATS:
        return atom_float(wild_float(random));
    case RECIPE_MIXED:
        return random_mixed(random);
    case RECIPE_BIG_MIXED:
        return random_big_mixed(random);
    case RECIPE_LETTERS:
        return text_atom(f, letter[random_below(random, 4)]);
    case RECIPE_WORDS:
        return random_word(f, random);
    case RECIPE_INFINITE:
        return atom_float(random_below(random, 6)   ? (double)random_below(random, 9)
                          : random_below(random, 2) ? (double)INFINITY
                                                    : -(double)INFINITY);
    case RECIPE_NAN:
        return atom_float(random_below(random, 5) ? (double)random_below(random, 4) : (double)NAN);
    default:
        return atom_int(3);
    }
}

static inline NodeId random_column(Fixture *f, Random *random, Recipe recipe) {
    Atom *values = ARENA_ARRAY(f->arena, f->n, Atom);
    for (size_t i = 0; i < f->n; i++) values[i] = random_value(f, random, recipe, i);
    return add_column(f, values, recipe == RECIPE_CONSTANT);
}

/* --- what it means ---------------------------------------------------------------------------- */

static inline void set_number(mpfr_t to, Atom value) {
    if (value.kind == ATOM_FLOAT)
        mpfr_set_d(to, value.f, MPFR_RNDN);
    else
        mpfr_set_sj(to, value.kind == ATOM_BOOL ? value.b : value.i, MPFR_RNDN);
}

/* The comparison on atoms, from its definition. */
static inline bool oracle_compare(OpId op, Atom key, Atom query) {
    bool strings = key.kind == ATOM_STRING, unordered = false;
    int order = 0;
    if (strings != (query.kind == ATOM_STRING)) return op == OP_NE;
    if (strings)
        order = strcmp(key.s->text, query.s->text);
    else {
        mpfr_t a, b;
        mpfr_inits2(64, a, b, (mpfr_ptr)NULL);
        set_number(a, key);
        set_number(b, query);
        unordered = mpfr_unordered_p(a, b);
        order = unordered ? 0 : mpfr_cmp(a, b);
        mpfr_clears(a, b, (mpfr_ptr)NULL);
    }
    if (unordered) return op == OP_NE;
    switch (op) {
    case OP_EQ:
        return order == 0;
    case OP_NE:
        return order != 0;
    case OP_LT:
        return order < 0;
    case OP_LE:
        return order <= 0;
    case OP_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* matrix[i * n + j]: does query row i select key j? */
static inline bool *oracle_matrix(Fixture *f, NodeId selector) {
    const Node node = *graph_node(f->graph, selector);
    size_t n = f->n;
    bool *matrix = ARENA_ARRAY(f->arena, n * n, bool);
    if (node.kind == NODE_SELECT) {
        const Atom *keys = column_of(f, node.arg[0]), *queries = column_of(f, node.arg[1]);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                matrix[i * n + j] = oracle_compare(node.op, keys[j], queries[i]);
        return matrix;
    }
    const bool *a = oracle_matrix(f, node.arg[0]);
    const bool *b = node.arity > 1 ? oracle_matrix(f, node.arg[1]) : a;
    for (size_t c = 0; c < n * n; c++)
        matrix[c] = node.kind == NODE_AND  ? a[c] && b[c]
                    : node.kind == NODE_OR ? a[c] || b[c]
                                           : !a[c];
    return matrix;
}

/* A rational as the nearest double, ties to even, subnormals included. */
static inline double round_rational(const mpq_t value) {
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_t rounded;
    mpfr_init2(rounded, 53);
    int side = mpfr_set_q(rounded, value, MPFR_RNDN);
    mpfr_subnormalize(rounded, side, MPFR_RNDN);
    double result = mpfr_get_d(rounded, MPFR_RNDN); /* -0.0 for what is below 0 and rounds to it */
    mpfr_clear(rounded);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return result;
}

/* The mean of the chosen values: rational arithmetic, rounded once; infinities and NaN as
 * sums of extended reals. */
static inline double oracle_mean(const Atom *values, const bool *chosen, size_t n) {
    bool plus = false, minus = false;
    unsigned long count = 0;
    mpq_t sum, one;
    mpq_inits(sum, one, (mpq_ptr)NULL);
    for (size_t j = 0; j < n; j++) {
        if (!chosen[j]) continue;
        count++;
        if (values[j].kind == ATOM_FLOAT && !isfinite(values[j].f)) {
            plus = plus || !(values[j].f < 0);
            minus = minus || !(values[j].f > 0);
            continue;
        }
        if (values[j].kind == ATOM_FLOAT)
            mpq_set_d(one, values[j].f);
        else {
            mpfr_t number;
            mpfr_init2(number, 64);
            set_number(number, values[j]);
            mpfr_get_q(one, number);
            mpfr_clear(number);
        }
        mpq_add(sum, sum, one);
    }
    mpq_set_ui(one, count, 1);
    mpq_div(sum, sum, one);
    double mean = round_rational(sum);
    mpq_clears(sum, one, (mpq_ptr)NULL);
    return plus && minus ? (double)NAN : plus ? (double)INFINITY : minus ? -(double)INFINITY : mean;
}

/* --- expectations ------------------------------------------------------------------------------
 */

static inline void expect_same(Atom found, Atom expected, const char *what, size_t i) {
    bool nan = expected.kind == ATOM_FLOAT && isnan(expected.f);
    bool same = nan ? found.kind == ATOM_FLOAT && isnan(found.f) : atom_same(found, expected);
    if (same) return;
    char a[64], b[64];
    atom_text(found, ATOM_LISTED, a, sizeof a);
    atom_text(expected, ATOM_LISTED, b, sizeof b);
    fail_msg("%s, position %zu: found %s, expected %s", what, i, a, b);
}

/* What section 9 of language.md says of an aggregate: the values, or the fault. */
static inline FaultId oracle_aggregate(Fixture *f, const bool *matrix, const Atom *values,
                                       Atom fallback, Atom *result) {
    unsigned kinds = 0, found = 0;
    for (size_t j = 0; j < f->n; j++) kinds |= 1u << values[j].kind;
    bool numbers = !(kinds & 1u << ATOM_STRING) && kinds != 1u << ATOM_BOOL;
    for (size_t i = 0; i < f->n; i++) {
        const bool *row = matrix + i * f->n;
        size_t count = 0, last = 0;
        for (size_t j = 0; j < f->n; j++)
            if (row[j]) count++, last = j;
        if (count > 1 && !numbers) return FAULT_AVERAGE;
        result[i] = count == 0   ? fallback
                    : count == 1 ? values[last]
                                 : atom_float(oracle_mean(values, row, f->n));
        found |= 1u << result[i].kind;
    }
    bool mixed = (found & 1u << ATOM_STRING) && found != 1u << ATOM_STRING;
    return mixed ? FAULT_DEFAULT_TYPE : FAULT_NONE;
}

#endif
