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

void summary_json(Json *j, const Model *model, const Summary *s) {
    json_count(j, "attention_layers", s->attention_layers);
    json_begin_array(j, "heads_per_layer");
    for (size_t l = 0; l < model->layer_count; l++)
        if (model->layers[l]->head_count) json_count(j, NULL, model->layers[l]->head_count);
    json_end(j);
    json_count(j, "heads", s->heads);
    json_count(j, "layers_without_heads", s->headless);
    json_count(j, "width", s->width);
    json_count(j, "sublayers", s->sublayers);
    json_count(j, "hidden_units", s->units);
    json_count(j, "parameters", s->parameters);
    json_count(j, "nonzero", s->nonzeros);
    json_text(j, "dtype", model->dtype == RT_F32 ? "f32" : "f64");
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
