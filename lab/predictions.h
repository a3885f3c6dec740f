/* predictions.h: items 52 to 62: what depth, length and counting do to attention. */
#ifndef RASP_LAB_PREDICTIONS_H
#define RASP_LAB_PREDICTIONS_H

#include "lab/item.h"

void predictions_smoothing(Lab *lab, Page *page);
void predictions_rank(Lab *lab, Page *page);
void predictions_skip(Lab *lab, Page *page);
void predictions_gap(Lab *lab, Page *page);
void predictions_log_n(Lab *lab, Page *page);
void predictions_bandwidth(Lab *lab, Page *page);
void predictions_consistency(Lab *lab, Page *page);
void predictions_neighbour(Lab *lab, Page *page);
void predictions_majority(Lab *lab, Page *page);
void predictions_parity(Lab *lab, Page *page);
void predictions_first(Lab *lab, Page *page);

#endif
