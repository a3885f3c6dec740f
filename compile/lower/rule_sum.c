/* Whole sums of means that have very many values (sums.h). */
#include "compile/lower/rules.h"

#include <float.h>
#include <math.h>

/* The mean m of w keys and w as one number m + stride * w, of which the sum is a straight line for
 * each w: two units each, whatever the mean can be.  Of m nothing is asked but that it is the
 * double next to S/w, so x is off by less than 2^-51 of |x| + |m|: m, the ends of the line, and
 * adding up. */
bool feature_whole_sum(Lower *lower, NodeId id, const WholeSum *sum, Form *form) {
    Graph *graph = values_graph(lower->values);
    Form of_mean, of_width;
    if (!feature_aggregate(lower, sum->mean, &of_mean)) return false;
    if (!lower_feature(lower, sum->width, &of_width)) return false;
    double low, high, reach = 0;
    (void)values_unlisted(lower->values, sum->mean, &low, &high);
    double stride = exp2(ceil(log2((high - low) * 1.0625)));
    double *x = ARENA_ARRAY(lower->arena, 2 * (size_t)sum->lines, double);
    double *value = ARENA_ARRAY(lower->arena, 2 * (size_t)sum->lines, double);
    for (uint32_t k = 0; k < 2 * sum->lines; k++) {
        const SumLine *line = &sum->line[k / 2];
        value[k] = (double)(k % 2 ? line->most : line->least);
        x[k] = value[k] / line->width + stride * line->width;
        reach = fmax(reach, fabs(x[k]) + fmax(fabs(low), fabs(high)));
    }
    NodeId strides[2] = {sum->width, graph_constant(graph, atom_float(stride), SPAN_NONE)};
    NodeId scaled = graph_map(graph, OP_MUL, strides, graph_node(graph, id)->span);
    Form of_x = form_sum(of_mean, 1, of_width, stride, lower->arena);
    Cover cover = {
        .x = graph_map(graph, OP_ADD, (NodeId[]){sum->mean, scaled}, graph_node(graph, id)->span),
        .form = form_loose(of_x, 2 * DBL_EPSILON * reach),
        .unlisted = true};
    TableOutput output = {
        .node = id, .x = x, .value = value, .points = 2 * sum->lines, .step = (double)sum->step};
    *form = add_scan_output(lower, scan_of(lower, cover), output);
    return true;
}
