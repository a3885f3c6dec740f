/* The innermost loops of the forward pass, compiled once for each kind of vector unit.
 *
 * A kernel set is chosen when an engine is made, by what the processor can do (or by name), so one
 * build runs everywhere and uses what is there. Kernels32 works on float, Kernels64 on double;
 * their members are described in kernels_decl.h. */
#ifndef RUNTIME_KERNELS_H
#define RUNTIME_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/numerics.h"

/* Features of a query, at most, in `abreast`: they stay in registers. */
enum { RT_ABREAST_FEATURES = 16 };

#define REAL_BITS 32
#include "runtime/kernels_decl.h"
#undef REAL_BITS
#define REAL_BITS 64
#include "runtime/kernels_decl.h"
#undef REAL_BITS

typedef struct {
    const char *name;
    bool (*usable)(void); /* whether this processor can run it */
    const Kernels32 *f32;
    const Kernels64 *f64;
} KernelSet;

/* NULL when there is no set of that name or this processor cannot run it; name NULL: the best. */
const KernelSet *rt_kernels_find(const char *name);

/* The sets themselves, one a file. */
extern const Kernels32 rt_kernels_base32;
extern const Kernels64 rt_kernels_base64;
#ifdef __x86_64__
extern const Kernels32 rt_kernels_avx2_32, rt_kernels_avx512_32;
extern const Kernels64 rt_kernels_avx2_64, rt_kernels_avx512_64;
#endif

#endif
