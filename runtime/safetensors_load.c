#include "runtime/file.h"
#include "runtime/memory.h"
#include "runtime/model_json.h"
#include "runtime/safetensors.h"
#include "runtime/safetensors_layout.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One tensor as the header has it. */
typedef struct {
    const char *name;
    RtDtype dtype;
    int rank;
    size_t shape[2]; /* [1, n] for a vector */
    size_t begin, end;
    bool used;
} Entry;

/* Where the bytes are: in memory, or in a file of which no more is read than is needed. */
typedef struct {
    const unsigned char *bytes; /* NULL: */
    int fd;
    size_t size;
} Input;

typedef struct {
    Input input;
    RtLimits *limits;
    size_t data_at, data_size; /* what follows the header */
    json_t *header, *document;
    Entry *entries; /* by name once sorted */
    size_t count;
    RtError *err;
} Loader;

static bool read_count(const json_t *value, const char *what, size_t *out, RtError *err) {
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return rt_error(err, "%s: expected an int of at least 0", what);
    *out = (size_t)json_integer_value(value);
    return true;
}

static bool read_dtype(const json_t *value, RtDtype *out, RtError *err) {
    const char *name = json_string_value(value);
    for (int i = 0; name && i < RT_DTYPE_COUNT; i++) {
        *out = (RtDtype)i;
        if (strcmp(name, rt_dtype_names[i]) == 0) return true;
    }
    return rt_error(err, "dtype: expected F32 or F64, found %.20s", name ? name : "no string");
}

static bool read_shape(const json_t *value, Entry *entry, RtError *err) {
    int rank = rt_tensor_rank(entry->name);
    if (!json_is_array(value) || json_array_size(value) != (size_t)rank)
        return rt_error(err, "shape: expected an array of %d, found %zu", rank,
                        json_array_size(value));
    entry->rank = rank;
    entry->shape[0] = 1;
    for (int i = 0; i < rank; i++) {
        size_t *size = &entry->shape[2 - rank + i];
        if (!read_count(json_array_get(value, (size_t)i), "shape", size, err)) return false;
        if (*size == 0) return rt_error(err, "shape: expected sizes of at least 1, found 0");
    }
    return true;
}

/* The offsets are ordered, within the file, and as far apart as the shape says. */
static bool read_offsets(const json_t *value, Entry *entry, size_t data_size, RtError *err) {
    if (!json_is_array(value) || json_array_size(value) != 2)
        return rt_error(err, "data_offsets: expected an array of 2");
    if (!read_count(json_array_get(value, 0), "data_offsets", &entry->begin, err) ||
        !read_count(json_array_get(value, 1), "data_offsets", &entry->end, err))
        return false;
    if (entry->begin > entry->end || entry->end > data_size)
        return rt_error(err,
                        "data_offsets: expected a range within the %zu bytes of tensors the file "
                        "has, found [%zu, %zu]",
                        data_size, entry->begin, entry->end);
    size_t elements, bytes;
    if (__builtin_mul_overflow(entry->shape[0], entry->shape[1], &elements) ||
        __builtin_mul_overflow(elements, rt_element_size(entry->dtype), &bytes) ||
        bytes != entry->end - entry->begin)
        return rt_error(err, "expected %zu × %zu elements of %s, found %zu bytes", entry->shape[0],
                        entry->shape[1], rt_dtype_names[entry->dtype], entry->end - entry->begin);
    return true;
}

static bool read_entry(const json_t *object, Entry *entry, size_t data_size, RtError *err) {
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    if (!json_is_object(object)) return rt_error(err, "expected an object");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!json_object_get(object, keys[i])) return rt_error(err, "%s: not found", keys[i]);
    }
    if (json_object_size(object) != sizeof keys / sizeof *keys)
        return rt_error(err, "expected dtype, shape and data_offsets, found more keys");
    return read_dtype(json_object_get(object, "dtype"), &entry->dtype, err) &&
           read_shape(json_object_get(object, "shape"), entry, err) &&
           read_offsets(json_object_get(object, "data_offsets"), entry, data_size, err);
}

static int by_offset(const void *a, const void *b) {
    const Entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const Entry *)a)->name, ((const Entry *)b)->name);
}

