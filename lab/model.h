/* model.h: the measurements of items 21 to 34: what a transformer is made of. */
#ifndef RASP_LAB_MODEL_H
#define RASP_LAB_MODEL_H

#include "lab/item.h"

/* model_minimal.c: the layer by its formula, and programs as layers. */
void model_minimal(Lab *lab, Page *page);
void model_select(Lab *lab, Page *page);

/* model_leak.c: of item 26, the closed forms of the inverse temperature that is needed. */
void model_leak_forms(Lab *lab, Page *page);

/* model_local.c: what a part of the model depends on. */
void model_constraints(Lab *lab, Page *page);
void model_causal(Lab *lab, Page *page);
void model_pointwise(Lab *lab, Page *page);

/* model_sums.c: heads and the residual stream add up. */
void model_heads(Lab *lab, Page *page);
void model_votes(Lab *lab, Page *page);

/* model_gallery.c */
void model_gallery(Lab *lab, Page *page);

/* model_cache.c */
void model_cache(Lab *lab, Page *page);
void model_pages(Lab *lab, Page *page);

/* model_summaries.c: what must be kept of the values. */
void model_raw_vectors(Lab *lab, Page *page);
void model_statistics(Lab *lab, Page *page);

/* model_stream.c: the residual stream, column by column and layer by layer. */
void model_ledger(Lab *lab, Page *page);
void model_boosting(Lab *lab, Page *page);

#endif
