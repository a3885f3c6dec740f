/* json_values.h: the values of programs as JSON (json.h). */
#ifndef RASP_CLI_JSON_VALUES_H
#define RASP_CLI_JSON_VALUES_H

#include "api/rasp.h"
#include "cli/json.h"

/* Infinities and NaN, which JSON has not, stand as strings. */
void json_atoms(Json *json, const char *key, const RaspAtom *atoms, size_t count);
/* Floats rounded to `precision` decimals if it is not negative. */
void json_sequence(Json *json, const char *key, const RaspSequence *sequence, int precision);

#endif