/* The tensors lie one after the other and fill the rest of the file. */
static bool check_layout(Loader *in) {
    qsort(in->entries, in->count, sizeof *in->entries, by_offset);
    size_t at = 0;
    for (size_t i = 0; i < in->count; i++) {
        const Entry *entry = &in->entries[i];
        if (entry->begin < at)
            return rt_error(in->err, "tensor '%s' begins at byte %zu, inside tensor '%s'",
                            entry->name, entry->begin, in->entries[i - 1].name);
        if (entry->begin > at)
            return rt_error(in->err,
                            "tensor '%s': expected it to begin at byte %zu, found a gap "
                            "until %zu",
                            entry->name, at, entry->begin);
        at = entry->end;
    }
    return at == in->data_size || rt_error(in->err,
                                           "expected the file to end after %zu bytes of tensors, "
                                           "found %zu",
                                           at, in->data_size);
}

static bool read_entries(Loader *in) {
    size_t count = json_object_size(in->header);
    in->entries = rt_calloc(count, sizeof *in->entries);
    if (!in->entries) return rt_error(in->err, "out of memory for %zu tensors", count);
    const char *name;
    json_t *value;
    json_object_foreach(in->header, name, value) {
        if (strcmp(name, "__metadata__") == 0) continue;
        Entry *entry = &in->entries[in->count++];
        entry->name = name;
        if (!read_entry(value, entry, in->data_size, in->err))
            return rt_error_prefix(in->err, "tensor '%.80s'", name);
        if (entry->dtype != in->entries[0].dtype)
            return rt_error(in->err, "tensor '%.80s': expected %s, as the others have, found %s",
                            name, rt_dtype_names[in->entries[0].dtype],
                            rt_dtype_names[entry->dtype]);
    }
    if (!in->count) return rt_error(in->err, "expected tensors, found none");
    if (!check_layout(in)) return false;
    qsort(in->entries, in->count, sizeof *in->entries, by_name);
    return true;
}

/* `size` bytes from `at`, which the input has. */
static bool read_input(const Loader *in, size_t at, void *to, size_t size) {
    if (!in->input.bytes) return rt_file_read(in->input.fd, at, to, size, in->err);
    memcpy(to, in->input.bytes + at, size);
    return true;
}

/* The header's text, after its length was found to fit. */
static bool parse_header(Loader *in, size_t length) {
    if (!rt_charge(in->limits, length, 1, "the header", in->err)) return false;
    char *text = rt_calloc(length, 1);
    if (!text) return rt_error(in->err, "out of memory for a header of %zu bytes", length);
    if (!read_input(in, RT_LENGTH_BYTES, text, length))
        ;
    else if (*text != '{')
        rt_error(in->err, "expected a header that begins with '{': no safetensors file");
    else
        in->header = rt_json_parse(text, length, "header", in->limits, in->err);
    free(text);
    in->limits->used -= length;
    if (!in->header) return false;
    return json_is_object(in->header) || rt_error(in->err, "header: expected an object");
}

static bool read_header(Loader *in) {
    uint64_t length = 0;
    size_t size = in->input.size;
    if (size < RT_LENGTH_BYTES)
        return rt_error(in->err, "expected %d bytes of header length, found a file of %zu",
                        RT_LENGTH_BYTES, size);
    if (!read_input(in, 0, &length, RT_LENGTH_BYTES)) return false;
    length = le64toh(length);
    size_t rest = size - RT_LENGTH_BYTES;
    if (length > rest || length > RT_HEADER_LIMIT)
        return rt_error(in->err,
                        "expected a header of at most %zu bytes, found the length %" PRIu64
                        ": no safetensors file, or cut short",
                        rest < RT_HEADER_LIMIT ? rest : (size_t)RT_HEADER_LIMIT, length);
    if (length < 2)
        return rt_error(in->err, "expected a header that begins with '{': no safetensors file");
    in->data_at = RT_LENGTH_BYTES + (size_t)length;
    in->data_size = rest - (size_t)length;
    return parse_header(in, (size_t)length);
}

/* `format` and `model` of the metadata. */
static bool read_document(Loader *in) {
    const json_t *metadata = json_object_get(in->header, "__metadata__");
    if (!json_is_object(metadata))
        return rt_error(in->err, "expected __metadata__ in the header: a safetensors file, but not "
                                 "one of rasp's");
    const char *format = json_string_value(json_object_get(metadata, "format"));
    if (!format || strcmp(format, RT_FORMAT) != 0)
        return rt_error(in->err, "__metadata__: expected format '%s', found '%.60s'", RT_FORMAT,
                        format ? format : "nothing");
    const json_t *model = json_object_get(metadata, "model");
    if (!json_is_string(model))
        return rt_error(in->err, "__metadata__: expected a string as model");
    const char *text = json_string_value(model);
    size_t length = json_string_length(model);
    in->document = rt_json_parse(text, length, "model", in->limits, in->err);
    /* As much again for the Model that is made of it, texts excepted. */
    return in->document &&
           rt_charge(in->limits, rt_json_cost(text, length), 1, "the model", in->err);
}

