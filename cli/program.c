#include "cli/program.h"

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/report.h"
#include "cli/sources.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

int program_open(const char *name, size_t memory, Program *p) {
    RaspConfig config = report_config(memory);
    return program_open_with(name, &config, p);
}

/* All of standard input. */
static int read_standard_input(Program *p) {
    char *text = NULL;
    int error = sources_standard_input(&text, &p->length);
    if (error) {
        report_error("cannot read the program from standard input: %s", strerror(error));
        return EXIT_FAILED;
    }
    p->text = arena_text(command_arena(), text, p->length);
    p->path = p->shown = "standard input";
    free(text);
    return EXIT_FINE;
}

const char *program_function(const char *name) {
    RaspError error;
    Program library;
    RaspConfig config = report_config(0);
    if (program_open_with(NULL, &config, &library) != EXIT_FINE) return NULL;
    const char *call = rasp_program_call(library.handle, name, &error);
    if (call) call = arena_text(command_arena(), call, strlen(call));
    rasp_program_free(library.handle);
    return call;
}

static int find(const char *name, Program *p) {
    p->path = paths_find_program(command_arena(), name);
    if (!p->path) {
        const char *call = program_function(name);
        if (call)
            report_note("'%s' is a function of the library, which --expr '%s' applies", name, call);
        return EXIT_NO_FILE;
    }
    if (weights_recognised(p->path)) {
        report_error(
            "'%s' is a weights file, expected a program: 'rasp run %s' runs it, 'rasp info "
            "%s' says what is in it",
            name, name, name);
        return EXIT_WRONG_USE;
    }
    const char *slash = strrchr(p->path, '/');
    p->shown = strncmp(p->path, name, strlen(name)) != 0 && slash ? slash + 1 : p->path;
    return EXIT_FINE;
}

int program_source(const char *name, Program *p, RaspSource *source) {
    *p = (Program){.path = "the library", .shown = "the library", .text = ""};
    int status = EXIT_FINE;
    if (name) *p = (Program){0};
    if (name) status = strcmp(name, "-") == 0 ? read_standard_input(p) : find(name, p);
    *source = (RaspSource){p->path, p->shown, p->text, p->length};
    return status;
}

int program_open_with(const char *name, const RaspConfig *config, Program *p) {
    RaspError error;
    RaspSource source;
    int status = program_source(name, p, &source);
    if (status != EXIT_FINE) return status;
    p->handle = rasp_program_load(&source, config, &error);
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

int program_values(const Program *p, const SopChoice *choice, const RaspSop **values,
                   const RaspValueKind **kinds, size_t *count) {
    RaspError error;
    bool one = choice->expression != NULL, found = true;
    *count = one ? 1 : choice->count;
    RaspValueKind *kind = ARENA_ARRAY(command_arena(), *count + 1, RaspValueKind);
    RaspSop *list = ARENA_ARRAY(command_arena(), *count + 1, RaspSop);
    *kinds = kind;
    *values = list;
    for (size_t k = 0; found && k < *count; k++)
        found = rasp_program_value(p->handle, one ? choice->expression : choice->names[k], !one,
                                   &kind[k], &list[k], &error);
    if (!found) return report_failure(&error);
    if (*count) return EXIT_FINE;
    int status = program_sops(p, choice, values, count);
    kind = ARENA_ARRAY(command_arena(), *count, RaspValueKind);
    for (size_t k = 0; k < *count; k++) kind[k] = RASP_VALUE_SOP;
    *kinds = kind;
    return status;
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
