/* certificate.h: a verdict as a file that others can check (docs/expressivity.md has the format).
 */
#ifndef RASP_EXPRESS_CERTIFICATE_H
#define RASP_EXPRESS_CERTIFICATE_H

#include "express/decide.h"
#include "express/emit.h"

typedef struct OriginFile {
    const char *path, *text;
} OriginFile;

/* Where the labels come from; all NULL: from the lines of a task. */
typedef struct Origin {
    const char *name, *source; /* the program and its text */
    const OriginFile *files;   /* all that it loads; paths as the loading program asks for them */
    size_t file_count;
    const char *sop, *expression; /* or NULL */
    const char *where;
} Origin;

/* "No" if the verdict has a witness, else "yes" with its layer.  `emitted` may be NULL.  False and
 * the reason. */
bool certificate_write(FILE *out, Arena *arena, const Task *task, const Origin *origin,
                       const Query *query, const Verdict *verdict, const Emitted *emitted,
                       Limits *limits, RaspError *error);

#endif
