/* `rasp draw PROGRAM INPUT`: the computation as a picture, layer by layer. */
#include "cli/command.h"

#include "base/plural.h"
#include "cli/model_argument.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/report.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct DrawArguments {
    Common common;
    const char *input, *output;
    bool model;
    TargetOptions target;
} DrawArguments;

enum { KEY_MODEL = OPTION_OWN_KEYS };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    OPTIONS_FORM("INPUT"),
    {"output", 'o', "FILE", 0,
     "the picture's file; .svg, .html, .png (by rsvg-convert) or .dot (for graphviz); without it, "
     "SVG on standard output",
     3},
    {"model", KEY_MODEL, NULL, 0,
     "draw the compiled transformer instead, of a program or a weights file: the residual stream "
     "as a score sheet; takes no INPUT",
     2},
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Draw how a program computes its result on an input, layer by layer: each head as its "
    "selection grid with the values that it moves, each s-op as a row of values, and wires from "
    "where values come.\v"
    "Inputs of more than 64 positions are drawn in bins, and the picture says so.\n\n"
    "Examples:\n"
    "  rasp draw histogram aabbc -o flow.svg\n"
    "  rasp draw sort cab --sop sort -o sort.html\n"
    "  rasp draw sort --model --alphabet abc --max-length 5 -o model.svg\n"
    "  rasp draw --expr 'sort(tokens, tokens)' hello >sort.svg";

/* --- the command line ------------------------------------------------------------------- */

static void take_argument(struct argp_state *state, DrawArguments *a, const char *text) {
    if (!a->common.argument && !a->input && option_names_program(&a->common, text))
        a->common.argument = text;
    else if (!a->input)
        a->input = text;
    else
        argp_error(state, "expected one INPUT, found '%s' as well", text);
}

static void check_input(struct argp_state *state, const DrawArguments *a) {
    if (a->model && a->input) argp_error(state, "--model is of no INPUT, found '%s'", a->input);
    option_need_argument(state, &a->common);
    if (!a->model && !a->input)
        argp_error(
            state,
            "expected an INPUT to draw the computation on, e.g. rasp draw %s abc -o flow.svg",
            a->common.argument ? a->common.argument : "--expr 'sort(tokens, tokens)'");
    if (!a->model && a->target.given)
        argp_error(state,
                   "--alphabet, --max-length and other options of compiling go with --model");
}

