/* OpenBLAS, loaded when it is first needed.
 *
 * Linking to it would cost every start of the program some milliseconds, though most models never
 * multiply a large dense matrix. Products run on the calling thread: the runtime has threads of its
 * own. */
#ifndef RUNTIME_BLAS_H
#define RUNTIME_BLAS_H

#include "runtime/error.h"

#include <stddef.h>

/* Loads the library, once; false with the reason when there is none. Safe from any thread. */
bool rt_blas_load(RtError *err);

/* While a run uses threads, OpenBLAS must not: sets it to one thread and returns what it had, for
 * rt_blas_restore. The setting is global to the process. Nothing happens before it is loaded. */
int rt_blas_single(void);
void rt_blas_restore(int before);

/* c[m, n] = alpha · a[m, k] b[k, n] + beta · c, row-major, leading dimensions lda, ldb, ldc; with
 * transpose_a, a is stored as [k, m], with transpose_b, b as [n, k]. The library is loaded. */
typedef struct {
    bool transpose_a, transpose_b;
    size_t m, n, k, lda, ldb, ldc;
} GemmShape;

void rt_gemm32(const GemmShape *shape, float alpha, const float *a, const float *b, float beta,
               float *c);
void rt_gemm64(const GemmShape *shape, double alpha, const double *a, const double *b, double beta,
               double *c);

#endif
