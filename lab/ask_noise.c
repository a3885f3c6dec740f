/* Weights made worse: with noise, and rounded to fewer bits. */
#include "lab/ask.h"

#include "lab/simplex.h"
#include "lab/subject.h"

#include <math.h>
#include <stdint.h>

enum { LONGEST = 64, QUICK_LONGEST = 32, TRACED = 8, TRACED_LONGEST = 32, DRAWS = 2 };

/* What a row of weights may be off, in total variation, for a mean of 0 and 1 to be told apart from
 * its neighbour with the usual slope of 2. */
static const double broken = 0.25;

/* --- what is done to weights -------------------------------------------------------------------
 */

/* In place; `size` is σ, or a count of bits. */
typedef void Change(Tensor *tensor, double size, Rng *rng);

static void relative_noise(Tensor *t, double sigma, Rng *rng) {
    for (size_t k = 0; k < tensor_size(t); k++) t->data[k] *= 1 + sigma * rng_normal(rng);
}

static void absolute_noise(Tensor *t, double sigma, Rng *rng) {
    for (size_t k = 0; k < tensor_size(t); k++) t->data[k] += sigma * rng_normal(rng);
}

/* To the nearest number of `digits` binary digits whose last one is worth at least 2^least; ties to
 * even; what is too large becomes the largest. */
static double to_float(double x, int digits, int least, double largest) {
    int exponent;
    frexp(x, &exponent);
    int last = exponent - digits > least ? exponent - digits : least;
    double rounded = ldexp(nearbyint(ldexp(x, -last)), last);
    return fmin(fmax(rounded, -largest), largest);
}

static void to_f16(Tensor *t, double size, Rng *rng) {
    (void)size, (void)rng;
    for (size_t k = 0; k < tensor_size(t); k++) t->data[k] = to_float(t->data[k], 11, -24, 65504);
}

static void to_bf16(Tensor *t, double size, Rng *rng) {
    (void)size, (void)rng;
    for (size_t k = 0; k < tensor_size(t); k++)
        t->data[k] = to_float(t->data[k], 8, -133, 0x1.FEp127);
}

/* Whole multiples of absmax/(2^(bits-1) - 1): `count` numbers, `step` apart. */
static void quantise(double *x, size_t count, size_t step, double bits) {
    double most = 0, levels = ldexp(1, (int)bits - 1) - 1;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(x[k * step]));
    for (size_t k = 0; k < count && most > 0; k++)
        x[k * step] = nearbyint(x[k * step] / most * levels) * (most / levels);
}

static void to_int_by_tensor(Tensor *t, double bits, Rng *rng) {
    (void)rng;
    quantise(t->data, tensor_size(t), 1, bits);
}

static void to_int_by_column(Tensor *t, double bits, Rng *rng) {
    (void)rng;
    for (size_t c = 0; c < t->cols; c++) quantise(t->data + c, t->rows, t->cols, bits);
}

static const struct {
    const char *name;
    Change *change;
    double size;
} roundings[] = {
    {"as they are", NULL, 0},
    {"f16", to_f16, 0},
    {"bf16", to_bf16, 0},
    {"int8, a scale a tensor", to_int_by_tensor, 8},
    {"int8, a scale a column", to_int_by_column, 8},
    {"int4, a scale a tensor", to_int_by_tensor, 4},
    {"int4, a scale a column", to_int_by_column, 4},
};

static const struct {
    const char *name;
    Change *change;
} noises[] = {{"relative", relative_noise}, {"absolute", absolute_noise}};

enum { ROUNDINGS = sizeof roundings / sizeof *roundings, NOISES = 2, SIZES = 15 };

/* From 1e-7 by √10 to 1. */
static double sigma_of(int k) {
    return pow(10, -7 + (double)k / 2);
}

/* --- patterns -----------------------------------------------------------------------------------
 */

typedef struct Noise {
    Subject subject;
    Page *page;
    size_t heads;
    const SubjectInput **traced;
    SubjectTrace *own; /* of the file itself, one for each */
    size_t traced_count;
    double *away;          /* [head]: greatest total variation of a row from the file's own */
    double *least[NOISES]; /* [head]: the least σ at which its pattern fails, or infinite */
    const char **rounded;  /* [head]: the first rounding at which it does, or NULL */
} Noise;

