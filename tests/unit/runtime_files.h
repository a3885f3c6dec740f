/* Weights files in memory: saved, loaded, with another header. */
#ifndef TESTS_RUNTIME_FILES_H
#define TESTS_RUNTIME_FILES_H

#include "runtime/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned char *bytes;
    size_t size;
} File;

static inline File saved(const Model *model) {
    File file;
    RtError err = {""};
    if (!model_save_bytes(model, &file.bytes, &file.size, &err)) fail_msg("%s", err.text);
    return file;
}

static inline Model *loaded(File file) {
    RtError err = {""};
    Model *model = model_load_bytes(file.bytes, file.size, &err);
    if (!model) fail_msg("%s", err.text);
    return model;
}

/* V 2, N 2, W 2; one head (D 1, C 1), one sublayer (U 1). */
static inline Model *small_model(RtDtype dtype) {
    const RtAtom alphabet[] = {rt_string("a", 1), rt_string("\"\n\xc3\xa9", 4)};
    const RtAtom values[] = {rt_int(1), rt_float(1)};
    Model *model = model_new(dtype, RT_STRING, alphabet, 2, 2, 2);
    ModelLayer *layer = model_add_layer(model);
    layer_add_head(layer, 1, 1);
    layer_add_mlp(layer, 1);
    model_add_output(model, "out", RT_DECODE_ARGMAX, 0, values, 2);
    tensor_set(&model->tokens, 1, 1, 0.5);
    return model;
}

/* The same file with `from` in the header replaced by `to`; the length follows, as does padding. */
static inline File edited(File file, const char *from, const char *to) {
    size_t length = 0, old = strlen(from), new = strlen(to);
    for (size_t i = 8; i-- > 0;) length = length << 8 | file.bytes[i];
    size_t before = 8;
    while (before + old <= 8 + length && memcmp(file.bytes + before, from, old) != 0) before++;
    if (before + old > 8 + length) fail_msg("no '%s' in the header", from);
    size_t after = file.size - before - old;
    File out = {malloc(file.size + new), file.size - old + new};
    memcpy(out.bytes, file.bytes, before);
    memcpy(out.bytes + before, to, new);
    memcpy(out.bytes + before + new, file.bytes + before + old, after);
    length = length - old + new;
    for (size_t i = 0; i < 8; i++) out.bytes[i] = (unsigned char)(length >> (8 * i));
    return out;
}

#endif
