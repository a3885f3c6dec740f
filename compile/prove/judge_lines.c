/* What a whole sum is at each value of x: a straight line for each width, since its mean is a
 * fraction of it.  The ends of the lines, and where units bend between them, are enough: what the
 * units compute is straight elsewhere. */
#include "compile/prove/judge_tables.h"

typedef struct Lines {
    const Reader *t;
    const WholeSum *sum;
    Points *points;
    size_t capacity;
    double slack; /* of x */
} Lines;

static void add_point(Lines *l, double x, double value) {
    Points *p = l->points;
    p->at = arena_grow(l->t->j->arena, p->at, &l->capacity, p->count + 1, sizeof *p->at);
    p->at[p->count++] = (Point){x, value};
}

/* From end to end, in stretches between bends; x is the mean and `rest`. */
static void add_line(Lines *l, const SumLine *line, double rest) {
    const Reader *t = l->t;
    double first = (double)line->least, last = (double)line->most;
    double from = first / line->width + rest, to = last / line->width + rest;
    double mean = fmax(fabs(first), fabs(last)) / line->width;
    l->slack = worse(l->slack, 2 * DBL_EPSILON * (fmax(fabs(from), fabs(to)) + mean));
    add_point(l, from, first);
    for (uint32_t u = 0; u < t->shape.unit_count; u++) {
        double at = t->unit[u].at;
        if (!(at > from && at < to)) continue;
        double value = first + (last - first) * ((at - from) / (to - from));
        l->points->lost = worse(l->points->lost, 4 * DBL_EPSILON * (fabs(first) + fabs(last)));
        add_point(l, at, value);
        add_point(l, at, value);
    }
    add_point(l, to, last);
}

static const SumLine *line_of(const WholeSum *sum, double width) {
    for (uint32_t low = 0, high = sum->lines; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (sum->line[middle].width == width) return &sum->line[middle];
        if (sum->line[middle].width < width)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

bool points_by_lines(Reader *t, NodeId node, Points *p) {
    Judge *j = t->j;
    const WholeSum *sum = values_whole_sum(j->values, node);
    if (!sum) return false;
    Linear rest = linear_add(j, t->direct, -t->scale, linear_node(j, sum->mean, 1));
    FormRows rows;
    if (!form_rows(j, &rest, judge_name(j, sum->width), &rows)) return false;
    *p = (Points){.step = (double)sum->step};
    Lines lines = {.t = t, .sum = sum, .points = p};
    double off = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const SumLine *line = line_of(sum, rows.node[r]);
        double less = rows.form[r] - t->constant, x = less / t->scale;
        if (!line || isnan(x)) return false;
        off =
            worse(off, fabs(sum_lost(rows.form[r], -t->constant)) + fabs(fma(x, t->scale, -less)));
        add_line(&lines, line, x);
        budget_poll(arena_budget(j->arena));
    }
    t->slack = worse(t->slack, (rows.lost + off + rest.slack) / fabs(t->scale) + lines.slack);
    return p->count > 0;
}
