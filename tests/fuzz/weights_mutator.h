/* weights_mutator.h: changes weights files so that the changes get past the first checks.
 *
 * A file is taken apart: the header's JSON, the document in its metadata, the tensors.  A change
 * is made to one of them, by a table of changes: values and keys of either JSON, heads, layers,
 * outputs and tokens as a whole, the texts of programs, single weights.  Then, most of the time,
 * the rest is made to fit again: tensors that the document calls for are there, in its sizes, with
 * offsets that fill the file, and texts have their hashes.  Now and then bytes change anywhere.
 */
#ifndef RASP_TESTS_FUZZ_WEIGHTS_MUTATOR_H
#define RASP_TESTS_FUZZ_WEIGHTS_MUTATOR_H

#include "compile/sha256.h"
#include "tests/fuzz/json_mutator.h"

#include <math.h>
#include <stdio.h>

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max_size, unsigned seed);

/* --- a file taken apart ------------------------------------------------------------------- */

enum { FILE_ROOM = 1 << 16, TENSOR_ROOM = 1 << 15 };

typedef struct Parts {
    json_t *header, *document; /* the document also stands in the header, as a text */
    const uint8_t *tensors;
    size_t tensor_size;
} Parts;

static void parts_clear(Parts *p) {
    json_decref(p->header);
    json_decref(p->document);
}

static json_t *metadata(const Parts *p) {
    return json_object_get(p->header, "__metadata__");
}

static bool parts_read(Parts *p, const uint8_t *data, size_t size) {
    uint64_t length = 0;
    *p = (Parts){0};
    if (size < 8) return false;
    memcpy(&length, data, sizeof length);
    if (length > size - 8) return false;
    p->header = json_loadb((const char *)data + 8, length, JSON_ALLOW_NUL, NULL);
    const json_t *text = json_object_get(metadata(p), "model");
    if (text)
        p->document =
            json_loadb(json_string_value(text), json_string_length(text), JSON_ALLOW_NUL, NULL);
    p->tensors = data + 8 + length;
    p->tensor_size = size - 8 - length;
    if (p->header && p->document && json_is_object(p->document)) return true;
    parts_clear(p);
    return false;
}

/* The file again; 0 if it has no room. */
static size_t parts_write(const Parts *p, uint8_t *data, size_t room) {
    char *text = json_dumps(p->document, JSON_COMPACT | JSON_ENCODE_ANY);
    if (text) json_object_set_new(metadata(p), "model", json_string(text));
    free(text);
    text = json_dumps(p->header, JSON_COMPACT | JSON_ENCODE_ANY);
    size_t length = text ? strlen(text) : 0, padded = (length + 7) / 8 * 8;
    uint64_t stated = padded;
    bool fits = text && 8 + padded + p->tensor_size <= room;
    if (fits) {
        memcpy(data, &stated, sizeof stated);
        memset(data + 8, ' ', padded);
        memcpy(data + 8, text, length);
        if (p->tensor_size) memcpy(data + 8 + padded, p->tensors, p->tensor_size);
    }
    free(text);
    return fits ? 8 + padded + p->tensor_size : 0;
}

/* --- changes of the rest ------------------------------------------------------------------ */

static void change_document(Parts *p) {
    change_json(p->document);
}

/* What decides how the file is read and run: not the description. */
static void change_core(Parts *p) {
    static const char *const keys[] = {"layers", "outputs",     "alphabet", "options",
                                       "domain", "certificate", "groups",   "sources"};
    json_t *part = json_object_get(p->document, ANY_OF(keys));
    if (json_is_object(part) || json_is_array(part)) change_json(part);
}

static void change_length(Parts *p) {
    json_int_t length = chance(4) ? 1 + (json_int_t)chance(8) : ANY_OF(integers);
    json_object_set_new(p->document, "max_length", json_integer(length));
}

static void change_header(Parts *p) {
    json_t *metadata_before = json_incref(metadata(p));
    change_json(p->header);
    if (metadata_before && chance(8)) json_object_set(p->header, "__metadata__", metadata_before);
    json_decref(metadata_before);
}

