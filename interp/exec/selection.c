#include "interp/exec/selection.h"

#include "base/bits.h"

#include <string.h>

/* --- building ----------------------------------------------------------------------------- */

static Selection *selection_new(Exec *exec, size_t rows, const char *plan) {
    Selection *selection = ARENA_NEW(exec->arena, Selection);
    selection->rows = rows;
    selection->plan = plan;
    selection->count = ARENA_BLOCK(exec->arena, rows, uint32_t);
    memset(selection->count, 0, rows * sizeof *selection->count);
    return selection;
}

static bool asks_order(const Plan *plan, size_t v) {
    for (size_t t = 0; t < plan->term_count; t++)
        if (plan->term[t].mask[v] != OUTCOME_ANY && plan->term[t].mask[v] != OUTCOME_EQUAL)
            return true;
    return false;
}

static void source_pair(Exec *exec, TermSource *source, size_t v, const FormulaStep *step) {
    source->keys[v] = step->keys;
    source->index[v] = exec_key_index(exec, step->key, asks_order(source->plan, v));
    source->codes[v] = ARENA_BLOCK(exec->arena, source->length, uint32_t);
    key_codes(source->index[v], step->keys, step->queries, source->codes[v], source->threads);
}

static TermSource source_new(Exec *exec, Formula *formula, const Plan *plan) {
    TermSource source = {
        .plan = plan, .length = exec->input.length, .rows = 1, .threads = exec_threads(exec)};
    for (size_t v = 0; v < plan->variable_count; v++) {
        const Variable *variable = &plan->variable[v];
        if (variable->kind != VARIABLE_KEY) source.rows = source.length;
        if (variable->kind == VARIABLE_PAIR)
            source_pair(exec, &source, v, &formula->steps[variable->step]);
        else
            source.holds[v] = formula_predicate(exec, formula, variable->step);
    }
    return source;
}

static void source_free(TermSource *source, Arena *arena) {
    for (size_t v = 0; v < PLAN_MAX_VARIABLES; v++) {
        arena_release(arena, source->codes[v]);
        arena_release(arena, source->holds[v]);
    }
}

/* The name of the term that takes longest, `name` being that of those before. */
static const char *longer_name(const char *name, const Term *term) {
    bool trivial = !name || strcmp(name, "all") == 0 || strcmp(name, "by index") == 0;
    return term->cross || trivial ? term->plan : name;
}

/* `counted`: nobody asks for more than counts, so a term's memory serves the next one. */
static Selection *plan_selection(Exec *exec, Formula *formula, const Plan *plan, bool counted) {
    TermSource source = source_new(exec, formula, plan);
    Selection *selection = selection_new(exec, source.rows, NULL);
    selection->term = ARENA_ARRAY(exec->arena, plan->term_count, Term);
    selection->term_count = plan->term_count;
    for (size_t t = 0; t < plan->term_count; t++) {
        exec_poll(exec);
        selection->term[t] = term_build(&source, &plan->term[t], exec->arena);
        term_add(&selection->term[t], &(Totals){.count = selection->count}, exec->arena,
                 source.threads);
        selection->plan = longer_name(selection->plan, &selection->term[t]);
        if (counted) term_free(&selection->term[t], exec->arena);
    }
    if (!selection->plan) selection->plan = "nothing";
    selection->counted = counted;
    source_free(&source, exec->arena);
    return selection;
}

static Selection *bit_selection(Exec *exec, Formula *formula) {
    Selection *selection = selection_new(exec, exec->input.length, "rows of bits");
    selection->bits = bitrows_new(exec, formula);
    bitrows_add(exec, selection->bits, &(Totals){.count = selection->count});
    return selection;
}

static Selection *short_selection(Exec *exec, NodeId selector, const uint64_t *words) {
    Selection *selection = ARENA_NEW(exec->arena, Selection);
    size_t n = exec->input.length;
    *selection = (Selection){
        .rows = n, .words = words, .plan = "bits", .counted = exec->slots[selector].counted};
    selection->count = ARENA_ARRAY(exec->arena, 2 * n, uint32_t);
    selection->position = selection->count + n;
    if (exec->input.segment <= 16)
        for (size_t i = 0; i < n; i++) selection->count[i] = bit_count_16((uint32_t)words[i]);
    else
        for (size_t i = 0; i < n; i++) selection->count[i] = bit_count(words[i]);
    if (exec->slots[selector].counted) return selection;
    for (size_t first = 0; first < n; first += exec->input.segment)
        for (size_t i = first; i < first + exec->input.segment; i++)
            selection->position[i] = (uint32_t)(first + bit_lowest(words[i]));
    return selection;
}

