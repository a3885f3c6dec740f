/* A growing piece of text, and JSON written into it.
 *
 * The same JSON value always gives the same bytes: members in the order they were added, no spaces,
 * numbers in their shortest exact form, ints without and reals with a point or exponent (jansson's
 * own writer spells 0.1 with 17 digits). Failure to allocate is remembered, so that a caller
 * checks `failed` once, at the end. rt_text_clear frees. */
#ifndef RUNTIME_TEXT_H
#define RUNTIME_TEXT_H

#include "runtime/atom.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *bytes; /* not terminated */
    size_t length, capacity;
    bool failed;
} Text;

void rt_text_clear(Text *text);
void rt_text_bytes(Text *text, const char *bytes, size_t n);
void rt_text_put(Text *text, const char *literal);

/* Digits of an unsigned int; a double (finite). */
void rt_text_size(Text *text, size_t n);
void rt_text_number(Text *text, double x);

/* A JSON string with its quotes, `bytes` being UTF-8; any JSON value; an atom as JSON. */
void rt_text_json_string(Text *text, const char *bytes, size_t n);
void rt_text_json(Text *text, const json_t *value);
void rt_text_atom(Text *text, const RtAtom *atom);

#endif
