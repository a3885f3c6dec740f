/* `rasp layers PROGRAM`: attention layers, the heads of each, the critical path; and what the
 * text shows of it. */
#include "cli/command.h"

#include "base/plural.h"
#include "cli/bounds_print.h"
#include "cli/facts_print.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

typedef struct LayersArguments {
    Common common;
    RaspTarget target;
    bool detailed, given; /* --class; an option of the target */
} LayersArguments;

enum { KEY_CLASS = OPTION_OWN_KEYS, KEY_ALPHABET, KEY_LENGTH, KEY_FIRST, KEY_WHERE, KEY_SECONDS };

static const struct argp_option options[] = {
    OPTIONS_SOP,
    {"class", KEY_CLASS, NULL, 0,
     "for each head what is shown of it, for each fragment what stands against it, for each class "
     "of layers how many it takes",
     2},
    {"alphabet", KEY_ALPHABET, "TOKENS", 0,
     "what is said of values is of inputs of these tokens, as for rasp compile", 3},
    {"max-length", KEY_LENGTH, "N", 0, "the longest input", 3},
    {"first", KEY_FIRST, "TOKEN", 0, "inputs start with this token", 3},
    {"where", KEY_WHERE, "SOP", 0, "inputs are those on which this s-op is true everywhere", 3},
    OPTION_JSON("one object a line: sop, layers, heads, path, facts, bounds", 4),
    {"time-limit", KEY_SECONDS, "SECONDS", 0,
     "CPU seconds for the facts, and for each class of layers (default: 10)", 7},
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Print how many attention layers a program needs, the heads of each layer with the selectors "
    "they implement, a longest chain of attention through the layers, and what the text shows of "
    "the program: facts that are proved of all inputs.\v"
    "A head is a distinct selector of a layer: selectors that are equal in structure are one.  "
    "What "
    "is 'not shown' may hold all the same.\n\n"
    "Examples:\n"
    "  rasp layers sort\n"
    "  rasp layers dyck --class";

static error_t parse(int key, char *text, struct argp_state *state) {
    LayersArguments *a = state->input;
    a->given |= key >= KEY_ALPHABET && key <= KEY_WHERE;
    switch (key) {
    case KEY_CLASS:
        a->detailed = true;
        return 0;
    case KEY_ALPHABET:
        a->target.alphabet = text;
        return 0;
    case KEY_LENGTH:
        a->target.max_length = (uint32_t)option_number(state, "--max-length", text, 1);
        return 0;
    case KEY_FIRST:
        a->target.first = text;
        return 0;
    case KEY_WHERE:
        a->target.where = text;
        return 0;
    case KEY_SECONDS:
        a->target.time_limit = option_positive(state, "--time-limit", text);
        return 0;
    default:
        return option_common(key, text, state, &a->common);
    }
}

/* --- one s-op --------------------------------------------------------------------------- */

static size_t heads_in(const RaspLayers *layers, uint32_t layer) {
    size_t count = 0;
    for (size_t k = 0; k < layers->head_count; k++) count += layers->heads[k].layer == layer;
    return count;
}

static void put_place(const char *place) {
    if (*place) printf("   # %s", place);
    putchar('\n');
}

static void print_heads(const Program *p, const RaspLayers *layers) {
    uint32_t layer = 0;
    for (size_t k = 0; k < layers->head_count; k++) {
        const RaspHead *head = &layers->heads[k];
        if (head->layer != layer) {
            size_t count = heads_in(layers, layer = head->layer);
            printf("  layer %u: %zu head%s\n", layer, count, plural(count));
        }
        printf("    %s", summary_source(head->selector));
        put_place(program_place(p, &head->place));
    }
}

static void print_sop(const Program *p, const RaspSop *sop, const RaspLayers *layers,
                      bool detailed) {
    printf("%s: %u attention layer%s, %zu head%s\n", sop->name, layers->count,
           plural(layers->count), layers->head_count, plural(layers->head_count));
    if (!detailed) print_heads(p, layers);
    if (layers->count < 2) return;
    puts("  critical path:");
    for (uint32_t k = 0; k < layers->count; k++) {
        printf("    %u. %s", k + 1, summary_source(layers->path[k].sop));
        put_place(program_place(p, &layers->path[k].place));
    }
}

static void json_node(Json *j, const char *key, const char *text, const char *place, size_t layer) {
    json_begin_object(j, NULL);
    json_count(j, "layer", layer);
    json_text(j, key, text);
    json_text(j, "place", place);
    json_end(j);
}

static void json_sop(Json *j, const Program *p, const RaspSop *sop, const RaspLayers *layers) {
    json_text(j, "sop", sop->name);
    json_count(j, "layers", layers->count);
    json_begin_array(j, "heads_per_layer");
    for (uint32_t layer = 1; layer <= layers->count; layer++)
        json_count(j, NULL, heads_in(layers, layer));
    json_end(j);
    json_begin_array(j, "heads");
    for (size_t k = 0; k < layers->head_count; k++) {
        const RaspHead *head = &layers->heads[k];
        json_node(j, "selector", head->selector, program_place(p, &head->place), head->layer);
    }
    json_end(j);
    json_begin_array(j, "path");
    for (uint32_t k = 0; k < layers->count; k++)
        json_node(j, "sop", layers->path[k].sop, program_place(p, &layers->path[k].place), k + 1);
    json_end(j);
}

/* --- how many layers it takes ----------------------------------------------------------- */

typedef struct BoundsOutput {
    Json *json; /* NULL: as text */
    const RaspFacts *facts;
    const char *command;
} BoundsOutput;

static void tell_bound(void *context, const Task *task, const Bound *bound) {
    BoundsOutput *to = context;
    if (to->json)
        bound_json(to->json, task, bound, to->facts);
    else
        bound_print(task, bound, to->facts, to->command);
    fflush(stdout);
}

static int tell_bounds(const Program *p, const LayersArguments *a, const RaspSop *sop,
                       const RaspFacts *facts, Json *json) {
    RaspError error;
    BoundsOutput to = {json, facts,
                       bound_command(a->common.argument, &a->common.choice, &a->target, sop)};
    if (json)
        json_begin_array(json, "bounds");
    else
        puts("  how many it takes:");
    fflush(stdout);
    bool done = bounds_find(p, sop, facts, &(BoundLimits){a->target.time_limit, a->common.memory},
                            &(BoundListener){&to, tell_bound}, &error);
    if (json) json_end(json);
    if (stop_requested()) return EXIT_INTERRUPTED;
    return done ? EXIT_FINE : report_failure(&error);
}

/* --- all of them ------------------------------------------------------------------------ */

enum { QUICK = 2048 }; /* values of one s-op that are looked at unasked */

static int print_json(const Program *p, const LayersArguments *a, const RaspSop *sop,
                      const RaspLayers *layers, const RaspFacts *facts, const char *problem) {
    Json j = {.out = stdout};
    int status = EXIT_FINE;
    json_begin_object(&j, NULL);
    json_sop(&j, p, sop, layers);
    if (facts)
        facts_json(&j, p, facts);
    else
        json_text(&j, "no_facts", problem);
    if (a->detailed) status = tell_bounds(p, a, sop, facts, &j);
    json_end(&j);
    return status;
}

static int print_text(const Program *p, const LayersArguments *a, const RaspSop *sop,
                      const RaspLayers *layers, const RaspFacts *facts, const char *problem) {
    print_sop(p, sop, layers, a->detailed);
    if (facts)
        facts_print(p, facts, a->detailed);
    else
        printf("  no facts: %s\n", problem);
    return a->detailed && facts->layers ? tell_bounds(p, a, sop, facts, NULL) : EXIT_FINE;
}

/* What was asked for by options is an error if it fails, what is said unasked is left out. */
static int print_one(const Program *p, const LayersArguments *a, const RaspSop *sop) {
    RaspError error;
    RaspFacts facts;
    const RaspLayers *layers = rasp_program_layers(p->handle, sop, &error);
    if (!layers) return report_failure(&error);
    RaspTarget target = a->target;
    target.table_limit = a->detailed ? 0 : QUICK;
    bool found = rasp_program_facts(p->handle, sop, &target, &facts, &error);
    if (!found && (a->detailed || a->given || error.reported || error.status == RASP_CANCELLED))
        return report_failure(&error);
    return (a->common.json ? print_json : print_text)(p, a, sop, layers, found ? &facts : NULL,
                                                      error.text);
}

static int print_all(const Program *p, const LayersArguments *a) {
    size_t count;
    const RaspSop *sops;
    int status = program_sops(p, &a->common.choice, &sops, &count);
    for (size_t k = 0; status == EXIT_FINE && k < count && !report_output_failed(); k++)
        status = print_one(p, a, &sops[k]);
    return status;
}

int cmd_layers(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "[PROGRAM]", .doc = help};
    LayersArguments arguments = {.common = {.kind = &program_argument},
                                 .target = {.time_limit = 10}};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    Program program;
    int status = program_open(arguments.common.argument, arguments.common.memory, &program);
    if (status == EXIT_FINE) status = print_all(&program, &arguments);
    rasp_program_free(program.handle);
    free(arguments.common.choice.names);
    return status;
}
