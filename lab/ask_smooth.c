#include "lab/ask.h"

#include "lab/engine_head.h"
#include "lab/simplex.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTHS = 41, PLACES = 121, ROWS = 21, DIGITS = 6, REFINED = 12 };

typedef struct Fit {
    Lab *lab;
    const SmoothQuestion *question;
    Sample sample;
    double low, high; /* of x */
    double h[WIDTHS], error[WIDTHS];
    double best, least; /* bandwidth, and its error left out */
} Fit;

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median distance of neighbours, 0 left aside: below it a fit follows each point. */
static double spacing(Lab *lab, Sample sample) {
    double *x = ARENA_ARRAY(lab->arena, sample.count, double);
    size_t count = 0;
    for (size_t k = 0; k < sample.count; k++) x[k] = sample.x[k];
    qsort(x, sample.count, sizeof *x, ascending);
    for (size_t k = 0; k + 1 < sample.count; k++)
        if (x[k + 1] > x[k]) x[count++] = x[k + 1] - x[k];
    qsort(x, count, sizeof *x, ascending);
    return x[count / 2];
}

static double error_at(Fit *f, double h) {
    return leave_one_out(f->lab->arena, &f->question->kernel, f->sample, h);
}

/* From half the distance of neighbours to twice the range, in equal ratios. */
static void scan_widths(Fit *f) {
    double from = spacing(f->lab, f->sample) / 2, to = 2 * (f->high - f->low);
    size_t best = 0;
    for (size_t k = 0; k < WIDTHS; k++) {
        lab_progress(f->lab, (double)k / (WIDTHS + REFINED));
        f->h[k] = from * pow(to / from, (double)k / (WIDTHS - 1));
        f->error[k] = error_at(f, f->h[k]);
        if (f->error[k] < f->error[best]) best = k;
    }
    f->best = f->h[best];
    f->least = f->error[best];
}

/* Between its neighbours, by bisection of the ratio towards the better side. */
static void refine(Fit *f) {
    double ratio = f->h[1] / f->h[0];
    for (int k = 0; k < REFINED / 2; k++) {
        ratio = sqrt(ratio);
        for (int side = 0; side < 2; side++) {
            double h = side ? f->best * ratio : f->best / ratio, error = error_at(f, h);
            lab_progress(f->lab, (double)(WIDTHS + 2 * k + side) / (WIDTHS + REFINED));
            if (!(error < f->least)) continue;
            f->best = h;
            f->least = error;
            break;
        }
    }
}

static void report_figures(const Fit *f, Page *page) {
    double n = (double)f->sample.count, spread = variance_of(f->sample.y, f->sample.count);
    double of_mean = spread * n / (n - 1); /* each point by the mean of the others */
    check_figure(page, "bandwidth h", f->best);
    check_figure(page, "error left out, mean square", f->least);
    check_figure(page, "the same of the mean of the others", of_mean);
    if (of_mean > 0) check_figure(page, "share of the variance explained", 1 - f->least / of_mean);
    check_figure(page, "points", n);
    if (f->question->bandwidth > 0) return;
    if (f->best <= f->h[0] || f->best >= f->h[WIDTHS - 1])
        page_note(page, "The least error is at the %s end of the bandwidths that were tried: %s.",
                  f->best <= f->h[0] ? "narrow" : "wide",
                  f->best <= f->h[0] ? "the fit wants to follow each point"
                                     : "x says little about y by this kernel");
}

/* The fit at the points once more, by an attention head of the runtime: queries (x, 1), keys
 * (x, −x²/2), both over h, whose products are −(x − x_j)²/2h² but for what depends on the query. */
