/* random_program.h: random well-typed programs, printed as text, and made smaller again.
 *
 * A program is one or two expressions over a small alphabet.  The table of rules says what
 * gives what: a rule's text holds $1 … $3 for its arguments and #x for literals.  Types are
 * letters: i int, n number, b bool, s string, x selector, y selector of at most one key.
 * Choices come from a seed or from a fuzzer's bytes; the first rule of a type is its plainest
 * leaf, so bytes that have run out end the program.
 */
#ifndef RASP_TESTS_RANDOM_PROGRAM_H
#define RASP_TESTS_RANDOM_PROGRAM_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* --- choices ---------------------------------------------------------------------------- */

typedef struct Chooser {
    Random random;
    const uint8_t *bytes; /* NULL: from random */
    size_t left;
} Chooser;

static inline unsigned choose(Chooser *chooser, unsigned bound) {
    if (chooser->bytes) {
        if (chooser->left == 0) return 0;
        chooser->left--;
        return *chooser->bytes++ % bound;
    }
    return (unsigned)random_below(&chooser->random, bound);
}

/* --- alphabets -------------------------------------------------------------------------- */

enum { LETTERS = 1, DIGITS = 2, INTS = 4, FLOATS = 8, BOOLS = 16, ANY = 31 };
enum { NUMERIC = DIGITS | INTS | FLOATS | BOOLS };

typedef struct Alphabet {
    unsigned kind;
    unsigned count;
    const char *token[4]; /* as literals of the language */
} Alphabet;

static const Alphabet alphabets[] = {
    {LETTERS, 2, {"\"a\"", "\"b\""}},
    {LETTERS, 3, {"\"a\"", "\"b\"", "\"c\""}},
    {LETTERS, 3, {"\"(\"", "\")\"", "\"x\""}},
    {LETTERS, 3, {"\"ab\"", "\"é\"", "\"z z\""}},
    {DIGITS, 3, {"\"0\"", "\"1\"", "\"2\""}},
    {DIGITS, 2, {"\"-1\"", "\"7\""}},
    {INTS, 3, {"0", "1", "2"}},
    {INTS, 4, {"-1", "3", "4", "10"}},
    {FLOATS, 3, {"0.5", "1.0", "-2.25"}},
    {FLOATS, 3, {"0.1", "0.2", "0.3"}},
    {BOOLS, 2, {"True", "False"}},
};

enum { ALPHABET_COUNT = sizeof alphabets / sizeof *alphabets };

/* --- rules ------------------------------------------------------------------------------ */

typedef struct Rule {
    char gives;
    unsigned weight;
    const char *takes, *text;
    unsigned kinds; /* alphabets that it is for; 0: any */
} Rule;

