/* `rasp prove WEIGHTS`: finds what each piece of the weights is, by watching them run beside the
 * program, then shows it (docs/proof.md). */
#include "cli/command.h"

#include "api/rasp_check.h"
#include "cli/json_values.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/program.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/summary.h"
#include "cli/weights.h"

#include "base/plural.h"

#include <math.h>

enum { KEY_PROGRAM = OPTION_OWN_KEYS };

typedef struct ProveArguments {
    Common common;
    const char *program, *output;
} ProveArguments;

static const struct argp_option options[] = {
    {"program", KEY_PROGRAM, "PROGRAM", 0,
     "the program that the weights are to compute, instead of the embedded one: it has an s-op for "
     "the name of each output",
     1},
    {"output", 'o', "FILE", 0, "if all is proved, write the weights with what they claim to FILE",
     1},
    OPTION_JSON("the findings as one JSON object", 1),
    OPTION_TIME,
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Find what each piece of a weights file computes, by running it beside its program, and prove "
    "it: for weights that were not compiled, or claim nothing.\v"
    "The exit status is 1 if the weights are not proved to compute the program on every input of "
    "their domain.  What is then said of a piece is shown, or measured on some inputs, or not "
    "found; an input on which weights and program differ is shown.\n\n"
    "Examples:\n"
    "  rasp prove w.bin --program histogram.rasp\n"
    "  rasp prove w.bin --program histogram.rasp -o proved.bin";

static const char *const standings[] = {[RASP_STANDING_SHOWN] = "shown",
                                        [RASP_STANDING_MEASURED] = "measured",
                                        [RASP_STANDING_NOT_FOUND] = "not found"};

typedef struct View {
    const ProveArguments *arguments;
    const RaspProveReport *report;
    const RaspModelInfo *info;
    const char *program;
} View;

/* --- text ---------------------------------------------------------------------------------- */

static void print_atoms(const char *label, const RaspAtom *atoms, size_t count) {
    printf("  %-12s [", safe_text(label));
    for (size_t k = 0; k < count; k++) {
        if (k) fputs(", ", stdout);
        print_element(stdout, atoms[k], -1);
    }
    puts("]");
}

static void print_example(const View *v) {
    const RaspCheckExample *e = &v->report->example;
    puts("  differs      from the program, on:");
    print_atoms("input", e->input, e->length);
    print_atoms(v->info->outputs[e->output].name, e->expected, e->length);
    print_atoms("transformer", e->found, e->length);
}

static void print_outcome(const View *v) {
    const RaspClaimsReport *c = &v->report->claims;
    if (c->holds)
        printf("  certificate  holds: error at most %.3g in the residual stream\n",
               c->certificate.error);
    else if (c->refused[0])
        printf("  not shown    %s\n", safe_text(c->refused));
    if (v->report->differs)
        print_example(v);
    else
        printf("  outputs      as the program's on %s input%s that were run\n",
               grouped(v->report->compared), plural(v->report->compared));
}

static void print_text_report(const View *v) {
    const RaspProveReport *r = v->report;
    printf("%s: %s\n", v->arguments->common.argument,
           r->claims.holds ? "proved, the outputs are those of the program" : "NOT proved");
    printf("  program      %s\n", safe_text(v->program));
    print_outcome(v);
    printf("  pieces       found on %s input%s\n", grouped(r->measured), plural(r->measured));
    for (size_t k = 0; k < r->piece_count; k++)
        printf("    %-9s  %s: %s\n", standings[r->pieces[k].standing], r->pieces[k].place,
               safe_text(r->pieces[k].text));
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void json_pieces(Json *j, const RaspProveReport *r) {
    json_begin_array(j, "pieces");
    for (size_t k = 0; k < r->piece_count; k++) {
        json_begin_object(j, NULL);
        json_text(j, "place", r->pieces[k].place);
        json_text(j, "is", r->pieces[k].text);
        json_text(j, "standing", standings[r->pieces[k].standing]);
        json_end(j);
    }
    json_end(j);
}

static void print_json(const View *v) {
    const RaspProveReport *r = v->report;
    const RaspCheckExample *e = &r->example;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", v->arguments->common.argument);
    json_text(&j, "program", v->program);
    json_flag(&j, "proved", r->claims.holds);
    json_text(&j, "refused", r->claims.refused);
    json_number(&j, "error", "%g", r->claims.holds ? r->claims.certificate.error : NAN);
    json_count(&j, "compared", r->compared);
    json_count(&j, "measured", r->measured);
    if (r->differs) {
        json_begin_object(&j, "differs");
        json_text(&j, "output", v->info->outputs[e->output].name);
        json_atoms(&j, "input", e->input, e->length);
        json_atoms(&j, "expected", e->expected, e->length);
        json_atoms(&j, "found", e->found, e->length);
        json_end(&j);
    }
    json_pieces(&j, r);
    json_end(&j);
}

/* --- the command --------------------------------------------------------------------------- */

static int prove(const ProveArguments *a, RaspModel *model, const Program *program) {
    RaspError error;
    RaspProveReport report;
    const RaspModelInfo *info = rasp_model_info(model);
    if (!rasp_prove(model, program->handle, &report, &error)) return report_failure(&error);
    const char *shown = program->shown ? program->shown : info->program;
    View view = {a, &report, info, shown ? shown : "the embedded program"};
    (a->common.json ? print_json : print_text_report)(&view);
    if (!report.claims.holds) return EXIT_DISAGREE;
    return a->output ? weights_save(model, a->output) : EXIT_FINE;
}

static int open_and_prove(const ProveArguments *a) {
    RaspModel *model;
    Program program;
    WeightsLimits limits = {a->common.memory, a->common.time_limit};
    int status = weights_open_beside(a->common.argument, &limits, a->program, &model, &program);
    if (status != EXIT_FINE) return status;
    status = prove(a, model, &program);
    rasp_program_free(program.handle);
    rasp_model_free(model);
    return status;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    ProveArguments *a = state->input;
    switch (key) {
    case KEY_PROGRAM:
        a->program = text;
        return 0;
    case 'o':
        a->output = text;
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

int cmd_prove(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "WEIGHTS", .doc = help};
    ProveArguments arguments = {.common = {.kind = &weights_argument}};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (weights_recognised(arguments.common.argument)) return open_and_prove(&arguments);
    report_error("'%s' is no weights file ('rasp compile PROGRAM -o FILE' makes one)",
                 arguments.common.argument);
    return EXIT_WRONG_PROGRAM;
}
