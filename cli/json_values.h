/* json_values.h: the values of programs as JSON (json.h). */
#ifndef RASP_CLI_JSON_VALUES_H
#define RASP_CLI_JSON_VALUES_H

#include "cli/json.h"
#include "interp/exec/exec.h"

/* Infinities and NaN, which JSON has not, stand as strings. */
void json_atoms(Json *json, const char *key, const Atom *atoms, size_t count);
/* Floats rounded to `precision` decimals if it is not negative. */
void json_column(Json *json, const char *key, const Column *column, int precision);

#endif
