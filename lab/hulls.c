/* Items 35, 36 and 39: the cage of means, and the ways out of it. */
#include "lab/hulls.h"

#include "lab/hull.h"
#include "lab/kernel.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

enum { KEYS = 8, WIDTH = 3 };

/* Every kernel that normalises, at a few temperatures. */
static const Kernel cages[] = {
    {KERNEL_SOFTMAX, 1, 0, 0},    {KERNEL_SOFTMAX, 0.1, 0, 0}, {KERNEL_HARD_LEFT, 1, 0, 0},
    {KERNEL_HARD_RIGHT, 1, 0, 0}, {KERNEL_AVERAGE, 1, 0, 0},   {KERNEL_SPARSEMAX, 1, 0, 0},
    {KERNEL_ENTMAX15, 1, 0, 0},   {KERNEL_ENTMAX, 1, 3, 0},    {KERNEL_TOP, 1, 0, 2},
};
enum { CAGES = sizeof cages / sizeof *cages };

static void head_output(Lab *lab, const Kernel *kernel, const double *scores, Matrix values,
                        double *out) {
    double *weights = ARENA_ARRAY(lab->arena, values.rows, double);
    kernel_weights(kernel, scores, values.rows, weights);
    mix_values(weights, values, out);
}

static bool is_inside(Lab *lab, Matrix values, const double *x) {
    return hull_test(values.x, values.rows, values.cols, x, 1e-9, lab->arena).side == HULL_INSIDE;
}

/* --- 35: inside ------------------------------------------------------------------------------- */

void hulls_head(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 20 : 200, outside = 0, beyond = 0;
    PageTable *table = page_table(page, "outputs that the hull test takes",
                                  (const char *const[]){"kernel", "tested", "inside", NULL});
    for (size_t k = 0; k < CAGES; k++) {
        size_t inside = 0;
        for (size_t c = 0; c < cases; c++) {
            lab_progress(lab, (double)(k * cases + c) / (double)(CAGES * cases));
            Matrix values = matrix_normal(lab->arena, lab->rng, KEYS, WIDTH, 1);
            double scores[KEYS], out[WIDTH];
            rng_normals(lab->rng, scores, KEYS, 2);
            head_output(lab, &cages[k], scores, values, out);
            inside += is_inside(lab, values, out);
            for (size_t m = 0; m < WIDTH; m++) {
                double least = INFINITY, most = -INFINITY;
                for (size_t j = 0; j < KEYS; j++) {
                    least = fmin(least, *matrix_at(values, j, m));
                    most = fmax(most, *matrix_at(values, j, m));
                }
                beyond += out[m] < least - 1e-12 || out[m] > most + 1e-12;
            }
        }
        outside += cases - inside;
        table_text(table, kernel_infos[cages[k].kind].name);
        table_count(table, cases);
        table_count(table, inside);
    }
    check_none(page, "outputs of normalised heads outside of the values' hull", outside);
    check_none(page, "coordinates beyond the least and largest value", beyond);
}

/* --- 36: the cage in the plane ---------------------------------------------------------------- */

/* Five values in the plane; queries run once around, and a key scores its value along the query. */
static const double shipped[5][2] = {{1, 0}, {0.4, 0.9}, {-0.8, 0.6}, {-0.7, -0.6}, {0.5, -0.8}};
enum { SHIPPED = 5, TURN = 48 };
typedef enum Way { BY_SOFTMAX, BY_EXPONENTIALS, BY_IDENTITY, WAYS } Way;
static const char *const way_names[WAYS] = {"softmax", "exponentials, no division",
                                            "linear attention, no division"};

static void attend(Way way, const double *query, double *out) {
    double weights[SHIPPED], total = 0;
    for (size_t j = 0; j < SHIPPED; j++) {
        double score = dot(query, shipped[j], 2);
        total += weights[j] = way == BY_IDENTITY ? score : exp(score);
    }
    out[0] = out[1] = 0;
    for (size_t j = 0; j < SHIPPED; j++)
        for (size_t m = 0; m < 2; m++)
            out[m] += weights[j] / (way == BY_SOFTMAX ? total : 1) * shipped[j][m];
}

