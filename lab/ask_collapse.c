/* What attention after attention leaves of the differences between positions. */
#include "lab/ask.h"

#include "lab/contraction.h"
#include "lab/simplex.h"
#include "lab/subject.h"

#include <math.h>

enum { LONGEST = 48, QUICK_LONGEST = 16, MOST_INPUTS = 24, QUICK_INPUTS = 8, DIGITS = 4 };

/* Singular values below this times the largest are rounding. */
static const double rounding = 1e-9;

/* The residual stream at one step of the pass, over the inputs. */
typedef struct Step {
    const char *name;
    double rank, effective, residual, diameter; /* sums */
    size_t most_rank;
} Step;

typedef struct HeadFigures {
    double delta, most; /* Dobrushin's coefficient: sum and largest */
    double shrinks;     /* largest diam(P V) / diam(V) */
} HeadFigures;

typedef struct Collapse {
    Subject subject;
    Page *page;
    Step *steps;
    size_t step_count;
    HeadFigures *heads;
    size_t head_count, inputs;
    double beyond, products; /* of the two inequalities: the largest left − right */
} Collapse;

/* The rows of the input, without the sink. */
static Matrix input_rows(Matrix stream) {
    return (Matrix){stream.rows - 1, stream.cols, matrix_row(stream, 1)};
}

/* Of the input's rows less their mean, over theirs: 0 when all are one. */
static double relative_residual(Arena *arena, Matrix x) {
    Matrix off = matrix_copy(arena, x);
    double norm = matrix_norm(x);
    for (size_t c = 0; c < x.cols; c++) {
        double mean = 0;
        for (size_t i = 0; i < x.rows; i++) mean += *matrix_at(x, i, c) / (double)x.rows;
        for (size_t i = 0; i < x.rows; i++) *matrix_at(off, i, c) -= mean;
    }
    return norm > 0 ? matrix_norm(off) / norm : 0;
}

static void add_step(Step *step, Matrix stream, Arena *arena) {
    Matrix x = input_rows(stream);
    size_t count = x.rows < x.cols ? x.rows : x.cols, rank = 0;
    double *values = matrix_singular_values(arena, x), largest = values[0];
    double total = sum_of(values, count);
    for (size_t k = 0; k < count; k++) {
        rank += values[k] > rounding * largest;
        if (total > 0) values[k] /= total;
    }
    step->rank += (double)rank;
    step->effective += total > 0 ? exp(entropy(values, count)) : 0;
    step->residual += relative_residual(arena, x);
    step->diameter += diameter(x, 0);
    if (rank > step->most_rank) step->most_rank = rank;
}

/* What a head reads as values, as the residual stream would have them: [n+1, width]. */
static Matrix values_of(const SubjectTrace *t, const SubjectHead *at, Arena *arena) {
    const Tensor *output = &at->head->output;
    return matrix_product(arena, subject_read(t, at->step, &at->head->value, arena),
                          (Matrix){output->rows, output->cols, output->data});
}

static void add_head(Collapse *c, const SubjectTrace *t, size_t head, Arena *arena) {
    SubjectHead at = subject_head(&c->subject, head);
    HeadFigures *figures = &c->heads[head];
    Matrix p = t->weights[head];
    Matrix values = values_of(t, &at, arena);
    double delta = dobrushin(p, 1), before = diameter(values, 0), norm = matrix_norm(values);
    double after = diameter(t->results[head], 1);
    figures->delta += delta;
    figures->most = fmax(figures->most, delta);
    if (norm > 0) c->beyond = fmax(c->beyond, (after - delta * before) / norm);
    if (before > rounding * norm) figures->shrinks = fmax(figures->shrinks, after / before);
    if (head == 0) return;
    Matrix last = t->weights[head - 1], product = matrix_product(arena, p, last);
    c->products = fmax(c->products, dobrushin(product, 0) - dobrushin(p, 0) * dobrushin(last, 0));
}

/* --- all inputs ---------------------------------------------------------------------------------
 */

static void name_steps(Collapse *c) {
    const Model *model = c->subject.model;
    Arena *arena = c->page->arena;
    size_t k = 0;
    c->step_count = subject_step_count(&c->subject);
    c->steps = ARENA_ARRAY(c->subject.lab->arena, c->step_count, Step);
    c->steps[k++].name = "embedding";
    for (size_t l = 0; l < model->layer_count; l++) {
        c->steps[k++].name = arena_format(arena, "layer %zu, heads", l + 1);
        for (size_t m = 0; m < model->layers[l]->mlp_count; m++)
            c->steps[k++].name = arena_format(arena, "layer %zu, sublayer %zu", l + 1, m + 1);
    }
}

