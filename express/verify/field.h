/* field.h: the fields of a JSON object, each of the kind that is expected, or a refusal that
 * names it. */
#ifndef RASP_EXPRESS_VERIFY_FIELD_H
#define RASP_EXPRESS_VERIFY_FIELD_H

#include "express/verify/check.h"

typedef enum FieldKind {
    FIELD_TEXT,
    FIELD_TEXT_OR_NULL,
    FIELD_COUNT, /* an integer from 0 to FIELD_MOST */
    FIELD_FLAG,
    FIELD_LIST,
    FIELD_OBJECT,
} FieldKind;

enum { FIELD_MOST = 1000000000 };

/* NULL after a refusal.  `what` names the object in it: "the certificate", "instance 3". */
const json_t *field(Check *check, const json_t *object, const char *what, const char *name,
                    FieldKind kind);
/* The same; NULL if it is missing or null.  False after a refusal. */
bool field_maybe(Check *check, const json_t *object, const char *what, const char *name,
                 FieldKind kind, const json_t **value);
/* The number of a FIELD_COUNT within bounds. */
bool field_count(Check *check, const json_t *object, const char *what, const char *name,
                 size_t least, size_t most, size_t *count);
/* A list of numbers below `bound`. */
bool field_numbers(Check *check, const json_t *object, const char *what, const char *name,
                   size_t bound, uint32_t **numbers, size_t *count);

/* An integer from `least` to `most`, else false. */
bool json_number_within(const json_t *value, int64_t least, int64_t most, int64_t *number);
/* A string, number or Boolean as an atom, else false; strings stay those of the document. */
bool json_atom(const json_t *value, RaspAtom *atom);
/* Is this how a certificate writes the atom?  Infinite floats and NaN are strings. */
bool json_says(const json_t *value, RaspAtom atom);
/* The value as text for a message, cut to fit. */
const char *json_show(const json_t *value, char text[80]);
const char *atom_show_json(RaspAtom atom, char text[80]);

#endif
