/* A pass through a subject, with all that it computes kept. */
#include "lab/subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void keep_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                      const double *weights, size_t width, const double *result) {
    (void)layer, (void)head, (void)n, (void)scores, (void)width;
    SubjectTrace *t = context;
    Matrix p = t->weights[t->head_count], out = t->results[t->head_count];
    memcpy(p.x, weights, p.rows * p.cols * sizeof *weights);
    memcpy(out.x, result, out.rows * out.cols * sizeof *result);
    t->head_count++;
}

static void keep_stream(void *context, size_t layer, int sublayer, size_t n, size_t width,
                        const double *stream) {
    (void)layer, (void)sublayer, (void)n, (void)width;
    SubjectTrace *t = context;
    Matrix h = t->streams[t->step_count++];
    memcpy(h.x, stream, h.rows * h.cols * sizeof *stream);
}

size_t subject_step_count(const Subject *s) {
    size_t count = 1;
    for (size_t l = 0; l < s->model->layer_count; l++) count += 1 + s->model->layers[l]->mlp_count;
    return count;
}

/* Room for everything, before the pass holds memory of its own. */
static void make_room(const Subject *s, size_t n1, Arena *arena, SubjectTrace *t) {
    size_t heads = subject_head_count(s), steps = subject_step_count(s), width = s->model->width;
    *t = (SubjectTrace){.weights = ARENA_ARRAY(arena, heads, Matrix),
                        .results = ARENA_ARRAY(arena, heads, Matrix),
                        .streams = ARENA_ARRAY(arena, steps, Matrix)};
    for (size_t k = 0; k < heads; k++) {
        t->weights[k] = matrix_new(arena, n1, n1);
        t->results[k] = matrix_new(arena, n1, width);
    }
    for (size_t k = 0; k < steps; k++) t->streams[k] = matrix_new(arena, n1, width);
}

bool subject_trace(const Subject *s, const Model *weights, const SubjectInput *input, Arena *arena,
                   SubjectTrace *t) {
    RtError reason;
    make_room(s, input->length + 1, arena, t);
    ReferenceOptions options = {.rule = RT_SOFTMAX,
                                .temperature = 1,
                                .stop = arena_budget(s->lab->arena)->cancel,
                                .tap = {.context = t, .head = keep_head, .residual = keep_stream}};
    double *h = reference_run(weights, &options, input->ids, input->length, &reason);
    bool fine = h != NULL;
    for (size_t k = 0; fine && k < (input->length + 1) * s->model->width; k++)
        fine = isfinite(h[k]);
    free(h);
    lab_poll(s->lab);
    return fine;
}

Matrix subject_read(const SubjectTrace *t, size_t step, const Tensor *tensor, Arena *arena) {
    return matrix_product(arena, t->streams[step],
                          (Matrix){tensor->rows, tensor->cols, tensor->data});
}
