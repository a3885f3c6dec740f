/* drawn.h: random models of the runtime, and runs of any model as matrices.
 *
 * What is said of the architecture must hold of all weights, so it is tried on random ones; no
 * program is behind these. Models and engines end with the measurement. */
#ifndef RASP_LAB_DRAWN_H
#define RASP_LAB_DRAWN_H

#include "lab/item.h"
#include "lab/matrix.h"
#include "runtime/forward.h"

typedef struct Shape {
    size_t width, key, value; /* W, D, C */
    size_t layers, heads;     /* heads a layer; 0: none */
    size_t units;             /* of each layer's sublayer; 0: it has none */
    size_t tokens, length;    /* V, N */
    RtMask mask;
    RtDtype dtype;
    bool placed; /* rows of the embedding for positions are not 0 */
} Shape;

/* Normal weights, scaled so that the residual stream stays of size 1; no head sees the sink; an
 * output for each residual dimension. NULL after a failed check on the page: no memory. */
Model *draw_model(Lab *lab, Page *page, const Shape *shape);

/* One output for each dimension from `first` on, which says the number that stands there; false
 * when memory runs out. */
bool add_numbers(Model *model, size_t first, size_t count);

/* Keeps the model, made elsewhere, until the measurement ends; fails a check when it is NULL. */
Model *keep_model(Lab *lab, Page *page, Model *model);

/* NULL after a failed check that says why. One thread. */
Engine *make_engine(Lab *lab, Page *page, const Model *model, const RunOptions *options);

/* The numbers that the first out.cols outputs say at n positions into out[n, ·]. */
bool read_engine(const Engine *engine, const size_t *ids, size_t n, Matrix out, RtError *err);
/* The same as a new matrix; zeros after a failed check. */
Matrix run_engine(Lab *lab, Page *page, const Engine *engine, const size_t *ids, size_t n,
                  size_t outputs);

void draw_ids(Rng *rng, size_t *ids, size_t n, size_t tokens);

#endif
