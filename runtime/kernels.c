#include "runtime/kernels.h"

#include "runtime/forward.h"

#include <string.h>

static bool always(void) {
    return true;
}

#ifdef __x86_64__
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const KernelSet sets[] = {
#ifdef __x86_64__
    {"avx512", has_avx512, &rt_kernels_avx512_32, &rt_kernels_avx512_64},
    {"avx2", has_avx2, &rt_kernels_avx2_32, &rt_kernels_avx2_64},
#endif
    {"base", always, &rt_kernels_base32, &rt_kernels_base64},
};

const char *const rt_kernel_names[] = {
#ifdef __x86_64__
    "avx512", "avx2",
#endif
    "base", NULL};

const KernelSet *rt_kernels_find(const char *name) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (name && strcmp(name, sets[i].name) != 0) continue;
        if (sets[i].usable()) return &sets[i];
    }
    return NULL;
}
