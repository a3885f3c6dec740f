#include "runtime/model_json.h"

#include "runtime/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rt_model_keys[] = {"token_type", "max_length", "kernel", "alphabet",
                                     "layers",     "outputs",    NULL};
const char *const rt_layer_keys[] = {"heads", "mlps", "sublayers", NULL};
const char *const rt_head_keys[] = {"mask", "sink", "scale", "gap", "bias", NULL};
const char *const rt_mlp_keys[] = {NULL};
const char *const rt_output_keys[] = {"name", "decode", "start", "values", "places", NULL};
static const char *const bias_keys[] = {"form", "from", "values", NULL};
static const char *const metadata_keys[] = {"format", "model", NULL};

static bool is_key(const char *key, const char *const *keys) {
    while (*keys && strcmp(*keys, key) != 0) keys++;
    return *keys != NULL;
}

bool rt_extra_check(const json_t *extra, const char *const *keys, RtError *err) {
    if (!json_is_object(extra)) return rt_error(err, "extra: expected a JSON object");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)extra, key, value) {
        if (is_key(key, keys))
            return rt_error(err, "extra: '%s' is the runtime's own key, set the field", key);
    }
    return true;
}

bool rt_metadata_check(const json_t *metadata, RtError *err) {
    if (!rt_extra_check(metadata, metadata_keys, err)) return rt_error_prefix(err, "__metadata__");
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)metadata, key, value) {
        if (!json_is_string(value))
            return rt_error(err, "__metadata__: expected a string as '%.80s'", key);
    }
    return true;
}

/* ---- writing ---- */

static void put_extra(Text *text, const json_t *extra, const char *separator) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)extra, key, value) {
        rt_text_put(text, separator);
        rt_text_json_string(text, key, strlen(key));
        rt_text_put(text, ":");
        rt_text_json(text, value);
        separator = ",";
    }
}

/* JSON has no −∞: null stands for it. */
static void put_bias(Text *text, const HeadBias *bias) {
    if (bias->form == RT_BIAS_NONE) return;
    rt_text_put(text, ",\"bias\":{\"form\":\"");
    rt_text_put(text, rt_bias_names[bias->form]);
    rt_text_put(text, "\"");
    if (bias->from) {
        rt_text_put(text, ",\"from\":-");
        rt_text_size(text, 0 - (size_t)bias->from);
    }
    for (size_t k = 0; k < bias->count; k++) {
        rt_text_put(text, k ? "," : ",\"values\":[");
        if (bias->values[k] == -INFINITY)
            rt_text_put(text, "null");
        else
            rt_text_number(text, bias->values[k]);
    }
    rt_text_put(text, "]}");
}

static void put_head(Text *text, const ModelHead *head) {
    rt_text_put(text, "{\"mask\":\"");
    rt_text_put(text, rt_mask_names[head->mask]);
    rt_text_put(text,
                head->sink ? "\",\"sink\":true,\"scale\":\"" : "\",\"sink\":false,\"scale\":\"");
    rt_text_put(text, rt_scale_names[head->scale]);
    rt_text_put(text, "\",\"gap\":");
    rt_text_number(text, head->gap);
    put_bias(text, &head->bias);
    put_extra(text, head->extra, ",");
    rt_text_put(text, "}");
}

/* `mlps` is a count, as the format has it; what is known about each goes beside it. */
static void put_sublayers(Text *text, const ModelLayer *layer) {
    size_t said = 0;
    for (size_t m = 0; m < layer->mlp_count; m++) said += json_object_size(layer->mlps[m]->extra);
    if (!said) return;
    for (size_t m = 0; m < layer->mlp_count; m++) {
        rt_text_put(text, m ? ",{" : ",\"sublayers\":[{");
        put_extra(text, layer->mlps[m]->extra, "");
        rt_text_put(text, "}");
    }
    rt_text_put(text, "]");
}

