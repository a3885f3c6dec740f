#include "cli/run_weights.h"

#include "base/near.h"
#include "cli/command.h"
#include "cli/machines.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/run_generate.h"
#include "cli/run_stream.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

/* --- the command line ---------------------------------------------------------------------- */

enum { KEY_PATH = OPTION_WEIGHTS_KEYS, KEY_STREAM, KEY_GENERATE };

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "Of a weights file:", 6},
    OPTION_WEIGHTS(6),
    OPTION_TEMPERATURE("T", "divide scores by T before the softmax", 6),
    {"path", KEY_PATH, "PATH", 0, "products of matrices: auto (default), dense or sparse", 6},
    {"stream", KEY_STREAM, NULL, 0,
     "a token at a time, for models that never look ahead: each value is printed as soon as its "
     "token is read",
     6},
    {"generate", KEY_GENERATE, "N", 0,
     "append the last output to the input, as its next token, and go on, N times; for models that "
     "never look ahead",
     6},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    WeightsOptions *o = state->input;
    switch (key) {
    case OPTION_KEY_WEIGHTS:
        o->rule = option_rule(state, text);
        break;
    case OPTION_KEY_TEMPERATURE:
        o->temperature = option_positive(state, "--temperature", text);
        break;
    case KEY_PATH:
        o->path = (RaspPath)option_named(state, "--path", text, rasp_path_name);
        break;
    case KEY_STREAM:
        o->stream = true;
        break;
    case KEY_GENERATE:
        o->generate = (size_t)option_number(state, "--generate", text, 1);
        break;
    case ARGP_KEY_END:
        if (o->temperature > 0) option_temperature_fits(state, o->rule.rule);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    o->given = true;
    return 0;
}

const struct argp weights_options = {.options = table, .parser = parse};

/* --- outputs ------------------------------------------------------------------------------- */

static bool find_output(const RaspModelInfo *info, const char *name, size_t *output) {
    const char **names = ARENA_ARRAY(command_arena(), info->output_count, const char *);
    for (*output = 0; *output < info->output_count; (*output)++) {
        names[*output] = info->outputs[*output].name;
        if (strcmp(names[*output], name) == 0) return true;
    }
    report_error("no output '%s' in the weights file%s", name,
                 near_words(command_arena(), name, names, info->output_count));
    return false;
}

/* The chosen outputs, by default the last one; NULL after a message. */
static const size_t *choose_outputs(const RaspModelInfo *info, const SopChoice *choice,
                                    size_t *count) {
    size_t total = info->output_count;
    *count = choice->all ? total : choice->count ? choice->count : 1;
    size_t *outputs = ARENA_ARRAY(command_arena(), *count, size_t);
    outputs[0] = total - 1;
    for (size_t k = 0; choice->all && k < total; k++) outputs[k] = k;
    for (size_t k = 0; k < choice->count; k++)
        if (!find_output(info, choice->names[k], &outputs[k])) return NULL;
    return outputs;
}

/* --- running ------------------------------------------------------------------------------- */

static int run_machine(const WeightsRun *run, const Machine *machine, const RaspModelInfo *info,
                       const size_t *outputs, size_t count) {
    const char **names = ARENA_ARRAY(command_arena(), count, const char *);
    for (size_t k = 0; k < count; k++) names[k] = info->outputs[outputs[k]].name;
    Runner runner = {.options = run->runner,
                     .machine = machine,
                     .names = names,
                     .count = count,
                     .line_limit = runner_line_limit(run->memory)};
    return runner_run_all(&runner, run->inputs, run->input_count);
}

static int run_inputs(const WeightsRun *run, RaspEngine *engine, const RaspModelInfo *info,
                      const size_t *outputs, size_t count) {
    Transformer transformer = {.engine = engine, .outputs = outputs};
    Machine machine = transformer_machine(&transformer);
    return run_machine(run, &machine, info, outputs, count);
}

/* Before any input is read: is it a model that may be continued? */
static int run_generator(const WeightsRun *run, RaspEngine *engine, const RaspModelInfo *info,
                         const size_t *outputs, size_t count) {
    RaspError error;
    Generator generator = {engine, info, outputs[0], run->weights->generate};
    Machine machine = generator_machine(&generator);
    if (run->weights->stream || count > 1) {
        report_error(count > 1 ? "--generate goes on with one output: choose it by --sop"
                               : "--generate and --stream exclude one another");
        return EXIT_WRONG_USE;
    }
    RaspStream *stream = rasp_stream_new(engine, &error);
    if (!stream) {
        report_error("--generate is for models that never look ahead: %s", error.text);
        error.reported = true;
        return report_failure(&error);
    }
    rasp_stream_free(stream);
    return run_machine(run, &machine, info, outputs, count);
}

static int run_engine(const WeightsRun *run, RaspModel *model) {
    RaspError error;
    size_t count;
    const WeightsOptions *w = run->weights;
    const RaspModelInfo *info = rasp_model_info(model);
    RaspConfig config = weights_config(&(WeightsLimits){run->memory, run->time_limit});
    RaspEngineOptions options = {w->rule.rule, w->rule.parameter, w->temperature, w->path,
                                 run->threads};
    RaspEngine *engine = rasp_engine_new(model, &options, &config, &error);
    if (!engine) return report_failure(&error);
    int status = EXIT_WRONG_PROGRAM;
    const size_t *outputs = choose_outputs(info, run->choice, &count);
    if (outputs)
        status = w->generate ? run_generator(run, engine, info, outputs, count)
                 : w->stream ? run_stream(&(StreamRun){engine, info, outputs, count, run})
                             : run_inputs(run, engine, info, outputs, count);
    rasp_engine_free(engine);
    return status;
}

/* What makes no sense for a weights file. */
static bool refuse_options(const WeightsRun *run) {
    const char *option = run->choice->expression       ? "--expr"
                         : run->runner->stats          ? "--stats"
                         : run->plan != RASP_PLAN_AUTO ? "--plan"
                                                       : NULL;
    if (option)
        report_error("%s goes with a program, and '%s' is a weights file", option, run->path);
    return option != NULL;
}

int run_weights(const WeightsRun *run) {
    RaspModel *model;
    if (refuse_options(run)) return EXIT_WRONG_USE;
    int status = weights_open(run->path, &(WeightsLimits){run->memory, run->time_limit}, &model);
    if (status == EXIT_FINE) status = run_engine(run, model);
    rasp_model_free(model);
    return status;
}
