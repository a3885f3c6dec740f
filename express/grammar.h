/* grammar.h: selectors and values that a person would write.
 *
 *   atom      True, False, token op query's token, token op constant,
 *             position op query's position + d (d = -2 … 1); in the absolute grammar also
 *             position op constant, position even or odd
 *   selector  an atom, two joined by `and` or by `or`
 *   value     1 where the token is c; the token's number in the alphabet; the width of the
 * selection; absolute also the position and its parity
 *
 * An aggregate is the exact mean of a value over a selection, or "none" where that is empty (a
 * width is a number).
 */
#ifndef RASP_EXPRESS_GRAMMAR_H
#define RASP_EXPRESS_GRAMMAR_H

#include "express/task.h"

typedef enum Compare {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARES
} Compare;
const char *compare_text(Compare compare);

typedef struct GrammarAtom {
    enum {
        ATOM_TRUE,
        ATOM_FALSE,
        ATOM_TOKEN_QUERY,
        ATOM_TOKEN,
        ATOM_INDEX_QUERY,
        ATOM_INDEX,
        ATOM_PARITY
    } kind;
    Compare compare;
    int32_t number; /* token, d, index or parity */
} GrammarAtom;

typedef struct Selector {
    GrammarAtom atoms[2];
    enum { SELECTOR_ATOM, SELECTOR_AND, SELECTOR_OR } join;
} Selector;

typedef struct GrammarValue {
    enum { VALUE_IS_TOKEN, VALUE_TOKENS, VALUE_WIDTH, VALUE_INDICES, VALUE_PARITY } kind;
    int32_t token;
} GrammarValue;

typedef struct Aggregate {
    Selector selector;
    GrammarValue value;
} Aggregate;

/* Bit j: position j is selected. */
uint32_t atom_mask(const GrammarAtom *atom, const Task *task, const Instance *x);
uint32_t selector_mask(const Selector *selector, const Task *task, const Instance *x);
/* sum << 16 | width in lowest terms; none: UINT32_MAX. */
uint32_t value_over(const GrammarValue *value, uint32_t mask, const Task *task, const Instance *x);
uint32_t aggregate_value(const Aggregate *aggregate, const Task *task, const Instance *x);

/* The grammar's atoms and values for inputs up to a length, simplest first. */
size_t grammar_list_atoms(Arena *arena, const Task *task, uint32_t length, bool absolute,
                          GrammarAtom **atoms);
size_t grammar_list_values(Arena *arena, const Task *task, bool absolute, GrammarValue **values);

#endif