static void put_layer(Text *text, const ModelLayer *layer) {
    rt_text_put(text, "{\"heads\":[");
    for (size_t h = 0; h < layer->head_count; h++) {
        if (h) rt_text_put(text, ",");
        put_head(text, layer->heads[h]);
    }
    rt_text_put(text, "],\"mlps\":");
    rt_text_size(text, layer->mlp_count);
    put_sublayers(text, layer);
    put_extra(text, layer->extra, ",");
    rt_text_put(text, "}");
}

static void put_atoms(Text *text, const RtAtom *atoms, size_t count) {
    rt_text_put(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) rt_text_put(text, ",");
        rt_text_atom(text, &atoms[i]);
    }
    rt_text_put(text, "]");
}

static void put_places(Text *text, const ModelOutput *output) {
    rt_text_put(text, ",\"places\":[");
    for (size_t k = 0; k < output->value_count; k++) {
        if (k) rt_text_put(text, ",");
        rt_text_number(text, output->places[k]);
    }
    rt_text_put(text, "]");
}

static void put_output(Text *text, const ModelOutput *output) {
    rt_text_put(text, "{\"name\":");
    rt_text_json_string(text, output->name, strlen(output->name));
    rt_text_put(text, ",\"decode\":\"");
    rt_text_put(text, rt_decode_names[output->decode]);
    rt_text_put(text, "\",\"start\":");
    rt_text_size(text, output->start);
    if (output->decode != RT_DECODE_NUMBER) {
        rt_text_put(text, ",\"values\":");
        put_atoms(text, output->values, output->value_count);
    }
    if (output->places) put_places(text, output);
    put_extra(text, output->extra, ",");
    rt_text_put(text, "}");
}

void rt_model_to_json(Text *text, const Model *model) {
    rt_text_put(text, "{\"token_type\":\"");
    rt_text_put(text, rt_kind_names[model->token_type]);
    rt_text_put(text, "\",\"max_length\":");
    rt_text_size(text, model->max_length);
    if (model->kernel != RT_SOFTMAX) {
        rt_text_put(text, ",\"kernel\":\"");
        rt_text_put(text, rt_rules[model->kernel].name);
        rt_text_put(text, "\"");
    }
    rt_text_put(text, ",\"alphabet\":");
    put_atoms(text, model->alphabet, model->alphabet_size);
    rt_text_put(text, ",\"layers\":[");
    for (size_t l = 0; l < model->layer_count; l++) {
        if (l) rt_text_put(text, ",");
        put_layer(text, model->layers[l]);
    }
    rt_text_put(text, "],\"outputs\":[");
    for (size_t i = 0; i < model->output_count; i++) {
        if (i) rt_text_put(text, ",");
        put_output(text, model->outputs[i]);
    }
    rt_text_put(text, "]");
    put_extra(text, model->extra, ",");
    rt_text_put(text, "}");
}

/* ---- reading ----
 *
 * The get_* functions read one member of an object into *out, or say what was expected. */

static const char *type_name(const json_t *value) {
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "an int",   [JSON_REAL] = "a float",   [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return value ? names[json_typeof(value)] : "nothing";
}

static bool get_size(const json_t *object, const char *key, size_t *out, RtError *err) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value))
        return rt_error(err, "%s: expected an int, found %s", key, type_name(value));
    json_int_t i = json_integer_value(value);
    if (i < 0) return rt_error(err, "%s: expected a count, found %lld", key, (long long)i);
    *out = (size_t)i;
    return true;
}

static bool get_array(const json_t *object, const char *key, const json_t **out, RtError *err) {
    *out = json_object_get(object, key);
    if (json_is_array(*out)) return true;
    return rt_error(err, "%s: expected an array, found %s", key, type_name(*out));
}

