/* judge_heads.h: masks, for the files about heads. */
#ifndef RASP_COMPILE_PROVE_JUDGE_HEADS_H
#define RASP_COMPILE_PROVE_JUDGE_HEADS_H

#include "compile/prove/judge_private.h"

bool mask_shows(RtMask mask, uint32_t key, uint32_t query);
/* Is there no pair of positions that the mask shows (or hides) and for which the formula is what
 * `selected` says?  False, too, where positions alone do not tell. */
bool mask_never(Judge *j, NodeId formula, RtMask mask, bool shown, bool selected, Arena *scratch);

#endif
