/* A model's metadata as JSON: the document under `model` in a weights file's `__metadata__`.
 *
 * Keys that the runtime understands become fields of Model; every other key is kept in the `extra`
 * object of the thing it belongs to and written back as it was. So an extra object must not hold a
 * key the runtime writes itself. */
#ifndef RUNTIME_MODEL_JSON_H
#define RUNTIME_MODEL_JSON_H

#include "runtime/model.h"
#include "runtime/text.h"

/* The runtime's own keys, NULL-terminated. */
extern const char *const rt_model_keys[];
extern const char *const rt_layer_keys[];
extern const char *const rt_head_keys[];
extern const char *const rt_mlp_keys[];
extern const char *const rt_output_keys[];

/* `extra` is an object that holds none of the keys. */
bool rt_extra_check(const json_t *extra, const char *const *keys, RtError *err);

/* `metadata` is an object of strings that holds neither `format` nor `model`. */
bool rt_metadata_check(const json_t *metadata, RtError *err);

/* Appends the document. The model has passed model_check. */
void rt_model_to_json(Text *text, const Model *model);

/* A model whose tensors hold nothing yet ([.., 0]) and whose width is 0, since the document does
 * not tell the sizes. The layers together may claim no more than `mlp_limit` sublayers, so that a
 * number in a damaged file cannot allocate without end. NULL with `err` when a key is missing, has
 * the wrong type or a value out of range. The caller frees the model. */
Model *rt_model_from_json(const json_t *document, RtDtype dtype, size_t mlp_limit, RtError *err);

#endif
