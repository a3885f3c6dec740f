/* program.h: a program and its s-ops; for the files of api/ alone. */
#ifndef RASP_API_PROGRAM_H
#define RASP_API_PROGRAM_H

#include "api/handle.h"

#include "compile/record.h"
#include "grammar/pragma.h"
#include "interp/eval/session.h"

struct RaspProgram {
    Core core;
    atomic_uint keepers; /* handles that keep it, its owner's included */
    Session *session;
    const char *path; /* as messages about places have it */
    const char *name; /* as messages about the program have it */
    bool unreadable;  /* the file could not be read */
    const Pragma *settings;
    size_t setting_count;
    const FileText *loaded; /* by `load`, in the order of loading */
    size_t loaded_count;
};

RaspProgram *program_keep(RaspProgram *program);

/* Evaluates an expression in the program's scope. */
bool program_evaluate(RaspProgram *program, const char *label, const char *text, Value *value);

/* What a node has in source form may grow without end, as its parts are shared: nobody reads more.
 */
enum { PROGRAM_TEXT_MOST = 1 << 16 };
/* A node in source form, cut to about `limit` bytes. */
const char *program_text(RaspProgram *program, NodeId node, size_t limit, Arena *arena);

#endif
