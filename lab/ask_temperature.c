#include "lab/ask.h"

#include "lab/subject.h"

#include <math.h>

enum { LONGEST = 1024, QUICK_LONGEST = 64, MOST_LENGTHS = 32, REFINED = 10, DIGITS = 4 };

/* β of the grid over the certified one: powers of √2 from 1/64 to 2. */
enum { STEPS = 15 };
static double factor_of(int step) {
    return pow(2, 1 - (double)step / 2);
}
enum { LOWEST = 4096 }; /* and no further down: β over this */

/* Inputs of one length, and where they break. */
typedef struct Length {
    size_t n, first, count;
    double breaks; /* the greatest β found at which one of them goes wrong; 0: none does */
    bool holds;    /* at the certified β all are right */
} Length;

typedef struct Sweep {
    Subject subject;
    Page *page;
    bool scaled; /* the file multiplies scores by ln(n+1) itself */
    Length lengths[MOST_LENGTHS];
    size_t length_count;
} Sweep;

/* --- one β -------------------------------------------------------------------------------------
 */

/* A temperature divides all scores alike, and so stands for another β. */
static Fare at_beta(const Sweep *s, double beta, size_t first, size_t count) {
    return subject_fare(&s->subject, s->subject.model, s->subject.beta / beta, first, count);
}

static bool is_right(const Sweep *s, double beta, size_t first, size_t count) {
    return at_beta(s, beta, first, count).agreed == count;
}

/* Downwards from the certified β by halves to one that fails, then by bisection between the two. */
static double find_break(const Sweep *s, size_t first, size_t count) {
    double right = s->subject.beta, wrong = right / 2;
    while (wrong >= s->subject.beta / LOWEST && is_right(s, wrong, first, count))
        right = wrong, wrong /= 2;
    if (wrong < s->subject.beta / LOWEST) return 0;
    for (int k = 0; k < REFINED; k++) {
        double middle = sqrt(right * wrong);
        *(is_right(s, middle, first, count) ? &right : &wrong) = middle;
    }
    return wrong;
}

/* --- over β ------------------------------------------------------------------------------------
 */

static void show_sweep(Sweep *s) {
    static const char *const columns[] = {"β",      "of certified",   "agree",
                                          "inputs", "greatest error", NULL};
    PageTable *table = page_table(s->page, "outputs over the inverse temperature", columns);
    double x[STEPS], agree[STEPS], error[STEPS];
    size_t count = s->subject.input_count;
    for (int k = 0; k < STEPS; k++) {
        double beta = s->subject.beta * factor_of(k);
        Fare fare = at_beta(s, beta, 0, count);
        lab_progress(s->subject.lab, 0.3 * (k + 1) / STEPS);
        x[k] = beta;
        agree[k] = (double)fare.agreed / (double)count;
        error[k] = fare.error;
        table_number(table, beta, DIGITS);
        table_number(table, factor_of(k), DIGITS);
        table_count(table, fare.agreed);
        table_count(table, fare.inputs);
        table_number(table, fare.error, 3);
    }
    Arena *arena = s->page->arena;
    Plot *share = plot_new(arena, "share of inputs on which all outputs are right", "β", "share");
    Plot *far = plot_new(arena, "greatest error", "β", "error");
    share->log_x = far->log_x = far->log_y = true;
    plot_line(share, "agree", x, agree, STEPS);
    plot_rule(share, "certified β", s->subject.beta, 0, s->subject.beta, 1);
    plot_line(far, "of what outputs read", x, error, STEPS);
    page_plot(s->page, share);
    page_plot(s->page, far);
}

/* --- by length ---------------------------------------------------------------------------------
 */

static void find_lengths(Sweep *s) {
    const SubjectInput *inputs = s->subject.inputs;
    for (size_t k = 0; k < s->subject.input_count; k++) {
        Length *last = s->length_count ? &s->lengths[s->length_count - 1] : NULL;
        if (last && last->n == inputs[k].length)
            last->count++;
        else if (s->length_count < MOST_LENGTHS)
            s->lengths[s->length_count++] = (Length){.n = inputs[k].length, .first = k, .count = 1};
    }
    for (size_t l = 0; l < s->length_count; l++) {
        Length *length = &s->lengths[l];
        length->holds = is_right(s, s->subject.beta, length->first, length->count);
        if (length->holds) length->breaks = find_break(s, length->first, length->count);
        lab_progress(s->subject.lab, 0.3 + 0.5 * (double)(l + 1) / (double)s->length_count);
    }
}

/* The shortest length of at least 3 that breaks: what a β fixed for it does on longer inputs. */
static const Length *base_length(const Sweep *s) {
    for (size_t l = 0; l < s->length_count; l++)
        if (s->lengths[l].n >= 3 && s->lengths[l].breaks > 0) return &s->lengths[l];
    return NULL;
}

/* A hair above where it breaks. */
static double enough(const Length *length) {
    return length->breaks * 1.01;
}

/* Three ways of carrying a β on to a length: as it is, times log n, and with what keeps the leak
 * n e^-β as it was. */
