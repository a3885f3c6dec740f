/* Template: the forward pass in one real type, put together. */
#include "runtime/real.h"

/* In this order: each uses what the ones before it define. */
// clang-format off
#include "runtime/weight_rule_real.h"
#include "runtime/matrix_real.h"
#include "runtime/prepare_real.h"
#include "runtime/attention_real.h"
#include "runtime/merge_real.h"
#include "runtime/block_real.h"
#include "runtime/run_real.h"
#include "runtime/stream_real.h"
// clang-format on

const PassType REAL(rt_pass) = {
    .prepare = REAL(prepare),
    .release = REAL(release),
    .info = REAL(info),
    .pack_columns = REAL(pack_columns),
    .run = REAL(run),
    .stream_new = REAL(stream_new),
    .stream_free = REAL(stream_free),
    .stream_push = REAL(stream_push),
};
