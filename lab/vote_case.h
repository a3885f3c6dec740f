/* vote_case.h: random votes and laws, and votes of a grammar's contexts: what the oracle's claims
 * are tried on. */
#ifndef RASP_LAB_VOTE_CASE_H
#define RASP_LAB_VOTE_CASE_H

#include "lab/item.h"
#include "lab/language.h"
#include "lab/votes.h"

typedef struct VoteCase {
    Votes votes;
    double *law;     /* [symbols] */
    double *weights; /* [heads, keys]: room */
} VoteCase;

/* Normal votes of that deviation, a law softmax of normals. */
VoteCase vote_case_random(Lab *lab, size_t heads, size_t keys, size_t symbols, double scale);

/* A random point of each head's simplex; sparse ones among them. */
void draw_weights(Rng *rng, size_t heads, size_t keys, double *weights);

/* The tokens x_0 .. x_i of a grammar as votes for the next one: the direct term U[x_i], and for
 * each head the votes W[x_j] and, last, a null vote. The law is the grammar's. */
VoteCase vote_case_grammar(Lab *lab, const Grammar *grammar, const size_t *tokens, size_t i,
                           size_t heads);

#endif
