#include "compile/prove/difference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static bool differs(Difference *d, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(d->shape, sizeof d->shape, format, args);
    va_end(args);
    return false;
}

/* --- shapes -------------------------------------------------------------------------------- */

static bool same_size(Difference *d, const char *what, size_t expected, size_t found) {
    return expected == found || differs(d, "%s: expected %zu, found %zu", what, expected, found);
}

static bool same_atoms(Difference *d, const char *what, const RtAtom *a, const RtAtom *b,
                       size_t count) {
    char x[48], y[48];
    for (size_t k = 0; k < count; k++)
        if (rt_atom_compare(&a[k], &b[k]) != 0)
            return differs(d, "%s %zu: expected %s, found %s", what, k,
                           rt_atom_text(&a[k], x, sizeof x), rt_atom_text(&b[k], y, sizeof y));
    return true;
}

static bool same_head(Difference *d, const ModelHead *a, const ModelHead *b, size_t l, size_t h) {
    if (a->query.cols != b->query.cols || a->value.cols != b->value.cols)
        return differs(d, "head %zu of layer %zu: expected rank %zu and %zu values, found %zu, %zu",
                       h + 1, l + 1, a->query.cols, a->value.cols, b->query.cols, b->value.cols);
    if (a->mask != b->mask)
        return differs(d, "head %zu of layer %zu: expected mask %s, found %s", h + 1, l + 1,
                       rt_mask_names[a->mask], rt_mask_names[b->mask]);
    if (a->sink != b->sink || a->scale != b->scale || a->gap != b->gap)
        return differs(d, "head %zu of layer %zu: another sink, scale or gap", h + 1, l + 1);
    if (a->bias.form != b->bias.form)
        return differs(d, "head %zu of layer %zu: expected the position bias %s, found %s", h + 1,
                       l + 1, rt_bias_names[a->bias.form], rt_bias_names[b->bias.form]);
    return true;
}

static bool same_layer(Difference *d, const ModelLayer *a, const ModelLayer *b, size_t l) {
    if (!same_size(d, "heads of a layer", a->head_count, b->head_count) ||
        !same_size(d, "feed-forward sublayers of a layer", a->mlp_count, b->mlp_count))
        return false;
    for (size_t h = 0; h < a->head_count; h++)
        if (!same_head(d, a->heads[h], b->heads[h], l, h)) return false;
    for (size_t m = 0; m < a->mlp_count; m++)
        if (!same_size(d, "hidden units of a sublayer", a->mlps[m]->in.cols, b->mlps[m]->in.cols))
            return false;
    return true;
}

static bool same_places(Difference *d, const ModelOutput *a, const ModelOutput *b) {
    bool same = !a->places == !b->places;
    for (size_t k = 0; same && a->places && k < a->value_count; k++)
        same = a->places[k] == b->places[k];
    return same || differs(d, "output %s: its values stand at other places", a->name);
}

static bool same_output(Difference *d, const ModelOutput *a, const ModelOutput *b) {
    if (strcmp(a->name, b->name) != 0)
        return differs(d, "outputs: expected '%.80s', found '%.80s'", a->name, b->name);
    if (a->decode != b->decode || a->start != b->start)
        return differs(d, "output %s: expected %s from dimension %zu, found %s from %zu", a->name,
                       rt_decode_names[a->decode], a->start, rt_decode_names[b->decode], b->start);
    return same_size(d, "values of an output", a->value_count, b->value_count) &&
           same_atoms(d, "value", a->values, b->values, a->value_count) && same_places(d, a, b);
}

static bool same_shape(Difference *d, const Model *a, const Model *b) {
    if (a->dtype != b->dtype)
        return differs(d, "expected %s, found %s", rt_dtype_names[a->dtype],
                       rt_dtype_names[b->dtype]);
    if (a->kernel != b->kernel)
        return differs(d, "expected the kernel %s, found %s", rt_rules[a->kernel].name,
                       rt_rules[b->kernel].name);
    if (a->token_type != b->token_type)
        return differs(d, "expected tokens of type %s, found %s", rt_kind_names[a->token_type],
                       rt_kind_names[b->token_type]);
    if (!same_size(d, "residual width", a->width, b->width) ||
        !same_size(d, "maximum length", a->max_length, b->max_length) ||
        !same_size(d, "tokens of the alphabet", a->alphabet_size, b->alphabet_size) ||
        !same_size(d, "layers", a->layer_count, b->layer_count) ||
        !same_size(d, "outputs", a->output_count, b->output_count) ||
        !same_atoms(d, "token", a->alphabet, b->alphabet, a->alphabet_size))
        return false;
    for (size_t l = 0; l < a->layer_count; l++)
        if (!same_layer(d, a->layers[l], b->layers[l], l)) return false;
    for (size_t o = 0; o < a->output_count; o++)
        if (!same_output(d, a->outputs[o], b->outputs[o])) return false;
    return true;
}

/* --- weights ------------------------------------------------------------------------------- */

static void compare_tensors(Difference *d, const char *layer, size_t l, const char *piece, size_t k,
                            const char *name, const Tensor *a, const Tensor *b) {
    size_t size = tensor_size(a);
    d->weights += size;
    for (size_t e = 0; e < size; e++) {
        double distance = fabs(a->data[e] - b->data[e]);
        if (distance == 0) continue;
        d->changed++;
        if (distance <= d->largest) continue;
        d->largest = distance;
        if (*piece)
            snprintf(d->where, sizeof d->where, "%s.%zu.%s.%zu.%s[%zu,%zu]", layer, l, piece, k,
                     name, e / a->cols, e % a->cols);
        else
            snprintf(d->where, sizeof d->where, "%s.%s[%zu,%zu]", layer, name, e / a->cols,
                     e % a->cols);
    }
}

static void compare_layer(Difference *d, const ModelLayer *a, const ModelLayer *b, size_t l) {
    for (size_t h = 0; h < a->head_count; h++) {
        const ModelHead *x = a->heads[h], *y = b->heads[h];
        compare_tensors(d, "layers", l, "heads", h, "query", &x->query, &y->query);
        compare_tensors(d, "layers", l, "heads", h, "key", &x->key, &y->key);
        compare_tensors(d, "layers", l, "heads", h, "value", &x->value, &y->value);
        compare_tensors(d, "layers", l, "heads", h, "output", &x->output, &y->output);
    }
    for (size_t m = 0; m < a->mlp_count; m++) {
        const ModelMlp *x = a->mlps[m], *y = b->mlps[m];
        compare_tensors(d, "layers", l, "mlps", m, "in", &x->in, &y->in);
        compare_tensors(d, "layers", l, "mlps", m, "in_bias", &x->in_bias, &y->in_bias);
        compare_tensors(d, "layers", l, "mlps", m, "out", &x->out, &y->out);
        compare_tensors(d, "layers", l, "mlps", m, "out_bias", &x->out_bias, &y->out_bias);
    }
}

void model_difference(const Model *expected, const Model *found, Difference *d) {
    *d = (Difference){0};
    d->same_shape = same_shape(d, expected, found);
    if (!d->same_shape) return;
    compare_tensors(d, "embed", 0, "", 0, "tokens", &expected->tokens, &found->tokens);
    compare_tensors(d, "embed", 0, "", 0, "positions", &expected->positions, &found->positions);
    for (size_t l = 0; l < expected->layer_count; l++)
        compare_layer(d, expected->layers[l], found->layers[l], l);
}