void hulls_escape(Lab *lab, Page *page) {
    Matrix values = matrix_new(lab->arena, SHIPPED, 2);
    memcpy(values.x, shipped, sizeof shipped);
    Plot *plot =
        plot_new(page->arena, "the cage and two ways out", "first coordinate", "second coordinate");
    double x[TURN + 1], y[TURN + 1];
    for (size_t j = 0; j <= SHIPPED; j++)
        x[j] = shipped[j % SHIPPED][0], y[j] = shipped[j % SHIPPED][1];
    plot_line(plot, "hull of the values", x, y, SHIPPED + 1);
    size_t inside[WAYS] = {0};
    for (Way way = 0; way < WAYS; way++) {
        for (size_t t = 0; t <= TURN; t++) {
            double angle = 6.28318530717958648 * (double)t / TURN, out[2];
            attend(way, (double[]){2 * cos(angle), 2 * sin(angle)}, out);
            x[t] = out[0];
            y[t] = out[1];
            if (t < TURN) inside[way] += is_inside(lab, values, out);
        }
        plot_points(plot, way_names[way], x, y, TURN);
    }
    check_near(page, IDENTITY, "share of softmax outputs inside", (double)inside[BY_SOFTMAX] / TURN,
               1, 0);
    check_most(page, IDENTITY, "share inside without the division",
               (double)inside[BY_EXPONENTIALS] / TURN, 0);
    check_most(page, IDENTITY, "share inside of linear attention",
               (double)inside[BY_IDENTITY] / TURN, 0);
    page_plot(page, plot);
}

/* --- 39: which interpolation ------------------------------------------------------------------ */

enum { BATCH = 40, HEADS = 2 };

/* A block of two heads and a sublayer, and another one behind it: shipped weights, from one seed.
 */
typedef struct Block {
    Matrix scores[HEADS], values[HEADS], in, out;
} Block;

static Block draw_block(Lab *lab, Rng *rng) {
    Block b;
    for (size_t h = 0; h < HEADS; h++) {
        b.scores[h] = matrix_normal(lab->arena, rng, WIDTH, WIDTH, 1);
        b.values[h] = matrix_normal(lab->arena, rng, WIDTH, WIDTH, 1);
    }
    b.in = matrix_normal(lab->arena, rng, WIDTH, 2 * WIDTH, 1);
    b.out = matrix_normal(lab->arena, rng, 2 * WIDTH, WIDTH, 1);
    return b;
}

typedef struct Audit {
    size_t tested, head, sum, block, fresh;
    Matrix seen; /* what the sublayer of the last block read on the training inputs */
} Audit;

