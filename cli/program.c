#include "cli/program.h"

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/report.h"

#include <string.h>

int program_open(const char *name, size_t memory, Program *p) {
    RaspConfig config = report_config(memory);
    return program_open_with(name, &config, p);
}

int program_open_with(const char *name, const RaspConfig *config, Program *p) {
    RaspError error;
    *p = (Program){.path = paths_find_program(command_arena(), name)};
    if (!p->path) return EXIT_NO_FILE;
    const char *slash = strrchr(p->path, '/');
    p->shown = strncmp(p->path, name, strlen(name)) != 0 && slash ? slash + 1 : p->path;
    p->handle = rasp_program_load(&(RaspSource){.path = p->path, .name = p->shown}, config, &error);
    return p->handle ? EXIT_FINE : report_failure(&error);
}

int program_sops(const Program *p, const SopChoice *choice, const RaspSop **list, size_t *count) {
    RaspError error;
    *count = choice->count ? choice->count : 1;
    RaspSop *sops = ARENA_ARRAY(command_arena(), *count, RaspSop);
    bool found = true;
    *list = sops;
    if (choice->all)
        found = (*list = rasp_program_sops(p->handle, count, &error)) != NULL;
    else if (choice->expression)
        found = rasp_program_expression(p->handle, choice->expression, &sops[0], &error);
    else if (choice->count == 0)
        found = rasp_program_sop(p->handle, NULL, &sops[0], &error);
    for (size_t k = 0; found && k < choice->count; k++)
        found = rasp_program_sop(p->handle, choice->names[k], &sops[k], &error);
    return found ? EXIT_FINE : report_failure(&error);
}

int program_warn(const Program *p, const RaspSop *sops, size_t count) {
    RaspError error;
    bool done = rasp_program_warn(p->handle, sops, count, &error);
    return done ? EXIT_FINE : report_failure(&error);
}

const char *program_place(const Program *p, const RaspPlace *place) {
    if (!place->source) return "";
    const char *name = place->source, *slash = strrchr(name, '/');
    if (strcmp(name, p->path) == 0)
        name = p->shown;
    else if (slash)
        name = slash + 1;
    return arena_format(command_arena(), "%s:%u", name, place->line);
}
