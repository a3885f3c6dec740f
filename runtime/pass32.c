/* The forward pass in float: the templates, once. */
#include "runtime/pass.h"

#include "runtime/blas.h"
#include "runtime/memory.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define REAL_BITS 32
#include "runtime/pass_real.h"
