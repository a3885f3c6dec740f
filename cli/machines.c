#include "cli/machines.h"

#include "cli/stats.h"
#include "cli/trace.h"

#include <math.h>

/* --- the interpreter -------------------------------------------------------------------- */

static void *begin_run(void *self, const RaspInput *input, RaspError *error) {
    const Interpreter *i = self;
    return rasp_run_new(i->program, input, i->sops, i->count, &i->options, error);
}

static void end_run(void *pass) {
    rasp_run_free(pass);
}

static bool run_is_string(void *pass, const RaspSequence **tokens) {
    bool is_string;
    *tokens = rasp_run_input(pass, &is_string);
    return is_string;
}

static const RaspSequence *run_values(void *self, void *pass, size_t k, RaspError *error) {
    (void)self;
    return rasp_run_sequence(pass, k, error);
}

static const bool *run_selection(void *self, void *pass, size_t k, RaspError *error) {
    (void)self;
    return rasp_run_selection(pass, k, error);
}

static void run_stats(void *pass) {
    stats_print(pass);
}

static void run_show(void *self, const RaspInput *input) {
    const Interpreter *i = self;
    trace_print(i->program, i->sops, i->count, input);
}

Machine interpreter_machine(Interpreter *interpreter) {
    return (Machine){.self = interpreter,
                     .begin = begin_run,
                     .end = end_run,
                     .is_string = run_is_string,
                     .values = run_values,
                     .selection = run_selection,
                     .show = interpreter->show ? run_show : NULL,
                     .stats = run_stats};
}

/* --- the transformer -------------------------------------------------------------------- */

static void *begin_forward(void *self, const RaspInput *input, RaspError *error) {
    return rasp_forward(((Transformer *)self)->engine, input, error);
}

static void end_forward(void *pass) {
    rasp_forward_free(pass);
}

static bool forward_is_string(void *pass, const RaspSequence **tokens) {
    bool is_string;
    *tokens = rasp_forward_input(pass, &is_string);
    return is_string;
}

static const RaspSequence *forward_values(void *self, void *pass, size_t k, RaspError *error) {
    const RaspSequence *values = rasp_forward_sequence(pass, ((Transformer *)self)->outputs[k]);
    *error = (RaspError){.status = RASP_FAILED,
                         .text = "the model has no answer there: its program fails on this input"};
    return values;
}

static void forward_json(void *self, void *pass, size_t k, Json *j) {
    size_t output = ((Transformer *)self)->outputs[k];
    size_t length = rasp_sequence_length(rasp_forward_sequence(pass, output));
    double margin = INFINITY;
    json_begin_array(j, "raw");
    for (size_t i = 0; i < length; i++) {
        RaspReading reading = rasp_forward_reading(pass, output, i);
        json_number(j, NULL, "%.17g", reading.number);
        margin = fmin(margin, reading.margin);
    }
    json_end(j);
    json_number(j, "margin", "%.6g", margin);
}

Machine transformer_machine(Transformer *transformer) {
    return (Machine){.self = transformer,
                     .begin = begin_forward,
                     .end = end_forward,
                     .is_string = forward_is_string,
                     .values = forward_values,
                     .json = forward_json};
}
