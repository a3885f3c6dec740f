#include "cli/trace.h"

#include "cli/command.h"
#include "cli/picture.h"
#include "cli/report.h"
#include "cli/width.h"
#include "show/lines.h"
#include "show/wrap.h"

#include <stdint.h>
#include <string.h>

static bool write_lines(FILE *out, Arena *arena, void *context, RaspError *error) {
    const FlowPicture *p = context;
    Scene scene;
    if (!scene_new(p->graph, p->names, p->count, arena, &scene, error)) return false;
    scene_crop(&scene, lines_fit(&scene, width_of_output(), true));
    lines_scene(out, &scene);
    return true;
}

/* Names and expressions may be wider than the grids. */
static void put_lines(char *text) {
    size_t width = width_of_output();
    for (char *line = text, *end; *line; line = end + 1) {
        end = line + strcspn(line, "\n");
        bool last = !*end;
        *end = '\0';
        wrap_line(stdout, line, width ? width : SIZE_MAX);
        if (last) return;
    }
}

void trace_print(RaspProgram *program, const RaspSop *sops, size_t count, const RaspInput *input) {
    RaspError error;
    const char **names = ARENA_ARRAY(command_arena(), count + 1, const char *);
    for (size_t k = 0; k < count; k++) names[k] = sops[k].name;
    RaspGraph *graph = rasp_graph_new(program, sops, count, input, &error);
    char *text =
        graph ? picture_text(write_lines, &(FlowPicture){graph, names, count, NULL}, &error) : NULL;
    if (text)
        put_lines(text);
    else
        report_failure(&error);
    rasp_free(text);
    rasp_graph_free(graph);
}
