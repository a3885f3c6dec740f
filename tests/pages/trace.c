/* What the runtime computes of a weights file on every input of up to N tokens, as JSON: the judge
 * of the page's forward pass.
 *
 *     trace WEIGHTS N
 *
 * A list of passes: `ids`, `hard` or `temperature`, `steps` (the residual stream after each, rows
 * one after the other), `weights` (of each head, the same), `outputs`, and the `interpreter`'s.
 * Of alphabets beyond MOST_TOKENS the first ones are taken.  Inputs that the model is not for are
 * left out. */
#include "api/rasp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 5, MOST_LENGTH = 8 };

typedef struct Pass {
    FILE *steps, *weights;
} Pass;

static void put_numbers(FILE *out, const double *numbers, size_t count) {
    fputs(ftell(out) ? ",[" : "[", out);
    for (size_t k = 0; k < count; k++) fprintf(out, "%s%.17g", k ? "," : "", numbers[k]);
    fputs("]", out);
}

static void see_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                     const double *weights, size_t width, const double *result) {
    (void)layer, (void)head, (void)scores, (void)width, (void)result;
    put_numbers(((Pass *)context)->weights, weights, (n + 1) * (n + 1));
}

static void see_stream(void *context, size_t layer, int sublayer, size_t n, size_t width,
                       const double *stream) {
    (void)layer, (void)sublayer;
    put_numbers(((Pass *)context)->steps, stream, (n + 1) * width);
}

/* Numbers as numbers, others as the text that the language prints. */
static void put_atom(RaspAtom atom) {
    char text[256];
    bool number = atom.kind == RASP_INT || atom.kind == RASP_FLOAT;
    rasp_atom_text(atom, number || atom.kind == RASP_STRING ? RASP_JSON : RASP_PLAIN, text,
                   sizeof text);
    printf(atom.kind == RASP_BOOL ? "\"%s\"" : "%s", text);
}

static void put_sequence(const RaspSequence *values) {
    if (!values) fputs("null", stdout);
    for (size_t i = 0; values && i < rasp_sequence_length(values); i++) {
        putchar(i ? ',' : '[');
        put_atom(rasp_sequence_at(values, i));
    }
    if (values) putchar(']');
}

static void put_interpreter(RaspModel *model, const RaspInput *input) {
    RaspError error;
    const RaspModelInfo *info = rasp_model_info(model);
    RaspProgram *program = rasp_model_program(model, &error);
    fputs(",\"interpreter\":[", stdout);
    for (size_t k = 0; program && k < info->output_count; k++) {
        RaspSop sop;
        RaspRun *run = NULL;
        if (rasp_program_sop(program, info->outputs[k].name, &sop, &error))
            run = rasp_run_new(program, input, &sop, 1, NULL, &error);
        if (k) putchar(',');
        put_sequence(run ? rasp_run_sequence(run, 0, &error) : NULL);
        rasp_run_free(run);
    }
    putchar(']');
}

static void put_pass(RaspModel *model, RaspEngine *engine, const RaspInput *input,
                     const size_t *ids, const char *how) {
    static bool more;
    char *steps, *weights;
    size_t size;
    RaspError error;
    Pass pass = {open_memstream(&steps, &size), open_memstream(&weights, &size)};
    RaspTap tap = {.context = &pass, .head = see_head, .residual = see_stream};
    RaspForward *forward = rasp_trace(engine, input, &tap, &error);
    fclose(pass.steps), fclose(pass.weights);
    if (forward) {
        printf("%s{\"ids\":[", more ? ",\n" : "");
        for (size_t i = 0; i < input->count; i++) printf("%s%zu", i ? "," : "", ids[i]);
        printf("],%s,\"steps\":[%s],\"weights\":[%s],\"outputs\":[", how, steps, weights);
        for (size_t k = 0; k < rasp_model_info(model)->output_count; k++) {
            if (k) putchar(',');
            put_sequence(rasp_forward_sequence(forward, k));
        }
        putchar(']');
        put_interpreter(model, input);
        putchar('}');
        more = true;
    }
    rasp_forward_free(forward);
    free(steps), free(weights);
}

/* Every input of that length. */
static void put_length(RaspModel *model, RaspEngine *engine, size_t length, const char *how) {
    const RaspModelInfo *info = rasp_model_info(model);
    size_t count = info->alphabet_size < MOST_TOKENS ? info->alphabet_size : MOST_TOKENS;
    size_t ids[MOST_LENGTH] = {0}, at = 0;
    while (at < length) {
        RaspAtom tokens[MOST_LENGTH];
        for (size_t i = 0; i < length; i++) tokens[i] = info->alphabet[ids[i]];
        put_pass(model, engine, &(RaspInput){.tokens = tokens, .count = length}, ids, how);
        for (at = 0; at < length && ++ids[at] == count; at++) ids[at] = 0;
    }
}

int main(int argc, char **argv) {
    static const struct {
        RaspEngineOptions options;
        const char *how;
    } passes[] = {{{.rule = RASP_SOFTMAX}, "\"temperature\":1"},
                  {{.rule = RASP_SOFTMAX, .temperature = 16}, "\"temperature\":16"},
                  {{.rule = RASP_AVERAGE}, "\"hard\":true"}};
    RaspError error;
    RaspModel *model = argc == 3 ? rasp_model_load(argv[1], NULL, &error) : NULL;
    size_t longest = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (!model || longest > MOST_LENGTH) return 2;
    if (longest > rasp_model_info(model)->max_length) longest = rasp_model_info(model)->max_length;
    putchar('[');
    for (size_t k = 0; k < sizeof passes / sizeof *passes; k++) {
        RaspEngine *engine = rasp_engine_new(model, &passes[k].options, NULL, &error);
        if (!engine) return 2;
        for (size_t n = 1; n <= longest; n++) put_length(model, engine, n, passes[k].how);
        rasp_engine_free(engine);
    }
    puts("]");
    rasp_model_free(model);
    return 0;
}