/* One of `count` names; the index goes to *out. */
static bool get_name(const json_t *object, const char *key, const char *const *names, size_t count,
                     size_t *out, RtError *err) {
    const json_t *value = json_object_get(object, key);
    const char *found = json_string_value(value);
    for (size_t i = 0; found && i < count; i++) {
        *out = i;
        if (strcmp(names[i], found) == 0) return true;
    }
    char all[128] = "";
    for (size_t i = 0; i < count; i++) {
        if (i) strcat(all, ", ");
        strcat(all, names[i]);
    }
    if (found) return rt_error(err, "%s: expected one of %s, found '%.40s'", key, all, found);
    return rt_error(err, "%s: expected one of %s, found %s", key, all, type_name(value));
}

/* Copies the members of `object` that are none of `keys`. */
static bool get_extra(const json_t *object, const char *const *keys, json_t *extra, RtError *err) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        if (!is_key(key, keys) && json_object_set(extra, key, value) != 0)
            return rt_error(err, "out of memory for the key '%.40s'", key);
    }
    return true;
}

static bool get_atom(const json_t *value, RtAtom *out, RtError *err) {
    switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_STRING:
        *out = rt_string(json_string_value(value), json_string_length(value));
        return true;
    case JSON_INTEGER:
        *out = rt_int(json_integer_value(value));
        return true;
    case JSON_REAL:
        *out = rt_float(json_real_value(value));
        return true;
    case JSON_TRUE:
        *out = rt_bool(true);
        return true;
    case JSON_FALSE:
        *out = rt_bool(false);
        return true;
    default:
        return rt_error(err, "expected a string, a number or a boolean, found %s",
                        type_name(value));
    }
}

/* An array of atoms whose strings still belong to the JSON; free() it. */
static RtAtom *get_atoms(const json_t *object, const char *key, size_t *count, RtError *err) {
    const json_t *array;
    if (!get_array(object, key, &array, err)) return NULL;
    *count = json_array_size(array);
    RtAtom *atoms = rt_calloc(*count, sizeof *atoms);
    if (!atoms) rt_error(err, "%s: out of memory for %zu values", key, *count);
    for (size_t i = 0; atoms && i < *count; i++) {
        if (get_atom(json_array_get(array, i), &atoms[i], err)) continue;
        rt_error_prefix(err, "%s[%zu]", key, i);
        free(atoms);
        atoms = NULL;
    }
    return atoms;
}

/* The numbers of `array` into `values`; null is −∞. */
static bool get_numbers(const json_t *array, double *values, RtError *err) {
    for (size_t k = 0; k < json_array_size(array); k++) {
        const json_t *value = json_array_get(array, k);
        if (!json_is_number(value) && !json_is_null(value))
            return rt_error(err, "values[%zu]: expected a number or null, found %s", k,
                            type_name(value));
        values[k] = json_is_null(value) ? -INFINITY : json_number_value(value);
    }
    return true;
}

static bool read_values(ModelHead *head, const json_t *object, size_t form, ptrdiff_t from,
                        RtError *err) {
    const json_t *array;
    if (!get_array(object, "values", &array, err)) return false;
    size_t count = json_array_size(array);
    double *values = rt_calloc(count, sizeof *values);
    if (!values) return rt_error(err, "out of memory for %zu numbers", count);
    bool fine = get_numbers(array, values, err);
    if (fine && !head_set_bias(head, (RtBiasForm)form, from, values, count))
        fine = rt_error(err, "out of memory for %zu numbers", count);
    free(values);
    return fine;
}

static bool read_bias(ModelHead *head, const json_t *object, RtError *err) {
    const json_t *from = json_object_get(object, "from");
    const char *key;
    json_t *value;
    size_t form;
    if (!json_is_object(object))
        return rt_error(err, "expected an object, found %s", type_name(object));
    json_object_foreach((json_t *)object, key, value) {
        if (!is_key(key, bias_keys)) return rt_error(err, "expected no key '%.40s'", key);
    }
    if (!get_name(object, "form", rt_bias_names + 1, RT_BIAS_COUNT - 1, &form, err)) return false;
    if (from && !json_is_integer(from))
        return rt_error(err, "from: expected an int, found %s", type_name(from));
    return read_values(head, object, form + 1, from ? (ptrdiff_t)json_integer_value(from) : 0, err);
}

