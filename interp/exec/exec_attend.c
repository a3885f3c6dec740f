/* Aggregates and widths: what rows select becomes values. */
#include "base/parallel.h"
#include "interp/exec/selection.h"

/* The default where nothing is selected, the value where one is, the mean where several are
 * (language.md, section 9). */
typedef struct Rows {
    size_t count_of_rows; /* 1: all alike */
    const uint32_t *count, *position;
    const uint64_t *sum; /* NULL: nothing to average, or the values are all the same */
    SumScale scale;
    const Column *values;
    Atom fallback;
} Rows;

static Atom row_value(const Rows *rows, size_t i) {
    uint32_t count = rows->count[i];
    if (count == 0) return rows->fallback;
    if (count == 1) return column_at(rows->values, rows->position[i]);
    if (rows->sum)
        return atom_float(sum_mean(&rows->scale, rows->sum + i * rows->scale.words, count));
    return atom_float(atom_double(column_at(rows->values, 0)) + 0.0); /* no -0.0: a sum's zero */
}

/* Which of the three cases occur. */
typedef struct Cases {
    bool none, one, several;
} Cases;

static Cases find_cases(const uint32_t *count, size_t rows) {
    Cases cases = {0};
    for (size_t i = 0; i < rows; i++) {
        cases.none |= count[i] == 0;
        cases.one |= count[i] == 1;
        cases.several |= count[i] > 1;
    }
    return cases;
}

/* The first row of a case that occurs. */
static size_t first_row(const Rows *rows, bool several) {
    size_t i = 0;
    while (several ? rows->count[i] < 2 : rows->count[i] > 0) i++;
    return i;
}

/* The kinds of value that the rows can give, if the values are of one kind. */
static unsigned row_kinds(const Rows *rows, Cases cases) {
    return (cases.none ? 1u << rows->fallback.kind : 0) |
           (cases.one ? 1u << column_at(rows->values, 0).kind : 0) |
           (cases.several ? 1u << ATOM_FLOAT : 0);
}

static Column *fill_mixed(Exec *exec, const Rows *rows, const Node *node, Fault *fault) {
    ColumnWriter writer = column_writer(exec->arena, rows->count_of_rows);
    for (size_t i = 0; i < rows->count_of_rows; i++) column_put(&writer, row_value(rows, i));
    return exec_finish(exec, &writer, node, fault);
}

#define GATHER(name, member)                                                                       \
    static void name(const Rows *rows, Column *column) {                                           \
        for (size_t i = 0; i < rows->count_of_rows; i++)                                           \
            column->member[i] = rows->values->member[rows->position[i]];                           \
    }
GATHER(gather_bools, bools)
GATHER(gather_ints, ints)
GATHER(gather_floats, floats)
GATHER(gather_strings, strings)

/* Rows select one key, a permutation for instance, or none: a shift.  The place of none is that of
 * some key. */
static Column *fetch_rows(Exec *exec, const Rows *rows, bool none) {
    static void (*const gather[])(const Rows *rows,
                                  Column *column) = {[COLUMN_BOOL] = gather_bools,
                                                     [COLUMN_INT] = gather_ints,
                                                     [COLUMN_FLOAT] = gather_floats,
                                                     [COLUMN_STRING] = gather_strings};
    Column *column = column_new(exec->arena, rows->values->form, rows->count_of_rows);
    gather[column->form](rows, column);
    for (size_t i = 0; none && i < rows->count_of_rows; i++)
        if (rows->count[i] == 0) column_set(column, i, rows->fallback);
    return column;
}

typedef struct Filling {
    const Rows *rows;
    Column *column;
} Filling;

static void fill_range(void *context, size_t begin, size_t end) {
    const Filling *f = context;
    for (size_t i = begin; i < end; i++) column_set(f->column, i, row_value(f->rows, i));
}

static Column *fill_rows(Exec *exec, const Rows *rows, Cases cases, const Node *node,
                         Fault *fault) {
    unsigned kinds = row_kinds(rows, cases);
    SequenceType type;
    bool alike = !cases.none || rows->values->form == column_form_of(rows->fallback.kind);
    bool fetch = cases.one && !cases.several && alike;
    if (fetch && rows->values->form != COLUMN_ATOM && !rows->values->constant)
        return fetch_rows(exec, rows, cases.none);
    if (rows->values->form == COLUMN_ATOM || !sequence_type_of(kinds, &type))
        return fill_mixed(exec, rows, node, fault);
    bool uniform = (kinds & (kinds - 1)) == 0;
    ColumnForm form = uniform ? column_form_of((AtomKind)__builtin_ctz(kinds)) : COLUMN_ATOM;
    Column *column = column_new(exec->arena, form, rows->count_of_rows);
    column->type = type;
    Filling filling = {rows, column};
    parallel_ranges(rows->count_of_rows, exec_threads(exec), fill_range, &filling);
    return column;
}

/* A column of one row, for all positions. */
static Column *extend(Exec *exec, Column *column, size_t rows) {
    if (!column || rows == exec->input.length) return column;
    column->constant = true;
    column->length = exec->input.length;
    return column;
}

static bool can_average(const Column *values) {
    return values->type == SEQUENCE_INT || values->type == SEQUENCE_FLOAT;
}

static void tell_plan(Exec *exec, const Selection *selection) {
    exec->plan = selection->plan;
    exec->rows = selection->bits ? bitrows_classes(selection->bits) : selection->rows;
}

Column *exec_aggregate(Exec *exec, const Node *node, Fault *fault) {
    if (exec->options.plan == EXEC_PLAN_NAIVE) return naive_aggregate(exec, node, fault);
    exec->slots[node->arg[0]].counted = false;
    Selection *selection = selection_get(exec, node->arg[0]);
    tell_plan(exec, selection);
    Rows rows = {.count_of_rows = selection->rows,
                 .count = selection->count,
                 .values = exec_ready(exec, node->arg[1]),
                 .fallback = node->atom};
    Cases cases = find_cases(rows.count, rows.count_of_rows);
    if (cases.several && !can_average(rows.values)) {
        *fault = exec_average_fault(exec, node, rows.values, first_row(&rows, true));
        return NULL;
    }
    if (cases.one) rows.position = selection_positions(exec, selection);
    uint64_t *sum = NULL;
    if (cases.several && !rows.values->constant) {
        rows.scale = sum_scale(rows.values);
        rows.sum = sum = selection_sums(exec, selection, &rows.scale, rows.values);
    }
    Column *column = fill_rows(exec, &rows, cases, node, fault);
    arena_release(exec->arena, sum);
    if (!column) exec_explain_default(exec, node, rows.values, first_row(&rows, false), fault);
    return extend(exec, column, rows.count_of_rows);
}

Column *exec_width(Exec *exec, const Node *node, Fault *fault) {
    if (exec->options.plan == EXEC_PLAN_NAIVE) return naive_width(exec, node);
    (void)fault;
    const Selection *selection = selection_get(exec, node->arg[0]);
    tell_plan(exec, selection);
    Column *widths = column_new(exec->arena, COLUMN_INT, selection->rows);
    for (size_t i = 0; i < selection->rows; i++) widths->ints[i] = selection->count[i];
    return extend(exec, widths, selection->rows);
}
