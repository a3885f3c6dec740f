/* The forward pass in float: the templates, once. */
#include "runtime/pass.h"

#include "base/parallel.h"
#include "runtime/blas.h"
#include "runtime/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define REAL_BITS 32
#include "runtime/pass_real.h"
