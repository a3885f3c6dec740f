/* hulls.h: items 35 to 39: where outputs of heads can lie. */
#ifndef RASP_LAB_HULLS_H
#define RASP_LAB_HULLS_H

#include "lab/item.h"

void hulls_head(Lab *lab, Page *page);
void hulls_escape(Lab *lab, Page *page);
void hulls_membership(Lab *lab, Page *page);
void hulls_training_set(Lab *lab, Page *page);
void hulls_which(Lab *lab, Page *page);

#endif
