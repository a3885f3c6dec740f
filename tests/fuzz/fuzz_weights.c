/* Any bytes as a weights file: an error, or a model that saves, loads as the same bytes again, and
 * runs. */
#include "runtime/forward.h"
#include "runtime/safetensors.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void save_twice(const Model *model) {
    unsigned char *first, *second;
    size_t first_size, second_size;
    if (!model_save_bytes(model, &first, &first_size, NULL)) abort();
    Model *again = model_load_bytes(first, first_size, NULL);
    if (!again || !model_save_bytes(again, &second, &second_size, NULL)) abort();
    if (first_size != second_size || memcmp(first, second, first_size) != 0) abort();
    model_free(again);
    free(first);
    free(second);
}

static void run(const Model *model, RtPath path) {
    RunOptions options = run_options();
    options.threads = 1;
    options.path = path;
    Engine *engine = engine_new(model, &options, NULL);
    if (!engine) abort();
    const size_t ids[70] = {0};
    RunResult result;
    RtError err = {""};
    if (engine_run(engine, ids, model->max_length < 70 ? model->max_length : 70, &result, &err))
        run_result_clear(&result);
    else if (!strstr(err.text, "overflow its dtype"))
        abort();
    engine_free(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    RtError err = {""};
    Model *model = model_load_bytes(data, size, &err);
    if (!model && !*err.text) abort(); /* whatever is refused, it is said why */
    if (model) {
        save_twice(model);
        run(model, RT_PATH_DENSE);
        run(model, RT_PATH_SPARSE);
    }
    model_free(model);
    return 0;
}
