#include "lab/ask.h"

#include "lab/simplex.h"

#include <math.h>

enum { MOST_SHOWN = 64, MOST_MATRIX = 24, DIGITS = 6 };

static void weights_table(Page *page, const KernelQuestion *q, const double *a) {
    const char *const columns[] = {"key", "score", "weight", NULL};
    PageTable *table = page_table(page, "weights", columns);
    size_t shown = q->count < MOST_SHOWN ? q->count : MOST_SHOWN;
    for (size_t j = 0; j < shown; j++) {
        table_count(table, j);
        table_number(table, q->scores[j], DIGITS);
        table_number(table, a[j], DIGITS);
    }
    if (shown < q->count) page_note(page, "The first %zu of %zu keys are shown.", shown, q->count);
}

static void weights_plot(Page *page, const KernelQuestion *q, const double *a) {
    size_t shown = q->count < MOST_SHOWN ? q->count : MOST_SHOWN;
    double keys[MOST_SHOWN];
    for (size_t j = 0; j < shown; j++) keys[j] = (double)j;
    Plot *plot = plot_new(page->arena, "weights", "key", "weight");
    plot_bars(plot, kernel_infos[q->kernel.kind].name, keys, a, shown);
    page_plot(page, plot);
}

static void derivative_plot(Page *page, Lab *lab, const KernelQuestion *q, const double *a) {
    const char *const columns[] = {"weight of", "by score of", "derivative", NULL};
    if (q->count > MOST_MATRIX) {
        page_note(page, "The derivative is shown for up to %d keys.", MOST_MATRIX);
        return;
    }
    Matrix d = kernel_derivative(lab->arena, &q->kernel, a, q->count);
    PageTable *table =
        page_table(page, "derivative of weights by scores, where it is not 0", columns);
    for (size_t i = 0; i < q->count; i++) {
        for (size_t j = 0; j < q->count; j++) {
            if (*matrix_at(d, i, j) == 0) continue;
            table_count(table, i);
            table_count(table, j);
            table_number(table, *matrix_at(d, i, j), DIGITS);
        }
    }
    page_plot(page, plot_matrix(page->arena, "derivative of weights by scores", "score of",
                                "weight of", q->count, q->count, d.x, NULL, NULL));
}

/* exp H over the temperature, from a hundredth of the asked one to a hundred times it. */
static void effective_plot(Page *page, Lab *lab, const KernelQuestion *q) {
    enum { STEPS = 61 };
    double tau[STEPS], k[STEPS], *a = ARENA_ARRAY(lab->arena, q->count, double);
    Kernel kernel = q->kernel;
    for (int i = 0; i < STEPS; i++) {
        lab_poll(lab);
        kernel.temperature = tau[i] = q->kernel.temperature * pow(10, -2 + 4.0 * i / (STEPS - 1));
        kernel_weights(&kernel, q->scores, q->count, a);
        k[i] = exp(entropy(a, q->count));
    }
    Plot *plot = plot_new(page->arena, "effective number of keys", "temperature", "exp H");
    plot->log_x = true;
    plot_line(plot, kernel_infos[kernel.kind].name, tau, k, STEPS);
    page_plot(page, plot);
}

static void normalised_figures(Page *page, Lab *lab, const KernelQuestion *q, const double *a) {
    size_t support = 0;
    double h = entropy(a, q->count);
    for (size_t j = 0; j < q->count; j++) support += a[j] > 0;
    check_near(page, IDENTITY, "sum of the weights", sum_of(a, q->count), 1, 1e-12);
    check_figure(page, "entropy H, bits", h / log(2));
    check_figure(page, "effective number of keys, exp H", exp(h));
    check_figure(page, "keys with a weight above 0", (double)support);
    if (kernel_infos[q->kernel.kind].alpha > 1) {
        double *b = ARENA_ARRAY(lab->arena, q->count, double);
        kernel_bisect(kernel_infos[q->kernel.kind].alpha, q->kernel.temperature, q->scores,
                      q->count, b);
        check_near(page, IDENTITY, "largest |sorted − bisected| weight",
                   max_difference(a, b, q->count), 0, 1e-12);
    }
}

void ask_kernel(Lab *lab, Page *page, void *context) {
    const KernelQuestion *q = context;
    double *a = ARENA_ARRAY(lab->arena, q->count, double);
    kernel_weights(&q->kernel, q->scores, q->count, a);
    if (kernel_infos[q->kernel.kind].alpha == -2)
        check_figure(page, "sum of the weights", sum_of(a, q->count));
    else
        normalised_figures(page, lab, q, a);
    weights_table(page, q, a);
    weights_plot(page, q, a);
    derivative_plot(page, lab, q, a);
    if (kernel_infos[q->kernel.kind].alpha >= 0) effective_plot(page, lab, q);
}
