#include "interp/formula.h"

#include "interp/exec_run.h"

/* A node's step, or UINT32_MAX.  Slot.step may be left over from another formula, so it
 * counts only if that step is the node's. */
static uint32_t step_of(const Exec *exec, const Formula *formula, NodeId node) {
    uint32_t step = exec->slots[node].step;
    return step < formula->count && formula->steps[step].node == node ? step : UINT32_MAX;
}

static FormulaStep make_step(const Exec *exec, const Formula *formula, NodeId id) {
    const Node *node = graph_node(exec->graph, id);
    FormulaStep step = {.kind = node->kind, .op = node->op, .node = id};
    if (node->kind == NODE_SELECT) {
        step.key = node->arg[0];
        step.query = node->arg[1];
        step.keys = exec_ready(exec, node->arg[0]);
        step.queries = exec_ready(exec, node->arg[1]);
        return step;
    }
    step.a = step_of(exec, formula, node->arg[0]);
    step.b = node->arity > 1 ? step_of(exec, formula, node->arg[1]) : step.a;
    return step;
}

/* An argument of the node that has no step yet, or NODE_NONE. */
static NodeId missing(const Exec *exec, const Formula *formula, NodeId id) {
    const Node *node = graph_node(exec->graph, id);
    if (node->kind == NODE_SELECT) return NODE_NONE;
    for (int k = 0; k < node->arity; k++)
        if (step_of(exec, formula, node->arg[k]) == UINT32_MAX) return node->arg[k];
    return NODE_NONE;
}

static void *grow(Arena *arena, void *old, size_t *capacity, size_t used, size_t size) {
    if (used < *capacity) return old;
    size_t larger = *capacity ? *capacity * 2 : 8;
    char *copy = arena_block(arena, larger, size);
    for (size_t k = 0; k < used * size; k++) copy[k] = ((char *)old)[k];
    arena_release(arena, old);
    *capacity = larger;
    return copy;
}

Formula formula_build(Exec *exec, NodeId selector) {
    Formula formula = {0};
    size_t capacity = 0, stack_capacity = 0, depth = 0;
    NodeId *stack = grow(exec->arena, NULL, &stack_capacity, 0, sizeof *stack);
    stack[depth++] = selector;
    while (depth) {
        NodeId id = stack[depth - 1], next = missing(exec, &formula, id);
        if (next != NODE_NONE) {
            stack = grow(exec->arena, stack, &stack_capacity, depth, sizeof *stack);
            stack[depth++] = next;
            continue;
        }
        depth--;
        formula.steps =
            grow(exec->arena, formula.steps, &capacity, formula.count, sizeof *formula.steps);
        formula.steps[formula.count] = make_step(exec, &formula, id);
        exec->slots[id].step = (uint32_t)formula.count++;
    }
    arena_release(exec->arena, stack);
    formula.cell = ARENA_BLOCK(exec->arena, formula.count, bool);
    return formula;
}

void formula_free(Exec *exec, Formula *formula) {
    arena_release(exec->arena, formula->steps);
    arena_release(exec->arena, formula->cell);
    *formula = (Formula){0};
}

bool formula_cell(Formula *formula, size_t i, size_t j) {
    bool *cell = formula->cell;
    for (size_t k = 0; k < formula->count; k++) {
        const FormulaStep *step = &formula->steps[k];
        if (step->kind == NODE_SELECT)
            cell[k] = op_compare(step->op, column_at(step->keys, j), column_at(step->queries, i));
        else if (step->kind == NODE_AND)
            cell[k] = cell[step->a] && cell[step->b];
        else if (step->kind == NODE_OR)
            cell[k] = cell[step->a] || cell[step->b];
        else
            cell[k] = !cell[step->a];
    }
    return cell[formula->count - 1];
}
