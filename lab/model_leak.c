/* Of item 26: how large an inverse temperature has to be, by bisection and in closed form. */
#include "lab/model.h"

#include "lab/simplex.h"

#include <math.h>

/* The least β from which on `enough` says yes. */
typedef bool Enough(size_t n, double beta);

static double least_beta(Enough *enough, size_t n) {
    double low = 0, high = 64;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (enough(n, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

enum { LONGEST = 256 };

/* What a head reads whose value is 1 at the sink, which is always selected, and 0 elsewhere: 1/(1 +
 * w) and the leak of n − w keys that score 1 less. */
static double read_width(size_t n, size_t w, double beta) {
    double scores[LONGEST + 1], a[LONGEST + 1];
    for (size_t j = 0; j <= n; j++) scores[j] = j <= w ? 0 : -1;
    softmax(scores, n + 1, 1 / beta, a);
    return a[0];
}

/* Steps clip(κ(x − t) + ½, 0, 1) between the levels 1/k and 1/(k+1), κ twice over their distance:
 * is each of them exactly 0 or 1 for each width? */
static bool steps_decide(size_t n, double beta, bool harmonic) {
    for (size_t w = 0; w <= n && beta > 0; w++) {
        double x = read_width(n, w, beta);
        for (size_t k = 1; k <= n; k++) {
            double upper = 1 / (double)k, lower = 1 / (double)(k + 1);
            double t = harmonic ? 1 / ((double)k + 0.5) : (upper + lower) / 2;
            double step = 2 / (upper - lower) * (x - t) + 0.5;
            if (w + 1 <= k ? step < 1 : step > 0) return false;
        }
    }
    return beta > 0;
}

static bool midpoints_decide(size_t n, double beta) {
    return steps_decide(n, beta, false);
}

static bool harmonics_decide(size_t n, double beta) {
    return steps_decide(n, beta, true);
}

/* A sink that scores θ less than what is selected takes an empty row, and leaves the others alone,
 * each up to a quarter: what a step at ½ of twice the slope forgives. */
static bool sink_decides(size_t n, double beta, double theta) {
    double empty = (double)n * exp(-beta * (1 - theta)), worst = 0;
    for (size_t w = 1; w <= n; w++)
        worst = fmax(worst, (exp(-beta * theta) + (double)(n - w) * exp(-beta)) / (double)w);
    return fmax(empty, worst) <= 1.0 / 3;
}

static bool half_decides(size_t n, double beta) {
    return sink_decides(n, beta, 0.5);
}

/* Any θ: the best is found by looking. */
static bool some_theta_decides(size_t n, double beta) {
    for (int k = 1; k < 4000; k++)
        if (sink_decides(n, beta, k / 4000.0)) return true;
    return false;
}

/* What harmonic steps need: with T the distance from a level 1/k to where its step begins, a leak
 * of l is forgiven if l ≤ k² T/(1 − kT). For small n that is hardest at k = 1, and the form is
 * log 3.8n; then larger k are, and it tends to log 4n. */
static double harmonic_form(size_t n) {
    double most = 0;
    for (size_t w = 0; w < n; w++) {
        double k = (double)(w + 1), t = (k + 1.5) / (4 * k * (k + 0.5) * (k + 1));
        most = fmax(most, (double)(n - w) * (1 - k * t) / (k * k * t));
    }
    return log(most);
}

/* The first n at which log 3.8n is too small. */
static size_t first_too_small(void) {
    size_t n = 1;
    while (harmonic_form(n) <= log(3.8 * (double)n) + 1e-12) n++;
    return n;
}

void model_leak_forms(Lab *lab, Page *page) {
    double midpoint = 0, harmonic = 0, half = 0, above = -INFINITY;
    size_t longest = lab->quick ? 64 : LONGEST;
    PageTable *table =
        page_table(page, "the least β of a gap of 1, by bisection",
                   (const char *const[]){"n", "width, midpoints", "log 7n", "width, harmonic",
                                         "closed form", "default, θ = ½", "2 log 3n",
                                         "default, best θ", "log 3n + log 6", NULL});
    for (size_t n = 4; n <= longest; n *= 4) {
        double size = (double)n, best = log(3 * size) + log(6);
        double found[] = {least_beta(midpoints_decide, n), least_beta(harmonics_decide, n),
                          least_beta(half_decides, n), least_beta(some_theta_decides, n)};
        double forms[] = {log(7 * size), harmonic_form(n), 2 * log(3 * size), best};
        lab_poll(lab);
        midpoint = fmax(midpoint, fabs(found[0] - forms[0]));
        harmonic = fmax(harmonic, fabs(found[1] - forms[1]));
        half = fmax(half, fabs(found[2] - forms[2]));
        above = fmax(above, found[3] - forms[3]);
        table_count(table, n);
        for (int k = 0; k < 4; k++) {
            table_number(table, found[k], 5);
            table_number(table, forms[k], 5);
        }
    }
    check_near(page, IDENTITY, "width by steps at midpoints: least β − log 7n", midpoint, 0, 1e-9);
    check_near(page, IDENTITY, "width by harmonic steps: least β − max over k, largest", harmonic,
               0, 1e-9);
    check_near(page, IDENTITY, "the first n for which log 3.8n is too small",
               (double)first_too_small(), 250, 0);
    check_near(page, IDENTITY, "default at θ = ½: least β − 2 log 3n", half, 0, 1e-9);
    check_most(page, IDENTITY, "default at the best θ: least β − (log 3n + log 6), at most", above,
               0);
}