/* On inputs of a few hundred, rows of bits are quicker than counting under two orders. */
static bool bits_are_cheaper(const Plan *plan, size_t n) {
    return plan->cost >= PLAN_TWO_ORDERS && (double)n < 8 * plan->cost;
}

/* Whether to run the plan: there is one, and it is wanted. */
static bool choose_plan(const Exec *exec, Formula *formula, Plan *plan) {
    if (exec->options.plan == EXEC_PLAN_BITS || !plan_make(formula, plan)) return false;
    return exec->options.plan == EXEC_PLAN_TERMS || !bits_are_cheaper(plan, exec->input.length);
}

Selection *selection_get(Exec *exec, NodeId selector) {
    Slot *slot = &exec->slots[selector];
    if (slot->selection && (slot->counted || !slot->selection->counted)) return slot->selection;
    selection_free(exec, slot->selection);
    if (slot->words) return slot->selection = short_selection(exec, selector, slot->words);
    Formula formula = formula_build(exec, selector);
    Plan plan;
    Selection *selection = choose_plan(exec, &formula, &plan)
                               ? plan_selection(exec, &formula, &plan, slot->counted)
                               : bit_selection(exec, &formula);
    formula_free(exec, &formula);
    return slot->selection = selection;
}

void selection_free(Exec *exec, Selection *selection) {
    if (!selection || selection->words) return;
    for (size_t t = 0; t < selection->term_count; t++) term_free(&selection->term[t], exec->arena);
    bitrows_free(selection->bits, exec->arena);
    arena_release(exec->arena, selection->count);
    arena_release(exec->arena, selection->position);
    *selection = (Selection){0};
}

/* --- reading ------------------------------------------------------------------------------ */

static void add_all(Exec *exec, const Selection *selection, const Totals *totals) {
    int threads = exec_threads(exec);
    for (size_t t = 0; t < selection->term_count; t++)
        term_add(&selection->term[t], totals, exec->arena, threads);
    if (selection->bits) bitrows_add(exec, selection->bits, totals);
}

/* One term is one slice: its only member, without a sum. */
static bool is_one_slice(const Selection *selection) {
    return selection->term_count == 1 && selection->term[0].weight == 1 &&
           !selection->term[0].cross;
}

const uint32_t *selection_positions(Exec *exec, Selection *selection) {
    if (selection->position) return selection->position;
    uint32_t *position = ARENA_BLOCK(exec->arena, selection->rows, uint32_t);
    memset(position, 0, selection->rows * sizeof *position);
    if (is_one_slice(selection)) {
        const Term *term = &selection->term[0];
        for (size_t i = 0; i < selection->rows; i++)
            if (selection->count[i] == 1)
                position[i] = term->order ? term->order[term->low[i]] : term->low[i];
    } else
        add_all(exec, selection, &(Totals){.position = position});
    return selection->position = position;
}

static void add_short_sums(const Selection *selection, size_t segment, const Totals *totals) {
    size_t words = totals->scale->words;
    for (size_t first = 0; first < selection->rows; first += segment)
        for (size_t i = first; i < first + segment; i++) {
            if (selection->count[i] <= 1) continue;
            for (uint64_t rest = selection->words[i]; rest; rest &= rest - 1)
                sum_add(totals->scale, totals->sum + i * words,
                        totals->load + (first + bit_lowest(rest)) * words);
        }
}

uint64_t *selection_sums(Exec *exec, const Selection *selection, const SumScale *scale,
                         const Column *values) {
    size_t row = scale->words * sizeof(uint64_t);
    uint64_t *load = arena_block(exec->arena, values->length, row);
    sum_load_column(scale, values, load);
    uint64_t *sum = arena_block(exec->arena, selection->rows, row);
    memset(sum, 0, selection->rows * row);
    Totals totals = {.sum = sum, .scale = scale, .load = load, .only = selection->count};
    if (selection->words)
        add_short_sums(selection, exec->input.segment, &totals);
    else
        add_all(exec, selection, &totals);
    arena_release(exec->arena, load);
    return sum;
}
