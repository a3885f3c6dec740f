/* What the writer and the reader of weights files agree on; nobody else's business. */
#ifndef RUNTIME_SAFETENSORS_LAYOUT_H
#define RUNTIME_SAFETENSORS_LAYOUT_H

#include "runtime/model.h"

#include <string.h>

#define RT_FORMAT "rasp-transformer/1"

enum {
    RT_LENGTH_BYTES = 8,
    RT_HEADER_LIMIT = 100000000, /* what the safetensors library reads at most */
};

static inline size_t rt_element_size(RtDtype dtype) {
    return dtype == RT_F32 ? sizeof(float) : sizeof(double);
}

/* Biases are vectors in the file, all else is a matrix. */
static inline int rt_tensor_rank(const char *name) {
    static const char bias[] = "_bias";
    size_t n = strlen(name), m = sizeof bias - 1;
    return n > m && strcmp(name + n - m, bias) == 0 ? 1 : 2;
}

#endif
