/* Which outputs of a compiled program lie in the hull of what they are made from. */
#include "lab/ask.h"

#include "lab/hull.h"
#include "lab/subject.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 20, MOST_INPUTS = 6, QUICK_INPUTS = 2, MOST_ROWS = 400, DIGITS = 4 };

static const double tolerance = 1e-9; /* of the greatest distance of a point */

/* Outputs of one kind: of a head, of a layer's heads together, of a block. */
typedef struct Kind {
    const char *name, *context;
    bool cage; /* a head alone: it cannot leave */
    size_t tested, inside, outside;
    double residual; /* inside: the largest distance of the weighted mean from the output */
    double margin;   /* outside: the largest by which a direction separates */
    size_t corners;  /* inside: the most points that the weights need */
} Kind;

typedef struct Hulls {
    Subject subject;
    Page *page;
    Kind *kinds; /* heads, then by layer the heads together and the block */
    size_t kind_count, head_count;
    PageTable *rows; /* of the input that is shown, or NULL */
    size_t row_count;
    double *picture; /* [kinds, length of the input that is shown] */
} Hulls;

/* --- one output ---------------------------------------------------------------------------------
 */

/* Points and output without the dimensions in which all are 0. */
static size_t squeeze(Matrix points, double *x) {
    size_t kept = 0;
    for (size_t c = 0; c < points.cols; c++) {
        bool zero = x[c] == 0;
        for (size_t j = 0; j < points.rows && zero; j++) zero = *matrix_at(points, j, c) == 0;
        if (zero) continue;
        for (size_t j = 0; j < points.rows; j++)
            *matrix_at(points, j, kept) = *matrix_at(points, j, c);
        x[kept++] = x[c];
    }
    return kept;
}

static size_t count_corners(const double *weights, size_t n) {
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += weights[j] > 0;
    return count;
}

static void put_row(Hulls *s, const Kind *kind, size_t position, size_t points, const Hull *hull,
                    double proof) {
    static const char *const sides[] = {"inside", "outside", "undecided"};
    if (!s->rows || s->row_count++ >= MOST_ROWS) return;
    table_text(s->rows, kind->name);
    table_count(s->rows, position);
    table_count(s->rows, points);
    table_text(s->rows, sides[hull->side]);
    table_number(s->rows, proof, 3);
}

/* `points` is changed. The proof is evaluated from the numbers: weights or a direction. */
static void test_output(Hulls *s, size_t kind_number, size_t position, Matrix points,
                        const double *output, Arena *arena) {
    Kind *kind = &s->kinds[kind_number];
    double *x = ARENA_ARRAY(arena, points.cols, double);
    memcpy(x, output, points.cols * sizeof *x);
    size_t wide = points.cols, d = squeeze(points, x);
    double *packed = ARENA_ARRAY(arena, points.rows * (d ? d : 1), double);
    for (size_t j = 0; j < points.rows; j++)
        memcpy(packed + j * d, points.x + j * wide, d * sizeof *packed);
    Hull hull = {.side = HULL_INSIDE}; /* of dimension 0: all are one point */
    double proof = 0;
    kind->tested++;
    lab_poll(s->subject.lab);
    if (d) hull = hull_test(packed, points.rows, d, x, tolerance, arena);
    if (hull.side == HULL_INSIDE) {
        size_t corners = d ? count_corners(hull.weights, points.rows) : 1;
        if (d) proof = hull_residual(packed, points.rows, d, x, hull.weights);
        kind->inside++;
        kind->residual = fmax(kind->residual, proof);
        if (corners > kind->corners) kind->corners = corners;
    } else if (hull.side == HULL_OUTSIDE) {
        proof = hull_margin(packed, points.rows, d, x, hull.direction);
        kind->outside++;
        kind->margin = fmax(kind->margin, proof);
    }
    if (s->rows) {
        size_t n = s->subject.inputs[s->subject.input_count - 1].length;
        s->picture[kind_number * n + position] = hull.side == HULL_INSIDE;
    }
    put_row(s, kind, position, points.rows, &hull, proof);
}

/* --- what they are made from
 * ---------------------------------------------------------------------- */

