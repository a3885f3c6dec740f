/* find.h: claims for weights that make none, by watching them run (docs/proof.md).
 *
 *     sample of inputs ──▶ the pass, every number of it ─┐
 *                     └──▶ the program's s-ops ──────────┴─▶ which is which ──▶ claims
 *
 * A head's pattern is a selector, what it reads and what hidden units give is an s-op, up to scale
 * and offset, or a function of one.  Whatever agrees on the sample is claimed; nothing is shown
 * here, that is for the judge (prove/judge.h). */
#ifndef RASP_COMPILE_FIND_H
#define RASP_COMPILE_FIND_H

#include "compile/circuit.h"
#include "runtime/model.h"

/* A head, a group of hidden units, a unit that clears, a column of an embedding. */
typedef struct FoundPiece {
    const char *place; /* "layer 1, head 2", as reports count */
    const char *text;  /* what it is said to be, or why it was not found */
    bool found;
    const NodeId *nodes; /* that are claimed of it */
    uint32_t node_count;
} FoundPiece;

typedef struct Found {
    Circuit claims; /* what claims_write reads; without the pieces that were not found */
    FoundPiece *pieces;
    size_t piece_count, piece_room;
    uint32_t inputs;  /* that the pass was watched on */
    const char *none; /* why there is nothing, or NULL */
} Found;

/* Which of several s-ops that fit is taken: on a sample there may be more than one. */
typedef enum FindOrder {
    FIND_FIRST,
    FIND_LAST,        /* widths that its selectors have behind what it has itself */
    FIND_LAST_OF_SOPS /* of what it has itself, then those widths */
} FindOrder;
typedef struct FindTaste {
    bool own; /* what pieces are made of before what the program has */
    FindOrder order;
} FindTaste;

/* `outputs`: an s-op for each of the model's.  All lives in `arena`; nodes are added. */
void find_claims(const Model *model, Graph *graph, const Domain *domain, const NodeId *outputs,
                 uint32_t table_limit, FindTaste taste, Arena *arena, Found *found);

#endif
