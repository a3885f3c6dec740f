/* warnings.h: the warnings that a command gave on standard error, for its JSON: what a script
 * reads must not say less than what a person sees. */
#ifndef RASP_CLI_WARNINGS_H
#define RASP_CLI_WARNINGS_H

#include "api/rasp.h"
#include "cli/json.h"

/* Keeps the message if it is a warning. */
void warnings_note(const RaspMessage *message);
/* Are there some that memory was short for?  Then the JSON would be a half one. */
bool warnings_lost(void);
/* "warnings": [{"text": "...", "place": "sort.rasp:3:5"}, ...], in order; the place is "" for
 * what has none. */
void warnings_json(Json *json);

#endif