/* Values of the keys that a query gives weight, added to `points` from row `count` on. */
static size_t take_values(Matrix values, const double *weights, Matrix points, size_t count) {
    for (size_t j = 0; j < values.rows; j++)
        if (weights[j] > 0)
            memcpy(matrix_row(points, count++), matrix_row(values, j),
                   values.cols * sizeof(double));
    return count;
}

/* The values of a head, as the residual stream would have them: [n+1, width]. */
static Matrix values_of(const Subject *s, const SubjectTrace *t, size_t head, Arena *arena) {
    SubjectHead at = subject_head(s, head);
    const Tensor *output = &at.head->output;
    return matrix_product(arena, subject_read(t, at.step, &at.head->value, arena),
                          (Matrix){output->rows, output->cols, output->data});
}

static void test_heads(Hulls *s, const SubjectTrace *t, size_t n, Arena *arena) {
    for (size_t h = 0; h < s->head_count; h++) {
        Matrix values = values_of(&s->subject, t, h, arena);
        for (size_t i = 1; i <= n; i++) {
            Arena *scratch = arena_child(arena);
            Matrix points = matrix_new(scratch, n + 1, values.cols);
            points.rows = take_values(values, matrix_row(t->weights[h], i), points, 0);
            test_output(s, h, i - 1, points, matrix_row(t->results[h], i), scratch);
            arena_free(scratch);
        }
    }
}

/* The heads `first` .. of a layer: their sum among the values of all of them. */
static void test_together(Hulls *s, const SubjectTrace *t, size_t kind, size_t first, size_t count,
                          size_t n, Arena *arena) {
    Matrix *values = ARENA_ARRAY(arena, count, Matrix);
    for (size_t h = 0; h < count; h++) values[h] = values_of(&s->subject, t, first + h, arena);
    for (size_t i = 1; i <= n; i++) {
        Arena *scratch = arena_child(arena);
        size_t width = s->subject.model->width, points = 0;
        Matrix all = matrix_new(scratch, count * (n + 1), width);
        double *sum = ARENA_ARRAY(scratch, width, double);
        for (size_t h = 0; h < count; h++) {
            points = take_values(values[h], matrix_row(t->weights[first + h], i), all, points);
            for (size_t c = 0; c < width; c++) sum[c] += *matrix_at(t->results[first + h], i, c);
        }
        all.rows = points;
        test_output(s, kind, i - 1, all, sum, scratch);
        arena_free(scratch);
    }
}

/* What a block makes of a position, among all that it was given. */
static void test_block(Hulls *s, size_t kind, Matrix before, Matrix after, size_t n, Arena *arena) {
    for (size_t i = 1; i <= n; i++) {
        Arena *scratch = arena_child(arena);
        test_output(s, kind, i - 1, matrix_copy(scratch, before), matrix_row(after, i), scratch);
        arena_free(scratch);
    }
}

static void test_input(Hulls *s, const SubjectInput *input, Arena *arena) {
    const Model *model = s->subject.model;
    SubjectTrace t;
    if (!subject_trace(&s->subject, model, input, arena, &t)) {
        check_none(s->page, "passes that gave no number", 1);
        return;
    }
    test_heads(s, &t, input->length, arena);
    size_t kind = s->head_count, head = 0, step = 0;
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        test_together(s, &t, kind++, head, layer->head_count, input->length, arena);
        test_block(s, kind++, t.streams[step], t.streams[step + 1 + layer->mlp_count],
                   input->length, arena);
        head += layer->head_count;
        step += 1 + layer->mlp_count;
    }
}

/* --- all of them
 * ---------------------------------------------------------------------------------- */

static void name_kinds(Hulls *s) {
    const Model *model = s->subject.model;
    Arena *arena = s->page->arena;
    s->head_count = subject_head_count(&s->subject);
    s->kind_count = s->head_count + 2 * model->layer_count;
    s->kinds = ARENA_ARRAY(s->subject.lab->arena, s->kind_count, Kind);
    for (size_t h = 0; h < s->head_count; h++)
        s->kinds[h] = (Kind){.name = subject_head_name(&s->subject, arena, h),
                             .context = "values of the keys it weighs",
                             .cage = true};
    for (size_t l = 0; l < model->layer_count; l++) {
        Kind *kind = &s->kinds[s->head_count + 2 * l];
        kind[0] = (Kind){.name = arena_format(arena, "layer %zu, heads together", l + 1),
                         .context = "values of all of them"};
        kind[1] = (Kind){.name = arena_format(arena, "layer %zu, block output", l + 1),
                         .context = "the block's inputs"};
    }
}

