/* verify.h: does a weights file hold what it says?
 *
 * Hard equals program: the embedded program, compiled again with the stored options, has the
 * file's structure, names included.  Soft equals hard: the certificate is computed from the file's
 * own weights.  Both together: the file's outputs are the program's on every input of its domain.
 * And what the file says of itself is what its compilation says (document.h).
 */
#ifndef RASP_COMPILE_VERIFY_H
#define RASP_COMPILE_VERIFY_H

#include "compile/claims_write.h"
#include "compile/document.h"
#include "compile/prove/certificate.h"
#include "compile/prove/difference.h"
#include "compile/record.h"

typedef struct VerifyReport {
    bool holds;              /* all of it: same structure, certified, nothing false is said */
    Difference difference;   /* from what the program compiles to */
    Certificate certificate; /* of the file's weights; empty unless difference.same_shape */
    DocumentReport document; /* what it says of itself; empty unless difference.same_shape */
    double claimed;          /* the error that the file states; negative: none */
    bool claims_too_little;  /* it is less than what can be shown */
} VerifyReport;

/* `fresh`: the record's program, compiled with its options and not completed; it is completed here.
 * `sources` hold the texts that were compiled; `file` is what was loaded.  The padding of a
 * standard layout is taken off first.  The report lives in `arena`.  False when memory runs out. */
bool verify_weights(Compiled *fresh, const Record *record, const SourceMap *sources,
                    const ProgramNames *names, const Model *file, Arena *arena,
                    VerifyReport *report);

#endif