/* The block on rows h, causal; with an audit, what lies in which hull is counted. */
static Matrix run_block(Lab *lab, const Block *b, Matrix h, Audit *audit) {
    Matrix out = matrix_copy(lab->arena, h), values[HEADS],
           mixed = matrix_new(lab->arena, 1, WIDTH);
    Matrix keys[HEADS];
    for (size_t k = 0; k < HEADS; k++) {
        values[k] = matrix_product(lab->arena, h, b->values[k]);
        keys[k] = matrix_product(lab->arena, h, matrix_transpose(lab->arena, b->scores[k]));
    }
    for (size_t i = 0; i < h.rows; i++) {
        double sum[WIDTH] = {0}, weights[KEYS];
        for (size_t k = 0; k < HEADS; k++) {
            Matrix past = {i + 1, WIDTH, values[k].x};
            for (size_t j = 0; j <= i; j++)
                weights[j] = dot(matrix_row(h, i), matrix_row(keys[k], j), WIDTH);
            softmax(weights, i + 1, 1, weights);
            mix_values(weights, past, mixed.x);
            for (size_t c = 0; c < WIDTH; c++) sum[c] += mixed.x[c];
            if (audit) audit->head += is_inside(lab, past, mixed.x), audit->tested++;
        }
        if (audit) audit->sum += is_inside(lab, (Matrix){i + 1, WIDTH, values[0].x}, sum);
        for (size_t c = 0; c < WIDTH; c++) *matrix_at(out, i, c) += sum[c];
    }
    for (size_t i = 0; audit && i < h.rows; i++)
        audit->fresh += is_inside(lab, audit->seen, matrix_row(out, i));
    Matrix hidden = matrix_product(lab->arena, out, b->in);
    for (size_t k = 0; k < hidden.rows * hidden.cols; k++) hidden.x[k] = fmax(hidden.x[k], 0);
    Matrix done = matrix_sum(lab->arena, out, 1, matrix_product(lab->arena, hidden, b->out));
    for (size_t i = 0; audit && i < h.rows; i++)
        audit->block += is_inside(lab, (Matrix){i + 1, WIDTH, h.x}, matrix_row(done, i));
    return done;
}

/* What the second block's sublayer reads on an input: its rows behind attention. */
static void learn(Lab *lab, const Block *blocks, Matrix x, Matrix seen, size_t at) {
    Block last = blocks[1];
    last.out =
        matrix_new(lab->arena, 2 * WIDTH, WIDTH); /* 0: the block ends behind its attention */
    Matrix rows = run_block(lab, &last, run_block(lab, &blocks[0], x, NULL), NULL);
    memcpy(matrix_row(seen, at * KEYS), rows.x, KEYS * WIDTH * sizeof *rows.x);
}

void hulls_which(Lab *lab, Page *page) {
    Rng weights = rng_new(1, 39); /* the shipped model: the same for every seed of the lab */
    Block blocks[2] = {draw_block(lab, &weights), draw_block(lab, &weights)};
    Audit audit = {.seen = matrix_new(lab->arena, BATCH * KEYS, WIDTH)};
    for (size_t k = 0; k < BATCH; k++)
        learn(lab, blocks, matrix_normal(lab->arena, lab->rng, KEYS, WIDTH, 1), audit.seen, k);
    size_t inputs = lab->quick ? 10 : 100, rows = inputs * KEYS;
    for (size_t k = 0; k < inputs; k++) {
        lab_progress(lab, (double)k / (double)inputs);
        Matrix x = matrix_normal(lab->arena, lab->rng, KEYS, WIDTH, 1);
        run_block(lab, &blocks[1], run_block(lab, &blocks[0], x, NULL), &audit);
    }
    const struct {
        const char *what;
        size_t inside, of;
    } verdicts[] = {
        {"a head's output, in the hull of its context's values", audit.head, audit.tested},
        {"two heads' sum, in the hull of one head's values", audit.sum, rows},
        {"the block's output, in the hull of the block's inputs", audit.block, rows},
        {"what the sublayer reads, in the hull of what it read in training", audit.fresh, rows}};
    PageTable *table = page_table(page, "one two-layer model, three kinds of interpolation",
                                  (const char *const[]){"what", "inside", NULL});
    for (size_t k = 0; k < 4; k++) {
        table_text(table, verdicts[k].what);
        table_text(table, arena_format(page->arena, "%.1f %%",
                                       100 * (double)verdicts[k].inside / (double)verdicts[k].of));
    }
    check_near(page, IDENTITY, "share of heads' outputs inside",
               (double)audit.head / (double)audit.tested, 1, 0);
    check_most(page, MEASUREMENT, "share of two-head sums inside", (double)audit.sum / (double)rows,
               0.9);
    check_most(page, MEASUREMENT, "share of block outputs inside",
               (double)audit.block / (double)rows, 0.9);
    check_most(page, MEASUREMENT, "share of sublayer inputs inside those of training",
               (double)audit.fresh / (double)rows, 0.999);
}
