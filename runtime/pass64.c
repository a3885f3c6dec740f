/* The forward pass in double: the templates, once. */
#include "runtime/pass.h"

#include "runtime/blas.h"
#include "runtime/memory.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define REAL_BITS 64
#include "runtime/pass_real.h"
