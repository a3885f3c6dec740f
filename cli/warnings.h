/* warnings.h: the warnings and errors that a command gave on standard error, for its JSON: what a
 * script reads must not say less than what a person sees.
 *
 * With --json, a command that fails before it has written anything writes one object,
 *     {"error": "undefined name 'x'", "place": "sort.rasp:3:5", "status": 65, "errors": [...]}
 * the first error, its place ("" for what has none), the exit status, and every error with text and
 * place. */
#ifndef RASP_CLI_WARNINGS_H
#define RASP_CLI_WARNINGS_H

#include "api/rasp.h"
#include "cli/json.h"

/* Keeps the message if it is a warning or an error. */
void warnings_note(const RaspMessage *message);
/* Are there some that memory was short for?  Then the JSON would be a half one. */
bool warnings_lost(void);
/* "warnings": [{"text": "...", "place": "sort.rasp:3:5"}, ...], in order; the place is "" for
 * what has none. */
void warnings_json(Json *json);

/* The command line asks for JSON. */
void errors_expect_json(bool json);
/* The object above, if it is due; nothing more is. */
void errors_finish(int status);

#endif
