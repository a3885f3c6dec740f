/* Aggregates and widths by their definition: every query against every key.  The plans are
 * judged by this. */
#include "interp/exec/exec_run.h"
#include "interp/exec/sum.h"

Column *naive_width(Exec *exec, const Node *node) {
    size_t n = exec->input.length;
    Formula formula = formula_build(exec, node->arg[0]);
    Column *widths = column_new(exec->arena, COLUMN_INT, n);
    for (size_t i = 0; i < n; i++) {
        exec_progress(exec, (double)i / (double)n);
        widths->ints[i] = 0;
        for (size_t j = 0; j < n; j++) widths->ints[i] += formula_cell(&formula, i, j);
    }
    formula_free(exec, &formula);
    return widths;
}

Column *naive_aggregate(Exec *exec, const Node *node, Fault *fault) {
    size_t n = exec->input.length, empty = 0;
    const Column *values = exec_ready(exec, node->arg[1]);
    bool any_empty = false,
         numbers = values->type == SEQUENCE_INT || values->type == SEQUENCE_FLOAT;
    SumScale scale = numbers ? sum_scale(values) : (SumScale){0};
    Formula formula = formula_build(exec, node->arg[0]);
    ColumnWriter writer = column_writer(exec->arena, n);
    for (size_t i = 0; i < n; i++) {
        exec_progress(exec, (double)i / (double)n);
        uint64_t sum[SUM_MAX_WORDS] = {0}, part[SUM_MAX_WORDS];
        size_t count = 0, last = 0;
        for (size_t j = 0; j < n; j++) {
            if (!formula_cell(&formula, i, j)) continue;
            count++, last = j;
            if (!numbers) continue;
            sum_load(&scale, column_at(values, j), part);
            sum_add(&scale, sum, part);
        }
        if (count > 1 && !numbers) {
            *fault = exec_average_fault(exec, node, values, i);
            formula_free(exec, &formula);
            return NULL;
        }
        if (count == 0 && !any_empty) any_empty = true, empty = i;
        column_put(&writer, count == 0   ? node->atom
                            : count == 1 ? column_at(values, last)
                                         : atom_float(sum_mean(&scale, sum, count)));
    }
    formula_free(exec, &formula);
    Column *column = exec_finish(exec, &writer, node, fault);
    if (!column) exec_explain_default(exec, node, values, empty, fault);
    return column;
}