static error_t parse(int key, char *text, struct argp_state *state) {
    DrawArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case KEY_MODEL:
        a->model = true;
        return 0;
    case 'o':
        a->output = text;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(state, a, text);
        return 0;
    case ARGP_KEY_SUCCESS:
        check_input(state, a);
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

/* --- drawing ---------------------------------------------------------------------------- */

/* "sorted("cab")", as in the language; "sorted, pos on "cab"" where that cannot be said. */
static const char *title_of(const DrawArguments *a, const RaspSop *sops, size_t count) {
    Arena *arena = command_arena();
    const char *text = count ? sops[0].name : "";
    bool several = count != 1 || sops[0].chosen == RASP_BY_EXPRESSION;
    bool list = a->common.form == RASP_AS_LIST || (a->common.form == RASP_AUTO && *a->input == '[');
    for (size_t k = 1; k < count && k < 3; k++)
        text = arena_format(arena, "%s, %s", text, sops[k].name);
    if (count > 3) text = arena_format(arena, "%s, …", text);
    const char *input = list ? a->input : arena_format(arena, "\"%s\"", a->input);
    return arena_format(arena, several ? "%s on %s" : "%s(%s)", text, input);
}

static int draw_dot(const DrawArguments *a, const FlowPicture *picture) {
    RaspError error;
    if (picture->count != 1) {
        report_error("a .dot file shows one s-op, and %zu were asked for; .svg shows several",
                     picture->count);
        return EXIT_WRONG_USE;
    }
    char *text = rasp_graph_dot(picture->graph, 0, picture->title, &error);
    int status =
        text ? picture_save(a->output, PICTURE_DOT, picture->title, text) : report_failure(&error);
    rasp_free(text);
    return status;
}

static int draw_graph(const DrawArguments *a, PictureFormat format, FlowPicture *picture) {
    RaspError error;
    if (format == PICTURE_DOT) return draw_dot(a, picture);
    char *text = picture_text(picture_flow, picture, &error);
    int status =
        text ? picture_save(a->output, format, picture->title, text) : report_failure(&error);
    rasp_free(text);
    return status;
}

static int draw_sops(const Program *p, const DrawArguments *a, PictureFormat format) {
    size_t count;
    RaspError error;
    const RaspSop *sops;
    int status = program_sops(p, &a->common.choice, &sops, &count);
    if (status == EXIT_FINE) status = program_warn(p, sops, count);
    if (status != EXIT_FINE) return status;
    const char **names = ARENA_ARRAY(command_arena(), count + 1, const char *);
    for (size_t k = 0; k < count; k++) names[k] = sops[k].name;
    RaspInput input = {.text = a->input, .length = strlen(a->input), .form = a->common.form};
    RaspGraph *graph = rasp_graph_new(p->handle, sops, count, &input, &error);
    if (!graph) return report_failure(&error);
    FlowPicture picture = {graph, names, count, title_of(a, sops, count)};
    status = draw_graph(a, format, &picture);
    rasp_graph_free(graph);
    return status;
}

/* --- the transformer -------------------------------------------------------------------- */

static int draw_model(const DrawArguments *a, PictureFormat format, RaspModel *model) {
    RaspError error;
    const RaspCircuit *circuit = rasp_model_circuit(model, &error);
    if (!circuit) return report_failure(&error);
    const char *title = a->common.argument ? a->common.argument : a->common.choice.expression;
    const char *slash = a->common.argument ? strrchr(title, '/') : NULL;
    if (slash) title = slash + 1;
    title = arena_format(command_arena(), "%s, compiled: %u dimensions, %zu head%s, %zu table%s",
                         title, circuit->width, circuit->head_count, plural(circuit->head_count),
                         circuit->table_count, plural(circuit->table_count));
    char *text = picture_text(picture_model, &(ModelPicture){circuit, title}, &error);
    int status = text ? picture_save(a->output, format, title, text) : report_failure(&error);
    rasp_free(text);
    return status;
}

static int draw_transformer(const DrawArguments *a, PictureFormat format) {
    ModelArgument subject;
    if (format == PICTURE_DOT) {
        report_error("the transformer is drawn as .svg, .html or .png, found '%s'", a->output);
        return EXIT_WRONG_USE;
    }
    int status = model_argument_open(&a->common, &a->target, &subject);
    if (status == EXIT_FINE) status = draw_model(a, format, subject.model);
    model_argument_close(&subject);
    return status;
}

static int draw(const DrawArguments *a) {
    PictureFormat format = PICTURE_SVG;
    Program program;
    if (a->output && !picture_format(a->output, &format)) return EXIT_WRONG_USE;
    if (!a->output && isatty(STDOUT_FILENO)) {
        report_error("a picture does not go to a terminal; -o flow.svg writes it to a file");
        return EXIT_WRONG_USE;
    }
    if (a->model) return draw_transformer(a, format);
    if (a->common.argument && weights_recognised(a->common.argument)) {
        report_error("'%s' is a weights file: --model draws it", a->common.argument);
        return EXIT_WRONG_USE;
    }
    RaspConfig config = report_config(a->common.memory);
    config.cpu_seconds = a->target.target.time_limit;
    int status = program_open_with(a->common.argument, &config, &program);
    if (status == EXIT_FINE) status = draw_sops(&program, a, format);
    rasp_program_free(program.handle);
    return status;
}

int cmd_draw(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "[PROGRAM] INPUT\n[PROGRAM] --model",
                                     .doc = help,
                                     .children = children};
    DrawArguments arguments = {.common = {.kind = &program_argument}};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = draw(&arguments);
    free(arguments.common.choice.names);
    return status;
}
