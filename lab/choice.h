/* choice.h: the weights that an oracle would choose for given votes (votes.h).
 *
 * The oracle knows the law p of the next token and is bound to the simplices: f* = min f(a) over
 * one simplex a head, f the cross-entropy in nats. f* − H(p) = KL(p, softmax(z*)) is the hull gap:
 * what no choice of weights can repair. f(a) − f* ≥ 0 is the selection error of weights a, and at
 * most their Frank–Wolfe gap. A head may abstain when one of its votes is 0 (a null vote). */
#ifndef RASP_LAB_CHOICE_H
#define RASP_LAB_CHOICE_H

#include "lab/descent.h"
#include "lab/votes.h"

/* f as an objective; it lives in the arena. */
Objective choice_objective(const Votes *votes, const double *law, Arena *arena);

/* The oracle's weights [heads, keys] by descend_projected. */
Descent choice_best(const Votes *votes, const double *law, double tolerance, double *weights,
                    Arena *arena);

/* f at any weights; where `gap` is not NULL, their Frank–Wolfe gap. */
double choice_loss(const Votes *votes, const double *law, const double *weights, double *gap,
                   Arena *arena);

/* Moves weights without changing softmax(z) until each head has at most rank + 1 ≤ V of them above
 * 0, where rank is that of its active votes without their means (Carathéodory). Gives the greatest
 * support of a head. */
size_t choice_sparsify(const Votes *votes, double *weights, Arena *arena);

#endif