static bool read_head(ModelLayer *layer, const json_t *object, RtError *err) {
    if (!json_is_object(object))
        return rt_error(err, "expected an object, found %s", type_name(object));
    ModelHead *head = layer_add_head(layer, 0, 0);
    if (!head) return rt_error(err, "out of memory");
    size_t mask, scale;
    if (!get_name(object, "mask", rt_mask_names, RT_MASK_COUNT, &mask, err)) return false;
    if (!get_name(object, "scale", rt_scale_names, RT_SCALE_COUNT, &scale, err)) return false;
    const json_t *sink = json_object_get(object, "sink"), *gap = json_object_get(object, "gap");
    if (!json_is_boolean(sink))
        return rt_error(err, "sink: expected true or false, found %s", type_name(sink));
    if (!json_is_number(gap))
        return rt_error(err, "gap: expected a number, found %s", type_name(gap));
    head->mask = (RtMask)mask;
    head->scale = (RtScale)scale;
    head->sink = json_is_true(sink);
    head->gap = json_number_value(gap);
    const json_t *bias = json_object_get(object, "bias");
    if (bias && !read_bias(head, bias, err)) return rt_error_prefix(err, "bias");
    return get_extra(object, rt_head_keys, head->extra, err);
}

static bool read_sublayers(ModelLayer *layer, const json_t *object, RtError *err) {
    const json_t *array = json_object_get(object, "sublayers");
    if (!array) return true;
    if (!json_is_array(array) || json_array_size(array) != layer->mlp_count)
        return rt_error(err, "sublayers: expected an array of %zu, as mlps says, found %s of %zu",
                        layer->mlp_count, type_name(array), json_array_size(array));
    for (size_t m = 0; m < layer->mlp_count; m++) {
        const json_t *extra = json_array_get(array, m);
        if (!json_is_object(extra))
            return rt_error(err, "sublayers[%zu]: expected an object, found %s", m,
                            type_name(extra));
        if (!get_extra(extra, rt_mlp_keys, layer->mlps[m]->extra, err)) return false;
    }
    return true;
}

/* *mlp_limit: how many more sublayers the file can have tensors for. */
static bool read_layer(Model *model, const json_t *object, size_t *mlp_limit, RtError *err) {
    if (!json_is_object(object))
        return rt_error(err, "expected an object, found %s", type_name(object));
    ModelLayer *layer = model_add_layer(model);
    if (!layer) return rt_error(err, "out of memory");
    const json_t *heads;
    size_t mlps;
    if (!get_array(object, "heads", &heads, err)) return false;
    for (size_t h = 0; h < json_array_size(heads); h++) {
        if (!read_head(layer, json_array_get(heads, h), err))
            return rt_error_prefix(err, "heads[%zu]", h);
    }
    if (!get_size(object, "mlps", &mlps, err)) return false;
    if (mlps > *mlp_limit)
        return rt_error(err, "mlps: expected at most %zu, for which there are tensors, found %zu",
                        *mlp_limit, mlps);
    *mlp_limit -= mlps;
    for (size_t m = 0; m < mlps; m++) {
        if (!layer_add_mlp(layer, 0)) return rt_error(err, "out of memory");
    }
    return read_sublayers(layer, object, err) &&
           get_extra(object, rt_layer_keys, layer->extra, err);
}

static bool read_layers(Model *model, const json_t *document, size_t mlp_limit, RtError *err) {
    const json_t *layers;
    if (!get_array(document, "layers", &layers, err)) return false;
    for (size_t l = 0; l < json_array_size(layers); l++) {
        if (!read_layer(model, json_array_get(layers, l), &mlp_limit, err))
            return rt_error_prefix(err, "layers[%zu]", l);
    }
    return true;
}

