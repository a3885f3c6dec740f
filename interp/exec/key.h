/* key.h: a key column in the order of its values, and where queries fall in it.
 *
 * Equal keys share a rank 0 … distinct - 1, ascending.  A query's code says where it lies:
 *
 *     keys            10        20        20.5
 *     rank             0         1          2
 *     code        0    1    2    3    4     5    6
 *              below  equal  between ...
 *
 * so that the keys less than the query are those of rank < code / 2, the ones equal to it
 * the ranks from code / 2 to (code + 1) / 2, exclusive.  Comparisons are the language's:
 * ints with floats exactly, strings by code point.
 */
#ifndef RASP_INTERP_EXEC_KEY_H
#define RASP_INTERP_EXEC_KEY_H

#include "base/table.h"
#include "interp/exec/column.h"
#include "interp/exec/radix.h"

typedef enum KeyLookup {
    KEY_IDENTITY, /* key j is the int j: rank and value are the position */
    KEY_DENSE,    /* ints of a narrow range: a table over it */
    KEY_INTS,     /* ints, searched */
    KEY_FLOATS,   /* doubles, searched */
    KEY_ATOMS,    /* strings, or ints and floats that no one type holds: hashed, searched */
} KeyLookup;

typedef struct KeyIndex {
    KeyLookup lookup;
    bool ordered; /* false: ranks by first appearance (strings that are only asked for ==) */
    bool nan;     /* some key is NaN; its rank is RANK_NONE */
    size_t length;
    uint32_t distinct;
    const uint32_t *rank;   /* [length]; NULL: rank j is j */
    int64_t low;            /* dense: the least key */
    uint64_t span;          /* dense: greatest - least + 1 */
    const uint32_t *below;  /* dense: [span + 1], how many distinct keys are less than low + k */
    const uint64_t *sorted; /* ints, floats: [distinct], mapped to unsigned order */
    const Atom *atoms;      /* atoms: [distinct] */
    Table table;            /* atoms: the ranks by atom_hash */
} KeyIndex;

/* `ordered`: the order of the ranks will be asked for, not only equality. */
KeyIndex *key_index_new(const Column *keys, bool ordered, Arena *arena);
void key_index_free(KeyIndex *index, Arena *arena); /* NULL is fine */

#define CODE_NAN UINT32_MAX /* the query is NaN: neither less, equal nor greater */

static inline uint32_t code_below(uint32_t code) {
    return code >> 1;
}
static inline uint32_t code_through(uint32_t code) {
    return (code + 1) >> 1;
}

/* codes: [queries->length].  Queries must be comparable with the keys; `keys` is the index's
 * column. */
void key_codes(const KeyIndex *index, const Column *keys, const Column *queries, uint32_t *codes,
               int threads);

#endif
