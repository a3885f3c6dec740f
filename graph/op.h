/* op.h: the table of elementwise operators; base/op.def has a row for each.
 *
 * Interpreter, compiler and printer all read this table.  Operators work on atoms;
 * an elementwise node of the graph applies its operator at every position.  `and`, `or`
 * here are the elementwise ones, which give bools; on plain atoms the language returns an
 * operand instead (eval.c).
 */
#ifndef RASP_GRAPH_OP_H
#define RASP_GRAPH_OP_H

#include "base/words.h"
#include "graph/atom.h"
#include "graph/fault.h"

enum { OP_MAX_ARITY = 3 };

typedef enum OpTraits {
    OP_COMPARES = 1, /* may stand in select( */
    OP_AFFINE = 2,   /* affine in its numeric arguments (of *: when one is constant) */
    OP_TOTAL = 4,    /* never fails */
    OP_BOOLEAN = 8,  /* always gives a bool */
    OP_STRINGS = 16, /* gives a string if an argument is one, else a number */
} OpTraits;

/* Where a slice without an end ends. */
enum { SLICE_END = INT32_MAX };

/* Computes one value; `table` holds the strings that `+` and `*` make. */
typedef FaultId OpEval(const Atom *args, Intern *table, Atom *result);

typedef struct Op {
    const char *spelling;  /* as written in a program */
    const char *host_name; /* as the reference's error messages write it */
    const char *pattern;   /* display name: $1 … $3 stand for the operands' names */
    int arity;
    unsigned flags;
    OpClass class;
    int precedence; /* language.md section 5: 1 loosest … 10 tightest */
    unsigned holds; /* comparisons: for which outcomes */
    OpId mirrored;  /* comparisons: the same with the operands exchanged; else itself */
    OpId negated;   /* comparisons: true exactly where this is false (no NaN); else itself */
    OpEval *eval;
    const char *doc; /* one line of help */
} Op;

extern const Op ops[OP_COUNT];

/* FAULT_NONE, or what went wrong (the result is then unset). */
static inline FaultId op_eval(OpId op, const Atom *args, Intern *table, Atom *result) {
    return ops[op].eval(args, table, result);
}

/* The fault with its arguments filled in, for operands on which op_eval gave `id`. */
Fault op_fault(OpId op, FaultId id, const Atom *args, Span span);

/* The element, of `length`, at which a slice begins or ends: negative places count from the end,
 * and those outside are moved to it. */
size_t op_slice_place(int64_t at, size_t length);

/* a op b for a comparison whose operands are comparable (or the op is == or !=). */
bool op_compare(OpId op, Atom a, Atom b);

#endif
