/* Kernels for any processor: vectors of 16 bytes, which every x86-64 and ARMv8 has. */
#include "runtime/kernels.h"

#include <math.h>
#include <string.h>

static inline bool any_bit(const void *v, size_t size) {
    uint64_t halves[2];
    memcpy(halves, v, size);
    return (halves[0] | halves[1]) != 0;
}

#define KERNELS   rt_kernels_base
#define VEC_BYTES 16
#define ANY(v)    any_bit(&(v), sizeof(v))

#define REAL_BITS 32
#include "runtime/kernels_real.h"
#undef REAL_BITS
#define REAL_BITS 64
#include "runtime/kernels_real.h"
