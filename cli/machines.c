#include "cli/machines.h"

#include "cli/stats.h"
#include "cli/trace.h"

#include <math.h>

/* --- the interpreter -------------------------------------------------------------------- */

/* So many inputs may have been run together for nothing before no more are. */
enum { PATIENCE = 1000 };

/* Inputs that cannot be run together, or that fail, are run each by itself, as any others. */
static void run_ahead(void *self, const RaspInput *inputs, size_t count) {
    Interpreter *i = self;
    RaspError error;
    rasp_runs_free(i->runs);
    i->runs = NULL;
    i->next = 0;
    if (count > 1 && i->patience > 0)
        i->runs = rasp_runs_new(i->program, inputs, count, i->sops, i->count, &error);
}

static void *begin_run(void *self, const RaspInput *input, RaspError *error) {
    Interpreter *i = self;
    i->at = i->next++;
    if (i->runs && rasp_runs_has(i->runs, i->at)) return i;
    if (i->runs) i->patience--;
    i->run = rasp_run_new(i->program, input, i->sops, i->count, &i->options, error);
    return i->run ? i : NULL;
}

static void end_run(void *pass) {
    Interpreter *i = pass;
    if (!i->run && i->patience < PATIENCE) i->patience++;
    rasp_run_free(i->run);
    i->run = NULL;
}

static bool run_is_string(void *pass, const RaspSequence **tokens) {
    const Interpreter *i = pass;
    bool is_string = true;
    const RaspSequence *found = i->run ? rasp_run_input(i->run, &is_string) : NULL;
    if (tokens) *tokens = found ? found : rasp_runs_input(i->runs, i->at);
    return is_string;
}

static const RaspSequence *run_values(void *self, void *pass, size_t k, RaspError *error) {
    const Interpreter *i = pass;
    (void)self;
    return i->run ? rasp_run_sequence(i->run, k, error) : rasp_runs_sequence(i->runs, i->at, k);
}

static const bool *run_selection(void *self, void *pass, size_t k, RaspError *error) {
    (void)self;
    return rasp_run_selection(((Interpreter *)pass)->run, k, error);
}

static void run_stats(void *pass) {
    stats_print(((Interpreter *)pass)->run);
}

static void run_show(void *self, const RaspInput *input) {
    const Interpreter *i = self;
    trace_print(i->program, i->sops, i->count, input);
}

Machine interpreter_machine(Interpreter *interpreter) {
    const RaspRunOptions *options = &interpreter->options;
    bool alone = interpreter->show || options->stats || options->plan != RASP_PLAN_AUTO;
    interpreter->patience = PATIENCE;
    return (Machine){.self = interpreter,
                     .ahead = alone ? NULL : run_ahead,
                     .begin = begin_run,
                     .end = end_run,
                     .is_string = run_is_string,
                     .values = run_values,
                     .selection = run_selection,
                     .show = interpreter->show ? run_show : NULL,
                     .stats = run_stats};
}

/* --- the transformer -------------------------------------------------------------------- */

static void forward_ahead(void *self, const RaspInput *inputs, size_t count) {
    Transformer *t = self;
    for (; t->next < t->count; t->next++) rasp_forward_free(t->passes[t->next]);
    t->next = 0;
    t->count = count > 1 ? count : 0;
    if (t->count) rasp_forward_many(t->engine, inputs, count, t->passes);
}

static void *begin_forward(void *self, const RaspInput *input, RaspError *error) {
    Transformer *t = self;
    RaspForward *ready = t->next < t->count ? t->passes[t->next++] : NULL;
    return ready ? ready : rasp_forward(t->engine, input, error);
}

static void end_forward(void *pass) {
    rasp_forward_free(pass);
}

static bool forward_is_string(void *pass, const RaspSequence **tokens) {
    bool is_string;
    const RaspSequence *found = rasp_forward_input(pass, &is_string);
    if (tokens) *tokens = found;
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
                     .ahead = forward_ahead,
                     .begin = begin_forward,
                     .end = end_forward,
                     .is_string = forward_is_string,
                     .values = forward_values,
                     .json = forward_json};
}
