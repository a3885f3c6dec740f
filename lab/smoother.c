#include "lab/smoother.h"

#include "lab/simplex.h"

#include <math.h>

Sample sample_wave(Arena *arena, Rng *rng, size_t count, double noise) {
    double *x = ARENA_ARRAY(arena, count, double), *y = ARENA_ARRAY(arena, count, double);
    for (size_t k = 0; k < count; k++) {
        x[k] = rng_unit(rng);
        y[k] = sin(2 * acos(-1) * x[k]) + noise * rng_normal(rng);
    }
    return (Sample){x, y, count};
}

double smooth_at(const Kernel *kernel, Sample sample, double h, double x, size_t without,
                 double *scores, double *weights) {
    Kernel scaled = *kernel;
    scaled.temperature = h * h;
    for (size_t j = 0; j < sample.count; j++)
        scores[j] = j == without ? -INFINITY : -(x - sample.x[j]) * (x - sample.x[j]) / 2;
    kernel_weights(&scaled, scores, sample.count, weights);
    return dot(weights, sample.y, sample.count);
}

double leave_one_out(Arena *arena, const Kernel *kernel, Sample sample, double h) {
    double sum = 0, *scores = arena_block(arena, sample.count, sizeof *scores);
    double *weights = arena_block(arena, sample.count, sizeof *weights);
    for (size_t k = 0; k < sample.count; k++) {
        budget_poll(arena_budget(arena));
        double fit = smooth_at(kernel, sample, h, sample.x[k], k, scores, weights);
        sum += (fit - sample.y[k]) * (fit - sample.y[k]);
    }
    arena_release(arena, scores);
    arena_release(arena, weights);
    return sum / (double)sample.count;
}