/* The first of each type is a leaf. */
static const Rule rules[] = {
    {'i', 6, "", "indices", 0},
    {'i', 3, "", "length", 0},
    {'i', 1, "", "#i", 0},
    {'i', 4, "", "tokens_int", NUMERIC},
    {'i', 2, "ii", "($1 + $2)", 0},
    {'i', 2, "ii", "($1 - $2)", 0},
    {'i', 1, "i", "($1 + #i)", 0},
    {'i', 1, "i", "($1 * #i)", 0},
    {'i', 1, "ii", "($1 * $2)", 0},
    {'i', 2, "i", "($1 % #p)", 0},
    {'i', 1, "ii", "($1 % $2)", 0},
    {'i', 1, "i", "($1 ^ 2)", 0},
    {'i', 1, "i", "(-$1)", 0},
    {'i', 2, "n", "round($1)", 0},
    {'i', 2, "b", "indicator($1)", 0},
    {'i', 3, "bii", "($2 if $1 else $3)", 0},
    {'i', 2, "i", "#l[$1 % 3]", 0},
    {'i', 2, "", "#d[tokens_asis]", 0},
    {'i', 5, "x", "selector_width($1)", 0},
    {'i', 4, "yi", "aggregate($1, $2, #i)", 0},
    {'i', 1, "s", "count($1, #c)", LETTERS | DIGITS},
    {'i', 1, "ii", "max($1, $2)", 0},
    {'i', 1, "ii", "min($1, $2)", 0},
    {'i', 1, "i", "shift($1, #i, #i)", 0},
    {'i', 1, "ii", "load_from_location($1, $2)", 0},
    {'i', 1, "i", "($1)[#i]", 0},
    {'i', 1, "in", "sort($1, $2)", 0},
    {'i', 1, "i", "maximum($1)", 0},
    {'i', 1, "i", "minimum($1)", 0},
    {'i', 1, "n", "argmax($1)", 0},
    {'i', 1, "i", "argmin($1)", 0},
    {'i', 1, "i", "cumulative_sum($1)", 0},
    {'i', 1, "b", "cumulative_sum($1)", 0},
    {'i', 1, "i", "cumulative_max($1)", 0},
    {'i', 1, "i", "cumulative_min($1)", 0},
    {'i', 1, "b", "total($1)", 0},
    {'i', 1, "s", "hist($1)", 0},
    {'i', 1, "s", "len($1)", 0},
    {'i', 1, "ss", "num_prev($1, $2)", 0},
    {'i', 1, "s", "first_index($1, #s)", 0},
    {'i', 1, "ss", "last_index($1, $2)", 0},
    {'i', 1, "s", "count_distinct($1)", 0},
    {'i', 1, "i", "mode($1)", 0},
    {'i', 1, "i", "reverse($1)", 0},
    {'i', 1, "i", "#l[$1]", 0}, /* from here on those that fail on some inputs */
    {'i', 1, "", "tokens_int", LETTERS},
    {'i', 1, "", "{#c: 1, #c: 2}[tokens_asis]", 0},
    {'i', 1, "n", "#l[$1]", 0},
    {'i', 1, "ii", "($1 ^ $2)", 0},
    {'i', 1, "ii", "((4000000000000000000 + $1 * 1000000000000000000) % 7)", 0},

    {'n', 4, "", "indices", 0},
    {'n', 2, "", "#f", 0},
    {'n', 4, "", "tokens_float", NUMERIC},
    {'n', 4, "", "tokens_asis", INTS | FLOATS},
    {'n', 8, "xn", "aggregate($1, $2)", 0},
    {'n', 4, "xn", "aggregate($1, $2, #i)", 0},
    {'n', 3, "xn", "aggregate($1, $2, #f)", 0},
    {'n', 1, "xn", "aggregate($1, $2, #s)", 0},
    {'n', 2, "xb", "aggregate($1, indicator($2))", 0},
    {'n', 2, "yn", "aggregate($1, $2, #f)", 0},
    {'n', 2, "nn", "($1 + $2)", 0},
    {'n', 2, "nn", "($1 - $2)", 0},
    {'n', 1, "nn", "($1 * $2)", 0},
    {'n', 1, "n", "($1 * #f)", 0},
    {'n', 1, "n", "($1 / #p)", 0},
    {'n', 1, "ni", "($1 / (1 + $2))", 0},
    {'n', 1, "n", "($1 % #p)", 0},
    {'n', 1, "n", "(2 ^ $1)", 0},
    {'n', 3, "bnn", "($2 if $1 else $3)", 0},
    {'n', 1, "i", "[0.5, #i, #f][$1 % 3]", 0},
    {'n', 1, "n", "average($1)", 0},
    {'n', 1, "b", "frac_prevs($1)", 0},
    {'n', 1, "n", "maximum($1)", 0},
    {'n', 1, "nn", "($1 / $2)", 0},
    {'n', 1, "nn", "($1 % $2)", 0},
    {'n', 1, "n", "($1 ^ 0.5)", 0},
    {'n', 1, "xb", "aggregate($1, $2)", 0},
    {'n', 1, "xb", "aggregate($1, $2 if $2 else 1)", 0},
    {'n', 1, "yn", "aggregate($1, $2, #s)", 0},

    {'b', 3, "", "tokens_bool", 0},
    {'b', 3, "", "tokens_asis", BOOLS},
    {'b', 4, "nn", "($1 #o $2)", 0},
    {'b', 4, "n", "($1 #o #f)", 0},
    {'b', 4, "i", "($1 #o #i)", 0},
    {'b', 3, "s", "($1 #o #s)", 0},
    {'b', 3, "", "(tokens_asis == #c)", 0},
    {'b', 2, "ss", "($1 #o $2)", 0},
    {'b', 1, "bb", "($1 == $2)", 0},
    {'b', 1, "ns", "($1 == $2)", 0},
    {'b', 3, "bb", "($1 and $2)", 0},
    {'b', 3, "bb", "($1 or $2)", 0},
    {'b', 3, "b", "(not $1)", 0},
    {'b', 2, "", "(tokens_asis in #k)", 0},
    {'b', 1, "i", "($1 in [#i, #i])", 0},
    {'b', 2, "bbb", "($2 if $1 else $3)", 0},
    {'b', 1, "", "#m[tokens_asis]", 0},
    {'b', 2, "x", "has_focus($1)", 0},
    {'b', 3, "yb", "aggregate($1, $2, #t)", 0},
    {'b', 1, "yb", "aggregate($1, $2)", 0},
    {'b', 1, "s", "mark_first_instance($1, #s)", 0},
    {'b', 1, "s", "mark_last_instance($1, $1)", 0},
    {'b', 1, "s", "contains($1, #s)", 0},
    {'b', 1, "s", "has_prev($1)", 0},
    {'b', 1, "s", "has_seen($1, #s)", 0},
    {'b', 1, "b", "any_true($1)", 0},
    {'b', 1, "b", "all_true($1)", 0},
    {'b', 1, "sn", "($1 < ($2 if $2 > 0 else #s))", 0},
    {'b', 1, "xb", "aggregate($1, $2, #t)", 0},

    {'s', 9, "", "tokens", 0},
    {'s', 1, "", "#s", 0},
    {'s', 4, "ys", "aggregate($1, $2, #s)", 0},
    {'s', 1, "xs", "aggregate($1, $2, #s)", 0},
    {'s', 1, "ys", "aggregate($1, $2)", 0},
    {'s', 3, "bss", "($2 if $1 else $3)", 0},
    {'s', 1, "", "#e[tokens_asis]", 0},
    {'s', 1, "i", "\"#w\"[$1 % 3]", 0},
    {'s', 1, "b", "{True: #s, False: #s}[$1]", 0},
    {'s', 1, "ss", "($1 + $2)", 0},
    {'s', 1, "s", "($1)[#i:]", 0},
    {'s', 1, "s", "($1)[:#i]", 0},
    {'s', 1, "s", "shift($1, #i, #s)", 0},
    {'s', 1, "sn", "sort($1, $2)", 0},
    {'s', 1, "s", "mode($1)", 0},
    {'s', 1, "s", "reverse($1)", 0},
    {'s', 1, "s", "shift_right($1, #p, #s)", 0},
    {'s', 1, "s", "shift_left($1, #p, #s)", 0},
    {'s', 1, "ss", "induct($1, $2, 1, #s)", 0},
    {'s', 1, "sb", "slide($1, $2, #s)", 0},
    {'s', 1, "xs", "aggregate($1, $2)", 0},
    {'s', 1, "i", "\"#w\"[$1]", 0},
    {'s', 1, "si", "($1 * $2)", 0},
    {'s', 1, "bsn", "($2 if $1 else $3)", 0},

    {'x', 4, "", "select(tokens, tokens, ==)", 0},
    {'x', 3, "", "select(indices, indices, #o)", 0},
    {'x', 4, "nn", "select($1, $2, #o)", 0},
    {'x', 3, "ss", "select($1, $2, #o)", 0},
    {'x', 2, "n", "select($1, $1, #o)", 0},
    {'x', 2, "n", "select($1, #i, #o)", 0},
    {'x', 2, "n", "select(#i, $1, #o)", 0},
    {'x', 2, "n", "select($1, #f, #o)", 0},
    {'x', 2, "bb", "select($1, $2, ==)", 0},
    {'x', 2, "b", "select($1, #t, ==)", 0},
    {'x', 1, "sn", "select($1, $2, ==)", 0},
    {'x', 1, "sn", "select($1, $2 if $2 > 0 else #s, <)", 0},
    {'x', 1, "ns", "select($1 if $1 > 0 else #s, $2, <=)", 0},
    {'x', 1, "", "full_s", 0},
    {'x', 4, "xx", "($1 and $2)", 0},
    {'x', 3, "xx", "($1 or $2)", 0},
    {'x', 3, "x", "(not $1)", 0},
    {'x', 1, "n", "(select($1, $1, <) or (select($1, $1, ==) and select(indices, indices, <)))", 0},

    {'y', 3, "", "select(indices, indices, ==)", 0},
    {'y', 4, "i", "select(indices, $1, ==)", 0},
    {'y', 2, "", "select(indices, indices - #p, ==)", 0},
    {'y', 2, "i", "(select(indices, $1, ==) and select(indices, indices, #o))", 0},
    {'y', 1, "xi", "(select(indices, $2, ==) and $1)", 0},
    {'y', 1, "n", "select($1, $1, ==)", 0},
    {'y', 1, "s", "select_previous_identical($1)", 0},
    {'y', 1, "s", "select_next_identical($1)", 0},
    {'y', 1, "ss", "select_from_last($1, $2)", 0},
    {'y', 1, "s", "select_from_first($1, #s)", 0},
    {'y', 1, "n",
     "select(selector_width(select($1, $1, <) or (select($1, $1, ==) and select(indices, indices, "
     "<))), indices, ==)",
     0},
    {'y', 1, "ss", "(select($1, $2, ==) and select(indices, indices - 1, ==))", 0},
};

