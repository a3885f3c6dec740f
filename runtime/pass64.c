/* The forward pass in double: the templates, once. */
#include "runtime/pass.h"

#include "base/parallel.h"
#include "runtime/blas.h"
#include "runtime/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define REAL_BITS 64
#include "runtime/pass_real.h"
