/* vote_model.h: a one-layer attention-only transformer with one-hot embeddings, so that all its
 * circuits are tables, trained on tokens:
 *
 *     z_i = D[x_i] + Σ_h Σ_{j≤i} a^h_ij T^h[x_j],   a^h_i = softmax_j(B^h[x_i, x_j] + r^h_{i−j})
 *
 * D: the direct path; T^h: OV circuit and unembedding; B^h: QK circuit; r^h: a bias by distance. As
 * matrices W_Q = I, W_K = B^T, W_V = I, W_O W_U = T. */
#ifndef RASP_LAB_VOTE_MODEL_H
#define RASP_LAB_VOTE_MODEL_H

#include "lab/item.h"
#include "lab/votes.h"

typedef struct VoteModel {
    size_t symbols, context, heads; /* V, T, H */
    double *parameters;             /* D [V, V]; for each head T [V, V], B [V, V], r [T] */
} VoteModel;

size_t vote_model_size(size_t symbols, size_t context, size_t heads);
static inline double *vote_model_direct(const VoteModel *m) {
    return m->parameters;
}
double *vote_model_votes(const VoteModel *m, size_t head);     /* T^h */
double *vote_model_scores(const VoteModel *m, size_t head);    /* B^h */
double *vote_model_distances(const VoteModel *m, size_t head); /* r^h */

/* D = 0, the rest normal with deviation 0.02; r with a slope of its own for each head. */
VoteModel vote_model_new(Arena *arena, Rng *rng, size_t symbols, size_t context, size_t heads);

/* The mean loss in nats of predicting tokens[i + 1] from tokens[0 .. i], over a batch of sequences
 * of context + 1 tokens each, laid end to end; its gradient, laid out as the parameters. `threads`
 * share the batch; the sums do not depend on their number. */
typedef struct VoteBatch {
    size_t sequences;
    const size_t *tokens; /* [sequences, context + 1] */
} VoteBatch;
typedef struct VoteTrainer VoteTrainer;
VoteTrainer *vote_trainer_new(Lab *lab, const VoteModel *model, size_t sequences);
double vote_trainer_gradient(VoteTrainer *trainer, const VoteBatch *batch, double *gradient);

/* Where training sequences come from. */
typedef struct TokenSource {
    void (*draw)(void *context, Rng *rng, size_t length, size_t *tokens);
    void *context;
} TokenSource;

typedef struct VoteTraining {
    size_t steps, batch;
    double rate; /* Adam (0.9, 0.99): up over 100 steps, then a cosine to 1 % */
} VoteTraining;
extern const VoteTraining vote_training; /* 8000 steps of 32 sequences from 3e-2 */

/* `from` and `to`: what part of the lab's progress it is. */
void vote_model_train(Lab *lab, const VoteModel *model, const VoteTraining *training,
                      const TokenSource *source, Rng *rng, double from, double to);

/* The model at position i as votes of the distinct tokens of its context, with the weights that it
 * has itself; with `null_vote` one more vote, of 0 and with weight 0. Votes of equal tokens are
 * equal, so nothing is lost. */
typedef struct ModelVotes {
    Votes votes;
    double *weights; /* [heads, keys] */
} ModelVotes;
ModelVotes vote_model_at(const VoteModel *model, const size_t *tokens, size_t i, bool null_vote,
                         Arena *arena);

#endif
