/* `rasp explain PROGRAM [INPUT]`: what a program does, in plain words. */
#include "cli/command.h"

#include "cli/options.h"
#include "cli/report.h"
#include "cli/width.h"
#include "show/explain.h"
#include "show/lines.h"

#include <stdlib.h>
#include <string.h>

typedef struct ExplainArguments {
    Common common;
    const char *input;
} ExplainArguments;

static const struct argp_option options[] = {
    OPTIONS_SOP, OPTIONS_FORM("INPUT"), OPTION_TIME, OPTION_MEMORY, {0},
};

static const char help[] =
    "Say in plain words what a program does, layer by layer: which positions each head attends to, "
    "what it brings, and what the elementwise steps make of it.  With an INPUT also what becomes "
    "of it, step by step.\v"
    "\"Here\" is the position that attends.  What a program's selectors look like on an input: "
    "'rasp run --show' and 'rasp draw'.\n\n"
    "Examples:\n"
    "  rasp explain sort\n"
    "  rasp explain sort cab";

static error_t parse(int key, char *text, struct argp_state *state) {
    ExplainArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (a->input) argp_error(state, "expected one INPUT, found '%s' as well", text);
        bool program = !a->common.argument && option_names_program(&a->common, text);
        *(program ? &a->common.argument : &a->input) = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        option_need_argument(state, &a->common);
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

static int explain_graph(RaspGraph *graph, const char *const *names, size_t count) {
    RaspError error;
    Scene scene;
    size_t width = width_of_output();
    if (!scene_new(graph, names, count, command_arena(), &scene, &error))
        return report_failure(&error);
    if (!width) width = WIDTH_OF_TEXT;
    if (scene.length) scene_crop(&scene, lines_fit(&scene, width, false));
    explain(stdout, &scene, width);
    return EXIT_FINE;
}

static int explain_sops(const Program *p, const ExplainArguments *a) {
    size_t count;
    RaspError error;
    const RaspSop *sops;
    int status = program_sops(p, &a->common.choice, &sops, &count);
    if (status == EXIT_FINE) status = program_warn(p, sops, count);
    if (status != EXIT_FINE) return status;
    const char **names = ARENA_ARRAY(command_arena(), count + 1, const char *);
    for (size_t k = 0; k < count; k++) names[k] = sops[k].name;
    RaspInput input = {.text = a->input, .form = a->common.form};
    if (a->input) input.length = strlen(a->input);
    RaspGraph *graph = rasp_graph_new(p->handle, sops, count, a->input ? &input : NULL, &error);
    if (!graph) return report_failure(&error);
    status = explain_graph(graph, names, count);
    rasp_graph_free(graph);
    return status;
}

int cmd_explain(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "[PROGRAM] [INPUT]", .doc = help};
    ExplainArguments a = {.common = {.kind = &program_argument}};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    Program program;
    RaspConfig config = report_config(a.common.memory);
    config.cpu_seconds = a.common.time_limit;
    int status = program_open_with(a.common.argument, &config, &program);
    if (status == EXIT_FINE) status = explain_sops(&program, &a);
    rasp_program_free(program.handle);
    free(a.common.choice.names);
    return status;
}
