/* language.h: two sources of tokens whose next-token law is known exactly, so that losses can be
 * held against the entropy and not against another model.
 *
 * The grammar G2(κ): p(y | a = x_{i−1}, b = x_i) = softmax_y(W[a, y] + U[b, y] + κ K[a, b, y]),
 * tables from a fixed seed with deviations 1.5, 1 and 1. At κ = 0 one head on the previous token
 * with votes W and the direct term U is exact; κ adds what no sum of votes can say.
 *
 * Lag-copy: each sequence draws a lag, uniform in 1..lags; x_t = x_{t−lag} with probability 1 − ε,
 * else uniform. The law mixes probabilities over the posterior of the lag; votes mix logits. */
#ifndef RASP_LAB_LANGUAGE_H
#define RASP_LAB_LANGUAGE_H

#include "base/arena.h"
#include "lab/rng.h"

typedef struct Grammar {
    size_t symbols;
    double *direct; /* U [symbols, symbols] */
    double *votes;  /* W [symbols, symbols] */
    double *law;    /* p(y | a, b) [symbols, symbols, symbols] */
    double *pairs;  /* the stationary law of (a, b) [symbols, symbols] */
    double entropy; /* of the next token given all before: the Bayes loss, nats */
} Grammar;

Grammar grammar_new(Arena *arena, uint64_t seed, size_t symbols, double kappa);
/* The first pair is drawn from the stationary law; length ≥ 2. */
void grammar_sample(const Grammar *grammar, Rng *rng, size_t length, size_t *tokens);
static inline const double *grammar_law(const Grammar *grammar, size_t a, size_t b) {
    return grammar->law + (a * grammar->symbols + b) * grammar->symbols;
}

typedef struct LagCopy {
    size_t symbols, lags;
    double noise; /* ε */
} LagCopy;

/* Tokens 0 .. lags−1 are uniform: they are what is copied first. Gives the lag. */
size_t lag_copy_sample(const LagCopy *language, Rng *rng, size_t length, size_t *tokens);
/* The law of the token behind the first `length` ≥ lags ones, [symbols], and that of the lag,
 * [lags]. */
void lag_copy_law(const LagCopy *language, const size_t *tokens, size_t length, double *law,
                  double *posterior);

/* One draw from a law; by cumulation. */
size_t law_draw(const double *law, size_t n, Rng *rng);

#endif
