/* vote_weights.h: a vote model as weights that the runtime has a file for (docs/weights.md).
 *
 * The residual stream holds the token one-hot, the position one-hot and the logits. A query is its
 * token's row of B^h beside r^h_{i−j} for every j, a key both one-hots, a value the token, the
 * output T^h; D is the embedding's part in the logits. The last output reads them: argmax. */
#ifndef RASP_LAB_VOTE_WEIGHTS_H
#define RASP_LAB_VOTE_WEIGHTS_H

#include "lab/vote_model.h"
#include "runtime/model.h"

/* In F64. Tokens are the characters of `alphabet`, or with NULL the numbers from 0. The caller
 * frees it; NULL when memory runs out. */
Model *vote_weights(const VoteModel *model, const char *alphabet, Arena *arena);

/* Leaves it on the page under that name, if such files are wanted (lab->keep). */
void vote_weights_keep(Lab *lab, Page *page, const VoteModel *model, const char *alphabet,
                       const char *name);

#endif
