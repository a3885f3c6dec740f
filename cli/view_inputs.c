#include "cli/view_inputs.h"

#include "cli/command.h"
#include "cli/print.h"
#include "cli/report.h"

#include <string.h>

static size_t find_token(const RaspModelInfo *info, RaspAtom token) {
    size_t id = 0;
    while (id < info->alphabet_size && !rasp_atom_same(info->alphabet[id], token)) id++;
    return id;
}

/* The forward pass judges the input: is it one that the model is for? */
static int take_tokens(RaspEngine *engine, const RaspModelInfo *info, const RaspInput *text,
                       ViewInput *input) {
    bool is_string;
    RaspError error;
    RaspForward *forward = rasp_forward(engine, text, &error);
    if (!forward) return report_failure(&error);
    const RaspSequence *tokens = rasp_forward_input(forward, &is_string);
    size_t *ids = ARENA_ARRAY(command_arena(), rasp_sequence_length(tokens), size_t);
    input->length = rasp_sequence_length(tokens);
    for (size_t i = 0; i < input->length; i++)
        ids[i] = find_token(info, rasp_sequence_at(tokens, i));
    input->ids = ids;
    rasp_forward_free(forward);
    if (input->length <= VIEW_POSITIONS) return EXIT_FINE;
    report_error("a page shows inputs of at most %d tokens, found %zu; rasp run takes longer ones",
                 VIEW_POSITIONS, input->length);
    return EXIT_FAILED;
}

/* An output is named by its s-op, or is an expression. */
static bool find_sop(RaspProgram *program, const char *name, RaspSop *sop, RaspError *error) {
    size_t count;
    const RaspSop *sops = rasp_program_sops(program, &count, error);
    for (size_t k = 0; sops && k < count; k++)
        if (strcmp(sops[k].name, name) == 0) {
            *sop = sops[k];
            return true;
        }
    bool none = !sops && error->status == RASP_WRONG_PROGRAM; /* it gives no name to any */
    return (sops || none) && rasp_program_expression(program, name, sop, error);
}

/* What the interpreter says.  An s-op that fails on the input has no answer. */
static int interpret(ViewInputs *inputs, const RaspInput *text, ViewInput *input,
                     const RaspSop *sops) {
    RaspError error;
    const RaspModelInfo *info = rasp_model_info(inputs->model);
    RaspProgram *program = rasp_model_program(inputs->model, &error);
    RaspRun *run =
        program ? rasp_run_new(program, text, sops, info->output_count, NULL, &error) : NULL;
    if (!run) return report_failure(&error);
    inputs->runs[inputs->run_count++] = run;
    input->answers = ARENA_ARRAY(command_arena(), info->output_count, const RaspSequence *);
    for (size_t k = 0; k < info->output_count; k++) {
        input->answers[k] = rasp_run_sequence(run, k, &error);
        if (!input->answers[k] && error.status != RASP_FAILED) return report_failure(&error);
    }
    return EXIT_FINE;
}

/* The s-ops of the model's outputs; NULL in *sops where the file holds no program. */
static int find_sops(RaspModel *model, RaspSop **sops) {
    RaspError error;
    const RaspModelInfo *info = rasp_model_info(model);
    *sops = NULL;
    if (!info->program) return EXIT_FINE;
    RaspProgram *program = rasp_model_program(model, &error);
    if (!program) return report_failure(&error);
    *sops = ARENA_ARRAY(command_arena(), info->output_count, RaspSop);
    for (size_t k = 0; k < info->output_count; k++)
        if (!find_sop(program, info->outputs[k].name, &(*sops)[k], &error))
            return report_failure(&error);
    return EXIT_FINE;
}

int view_inputs_run(ViewInputs *inputs, size_t count) {
    RaspError error;
    RaspSop *sops;
    RaspConfig config = report_config(inputs->memory);
    inputs->list = ARENA_ARRAY(command_arena(), count, ViewInput);
    inputs->runs = ARENA_ARRAY(command_arena(), count, RaspRun *);
    int status = find_sops(inputs->model, &sops);
    if (status != EXIT_FINE) return status;
    RaspEngine *engine = rasp_engine_new(inputs->model, NULL, &config, &error);
    if (!engine) return report_failure(&error);
    for (size_t k = 0; k < count && status == EXIT_FINE; k++) {
        const char *text = inputs->texts[k];
        RaspInput input = {.text = text, .length = strlen(text), .form = inputs->form};
        status = take_tokens(engine, rasp_model_info(inputs->model), &input, &inputs->list[k]);
        if (status == EXIT_FINE && sops) status = interpret(inputs, &input, &inputs->list[k], sops);
    }
    rasp_engine_free(engine);
    return status;
}

void view_inputs_free(ViewInputs *inputs) {
    for (size_t k = 0; k < inputs->run_count; k++) rasp_run_free(inputs->runs[k]);
}
