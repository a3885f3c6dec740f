/* certificate.h: a verdict as a file that others can check (docs/expressivity.md has the format).
 */
#ifndef RASP_EXPRESS_CERTIFICATE_H
#define RASP_EXPRESS_CERTIFICATE_H

#include "express/decide.h"
#include "express/emit.h"

/* Where the labels come from; all NULL: from the lines of a task. */
typedef struct Origin {
    const char *name, *source;    /* the program and its text */
    const char *sop, *expression; /* or NULL */
    const char *where;
} Origin;

/* "No" if the verdict has a witness, else "yes" with its layer.  `emitted` may be NULL.  False and
 * the reason. */
bool certificate_write(FILE *out, Arena *arena, const Task *task, const Origin *origin,
                       const Query *query, const Verdict *verdict, const Emitted *emitted,
                       Limits *limits, RaspError *error);

#endif
