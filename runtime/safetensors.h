/* Weights files: a Model to bytes and back. docs/weights.md is the format.
 *
 *   8 bytes: header length, little-endian │ JSON header, padded with spaces │ raw tensors
 *
 * Saving checks the model first (model_check); the same model gives the same bytes; weights are
 * rounded to the model's dtype. Loading believes nothing: header length, JSON, every name, type,
 * shape and offset are checked against the size of the file before a tensor is allocated or read
 * (of a file, no more than its header is read before that), and the result passes model_check.
 * Weights of an F32 file are exactly representable, so loading and saving gives the same bytes
 * again. */
#ifndef RUNTIME_SAFETENSORS_H
#define RUNTIME_SAFETENSORS_H

#include "runtime/limits.h"
#include "runtime/model.h"

/* Nothing that was at `path` is lost when saving fails. Errors name the file. */
bool model_save(const Model *model, const char *path, RtError *err);
Model *model_load(const char *path, RtError *err);
/* Within limits->memory; limits->used becomes what the model needs, roughly. NULL: no limit. */
Model *model_load_within(const char *path, RtLimits *limits, RtError *err);

/* The same from and to memory; *bytes is the caller's to free. */
bool model_save_bytes(const Model *model, unsigned char **bytes, size_t *size, RtError *err);
Model *model_load_bytes(const void *bytes, size_t size, RtError *err);
Model *model_load_bytes_within(const void *bytes, size_t size, RtLimits *limits, RtError *err);

#endif
