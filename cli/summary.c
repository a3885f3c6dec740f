#include "cli/summary.h"

#include <string.h>

Summary summary_of(const Model *model, Arena *arena) {
    Summary s = {.width = model->width,
                 .parameters = model_parameters(model),
                 .nonzeros = model_nonzeros(model),
                 .heads_text = ""};
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        s.headless += layer->head_count == 0;
        s.heads += layer->head_count;
        s.sublayers += layer->mlp_count;
        for (size_t m = 0; m < layer->mlp_count; m++) s.units += layer->mlps[m]->in.cols;
        if (layer->head_count == 0) continue;
        s.heads_text = arena_format(arena, "%s%s%zu", s.heads_text,
                                    s.attention_layers++ ? " + " : "", layer->head_count);
    }
    return s;
}

void summary_json(FILE *out, const Model *model, const Summary *s) {
    fprintf(out, "\"attention_layers\": %zu, \"heads_per_layer\": [", s->attention_layers);
    bool first = true;
    for (size_t l = 0; l < model->layer_count; l++) {
        if (model->layers[l]->head_count == 0) continue;
        fprintf(out, "%s%zu", first ? "" : ", ", model->layers[l]->head_count);
        first = false;
    }
    fprintf(out,
            "], \"heads\": %zu, \"layers_without_heads\": %zu, \"width\": %zu, "
            "\"sublayers\": %zu, \"hidden_units\": %zu, \"parameters\": %zu, \"nonzero\": %zu, "
            "\"dtype\": \"%s\"",
            s->heads, s->headless, s->width, s->sublayers, s->units, s->parameters, s->nonzeros,
            model->dtype == RT_F32 ? "f32" : "f64");
}

const char *grouped(Arena *arena, size_t number) {
    const char *digits = arena_format(arena, "%zu", number);
    size_t length = strlen(digits), at = 0;
    char *text = arena_alloc(arena, length + length / 3 + 1);
    for (size_t k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    return text;
}

const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}
