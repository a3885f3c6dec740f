/* oracle.h: items 40 to 51: the weights that an oracle would choose, and the two gaps. */
#ifndef RASP_LAB_ORACLE_H
#define RASP_LAB_ORACLE_H

#include "lab/item.h"

void oracle_convex(Lab *lab, Page *page);
void oracle_certificate(Lab *lab, Page *page);
void oracle_heads(Lab *lab, Page *page);
void oracle_hull_gap(Lab *lab, Page *page);
void oracle_selection(Lab *lab, Page *page);
void oracle_order(Lab *lab, Page *page);
void oracle_cheat(Lab *lab, Page *page);
void oracle_bracket(Lab *lab, Page *page);
void oracle_copying(Lab *lab, Page *page);
void oracle_sum(Lab *lab, Page *page);
void oracle_last_layer(Lab *lab, Page *page);

#endif
