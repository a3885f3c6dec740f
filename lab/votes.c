#include "lab/votes.h"

#include "lab/simplex.h"

void votes_logits(const Votes *votes, const double *a, double *z) {
    for (size_t y = 0; y < votes->symbols; y++) z[y] = votes->direct ? votes->direct[y] : 0;
    for (size_t h = 0; h < votes->heads; h++) {
        for (size_t j = 0; j < votes->keys; j++) {
            const double *vote = vote_of(votes, h, j);
            double weight = a[h * votes->keys + j];
            if (weight == 0) continue;
            for (size_t y = 0; y < votes->symbols; y++) z[y] += weight * vote[y];
        }
    }
}

double votes_gradient(const Votes *votes, const double *p, const double *a, double *gradient,
                      double *z) {
    votes_logits(votes, a, z);
    double mass = sum_of(p, votes->symbols), linear = dot(p, z, votes->symbols);
    double loss = softmax(z, votes->symbols, 1, z) * mass - linear;
    for (size_t y = 0; y < votes->symbols; y++) z[y] -= p[y];
    for (size_t h = 0; h < votes->heads; h++)
        for (size_t j = 0; j < votes->keys; j++)
            gradient[h * votes->keys + j] = dot(vote_of(votes, h, j), z, votes->symbols);
    return loss;
}