static json_t *any_source(const Parts *p, json_t **holder) {
    json_t *sources = json_object_get(p->document, "sources");
    *holder = p->document;
    if (json_array_size(sources) && chance(2))
        *holder = json_array_get(sources, chance((unsigned)json_array_size(sources)));
    return json_object_get(*holder, "source");
}

/* Another word of the language, or the next number, in a program's text. */
static void change_word(Parts *p) {
    static const char *const words[] = {
        "tokens", "indices", "length", "==",   "<=",    "<",    ">",  "!=",  "+",
        "-",      "*",       "%",      "/",    "not ",  "and",  "or", "0",   "1",
        "2",      "-1",      "0.5",    "1e16", "\"a\"", "True", "^",  "[0]", "tokens_float"};
    static char changed[TEXT_ROOM];
    json_t *holder, *source = any_source(p, &holder);
    const char *text = json_string_value(source), *word = ANY_OF(words), *found[64];
    size_t count = 0, length = json_string_length(source);
    const char *old = ANY_OF(words);
    if (!text || length > TEXT_ROOM / 2) return;
    for (const char *at = text; count < 64 && (at = strstr(at, old)); at++) found[count++] = at;
    if (count == 0) return;
    const char *at = found[chance((unsigned)count)];
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, word, at + strlen(old));
    json_object_set_new(holder, "source", json_string(changed));
}

static void change_text(Parts *p) {
    json_t *holder, *source = any_source(p, &holder);
    if (!source || !json_is_string(source)) return;
    json_t *changed = near_text(json_string_value(source), json_string_length(source));
    if (changed) json_object_set_new(holder, "source", changed);
}

static uint8_t tensor_bytes[TENSOR_ROOM];

static void change_weights(Parts *p) {
    static const float values[] = {0, 1, -1, 1e-6f, 1e4f, 1e38f, -1e38f, HUGE_VALF, NAN};
    if (p->tensor_size < 8 || p->tensor_size > TENSOR_ROOM) return;
    if (p->tensors != tensor_bytes) memcpy(tensor_bytes, p->tensors, p->tensor_size);
    p->tensors = tensor_bytes;
    for (unsigned k = 1 + chance(3); k > 0; k--) {
        size_t at = chance((unsigned)(p->tensor_size / 4)) * (size_t)4;
        float value;
        memcpy(&value, tensor_bytes + at, sizeof value);
        switch (chance(4)) {
        case 0:
            value = ANY_OF(values);
            break;
        case 1:
            value *= 1 + 1e-6f;
            break;
        case 2:
            memcpy(&value, tensor_bytes + chance((unsigned)(p->tensor_size / 4)) * (size_t)4, 4);
            break;
        default:
            value += chance(2) ? 1 : -1;
        }
        memcpy(tensor_bytes + at, &value, sizeof value);
    }
}

/* --- repair ------------------------------------------------------------------------------- */

typedef struct Tensors {
    const Parts *from;
    json_t *header; /* the new one */
    uint8_t bytes[TENSOR_ROOM];
    size_t used, element;
    const char *dtype;
    bool full;
} Tensors;

static size_t shape_at(const json_t *entry, size_t k, size_t otherwise) {
    json_int_t value = json_integer_value(json_array_get(json_object_get(entry, "shape"), k));
    return value > 0 && value < TENSOR_ROOM ? (size_t)value : otherwise;
}

/* Where the file has the tensor's bytes, and how many. */
static const uint8_t *tensor_at(const Parts *p, const json_t *entry, size_t *size) {
    const json_t *offsets = json_object_get(entry, "data_offsets");
    json_int_t begin = json_integer_value(json_array_get(offsets, 0));
    json_int_t end = json_integer_value(json_array_get(offsets, 1));
    bool fine = begin >= 0 && end >= begin && (uint64_t)end <= p->tensor_size;
    *size = fine ? (size_t)(end - begin) : 0;
    return p->tensors + (fine ? begin : 0);
}

