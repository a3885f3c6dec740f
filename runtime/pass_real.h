/* Template: the forward pass in one real type, put together.
 *
 * pass32.c and pass64.c include this after defining REAL_BITS. They are separate files, so only
 * what leaves them carries the type's suffix; in the parts below Real is the type, and Kernels and
 * Compressed are the kernels' types for it. */
#include "runtime/numerics.h"
#include "runtime/real.h"

typedef REAL(Kernels) Kernels;
typedef REAL(Compressed) Compressed;

/* In this order: each uses what the ones before it define. */
// clang-format off
#include "runtime/weight_rule_real.h"
#include "runtime/matrix_real.h"
#include "runtime/prepare_real.h"
#include "runtime/attention_real.h"
#include "runtime/strip_real.h"
#include "runtime/merge_real.h"
#include "runtime/block_real.h"
#include "runtime/abreast_real.h"
#include "runtime/run_real.h"
#include "runtime/read_real.h"
#include "runtime/stream_real.h"
// clang-format on

const PassType REAL(rt_pass) = {
    .prepare = prepare,
    .release = release,
    .info = info,
    .pack_columns = pack_columns,
    .run = run_pack,
    .stream_new = stream_new,
    .stream_free = stream_free,
    .stream_push = stream_push,
};
