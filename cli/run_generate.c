#include "cli/run_generate.h"

#include "cli/command.h"
#include "cli/print.h"
#include "cli/report.h"

#include <string.h>

typedef enum Ending { ENDED_BY_COUNT, ENDED_BY_LENGTH, ENDED_BY_VALUE } Ending;

typedef struct Generation {
    const Generator *by;
    Arena *arena;
    RaspForward *prompt; /* which judges the input */
    RaspForward *whole;  /* whose input is the whole text */
    RaspStream *stream;
    RaspReading *readings; /* of all outputs, at the last position */
    RaspAtom *tokens;
    size_t count, given; /* tokens, and how many of them were the input */
    Ending ending;
} Generation;

static void end_generation(void *pass) {
    Generation *g = pass;
    rasp_stream_free(g->stream);
    rasp_forward_free(g->prompt);
    rasp_forward_free(g->whole);
    arena_free(g->arena);
}

static bool push(Generation *g, RaspAtom token, RaspError *error) {
    if (!rasp_stream_push(g->stream, token, g->readings, error)) return false;
    g->tokens[g->count++] = token;
    return true;
}

static bool push_prompt(Generation *g, RaspError *error) {
    const RaspSequence *tokens = rasp_forward_input(g->prompt, NULL);
    for (size_t k = 0; k < rasp_sequence_length(tokens); k++)
        if (!push(g, rasp_sequence_at(tokens, k), error)) return false;
    g->given = g->count;
    return true;
}

static void note_value(const Generation *g, RaspAtom value) {
    report_note("ended after %zu of %zu: the output %s is no token of the model",
                g->count - g->given, g->by->most, print_text(value, RASP_JSON));
}

static bool is_token(const Generation *g, RaspAtom value) {
    for (size_t k = 0; k < g->by->info->alphabet_size; k++)
        if (rasp_atom_same(g->by->info->alphabet[k], value)) return true;
    return false;
}

static bool go_on(Generation *g, RaspError *error) {
    size_t longest = g->by->info->max_length;
    while (g->count - g->given < g->by->most) {
        RaspAtom value = g->readings[g->by->output].value;
        if (g->count == longest) {
            g->ending = ENDED_BY_LENGTH;
            report_note("ended after %zu of %zu: the model is for at most %zu tokens "
                        "('rasp compile --max-length' makes it longer)",
                        g->count - g->given, g->by->most, longest);
            return true;
        }
        if (!is_token(g, value)) {
            g->ending = ENDED_BY_VALUE;
            note_value(g, value);
            return true;
        }
        if (!push(g, value, error)) return false;
    }
    return true;
}

static void *begin_generation(void *self, const RaspInput *input, RaspError *error) {
    const Generator *by = self;
    Arena *arena = arena_child(command_arena());
    Generation *g = ARENA_NEW(arena, Generation);
    *g = (Generation){.by = by, .arena = arena};
    g->readings = ARENA_ARRAY(arena, by->info->output_count, RaspReading);
    g->tokens = ARENA_ARRAY(arena, by->info->max_length, RaspAtom);
    g->prompt = rasp_forward(by->engine, input, error);
    g->stream = g->prompt ? rasp_stream_new(by->engine, error) : NULL;
    if (g->stream && push_prompt(g, error) && go_on(g, error))
        g->whole =
            rasp_forward(by->engine, &(RaspInput){.tokens = g->tokens, .count = g->count}, error);
    if (g->whole) return g;
    end_generation(g);
    return NULL;
}

static bool generation_is_string(void *pass, const RaspSequence **tokens) {
    bool is_string;
    const RaspSequence *found = rasp_forward_input(((const Generation *)pass)->prompt, &is_string);
    if (tokens) *tokens = found;
    return is_string;
}

static const RaspSequence *generation_values(void *self, void *pass, size_t k, RaspError *error) {
    (void)self, (void)k, (void)error;
    return rasp_forward_input(((const Generation *)pass)->whole, NULL);
}

static void generation_json(void *self, void *pass, size_t k, Json *j) {
    static const char *const endings[] = {
        [ENDED_BY_COUNT] = "count", [ENDED_BY_LENGTH] = "length", [ENDED_BY_VALUE] = "value"};
    const Generation *g = pass;
    (void)self, (void)k;
    json_count(j, "generated", g->count - g->given);
    json_text(j, "ended_by", endings[g->ending]);
}

Machine generator_machine(Generator *generator) {
    return (Machine){.self = generator,
                     .begin = begin_generation,
                     .end = end_generation,
                     .is_string = generation_is_string,
                     .values = generation_values,
                     .json = generation_json};
}
