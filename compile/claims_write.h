/* claims_write.h: a circuit as claims that a file can carry (docs/proof.md), which read back as the
 * same nodes and places (prove/claims.h). */
#ifndef RASP_COMPILE_CLAIMS_WRITE_H
#define RASP_COMPILE_CLAIMS_WRITE_H

#include "compile/circuit.h"
#include "runtime/model.h"

/* What the program calls its nodes: a name for each node that one denotes, by id, for the first
 * `count` nodes; and is a word a name of it? */
typedef struct ProgramNames {
    const char *const *node; /* NULL: none */
    uint32_t count;
    bool (*taken)(void *context, const char *word); /* NULL: none is */
    void *context;
} ProgramNames;

/* Sets `claims` of the model's document.  `standard`: the model will be laid out so, and its claims
 * speak of its layers then.  Texts are in the arena; false when memory runs out. */
bool claims_write(const Circuit *circuit, const ProgramNames *names, bool standard, Model *model,
                  Arena *arena);

#endif
