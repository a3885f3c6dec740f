/* labels.h: what a circuit's s-ops and selectors are called in a model's document.
 *
 * Texts are whole (graph/label.h).  Inner ones that are called by number, `$3`, are entries of the
 * document's `shared`, whose own texts refer to earlier entries only.
 */
#ifndef RASP_COMPILE_LABELS_H
#define RASP_COMPILE_LABELS_H

#include "compile/circuit.h"

typedef struct Labels {
    const Graph *graph;
    const uint32_t *number; /* by node; LABEL_NONE: called by no number */
    uint32_t shared;        /* how many have one */
    Arena *arena;           /* of the texts */
} Labels;

/* The same for the same circuit. */
Labels labels_new(const Circuit *circuit, Arena *arena);
/* In source form. */
const char *labels_text(const Labels *labels, NodeId node);
/* The node's name in the program, if it has one, or that text. */
const char *labels_name(const Labels *labels, NodeId node);
/* [shared]: the texts by number. */
const char **labels_shared(const Labels *labels);

#endif
