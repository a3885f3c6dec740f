/* layer.h: layers that certificates of "yes" bring, run on every instance. */
#ifndef RASP_EXPRESS_VERIFY_LAYER_H
#define RASP_EXPRESS_VERIFY_LAYER_H

#include "express/verify/domain.h"

/* What a head brings, exactly: reduced; 0 / 0 when nothing is selected.  A literal that was
 * picked has its position above and its token below (the sink: 0 / 0). */
typedef struct Fraction {
    uint32_t above, below;
} Fraction;

Fraction fraction_of(uint32_t above, uint32_t below);

/* Do instances with equal keys for which the layer's heads bring the same have the same label,
 * and is the program that the certificate brings right?  Counts the instances.  False after a
 * refusal. */
bool layer_holds(Check *check, const Certificate *certificate, Domain *domain, size_t *total);

#endif
