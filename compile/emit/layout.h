/* layout.h: the standard layout: one feed-forward sublayer a layer, the same number of heads
 * in every layer, all heads of one size, as common frameworks have it.
 *
 * Padding is zeros: a padded head attends to all positions alike and writes nothing.  The
 * result computes exactly what the compact model does.
 */
#ifndef RASP_COMPILE_EMIT_LAYOUT_H
#define RASP_COMPILE_EMIT_LAYOUT_H

#include "runtime/model.h"

/* Bytes of the tensors of what layout_standard makes. */
size_t layout_bytes(const Model *compact);

/* A new model; NULL when memory runs out. */
Model *layout_standard(const Model *compact);

/* The way back, for checking a file's weights: a model of the shapes of `compact` with the
 * weights and masks of `standard`.  *extracted is NULL when it has other shapes, or when padding
 * is not zero; false when memory runs out. */
bool layout_extract(const Model *standard, const Model *compact, Model **extracted);

#endif