static double pattern_away(Matrix p, Matrix own) {
    double most = 0;
    for (size_t i = 1; i < p.rows; i++)
        most = fmax(most, total_variation(matrix_row(p, i), matrix_row(own, i), p.cols));
    return most;
}

/* away[head] of the weights, over the inputs that are traced. */
static void compare_patterns(Noise *a, const Model *weights) {
    for (size_t h = 0; h < a->heads; h++) a->away[h] = 0;
    for (size_t k = 0; k < a->traced_count; k++) {
        Arena *arena = arena_child(a->subject.lab->arena);
        SubjectTrace trace;
        bool fine = subject_trace(&a->subject, weights, a->traced[k], arena, &trace);
        for (size_t h = 0; h < a->heads; h++)
            a->away[h] =
                fine ? fmax(a->away[h], pattern_away(trace.weights[h], a->own[k].weights[h]))
                     : INFINITY;
        arena_free(arena);
    }
}

/* Inputs to trace, with what the file itself does: evenly among those that are not too long. */
static void choose_traced(Noise *a) {
    Arena *arena = a->subject.lab->arena;
    size_t fit = 0;
    while (fit < a->subject.input_count && a->subject.inputs[fit].length <= TRACED_LONGEST) fit++;
    if (!fit) fit = 1;
    a->traced_count = fit < TRACED ? fit : TRACED;
    a->traced = ARENA_ARRAY(arena, a->traced_count, const SubjectInput *);
    a->own = ARENA_ARRAY(arena, a->traced_count, SubjectTrace);
    for (size_t k = 0; k < a->traced_count; k++) {
        a->traced[k] = &a->subject.inputs[fit - 1 - k * fit / a->traced_count];
        subject_trace(&a->subject, a->subject.model, a->traced[k], arena, &a->own[k]);
    }
}

/* --- one change ---------------------------------------------------------------------------------
 */

typedef struct Spoiler {
    Change *change;
    double size;
    Rng *rng;
} Spoiler;

static bool spoil(const char *name, Tensor *tensor, void *context) {
    (void)name;
    Spoiler *s = context;
    if (s->change) s->change(tensor, s->size, s->rng);
    return true;
}

/* The scratch model, changed, as the file's type holds it. */
static void spoil_weights(Noise *a, Change *change, double size, uint64_t stream) {
    Rng rng = rng_new(a->subject.lab->seed, 1000 + stream);
    Spoiler spoiler = {change, size, &rng};
    subject_restore(&a->subject);
    model_visit(a->subject.scratch, spoil, &spoiler);
    model_round(a->subject.scratch);
}

/* The first head of the pass whose pattern fails; `heads`: none does. */
static size_t first_broken(const Noise *a) {
    size_t head = 0;
    while (head < a->heads && !(a->away[head] > broken)) head++;
    return head;
}

static void put_head(const Noise *a, PageTable *table, size_t head) {
    table_text(table,
               head < a->heads ? subject_head_name(&a->subject, a->page->arena, head) : "none");
}

/* --- rounding -----------------------------------------------------------------------------------
 */

static void show_roundings(Noise *a) {
    static const char *const columns[] = {
        "weights", "changed", "agree", "inputs", "greatest error", "first head that fails", NULL};
    PageTable *table = page_table(a->page, "weights of fewer bits", columns);
    size_t count = a->subject.input_count;
    for (size_t k = 0; k < ROUNDINGS; k++) {
        spoil_weights(a, roundings[k].change, roundings[k].size, 0);
        Fare fare = subject_fare(&a->subject, a->subject.scratch, 1, 0, count);
        compare_patterns(a, a->subject.scratch);
        for (size_t h = 0; h < a->heads; h++)
            if (!a->rounded[h] && a->away[h] > broken) a->rounded[h] = roundings[k].name;
        table_text(table, roundings[k].name);
        table_count(table, subject_changed(&a->subject));
        table_count(table, fare.agreed);
        table_count(table, fare.inputs);
        table_number(table, fare.error, 3);
        put_head(a, table, first_broken(a));
        if (k == 0)
            check_near(a->page, a->subject.judged ? IDENTITY : MEASUREMENT,
                       "inputs that go wrong as the file is", (double)(fare.inputs - fare.agreed),
                       0, 0);
        lab_progress(a->subject.lab, 0.2 * (double)(k + 1) / ROUNDINGS);
    }
}

/* --- noise --------------------------------------------------------------------------------------
 */