static bool read_places(ModelOutput *output, const json_t *object, RtError *err) {
    const json_t *array;
    if (!json_object_get(object, "places")) return true;
    if (!get_array(object, "places", &array, err)) return false;
    size_t count = json_array_size(array);
    if (count != output->value_count)
        return rt_error(err, "places: expected one for each of the %zu values, found %zu",
                        output->value_count, count);
    double *places = rt_calloc(count, sizeof *places);
    bool fine = places != NULL;
    if (!fine) rt_error(err, "out of memory for %zu places", count);
    for (size_t k = 0; k < count && fine; k++) {
        const json_t *place = json_array_get(array, k);
        fine = json_is_number(place);
        if (!fine)
            rt_error(err, "places[%zu]: expected a number, found %s", k, type_name(place));
        else
            places[k] = json_number_value(place);
    }
    if (fine && !output_set_places(output, places))
        fine = rt_error(err, "out of memory for %zu places", count);
    free(places);
    return fine;
}

static bool read_output(Model *model, const json_t *object, RtError *err) {
    if (!json_is_object(object))
        return rt_error(err, "expected an object, found %s", type_name(object));
    const json_t *name = json_object_get(object, "name");
    if (!json_is_string(name))
        return rt_error(err, "name: expected a string, found %s", type_name(name));
    if (strlen(json_string_value(name)) != json_string_length(name))
        return rt_error(err, "name: expected a string without NUL characters");
    size_t decode, start, count = 0;
    if (!get_name(object, "decode", rt_decode_names, RT_DECODE_COUNT, &decode, err)) return false;
    if (!get_size(object, "start", &start, err)) return false;
    RtAtom *values = NULL;
    if (decode != RT_DECODE_NUMBER || json_object_get(object, "values")) {
        values = get_atoms(object, "values", &count, err);
        if (!values) return false;
    }
    ModelOutput *output =
        model_add_output(model, json_string_value(name), (RtDecode)decode, start, values, count);
    free(values);
    if (!output) return rt_error(err, "out of memory for %zu values", count);
    return read_places(output, object, err) &&
           get_extra(object, rt_output_keys, output->extra, err);
}

static bool read_outputs(Model *model, const json_t *document, RtError *err) {
    const json_t *outputs;
    if (!get_array(document, "outputs", &outputs, err)) return false;
    for (size_t i = 0; i < json_array_size(outputs); i++) {
        if (!read_output(model, json_array_get(outputs, i), err))
            return rt_error_prefix(err, "outputs[%zu]", i);
    }
    return true;
}

/* Left out for softmax. */
static bool read_kernel(Model *model, const json_t *document, RtError *err) {
    const char *names[RT_RULE_COUNT];
    RtRule rules[RT_RULE_COUNT];
    size_t count = 0, found;
    if (!json_object_get(document, "kernel")) return true;
    for (int r = 0; r < RT_RULE_COUNT; r++) {
        if (!rt_rules[r].kernel) continue;
        names[count] = rt_rules[r].name;
        rules[count++] = (RtRule)r;
    }
    if (!get_name(document, "kernel", names, count, &found, err)) return false;
    model->kernel = rules[found];
    return true;
}

Model *rt_model_from_json(const json_t *document, RtDtype dtype, size_t mlp_limit, RtError *err) {
    if (!json_is_object(document)) {
        rt_error(err, "expected an object, found %s", type_name(document));
        return NULL;
    }
    size_t kind, max_length, size = 0;
    if (!get_name(document, "token_type", rt_kind_names, RT_KIND_COUNT, &kind, err)) return NULL;
    if (!get_size(document, "max_length", &max_length, err)) return NULL;
    RtAtom *alphabet = get_atoms(document, "alphabet", &size, err);
    if (!alphabet) return NULL;
    Model *model = model_new(dtype, (RtKind)kind, alphabet, size, 0, 0);
    free(alphabet);
    if (!model) {
        rt_error(err, "out of memory for %zu tokens", size);
        return NULL;
    }
    model->max_length = max_length;
    if (read_kernel(model, document, err) && read_layers(model, document, mlp_limit, err) &&
        read_outputs(model, document, err) && get_extra(document, rt_model_keys, model->extra, err))
        return model;
    model_free(model);
    return NULL;
}
