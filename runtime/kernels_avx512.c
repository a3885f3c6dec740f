/* Kernels for x86-64 with AVX-512: vectors of 64 bytes. */
#include "runtime/kernels.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(                                                                      \
    __attribute__((target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512dq,avx512bw,avx512vl")
#endif

#define KERNELS   rt_kernels_avx512_
#define VEC_BYTES 64
#define ANY(v)    (_mm512_test_epi64_mask((__m512i)(v), (__m512i)(v)) != 0)

#define REAL_BITS 32
#include "runtime/kernels_real.h"
#undef REAL_BITS
#define REAL_BITS 64
#include "runtime/kernels_real.h"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