/* The tensor of that name, else one that has its last word, else none. */
static const json_t *tensor_like(const Parts *p, const char *name) {
    const json_t *entry = json_object_get(p->header, name), *found = NULL;
    const char *key, *word = strrchr(name, '.');
    json_t *value;
    if (json_is_object(entry) || !word) return entry;
    json_object_foreach(p->header, key, value) {
        const char *last = strrchr(key, '.');
        if (last && strcmp(last, word) == 0 && (!found || chance(2))) found = value;
    }
    return found;
}

static void add_tensor(Tensors *t, const char *name, const json_t *like, size_t rows,
                       size_t columns) {
    size_t have, size = rows * (columns ? columns : 1) * t->element;
    const uint8_t *bytes = tensor_at(t->from, like, &have);
    if (rows > TENSOR_ROOM || columns > TENSOR_ROOM || size > TENSOR_ROOM - t->used) {
        t->full = true;
        return;
    }
    memset(t->bytes + t->used, 0, size);
    if (have) memcpy(t->bytes + t->used, bytes, have < size ? have : size);
    json_t *shape = columns ? json_pack("[I, I]", (json_int_t)rows, (json_int_t)columns)
                            : json_pack("[I]", (json_int_t)rows);
    json_object_set_new(t->header, name,
                        json_pack("{s:s, s:o, s:[I, I]}", "dtype", t->dtype, "shape", shape,
                                  "data_offsets", (json_int_t)t->used,
                                  (json_int_t)(t->used + size)));
    t->used += size;
}

/* What stands in a layer's heads or sublayers. */
typedef struct Role {
    const char *word;
    int wide; /* the dimension that is the width; 2: there is no other */
} Role;

static void add_roles(Tensors *t, const char *prefix, const Role *roles, int count, size_t width) {
    char name[128];
    size_t inner = 0; /* the rank, or the units: as the first one has it */
    for (int k = 0; k < count; k++) {
        snprintf(name, sizeof name, "%s.%s", prefix, roles[k].word);
        const json_t *like = tensor_like(t->from, name);
        bool vector = strstr(roles[k].word, "bias") != NULL;
        if (!inner) inner = shape_at(like, roles[k].wide == 0 && !vector ? 1 : 0, 1);
        if (vector)
            add_tensor(t, name, like, roles[k].wide == 2 ? width : inner, 0);
        else if (roles[k].wide == 0)
            add_tensor(t, name, like, width, inner);
        else
            add_tensor(t, name, like, inner, width);
    }
}

static void add_layer(Tensors *t, size_t l, const json_t *layer, size_t width) {
    static const Role head[] = {{"query", 0}, {"key", 0}, {"value", 0}, {"output", 1}};
    static const Role mlp[] = {{"in", 0}, {"in_bias", 1}, {"out", 1}, {"out_bias", 2}};
    char prefix[64];
    size_t heads = json_array_size(json_object_get(layer, "heads"));
    json_int_t mlps = json_integer_value(json_object_get(layer, "mlps"));
    for (size_t h = 0; h < heads && h < 64; h++) {
        snprintf(prefix, sizeof prefix, "layers.%zu.heads.%zu", l, h);
        add_roles(t, prefix, head, 2, width);
        add_roles(t, prefix, head + 2, 2, width);
    }
    for (json_int_t k = 0; k < mlps && k < 64; k++) {
        snprintf(prefix, sizeof prefix, "layers.%zu.mlps.%d", l, (int)k);
        add_roles(t, prefix, mlp, 4, width);
    }
}

