/* describe_json.h: small values of the model's document. */
#ifndef RASP_COMPILE_DESCRIBE_JSON_H
#define RASP_COMPILE_DESCRIBE_JSON_H

#include "base/source.h"

#include <jansson.h>

/* Puts the value, which may be NULL, into the container and takes it over; what memory runs out for
 * is noted in *lost, so that a description is whole or is none.  (json_pack loses what it is given
 * to keep when it fails: it is for texts and numbers.) */
void describe_set(json_t *object, const char *key, json_t *value, bool *lost);
void describe_append(json_t *list, json_t *value, bool *lost);

/* An integer where the number is one. */
json_t *describe_number(double x);

/* ["sort.rasp", line, column, line, column], lines and columns from 1: the file's name without
 * its folder, the first character of the span and the one behind its last.  Null for what the
 * compiler made. */
json_t *describe_span(const SourceMap *sources, Span span);

/* Sets `key` to the span, unless it is null.  False when memory runs out. */
bool describe_place(json_t *object, const char *key, const SourceMap *sources, Span span);

#endif
