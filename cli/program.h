/* program.h: a program file that a subcommand works on: found, loaded, its s-ops chosen. */
#ifndef RASP_CLI_PROGRAM_H
#define RASP_CLI_PROGRAM_H

#include "interp/eval/session.h"

typedef struct Program {
    Budget budget;
    Arena *arena; /* dies with the program */
    const char *path;
    const char *shown; /* the same for reports: one that was found by its name, without folder */
    Session *session;
    bool unreadable; /* the file could not be read */
} Program;

/* Finds and loads the program `name` within `memory` bytes (0: the default), calls `body` and
 * frees everything.  Gives body's exit status, or another after a message: no such file, the
 * program is wrong, memory used up, Ctrl-C.  In body the budget has a guard. */
typedef int ProgramBody(Program *program, void *context);
int program_with(const char *name, size_t memory, ProgramBody *body, void *context);

/* The same for a text that is here already (`loads` in it are relative to the current
 * directory); without a text the name is looked for as above. */
typedef struct ProgramSource {
    const char *name, *text;
    size_t length;
} ProgramSource;
int program_with_source(const ProgramSource *source, size_t memory, ProgramBody *body,
                        void *context);

/* Which s-ops are meant. */
typedef struct SopChoice {
    const char **names; /* --sop, each */
    size_t count;
    const char *expression; /* --expr */
    bool all;               /* every public s-op */
} SopChoice;

typedef struct Sop {
    const char *name;
    NodeId node;
} Sop;

/* The chosen s-ops, by default the one assigned last; in the program's arena.  NULL after a
 * message if there is none or one is no s-op. */
const Sop *program_sops(Program *program, const SopChoice *choice, size_t *count);

/* The place of a node for reports, "sort.rasp:3"; the library's files without their folder.
 * "" if it has none. */
const char *program_place(Program *program, Span span);

#endif
