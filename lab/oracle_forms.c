/* Items 48 and 49: tasks whose gap has a closed form. */
#include "lab/oracle.h"

#include "lab/choice.h"
#include "lab/simplex.h"

#include <math.h>
#include <string.h>

/* --- 48: copying ------------------------------------------------------------------------------ */

enum { COPIED = 10 }; /* symbols; each stands in the context once */

/* The oracle's loss with votes c e_{x_j} when the next token is one of the first `targets`, each as
 * likely. */
static double copying_loss(Lab *lab, double c, size_t targets) {
    double votes[COPIED * COPIED] = {0}, law[COPIED] = {0}, weights[COPIED];
    for (size_t j = 0; j < COPIED; j++) votes[j * COPIED + j] = c;
    for (size_t y = 0; y < targets; y++) law[y] = 1 / (double)targets;
    Votes v = {1, COPIED, COPIED, NULL, votes};
    return choice_best(&v, law, 1e-10, weights, lab->arena).value;
}

void oracle_copying(Lab *lab, Page *page) {
    static const double scales[] = {2, 5, 10, 20};
    double worst[2] = {0}, gaps[2][4], laws[2][4];
    PageTable *table = page_table(page, "hull gap of copying, nats",
                                  (const char *const[]){"vote c", "one target", "closed form",
                                                        "two targets", "closed form", NULL});
    for (size_t k = 0; k < 4; k++) {
        double c = scales[k];
        laws[0][k] = log1p((COPIED - 1) * exp(-c));
        laws[1][k] = log1p((COPIED - 2) / 2.0 * exp(-c / 2));
        table_number(table, c, 3);
        for (size_t t = 0; t < 2; t++) {
            gaps[t][k] = copying_loss(lab, c, t + 1) - log((double)(t + 1));
            worst[t] = fmax(worst[t], fabs(gaps[t][k] - laws[t][k]) / (c < 20 ? 1e-8 : 1e-7));
            table_number(table, gaps[t][k], 6);
            table_number(table, laws[t][k], 6);
        }
    }
    check_most(page, IDENTITY, "one target: |gap − log(1 + (V−1) e^−c)|, in tolerances", worst[0],
               1);
    check_most(page, IDENTITY, "two: |gap − log(2 + (V−2) e^{−c/2}) + log 2|, in tolerances",
               worst[1], 1);
    check_most(page, IDENTITY, "gap at c = 20, one target", gaps[0][3], 1e-7);
    Plot *plot =
        plot_new(page->arena, "copying: the gap falls with the size of votes", "c", "nats");
    plot->log_y = true;
    plot_points(plot, "one target", scales, gaps[0], 4);
    plot_points(plot, "two targets", scales, gaps[1], 4);
    plot_line(plot, "log(1 + (V−1) e^−c)", scales, laws[0], 4);
    plot_line(plot, "log(2 + (V−2) e^{−c/2}) − log 2", scales, laws[1], 4);
    page_plot(page, plot);
}

/* --- 49: the sum of two numbers --------------------------------------------------------------- */

enum {
    LARGEST = 6,
    SUMS = 2 * LARGEST + 9
};                             /* answers 0 .. SUMS−1: some room behind 2 · LARGEST */
static const double SHARP = 4; /* λ */

/* The cross-entropy when the attended number is mu: z_y = −λ y² + 2 λ y μ. */
static double reading_loss(double mu, size_t answer) {
    double z[SUMS], law[SUMS] = {0};
    for (size_t y = 0; y < SUMS; y++) z[y] = SHARP * (double)y * (2 * mu - (double)y);
    law[answer] = 1;
    return cross_entropy(law, z, SUMS);
}

/* The same with the oracle's weights on the two numbers, heads added. */
static double oracle_sum_loss(Lab *lab, size_t heads, const size_t *numbers) {
    double direct[SUMS], votes[2 * 2 * SUMS], law[SUMS] = {0}, weights[4];
    for (size_t y = 0; y < SUMS; y++) {
        direct[y] = -SHARP * (double)(y * y);
        for (size_t k = 0; k < 2 * heads; k++)
            votes[k * SUMS + y] = 2 * SHARP * (double)(y * numbers[k % 2]);
    }
    law[numbers[0] + numbers[1]] = 1;
    Votes v = {heads, 2, SUMS, direct, votes};
    return choice_best(&v, law, 1e-9, weights, lab->arena).value;
}

/* Free votes l_x(y) = −λ (y − 2x)²: averaging logits multiplies experts. */
static double free_votes_loss(const size_t *numbers) {
    double z[SUMS], law[SUMS] = {0};
    for (size_t y = 0; y < SUMS; y++) {
        double a = (double)y - 2 * (double)numbers[0], b = (double)y - 2 * (double)numbers[1];
        z[y] = -SHARP * (a * a + b * b) / 2;
    }
    law[numbers[0] + numbers[1]] = 1;
    return cross_entropy(law, z, SUMS);
}

void oracle_sum(Lab *lab, Page *page) {
    double one = 0, two = 0, sublayer = 0, free_votes = 0;
    size_t wrong_sign = 0;
    PageTable *table =
        page_table(page, "loss in nats, λ = 4",
                   (const char *const[]){"numbers", "one head", "λ min² + floor", "two heads",
                                         "mean, then doubled", "floor", NULL});
    for (size_t a = 0; a <= LARGEST; a++)
        for (size_t b = a; b <= LARGEST; b++) {
            const size_t numbers[] = {a, b};
            /* The floor is the loss of the exact number; one head ends at the larger number. */
            double floor = reading_loss((double)(a + b), a + b);
            double least = (double)a, tail = reading_loss((double)b, b);
            double head = oracle_sum_loss(lab, 1, numbers),
                   heads = oracle_sum_loss(lab, 2, numbers);
            double mean = reading_loss(2 * ((double)(a + b) / 2), a + b);
            one = fmax(one, fabs(head - SHARP * least * least - tail));
            two = fmax(two, fabs(heads - floor));
            sublayer = fmax(sublayer, fabs(mean - floor));
            free_votes = fmax(free_votes, fabs(free_votes_loss(numbers) - floor));
            wrong_sign += (head - floor > 0.1) != (a > 0 && b > 0);
            if ((a == 3 && b == 4) || a == 0 || a == b) {
                table_text(table, arena_format(page->arena, "%zu + %zu", a, b));
                table_number(table, head, 5);
                table_number(table, SHARP * least * least + tail, 5);
                table_number(table, heads, 5);
                table_number(table, mean, 5);
                table_number(table, floor, 5);
            }
        }
    check_near(page, IDENTITY, "one head: largest |loss − λ min² − floor|", one, 0, 1e-7);
    check_near(page, IDENTITY, "two heads: largest |loss − floor|", two, 0, 1e-7);
    check_near(page, IDENTITY, "mean and 2z: largest |loss − floor|", sublayer, 0, 1e-12);
    check_none(page, "pairs where gap > 0 is not the same as both numbers > 0", wrong_sign);
    check_near(page, IDENTITY, "(3, 4) with one head", oracle_sum_loss(lab, 1, (size_t[]){3, 4}),
               36.04, 0.01);
    check_near(page, IDENTITY, "free votes −λ(y − 2x)², one uniform head: |loss − floor|",
               free_votes, 0, 1e-9);
}
