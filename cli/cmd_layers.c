/* `rasp layers PROGRAM`: attention layers, the heads of each, the critical path. */
#include "cli/command.h"

#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "graph/analysis.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_WIDTH = 120 };

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

static const char *head_text(Program *p, NodeId selector) {
    if (selector == NODE_NONE) return "select(1, 1, ==)";
    return graph_text(session_graph(p->session), selector, TEXT_WIDTH, p->arena);
}

static const char *node_place(Program *p, NodeId id) {
    if (id == NODE_NONE) return "";
    return program_place(p, graph_node(session_graph(p->session), id)->span);
}

/* A node of the path: by its name, or in source form. */
static const char *step_text(Program *p, NodeId id) {
    const Node *node = graph_node(session_graph(p->session), id);
    if (node->name) return node->name->text;
    return graph_text(session_graph(p->session), id, TEXT_WIDTH / 2, p->arena);
}

static void put_place(const char *place) {
    if (*place) printf("   # %s", place);
    putchar('\n');
}

static void print_heads(Program *p, const Layers *layers) {
    uint32_t layer = 0;
    for (size_t k = 0; k < layers->head_count; k++) {
        const Head *head = &layers->heads[k];
        if (head->layer != layer) {
            size_t count = layers_heads(layers, layer = head->layer);
            printf("  layer %u: %zu head%s\n", layer, count, plural(count));
        }
        printf("    %s", head_text(p, head->selector));
        put_place(node_place(p, head->selector));
    }
}

static void print_sop(Program *p, const Sop *sop, const Layers *layers) {
    printf("%s: %u attention layer%s, %zu head%s\n", sop->name, layers->count,
           plural(layers->count), layers->head_count, plural(layers->head_count));
    print_heads(p, layers);
    if (layers->count < 2) return;
    puts("  critical path:");
    for (uint32_t k = 0; k < layers->count; k++) {
        printf("    %u. %s", k + 1, step_text(p, layers->path[k]));
        put_place(node_place(p, layers->path[k]));
    }
}

static void json_node(Json *j, Program *p, const char *key, const char *text, NodeId id,
                      size_t layer) {
    json_begin_object(j, NULL);
    json_count(j, "layer", layer);
    json_text(j, key, text);
    json_text(j, "place", node_place(p, id));
    json_end(j);
}

static void print_json(Program *p, const Sop *sop, const Layers *layers) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "sop", sop->name);
    json_count(&j, "layers", layers->count);
    json_begin_array(&j, "heads_per_layer");
    for (uint32_t layer = 1; layer <= layers->count; layer++)
        json_count(&j, NULL, layers_heads(layers, layer));
    json_end(&j);
    json_begin_array(&j, "heads");
    for (size_t k = 0; k < layers->head_count; k++) {
        const Head *head = &layers->heads[k];
        json_node(&j, p, "selector", head_text(p, head->selector), head->selector, head->layer);
    }
    json_end(&j);
    json_begin_array(&j, "path");
    for (uint32_t k = 0; k < layers->count; k++)
        json_node(&j, p, "sop", step_text(p, layers->path[k]), layers->path[k], k + 1);
    json_end(&j);
    json_end(&j);
}

/* --- all of them ------------------------------------------------------------------------ */

static int run(Program *program, void *context) {
    const Common *a = context;
    size_t count;
    const Sop *sops = program_sops(program, &a->choice, &count);
    if (!sops) return EXIT_WRONG_PROGRAM;
    for (size_t k = 0; k < count && !report_output_failed(); k++) {
        Layers layers =
            analyse_layers(session_graph(program->session), &sops[k].node, 1, program->arena);
        if (a->json)
            print_json(program, &sops[k], &layers);
        else
            print_sop(program, &sops[k], &layers);
    }
    return EXIT_FINE;
}

int cmd_layers(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = option_parse, .args_doc = "PROGRAM", .doc = help};
    Common arguments = {.kind = &program_argument};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = program_with(arguments.argument, arguments.memory, run, &arguments);
    free(arguments.choice.names);
    return status;
}
