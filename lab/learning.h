/* learning.h: items 63 to 72: what a head can learn from its context, and what learns the head. */
#ifndef RASP_LAB_LEARNING_H
#define RASP_LAB_LEARNING_H

#include "lab/item.h"

void learning_induction(Lab *lab, Page *page);
void learning_precedents(Lab *lab, Page *page);
void learning_one_step(Lab *lab, Page *page);
void learning_depth(Lab *lab, Page *page);
void learning_risks(Lab *lab, Page *page);
void learning_two_heads(Lab *lab, Page *page);
void learning_taxonomy(Lab *lab, Page *page);
void learning_metric(Lab *lab, Page *page);
void learning_confabulation(Lab *lab, Page *page);
void learning_sample_curve(Lab *lab, Page *page);

#endif
