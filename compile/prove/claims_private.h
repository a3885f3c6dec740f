/* claims_private.h: the JSON of claims, value by value; each of these says what it expected where
 * it finds something else, and gives false. */
#ifndef RASP_COMPILE_PROVE_CLAIMS_PRIVATE_H
#define RASP_COMPILE_PROVE_CLAIMS_PRIVATE_H

#include "compile/prove/claims.h"

/* Where something stands in the claims, as messages have it: below something else. */
typedef struct ClaimPlace {
    const struct ClaimPlace *above;
    const char *key; /* NULL: the index */
    size_t index;
} ClaimPlace;

typedef struct ClaimsInput {
    Graph *graph; /* whose strings are used */
    Arena *arena;
    RtError *error;
} ClaimsInput;

/* "claims.layers[0].heads[1].kind" */
const char *claims_place(const ClaimPlace *place, Arena *arena);
bool claims_expected(ClaimsInput *in, const ClaimPlace *at, const char *what, const json_t *found);

/* An object with none but these keys, which end with NULL. */
bool claims_object(ClaimsInput *in, const ClaimPlace *at, const json_t *value,
                   const char *const *keys);
/* A list of at most so many entries; nothing is an empty one. */
bool claims_list(ClaimsInput *in, const ClaimPlace *at, const json_t *value, size_t most);
bool claims_below(ClaimsInput *in, const ClaimPlace *at, const json_t *value, size_t bound,
                  uint32_t *number);
bool claims_number(ClaimsInput *in, const ClaimPlace *at, const json_t *value, double *number);
/* One of the words, which end with NULL. */
bool claims_word(ClaimsInput *in, const ClaimPlace *at, const json_t *value,
                 const char *const *words, int *word);
bool claims_text(ClaimsInput *in, const ClaimPlace *at, const json_t *value, const char **text);
/* JSON's own atoms, and {"float": "inf"}, "-inf", "nan". */
bool claims_atom(ClaimsInput *in, const ClaimPlace *at, const json_t *value, Atom *atom);

#endif
