/* `rasp compile PROGRAM -o FILE`: a program to the weights of a transformer. */
#include "cli/command.h"

#include "base/plural.h"
#include "cli/circuit.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/target.h"
#include "cli/warnings.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

typedef struct CompileArguments {
    Common common;
    const char *output, *circuit;
    TargetOptions target;
    bool stats, quiet; /* quiet: standard output has the weights, or the circuit */
    const char *dump;
} CompileArguments;

enum { KEY_DUMP = OPTION_OWN_KEYS, KEY_STATS, KEY_CIRCUIT };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"output", 'o', "FILE", 0,
     "write the weights there; - is standard output (without: only the report)", 2},
    {"circuit", KEY_CIRCUIT, "FILE", 0,
     "write there what every head, unit and residual dimension is for, and who reads whom, as "
     "JSON; - is standard output",
     2},
    OPTION_JSON("the report as one JSON object", 5),
    {"stats", KEY_STATS, NULL, 0, "where the time went", 5},
    {"dump", KEY_DUMP, "WHAT", 0,
     "print the compiler's sets, cover, heads, schedule or model instead of the report", 5},
    OPTION_MEMORY,
    {0},
};

static error_t settle_outputs(struct argp_state *state, CompileArguments *a) {
    bool weights = a->output && output_is_standard(a->output);
    bool circuit = a->circuit && output_is_standard(a->circuit);
    if (weights && circuit) argp_error(state, "-o and --circuit cannot both be standard output");
    a->quiet = weights || circuit;
    return option_common(ARGP_KEY_END, NULL, state, &a->common);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    CompileArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case 'o':
        a->output = text;
        return 0;
    case KEY_CIRCUIT:
        a->circuit = text;
        return 0;
    case ARGP_KEY_END:
        return settle_outputs(state, a);
    case KEY_STATS:
        a->stats = true;
        return 0;
    case KEY_DUMP:
        a->dump = rasp_dump_name(option_named(state, "--dump", text, rasp_dump_name));
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

static const char help[] =
    "Compile a RASP program to the weights of a transformer that gives the same answers on every "
    "input of the alphabet up to the length, and print what it consists of.\v"
    "What cannot be done within the limits is an error that names the s-op and the option that "
    "raises the limit.  The file is a safetensors file; 'rasp run', 'check', 'info' and 'verify' "
    "take it.\n\n"
    "Examples:\n"
    "  rasp compile induction -o w.bin\n"
    "  rasp compile sort --alphabet '[1, 2, 3]' --max-length 8 -o w.bin\n"
    "  rasp compile dyck --sop prefix --sop balance -o w.bin";

/* --- the report ---------------------------------------------------------------------------- */

/* What the report is about, kept together. */
typedef struct Report {
    const Program *program;
    const CompileArguments *arguments;
    RaspModel *model;
    const RaspModelInfo *info;
    RaspCertificate certificate;
    RaspCompileStats stats;
} Report;

static const char *inputs_text(const Report *r) {
    Arena *arena = command_arena();
    const RaspModelInfo *i = r->info;
    const char *text = arena_format(arena, "alphabet %s (%zu token%s), length 1 to %zu",
                                    summary_alphabet(i->alphabet, i->alphabet_size, 30),
                                    i->alphabet_size, plural(i->alphabet_size), i->max_length);
    if (i->first >= 0)
        text =
            arena_format(arena, "%s, first %s", text, print_text(i->alphabet[i->first], RASP_JSON));
    if (i->where) text = arena_format(arena, "%s, where %s", text, i->where);
    return text;
}

static void print_certificate(const RaspCertificate *c) {
    printf("  certified       error at most %.3g in the residual stream\n", c->error);
    if (*c->where)
        printf("  tightest        %s: its error is at most %.2g of its margin\n", c->where,
               c->tightest);
    else
        puts("  tightest        no decision is made");
    if (c->joined_absolute > 0)
        printf("  joined          floats that differ by the order of sums, by up to %.3g\n"
               "                  (%.3g of the smaller), are one output\n",
               c->joined_absolute, c->joined_relative);
}

static void print_report(const Report *r) {
    const RaspModelInfo *i = r->info;
    const RaspCertificate *c = &r->certificate;
    printf("%s: ", r->program->shown);
    for (size_t k = 0; k < i->output_count; k++) printf("%s%s", k ? ", " : "", i->outputs[k].name);
    printf("\n  inputs          %s\n", inputs_text(r));
    printf("  attention       %zu layer%s (RASP depth %u), %zu head%s", i->attention_layers,
           plural(i->attention_layers), r->stats.depth, i->heads, plural(i->heads));
    if (i->attention_layers > 1) printf(" (%s)", summary_heads(i));
    if (i->layers_without_heads)
        printf(", %zu layer%s without heads", i->layers_without_heads,
               plural(i->layers_without_heads));
    printf("\n  feed-forward    %zu sublayer%s, %zu hidden unit%s\n", i->sublayers,
           plural(i->sublayers), i->hidden_units, plural(i->hidden_units));
    printf("  residual width  %zu\n", i->width);
    printf("  parameters      %s, of which not zero %s\n", grouped(i->parameters),
           grouped(i->nonzero));
    printf("  arithmetic      %s, beta %g\n", rasp_dtype_name((int)i->dtype), c->beta);
    print_certificate(c);
    if (i->kernel != RASP_SOFTMAX)
        printf("  kernel          %s: keys that are not selected have weight 0, exactly, at every "
               "length\n",
               rasp_rule_name((int)i->kernel));
    printf("  answers         %s\n", summary_answers(i));
    printf("  compiled in     %.3g s\n", r->stats.seconds);
    if (!r->arguments->output) puts("  nothing is written (-o FILE writes the weights)");
}

static void print_stats(const RaspCompileStats *s) {
    printf("  of that         %.3g s value sets, covering and scores (%u nodes)\n", s->lowering,
           s->nodes);
    printf("                  %.3g s weights, %.3g s certificate (%u tr%s)\n", s->weights,
           s->certificate, s->tries, s->tries == 1 ? "y" : "ies");
}

static void print_json(const Report *r) {
    const RaspModelInfo *i = r->info;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "program", r->program->shown);
    json_begin_array(&j, "outputs");
    for (size_t k = 0; k < i->output_count; k++) json_text(&j, NULL, i->outputs[k].name);
    json_end(&j);
    json_count(&j, "alphabet_size", i->alphabet_size);
    json_count(&j, "max_length", i->max_length);
    json_count(&j, "depth", r->stats.depth);
    summary_json(&j, i);
    json_text(&j, "kernel", rasp_rule_name((int)i->kernel));
    json_number(&j, "beta", "%g", r->certificate.beta);
    json_number(&j, "certified_error", "%g", r->certificate.error);
    json_number(&j, "tightest", "%g", r->certificate.tightest);
    json_number(&j, "joined_absolute", "%g", r->certificate.joined_absolute);
    json_number(&j, "joined_relative", "%g", r->certificate.joined_relative);
    json_number(&j, "seconds", "%.6f", r->stats.seconds);
    warnings_json(&j);
    json_end(&j);
}

