/* Kernels for x86-64 with AVX2 and FMA: vectors of 32 bytes. */
#include "runtime/kernels.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

#define KERNELS   rt_kernels_avx2_
#define VEC_BYTES 32
#define ANY(v)    (!_mm256_testz_si256((__m256i)(v), (__m256i)(v)))

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