/* One σ, over some draws: the share of inputs that agree, the largest error, and the first head
 * that fails in any. */
typedef struct Point {
    double share, error;
    size_t head;
} Point;

static Point measure_noise(Noise *a, int kind, double sigma, size_t draws) {
    Point point = {.head = a->heads};
    size_t count = a->subject.input_count;
    for (size_t d = 0; d < draws; d++) {
        spoil_weights(a, noises[kind].change, sigma, d);
        Fare fare = subject_fare(&a->subject, a->subject.scratch, 1, 0, count);
        compare_patterns(a, a->subject.scratch);
        point.share += (double)fare.agreed / (double)(count * draws);
        point.error = fmax(point.error, fare.error);
        size_t head = first_broken(a);
        if (head < point.head) point.head = head;
        for (size_t h = 0; h < a->heads; h++)
            if (a->away[h] > broken) a->least[kind][h] = fmin(a->least[kind][h], sigma);
    }
    return point;
}

static double show_noise(Noise *a, int kind, Plot *plot) {
    static const char *const columns[] = {"σ", "share that agrees", "greatest error",
                                          "first head that fails", NULL};
    static const char *const titles[] = {"each weight times 1 + σ times a normal number",
                                         "σ times a normal number added to each weight"};
    size_t draws = a->subject.lab->quick ? 1 : DRAWS;
    PageTable *table = page_table(a->page, titles[kind], columns);
    double x[SIZES], share[SIZES], most = 0;
    for (int k = 0; k < SIZES; k++) {
        x[k] = sigma_of(k);
        Point point = measure_noise(a, kind, x[k], draws);
        share[k] = point.share;
        if (point.share == 1 && most == (k ? x[k - 1] : 0)) most = x[k];
        table_number(table, x[k], 3);
        table_number(table, point.share, 4);
        table_number(table, point.error, 3);
        put_head(a, table, point.head);
        lab_progress(a->subject.lab, 0.2 + 0.4 * (kind + (double)(k + 1) / SIZES));
    }
    plot_line(plot, noises[kind].name, x, share, SIZES);
    return most;
}

static void show_heads(const Noise *a) {
    static const char *const columns[] = {"head", "fails at relative σ", "at absolute σ",
                                          "first rounding", NULL};
    PageTable *table = page_table(a->page, "where each head's pattern fails", columns);
    for (size_t h = 0; h < a->heads; h++) {
        put_head(a, table, h);
        for (int kind = 0; kind < NOISES; kind++) table_number(table, a->least[kind][h], 3);
        table_text(table, a->rounded[h] ? a->rounded[h] : "none");
    }
}

/* --- the answer ---------------------------------------------------------------------------------
 */

static void prepare(Noise *a) {
    Arena *arena = a->subject.lab->arena;
    a->heads = subject_head_count(&a->subject);
    a->away = ARENA_ARRAY(arena, a->heads, double);
    a->rounded = ARENA_ARRAY(arena, a->heads, const char *);
    for (int kind = 0; kind < NOISES; kind++) {
        a->least[kind] = ARENA_ARRAY(arena, a->heads, double);
        for (size_t h = 0; h < a->heads; h++) a->least[kind][h] = INFINITY;
    }
    choose_traced(a);
}

void ask_noise(Lab *lab, Page *page, void *context) {
    static const char *const what[] = {"greatest relative σ at which all agree",
                                       "greatest absolute σ at which all agree"};
    Noise a = {.page = page};
    if (!subject_open(lab, page, context, lab->quick ? QUICK_LONGEST : LONGEST, &a.subject)) return;
    prepare(&a);
    show_roundings(&a);
    Plot *plot =
        plot_new(page->arena, "share of inputs on which all outputs are right", "σ", "share");
    plot->log_x = true;
    for (int kind = 0; kind < NOISES; kind++)
        check_figure(page, what[kind], show_noise(&a, kind, plot));
    show_heads(&a);
    page_plot(page, plot);
    page_note(page,
              "A head's pattern fails when a row of its weights is further than 1/4, in total "
              "variation, from that of the file, on one of %zu inputs of up to %d tokens.",
              a.traced_count, TRACED_LONGEST);
    page_note(page, "int8 and int4 are whole multiples of absmax/127 and absmax/7 (symmetric, to "
                    "the nearest), of each tensor or of each of its columns; f16 and bf16 the "
                    "nearest number of that type. The pass is the file's own.");
}
