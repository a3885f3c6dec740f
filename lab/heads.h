/* heads.h: the measurements of items 1 to 20: single heads and kernels. */
#ifndef RASP_LAB_HEADS_H
#define RASP_LAB_HEADS_H

#include "lab/item.h"

/* heads_softmax.c: softmax as a kernel smoother and as an optimum. */
void heads_nadaraya_watson(Lab *lab, Page *page);
void heads_asymmetry(Lab *lab, Page *page);
void heads_variational(Lab *lab, Page *page);
void heads_effective_k(Lab *lab, Page *page);

#endif
