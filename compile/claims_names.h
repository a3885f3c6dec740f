/* claims_names.h: what nodes and atoms are called in claims: by the program's names where it has
 * any, else by short ones, which a list of definitions explains.  That makes texts short and trees
 * of shared nodes small. */
#ifndef RASP_COMPILE_CLAIMS_NAMES_H
#define RASP_COMPILE_CLAIMS_NAMES_H

#include "base/table.h"
#include "compile/claims_write.h"

/* An atom that the language has no word for, or that is meant as an s-op. */
typedef struct ClaimsConstant {
    Atom atom;
    bool sop;
    const char *name;
} ClaimsConstant;

typedef struct ClaimsNames {
    const Graph *graph;
    const ProgramNames *program;
    Arena *arena;
    const char **node; /* by id; NULL: neither a name nor a definition */
    bool *defined;     /* by id: its name stands in a text */
    ClaimsConstant *constants;
    size_t constant_count, constant_room;
    Table table;      /* over constants */
    uint32_t next[3]; /* numbers of names: s-ops, selectors, constants */
    GraphNames source;
} ClaimsNames;

/* For texts in which node `id` stands uses[id] times by itself. */
void claims_names_make(ClaimsNames *names, const Graph *graph, const uint32_t *uses,
                       const ProgramNames *program, Arena *arena);
/* The node as an operand. */
const char *claims_names_text(ClaimsNames *names, NodeId node);
/* What a definition says. */
const char *claims_names_definition(ClaimsNames *names, NodeId node);

#endif