static double carried(const Length *from, size_t n, int way) {
    double beta = enough(from), ratio = log((double)n + 1) / log((double)from->n + 1);
    if (way == 0) return beta;
    return way == 1 ? beta * ratio : beta + log((double)n / (double)from->n);
}

static void show_lengths(Sweep *s) {
    static const char *const columns[] = {"n",       "inputs",      "breaks at β", "over ln(n+1)",
                                          "fixed β", "times log n", "plus ln n",   NULL};
    static const char *const plain[] = {"n", "inputs", "breaks at β", "over ln(n+1)", NULL};
    const Length *base = s->scaled ? NULL : base_length(s);
    PageTable *table = page_table(
        s->page,
        base ? "by length; inputs that agree at a fixed β, and as it is carried on" : "by length",
        base ? columns : plain);
    if (base)
        page_note(s->page,
                  "The fixed β is %.3g, a hair above where the shortest length that "
                  "breaks does, %zu.",
                  enough(base), base->n);
    for (size_t l = 0; l < s->length_count; l++) {
        const Length *length = &s->lengths[l];
        table_count(table, length->n);
        table_count(table, length->count);
        table_number(table, length->breaks, DIGITS);
        table_number(table, length->breaks / log((double)length->n + 1), DIGITS);
        for (int way = 0; base && way < 3; way++) {
            double beta = carried(base, length->n, way);
            table_count(table, at_beta(s, beta, length->first, length->count).agreed);
        }
        lab_progress(s->subject.lab, 0.8 + 0.2 * (double)(l + 1) / (double)s->length_count);
    }
}

static void plot_lengths(Sweep *s) {
    const Length *base = s->scaled ? NULL : base_length(s);
    double n[MOST_LENGTHS], breaks[MOST_LENGTHS], by_log[MOST_LENGTHS], plus[MOST_LENGTHS];
    if (!base || s->length_count < 2) return;
    for (size_t l = 0; l < s->length_count; l++) {
        n[l] = (double)s->lengths[l].n;
        breaks[l] = s->lengths[l].breaks > 0 ? s->lengths[l].breaks : NAN;
        by_log[l] = carried(base, s->lengths[l].n, 1);
        plus[l] = carried(base, s->lengths[l].n, 2);
    }
    Plot *plot = plot_new(s->page->arena, "where inputs break, by length", "n", "β");
    plot->log_x = true;
    plot_points(plot, "breaks at", n, breaks, s->length_count);
    plot_line(plot, "times log n", n, by_log, s->length_count);
    plot_line(plot, "plus ln n", n, plus, s->length_count);
    page_plot(s->page, plot);
}

/* --- the answer ------------------------------------------------------------------------------- */

/* What the file states is a claim, and an identity: it must hold. */
static void check_claims(Sweep *s) {
    const Subject *subject = &s->subject;
    Fare fare = at_beta(s, subject->beta, 0, subject->input_count);
    CheckKind kind = subject->judged && subject->states_beta ? IDENTITY : MEASUREMENT;
    double breaks = 0;
    for (size_t l = 0; l < s->length_count; l++) breaks = fmax(breaks, s->lengths[l].breaks);
    check_near(s->page, kind,
               subject->states_beta ? "inputs that go wrong at the certified β"
                                    : "inputs that go wrong as the file is",
               (double)(fare.inputs - fare.agreed), 0, 0);
    check_most(s->page, kind,
               subject->states_beta ? "breaks at β, at most the certified one"
                                    : "breaks at β, at most the greatest gap of a head",
               breaks, subject->beta);
    if (subject->info->certified >= 0)
        check_most(s->page, kind, "greatest error, at most the certified one", fare.error,
                   subject->info->certified);
    else
        check_figure(s->page, "greatest error", fare.error);
    if (breaks > 0)
        check_figure(s->page, "certified β over the one that breaks", subject->beta / breaks);
    else
        page_note(s->page, "No input goes wrong down to β/%d.", LOWEST);
}

static bool scales_itself(const Model *model) {
    for (size_t l = 0; l < model->layer_count; l++)
        for (size_t h = 0; h < model->layers[l]->head_count; h++)
            if (model->layers[l]->heads[h]->scale == RT_SCALE_LOG_LENGTH) return true;
    return false;
}

void ask_temperature(Lab *lab, Page *page, void *context) {
    Sweep s = {.page = page};
    if (!subject_open(lab, page, context, lab->quick ? QUICK_LONGEST : LONGEST, &s.subject)) return;
    if (!subject_head_count(&s.subject)) {
        page_note(page, "The model has no head, and so no temperature.");
        check_figure(page, "heads", 0);
        return;
    }
    s.scaled = scales_itself(s.subject.model);
    find_lengths(&s);
    check_claims(&s);
    show_sweep(&s);
    show_lengths(&s);
    plot_lengths(&s);
    page_note(page,
              "β is what separates the scores of selected keys from the others; a temperature "
              "divides it. Where inputs break is found by bisection between the greatest β/2^k at "
              "which one goes wrong and the next: at other β below they may be right again.");
    if (s.scaled)
        page_note(page, "The file multiplies scores by ln(n+1) itself, and β is before that: what "
                        "separates scores at the length n is β ln(n+1).");
}
