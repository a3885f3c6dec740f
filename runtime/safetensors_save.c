#include "runtime/file.h"
#include "runtime/model_json.h"
#include "runtime/safetensors.h"
#include "runtime/safetensors_layout.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 8 }; /* of the tensors in the file */

typedef struct {
    Text *text;
    RtDtype dtype;
    uint64_t offset; /* of the next tensor */
    bool overflow;
} Writer;

static bool put_entry(const char *name, Tensor *tensor, void *context) {
    Writer *w = context;
    uint64_t begin = w->offset, bytes = tensor_size(tensor) * rt_element_size(w->dtype);
    w->overflow |= __builtin_add_overflow(begin, bytes, &w->offset);
    char entry[256];
    char rows[32] = "";
    if (rt_tensor_rank(name) == 2) snprintf(rows, sizeof rows, "%zu,", tensor->rows);
    int n = snprintf(entry, sizeof entry,
                     ",\"%s\":{\"dtype\":\"%s\",\"shape\":[%s%zu],"
                     "\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}",
                     name, rt_dtype_names[w->dtype], rows, tensor->cols, begin, w->offset);
    rt_text_bytes(w->text, entry, (size_t)n);
    return true;
}

static void put_metadata(Text *text, const Model *model) {
    Text document = {0};
    rt_model_to_json(&document, model);
    rt_text_put(text, "{\"__metadata__\":{\"format\":\"");
    rt_text_put(text, RT_FORMAT);
    rt_text_put(text, "\",\"model\":");
    rt_text_json_string(text, document.bytes, document.length);
    const char *key;
    json_t *value;
    json_object_foreach(model->metadata, key, value) {
        rt_text_put(text, ",");
        rt_text_json_string(text, key, strlen(key));
        rt_text_put(text, ":");
        rt_text_json(text, value);
    }
    rt_text_put(text, "}");
    text->failed |= document.failed;
    rt_text_clear(&document);
}

/* Weights a chunk at a time, little-endian, rounded to the dtype. */
enum { CHUNK = 512 };

static void put_floats(Text *text, const double *x, size_t n) {
    uint32_t chunk[CHUNK];
    for (size_t i = 0; i < n; i++) {
        float f = (float)x[i];
        memcpy(&chunk[i], &f, sizeof f);
        chunk[i] = htole32(chunk[i]);
    }
    rt_text_bytes(text, (const char *)chunk, n * sizeof *chunk);
}

static void put_doubles(Text *text, const double *x, size_t n) {
    uint64_t chunk[CHUNK];
    memcpy(chunk, x, n * sizeof *x);
    for (size_t i = 0; i < n; i++) chunk[i] = htole64(chunk[i]);
    rt_text_bytes(text, (const char *)chunk, n * sizeof *chunk);
}

static bool put_data(const char *name, Tensor *tensor, void *context) {
    (void)name;
    Writer *w = context;
    size_t size = tensor_size(tensor);
    for (size_t i = 0; i < size; i += CHUNK) {
        size_t n = size - i < CHUNK ? size - i : CHUNK;
        (w->dtype == RT_F32 ? put_floats : put_doubles)(w->text, tensor->data + i, n);
    }
    return true;
}

static bool put_file(Text *text, const Model *model, RtError *err) {
    static const char spaces[ALIGNMENT + 1] = "        ";
    rt_text_bytes(text, spaces, RT_LENGTH_BYTES); /* the length goes here, once it is known */
    put_metadata(text, model);
    Writer w = {text, model->dtype, 0, false};
    model_visit(model, put_entry, &w);
    rt_text_put(text, "}");
    rt_text_bytes(text, spaces, (ALIGNMENT - text->length % ALIGNMENT) % ALIGNMENT);
    uint64_t header = text->length - RT_LENGTH_BYTES;
    if (!text->failed && header > RT_HEADER_LIMIT)
        return rt_error(err,
                        "expected at most %d bytes of header, as safetensors has it, found %zu",
                        RT_HEADER_LIMIT, (size_t)header);
    if (!text->failed) {
        header = htole64(header);
        memcpy(text->bytes, &header, RT_LENGTH_BYTES);
    }
    model_visit(model, put_data, &w);
    return !(text->failed || w.overflow) || rt_error(err, "out of memory for the weights file");
}

bool model_save_bytes(const Model *model, unsigned char **bytes, size_t *size, RtError *err) {
    if (!model_check(model, err)) return false;
    Text text = {0};
    if (!put_file(&text, model, err)) {
        rt_text_clear(&text);
        return false;
    }
    *bytes = (unsigned char *)text.bytes;
    *size = text.length;
    return true;
}

bool model_save(const Model *model, const char *path, RtError *err) {
    unsigned char *bytes;
    size_t size;
    if (!model_save_bytes(model, &bytes, &size, err)) return rt_error_prefix(err, "%s", path);
    bool ok = rt_file_replace(path, bytes, size, err);
    free(bytes);
    return ok;
}