enum { RULE_COUNT = sizeof rules / sizeof *rules };

/* May what is given stand where `wanted` is? */
static inline bool accepts(char wanted, char given) {
    if (wanted == 'n') return given == 'n' || given == 'i' || given == 'b';
    return given == wanted || (wanted == 'x' && given == 'y');
}

/* --- literals --------------------------------------------------------------------------- */

typedef struct Literal {
    char letter;
    const char *word[8]; /* up to a NULL */
} Literal;

static const Literal literals[] = {
    {'i', {"0", "1", "2", "3", "-1"}},
    {'p', {"1", "2", "3"}},
    {'f', {"0.5", "1.0", "0.25", "1.5", "0.1", "-0.5", "2.0"}},
    {'s', {"\"a\"", "\"b\"", "\"0\"", "\"\"", "\"ab\"", "\"é\""}},
    {'t', {"False", "True"}},
    {'o', {"==", "<", "<=", ">", ">=", "!="}},
    {'w', {"abc", "xyz", "01é"}},
    {'l', {"[0, 1, 2]", "[3, 0, -1]", "[1, 1, 0]", "[5, 2, 9]"}},
};

static inline const char *pick_literal(Chooser *chooser, char letter) {
    const Literal *row = literals;
    while (row->letter != letter) row++;
    unsigned count = 0;
    while (count < 8 && row->word[count]) count++;
    return row->word[choose(chooser, count)];
}