static int print_dump(const Report *r) {
    RaspError error;
    char *text = rasp_model_dump(r->model, r->arguments->dump, &error);
    if (!text) return report_failure(&error);
    fputs(text, stdout);
    rasp_free(text);
    return EXIT_FINE;
}

static int report(const Program *p, const CompileArguments *a, RaspModel *model) {
    Report r = {.program = p, .arguments = a, .model = model, .info = rasp_model_info(model)};
    rasp_model_certificate(model, &r.certificate);
    rasp_model_compile_stats(model, &r.stats);
    if (a->dump) return print_dump(&r);
    (a->common.json ? print_json : print_report)(&r);
    if (a->stats && !a->common.json) print_stats(&r.stats);
    return EXIT_FINE;
}

/* --- the command --------------------------------------------------------------------------- */

static int compile(const Program *p, const CompileArguments *a) {
    const RaspSop *sops;
    size_t count;
    RaspModel *model = NULL;
    int status = program_sops(p, &a->common.choice, &sops, &count);
    if (status == EXIT_FINE) status = target_compile(p, sops, count, &a->target.target, &model);
    if (status == EXIT_FINE && a->output) status = weights_save(model, a->output);
    if (status == EXIT_FINE && a->circuit) status = circuit_save(model, a->circuit);
    if (status == EXIT_FINE && !a->quiet) status = report(p, a, model);
    rasp_model_free(model);
    return status;
}

int cmd_compile(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "[PROGRAM]",
                                     .doc = help,
                                     .children = children};
    CompileArguments arguments = {.common = {.kind = &program_argument}};
    const Common *common = &arguments.common;
    Program program;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = program_open(common->argument, common->memory, &program);
    if (status == EXIT_FINE) status = compile(&program, &arguments);
    rasp_program_free(program.handle);
    free(common->choice.names);
    return status;
}
