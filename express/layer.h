/* layer.h: one attention layer of a class, as a table, and what it brings to an instance. */
#ifndef RASP_EXPRESS_LAYER_H
#define RASP_EXPRESS_LAYER_H

#include "express/formula.h"
#include "express/grammar.h"

typedef enum ClassKind {
    CLASS_AVERAGE,
    CLASS_UNIQUE,
    CLASS_RELATIVE,
    CLASS_ABSOLUTE,
    CLASS_NO_POSITIONS,
    CLASS_WINDOW,
    CLASS_BITS,
    CLASS_COUNT
} ClassKind;

const char *class_name(int kind); /* NULL behind the last */

/* What a unique head does with queries of one key. */
typedef struct Order {
    const uint32_t *literals; /* the first one present is picked; at last the sink, 0 */
    uint32_t count;
} Order;

typedef struct Layer {
    ClassKind kind;
    unsigned heads, values;
    uint32_t keys, literals;
    bool *selects;         /* average: [h][key][literal] */
    bool *value;           /* average: [h][m][literal] */
    Order *orders;         /* unique: [h][key] */
    Aggregate *aggregates; /* relative, absolute: [h] */
} Layer;

Layer *layer_new(Arena *arena, ClassKind kind, unsigned heads, unsigned values, uint32_t keys,
                 uint32_t literals);

static inline bool *layer_selects(const Layer *layer, unsigned h, uint32_t key, uint32_t literal) {
    return &layer->selects[((size_t)h * layer->keys + key) * layer->literals + literal];
}
static inline bool *layer_value(const Layer *layer, unsigned h, unsigned m, uint32_t literal) {
    return &layer->value[((size_t)h * layer->values + m) * layer->literals + literal];
}

/* What the heads bring to an instance, in a form that is equal exactly if they bring the same:
 * layer_signature_size bytes. Averages are ones : zeros in lowest terms. */
size_t layer_signature_size(const Layer *layer);
void layer_signature(const Layer *layer, const Task *task, const Instance *x, uint8_t *signature);

/* --- conflicts ---------------------------------------------------------------------------- */

/* Pairs of instances (of `members`, or of the first `count` where that is NULL) with equal key and
 * signature and different labels: at most `most` a key, each new one of a different instance.
 * Signatures: `size` bytes, in that order. */
void conflicts_find(Arena *scratch, const Task *task, const uint32_t *members, size_t count,
                    const uint8_t *signatures, size_t size, unsigned most, Arena *arena,
                    Pairs *pairs);
/* The same for a layer. */
void layer_conflicts(const Layer *layer, const Task *task, const uint32_t *members, size_t count,
                     unsigned most, Arena *arena, Pairs *pairs);

#endif
