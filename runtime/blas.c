#include "runtime/blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The functions used, with the types cblas.h gives them. */
typedef struct {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_dgemm) *dgemm;
    __typeof__(openblas_get_num_threads) *get_threads;
    __typeof__(openblas_set_num_threads) *set_threads;
} Library;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Library library;
static atomic_bool loaded;
static RtError failure;

/* ISO C has no conversion from dlsym's void * to a function. */
static bool find(void *handle, const char *name, void *function) {
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    bool found = handle && find(handle, "cblas_sgemm", &library.sgemm) &&
                 find(handle, "cblas_dgemm", &library.dgemm) &&
                 find(handle, "openblas_get_num_threads", &library.get_threads) &&
                 find(handle, "openblas_set_num_threads", &library.set_threads);
    if (!found) rt_error(&failure, "cannot load OpenBLAS: %s", dlerror());
    atomic_store(&loaded, found);
}

bool rt_blas_load(RtError *err) {
    pthread_once(&once, load);
    if (!atomic_load(&loaded) && err) *err = failure;
    return atomic_load(&loaded);
}

int rt_blas_single(void) {
    if (!atomic_load(&loaded)) return 1;
    int before = library.get_threads();
    if (before != 1) library.set_threads(1);
    return before;
}

void rt_blas_restore(int before) {
    if (before != 1) library.set_threads(before);
}

static CBLAS_TRANSPOSE transpose(bool is) {
    return is ? CblasTrans : CblasNoTrans;
}

void rt_gemm32(const GemmShape *s, float alpha, const float *a, const float *b, float beta,
               float *c) {
    library.sgemm(CblasRowMajor, transpose(s->transpose_a), transpose(s->transpose_b),
                  (blasint)s->m, (blasint)s->n, (blasint)s->k, alpha, a, (blasint)s->lda, b,
                  (blasint)s->ldb, beta, c, (blasint)s->ldc);
}

void rt_gemm64(const GemmShape *s, double alpha, const double *a, const double *b, double beta,
               double *c) {
    library.dgemm(CblasRowMajor, transpose(s->transpose_a), transpose(s->transpose_b),
                  (blasint)s->m, (blasint)s->n, (blasint)s->k, alpha, a, (blasint)s->lda, b,
                  (blasint)s->ldb, beta, c, (blasint)s->ldc);
}
