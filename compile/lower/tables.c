/* Scans: what a feed-forward sublayer looks up. */
#include "compile/lower/rules.h"

#include "compile/lower/scan.h"

#include <math.h>
#include <stdlib.h>

ScanPlan *scan_of(Lower *lower, Cover cover) {
    for (size_t k = 0; k < lower->scan_count; k++)
        if (form_same(lower->scan[k]->form, cover.form)) { /* perhaps for another s-op's values */
            lower->scan[k]->form.slack = fmax(lower->scan[k]->form.slack, cover.form.slack);
            return lower->scan[k];
        }
    ScanPlan *scan = ARENA_NEW(lower->arena, ScanPlan);
    *scan = (ScanPlan){.x = cover.x, .form = cover.form, .stage = lower_stage(lower, cover.form)};
    scan->stage.step++;
    const NodeValues *x = cover.unlisted ? NULL : values_of(lower->values, cover.x);
    scan->space = x ? space_new(lower->arena, x->count) : NULL;
    lower->scan = arena_grow(lower->arena, lower->scan, &lower->scan_capacity,
                             lower->scan_count + 1, sizeof *lower->scan);
    return lower->scan[lower->scan_count++] = scan;
}

static uint32_t scan_number(const Lower *lower, const ScanPlan *scan) {
    uint32_t number = 0;
    while (lower->scan[number] != scan) number++;
    return number;
}

Form add_scan_output(Lower *lower, ScanPlan *scan, TableOutput output) {
    output.part = add_part(lower, (Part){.origin = FROM_TABLE,
                                         .node = output.node,
                                         .stage = scan->stage,
                                         .owner = scan_number(lower, scan),
                                         .column = (uint32_t)scan->output_count});
    scan->outputs = arena_grow(lower->arena, scan->outputs, &scan->output_capacity,
                               scan->output_count + 1, sizeof output);
    scan->outputs[scan->output_count++] = output;
    return form_part(output.part, lower->arena);
}

bool feature_scan(Lower *lower, NodeId id, Form *form) {
    Cover cover;
    if (!cover_find(lower, id, &cover)) return false;
    ScanPlan *scan = scan_of(lower, cover);
    double *vector;
    bool complete;
    Rows rows;
    /* Another feature's scan of the same form may go by another node with the same values. */
    bool same_node = scan->x == cover.x && scan->space;
    if (!function_of_cover(lower, &cover, id, &rows, &vector, &complete)) {
        if (lower->error.message[0]) return false;
        complete = false; /* values close to each other at one x: the certificate's error */
    }
    if (!values_numeric(values_of(lower->values, cover.x)))
        return lower_fail(lower, id, "its tables would need numbers beyond 2^53");
    if (rows.row_count == 0) return lower_fail(lower, id, "internal: a table without any value");
    if (same_node && complete && space_solve(scan->space, vector, form)) return true;
    const NodeValues *xs = values_of(lower->values, cover.x), *fs = values_of(lower->values, id);
    TableOutput output = {.node = id};
    ScanPoint *point = ARENA_ARRAY(lower->arena, rows.row_count, ScanPoint);
    for (size_t r = 0; r < rows.row_count; r++)
        point[output.points++] = (ScanPoint){feature_number(xs->levels[rows.level[2 * r]]),
                                             feature_number(fs->levels[rows.level[2 * r + 1]])};
    qsort(point, output.points, sizeof *point, scan_order);
    double *x = ARENA_ARRAY(lower->arena, output.points, double);
    double *value = ARENA_ARRAY(lower->arena, output.points, double);
    for (uint32_t k = 0; k < output.points; k++) x[k] = point[k].x, value[k] = point[k].f;
    output.x = x;
    output.value = value;
    *form = add_scan_output(lower, scan, output);
    if (same_node && complete) space_add(scan->space, vector, *form);
    return true;
}
