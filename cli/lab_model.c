/* The subcommands of `rasp lab` that are asked of a compiled program: temperature and the like.
 * They differ in what they measure, and in their words. */
#include "cli/command.h"

#include "cli/lab_command.h"
#include "cli/lab_output.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/target.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

typedef struct ModelArguments {
    LabOptions lab;
    TargetOptions target;
    Measurement *measure;
    size_t drawn;
    const char **words; /* PROGRAM|WEIGHTS, then inputs */
    size_t word_count;
} ModelArguments;

enum { KEY_COUNT = OPTION_OWN_KEYS, KEY_QUICK };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"count", KEY_COUNT, "N", 0, "inputs to draw when none is given (default: 200)", 2},
    {"quick", KEY_QUICK, NULL, 0, "fewer and shorter inputs", 2},
    OPTIONS_LAB,
    OPTION_THREADS(5),
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    ModelArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case KEY_COUNT:
        a->drawn = (size_t)option_number(state, "--count", text, 1);
        return 0;
    case KEY_QUICK:
        a->lab.quick = true;
        return 0;
    case ARGP_KEY_ARG:
        a->words[a->word_count++] = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a PROGRAM (a file or a bundled program's name) or a weights "
                          "file");
        return 0;
    case ARGP_KEY_END:
        if (a->drawn && a->word_count > 1)
            argp_error(state, "--count is of inputs that are drawn, and '%s' is given",
                       a->words[1]);
        return lab_option(key, text, state, &a->lab);
    default:
        return lab_option(key, text, state, &a->lab);
    }
}

/* --- inputs ----------------------------------------------------------------------------------- */

static size_t find_token(const RaspModelInfo *info, RaspAtom token) {
    size_t id = 0;
    while (id < info->alphabet_size && !rasp_atom_same(info->alphabet[id], token)) id++;
    return id;
}

/* The forward pass judges the input: is it one that the model is for? */
static int take_input(RaspEngine *engine, const RaspModelInfo *info, const char *text,
                      ModelInput *input) {
    bool is_string;
    RaspError error;
    RaspInput given = {.text = text, .length = strlen(text)};
    RaspForward *forward = rasp_forward(engine, &given, &error);
    if (!forward) return report_failure(&error);
    const RaspSequence *tokens = rasp_forward_input(forward, &is_string);
    size_t n = rasp_sequence_length(tokens), *ids = ARENA_ARRAY(command_arena(), n, size_t);
    for (size_t i = 0; i < n; i++) ids[i] = find_token(info, rasp_sequence_at(tokens, i));
    *input = (ModelInput){ids, n};
    rasp_forward_free(forward);
    return EXIT_FINE;
}

