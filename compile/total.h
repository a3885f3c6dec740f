/* total.h: which nodes of a graph can fail on an input of a domain.
 *
 * The interpreter computes whole sequences, all arguments before their node (both branches of
 * an `if`), so an s-op has no answer exactly where some node below it fails at some position.
 * Hence a node is looked at alone, as if its arguments never failed: when none below an s-op can
 * fail, by induction the s-op has an answer everywhere.
 *
 *     node        can fail by                         shown not to by
 *     tokens      a token that does not convert       the alphabet
 *     map         the operator's faults               the arguments' joint values (values.h)
 *     lookup      a missing key, an index, a hole     the argument's values
 *     select      < of a string and a number          kinds of the key's and the query's values
 *     aggregate   several strings or bools            at most one is selected; kinds of values
 *     any         strings beside numbers              kinds of its values in inputs of one length
 *
 * A proof is about value sets, which are upper bounds, so "can fail" may be wrong and "cannot"
 * never is.  In value sets an int stands for equal floats; where an operator tells them apart,
 * the kinds that a node can have are asked too (total_kinds).
 */
#ifndef RASP_COMPILE_TOTAL_H
#define RASP_COMPILE_TOTAL_H

#include "compile/values/values.h"

typedef struct Total Total;

Total *total_new(Values *values, Arena *arena);
Graph *total_graph(const Total *total);
Values *total_values(const Total *total);

/* Can the node not fail, given that its arguments do not? */
bool total_holds(Total *total, NodeId node);

/* Does the aggregate never average strings or bools? */
bool total_averages(Total *total, NodeId aggregate);

/* Kinds of value that the node can have, a superset: bits 1 << AtomKind. */
unsigned total_kinds(Total *total, NodeId node);

/* Has it the same value at all positions of an input; a selector: select all the same positions?
 * False: perhaps not. */
bool total_uniform(Total *total, NodeId node);

/* Kinds as a sequence sees them, which holds strings or numbers. */
enum { CLASS_STRINGS = 1, CLASS_NUMBERS = 2 };
unsigned total_classes(Total *total, NodeId node);
/* Do strings and numbers never stand in one sequence of the node?  False: perhaps they do. */
bool total_one_class(Total *total, NodeId node);

#endif