/* The tensors that the document calls for, from those that there are. */
static void repair_tensors(Parts *p, Tensors *t) {
    const json_t *tokens = json_object_get(p->header, "embed.tokens"), *layer;
    const json_t *positions = json_object_get(p->header, "embed.positions");
    const char *dtype = json_string_value(json_object_get(tokens, "dtype"));
    json_int_t length = json_integer_value(json_object_get(p->document, "max_length"));
    size_t width = shape_at(tokens, 1, 1), l;
    bool wide = dtype && strcmp(dtype, "F64") == 0;
    *t = (Tensors){.from = p, .header = json_object(), .element = wide ? 8 : 4};
    t->dtype = wide ? "F64" : "F32";
    if (length < 0 || length >= TENSOR_ROOM) length = TENSOR_ROOM;
    json_object_set(t->header, "__metadata__", metadata(p));
    add_tensor(t, "embed.tokens", tokens,
               json_array_size(json_object_get(p->document, "alphabet")) + 1, width);
    add_tensor(t, "embed.positions", positions, (size_t)length + 1, width);
    json_array_foreach(json_object_get(p->document, "layers"), l, layer) if (l < 64)
        add_layer(t, l, layer, width);
    if (t->full) {
        json_decref(t->header);
        return;
    }
    json_decref(p->header);
    p->header = t->header;
    p->tensors = t->bytes;
    p->tensor_size = t->used;
}

static void repair_hash(json_t *holder, const char *key) {
    char hash[65];
    const json_t *source = json_object_get(holder, "source");
    if (!json_is_string(source) || !json_object_get(holder, key)) return;
    sha256_hex(json_string_value(source), json_string_length(source), hash);
    json_object_set_new(holder, key, json_string(hash));
}

static void repair_hashes(Parts *p) {
    size_t k;
    json_t *file;
    repair_hash(p->document, "source_sha256");
    json_array_foreach(json_object_get(p->document, "sources"), k, file) {
        repair_hash(file, "source_sha256");
        repair_hash(file, "sha256");
    }
}

/* --- the mutator -------------------------------------------------------------------------- */

static void (*const changes[])(Parts *p) = {
    change_document, change_core, change_core, change_length,  change_header,
    change_word,     change_word, change_text, change_weights, change_weights};

/* The changed file, repaired, or 0. */
static size_t finish(Parts *p, uint8_t *data, size_t max_size) {
    static Tensors tensors;
    if (chance(8)) repair_tensors(p, &tensors);
    if (chance(16)) repair_hashes(p);
    size_t size = parts_write(p, data, max_size);
    parts_clear(p);
    return size;
}

/* The changed file, or 0. */
static size_t change_parts(uint8_t *data, size_t size, size_t max_size) {
    static uint8_t before[FILE_ROOM];
    Parts parts;
    memcpy(before, data, size);
    if (!parts_read(&parts, before, size)) return 0;
    for (unsigned k = 1 + chance(chance(4) ? 2 : 5); k > 0; k--) ANY_OF(changes)(&parts);
    return finish(&parts, data, max_size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    size_t changed = 0;
    chance_state = seed;
    if (chance(12) != 0 && size <= FILE_ROOM) {
        pool_begin();
        changed = change_parts(data, size, max_size);
        pool_end();
    }
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}

/* A value of the other file in place of one of this, of the same key if there is one; or 0. */
static size_t cross_parts(Parts *to, const Parts *from, uint8_t *out, size_t max_size) {
    Spot spot, wanted;
    if (!pick_spot(from->document, &wanted) || !pick_spot(to->document, &spot)) {
        parts_clear(to);
        return 0;
    }
    for (int k = 0; k < 50 && wanted.key && spot.key && strcmp(wanted.key, spot.key); k++)
        pick_spot(to->document, &spot);
    put(&spot, json_deep_copy(wanted.value));
    return finish(to, out, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other,
                                 size_t other_size, uint8_t *out, size_t max_size, unsigned seed) {
    Parts to, from;
    size_t size = 0;
    chance_state = seed;
    if (chance(4)) return 0; /* twice as slow as to change one, so more seldom */
    pool_begin();
    if (parts_read(&to, one, one_size)) {
        if (parts_read(&from, other, other_size)) {
            size = cross_parts(&to, &from, out, max_size);
            parts_clear(&from);
        } else {
            parts_clear(&to);
        }
    }
    pool_end();
    return size;
}

#endif