static int take_inputs(const ModelArguments *a, ModelQuestion *question) {
    RaspError error;
    RaspConfig config = report_config(a->lab.common.memory);
    ModelInput *inputs = ARENA_ARRAY(command_arena(), a->word_count, ModelInput);
    question->inputs = inputs;
    question->input_count = a->word_count - 1;
    if (!question->input_count) return EXIT_FINE;
    RaspEngine *engine = rasp_engine_new(question->model, NULL, &config, &error);
    if (!engine) return report_failure(&error);
    int status = EXIT_FINE;
    for (size_t k = 1; k < a->word_count && status == EXIT_FINE; k++)
        status = take_input(engine, rasp_model_info(question->model), a->words[k], &inputs[k - 1]);
    rasp_engine_free(engine);
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static int ask(const ModelArguments *a, const char *name, RaspModel *model) {
    ModelQuestion question = {.model = model, .drawn = a->drawn};
    int status = take_inputs(a, &question);
    if (status != EXIT_FINE) return status;
    return lab_measure(&a->lab, safe_text(name), a->measure, &question);
}

static int ask_program(const ModelArguments *a) {
    Program program;
    const RaspSop *sops;
    size_t count;
    RaspModel *model = NULL;
    int status = program_open(a->words[0], a->lab.common.memory, &program);
    if (status == EXIT_FINE) status = program_sops(&program, &a->lab.common.choice, &sops, &count);
    if (status == EXIT_FINE)
        status = target_compile(&program, sops, count, &a->target.target, &model);
    if (status == EXIT_FINE) status = ask(a, program.shown, model);
    rasp_model_free(model);
    rasp_program_free(program.handle);
    return status;
}

static int ask_weights(const ModelArguments *a) {
    const SopChoice *choice = &a->lab.common.choice;
    RaspModel *model;
    if (a->target.given || choice->count || choice->all || choice->expression) {
        report_error("'%s' is a weights file, which says itself what it was compiled from and for; "
                     "options of the compiler go with a program",
                     a->words[0]);
        return EXIT_WRONG_USE;
    }
    WeightsLimits limits = {a->lab.common.memory, a->target.target.time_limit};
    int status = weights_open(a->words[0], &limits, &model);
    if (status != EXIT_FINE) return status;
    const char *program = rasp_model_info(model)->program;
    status = ask(a, program ? program : a->words[0], model);
    rasp_model_free(model);
    return status;
}

/* --- the commands ----------------------------------------------------------------------------- */

static int command(int argc, char **argv, const char *doc, Measurement *measure) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .args_doc = "PROGRAM|WEIGHTS [INPUT...]",
                              .doc = doc,
                              .children = children};
    ModelArguments a = {.lab = lab_options(argc, argv), .measure = measure};
    a.words = ARENA_ARRAY(command_arena(), (size_t)argc, const char *);
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    int status = weights_recognised(a.words[0]) ? ask_weights(&a) : ask_program(&a);
    free(a.lab.common.choice.names);
    return status;
}

#define INPUTS                                                                                     \
    "Without an INPUT, inputs are drawn from the model's alphabet, of lengths up to its longest. " \
    "The interpreter judges; a file without its program is held against its own hard attention."

int lab_temperature(int argc, char **argv) {
    static const char doc[] =
        "Where a compiled program breaks: its outputs over the inverse temperature beta, with the "
        "one that is certified and the one at which an input goes wrong, by length, with and "
        "without scores times log n.\v" INPUTS "\n\n"
        "Examples:\n"
        "  rasp lab temperature sort\n"
        "  rasp lab temperature w.bin abc -o out";
    return command(argc, argv, doc, ask_temperature);
}

int lab_noise(int argc, char **argv) {
    static const char doc[] =
        "What a compiled program stands: its outputs with noise on its weights, and with weights "
        "rounded to f16, bf16, int8 and int4; the first head whose pattern fails.\v" INPUTS "\n\n"
        "Examples:\n"
        "  rasp lab noise sort\n"
        "  rasp lab noise w.bin --seed 2";
    return command(argc, argv, doc, ask_noise);
}

int lab_collapse(int argc, char **argv) {
    static const char doc[] =
        "What attention leaves of the differences between positions: rank and effective rank of a "
        "compiled program's residual stream, step by step, and Dobrushin's contraction coefficient "
        "of each head's weights.\v" INPUTS "\n\n"
        "Examples:\n"
        "  rasp lab collapse sort\n"
        "  rasp lab collapse w.bin hello";
    return command(argc, argv, doc, ask_collapse);
}

int lab_kv(int argc, char **argv) {
    static const char doc[] =
        "The key/value cache of a compiled program: the ranks of each head's query-key and "
        "value-output weights beside what a cache stores, and what it need not: columns of 0, keys "
        "that are the same everywhere or another head's.\v" INPUTS "\n\n"
        "Examples:\n"
        "  rasp lab kv sort --mask causal\n"
        "  rasp lab kv w.bin";
    return command(argc, argv, doc, ask_cache);
}

int lab_hull(int argc, char **argv) {
    static const char doc[] =
        "Which outputs of a compiled program's heads and blocks lie in the convex hull of what "
        "they "
        "are made from, with a proof for each: weights, or a direction that separates.\v" INPUTS
        "\n\n"
        "Examples:\n"
        "  rasp lab hull sort cab\n"
        "  rasp lab hull w.bin cab -o out";
    return command(argc, argv, doc, ask_hulls);
}
