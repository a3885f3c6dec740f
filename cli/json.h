/* json.h: writing JSON (RFC 8259) to a stream, without building it first. */
#ifndef RASP_CLI_JSON_H
#define RASP_CLI_JSON_H

#include "interp/exec/exec.h"

#include <stdio.h>

void json_quoted(FILE *out, const char *text, size_t length);
void json_text(FILE *out, const char *text); /* the same, up to the NUL */
/* The same, for bytes that need not be UTF-8: what is not becomes U+FFFD. */
void json_bytes(FILE *out, const char *bytes, size_t length);
/* Infinities and NaN, which JSON has not, as strings. */
void json_atom(FILE *out, Atom atom);
/* Floats rounded to `precision` decimals if it is not negative. */
void json_column(FILE *out, const Column *column, int precision);
/* A string input as a string, another as a list. */
void json_input(FILE *out, const Input *input);

#endif
