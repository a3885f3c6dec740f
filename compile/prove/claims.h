/* claims.h: what a weights file claims of itself, as a circuit: the first step of a proof that does
 * not trust the compiler (docs/proof.md).
 *
 *     claims, JSON ──claims_read──▶ what every piece is for ──the judge──▶ what its weights show
 *
 * Nothing is believed here: an expression becomes a node of the program's graph, a place is one
 * that the file has.  That the weights do what is claimed, nobody has shown yet.
 *
 * Expressions are in the program's language, which this room does not know: whoever asks reads
 * them.
 */
#ifndef RASP_COMPILE_PROVE_CLAIMS_H
#define RASP_COMPILE_PROVE_CLAIMS_H

#include "compile/circuit.h"
#include "runtime/model.h"

enum { CLAIMS_VERSION = 1 };

extern const char *const claims_head_kinds[]; /* by HeadKind: plain default count */

/* How the texts of claims are read.  `label` says in messages where a text stands.  Those that give
 * false have said why. */
typedef struct ClaimsLanguage {
    /* Gives the name to an atom, or to the s-op that is the atom at every position. */
    bool (*atom)(void *context, const char *name, Atom atom, bool sop);
    /* Gives the name to what the expression is; names of the program and those given before are
     * known in it. */
    bool (*define)(void *context, const char *label, const char *name, const char *text);
    /* The node of the graph that the expression is. */
    bool (*node)(void *context, const char *label, const char *text, bool selector, NodeId *node);
    void *context;
} ClaimsLanguage;

/* The file's claims; NULL: it has none. */
const json_t *claims_of(const Model *model);

/* Reads them, for a model that model_check accepts; the outputs' names are the model's.  False, and
 * *error says why, unless the language has (its text is empty then).
 *
 * What has to be read off the weights or found out about values is empty: forms (but the number of
 * an output's), vectors of embeddings, writes, `one`, defaults (`sink` is there where a head sees
 * it), shapes of tables but for the number of units, `least` of clears, levels and numbers of
 * parts, `single` and `moves`, what outputs join. */
bool claims_read(const json_t *claims, const Model *model, const Domain *domain, Graph *graph,
                 const ClaimsLanguage *language, Arena *arena, Circuit *circuit, RtError *error);

#endif
