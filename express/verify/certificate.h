/* certificate.h: a certificate's text, read and looked over; docs/express-certificates.md is the
 * format.  What it says of labels is kept as it is written: domain.h knows better. */
#ifndef RASP_EXPRESS_VERIFY_CERTIFICATE_H
#define RASP_EXPRESS_VERIFY_CERTIFICATE_H

#include "express/verify/check.h"

typedef enum Class {
    CLASS_AVERAGE,
    CLASS_UNIQUE,
    CLASS_RELATIVE,
    CLASS_ABSOLUTE,
    CLASS_NO_POSITIONS,
    CLASS_WINDOW,
    CLASS_BITS,
    CLASS_COUNT
} Class;

/* An input and a position of it; tokens are numbers: places in the alphabet. */
typedef struct Instance {
    const uint32_t *tokens;
    uint32_t length, position;
    const json_t *said; /* its label, as the certificate has it */
    uint32_t label;     /* as the domain has it, once that was asked */
} Instance;

typedef struct Pair {
    uint32_t x, y; /* instances */
} Pair;

typedef struct Certificate {
    Class class;
    const char *class_name;
    size_t heads, values; /* heads 0: any number */
    size_t distance, bits;
    bool causal; /* no-positions: a head sees the tokens up to its own */
    bool yes;
    /* the domain */
    size_t max_length;
    RaspAtom *alphabet;
    size_t symbols;
    ptrdiff_t first; /* the number of the token that inputs start with, or -1 */
    bool last;
    const char *where;
    const json_t *program, *task; /* one of them is NULL */
    bool counted;
    size_t total;
    /* the evidence */
    Instance *instances;
    size_t instance_count;
    Pair *pairs;
    size_t pair_count;
    const json_t *layer, *source; /* NULL: none */
    const json_t *document;
} Certificate;

/* False after a refusal. */
bool certificate_read(Check *check, Certificate *certificate, const char *text, size_t length);

/* The number of a token, or -1. */
ptrdiff_t certificate_token(const Certificate *certificate, const json_t *token);
/* The numbers of a list of tokens; false if one is not in the alphabet or it is no list. */
bool certificate_tokens(Check *check, const Certificate *certificate, const json_t *list,
                        uint32_t **tokens, size_t *count);
/* Reads [position, token]; [-1] is the sink, position -1, if `sink` allows it. */
bool certificate_literal(Check *check, const Certificate *certificate, const json_t *value,
                         bool sink, int32_t *position, uint32_t *token);

#endif
