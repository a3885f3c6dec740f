#include "cli/run_weights.h"

#include "cli/command.h"
#include "cli/near.h"
#include "cli/options.h"
#include "cli/play.h"
#include "cli/report.h"
#include "cli/run_stream.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

/* --- the command line ---------------------------------------------------------------------- */

enum { KEY_PATH = OPTION_WEIGHTS_KEYS, KEY_STREAM };

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "Of a weights file:", 6},
    OPTION_WEIGHTS(6),
    OPTION_TEMPERATURE("T", "divide scores by T before the softmax", 6),
    {"path", KEY_PATH, "PATH", 0, "products of matrices: auto (default), dense or sparse", 6},
    {"stream", KEY_STREAM, NULL, 0,
     "a token at a time, for models that never look ahead: each value is printed as soon as its "
     "token is read",
     6},
    {0},
};

static RtPath path_option(struct argp_state *state, const char *text) {
    const char *names[RT_PATH_COUNT + 1] = {0};
    for (int k = 0; k < RT_PATH_COUNT; k++) names[k] = rt_path_names[k];
    return (RtPath)option_word(state, "--path", text, names);
}

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
        o->path = path_option(state, text);
        break;
    case KEY_STREAM:
        o->stream = true;
        break;
    case ARGP_KEY_END:
        if (o->temperature > 0) option_temperature_fits(state, o->rule);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    o->given = true;
    return 0;
}

const struct argp weights_options = {.options = table, .parser = parse};

static RunOptions run_options_of(const WeightsOptions *weights, int threads) {
    RunOptions o = run_options();
    o.rule = weights->rule;
    if (weights->temperature > 0) o.temperature = weights->temperature;
    o.path = weights->path;
    o.threads = threads;
    return o;
}

/* --- outputs ------------------------------------------------------------------------------- */

static bool find_output(const Model *model, const char *name, size_t *output, Arena *arena) {
    const char **names = ARENA_ARRAY(arena, model->output_count, const char *);
    for (*output = 0; *output < model->output_count; (*output)++) {
        names[*output] = model->outputs[*output]->name;
        if (strcmp(names[*output], name) == 0) return true;
    }
    report_error("no output '%s' in the weights file%s", name,
                 near_words(arena, name, names, model->output_count));
    return false;
}

/* The chosen outputs; by default the last one. */
static bool choose_outputs(Player *p, const SopChoice *choice, Arena *arena) {
    size_t total = p->model->output_count;
    p->output_count = choice->all ? total : choice->count ? choice->count : 1;
    size_t *outputs = ARENA_ARRAY(arena, p->output_count, size_t);
    outputs[0] = total - 1;
    for (size_t k = 0; choice->all && k < total; k++) outputs[k] = k;
    for (size_t k = 0; k < choice->count; k++)
        if (!find_output(p->model, choice->names[k], &outputs[k], arena)) return false;
    p->outputs = outputs;
    return true;
}

static const Sop *output_names(const Player *p, Arena *arena) {
    Sop *sops = ARENA_ARRAY(arena, p->output_count, Sop);
    for (size_t k = 0; k < p->output_count; k++)
        sops[k] = (Sop){p->model->outputs[p->outputs[k]]->name, NODE_NONE};
    return sops;
}

/* --- running ------------------------------------------------------------------------------- */

/* Freed at the end, whatever a stop has jumped over. */
typedef struct Play {
    const WeightsRun *run;
    Model *model;
    Player player;
} Play;

static int play(Program *program, Play *play, NodeId where) {
    const WeightsRun *run = play->run;
    Player *player = &play->player;
    RtError error;
    if (!player_init(player, program, play->model, &error)) {
        report_error("'%s': %s", run->path, error.text);
        return EXIT_WRONG_PROGRAM;
    }
    player->where = where;
    if (!choose_outputs(player, run->choice, program->arena)) return EXIT_WRONG_PROGRAM;
    if (run->weights->stream) return run_stream(player, run);
    Machine machine = player_machine(player);
    Runner runner = {.program = program,
                     .options = run->runner,
                     .sops = output_names(player, program->arena),
                     .sop_count = player->output_count,
                     .machine = &machine};
    return runner_run_all(&runner, run->inputs, run->input_count);
}

static int play_alone(Program *program, void *context) {
    return play(program, context, NODE_NONE);
}

/* The domain has an s-op, which the interpreter has to evaluate. */
static int play_beside(Program *program, const Record *record, void *context) {
    Value value;
    if (!session_evaluate(program->session, "domain.where", record->where, &value))
        return EXIT_WRONG_PROGRAM;
    if (value.kind != VALUE_SOP) {
        report_error("'%s' is no s-op of the program in the weights file", record->where);
        return EXIT_WRONG_PROGRAM;
    }
    return play(program, context, value.object->node);
}

/* What makes no sense for a weights file. */
static bool refuse_options(const WeightsRun *run) {
    const char *option = run->choice->expression               ? "--expr"
                         : run->runner->stats                  ? "--stats"
                         : run->runner->plan != EXEC_PLAN_AUTO ? "--plan"
                                                               : NULL;
    if (option)
        report_error("%s goes with a program, and '%s' is a weights file", option, run->path);
    return option != NULL;
}

static int start(Play *p) {
    const WeightsRun *run = p->run;
    RtError error;
    RunOptions options = run_options_of(run->weights, run->runner->threads);
    p->player.engine = engine_new(p->model, &options, &error);
    if (!p->player.engine) {
        report_error("'%s': %s", run->path, error.text);
        return EXIT_FAILED;
    }
    const json_t *domain = json_object_get(p->model->extra, "domain");
    if (json_object_get(domain, "where"))
        return weights_with_program(p->model, run->path, run->memory, play_beside, p);
    ProgramSource nothing = {run->path, "", 0};
    return program_with_source(&nothing, run->memory, play_alone, p);
}

int run_weights(const WeightsRun *run) {
    if (refuse_options(run)) return EXIT_WRONG_USE;
    static Play p; /* survives jumps to guards */
    p = (Play){.run = run, .model = weights_load(run->path)};
    if (!p.model) return EXIT_WRONG_PROGRAM;
    int status = start(&p);
    player_clear(&p.player);
    model_free(p.model);
    return status;
}
