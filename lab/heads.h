/* heads.h: the measurements of items 1 to 20: single heads and kernels. */
#ifndef RASP_LAB_HEADS_H
#define RASP_LAB_HEADS_H

#include "lab/item.h"

/* heads_softmax.c: softmax as a kernel smoother and as an optimum. */
void heads_nadaraya_watson(Lab *lab, Page *page);
void heads_asymmetry(Lab *lab, Page *page);
void heads_variational(Lab *lab, Page *page);
void heads_effective_k(Lab *lab, Page *page);

/* heads_bandwidth.c */
void heads_temperature(Lab *lab, Page *page);
void heads_gaussian(Lab *lab, Page *page);

/* heads_position.c */
void heads_prior(Lab *lab, Page *page);
void heads_alibi(Lab *lab, Page *page);
void heads_t5(Lab *lab, Page *page);
void heads_window(Lab *lab, Page *page);

/* heads_hard.c */
void heads_hard_attention(Lab *lab, Page *page);
void heads_averaging(Lab *lab, Page *page);

/* heads_sparse.c */
void heads_sparsemax(Lab *lab, Page *page);
void heads_entmax(Lab *lab, Page *page);
void heads_top(Lab *lab, Page *page);

/* heads_linear.c: without the exponential, or without the division. */
void heads_linear_attention(Lab *lab, Page *page);
void heads_fast_weights(Lab *lab, Page *page);
void heads_unnormalised(Lab *lab, Page *page);

/* heads_engine.c: tiles, and what is linear in the values. */
void heads_tiles(Lab *lab, Page *page);
void heads_coefficients(Lab *lab, Page *page);

#endif