/* The last input is the one that is shown, position by position. */
static void show_last(Hulls *s) {
    static const char *const columns[] = {"output", "position", "points", "verdict", "proof", NULL};
    size_t n = s->subject.inputs[s->subject.input_count - 1].length;
    s->rows = page_table(s->page, "position by position, of one input", columns);
    s->picture = ARENA_ARRAY(s->page->arena, s->kind_count * n, double);
}

static void check_kinds(const Hulls *s) {
    size_t left = 0, tested = 0, blocks = 0, outside = 0;
    for (size_t k = 0; k < s->kind_count; k++) {
        if (s->kinds[k].cage) left += s->kinds[k].tested - s->kinds[k].inside;
        if (s->kinds[k].cage) tested += s->kinds[k].tested;
        if (k >= s->head_count && (k - s->head_count) % 2) {
            blocks += s->kinds[k].tested;
            outside += s->kinds[k].outside;
        }
    }
    check_none(s->page, "outputs of heads outside of their values' hull", left);
    check_figure(s->page, "outputs of heads tested", (double)tested);
    if (blocks)
        check_figure(s->page, "share of block outputs outside of the hull of their inputs",
                     (double)outside / (double)blocks);
}

static void show_kinds(const Hulls *s, PageTable *table) {
    for (size_t k = 0; k < s->kind_count; k++) {
        const Kind *kind = &s->kinds[k];
        table_text(table, kind->name);
        table_text(table, kind->context);
        table_count(table, kind->tested);
        table_count(table, kind->inside);
        table_count(table, kind->outside);
        table_number(table, kind->residual, 2);
        table_number(table, kind->margin, DIGITS);
        table_count(table, kind->corners);
    }
}

static void plot_last(const Hulls *s) {
    Arena *arena = s->page->arena;
    const SubjectInput *input = &s->subject.inputs[s->subject.input_count - 1];
    const char **rows = ARENA_ARRAY(arena, s->kind_count, const char *);
    const char **cols = ARENA_ARRAY(arena, input->length, const char *);
    for (size_t k = 0; k < s->kind_count; k++) rows[k] = s->kinds[k].name;
    for (size_t i = 0; i < input->length; i++) {
        char text[24];
        rasp_atom_text(s->subject.info->alphabet[input->ids[i]], RASP_CELL, text, sizeof text);
        cols[i] = arena_text(arena, text, strlen(text));
    }
    page_plot(s->page, plot_matrix(arena, "inside (1) or outside (0)", "position", "output",
                                   s->kind_count, input->length, s->picture, rows, cols));
}

void ask_hulls(Lab *lab, Page *page, void *context) {
    static const char *const summary[] = {"output", "in the hull of", "tested",
                                          "inside", "outside",        "residual",
                                          "margin", "points needed",  NULL};
    Hulls s = {.page = page};
    if (!subject_open(lab, page, context, LONGEST, &s.subject)) return;
    size_t all = s.subject.input_count, most = lab->quick ? QUICK_INPUTS : MOST_INPUTS;
    size_t first = ((const ModelQuestion *)context)->input_count || all < most ? 0 : all - most;
    name_kinds(&s);
    PageTable *kinds = page_table(page, "outputs and hulls", summary);
    for (size_t k = first; k < all; k++) {
        Arena *arena = arena_child(lab->arena);
        if (k + 1 == all) show_last(&s);
        test_input(&s, &s.subject.inputs[k], arena);
        arena_free(arena);
        lab_progress(lab, (double)(k + 1 - first) / (double)(all - first));
    }
    check_kinds(&s);
    show_kinds(&s, kinds);
    plot_last(&s);
    page_note(page, "Inside: weights whose mean is the output, within the residual; outside: a "
                    "direction along which it lies beyond every point, by the margin. Both proofs "
                    "are evaluated again from the numbers. Dimensions in which all are 0 are left "
                    "out.");
}
