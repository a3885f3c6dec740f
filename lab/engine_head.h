/* engine_head.h: one attention head of the runtime's engine on given queries, keys and values.
 *
 * What the lab says of attention is so held against the pass that runs models, not against a second
 * formula of its own: a model whose tokens are the positions and whose embedding holds
 * their queries, keys and values. In float32 they are rounded first. */
#ifndef RASP_LAB_ENGINE_HEAD_H
#define RASP_LAB_ENGINE_HEAD_H

#include "lab/item.h"
#include "lab/matrix.h"
#include "runtime/forward.h"

typedef struct EngineHead {
    RtRule rule;
    double temperature; /* > 0 */
    RtMask mask;
    RtDtype dtype;
    size_t key_tile;      /* keys a tile of scores; 0: chosen */
    const HeadBias *bias; /* what position adds; NULL: nothing */
    double parameter;     /* of a rule that takes one, else 0 */
} EngineHead;

/* q[n, d], k[n, d], v[n, c] -> out[n, c], in the lab's scratch. Fails the measurement's check of
 * that name, and gives zeros, when the engine refuses. */
Matrix engine_attend(Lab *lab, Page *page, const EngineHead *head, Matrix q, Matrix k, Matrix v);

#endif
