/* What reading a weights file may use: a file comes from anybody, and a few bytes of JSON are
 * many bytes of memory. */
#ifndef RUNTIME_LIMITS_H
#define RUNTIME_LIMITS_H

#include "runtime/error.h"

#include <jansson.h>
#include <stddef.h>

/* Everything is charged before it is allocated. {SIZE_MAX} has no limit. */
typedef struct {
    size_t memory; /* bytes */
    size_t used;   /* of them */
    bool exceeded; /* something was refused for want of them */
} RtLimits;

/* False with an error that says what is needed for `what`, and the way out. */
bool rt_charge(RtLimits *limits, size_t count, size_t size, const char *what, RtError *err);

/* At least the bytes that the JSON text is when parsed; one pass over it. */
size_t rt_json_cost(const char *text, size_t length);

/* Parses, charged with its cost; NULL with an error that begins with `what`. */
json_t *rt_json_parse(const char *text, size_t length, const char *what, RtLimits *limits,
                      RtError *err);

#endif
