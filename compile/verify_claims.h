/* verify_claims.h: are a weights file's claims shown by its weights, and are they those of its
 * program?  (docs/proof.md)
 *
 * The outputs that are claimed must be what the program is asked for; then the judge shows each
 * claim, and the certificate bounds the floats.  Nothing is compiled. */
#ifndef RASP_COMPILE_VERIFY_CLAIMS_H
#define RASP_COMPILE_VERIFY_CLAIMS_H

#include "compile/compile.h"
#include "compile/prove/judge.h"

typedef struct ClaimsReport {
    bool holds;
    Verdict verdict;
    Answers answers;     /* found */
    double claimed;      /* the error that the file states, which may be less than what is shown:
                            the compiler knows its own rounding better; negative: none */
    const char *refused; /* why it does not hold; "" */
} ClaimsReport;

/* `claims`: of the file, read into `graph`; `outputs`: what it must compute, by the options'
 * domain. The model has passed model_check.  All lives in `arena`. */
void verify_claims(const Circuit *claims, Graph *graph, const CompileOutput *outputs,
                   uint32_t output_count, const CompileOptions *options, const Model *model,
                   Arena *arena, ClaimsReport *report);

#endif
