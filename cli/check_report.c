#include "cli/check_report.h"

#include "base/plural.h"
#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/print.h"
#include "cli/summary.h"
#include "cli/warnings.h"

#include <math.h>

/* --- text ---------------------------------------------------------------------------------- */

static const char *inputs_text(const CheckView *v) {
    Arena *arena = command_arena();
    const RaspCheckReport *r = v->report;
    const char *compared = grouped(r->compared);
    if (v->pieces && v->pieces->lack)
        return arena_format(arena, "%s input%s, and not all: %s", compared, plural(r->compared),
                            v->pieces->lack);
    if (r->compared == 0) return "no input was compared";
    if (r->exhaustive)
        return arena_format(arena, "all %s input%s of length at most %u%s", compared,
                            plural(r->compared), (unsigned)v->model->max_length,
                            r->left_out      ? " on which there is an answer"
                            : r->outside > 0 ? " of the domain"
                                             : "");
    const char *seed = arena_format(arena, "seed %llu", (unsigned long long)r->seed);
    if (r->complete_length == 0)
        return arena_format(arena, "%s inputs of length at most %u (%s)", compared,
                            (unsigned)v->model->max_length, seed);
    return arena_format(arena, "%s inputs: all of length at most %u, others up to %u (%s)",
                        compared, r->complete_length, (unsigned)v->model->max_length, seed);
}

static void print_sequence_of(const RaspAtom *atoms, size_t count) {
    putchar('[');
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", stdout);
        print_value(stdout, atoms[i], -1);
    }
    puts("]");
}

static void print_example(const CheckView *v, const RaspCheckExample *e) {
    printf("  input        ");
    print_sequence_of(e->input, e->length);
    printf("  %-12s ", v->model->outputs[e->output].name);
    print_sequence_of(e->expected, e->length);
    printf("  transformer  ");
    print_sequence_of(e->found, e->length);
}

static void print_examples(const CheckView *v, const RaspCheckRun *run) {
    for (size_t k = 0; k < run->example_count; k++) print_example(v, &run->examples[k]);
}

static void print_left_out(const CheckView *v) {
    const RaspCheckReport *r = v->report;
    if (r->left_out)
        printf("  left out     %s input%s on which the interpreter reports an error, and the model "
               "does not\n",
               grouped(r->left_out), plural(r->left_out));
    else if (r->faulted)
        printf("  no answer    on %s of them, which the model should say\n", grouped(r->faulted));
    if (r->outside)
        printf("  outside      %s input%s that the domain excludes\n", grouped(r->outside),
               plural(r->outside));
}

static const char *every_one(const CheckView *v) {
    const RaspCheckReport *r = v->report;
    if (v->pieces && v->pieces->lack) return "on these; nothing is said of what is missing";
    if (!r->left_out) return "on every one";
    size_t all = r->compared + r->left_out; /* of several outputs some may have been compared */
    return arena_format(command_arena(), "on these %s; nothing is said of %s of %s",
                        grouped(r->compared), grouped(r->left_out), grouped(all));
}

static void print_run(const CheckView *v, const RaspCheckRun *run) {
    size_t wrong = v->report->compared - run->agreed;
    if (v->report->compared == 0) {
        puts("  disagree     nothing was compared: no input of the domain has an answer");
        return;
    }
    if (wrong)
        printf("  disagree     on %s of them (%s of %s positions); the first:\n", grouped(wrong),
               grouped(v->report->positions - run->right), grouped(v->report->positions));
    else
        printf("  agree        %s\n", every_one(v));
    print_examples(v, run);
    if (run->largest_error >= 0) printf("  error        at most %.3g\n", run->largest_error);
    if (v->model->certified >= 0)
        printf("  certified    error at most %.3g in the residual stream%s\n", v->model->certified,
               v->from_file ? ", the file says" : "");
    if (isfinite(run->least_margin)) printf("  margin       at least %.3g\n", run->least_margin);
}

static void print_table(const CheckView *v) {
    const RaspCheckReport *r = v->report;
    puts("  temperature     inputs agree      positions agree   margin at least");
    for (size_t k = 0; k < v->report->run_count; k++) {
        const RaspCheckRun *run = &r->runs[k];
        printf("  %-12g  %10s  %5.1f %%", v->report->runs[k].temperature, grouped(run->agreed),
               100.0 * (double)run->agreed / fmax(1, (double)r->compared));
        printf("  %10s  %5.1f %%  %8.3g\n", grouped(run->right),
               100.0 * (double)run->right / fmax(1, (double)r->positions), run->least_margin);
    }
}

void check_print(const CheckView *v) {
    printf("%s: %s\n", v->program, inputs_text(v));
    print_left_out(v);
    if (v->report->run_count > 1)
        print_table(v);
    else
        print_run(v, &v->report->runs[0]);
    printf("  checked in   %.3g s\n", v->seconds);
}

/* --- the same as JSON ---------------------------------------------------------------------- */

static void json_example(Json *j, const CheckView *v, const RaspCheckExample *e) {
    json_begin_object(j, NULL);
    json_text(j, "output", v->model->outputs[e->output].name);
    json_atoms(j, "input", e->input, e->length);
    json_atoms(j, "expected", e->expected, e->length);
    json_atoms(j, "found", e->found, e->length);
    json_end(j);
}

/* As it is typed. */
static const char *rule_text(const CheckView *v) {
    RaspRule rule = v->options->rule == RASP_SOFTMAX ? v->model->kernel : v->options->rule;
    const char *name = rasp_rule_name((int)rule);
    if (!rasp_rule_parameter(rule).name) return name;
    return arena_format(command_arena(), "%s:%.17g", name, v->options->parameter);
}

static void json_run(Json *j, const CheckView *v, size_t k) {
    const RaspCheckRun *run = &v->report->runs[k];
    json_begin_object(j, NULL);
    json_text(j, "weights", rule_text(v));
    json_number(j, "temperature", "%g", v->report->runs[k].temperature);
    json_count(j, "agreed", run->agreed);
    json_count(j, "right", run->right);
    json_number(j, "largest_error", "%.17g", run->largest_error < 0 ? NAN : run->largest_error);
    json_number(j, "least_margin", "%g", run->least_margin);
    json_begin_array(j, "disagreements");
    for (size_t e = 0; e < run->example_count; e++) json_example(j, v, &run->examples[e]);
    json_end(j);
    json_end(j);
}

void check_print_json(const CheckView *v) {
    const RaspCheckReport *r = v->report;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "program", v->program);
    json_flag(&j, "agree", r->agree);
    json_flag(&j, "exhaustive", r->exhaustive);
    json_count(&j, "complete_length", r->complete_length);
    json_count(&j, "max_length", v->model->max_length);
    json_count(&j, "seed", r->seed);
    json_count(&j, "compared", r->compared);
    json_count(&j, "positions", r->positions);
    json_count(&j, "faulted", r->faulted);
    json_count(&j, "left_out", r->left_out);
    json_count(&j, "outside", r->outside);
    if (v->model->certified >= 0) json_number(&j, "certified_error", "%g", v->model->certified);
    json_begin_array(&j, "runs");
    for (size_t k = 0; k < v->report->run_count; k++) json_run(&j, v, k);
    json_end(&j);
    json_number(&j, "seconds", "%.6f", v->seconds);
    if (v->pieces) pieces_json_lack(v->pieces, &j);
    warnings_json(&j);
    json_end(&j);
}
