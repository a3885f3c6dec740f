/* bound.h: evidence that needs no search: instances that no layer of a class can tell apart, by
 * an argument, and the stuck set of a decision list. */
#ifndef RASP_EXPRESS_VERIFY_BOUND_H
#define RASP_EXPRESS_VERIFY_BOUND_H

#include "express/verify/domain.h"

/* False after a refusal. */
bool bound_no_positions(Check *check, const Certificate *certificate);
bool bound_window(Check *check, const Certificate *certificate);
bool bound_bits(Check *check, const Certificate *certificate, Domain *domain);
/* One head of class unique: in the set every literal goes with two labels. */
bool bound_stuck(Check *check, const Certificate *certificate);

#endif
