/* certificate.h: a bound on how far the soft-attention pass of given weights can stray.
 *
 * The circuit says what every residual dimension holds at every position of every
 * input of the domain: the *nominal* pass, in real arithmetic, with hard attention.  From the
 * weights of a model (a file's, rounded to its type, perhaps tampered with) the certificate
 * propagates, sublayer by sublayer, a bound on the distance from the nominal value for every
 * dimension: weights that differ from the circuit's, the softmax's leak to keys that are not
 * selected, unequal scores among those that are, slopes of the tables, and rounding of every
 * sum in the model's floating-point type, in any order of summation.  It holds when every
 * output is decoded inside its margin.  Sums of small dyadic numbers are exact and charged
 * nothing.  Theory: lemmas 3.1 to 3.3 of the lab notes, in docs/compiler.md.
 */
#ifndef RASP_COMPILE_PROVE_CERTIFICATE_H
#define RASP_COMPILE_PROVE_CERTIFICATE_H

#include "compile/circuit.h"
#include "runtime/model.h"

typedef struct Certificate {
    bool holds;
    double error;     /* bound on |residual read - nominal value|, over all outputs */
    double tightest;  /* largest error / what is allowed, over all decisions; holds: < 1 */
    char where[160];  /* the decision that is tightest; "": none is made */
    double low, high; /* the neighbouring numbers that it tells apart; NAN: none such */
    uint32_t layer;   /* of the file; where it is made */
    /* Floats that outputs give one for the other, since they may be one real number computed in
     * two orders: the greatest difference, and relative to the smaller one; 0: none. */
    double joined_absolute, joined_relative;
    const double *part_error; /* by part: bound where the part stands in the stream */
    char broken[320];         /* why it does not hold */
} Certificate;

/* `ideal` has the circuit's exact weights.  The model must have its shapes; false and `broken`
 * when it has not, or when the bound does not close. */
bool certificate_check(const Circuit *circuit, const Model *ideal, const Model *model, Arena *arena,
                       Certificate *certificate);

#endif