static bool read_metadata(Loader *in, Model *model) {
    const json_t *metadata = json_object_get(in->header, "__metadata__");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)metadata, key, value) {
        if (strcmp(key, "format") == 0 || strcmp(key, "model") == 0) continue;
        if (json_object_set(model->metadata, key, value) != 0)
            return rt_error(in->err, "out of memory for the metadata '%.40s'", key);
    }
    return true;
}

static void convert(double *to, const unsigned char *bytes, size_t count, RtDtype dtype) {
    for (size_t i = 0; i < count; i++) {
        if (dtype == RT_F32) {
            uint32_t bits;
            float f;
            memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
            bits = le32toh(bits);
            memcpy(&f, &bits, sizeof f);
            to[i] = (double)f;
        } else {
            uint64_t bits;
            memcpy(&bits, bytes + i * sizeof bits, sizeof bits);
            bits = le64toh(bits);
            memcpy(&to[i], &bits, sizeof bits);
        }
    }
}

/* A piece at a time: a file's tensors are never in memory twice. */
static bool read_elements(const Loader *in, Tensor *tensor, const Entry *entry) {
    enum { PIECE = 4096 };
    unsigned char bytes[PIECE * sizeof(double)];
    size_t size = tensor_size(tensor), at = in->data_at + entry->begin;
    size_t element = rt_element_size(entry->dtype);
    for (size_t i = 0; i < size; i += PIECE) {
        size_t count = size - i < PIECE ? size - i : PIECE;
        if (!read_input(in, at + i * element, bytes, count * element)) return false;
        convert(tensor->data + i, bytes, count, entry->dtype);
    }
    return true;
}

/* Gives a tensor of the model what the file has under its name. */
static bool fill_tensor(const char *name, Tensor *tensor, void *context) {
    Loader *in = context;
    Entry wanted = {.name = name};
    Entry *entry = bsearch(&wanted, in->entries, in->count, sizeof wanted, by_name);
    if (!entry) return rt_error(in->err, "expected a tensor '%s', found none of that name", name);
    entry->used = true;
    tensor_free(tensor);
    if (!rt_charge(in->limits, (entry->end - entry->begin) / rt_element_size(entry->dtype),
                   sizeof(double), name, in->err))
        return false;
    *tensor = tensor_new(entry->shape[0], entry->shape[1]);
    if (!tensor->data)
        return rt_error(in->err, "tensor '%s': out of memory for %zu × %zu elements", name,
                        entry->shape[0], entry->shape[1]);
    return read_elements(in, tensor, entry);
}

static bool fill(Loader *in, Model *model) {
    if (!model_visit(model, fill_tensor, in)) return false;
    for (size_t i = 0; i < in->count; i++) {
        if (!in->entries[i].used)
            return rt_error(in->err, "tensor '%.80s': the model's layers have no such tensor",
                            in->entries[i].name);
    }
    model->width = model->tokens.cols;
    for (size_t l = 0; l < model->layer_count; l++) model->layers[l]->width = model->width;
    return read_metadata(in, model) && model_check(model, in->err);
}

static Model *load(Loader *in) {
    if (!read_header(in) || !read_document(in) || !read_entries(in)) return NULL;
    Model *model = rt_model_from_json(in->document, in->entries[0].dtype, in->count, in->err);
    if (!model) {
        rt_error_prefix(in->err, "model");
        return NULL;
    }
    if (fill(in, model)) return model;
    model_free(model);
    return NULL;
}

static Model *load_input(Input input, RtLimits *limits, RtError *err) {
    RtLimits none = {.memory = SIZE_MAX};
    Loader in = {.input = input, .limits = limits ? limits : &none, .err = err};
    Model *model = load(&in);
    json_decref(in.header);
    json_decref(in.document);
    free(in.entries);
    return model;
}

Model *model_load_bytes_within(const void *bytes, size_t size, RtLimits *limits, RtError *err) {
    return load_input((Input){bytes ? bytes : "", -1, size}, limits, err);
}

Model *model_load_within(const char *path, RtLimits *limits, RtError *err) {
    size_t size;
    int fd = rt_file_open(path, &size, err);
    if (fd < 0) return NULL;
    Model *model = load_input((Input){NULL, fd, size}, limits, err);
    close(fd);
    if (!model) rt_error_prefix(err, "%s", path);
    return model;
}

Model *model_load_bytes(const void *bytes, size_t size, RtError *err) {
    return model_load_bytes_within(bytes, size, NULL, err);
}

Model *model_load(const char *path, RtError *err) {
    return model_load_within(path, NULL, err);
}
