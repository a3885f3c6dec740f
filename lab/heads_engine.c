/* Items 19 and 20: tiles of the softmax, and the output as a linear function of the values. */
#include "lab/heads.h"

#include "lab/engine_head.h"
#include "lab/running.h"
#include "lab/simplex.h"

#include <math.h>

/* All scores of a row at once, in long double. */
static Matrix naive(Arena *arena, Matrix q, Matrix k, Matrix v) {
    Matrix out = matrix_new(arena, q.rows, v.cols);
    double *s = ARENA_ARRAY(arena, k.rows, double);
    for (size_t i = 0; i < q.rows; i++) {
        long double total = 0;
        double top = -INFINITY;
        for (size_t j = 0; j < k.rows; j++) {
            s[j] = dot(matrix_row(q, i), matrix_row(k, j), q.cols);
            top = fmax(top, s[j]);
        }
        for (size_t j = 0; j < k.rows; j++) total += expl((long double)s[j] - top);
        for (size_t m = 0; m < v.cols; m++) {
            long double sum = 0;
            for (size_t j = 0; j < k.rows; j++)
                sum += expl((long double)s[j] - top) * *matrix_at(v, j, m);
            *matrix_at(out, i, m) = (double)(sum / total);
        }
    }
    return out;
}

/* --- 19: tiles
 * ------------------------------------------------------------------------------------ */

/* Block after block of keys, a query at a time; its scores are those of one block. */
static void tiled(Arena *arena, Matrix q, Matrix k, Matrix v, size_t block, Matrix out) {
    Arena *scratch = arena_child(arena);
    double *s = ARENA_ARRAY(scratch, block, double);
    Running state = running_new(scratch, v.cols);
    for (size_t i = 0; i < q.rows; i++) {
        running_clear(&state);
        for (size_t first = 0; first < k.rows; first += block) {
            size_t count = first + block < k.rows ? block : k.rows - first;
            for (size_t j = 0; j < count; j++)
                s[j] = dot(matrix_row(q, i), matrix_row(k, first + j), q.cols);
            running_add(&state, s, (Matrix){count, v.cols, matrix_row(v, first)}, 0, count);
        }
        running_read(&state, matrix_row(out, i));
    }
    arena_free(scratch);
}

/* A split at a random key, both halves by themselves, then merged. */
static double merge_error(Lab *lab, Matrix q, Matrix k, Matrix v, Matrix expected) {
    double worst = 0, *s = ARENA_ARRAY(lab->arena, k.rows, double), out[8];
    for (size_t i = 0; i < q.rows; i++) {
        size_t split = rng_below(lab->rng, k.rows + 1);
        Running left = running_new(lab->arena, v.cols), right = running_new(lab->arena, v.cols);
        for (size_t j = 0; j < k.rows; j++) s[j] = dot(matrix_row(q, i), matrix_row(k, j), q.cols);
        running_add(&left, s, v, 0, split);
        running_add(&right, s, v, split, k.rows - split);
        running_merge(&left, &right);
        running_read(&left, out);
        worst = fmax(worst, max_difference(out, matrix_row(expected, i), v.cols));
    }
    return worst;
}

/* Bytes that tiles of 16 keys need beside the output, at that length. */
static double bytes_beside(Lab *lab, size_t n) {
    Budget *budget = arena_budget(lab->arena);
    Matrix q = matrix_normal(lab->arena, lab->rng, n, 4, 1), out = matrix_new(lab->arena, n, 4);
    size_t before = budget->used, peak = budget->peak;
    budget->peak = before;
    tiled(lab->arena, q, q, q, 16, out);
    double needed = (double)(budget->peak - before);
    if (budget->peak < peak) budget->peak = peak;
    return needed;
}

typedef struct TileErrors {
    double lab, f64, f32, merged;
} TileErrors;

