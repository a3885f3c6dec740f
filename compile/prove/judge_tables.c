/* A table: hidden units that compute functions of one number, piecewise linear.
 *
 * The units that a table is claimed to have read multiples of one form.  It is shown to be the
 * claimed s-op x, but for scale and offset; then each column of what they write is a function F
 * of x, read off the units, and F(x) is a combination of the claimed outputs at each value that x
 * takes together with them.  The distance at those points is what the certificate counts. */
#include "compile/prove/judge_tables.h"

#include "compile/prove/lines.h"

#include <stdlib.h>

enum { MOST_OUTPUTS = 64 };
static const double WELL = 0x1p-6; /* good enough not to look for another reading */

/* --- what each class of columns is ---------------------------------------------------- */

/* The class's function. */
static Lines *lines_of(const Reader *t, uint32_t class, Arena *arena) {
    CircuitTable table = {.output_count = (uint32_t)t->classes, .shape = t->shape};
    return lines_new(&table, class, arena);
}

typedef struct Fit {
    double *factor; /* by claimed output */
    double constant, off;
} Fit;

static Fit no_fit(const Reader *t) {
    return (Fit){.factor = ARENA_ARRAY(t->j->arena, t->claim->output_count, double),
                 .off = INFINITY};
}

/* One claimed output alone. */
static void fit_one(const Reader *t, const Lines *lines, uint32_t o, Fit *fit) {
    const Points *p = &t->points[o];
    double *x = ARENA_ARRAY(t->j->arena, p->count, double);
    double *y = ARENA_ARRAY(t->j->arena, p->count, double);
    for (size_t k = 0; k < p->count; k++) {
        x[k] = p->at[k].value;
        y[k] = lines_value(lines, p->at[k].x);
    }
    budget_poll(arena_budget(t->j->arena));
    Affine a = fit_affine(x, y, p->count);
    if (!(a.slack < fit->off)) return;
    *fit = no_fit(t);
    fit->factor[o] = a.scale, fit->constant = a.constant, fit->off = a.slack;
}

/* A nearby number with few digits. */
static double plain(double x) {
    double rounded = rint(x * 0x1p10) * 0x1p-10;
    return fabs(rounded - x) <= 1e-9 * fabs(x) ? rounded : x;
}

/* Solves a, [n, n + 1], in place; what is not determined becomes 0. */
static void eliminate(double *a, size_t n, double *solution) {
    size_t width = n + 1, pivot_row[MOST_OUTPUTS + 1];
    bool used[MOST_OUTPUTS + 1] = {false};
    for (size_t c = 0; c < n; c++) {
        size_t best = n;
        for (size_t r = 0; r < n; r++)
            if (!used[r] && (best == n || fabs(a[r * width + c]) > fabs(a[best * width + c])))
                best = r;
        pivot_row[c] = n;
        if (best == n || fabs(a[best * width + c]) <= 1e-9) continue;
        used[best] = true;
        pivot_row[c] = best;
        for (size_t r = 0; r < n; r++) {
            double f = r == best ? 0 : a[r * width + c] / a[best * width + c];
            for (size_t k = c; f != 0 && k < width; k++)
                a[r * width + k] -= f * a[best * width + k];
        }
    }
    for (size_t c = 0; c < n; c++)
        solution[c] = pivot_row[c] == n
                          ? 0
                          : plain(a[pivot_row[c] * width + n] / a[pivot_row[c] * width + c]);
}

/* All that several outputs are at some x: x, ascending, and values [x, outputs], NAN: none. */
typedef struct Joint {
    double *x, *value;
    double *spread; /* by output: of values at one x that are near each other */
    size_t count;
} Joint;

static Joint join_points(const Reader *t) {
    size_t total = 0, outputs = t->claim->output_count;
    for (size_t o = 0; o < outputs; o++) total += t->points[o].count;
    Joint joint = {.x = ARENA_ARRAY(t->j->arena, total, double),
                   .spread = ARENA_ARRAY(t->j->arena, outputs, double)};
    total = 0;
    for (size_t o = 0; o < outputs; o++)
        for (size_t k = 0; k < t->points[o].count; k++) {
            const Point *p = &t->points[o].at[k];
            joint.x[total++] = p->x;
            joint.spread[o] = fmax(joint.spread[o], p->value - value_at(&t->points[o], p->x));
        }
    qsort(joint.x, total, sizeof *joint.x, number_order);
    for (size_t k = 0; k < total; k++)
        if (k == 0 || joint.x[k] != joint.x[joint.count - 1]) joint.x[joint.count++] = joint.x[k];
    joint.value = ARENA_ARRAY(t->j->arena, joint.count * outputs, double);
    for (size_t k = 0; k < joint.count; k++)
        for (size_t o = 0; o < outputs; o++)
            joint.value[k * outputs + o] = value_at(&t->points[o], joint.x[k]);
    return joint;
}

