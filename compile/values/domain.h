/* domain.h: the inputs a compiled model promises to be right on.
 *
 * Non-empty inputs of at most `max_length` tokens of a finite alphabet, perhaps with a fixed
 * first token.  A *context* is a position in an input of some length, (n, i) with
 * 0 <= i < n <= N; what is known of values is known per context, which is what keeps
 * i < n, 0 <= n-1-i and "a causal width is i+1" without a theory of relations.
 */
#ifndef RASP_COMPILE_VALUES_DOMAIN_H
#define RASP_COMPILE_VALUES_DOMAIN_H

#include "graph/graph.h"

typedef struct Domain {
    const Atom *alphabet; /* distinct, all of one kind */
    uint32_t alphabet_size;
    uint32_t max_length;
    int32_t first; /* index of the token that inputs start with, or -1 */
    NodeId where;  /* an s-op that is true at every position of an input, or NODE_NONE */
} Domain;

static inline uint32_t domain_contexts(const Domain *domain) {
    return domain->max_length * (domain->max_length + 1) / 2;
}
/* The context of position i of an input of length n. */
static inline uint32_t context_of(uint32_t n, uint32_t i) {
    return n * (n - 1) / 2 + i;
}

#endif
