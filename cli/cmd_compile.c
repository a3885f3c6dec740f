/* `rasp compile PROGRAM -o FILE`: a program to the weights of a transformer. */
#include "cli/command.h"

#include "cli/alphabet.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/target.h"
#include "compile/complete.h"
#include "compile/plan_dump.h"
#include "compile/prove/certificate.h"
#include "runtime/safetensors.h"

#include <stdlib.h>
#include <string.h>

typedef struct CompileArguments {
    Common common;
    const char *output;
    TargetOptions target;
    bool stats, quiet; /* quiet: standard output has the weights */
    PlanDump *dump;
    Compiled compiled; /* outlives the program's guard */
} CompileArguments;

enum { KEY_DUMP = OPTION_OWN_KEYS, KEY_STATS };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"output", 'o', "FILE", 0,
     "write the weights there; - is standard output (without: only the report)", 2},
    OPTION_JSON("the report as one JSON object", 5),
    {"stats", KEY_STATS, NULL, 0, "where the time went", 5},
    {"dump", KEY_DUMP, "WHAT", 0,
     "print the compiler's sets, cover, heads, schedule or model instead of the report", 5},
    OPTION_MEMORY,
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    CompileArguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->target;
        return 0;
    case 'o':
        a->quiet = strcmp(text, "-") == 0;
        a->output = a->quiet ? "/dev/stdout" : text;
        return 0;
    case KEY_STATS:
        a->stats = true;
        return 0;
    case KEY_DUMP:
        a->dump = plan_dump_find(text);
        if (!a->dump)
            argp_error(state, "--dump expects one of %s, found '%s'", plan_dump_names, text);
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
    Program *program;
    const Target *target;
    const Compiled *compiled;
    const char *output;
    double seconds;
    Summary sizes;
} Report;

static const char *inputs_text(const Report *r) {
    Arena *arena = r->program->arena;
    const CompileOptions *o = &r->target->record.options;
    const char *text = arena_format(arena, "alphabet %s (%u token%s), length 1 to %u",
                                    alphabet_show(o->alphabet, o->alphabet_size, 30, arena),
                                    o->alphabet_size, plural(o->alphabet_size), o->max_length);
    if (o->first >= 0)
        text = arena_format(arena, "%s, first %s", text,
                            atom_show(o->alphabet[o->first], ATOM_JSON, arena));
    if (r->target->record.where)
        text = arena_format(arena, "%s, where %s", text, r->target->record.where);
    return text;
}

static void print_report(const Report *r) {
    const Summary *s = &r->sizes;
    Arena *arena = r->program->arena;
    const Certificate *c = r->compiled->certificate;
    printf("%s: ", r->program->shown);
    for (uint32_t k = 0; k < r->target->output_count; k++)
        printf("%s%s", k ? ", " : "", r->target->outputs[k].name);
    printf("\n  inputs          %s\n", inputs_text(r));
    printf("  attention       %zu layer%s (RASP depth %u), %zu head%s", s->attention_layers,
           plural(s->attention_layers), r->compiled->circuit->depth, s->heads, plural(s->heads));
    if (s->attention_layers > 1) printf(" (%s)", s->heads_text);
    if (s->headless) printf(", %zu layer%s without heads", s->headless, plural(s->headless));
    printf("\n  feed-forward    %zu sublayer%s, %zu hidden unit%s\n", s->sublayers,
           plural(s->sublayers), s->units, plural(s->units));
    printf("  residual width  %zu\n", s->width);
    printf("  parameters      %s, of which not zero %s\n", grouped(arena, s->parameters),
           grouped(arena, s->nonzeros));
    printf("  arithmetic      %s, beta %g\n", r->compiled->model->dtype == RT_F32 ? "f32" : "f64",
           r->compiled->circuit->options.beta);
    printf("  certified       error at most %.3g; tightest: %s, %.2g of what is allowed\n",
           c->error, *c->where ? c->where : "nothing", c->tightest);
    printf("  compiled in     %.3g s\n", r->seconds);
    if (!r->output) puts("  nothing is written (-o FILE writes the weights)");
}

