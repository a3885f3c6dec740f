/* model_check: every shape and invariant that the rest of the runtime relies on. */
#include "runtime/memory.h"
#include "runtime/model.h"
#include "runtime/model_json.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ATOM_TEXT = 128 };

/* Doubles hold every whole number up to here; beyond it two ints may be one number. */
static const int64_t exact_int = INT64_C(1) << 53;

static bool check_shape(const char *place, const Tensor *t, size_t rows, size_t cols,
                        RtError *err) {
    if (t->rows == rows && t->cols == cols && t->data) return true;
    return rt_error(err, "%s: expected shape [%zu, %zu], found [%zu, %zu]%s", place, rows, cols,
                    t->rows, t->cols, t->data ? "" : " without data");
}

static double greatest(RtDtype dtype) {
    return dtype == RT_F32 ? (double)FLT_MAX : DBL_MAX;
}

typedef struct {
    RtDtype dtype;
    RtError *err;
} Finite;

static bool check_finite(const char *name, Tensor *tensor, void *context) {
    const Finite *finite = context;
    double limit = greatest(finite->dtype);
    for (size_t i = 0; i < tensor_size(tensor); i++) {
        if (fabs(tensor->data[i]) <= limit) continue;
        return rt_error(finite->err, "%s[%zu, %zu]: expected a finite %s weight, found %g", name,
                        i / tensor->cols, i % tensor->cols, rt_dtype_names[finite->dtype],
                        tensor->data[i]);
    }
    return true;
}

/* What a JSON string may hold (RFC 3629): no overlong forms, surrogates, or more than U+10FFFF.
 * jansson would say so too, but says the same when memory runs out. */
static bool is_utf8(const char *text, size_t length) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    for (size_t at = 0; at < length;) {
        unsigned char lead = (unsigned char)text[at++];
        size_t more = lead < 0x80 ? 0 : lead >> 5 == 6 ? 1 : lead >> 4 == 14 ? 2 : 3;
        uint32_t c = more ? lead & (0x3fu >> more) : lead;
        if (more == 3 && lead >> 3 != 30) return false;
        if (length - at < more) return false;
        for (size_t k = 0; k < more; k++, at++) {
            if (((unsigned char)text[at] & 0xc0) != 0x80) return false;
            c = c << 6 | ((unsigned char)text[at] & 0x3f);
        }
        if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    }
    return true;
}

static bool check_atom(const RtAtom *atom, RtError *err) {
    if ((unsigned)atom->kind >= RT_KIND_COUNT)
        return rt_error(err, "expected an atom, found kind %d", (int)atom->kind);
    if (atom->kind == RT_FLOAT && !isfinite(atom->u.f))
        return rt_error(err, "expected a finite number, found %g", atom->u.f);
    return atom->kind != RT_STRING || is_utf8(atom->u.s.bytes, atom->u.s.length) ||
           rt_error(err, "expected a UTF-8 string");
}

typedef struct {
    const RtAtom *atom;
    size_t index;
} Place;

