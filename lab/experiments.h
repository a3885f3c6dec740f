/* experiments.h: items 50 and 73 to 75: what trained heads do, each with a rule stated beforehand.
 */
#ifndef RASP_LAB_EXPERIMENTS_H
#define RASP_LAB_EXPERIMENTS_H

#include "lab/item.h"

enum { EXPERIMENT_SEEDS = 3 };

void experiment_gaps(Lab *lab, Page *page);
void experiment_guess(Lab *lab, Page *page);
void experiment_denoise(Lab *lab, Page *page);
void experiment_transfer(Lab *lab, Page *page);

/* Item 75 on a compiled program; are all inputs right at a β that grows by ln n? */
bool experiment_transfer_compiled(Lab *lab, Page *page);

#endif
