/* judge.h: do the weights of a file compute its program?  Nothing of the compiler is believed.
 *
 * A file claims which s-op each piece of it holds.  Here every claim is shown to follow from those
 * before it, by the program's graph and the value sets alone, with all numbers read off the
 * weights; what rounding, pruning or rescaling changed is an amount that the bound of the floats
 * (certificate.h) then has to bear.  docs/proof.md says how, and what is trusted.
 *
 * Of the claims, a Circuit, these fields are read; the others may be zero:
 *
 *     all       graph domain options.kernel options.log_length width sink first_layer layers
 *     part      origin node dim born last
 *     head      layer index stage selector kind score.mask component_count
 *     component node part
 *     table     layer sublayer stage first_unit shape.unit_count x output_count
 *     output of a table: node part
 *     clear     part dim layer sublayer unit
 *     output    name node numeric values value_count place start form_count
 */
#ifndef RASP_COMPILE_PROVE_JUDGE_H
#define RASP_COMPILE_PROVE_JUDGE_H

#include "compile/prove/certificate.h"
#include "compile/values/ways.h"

typedef struct Verdict {
    bool holds;              /* every output is the program's on every input of the domain */
    Certificate certificate; /* of the weights; empty where a claim was refused */
    const Circuit *circuit;  /* the claims with the numbers of the weights; parts as claimed, and
                                more behind them; NULL where a claim was refused */
    NodeId node;             /* whose claim is refused, or NODE_NONE */
    char refused[400];       /* the first claim that does not follow: which, where and why; "" */
} Verdict;

/* `graph` is the claims' graph; nodes are added.  `table_limit`: most values of one s-op.  The
 * model has passed model_check.  All lives in `arena`.  Returns holds. */
bool judge_claims(const Circuit *claims, Graph *graph, ValuesWay way, uint32_t table_limit,
                  const Model *model, Arena *arena, Verdict *verdict);

#endif