static inline const char *pick_token(Chooser *chooser, const Alphabet *a) {
    return a->token[choose(chooser, a->count)];
}

/* A dict from every token to a literal of this letter. */
static inline void token_dict(Chooser *c, const Alphabet *a, char letter, char *text, size_t size) {
    size_t at = 0;
    for (unsigned k = 0; k < a->count; k++)
        at += (size_t)snprintf(text + at, size - at, "%s%s: %s", k ? ", " : "{", a->token[k],
                               pick_literal(c, letter));
    snprintf(text + at, size - at, "}");
}

/* Also: c a token, k a list of two tokens; d, e, m dicts from tokens to ints, strings, bools. */
static inline void literal(Chooser *c, const Alphabet *a, char letter, char *text, size_t size) {
    static const char dicts[] = "dem", values[] = "ist";
    const char *dict = strchr(dicts, letter);
    if (dict)
        token_dict(c, a, values[dict - dicts], text, size);
    else if (letter == 'k') {
        const char *one = pick_token(c, a), *other = pick_token(c, a);
        snprintf(text, size, "[%s, %s]", one, other);
    } else {
        snprintf(text, size, "%s", letter == 'c' ? pick_token(c, a) : pick_literal(c, letter));
    }
}

/* --- trees ------------------------------------------------------------------------------ */

enum { MAX_NODES = 60, MAX_ROOTS = 2, LITERAL_TEXT = 192, PROGRAM_TEXT = 1 << 14 };

typedef struct Expr {
    const Rule *rule;
    char text[LITERAL_TEXT]; /* the rule's, its literals filled in */
    int arg[3];              /* nodes with higher numbers, or shared ones */
} Expr;

