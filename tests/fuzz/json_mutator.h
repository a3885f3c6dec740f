/* json_mutator.h: changes of JSON as JSON: values, keys, elements, depth. */
#ifndef RASP_TESTS_FUZZ_JSON_MUTATOR_H
#define RASP_TESTS_FUZZ_JSON_MUTATOR_H

#include "tests/fuzz/pool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { TEXT_ROOM = 1 << 13 };

/* --- chance ------------------------------------------------------------------------------- */

static uint64_t chance_state;

static unsigned chance(unsigned bound) {
    uint64_t x = chance_state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return bound ? (unsigned)((x ^ (x >> 31)) % bound) : 0;
}

/* --- places in JSON ---------------------------------------------------------------------- */

/* A value and where it stands. */
typedef struct Spot {
    json_t *parent, *value;
    const char *key; /* of an object, else */
    size_t index;
} Spot;

enum { SPOTS = 4096 };
typedef struct Spots {
    Spot at[SPOTS];
    size_t count;
} Spots;

static void spots_find(json_t *value, Spots *spots, int depth) {
    const char *key;
    size_t index;
    json_t *inner;
    if (depth > 60) return;
    if (json_is_object(value)) {
        json_object_foreach(value, key, inner) {
            if (spots->count < SPOTS) spots->at[spots->count++] = (Spot){value, inner, key, 0};
            spots_find(inner, spots, depth + 1);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, index, inner) {
            if (spots->count < SPOTS) spots->at[spots->count++] = (Spot){value, inner, NULL, index};
            spots_find(inner, spots, depth + 1);
        }
    }
}

static bool pick_spot(json_t *root, Spot *spot) {
    static Spots spots;
    spots.count = 0;
    spots_find(root, &spots, 0);
    if (spots.count == 0) return false;
    *spot = spots.at[chance((unsigned)spots.count)];
    return true;
}

/* Takes the value's reference. */
static void put(const Spot *spot, json_t *value) {
    if (spot->key)
        json_object_set_new(spot->parent, spot->key, value);
    else
        json_array_set_new(spot->parent, spot->index, value);
}

/* --- changes of a value ------------------------------------------------------------------- */

static const json_int_t integers[] = {0,
                                      1,
                                      2,
                                      3,
                                      -1,
                                      -2,
                                      7,
                                      255,
                                      4096,
                                      50000,
                                      50001,
                                      65535,
                                      65536,
                                      INT32_MAX,
                                      UINT32_MAX,
                                      4294967296,
                                      9007199254740992,
                                      INT64_MAX,
                                      INT64_MIN};
static const double reals[] = {0.0,   -0.0, 0.5,   1.0,    -1.0,  0.1,  64.0,
                               1e-30, 1e16, 1e300, -1e300, 1e-13, 1e100};
static const char *const strings[] = {
    "",        "a",           "é",        "\x1b[31m", "\xc2\x9b[1m",   "a\nb",
    "../../x", "/etc/passwd", "none",     "causal",   "strict_causal", "anticausal",
    "argmax",  "nearest",     "number",   "whole",    "log_length",    "f64",
    "F64",     "int",         "float",    "bool",     "string",        "standard",
    "tokens",  "indices",     "lib.rasp", "%s%n"};

#define ANY_OF(list) ((list)[chance(sizeof(list) / sizeof *(list))])

static json_t *any_value(void) {
    switch (chance(7)) {
    case 0:
        return json_null();
    case 1:
        return json_boolean(chance(2));
    case 2:
        return json_real(ANY_OF(reals));
    case 3:
        return json_string(ANY_OF(strings));
    case 4:
        return json_array();
    case 5:
        return json_object();
    default:
        return json_integer(ANY_OF(integers));
    }
}

static json_t *near_text(const char *text, size_t length) {
    static uint8_t bytes[TEXT_ROOM];
    if (length > TEXT_ROOM / 2) return NULL;
    memcpy(bytes, text, length);
    length = LLVMFuzzerMutate(bytes, length, length + 32);
    json_t *changed = json_stringn((const char *)bytes, length); /* NULL: no UTF-8 */
    return changed ? changed : json_string(ANY_OF(strings));
}

