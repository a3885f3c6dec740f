/* proof.h: a checker of proofs that clauses contradict one another.
 *
 * A proof is a list of clauses, each of which follows from those before it by unit propagation
 * alone (reverse unit propagation: assume that all its literals are false, set what clauses with
 * one literal left demand, and some clause has none left).  The last one is the empty clause.
 * The text is DRAT's, restricted to such steps, a step a line:
 *
 *     3 -7 0         adds a clause
 *     d 3 -7 4 0     forgets a clause that is there
 *     0              the empty clause
 *
 * Steps are checked in their order, with two watched literals a clause; what follows without
 * any assumption is kept, so forgetting a clause never takes back what it has led to.  Memory
 * of forgotten clauses is used again. */
#ifndef RASP_EXPRESS_VERIFY_PROOF_H
#define RASP_EXPRESS_VERIFY_PROOF_H

#include "express/verify/check.h"

typedef struct Proof Proof;

Proof *proof_new(Check *check);

/* A clause of the formula: literals are variables from 1, negative if negated. */
void proof_clause(Proof *proof, const int32_t *literals, size_t count);

/* Checks the steps up to the empty clause; *steps counts the added clauses.  False after a
 * refusal. */
bool proof_steps(Proof *proof, const char *text, size_t length, size_t *steps);

#endif
