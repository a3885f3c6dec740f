#include "compile/document.h"

#include <stdlib.h>
#include <string.h>

/* The keys that the compiler writes, some of them not always: found where a fresh compilation
 * has none, each of them is a false claim and not just something that a stranger added. */
static const char *const document_words[] = {
    "program", "source", "source_sha256", "sources",     "sources_sha256", "compiler", "domain",
    "options", "dims",   "groups",        "certificate", "shared",         "claims",   NULL};
static const char *const layer_words[] = {NULL};
static const char *const head_words[] = {"selector", "source", "span", "result", "sops", NULL};
static const char *const sublayer_words[] = {"tables", "clears", NULL};
static const char *const output_words[] = {NULL};

/* Files of older versions lack it. */
static const char *const optional_words[] = {"sources_sha256", "claims", NULL};

/* Where a value stands: the key or the index, below something else. */
typedef struct Path {
    const struct Path *above;
    const char *key; /* NULL: the index */
    size_t index;
} Path;

typedef struct Comparison {
    DocumentReport *report;
    Arena *arena;
} Comparison;

/* --- messages ------------------------------------------------------------------------------ */

static const char *path_text(const Path *path, Arena *arena) {
    if (!path) return "";
    const char *above = path_text(path->above, arena);
    if (!path->key) return arena_format(arena, "%s[%zu]", above, path->index);
    return arena_format(arena, "%s%s%.60s", above, *above ? "." : "", path->key);
}

static const char *value_text(const json_t *value, Arena *arena) {
    enum { SHOWN = 60 };
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
    if (!text) return value ? "another value" : "nothing";
    size_t length = strlen(text);
    const char *copy = arena_format(arena, "%.*s%s", SHOWN, text, length > SHOWN ? "..." : "");
    free(text);
    return copy;
}

static void differs(const Comparison *c, const Path *path, const json_t *expected,
                    const json_t *found) {
    DocumentReport *r = c->report;
    size_t k = r->difference_count++;
    if (k >= DOCUMENT_SHOWN) return;
    r->differences[k] =
        arena_format(c->arena, "%s: expected %s, found %s", path_text(path, c->arena),
                     value_text(expected, c->arena), value_text(found, c->arena));
}

static void unknown(const Comparison *c, const Path *path) {
    size_t k = c->report->unknown_count++;
    if (k < DOCUMENT_SHOWN) c->report->unknown[k] = path_text(path, c->arena);
}

/* --- values -------------------------------------------------------------------------------- */

static bool is_among(const char *key, const char *const *words) {
    while (*words && strcmp(*words, key) != 0) words++;
    return *words != NULL;
}

/* `before`: what was said with other weights, or NULL. */
static bool same_leaf(const json_t *expected, const json_t *before, const json_t *found) {
    if (json_equal(expected, found)) return true;
    if (!before || !json_equal(before, found)) return false;
    return !json_is_number(expected) || json_number_value(found) >= json_number_value(expected);
}

static void compare(const Comparison *c, const Path *path, const json_t *expected,
                    const json_t *before, const json_t *found);

static void compare_arrays(const Comparison *c, const Path *path, const json_t *expected,
                           const json_t *before, const json_t *found) {
    size_t count = json_array_size(expected);
    if (json_array_size(found) != count) {
        differs(c, path, expected, found);
        return;
    }
    for (size_t k = 0; k < count; k++)
        compare(c, &(Path){path, NULL, k}, json_array_get(expected, k), json_array_get(before, k),
                json_array_get(found, k));
}

/* `words`: NULL, or those keys that are claims even if there is nothing to expect. */
static void compare_objects(const Comparison *c, const Path *path, const char *const *words,
                            const json_t *expected, const json_t *before, const json_t *found) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)expected, key, value) {
        const json_t *other = json_object_get(found, key);
        if (!other && words && is_among(key, optional_words)) continue;
        compare(c, &(Path){path, key, 0}, value, json_object_get(before, key), other);
    }
    json_object_foreach((json_t *)(uintptr_t)found, key, value) {
        if (json_object_get(expected, key)) continue;
        if (words && !is_among(key, words))
            unknown(c, &(Path){path, key, 0});
        else
            differs(c, &(Path){path, key, 0}, NULL, value);
    }
}

static void compare(const Comparison *c, const Path *path, const json_t *expected,
                    const json_t *before, const json_t *found) {
    if (json_is_array(expected) && json_is_array(found))
        compare_arrays(c, path, expected, before, found);
    else if (json_is_object(expected) && json_is_object(found))
        compare_objects(c, path, NULL, expected, before, found);
    else if (!same_leaf(expected, before, found))
        differs(c, path, expected, found);
}

/* --- the model ----------------------------------------------------------------------------- */

static void compare_layer(const Comparison *c, const Path *path, const ModelLayer *expected,
                          const ModelLayer *found) {
    compare_objects(c, path, layer_words, expected->extra, NULL, found->extra);
    for (size_t h = 0; h < expected->head_count; h++) {
        Path heads = {path, "heads", 0};
        compare_objects(c, &(Path){&heads, NULL, h}, head_words, expected->heads[h]->extra, NULL,
                        found->heads[h]->extra);
    }
    for (size_t m = 0; m < expected->mlp_count; m++) {
        Path sublayers = {path, "sublayers", 0};
        compare_objects(c, &(Path){&sublayers, NULL, m}, sublayer_words, expected->mlps[m]->extra,
                        NULL, found->mlps[m]->extra);
    }
}

void document_compare(const Model *expected, const json_t *compiled, const Model *file,
                      Arena *arena, DocumentReport *report) {
    *report = (DocumentReport){0};
    Comparison c = {report, arena};
    Path layers = {NULL, "layers", 0}, outputs = {NULL, "outputs", 0};
    Path metadata = {NULL, "__metadata__", 0};
    static const char *const none[] = {NULL};
    compare_objects(&c, NULL, document_words, expected->extra, compiled, file->extra);
    for (size_t l = 0; l < expected->layer_count; l++)
        compare_layer(&c, &(Path){&layers, NULL, l}, expected->layers[l], file->layers[l]);
    for (size_t k = 0; k < expected->output_count; k++)
        compare_objects(&c, &(Path){&outputs, NULL, k}, output_words, expected->outputs[k]->extra,
                        NULL, file->outputs[k]->extra);
    compare_objects(&c, &metadata, none, expected->metadata, NULL, file->metadata);
}