typedef struct RandomProgram {
    Alphabet alphabet;
    unsigned max_length;
    Expr node[MAX_NODES];
    int node_count;
    int root[MAX_ROOTS];
    int root_count;
    int where; /* a bool that is to be true everywhere, named `fine`; -1: none */
} RandomProgram;

static inline void fill_literals(RandomProgram *p, Chooser *c, Expr *e) {
    size_t at = 0;
    for (const char *from = e->rule->text; *from && at + 1 < sizeof e->text; from++) {
        if (*from != '#') {
            e->text[at++] = *from;
            continue;
        }
        literal(c, &p->alphabet, *++from, e->text + at, sizeof e->text - at);
        at += strlen(e->text + at);
    }
    e->text[at] = '\0';
}

static inline bool rule_fits(const RandomProgram *p, const Rule *rule, char wanted, int depth) {
    if (!accepts(wanted, rule->gives)) return false;
    if (rule->kinds && !(rule->kinds & p->alphabet.kind)) return false;
    return depth > 0 || !*rule->takes;
}

static inline const Rule *pick_rule(const RandomProgram *p, Chooser *c, char wanted, int depth) {
    unsigned total = 0;
    for (int k = 0; k < RULE_COUNT; k++)
        if (rule_fits(p, &rules[k], wanted, depth)) total += rules[k].weight;
    unsigned at = choose(c, total);
    for (int k = 0; k < RULE_COUNT; k++) {
        if (!rule_fits(p, &rules[k], wanted, depth)) continue;
        if (at < rules[k].weight) return &rules[k];
        at -= rules[k].weight;
    }
    return NULL;
}

/* An expression that is there already, now and then: shared nodes are where merging and
 * several readers are tested.  Only finished ones, so that there is no cycle. */
static inline int reuse(const RandomProgram *p, Chooser *c, const bool *finished, char wanted) {
    if (p->node_count == 0 || choose(c, 6) != 1) return -1;
    int k = (int)choose(c, (unsigned)p->node_count);
    return finished[k] && accepts(wanted, p->node[k].rule->gives) ? k : -1;
}

static inline int generate(RandomProgram *p, Chooser *c, bool *finished, char wanted, int depth) {
    int shared = reuse(p, c, finished, wanted);
    if (shared >= 0) return shared;
    if (p->node_count >= MAX_NODES - 8) depth = 0;
    if (p->node_count >= MAX_NODES) return 0;
    int id = p->node_count++;
    Expr *e = &p->node[id];
    e->rule = pick_rule(p, c, wanted, depth);
    fill_literals(p, c, e);
    for (int k = 0; e->rule->takes[k]; k++)
        e->arg[k] = generate(p, c, finished, e->rule->takes[k], depth - 1);
    return finished[id] = true, id;
}

/* `effort` 0 is for many small programs; each step makes them deeper and their inputs longer. */
static inline void random_program(RandomProgram *p, Chooser *c, unsigned effort) {
    bool finished[MAX_NODES] = {false};
    memset(p, 0, sizeof *p);
    p->alphabet = alphabets[choose(c, ALPHABET_COUNT)];
    p->max_length = p->alphabet.count > 3 ? 3 : p->alphabet.count == 2 ? 5 : 3 + choose(c, 2);
    p->max_length += 2 * effort;
    p->root_count = choose(c, 5) == 1 ? 2 : 1;
    for (int k = 0; k < p->root_count; k++)
        p->root[k] =
            generate(p, c, finished, "inbs"[choose(c, 4)], 2 + (int)(choose(c, 4) + effort));
    p->where = choose(c, 10) == 1 ? generate(p, c, finished, 'b', 2) : -1;
}

/* --- text ------------------------------------------------------------------------------- */

typedef struct Writer {
    char *text;
    size_t at, size;
} Writer;

static inline void put_expr(const RandomProgram *p, int id, Writer *w) {
    const Expr *e = &p->node[id];
    for (const char *from = e->text; *from && w->at + 1 < w->size; from++) {
        if (*from == '$')
            put_expr(p, e->arg[*++from - '1'], w);
        else
            w->text[w->at++] = *from;
    }
}

static inline void put_statement(const RandomProgram *p, const char *name, int id, Writer *w) {
    for (const char *c = name; *c && w->at + 1 < w->size; c++) w->text[w->at++] = *c;
    put_expr(p, id, w);
    for (const char *c = ";\n"; *c && w->at + 1 < w->size; c++) w->text[w->at++] = *c;
}

