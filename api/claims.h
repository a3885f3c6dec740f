/* claims.h: claims in a program's own words (docs/proof.md); for the files of api/ alone. */
#ifndef RASP_API_CLAIMS_H
#define RASP_API_CLAIMS_H

#include "api/handle.h"

#include "compile/claims_write.h"
#include "compile/prove/claims.h"
#include "interp/eval/session.h"

/* What the session's program calls its nodes, so far; in `arena`. */
ProgramNames claims_names(Session *session, Arena *arena);

/* Who reads: what is no node is said by core_fail. */
typedef struct ClaimsReader {
    Session *session;
    Core *core;
} ClaimsReader;

/* Reads expressions in the program's scope, with names of their own that it does not see.  For one
 * reading, while the reader is there. */
ClaimsLanguage claims_language(ClaimsReader *reader);

#endif