static int compare_places(const void *a, const void *b) {
    const Place *x = a, *y = b;
    int order = rt_atom_compare(x->atom, y->atom);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static bool check_distinct(const Model *model, RtError *err) {
    size_t v = model->alphabet_size;
    Place *places = rt_calloc(v, sizeof *places);
    if (!places) return rt_error(err, "out of memory for %zu tokens", v);
    for (size_t i = 0; i < v; i++) places[i] = (Place){&model->alphabet[i], i};
    qsort(places, v, sizeof *places, compare_places);
    bool ok = true;
    for (size_t i = 1; ok && i < v; i++) {
        char text[ATOM_TEXT];
        if (rt_atom_compare(places[i - 1].atom, places[i].atom) == 0)
            ok = rt_error(err, "alphabet[%zu]: expected different tokens, found %s, as in [%zu]",
                          places[i].index, rt_atom_text(places[i].atom, text, sizeof text),
                          places[i - 1].index);
    }
    free(places);
    return ok;
}

static bool check_alphabet(const Model *model, RtError *err) {
    if ((unsigned)model->token_type >= RT_KIND_COUNT)
        return rt_error(err, "token_type: no such kind: %d", (int)model->token_type);
    for (size_t i = 0; i < model->alphabet_size; i++) {
        const RtAtom *token = &model->alphabet[i];
        char text[ATOM_TEXT];
        if (!check_atom(token, err)) return rt_error_prefix(err, "alphabet[%zu]", i);
        if (token->kind != model->token_type)
            return rt_error(err, "alphabet[%zu]: expected a token of type %s, found the %s %s", i,
                            rt_kind_names[model->token_type], rt_kind_names[token->kind],
                            rt_atom_text(token, text, sizeof text));
    }
    return check_distinct(model, err);
}

static bool check_options(const ModelHead *head, RtError *err) {
    if ((unsigned)head->mask >= RT_MASK_COUNT)
        return rt_error(err, "mask: no such mask: %d", (int)head->mask);
    if ((unsigned)head->scale >= RT_SCALE_COUNT)
        return rt_error(err, "scale: no such scale: %d", (int)head->scale);
    if (!(head->gap > 0) || !isfinite(head->gap))
        return rt_error(err, "gap: expected a positive number, found %g", head->gap);
    bool strict = head->mask == RT_MASK_STRICT_CAUSAL || head->mask == RT_MASK_STRICT_ANTICAUSAL;
    if (strict && !head->sink)
        return rt_error(err,
                        "mask %s without the sink leaves a row with no key to attend to; set sink "
                        "to true",
                        rt_mask_names[head->mask]);
    return true;
}

static bool check_bias(const Model *model, const ModelHead *head, RtError *err) {
    return rt_bias_check(&head->bias, model->max_length, greatest(model->dtype), head->sink, err) ||
           rt_error_prefix(err, "bias");
}

static bool check_head(const Model *model, const ModelHead *head, RtError *err) {
    size_t width = model->width;
    size_t d = head->query.cols, c = head->value.cols;
    if (d == 0 || c == 0)
        return rt_error(err, "expected sizes D, C of at least 1, found D = %zu, C = %zu", d, c);
    return check_shape("query", &head->query, width, d, err) &&
           check_shape("key", &head->key, width, d, err) &&
           check_shape("value", &head->value, width, c, err) &&
           check_shape("output", &head->output, c, width, err) && check_options(head, err) &&
           check_bias(model, head, err) && rt_extra_check(head->extra, rt_head_keys, err);
}

static bool check_mlp(const ModelMlp *mlp, size_t width, RtError *err) {
    size_t u = mlp->in.cols;
    if (u == 0) return rt_error(err, "expected at least 1 hidden unit, found none");
    return check_shape("in", &mlp->in, width, u, err) &&
           check_shape("in_bias", &mlp->in_bias, 1, u, err) &&
           check_shape("out", &mlp->out, u, width, err) &&
           check_shape("out_bias", &mlp->out_bias, 1, width, err) &&
           rt_extra_check(mlp->extra, rt_mlp_keys, err);
}

static bool check_layer(const Model *model, const ModelLayer *layer, RtError *err) {
    size_t width = model->width;
    if (layer->width != width)
        return rt_error(err, "expected the width %zu, found %zu", width, layer->width);
    for (size_t h = 0; h < layer->head_count; h++) {
        if (!check_head(model, layer->heads[h], err)) return rt_error_prefix(err, "heads.%zu", h);
    }
    for (size_t m = 0; m < layer->mlp_count; m++) {
        if (!check_mlp(layer->mlps[m], width, err)) return rt_error_prefix(err, "mlps.%zu", m);
    }
    return rt_extra_check(layer->extra, rt_layer_keys, err);
}

static bool check_values(const ModelOutput *output, RtError *err) {
    for (size_t k = 0; k < output->value_count; k++) {
        const RtAtom *value = &output->values[k];
        if (!check_atom(value, err)) return rt_error_prefix(err, "values[%zu]", k);
        if (output->places && !isfinite(output->places[k]))
            return rt_error(err, "places[%zu]: expected a finite number", k);
        if (output->decode != RT_DECODE_NEAREST || output->places) continue;
        if (value->kind != RT_INT && value->kind != RT_FLOAT)
            return rt_error(err, "values[%zu]: expected a number, as decode is nearest, found a %s",
                            k, rt_kind_names[value->kind]);
        if (value->kind == RT_INT && (value->u.i > exact_int || value->u.i < -exact_int))
            return rt_error(err,
                            "values[%zu]: expected a whole number within ±2^53, as decode is "
                            "nearest, found %lld",
                            k, (long long)value->u.i);
    }
    return true;
}

/* From a whole number to one that is no less. */
static bool check_ends(const ModelOutput *output, RtError *err) {
    const RtAtom *end = output->values;
    char text[ATOM_TEXT];
    if (output->value_count != 2)
        return rt_error(err,
                        "values: expected the least and the greatest for decode whole, found %zu",
                        output->value_count);
    for (size_t k = 0; k < 2; k++)
        if (end[k].kind != RT_INT || end[k].u.i > exact_int || end[k].u.i < -exact_int)
            return rt_error(err,
                            "values[%zu]: expected a whole number within ±2^53, as decode is "
                            "whole, found %s",
                            k, rt_atom_text(&end[k], text, sizeof text));
    return end[0].u.i <= end[1].u.i ||
           rt_error(err, "values: expected the least before the greatest for decode whole");
}

static bool check_output(const Model *model, const ModelOutput *output, RtError *err) {
    size_t count = output->value_count, width = model->width;
    if ((unsigned)output->decode >= RT_DECODE_COUNT)
        return rt_error(err, "decode: no such decoder: %d", (int)output->decode);
    bool number = output->decode == RT_DECODE_NUMBER;
    if (number && model->dtype != RT_F64)
        return rt_error(err, "decode number needs dtype F64, found %s",
                        rt_dtype_names[model->dtype]);
    if (number != (count == 0))
        return rt_error(err, "values: expected %s for decode %s, found %zu",
                        number ? "none" : "at least one", rt_decode_names[output->decode], count);
    if (output->places && output->decode != RT_DECODE_NEAREST)
        return rt_error(err, "places: expected none for decode %s",
                        rt_decode_names[output->decode]);
    size_t dims = output->decode == RT_DECODE_ARGMAX ? count : 1;
    if (dims > width || output->start > width - dims)
        return rt_error(err, "expected dimensions within the width %zu, found %zu at start %zu",
                        width, dims, output->start);
    return check_values(output, err) &&
           (output->decode != RT_DECODE_WHOLE || check_ends(output, err)) &&
           rt_extra_check(output->extra, rt_output_keys, err);
}

static int compare_names(const void *a, const void *b) {
    const ModelOutput *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static bool check_names(const Model *model, RtError *err) {
    size_t count = model->output_count;
    const ModelOutput **sorted = rt_calloc(count, sizeof *sorted);
    if (!sorted) return rt_error(err, "out of memory for %zu outputs", count);
    for (size_t i = 0; i < count; i++) sorted[i] = model->outputs[i];
    qsort(sorted, count, sizeof *sorted, compare_names);
    bool ok = true;
    for (size_t i = 1; ok && i < count; i++)
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0)
            ok = rt_error(err, "outputs: expected different names, found '%.200s' twice",
                          sorted[i]->name);
    free(sorted);
    return ok;
}

static bool check_outputs(const Model *model, RtError *err) {
    if (model->output_count == 0)
        return rt_error(err, "outputs: expected at least one, found none");
    for (size_t i = 0; i < model->output_count; i++) {
        const ModelOutput *output = model->outputs[i];
        if (!is_utf8(output->name, strlen(output->name)))
            return rt_error(err, "outputs[%zu].name: expected a UTF-8 string", i);
        if (!check_output(model, output, err))
            return rt_error_prefix(err, "outputs[%zu] ('%s')", i, output->name);
    }
    return check_names(model, err);
}

static bool check_sizes(const Model *model, RtError *err) {
    if ((unsigned)model->dtype >= RT_DTYPE_COUNT)
        return rt_error(err, "dtype: no such type: %d", (int)model->dtype);
    if ((unsigned)model->kernel >= RT_RULE_COUNT || !rt_rules[model->kernel].kernel)
        return rt_error(err, "kernel: expected softmax or what may stand for it, found rule %d",
                        (int)model->kernel);
    bool small = model->alphabet_size < PTRDIFF_MAX && model->max_length < PTRDIFF_MAX;
    if (small && model->alphabet_size && model->max_length && model->width) return true;
    return rt_error(err,
                    "expected alphabet, max_length and width of at least 1, found %zu tokens, "
                    "max_length %zu, width %zu",
                    model->alphabet_size, model->max_length, model->width);
}

bool model_check(const Model *model, RtError *err) {
    size_t width = model->width;
    if (!check_sizes(model, err) || !check_alphabet(model, err)) return false;
    if (!check_shape("embed.tokens", &model->tokens, model->alphabet_size + 1, width, err) ||
        !check_shape("embed.positions", &model->positions, model->max_length + 1, width, err))
        return false;
    for (size_t l = 0; l < model->layer_count; l++) {
        if (!check_layer(model, model->layers[l], err))
            return rt_error_prefix(err, "layers.%zu", l);
    }
    Finite finite = {model->dtype, err};
    return check_outputs(model, err) && model_visit(model, check_finite, &finite) &&
           rt_extra_check(model->extra, rt_model_keys, err) &&
           rt_metadata_check(model->metadata, err);
}
