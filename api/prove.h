/* prove.h: a model's claims shown, by whoever they were made; for the files of api/ alone. */
#ifndef RASP_API_PROVE_H
#define RASP_API_PROVE_H

#include "api/model.h"
#include "api/rasp_check.h"

#include "compile/verify_claims.h"

/* What the model is to compute: the program is its own, or another. */
bool claims_target(RaspModel *model, RaspProgram *program, Target *target);
/* Shows the model's claims; for bodies of core_call of the program.  False after core_fail. */
bool claims_verify(Core *core, RaspModel *model, RaspProgram *program, const Target *target,
                   ClaimsReport *report);
void claims_report_out(const ClaimsReport *report, RaspClaimsReport *out);

#endif