static void check_engine(const Fit *f, Page *page) {
    enum { MOST = 500 };
    static const RtRule rules[KERNEL_COUNT] = {[KERNEL_SOFTMAX] = RT_SOFTMAX,
                                               [KERNEL_SPARSEMAX] = RT_SPARSEMAX,
                                               [KERNEL_ENTMAX15] = RT_ENTMAX15};
    size_t n = f->sample.count;
    if (n > MOST) return;
    Arena *arena = f->lab->arena;
    Matrix q = matrix_new(arena, n, 2), k = matrix_new(arena, n, 2), v = matrix_new(arena, n, 1);
    double middle = (f->low + f->high) / 2, reach = (f->high - f->low) / f->best, size = 0;
    double worst = 0, *s = ARENA_ARRAY(arena, n, double), *w = ARENA_ARRAY(arena, n, double);
    for (size_t j = 0; j < n; j++) {
        double x = (f->sample.x[j] - middle) / f->best;
        *matrix_at(q, j, 0) = *matrix_at(k, j, 0) = x;
        *matrix_at(q, j, 1) = 1;
        *matrix_at(k, j, 1) = -x * x / 2;
        *matrix_at(v, j, 0) = f->sample.y[j];
        size = fmax(size, fabs(f->sample.y[j]));
    }
    EngineHead head = {rules[f->question->kernel.kind], 1, RT_MASK_NONE, RT_F64, 0, NULL, 0};
    Matrix out = engine_attend(f->lab, page, &head, q, k, v);
    for (size_t j = 0; j < n; j++) {
        double fit =
            smooth_at(&f->question->kernel, f->sample, f->best, f->sample.x[j], SIZE_MAX, s, w);
        worst = fmax(worst, fabs(fit - *matrix_at(out, j, 0)));
    }
    check_near(page, IDENTITY, "largest difference from an attention head of the runtime", worst, 0,
               1e-14 * (100 + (double)n + reach * reach) * size);
}

static void plot_fit(const Fit *f, Page *page) {
    const SmoothQuestion *q = f->question;
    const char *const columns[] = {q->x_name, q->y_name, "exp H", NULL};
    double x[PLACES], y[PLACES], *s = ARENA_ARRAY(f->lab->arena, f->sample.count, double);
    double *w = ARENA_ARRAY(f->lab->arena, f->sample.count, double);
    PageTable *table = page_table(page, "the fit, and how many points it averages", columns);
    for (int k = 0; k < PLACES; k++) {
        lab_poll(f->lab);
        x[k] = f->low + (f->high - f->low) * k / (PLACES - 1);
        y[k] = smooth_at(&q->kernel, f->sample, f->best, x[k], SIZE_MAX, s, w);
        if (k % ((PLACES - 1) / (ROWS - 1)) != 0) continue;
        table_number(table, x[k], DIGITS);
        table_number(table, y[k], DIGITS);
        table_number(table, exp(entropy(w, f->sample.count)), 4);
    }
    Plot *plot = plot_new(page->arena, "data and fit", q->x_name, q->y_name);
    plot_points(plot, "data", f->sample.x, f->sample.y, f->sample.count);
    plot_line(plot, arena_format(page->arena, "%s, h = %.4g", q->rule_name, f->best), x, y, PLACES);
    page_plot(page, plot);
}

static void plot_errors(const Fit *f, Page *page) {
    Plot *plot = plot_new(page->arena, "each point estimated from the others", "bandwidth h",
                          "mean squared error");
    plot->log_x = true;
    plot_line(plot, "leave-one-out error", f->h, f->error, WIDTHS);
    plot_points(plot, "chosen", &f->best, &f->least, 1);
    page_plot(page, plot);
}

void ask_smooth(Lab *lab, Page *page, void *context) {
    const SmoothQuestion *q = context;
    Fit f = {.lab = lab, .question = q, .sample = q->sample, .low = INFINITY, .high = -INFINITY};
    for (size_t k = 0; k < q->sample.count; k++) {
        f.low = fmin(f.low, q->sample.x[k]);
        f.high = fmax(f.high, q->sample.x[k]);
    }
    scan_widths(&f);
    if (q->bandwidth > 0)
        f.best = q->bandwidth, f.least = error_at(&f, q->bandwidth);
    else
        refine(&f);
    report_figures(&f, page);
    check_engine(&f, page);
    plot_fit(&f, page);
    plot_errors(&f, page);
    if (q->kernel.kind == KERNEL_SPARSEMAX)
        page_note(page,
                  "sparsemax is Epanechnikov's kernel of a width that the data choose at each "
                  "place: h scales it.");
}
