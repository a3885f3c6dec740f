#include "cli/summary.h"

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/print.h"

#include <string.h>

const char *summary_heads(const RaspModelInfo *info) {
    const char *text = "";
    for (size_t l = 0; l < info->layer_count; l++)
        if (info->heads_per_layer[l])
            text = arena_format(command_arena(), "%s%s%zu", text, *text ? " + " : "",
                                info->heads_per_layer[l]);
    return text;
}

static const char *const answers_words[] = {[RASP_ANSWERS_UNKNOWN] = "unknown",
                                            [RASP_ANSWERS_PROVED] = "proved",
                                            [RASP_ANSWERS_RUN] = "all run",
                                            [RASP_ANSWERS_NOT_SHOWN] = "not shown",
                                            [RASP_ANSWERS_PARTIAL] = "partial"};

void summary_json(Json *j, const RaspModelInfo *info) {
    json_count(j, "attention_layers", info->attention_layers);
    json_begin_array(j, "heads_per_layer");
    for (size_t l = 0; l < info->layer_count; l++)
        if (info->heads_per_layer[l]) json_count(j, NULL, info->heads_per_layer[l]);
    json_end(j);
    json_count(j, "heads", info->heads);
    json_count(j, "layers_without_heads", info->layers_without_heads);
    json_count(j, "width", info->width);
    json_count(j, "sublayers", info->sublayers);
    json_count(j, "hidden_units", info->hidden_units);
    json_count(j, "parameters", info->parameters);
    json_count(j, "nonzero", info->nonzero);
    json_text(j, "dtype", rasp_dtype_name((int)info->dtype));
    json_text(j, "answers", answers_words[info->answers]);
    json_count(j, "answers_tried", info->answers_tried);
}

const char *summary_answers(const RaspModelInfo *info) {
    const char *tried = grouped(info->answers_tried);
    switch (info->answers) {
    case RASP_ANSWERS_PROVED:
        return "on every input (proved)";
    case RASP_ANSWERS_RUN:
        return arena_format(command_arena(), "on every input (all %s were run)", tried);
    case RASP_ANSWERS_NOT_SHOWN:
        return arena_format(command_arena(),
                            "not shown to have an answer everywhere; on each of the %s inputs "
                            "that were run",
                            tried);
    case RASP_ANSWERS_PARTIAL:
        return "partial: on some inputs there is none, and the model says so";
    default:
        return "the file does not say whether there is one on every input";
    }
}

static bool is_character(RaspAtom token) {
    return token.kind == RASP_STRING && token.as.s.length &&
           utf8_step(token.as.s.text, token.as.s.length) == token.as.s.length;
}

const char *summary_alphabet(const RaspAtom *alphabet, size_t size, size_t limit) {
    bool plain = true;
    for (size_t k = 0; k < size; k++) plain &= is_character(alphabet[k]);
    const char *text = plain ? "\"" : "[";
    for (size_t k = 0; k < size && k < limit; k++)
        text = arena_format(command_arena(), "%s%s%s", text, k && !plain ? ", " : "",
                            print_text(alphabet[k], plain ? RASP_PLAIN : RASP_JSON));
    return arena_format(command_arena(), "%s%s%s", text, size > limit ? "..." : "",
                        plain ? "\"" : "]");
}

const char *grouped(size_t number) {
    const char *digits = arena_format(command_arena(), "%zu", number);
    size_t length = strlen(digits), at = 0;
    char *text = arena_alloc(command_arena(), length + length / 3 + 1);
    for (size_t k = 0; k < length; k++) {
        if (k && (length - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    return text;
}

const char *summary_source(const char *text) {
    enum { MOST = 120 };
    size_t length = 0;
    if (strlen(text) <= MOST) return text;
    for (size_t step; length < MOST; length += step)
        if (!(step = utf8_step(text + length, strlen(text + length)))) break;
    return arena_format(command_arena(), "%.*s...", (int)length, text);
}
