#include "cli/view_data.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What weights files are: little-endian, as every machine that this runs on. */
typedef struct Stored {
    const unsigned char *bytes;
    size_t count, size; /* weights; bytes of one */
} Stored;

static double weight_at(const Stored *stored, size_t k) {
    float single;
    double wide;
    if (stored->size == sizeof single) {
        memcpy(&single, stored->bytes + k * sizeof single, sizeof single);
        return (double)single;
    }
    memcpy(&wide, stored->bytes + k * sizeof wide, sizeof wide);
    return wide;
}

/* In as few digits as read back exactly, in the tensor's type. */
static void put_weight(Json *j, double weight, size_t size) {
    char text[64];
    int digits = size == sizeof(float) ? 6 : 15;
    do {
        snprintf(text, sizeof text, "%.*g", digits++, weight);
        double back = strtod(text, NULL);
        if (size == sizeof(float) ? (float)back == (float)weight : back == weight) break;
    } while (digits <= 17);
    json_ready(j, NULL, text);
}

/* Both sizes of the shape: a vector is one row. */
static void put_shape(Json *j, const json_t *shape) {
    size_t rank = json_array_size(shape);
    json_begin_array(j, "shape");
    json_count(j, NULL, rank == 1 ? 1 : (size_t)json_integer_value(json_array_get(shape, 0)));
    json_count(j, NULL, (size_t)json_integer_value(json_array_get(shape, rank - 1)));
    json_end(j);
}

static void put_tensor(Json *j, const char *name, const json_t *entry, const unsigned char *data) {
    const json_t *offsets = json_object_get(entry, "data_offsets");
    size_t begin = (size_t)json_integer_value(json_array_get(offsets, 0));
    size_t end = (size_t)json_integer_value(json_array_get(offsets, 1));
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    Stored stored = {data + begin, 0, strcmp(type, "F32") == 0 ? sizeof(float) : sizeof(double)};
    stored.count = (end - begin) / stored.size;
    json_begin_object(j, name);
    put_shape(j, json_object_get(entry, "shape"));
    json_begin_array(j, "gaps");
    for (size_t k = 0, last = SIZE_MAX; k < stored.count; k++) {
        if (weight_at(&stored, k) == 0) continue;
        json_count(j, NULL, k - last);
        last = k;
    }
    json_end(j);
    json_begin_array(j, "values");
    for (size_t k = 0; k < stored.count; k++)
        if (weight_at(&stored, k) != 0) put_weight(j, weight_at(&stored, k), stored.size);
    json_end(j);
    json_end(j);
}

bool view_data_open(ViewData *d, const unsigned char *file) {
    uint64_t size;
    memcpy(&size, file, sizeof size);
    d->tensors = file + sizeof size + size;
    d->header = json_loadb((const char *)file + sizeof size, (size_t)size, JSON_ALLOW_NUL, NULL);
    const json_t *metadata = json_object_get(d->header, "__metadata__");
    const json_t *model = json_object_get(metadata, "model");
    if (model)
        d->document =
            json_loadb(json_string_value(model), json_string_length(model), JSON_ALLOW_NUL, NULL);
    return d->document != NULL;
}

void view_data_close(ViewData *d) {
    json_decref(d->document);
    json_decref(d->header);
}

void view_weights_write(Json *j, const ViewData *d) {
    const char *name;
    json_t *entry;
    json_begin_object(j, "weights");
    json_object_foreach(d->header, name, entry) {
        if (json_object_get(entry, "data_offsets")) put_tensor(j, name, entry, d->tensors);
    }
    json_end(j);
}