/* The program's text; false if it is too long. */
static inline bool program_text(const RandomProgram *p, char *text, size_t size) {
    Writer w = {text, 0, size};
    if (p->where >= 0) put_statement(p, "fine = ", p->where, &w);
    if (p->root_count > 1) put_statement(p, "first = ", p->root[0], &w);
    put_statement(p, "result = ", p->root[p->root_count - 1], &w);
    text[w.at] = '\0';
    return w.at + 1 < size;
}

/* The choices of program number `seed` of a run. */
static inline Chooser chooser_of(uint64_t seed) {
    return (Chooser){.random = {seed * 0x2545f4914f6cdd1du}};
}

/* A small program of that number, and its text; false if that is too long. */
static inline bool random_program_of(RandomProgram *p, uint64_t seed, char *text, size_t size) {
    Chooser chooser = chooser_of(seed);
    random_program(p, &chooser, 0);
    return program_text(p, text, size);
}

/* The alphabet as the option --alphabet takes it. */
static inline const char *alphabet_text(const Alphabet *a, char *text, size_t size) {
    size_t at = 0;
    for (unsigned k = 0; k < a->count; k++) {
        const char *token = strcmp(a->token[k], "True") == 0    ? "true"
                            : strcmp(a->token[k], "False") == 0 ? "false"
                                                                : a->token[k];
        at += (size_t)snprintf(text + at, size - at, "%s%s", k ? "," : "[", token);
    }
    snprintf(text + at, size - at, "]");
    return text;
}

/* --- shrinking -------------------------------------------------------------------------- */

/* Does the program still do what is looked for? */
typedef bool StillFails(const RandomProgram *program, void *context);

static inline bool keep_if(RandomProgram *p, const RandomProgram *smaller, StillFails *fails,
                           void *context) {
    if (!fails(smaller, context)) return false;
    *p = *smaller;
    return true;
}

static inline bool shrink_node(RandomProgram *p, int id, StillFails *fails, void *context) {
    RandomProgram next;
    const char *takes = p->node[id].rule->takes;
    for (int k = 0; takes[k]; k++) { /* by an argument */
        const Expr *arg = &p->node[p->node[id].arg[k]];
        if (!accepts(p->node[id].rule->gives, arg->rule->gives)) continue;
        next = *p;
        next.node[id] = *arg;
        if (keep_if(p, &next, fails, context)) return true;
    }
    if (!*takes) return false;
    for (int k = 0; k < RULE_COUNT; k++) { /* by a leaf */
        if (!rule_fits(p, &rules[k], p->node[id].rule->gives, 0)) continue;
        next = *p;
        next.node[id] = (Expr){.rule = &rules[k]};
        fill_literals(&next, &(Chooser){.bytes = (const uint8_t *)"", .left = 0}, &next.node[id]);
        if (keep_if(p, &next, fails, context)) return true;
    }
    return false;
}

static inline bool shrink_once(RandomProgram *p, StillFails *fails, void *context) {
    RandomProgram next = *p;
    for (int k = 0; p->root_count > 1 && k < p->root_count; k++) {
        next = *p;
        next.root[0] = p->root[k];
        next.root_count = 1;
        if (keep_if(p, &next, fails, context)) return true;
    }
    next.where = -1;
    if (p->where >= 0 && keep_if(p, &next, fails, context)) return true;
    next = *p;
    next.max_length--;
    if (next.max_length > 0 && keep_if(p, &next, fails, context)) return true;
    for (unsigned k = 0; p->alphabet.count > 1 && k < p->alphabet.count; k++) {
        next = *p;
        next.alphabet.count--;
        for (unsigned j = k; j < next.alphabet.count; j++)
            next.alphabet.token[j] = p->alphabet.token[j + 1];
        if (keep_if(p, &next, fails, context)) return true;
    }
    for (int id = 0; id < p->node_count; id++)
        if (shrink_node(p, id, fails, context)) return true;
    return false;
}

static inline void shrink(RandomProgram *p, StillFails *fails, void *context) {
    for (int rounds = 0; rounds < 400 && shrink_once(p, fails, context); rounds++) continue;
}

#endif