static json_t *near_value(const json_t *value) {
    json_int_t step = chance(2) ? 1 : -1;
    if (chance(4) == 0) return any_value();
    if (json_is_integer(value)) {
        json_int_t sum;
        if (__builtin_add_overflow(json_integer_value(value), step, &sum)) sum = 0;
        return json_integer(chance(2) ? sum : ANY_OF(integers));
    }
    if (json_is_real(value)) {
        double real = json_real_value(value), factor = chance(2) ? 1.0 + 1e-7 : 0.5;
        json_t *changed = json_real(chance(3) ? real * factor : ANY_OF(reals));
        return changed ? changed : json_real(1);
    }
    if (json_is_boolean(value)) return json_boolean(!json_is_true(value));
    if (json_is_string(value))
        return chance(2) ? near_text(json_string_value(value), json_string_length(value))
                         : json_string(ANY_OF(strings));
    return any_value();
}

/* --- changes of JSON ---------------------------------------------------------------------- */

static void change_value(json_t *root) {
    Spot spot;
    if (pick_spot(root, &spot)) put(&spot, near_value(spot.value));
}

static void change_key(json_t *root) {
    Spot spot, other;
    if (!pick_spot(root, &spot) || !pick_spot(root, &other) || !spot.key) return;
    const char *key = other.key ? other.key : ANY_OF(strings);
    json_t *value = json_incref(spot.value);
    char *name = strdup(key);
    json_object_del(spot.parent, spot.key);
    if (name) json_object_set(spot.parent, name, value);
    free(name);
    json_decref(value);
}

static void remove_value(json_t *root) {
    Spot spot;
    if (!pick_spot(root, &spot)) return;
    if (spot.key)
        json_object_del(spot.parent, spot.key);
    else
        json_array_remove(spot.parent, spot.index);
}

static void copy_value(json_t *root) {
    Spot from, to;
    if (pick_spot(root, &from) && pick_spot(root, &to)) put(&to, json_deep_copy(from.value));
}

static void swap_values(json_t *root) {
    Spot one, other;
    if (!pick_spot(root, &one) || !pick_spot(root, &other)) return;
    json_t *a = json_deep_copy(one.value), *b = json_deep_copy(other.value);
    put(&other, a);
    if (pick_spot(root, &one)) /* the first place may be gone with the second */
        put(&one, b);
    else
        json_decref(b);
}

static void repeat_element(json_t *root) {
    Spot spot;
    for (int tries = 0; tries < 20 && pick_spot(root, &spot); tries++) {
        if (spot.key) continue;
        unsigned times = chance(8) ? 1 : 1 + chance(40);
        for (unsigned k = 0; k < times; k++)
            json_array_insert_new(spot.parent, spot.index, json_deep_copy(spot.value));
        return;
    }
}

static void swap_elements(json_t *root) {
    Spot spot;
    for (int tries = 0; tries < 20 && pick_spot(root, &spot); tries++) {
        size_t count = json_array_size(spot.parent);
        if (spot.key || count < 2) continue;
        size_t other = chance((unsigned)count);
        json_t *a = json_deep_copy(spot.value);
        json_t *b = json_deep_copy(json_array_get(spot.parent, other));
        json_array_set_new(spot.parent, other, a);
        json_array_set_new(spot.parent, spot.index, b);
        return;
    }
}

static void deepen(json_t *root) {
    Spot spot;
    if (!pick_spot(root, &spot)) return;
    json_t *value = json_deep_copy(spot.value);
    for (unsigned k = 1 + chance(chance(8) ? 3 : 500); k > 0; k--) value = json_pack("[o]", value);
    put(&spot, value);
}

static void (*const json_changes[])(json_t *root) = {
    change_value, change_value, change_value,   change_key,    remove_value,
    copy_value,   swap_values,  repeat_element, swap_elements, deepen};

static void change_json(json_t *root) {
    ANY_OF(json_changes)(root);
}

#endif
