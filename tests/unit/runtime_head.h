/* One head whose weights can be read off: what it should see, and whether it does. */
#ifndef TESTS_RUNTIME_HEAD_H
#define TESTS_RUNTIME_HEAD_H

#include "runtime/forward.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>

enum { LENGTH = 4, ROWS = LENGTH + 1, SCORE = 0, ONE = 1, HERE = 2, READ = HERE + ROWS };

typedef struct {
    const char *what;
    RtRule rule;
    double temperature;
    RtMask mask;
    bool sink;
    RtScale scale;
    double gap;
    double scores[ROWS]; /* of the sink, then of the four positions, for every query */
    size_t query;        /* index */
    double weights[ROWS];
} Case;

/* Token k scores scores[1 + k]; every row says where it is; the head copies that to READ. */
static inline Model *model_for(const Case *c, RtDtype dtype) {
    RtAtom alphabet[] = {rt_int(0), rt_int(1), rt_int(2), rt_int(3)}, places[ROWS];
    Model *model = model_new(dtype, RT_INT, alphabet, LENGTH, LENGTH, READ + ROWS);
    ModelHead *head = layer_add_head(model_add_layer(model), 1, ROWS);
    tensor_set(&head->query, ONE, 0, 1);
    tensor_set(&head->key, SCORE, 0, 1);
    for (size_t i = 0; i < ROWS; i++) {
        places[i] = rt_int((int64_t)i);
        tensor_set(&model->tokens, i, SCORE, c->scores[i]);
        tensor_set(&model->tokens, i, ONE, 1);
        tensor_set(&model->positions, i, HERE + i, 1);
        tensor_set(&head->value, HERE + i, i, 1);
        tensor_set(&head->output, i, READ + i, 1);
    }
    head->mask = c->mask;
    head->sink = c->sink;
    head->scale = c->scale;
    head->gap = c->gap;
    model_add_output(model, "weights", RT_DECODE_ARGMAX, READ, places, ROWS);
    return model;
}

static inline void check_case(const Case *c, double parameter, RtDtype dtype, RtPath path) {
    RunOptions options = run_options();
    options.rule = c->rule;
    options.parameter = parameter;
    options.temperature = c->temperature;
    options.path = path;
    options.keep_raw = true;
    options.key_tile = path == RT_PATH_SPARSE ? 1 : 0;
    Model *model = model_for(c, dtype);
    RtError err = {""};
    RunResult result;
    const size_t ids[] = {0, 1, 2, 3};
    Engine *engine = engine_new(model, &options, &err);
    if (!engine || !engine_run(engine, ids, LENGTH, &result, &err))
        fail_msg("%s: %s", c->what, err.text);
    for (size_t i = 0; i < ROWS; i++) {
        double found = result.raw[c->query * ROWS + i];
        /* Relative: what is not seen has weight 0, and small weights are not dropped. */
        if (fabs(found - c->weights[i]) > (dtype == RT_F32 ? 1e-5 : 1e-14) * c->weights[i])
            fail_msg("%s: weight of row %zu: expected %.17g, found %.17g", c->what, i,
                     c->weights[i], found);
    }
    run_result_clear(&result);
    engine_free(engine);
    model_free(model);
}

#endif
