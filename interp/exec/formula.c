#include "interp/exec/formula.h"

#include "interp/exec/exec_run.h"

#include <string.h>

/* A node's step, or UINT32_MAX.  Slot.step may be left over from another formula, so it
 * counts only if that step is the node's. */
static uint32_t step_of(const Exec *exec, const Formula *formula, NodeId node) {
    uint32_t step = exec->slots[node].step;
    return step < formula->count && formula->steps[step].node == node ? step : UINT32_MAX;
}

static uint8_t select_reach(const Column *keys, const Column *queries) {
    if ((keys->type == SEQUENCE_STRING) != (queries->type == SEQUENCE_STRING)) return 0;
    return (uint8_t)((keys->constant ? 0 : REACH_KEY) | (queries->constant ? 0 : REACH_QUERY));
}

static FormulaStep make_step(const Exec *exec, const Formula *formula, NodeId id) {
    const Node *node = graph_node(exec->graph, id);
    FormulaStep step = {.kind = node->kind, .op = node->op, .node = id};
    if (node->kind == NODE_SELECT) {
        step.key = node->arg[0];
        step.query = node->arg[1];
        step.keys = exec_ready(exec, node->arg[0]);
        step.queries = exec_ready(exec, node->arg[1]);
        step.reach = select_reach(step.keys, step.queries);
        return step;
    }
    step.a = step_of(exec, formula, node->arg[0]);
    step.b = node->arity > 1 ? step_of(exec, formula, node->arg[1]) : step.a;
    step.reach = formula->steps[step.a].reach | formula->steps[step.b].reach;
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
    formula.cell = ARENA_BLOCK(exec->arena, 2 * formula.count, bool);
    formula.used = formula.cell + formula.count;
    memset(formula.used, 0, formula.count * sizeof *formula.used);
    return formula;
}

void formula_free(Exec *exec, Formula *formula) {
    arena_release(exec->arena, formula->steps);
    arena_release(exec->arena, formula->cell);
    *formula = (Formula){0};
}

static bool step_value(const FormulaStep *step, const bool *cell, size_t i, size_t j) {
    switch (step->kind) {
    case NODE_SELECT:
        return op_compare(step->op, column_at(step->keys, j), column_at(step->queries, i));
    case NODE_AND:
        return cell[step->a] && cell[step->b];
    case NODE_OR:
        return cell[step->a] || cell[step->b];
    default:
        return !cell[step->a];
    }
}

bool formula_cell(Formula *formula, size_t i, size_t j) {
    for (size_t k = 0; k < formula->count; k++)
        formula->cell[k] = step_value(&formula->steps[k], formula->cell, i, j);
    return formula->cell[formula->count - 1];
}

/* The steps that `step` is made of, each below its users; returns how many.  Costs no more
 * than the way down to the last of them, as selectors of many parts ask this of each. */
static size_t steps_below(Formula *formula, size_t step, uint32_t *below) {
    bool *used = formula->used;
    size_t count = 0, waiting = 1;
    used[step] = true;
    for (size_t k = step; waiting; k--) {
        if (!used[k]) continue;
        used[k] = false;
        waiting--;
        below[count++] = (uint32_t)k;
        if (formula->steps[k].kind == NODE_SELECT) continue;
        const uint32_t read[2] = {formula->steps[k].a, formula->steps[k].b};
        for (int r = 0; r < 2; r++) {
            waiting += !used[read[r]];
            used[read[r]] = true;
        }
    }
    for (size_t k = 0; k < count / 2; k++) {
        uint32_t swap = below[k];
        below[k] = below[count - 1 - k];
        below[count - 1 - k] = swap;
    }
    return count;
}

bool *formula_predicate(Exec *exec, Formula *formula, size_t step) {
    size_t length = formula->steps[step].reach ? exec->input.length : 1;
    bool of_key = formula->steps[step].reach == REACH_KEY;
    bool *holds = ARENA_BLOCK(exec->arena, length, bool);
    uint32_t *below = ARENA_BLOCK(exec->arena, step + 1, uint32_t);
    size_t count = steps_below(formula, step, below);
    for (size_t at = 0; at < length; at++) {
        size_t i = of_key ? 0 : at, j = of_key ? at : 0;
        for (size_t k = 0; k < count; k++)
            formula->cell[below[k]] = step_value(&formula->steps[below[k]], formula->cell, i, j);
        holds[at] = formula->cell[step];
        if (at % EXEC_POLL_EVERY == 0) exec_poll(exec);
    }
    arena_release(exec->arena, below);
    return holds;
}