/* The longest ones. */
static void trace_inputs(Collapse *c) {
    Lab *lab = c->subject.lab;
    size_t most = lab->quick ? QUICK_INPUTS : MOST_INPUTS, all = c->subject.input_count;
    size_t first = all > most ? all - most : 0;
    for (size_t k = first; k < all; k++) {
        Arena *arena = arena_child(lab->arena);
        SubjectTrace t;
        if (subject_trace(&c->subject, c->subject.model, &c->subject.inputs[k], arena, &t)) {
            c->inputs++;
            for (size_t s = 0; s < c->step_count; s++) add_step(&c->steps[s], t.streams[s], arena);
            for (size_t h = 0; h < c->head_count; h++) add_head(c, &t, h, arena);
        }
        arena_free(arena);
        lab_progress(lab, (double)(k + 1 - first) / (double)(all - first));
    }
    check_none(c->page, "passes that gave no number", all - first - c->inputs);
}

static void show_steps(const Collapse *c) {
    static const char *const columns[] = {
        "after", "rank", "at most", "effective rank", "away from the mean", "diameter", NULL};
    PageTable *table = page_table(c->page, "the residual stream, means over the inputs", columns);
    double *x = ARENA_ARRAY(c->page->arena, c->step_count, double), n = (double)c->inputs;
    double *rank = ARENA_ARRAY(c->page->arena, c->step_count, double);
    double *effective = ARENA_ARRAY(c->page->arena, c->step_count, double);
    for (size_t k = 0; k < c->step_count; k++) {
        const Step *step = &c->steps[k];
        x[k] = (double)k;
        rank[k] = step->rank / n;
        effective[k] = step->effective / n;
        table_text(table, step->name);
        table_number(table, rank[k], DIGITS);
        table_count(table, step->most_rank);
        table_number(table, effective[k], DIGITS);
        table_number(table, step->residual / n, DIGITS);
        table_number(table, step->diameter / n, DIGITS);
    }
    Plot *plot = plot_new(c->page->arena, "rank of the residual stream", "step", "rank");
    plot_line(plot, "rank", x, rank, c->step_count);
    plot_line(plot, "effective rank", x, effective, c->step_count);
    page_plot(c->page, plot);
}

static void show_heads(const Collapse *c) {
    static const char *const columns[] = {"head", "δ", "δ at most", "shrinks to", NULL};
    PageTable *table = page_table(c->page, "Dobrushin's coefficients of the weights", columns);
    size_t count = c->head_count;
    double *x = ARENA_ARRAY(c->page->arena, count, double);
    double *delta = ARENA_ARRAY(c->page->arena, count, double);
    for (size_t k = 0; k < count; k++) {
        x[k] = (double)k;
        delta[k] = c->heads[k].delta / (double)c->inputs;
        table_text(table, subject_head_name(&c->subject, c->page->arena, k));
        table_number(table, delta[k], DIGITS);
        table_number(table, c->heads[k].most, DIGITS);
        table_number(table, c->heads[k].shrinks, DIGITS);
    }
    Plot *plot = plot_new(c->page->arena, "contraction by head", "head", "δ");
    plot_bars(plot, "δ, mean", x, delta, count);
    page_plot(c->page, plot);
}

void ask_collapse(Lab *lab, Page *page, void *context) {
    Collapse c = {.page = page};
    if (!subject_open(lab, page, context, lab->quick ? QUICK_LONGEST : LONGEST, &c.subject)) return;
    c.head_count = subject_head_count(&c.subject);
    c.heads = ARENA_ARRAY(lab->arena, c.head_count, HeadFigures);
    c.beyond = c.products = -INFINITY;
    name_steps(&c);
    trace_inputs(&c);
    if (!c.inputs) return;
    if (isfinite(c.beyond))
        check_most(page, IDENTITY, "largest diam(PV) − δ(P) diam(V) of a head, over ‖V‖", c.beyond,
                   1e-12);
    if (isfinite(c.products))
        check_most(page, IDENTITY, "largest δ(PQ) − δ(P) δ(Q), of heads in a row", c.products,
                   1e-12);
    show_steps(&c);
    if (c.head_count) show_heads(&c);
    page_note(page,
              "Traced: the longest %zu inputs. Rank counts singular values above %g of the "
              "largest; the effective rank is exp of their entropy (Roy and Vetterli 2007); "
              "away from the mean is ‖X − 1 x̄ᵀ‖/‖X‖, 0 when all positions are one.",
              c.inputs, rounding);
    page_note(page, "δ is the largest total variation between the weights of two positions: 0 when "
                    "all look at the same, 1 when two share no key. A head alone brings positions "
                    "together by δ; the skip around it keeps them apart.");
}
