/* program.h: a program that a subcommand works on: found, loaded, its s-ops chosen. */
#ifndef RASP_CLI_PROGRAM_H
#define RASP_CLI_PROGRAM_H

#include "api/rasp.h"

typedef struct Program {
    RaspProgram *handle; /* rasp_program_free */
    const char *path;
    const char *shown; /* the same for reports: one that was found by its name, without folder */
    const char *text;  /* NULL: the file's; or what was read from standard input */
    size_t length;
} Program;

/* Finds and loads the program `name`; "-": standard input; NULL: an empty one, which has the
 * library alone.  Exit statuses, after a message if not EXIT_FINE. */
int program_open(const char *name, size_t memory, Program *program);
/* The same with more than a memory limit; `config` begins as report_config. */
int program_open_with(const char *name, const RaspConfig *config, Program *program);

/* How the library's function of that name is applied, "hist(tokens)"; NULL: there is none. */
const char *program_function(const char *name);

/* Which s-ops are meant. */
typedef struct SopChoice {
    const char **names; /* --sop, each */
    size_t count;
    const char *expression; /* --expr */
    bool all;               /* every public s-op */
} SopChoice;

/* The chosen s-ops, by default the one assigned last. */
int program_sops(const Program *program, const SopChoice *choice, const RaspSop **sops,
                 size_t *count);

/* Warns of what can hardly have been meant, as compiling does. */
int program_warn(const Program *program, const RaspSop *sops, size_t count);

/* The same with selectors among them, where `kinds` says so. */
int program_values(const Program *program, const SopChoice *choice, const RaspSop **values,
                   const RaspValueKind **kinds, size_t *count);
/* Where a program's text is, before it is loaded; an exit status. */
int program_source(const char *name, Program *program, RaspSource *source);

/* A place for reports, "sort.rasp:3"; other files without their folder.  "" if it is none. */
const char *program_place(const Program *program, const RaspPlace *place);

#endif
