/* votes.h: logits as sums of votes: z = l0 + Σ_h Σ_j a^h_j l^h_j.
 *
 * With the votes fixed, the loss of a next-token law p is a convex function of the weights a, one
 * point of the simplex a head; what the oracle minimises and what decompositions add up. */
#ifndef RASP_LAB_VOTES_H
#define RASP_LAB_VOTES_H

#include <stddef.h>

typedef struct Votes {
    size_t heads, keys, symbols; /* H, n, V */
    const double *direct;        /* [V]: l0; NULL: zeros */
    const double *votes;         /* [H, n, V] */
} Votes;

static inline const double *vote_of(const Votes *votes, size_t head, size_t key) {
    return votes->votes + (head * votes->keys + key) * votes->symbols;
}

/* z[V] from weights a[H, n]. */
void votes_logits(const Votes *votes, const double *a, double *z);
/* f(a) = LSE(z) − p·z, the cross-entropy of softmax(z) against the law p[V], in nats; and ∂f/∂a^h_j
 * = l^h_j·(softmax(z) − p) into gradient[H, n]. z[V] is scratch. */
double votes_gradient(const Votes *votes, const double *p, const double *a, double *gradient,
                      double *z);

#endif