/* *lost: what rounding that makes, if that is more. */
static double combined(const Fit *fit, const double *value, size_t outputs, double *lost) {
    double sum = fit->constant, error = 0;
    for (size_t o = 0; o < outputs; o++) {
        if (fit->factor[o] == 0) continue;
        double product = fit->factor[o] * value[o];
        error += fabs(fma(fit->factor[o], value[o], -product)) + fabs(sum_lost(sum, product));
        sum += product;
    }
    *lost = worse(*lost, error * (1 + 4 * DBL_EPSILON));
    return sum;
}

/* All of them, by least squares. */
static void fit_several(const Reader *t, const Lines *lines, const Joint *joint, Fit *fit) {
    size_t outputs = t->claim->output_count, n = outputs + 1;
    double *a = ARENA_ARRAY(t->j->arena, n * (n + 1), double), off = 0;
    double *row = ARENA_ARRAY(t->j->arena, n + 1, double);
    if (outputs > MOST_OUTPUTS) return;
    for (size_t k = 0; k < joint->count; k++) {
        budget_poll(arena_budget(t->j->arena));
        row[n] = lines_value(lines, joint->x[k]);
        row[outputs] = 1;
        bool whole = true;
        for (size_t o = 0; o < outputs; o++) {
            row[o] = joint->value[k * outputs + o];
            whole &= !isnan(row[o]);
        }
        for (size_t p = 0; p < n && whole; p++)
            for (size_t q = 0; q <= n; q++) a[p * (n + 1) + q] += row[p] * row[q];
    }
    Fit all = no_fit(t);
    double solution[MOST_OUTPUTS + 1], lost = 0;
    eliminate(a, n, solution);
    for (size_t o = 0; o < outputs; o++) /* what is left of none */
        if (fabs(solution[o]) * node_size(t->j, t->claim->outputs[o].node) > 1e-6)
            all.factor[o] = solution[o];
    all.constant = solution[outputs];
    for (size_t k = 0; k < joint->count; k++) {
        budget_poll(arena_budget(t->j->arena));
        double y = lines_value(lines, joint->x[k]);
        double apart = fabs(y - combined(&all, joint->value + k * outputs, outputs, &lost));
        off = worse(off, apart);
    }
    all.off = off;
    if (off < fit->off) *fit = all;
}

/* What the certificate goes by: the function's nominal values.  *lost: how far the combination of
 * the outputs' values may be from these. */
static TableOutput make_output(const Reader *t, const Fit *fit, const Joint *joint, double *lost) {
    size_t outputs = t->claim->output_count, only = outputs, several = 0;
    for (size_t o = 0; o < outputs; o++)
        if (fit->factor[o] != 0) only = o, several++;
    const Points *p = &t->points[only];
    size_t count = several > 1 ? joint->count : p->count;
    double *x = ARENA_ARRAY(t->j->arena, count, double);
    double *value = ARENA_ARRAY(t->j->arena, count, double);
    double *one = ARENA_ARRAY(t->j->arena, outputs, double);
    *lost = 0;
    for (size_t k = 0; k < count; k++) {
        const double *values = several > 1 ? joint->value + k * outputs : one;
        if (several == 1) one[only] = p->at[k].value;
        x[k] = several > 1 ? joint->x[k] : p->at[k].x;
        value[k] = combined(fit, values, outputs, lost);
    }
    for (size_t o = 0; o < outputs && several > 1; o++)
        *lost += fabs(fit->factor[o]) * joint->spread[o];
    *lost += fabs(fit->factor[only]) * p->lost;
    return (TableOutput){.node = t->claim->outputs[only].node,
                         .x = x,
                         .value = value,
                         .points = (uint32_t)count,
                         .step = several > 1 ? 0 : fabs(fit->factor[only]) * p->step};
}

/* A part of the certificate's for the class, written to its dimensions. */
static uint32_t add_class_part(Reader *t, uint32_t class, NodeId node) {
    Judge *j = t->j;
    uint32_t number = (uint32_t)j->part_count++, width = (uint32_t)j->model->width, count = 0;
    CircuitWrite *writes = ARENA_ARRAY(j->arena, width, CircuitWrite);
    size_t leader = t->leader[class];
    j->parts = arena_grow(j->arena, j->parts, &j->part_capacity, j->part_count, sizeof *j->parts);
    for (uint32_t d = 0; d < width; d++)
        if (t->class_of[d] == class) writes[count++] = (CircuitWrite){d, t->factor_of[d]};
    j->parts[number] =
        (CircuitPart){.origin = FROM_TABLE,
                      .node = node,
                      .dim = linear_is_zero(&t->after[leader]) ? (uint32_t)leader : DIM_NONE,
                      .born = {UINT32_MAX, 0},
                      .writes = writes,
                      .write_count = count};
    return number;
}

