/* clauses.h: the clauses that say "a layer of the class tells these pairs apart", numbered and
 * ordered as docs/express-certificates.md says, so that two programs write the same text. */
#ifndef RASP_EXPRESS_VERIFY_CLAUSES_H
#define RASP_EXPRESS_VERIFY_CLAUSES_H

#include "express/verify/certificate.h"
#include "express/verify/proof.h"

/* Where clauses go: compared with the certificate's text, handed to the proof. */
typedef struct Clauses {
    Check *check;
    Proof *proof;
    const char *text, *at, *end; /* DIMACS; at: what was not compared yet */
    size_t count;
    int32_t variables;
    int32_t *clause; /* the one being put together */
    size_t clause_room, clause_count;
} Clauses;

/* A new variable. */
int32_t clauses_variable(Clauses *clauses);
/* A literal of the clause to come. */
void clauses_literal(Clauses *clauses, int32_t literal);
/* The clause is complete.  False after a refusal: the text has another one. */
bool clauses_end(Clauses *clauses);
/* A clause of so many literals. */
bool clauses_emit(Clauses *clauses, size_t count, const int32_t *literals);

#define EMIT(clauses, ...)                                                                         \
    clauses_emit(clauses, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t),                      \
                 (int32_t[]){__VA_ARGS__})

/* All clauses of the class; false after a refusal. */
bool clauses_average(Clauses *clauses, const Certificate *certificate);
bool clauses_unique(Clauses *clauses, const Certificate *certificate);

/* Does the certificate's CNF follow from its pairs, and its proof from the CNF? */
bool clauses_check(Check *check, const Certificate *certificate);

#endif
