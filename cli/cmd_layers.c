/* `rasp layers PROGRAM`: attention layers, the heads of each, the critical path. */
#include "cli/command.h"

#include "base/plural.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    OPTIONS_SOP,
    OPTION_JSON("one object a line: sop, layers, heads, path", 3),
    OPTION_MEMORY,
    {0},
};

static const char help[] =
    "Print how many attention layers a program needs, the heads of each layer with the selectors "
    "they implement, and a longest chain of attention through the layers.\v"
    "A head is a distinct selector of a layer: selectors that are equal in structure are one.\n\n"
    "Example:\n"
    "  rasp layers sort";

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
        printf("    %s", head->selector);
        put_place(program_place(p, &head->place));
    }
}

static void print_sop(const Program *p, const RaspSop *sop, const RaspLayers *layers) {
    printf("%s: %u attention layer%s, %zu head%s\n", sop->name, layers->count,
           plural(layers->count), layers->head_count, plural(layers->head_count));
    print_heads(p, layers);
    if (layers->count < 2) return;
    puts("  critical path:");
    for (uint32_t k = 0; k < layers->count; k++) {
        printf("    %u. %s", k + 1, layers->path[k].sop);
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

static void print_json(const Program *p, const RaspSop *sop, const RaspLayers *layers) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "sop", sop->name);
    json_count(&j, "layers", layers->count);
    json_begin_array(&j, "heads_per_layer");
    for (uint32_t layer = 1; layer <= layers->count; layer++)
        json_count(&j, NULL, heads_in(layers, layer));
    json_end(&j);
    json_begin_array(&j, "heads");
    for (size_t k = 0; k < layers->head_count; k++) {
        const RaspHead *head = &layers->heads[k];
        json_node(&j, "selector", head->selector, program_place(p, &head->place), head->layer);
    }
    json_end(&j);
    json_begin_array(&j, "path");
    for (uint32_t k = 0; k < layers->count; k++)
        json_node(&j, "sop", layers->path[k].sop, program_place(p, &layers->path[k].place), k + 1);
    json_end(&j);
    json_end(&j);
}

/* --- all of them ------------------------------------------------------------------------ */

static int print_all(const Program *p, const Common *a) {
    size_t count;
    RaspError error;
    const RaspSop *sops;
    int status = program_sops(p, &a->choice, &sops, &count);
    for (size_t k = 0; status == EXIT_FINE && k < count && !report_output_failed(); k++) {
        const RaspLayers *layers = rasp_program_layers(p->handle, &sops[k], &error);
        if (!layers)
            status = report_failure(&error);
        else
            (a->json ? print_json : print_sop)(p, &sops[k], layers);
    }
    return status;
}

int cmd_layers(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = option_parse, .args_doc = "PROGRAM", .doc = help};
    Common arguments = {.kind = &program_argument};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    Program program;
    int status = program_open(arguments.argument, arguments.memory, &program);
    if (status == EXIT_FINE) status = print_all(&program, &arguments);
    rasp_program_free(program.handle);
    free(arguments.choice.names);
    return status;
}