static void write_class(Reader *t, uint32_t class, const Fit *fit, double lost) {
    Judge *j = t->j;
    Linear sum = linear_constant(fit->constant);
    for (uint32_t o = 0; o < t->claim->output_count; o++)
        if (fit->factor[o] != 0)
            sum = linear_add(j, sum, 1, linear_node(j, t->claim->outputs[o].node, fit->factor[o]));
    sum.slack += lost; /* the certificate counts the units' distance from that */
    for (size_t d = 0; d < j->model->width; d++) {
        if (t->class_of[d] != class) continue;
        t->after[d] = linear_add(j, t->after[d], t->factor_of[d], sum);
        t->bias[d] = 0;
    }
}

/* Is it off by less than `share` of what tells the outputs' values apart?  That can be left to the
 * certificate. */
static bool fits_within(const Reader *t, const Fit *fit, double share) {
    double gap = INFINITY;
    for (uint32_t o = 0; o < t->claim->output_count; o++)
        if (fit->factor[o] != 0)
            gap = fmin(gap, fabs(fit->factor[o]) * node_gap(t->j, t->claim->outputs[o].node));
    return fit->off == 0 || fit->off < gap * share;
}

static bool judge_class(Reader *t, uint32_t class, Joint *joint, TableOutput *output) {
    Judge *j = t->j;
    Fit fit = no_fit(t);
    double lost;
    size_t first = 0, outputs = t->claim->output_count;
    Arena *scratch = arena_child(j->arena);
    const Lines *lines = lines_of(t, class, scratch);
    while (first < outputs &&
           j->claims->parts[t->claim->outputs[first].part].dim != t->leader[class])
        first++;
    if (first < outputs) fit_one(t, lines, (uint32_t)first, &fit);
    for (uint32_t o = 0; o < outputs && !fits_within(t, &fit, WELL); o++)
        fit_one(t, lines, o, &fit);
    bool by_ends = false; /* what is known at the ends of straight lines alone */
    for (uint32_t o = 0; o < outputs; o++) by_ends |= t->points[o].step != 0;
    if (!fits_within(t, &fit, WELL) && outputs > 1 && !by_ends) {
        if (!joint->x) *joint = join_points(t);
        fit_several(t, lines, joint, &fit);
    }
    arena_free(scratch);
    NodeId about = t->claim->outputs[first < outputs ? first : 0].node;
    bool any = false;
    for (uint32_t o = 0; o < outputs; o++) any |= fit.factor[o] != 0;
    if (!any) return judge_refuse(j, about, "its table gives one value alone");
    if (!fits_within(t, &fit, 0.25))
        return judge_refuse(j, about, "its table gives other values: off by %.3g", fit.off);
    *output = make_output(t, &fit, joint, &lost);
    output->part = add_class_part(t, class, output->node);
    write_class(t, class, &fit, lost);
    return true;
}

/* --- a table -------------------------------------------------------------------------- */

static Form form_of(const Reader *t) {
    Judge *j = t->j;
    size_t first = t->claim->first_unit, width = j->model->width;
    FormTerm *terms = ARENA_ARRAY(j->arena, width, FormTerm);
    Form form = {.terms = terms, .constant = -t->constant / t->scale, .slack = t->slack};
    for (size_t d = 0; d < width; d++) {
        double w = tensor_get(&t->weights->in, d, first);
        if (w == 0 || !j->state[d].count) continue;
        terms[form.count++] =
            (FormTerm){.part = j->claims->part_count + (uint32_t)d, .factor = w / t->scale};
    }
    return form;
}

bool judge_table(Judge *j, const CircuitTable *claim, CircuitTable *made, const ModelMlp *weights,
                 double *bias, Linear *after, const bool *cleared) {
    Reader t = {.j = j, .claim = claim, .weights = weights, .bias = bias, .after = after};
    Joint joint = {0};
    if (!read_direct(&t) || !read_units(&t) || !find_points(&t)) return false;
    find_classes(&t);
    for (size_t d = 0; d < j->model->width; d++)
        if (cleared[d] && t.class_of[d] != UINT32_MAX)
            return judge_refuse(j, claim->x, "its table writes a dimension while it is cleared");
    TableOutput *outputs = ARENA_ARRAY(j->arena, t.classes, TableOutput);
    for (uint32_t c = 0; c < t.classes; c++)
        if (!judge_class(&t, c, &joint, &outputs[c])) return false;
    for (uint32_t o = 0; o < claim->output_count; o++) {
        relies_on(j, claim->outputs[o].node, claim->outputs[o].node);
        relies_on(j, claim->outputs[o].node, claim->x);
        relies_on_form(j, claim->outputs[o].node, &t.direct);
    }
    *made = *claim;
    made->form = form_of(&t);
    made->outputs = outputs;
    made->output_count = (uint32_t)t.classes;
    made->shape = t.shape;
    return true;
}
