/* `rasp view PROGRAM|WEIGHTS INPUT...`: a page that shows program and transformer at work. */
#include "cli/command.h"

#include "cli/model_argument.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/view_data.h"
#include "cli/view_inputs.h"
#include "show/view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct ViewArguments {
    Common common;
    TargetOptions target;
    char **inputs;
    int input_count;
    const char *output;
} ViewArguments;

static const struct argp_option options[] = {
    OPTIONS_SOP,
    OPTIONS_FORM("every INPUT"),
    {"output", 'o', "FILE", 0, "the page's file; without it, standard output", 2},
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Write a page, for a browser and without a network, that shows a program and its transformer "
    "at work: source, attention, residual stream and outputs, for the INPUTs and any other that is "
    "typed there, at any temperature.\v"
    "A page shows inputs of up to 64 tokens, and carries the weights of models with at most 10,000 "
    "that are not zero.\n\n"
    "Examples:\n"
    "  rasp view dyck \"(())\" -o view.html\n"
    "  rasp view w.bin abc cab -o view.html";

/* --- the command line ------------------------------------------------------------------------- */

static error_t parse(int key, char *text, struct argp_state *state) {
    ViewArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case 'o':
        a->output = text;
        return 0;
    case ARGP_KEY_ARG:
        if (!a->common.argument && !a->input_count && option_names_program(&a->common, text))
            a->common.argument = text;
        else
            a->inputs[a->input_count++] = text;
        return 0;
    case ARGP_KEY_SUCCESS:
        option_need_argument(state, &a->common);
        if (!a->input_count)
            argp_error(state, "expected an INPUT to begin with, e.g. rasp view %s abc -o view.html",
                       a->common.argument ? a->common.argument : "--expr 'sort(tokens, tokens)'");
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

/* --- the page --------------------------------------------------------------------------------- */

static int out_of_memory(void) {
    report_error("out of memory for a page");
    return EXIT_FAILED;
}

static int save(const ViewArguments *a, const ViewData *data) {
    size_t size;
    char *text = NULL;
    FILE *made = open_memstream(&text, &size);
    if (made) view_data_write(made, data);
    if (!made || fclose(made) != 0) {
        free(text);
        return out_of_memory();
    }
    const char *program = data->info->program ? data->info->program : "weights";
    Output *page = output_open(a->output);
    if (page) view_write(page->file, program, text);
    free(text);
    return page ? output_close(page) : EXIT_FAILED;
}

/* What the parts are for.  A file may hold no program, or weights that its program did not make:
 * then they go without names. */
static int find_circuit(RaspModel *model, ViewData *data) {
    RaspError error;
    if (!data->info->program) {
        report_note("the file does not hold its program: its parts have no names");
        return EXIT_FINE;
    }
    data->circuit = rasp_model_circuit(model, &error);
    if (data->circuit) return EXIT_FINE;
    if (error.status != RASP_WRONG_FILE) return report_failure(&error);
    report_note("%s: its parts have no names", error.text);
    return EXIT_FINE;
}

static int write_page(const ViewArguments *a, RaspModel *model, ViewData *data) {
    int status = find_circuit(model, data);
    if (data->info->nonzero > VIEW_WEIGHTS)
        report_note("%zu weights are not zero, more than the %d that a page carries: it shows the "
                    "program and the interpreter's outputs",
                    data->info->nonzero, VIEW_WEIGHTS);
    return status == EXIT_FINE ? save(a, data) : status;
}

/* What the page shows of the model is what its file holds. */
static int make_page(const ViewArguments *a, RaspModel *model, ViewData *data) {
    RaspError error;
    unsigned char *bytes;
    size_t size;
    if (!rasp_model_bytes(model, &bytes, &size, &error)) return report_failure(&error);
    int status = view_data_open(data, bytes) ? write_page(a, model, data) : out_of_memory();
    view_data_close(data);
    rasp_free(bytes);
    return status;
}

static int view_model(const ViewArguments *a, RaspModel *model) {
    ViewData data = {.info = rasp_model_info(model)};
    ViewInputs inputs = {
        .model = model, .texts = a->inputs, .form = a->common.form, .memory = a->common.memory};
    if (data.info->alphabet_size > VIEW_ALPHABET) {
        report_error("a page shows alphabets of at most %d tokens, this one has %zu; --alphabet "
                     "chooses a smaller one",
                     VIEW_ALPHABET, data.info->alphabet_size);
        return EXIT_FAILED;
    }
    int status = view_inputs_run(&inputs, (size_t)a->input_count);
    data.inputs = inputs.list;
    data.input_count = (size_t)a->input_count;
    if (status == EXIT_FINE) status = make_page(a, model, &data);
    view_inputs_free(&inputs);
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

static int view(const ViewArguments *a) {
    ModelArgument subject;
    if (!a->output && isatty(STDOUT_FILENO)) {
        report_error("a page does not go to a terminal; -o view.html writes it to a file");
        return EXIT_WRONG_USE;
    }
    int status = model_argument_open(&a->common, &a->target, &subject);
    if (status == EXIT_FINE) status = view_model(a, subject.model);
    model_argument_close(&subject);
    return status;
}

int cmd_view(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "[PROGRAM|WEIGHTS] INPUT...",
                                     .doc = help,
                                     .children = children};
    ViewArguments arguments = {.common = {.kind = &model_argument_kind}};
    arguments.inputs = ARENA_ARRAY(command_arena(), (size_t)argc, char *);
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = view(&arguments);
    free(arguments.common.choice.names);
    return status;
}