static void print_stats(const CompileStats *s) {
    printf("  of that         %.3g s value sets, covering and scores (%u nodes)\n", s->lowering,
           s->nodes);
    printf("                  %.3g s weights, %.3g s certificate (%u tr%s)\n", s->weights,
           s->certificate, s->tries, s->tries == 1 ? "y" : "ies");
}

static void print_json(const Report *r) {
    const CompileOptions *o = &r->target->record.options;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "program", r->program->shown);
    json_begin_array(&j, "outputs");
    for (uint32_t k = 0; k < r->target->output_count; k++)
        json_text(&j, NULL, r->target->outputs[k].name);
    json_end(&j);
    json_count(&j, "alphabet_size", o->alphabet_size);
    json_count(&j, "max_length", o->max_length);
    json_count(&j, "depth", r->compiled->circuit->depth);
    summary_json(&j, r->compiled->model, &r->sizes);
    json_number(&j, "beta", "%g", r->compiled->circuit->options.beta);
    json_number(&j, "certified_error", "%g", r->compiled->certificate->error);
    json_number(&j, "tightest", "%g", r->compiled->certificate->tightest);
    json_number(&j, "seconds", "%.6f", r->seconds);
    json_end(&j);
}

/* --- the file ------------------------------------------------------------------------------ */

/* Files outside the program's folder cannot be laid out again beside the embedded text. */
static void warn_outside(const Record *record) {
    for (size_t k = 0; k < record->loaded_count; k++)
        if (!record_stays_inside(record->loaded[k].name))
            report_note("the program loads '%s' from outside the current folder: 'rasp verify' "
                        "and 'rasp check' will not be able to evaluate it from the weights file",
                        record->loaded[k].name);
}

/* Adds what the file says of itself, and lays the model out as asked. */
static int finish_model(Program *p, const Target *target, Compiled *compiled) {
    if (complete_model(compiled, &target->record, session_sources(p->session))) return EXIT_FINE;
    report_error("out of memory for the description of the model");
    return EXIT_FAILED;
}

static int write_weights(const Target *target, const Model *model, const char *path) {
    RtError error;
    warn_outside(&target->record);
    if (model_save(model, path, &error)) return EXIT_FINE;
    report_error("%s", error.text);
    return EXIT_FAILED;
}

static int compile(Program *p, void *context) {
    CompileArguments *a = context;
    Target target;
    Report report = {p, &target, &a->compiled, a->output, 0, {0}};
    int status = target_choose(p, &a->common.choice, &a->target, &target);
    if (status == EXIT_FINE)
        status = target_compile(p, &target, p->arena, &a->compiled, &report.seconds);
    if (status == EXIT_FINE) status = finish_model(p, &target, &a->compiled);
    if (status == EXIT_FINE && a->output)
        status = write_weights(&target, a->compiled.model, a->output);
    if (status != EXIT_FINE || a->quiet) return status;
    report.sizes = summary_of(a->compiled.model, p->arena);
    if (a->dump)
        a->dump(stdout, &a->compiled);
    else if (a->common.json)
        print_json(&report);
    else
        print_report(&report);
    if (a->stats && !a->dump && !a->common.json) print_stats(&a->compiled.stats);
    return EXIT_FINE;
}

int cmd_compile(int argc, char **argv) {
    static const struct argp_child children[] = {{&target_options, 0, NULL, 0}, {0}};
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "PROGRAM",
                                     .doc = help,
                                     .children = children};
    static CompileArguments arguments = {.common = {.kind = &program_argument}};
    const Common *common = &arguments.common;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = program_with(common->argument, common->memory, compile, &arguments);
    compiled_clear(&arguments.compiled);
    model_free(arguments.compiled.model);
    free(common->choice.names);
    return status;
}
