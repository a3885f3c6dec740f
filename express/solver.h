/* solver.h: the satisfiability solver CaDiCaL behind a few C functions.
 *
 * Debian's library has a C interface, but no call in it that writes a proof, and its memory runs
 * out by a C++ exception; so this is a thin shim of our own over cadical.hpp (solver.cc).  Literals
 * are variables from 1, negative for "not"; 0 ends a clause.
 */
#ifndef RASP_EXPRESS_SOLVER_H
#define RASP_EXPRESS_SOLVER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Solver Solver;

typedef enum SolverAnswer { SOLVER_STOPPED, SOLVER_YES, SOLVER_NO } SolverAnswer;

Solver *solver_new(void); /* NULL: no memory */
void solver_free(Solver *solver);

/* Before anything else: `stop` is asked now and then, and true ends solver_solve. */
void solver_stop_when(Solver *solver, bool (*stop)(void *context), void *context);
/* Before the first clause: looks for solutions rather than for contradictions.  Which answer comes
 * out is the same. */
void solver_hopeful(Solver *solver);
/* Before the first clause: writes a DRAT proof as text to the file. */
bool solver_proof(Solver *solver, const char *path);

void solver_add(Solver *solver, int literal);
void solver_assume(Solver *solver, int literal); /* for the next solver_solve alone */
/* Stopped also when memory has run out, then and from there on. */
SolverAnswer solver_solve(Solver *solver);
bool solver_out_of_memory(const Solver *solver);

bool solver_value(Solver *solver, int literal);  /* after yes */
bool solver_failed(Solver *solver, int literal); /* after no: was the assumption needed? */

#ifdef __cplusplus
}
#endif

#endif