static void compare_tiles(Lab *lab, Page *page, double scale, TileErrors *worst) {
    static const size_t blocks[] = {1, 2, 3, 7, 16, 33, 64};
    Matrix q = matrix_normal(lab->arena, lab->rng, 33, 4, scale);
    Matrix k = matrix_normal(lab->arena, lab->rng, 33, 4, 1);
    Matrix v = matrix_normal(lab->arena, lab->rng, 33, 3, 1);
    for (size_t i = 0; i < 33 * 4; i++) /* the same numbers in both types, products exact */
        q.x[i] = (double)(float)(round(q.x[i] * 8) / 8), k.x[i] = round(k.x[i] * 8) / 8;
    for (size_t i = 0; i < 33 * 3; i++)
        v.x[i] = fmax(-1, fmin(1, v.x[i])); /* errors are relative */
    Matrix expected = naive(lab->arena, q, k, v);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        EngineHead head = {RT_SOFTMAX, 1, RT_MASK_NONE, RT_F64, blocks[b], NULL, 0};
        Matrix mine = matrix_new(lab->arena, q.rows, v.cols);
        tiled(lab->arena, q, k, v, blocks[b], mine);
        worst->lab = fmax(worst->lab, matrix_difference(mine, expected));
        Matrix f64 = engine_attend(lab, page, &head, q, k, v);
        worst->f64 = fmax(worst->f64, matrix_difference(f64, expected));
        head.dtype = RT_F32;
        Matrix f32 = engine_attend(lab, page, &head, q, k, v);
        worst->f32 = fmax(worst->f32, matrix_difference(f32, expected));
    }
    worst->merged = fmax(worst->merged, merge_error(lab, q, k, v, expected));
}

void heads_tiles(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 3 : 20;
    TileErrors small = {0}, large = {0};
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        compare_tiles(lab, page, 1, &small);
        compare_tiles(lab, page, 3000, &large); /* scores of ±10,000 */
    }
    check_near(page, IDENTITY, "the runtime's engine, float64, every tile: largest error",
               small.f64, 0, 1e-12);
    check_near(page, IDENTITY, "the same in float32", small.f32, 0, 1e-6);
    check_near(page, IDENTITY, "by the running state (m, l, o), every block", small.lab, 0, 1e-12);
    check_near(page, IDENTITY, "two halves merged", small.merged, 0, 1e-12);
    check_near(page, IDENTITY, "scores of ±10⁴, float64: largest error",
               fmax(large.f64, fmax(large.lab, large.merged)), 0, 1e-12);
    check_near(page, IDENTITY, "scores of ±10⁴, float32", large.f32, 0, 1e-6);
    check_near(page, IDENTITY, "bytes beside the output: n = 1,024 minus n = 256",
               bytes_beside(lab, 1024) - bytes_beside(lab, 256), 0, 0);
}

/* --- 20: varying coefficients
 * ----------------------------------------------------------------------- */

void heads_coefficients(Lab *lab, Page *page) {
    enum { N = 10, D = 4, C = 3 };
    size_t cases = lab->quick ? 20 : 200, negative = 0;
    double probed = 0, sums = 0, linear = 0;
    EngineHead head = {RT_SOFTMAX, 2, RT_MASK_CAUSAL, RT_F64, 0, NULL, 0};
    for (size_t c = 0; c < cases; c++) {
        lab_progress(lab, (double)c / (double)cases);
        Matrix q = matrix_normal(lab->arena, lab->rng, N, D, 1);
        Matrix k = matrix_normal(lab->arena, lab->rng, N, D, 1);
        Matrix v1 = matrix_normal(lab->arena, lab->rng, N, C, 1);
        Matrix v2 = matrix_normal(lab->arena, lab->rng, N, C, 1);
        double factor = rng_between(lab->rng, -2, 2);
        Matrix a = matrix_product(lab->arena, q, matrix_transpose(lab->arena, k));
        for (size_t i = 0; i < N; i++) {
            for (size_t j = i + 1; j < N; j++) *matrix_at(a, i, j) = -INFINITY;
            softmax(matrix_row(a, i), N, head.temperature, matrix_row(a, i));
        }
        Matrix beta = engine_attend(lab, page, &head, q, k, matrix_identity(lab->arena, N));
        probed = fmax(probed, matrix_difference(beta, a));
        for (size_t i = 0; i < N; i++) {
            sums = fmax(sums, fabs(sum_of(matrix_row(beta, i), N) - 1));
            for (size_t j = 0; j < N; j++) negative += *matrix_at(beta, i, j) < 0;
        }
        Matrix both = engine_attend(lab, page, &head, q, k, matrix_sum(lab->arena, v1, factor, v2));
        Matrix o1 = engine_attend(lab, page, &head, q, k, v1);
        Matrix o2 = engine_attend(lab, page, &head, q, k, v2);
        linear = fmax(linear, matrix_difference(both, matrix_sum(lab->arena, o1, factor, o2)));
    }
    check_near(page, IDENTITY, "coefficients by unit values − attention matrix, largest", probed, 0,
               1e-12);
    check_near(page, IDENTITY, "largest |sum of a row − 1|", sums, 0, 1e-12);
    check_none(page, "coefficients below 0", negative);
    check_near(page, IDENTITY, "o(V₁ + c V₂) − o(V₁) − c o(V₂), largest", linear, 0, 1e-12);
}
