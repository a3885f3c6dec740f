/* The values of the sources: token, position, aggregates, widths. */
#include "compile/values_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- inputs ----------------------------------------------------------------------------- */

static bool compute_tokens(Values *values, NodeId node, Entry *entry) {
    const Domain *domain = values->domain;
    uint32_t *all = ARENA_ARRAY(values->arena, domain->alphabet_size, uint32_t);
    for (uint32_t k = 0; k < domain->alphabet_size; k++) {
        all[k] = entry_level(values, node, domain->alphabet[k]);
        if (all[k] == UINT32_MAX) return false;
    }
    SetId any = sets_add(values->sets, all, domain->alphabet_size), first = any;
    if (domain->first >= 0) {
        uint32_t only = (uint32_t)domain->first;
        first = sets_add(values->sets, &only, 1);
    }
    for (uint32_t n = 1; n <= domain->max_length; n++)
        for (uint32_t i = 0; i < n; i++) entry->sets[context_of(n, i)] = i == 0 ? first : any;
    return true;
}

static bool compute_indices(Values *values, NodeId node, Entry *entry) {
    for (uint32_t i = 0; i < values->domain->max_length; i++) {
        uint32_t level = entry_level(values, node, atom_int(i));
        if (level == UINT32_MAX) return false;
        SetId set = sets_add(values->sets, &level, 1);
        for (uint32_t n = i + 1; n <= values->domain->max_length; n++)
            entry->sets[context_of(n, i)] = set;
    }
    return true;
}

/* --- widths ----------------------------------------------------------------------------- */

static bool compute_width(Values *values, NodeId node, Entry *entry) {
    const SelectorFacts *facts = values_selector(values, graph_node(values->graph, node)->arg[0]);
    if (!facts) return false;
    uint32_t *member = ARENA_ARRAY(values->arena, values->domain->max_length + 1, uint32_t);
    TupleMap *memo = tuple_map_new(values->arena, 2);
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++) {
        uint32_t range[2] = {facts->least[c], facts->most[c]};
        bool found;
        uint32_t *set = tuple_map_at(memo, range, &found);
        if (!found) {
            uint32_t count = 0;
            for (uint32_t w = range[0]; w <= range[1]; w++) {
                member[count] = entry_level(values, node, atom_int(w));
                if (member[count++] == UINT32_MAX) return false;
            }
            *set = sets_add(values->sets, member, count);
        }
        entry->sets[c] = *set;
    }
    return true;
}

/* --- aggregates ------------------------------------------------------------------------- */

/* All values that the positions of an input of length n can hold, as atoms. */
static uint32_t gather_values(Values *values, const NodeValues *v, uint32_t n, Atom **atoms,
                              Arena *scratch) {
    bool *present = ARENA_ARRAY(scratch, v->count, bool);
    SetId last = UINT32_MAX;
    for (uint32_t j = 0; j < n; j++) {
        SetId set = v->sets[context_of(n, j)];
        if (set == last) continue;
        last = set;
        uint32_t count;
        const uint32_t *member = sets_get(values->sets, set, &count);
        for (uint32_t k = 0; k < count; k++) present[member[k]] = true;
    }
    uint32_t total = 0;
    *atoms = ARENA_ARRAY(scratch, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++)
        if (present[k]) (*atoms)[total++] = v->levels[k];
    return total;
}

/* The members of one result set under construction. */
typedef struct Result {
    Values *values;
    NodeId node;
    Arena *arena;
    uint32_t *member;
    size_t count, capacity;
} Result;

static bool result_add(Result *r, Atom value) {
    uint32_t level = entry_level(r->values, r->node, value);
    if (level == UINT32_MAX) return false;
    r->member = arena_grow(r->arena, r->member, &r->capacity, r->count + 1, sizeof *r->member);
    r->member[r->count++] = level;
    return true;
}

/* Sums of w values, as numbers in units of `unit` (a power of two that all values are whole
 * multiples of), so that every sum is exact and the mean is rounded once. */
typedef struct Sums {
    int64_t *sum; /* distinct, sorted */
    size_t count;
} Sums;

static int by_int64(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static Sums add_one(Sums sums, const int64_t *value, uint32_t count, Arena *arena) {
    Sums next = {ARENA_ARRAY(arena, sums.count * count, int64_t), 0};
    for (size_t s = 0; s < sums.count; s++)
        for (uint32_t k = 0; k < count; k++) next.sum[next.count++] = sums.sum[s] + value[k];
    qsort(next.sum, next.count, sizeof *next.sum, by_int64);
    size_t kept = 0;
    for (size_t k = 0; k < next.count; k++)
        if (k == 0 || next.sum[k] != next.sum[kept - 1]) next.sum[kept++] = next.sum[k];
    next.count = kept;
    return next;
}

/* The exponent of the values' common unit, and the values in that unit; false when the sums
 * of n of them would not fit in 62 bits. */
static bool common_unit(const Atom *atom, uint32_t count, uint32_t n, int *exponent,
                        int64_t *value) {
    int lowest = 0, highest = -1100;
    for (uint32_t k = 0; k < count; k++) {
        double x = atom_double(atom[k]);
        if (x == 0) continue;
        if (!isfinite(x)) return false;
        int e;
        double f = frexp(fabs(x), &e);
        int64_t bits = (int64_t)ldexp(f, 53);
        int low = e - 53 + __builtin_ctzll((uint64_t)bits);
        if (low < lowest) lowest = low;
        if (e > highest) highest = e;
    }
    if (highest - lowest + (64 - __builtin_clzll(n)) > 62) return false;
    for (uint32_t k = 0; k < count; k++) value[k] = (int64_t)ldexp(atom_double(atom[k]), -lowest);
    *exponent = lowest;
    return true;
}

/* sum * 2^exponent / w, rounded once. */
static double exact_mean(int64_t sum, int exponent, uint32_t w) {
    Atom args[2] = {atom_int(sum), atom_int(w)}, quotient;
    op_eval(OP_DIV, args, NULL, &quotient);
    return ldexp(quotient.f, exponent);
}

static bool all_numbers(const Atom *atom, uint32_t count) {
    bool other_than_bool = false;
    for (uint32_t k = 0; k < count; k++) {
        if (!atom_is_number(atom[k])) return false;
        other_than_bool |= atom[k].kind != ATOM_BOOL;
    }
    return other_than_bool;
}

/* Means of `least` to `most` of the values; one value is passed on unchanged. */
static bool add_means(Result *r, const Atom *atom, uint32_t count, uint32_t least, uint32_t most,
                      uint32_t n) {
    if (least <= 1 && most >= 1)
        for (uint32_t k = 0; k < count; k++)
            if (!result_add(r, atom[k])) return false;
    if (most < 2) return true;
    if (!all_numbers(atom, count))
        return values_too_large(r->values, r->node, "kinds of values that it averages", 2, 1);
    int exponent;
    int64_t *value = ARENA_ARRAY(r->arena, count, int64_t);
    if (!common_unit(atom, count, n, &exponent, value))
        return values_too_large(r->values, r->node, "bits in the exact sum of its values", 63, 62);
    Sums sums = {ARENA_ARRAY(r->arena, 1, int64_t), 1};
    for (uint32_t w = 1; w <= most; w++) {
        budget_poll(arena_budget(r->arena));
        if ((double)sums.count * count > 4e6)
            return values_too_large(r->values, r->node, "sums of its values",
                                    (double)sums.count * count, 4e6);
        sums = add_one(sums, value, count, r->arena);
        for (size_t s = 0; w >= 2 && w >= least && s < sums.count; s++)
            if (!result_add(r, atom_float(exact_mean(sums.sum[s], exponent, w)))) return false;
    }
    return true;
}

static bool aggregate_set(Values *values, NodeId id, const NodeValues *v, uint32_t n,
                          uint32_t least, uint32_t most, bool moves, SetId *set, Arena *scratch) {
    Atom *atoms, fallback = graph_node(values->graph, id)->atom;
    uint32_t count = gather_values(values, v, n, &atoms, scratch);
    Result r = {.values = values, .node = id, .arena = scratch};
    if (least == 0 && !result_add(&r, fallback)) return false;
    if (moves) {
        for (uint32_t k = 0; k < count && most > 0; k++)
            if (!result_add(&r, atoms[k])) return false;
    } else if (!add_means(&r, atoms, count, least, most, n))
        return false;
    *set = sets_add(values->sets, r.member, r.count);
    return true;
}

/* An id for the sets of the values at positions 0 … n-1. */
static SetId joint_set(Values *values, const NodeValues *v, uint32_t n, Arena *scratch) {
    uint32_t *member = ARENA_ARRAY(scratch, n, uint32_t);
    for (uint32_t j = 0; j < n; j++) member[j] = v->sets[context_of(n, j)];
    return sets_add(values->sets, member, n);
}

/* Rows whose keys are certain: every one, or those that only positions decide. */
typedef struct CertainRows {
    bool everything, positional;
    Literals literals;
    NodeId selector;
} CertainRows;

static bool certain(Values *values, const CertainRows *rows, uint32_t n, uint32_t j, uint32_t i) {
    return rows->everything ||
           positional_cell(values, rows->selector, &rows->literals, n, j, i) == 1;
}

/* The means over a certain row: sums of one value from each selected position's own set. */
static bool certain_means(Result *r, const CertainRows *rows, const NodeValues *v, uint32_t n,
                          uint32_t i, bool moves) {
    Values *values = r->values;
    Atom *all, *own = ARENA_ARRAY(r->arena, v->count, Atom);
    uint32_t count = gather_values(values, v, n, &all, r->arena), w = 0;
    int64_t *unit = ARENA_ARRAY(r->arena, v->count, int64_t);
    int exponent = 0;
    bool numbers = all_numbers(all, count) && common_unit(all, count, n, &exponent, unit);
    Sums sums = {ARENA_ARRAY(r->arena, 1, int64_t), 1};
    for (uint32_t j = 0; j < n; j++) {
        if (!certain(values, rows, n, j, i)) continue;
        uint32_t members;
        const uint32_t *member = sets_get(values->sets, v->sets[context_of(n, j)], &members);
        w++;
        for (uint32_t k = 0; k < members; k++) {
            own[k] = v->levels[member[k]];
            unit[k] = numbers ? (int64_t)ldexp(atom_double(own[k]), -exponent) : 0;
        }
        for (uint32_t k = 0; k < members && moves; k++)
            if (!result_add(r, own[k])) return false;
        if (moves) continue;
        if (!numbers)
            return values_too_large(values, r->node, "kinds of values that it averages", 2, 1);
        if ((double)sums.count * members > 4e6)
            return values_too_large(values, r->node, "sums of its values",
                                    (double)sums.count * members, 4e6);
        sums = add_one(sums, unit, members, r->arena);
    }
    if (w == 0) return result_add(r, graph_node(values->graph, r->node)->atom);
    for (size_t s = 0; s < sums.count && !moves; s++) {
        double mean = exact_mean(sums.sum[s], exponent, w);
        bool whole = w == 1 && mean == trunc(mean) && fabs(mean) < 0x1p53;
        if (!result_add(r, whole ? atom_int((int64_t)mean) : atom_float(mean))) return false;
    }
    return true;
}

static bool certain_sets(Values *values, NodeId id, Entry *entry, const CertainRows *rows,
                         const NodeValues *v, bool moves) {
    bool done = true;
    for (uint32_t n = 1; n <= values->domain->max_length && done; n++)
        for (uint32_t i = 0; i < n && done; i++) {
            if (rows->everything && i > 0) { /* all rows are alike */
                entry->sets[context_of(n, i)] = entry->sets[context_of(n, 0)];
                continue;
            }
            Result r = {.values = values, .node = id, .arena = arena_child(values->arena)};
            done = certain_means(&r, rows, v, n, i, moves);
            if (done) entry->sets[context_of(n, i)] = sets_add(values->sets, r.member, r.count);
            arena_free(r.arena);
        }
    return done;
}

static bool uncertain_sets(Values *values, NodeId id, Entry *entry, const SelectorFacts *facts,
                           const NodeValues *v, bool moves) {
    bool done = true;
    TupleMap *memo = tuple_map_new(values->arena, 4);
    for (uint32_t n = 1; n <= values->domain->max_length && done; n++) {
        Arena *scratch = arena_child(values->arena);
        SetId joint = joint_set(values, v, n, scratch);
        for (uint32_t i = 0; i < n && done; i++) {
            uint32_t c = context_of(n, i), least = facts->least[c], most = facts->most[c];
            if (moves && least > 1) least = 1;
            if (moves && most > 1) most = 1;
            bool found;
            uint32_t key[] = {joint, least, most, most > 1 ? n : 0};
            uint32_t *set = tuple_map_at(memo, key, &found);
            if (!found) done = aggregate_set(values, id, v, n, least, most, moves, set, scratch);
            entry->sets[c] = *set;
        }
        arena_free(scratch);
    }
    return done;
}

static bool compute_aggregate(Values *values, NodeId id, Entry *entry) {
    NodeId selector = graph_node(values->graph, id)->arg[0];
    NodeId value = graph_node(values->graph, id)->arg[1];
    const SelectorFacts *facts = values_selector(values, selector);
    const NodeValues *v = values_of(values, value);
    if (!facts || !v) return false;
    bool moves = values_moves(values, id);
    Arena *scratch = arena_child(values->arena);
    CertainRows rows = {.everything = facts->everything,
                        .selector = selector,
                        .literals = selector_literals(values->graph, selector, scratch)};
    rows.positional = !rows.everything && literals_positional(values, &rows.literals);
    bool done = rows.everything || rows.positional
                    ? certain_sets(values, id, entry, &rows, v, moves)
                    : uncertain_sets(values, id, entry, facts, v, moves);
    arena_free(scratch);
    return done;
}

bool values_compute_source(Values *values, NodeId node, Entry *entry) {
    switch (graph_node(values->graph, node)->kind) {
    case NODE_TOKENS:
        return compute_tokens(values, node, entry);
    case NODE_INDICES:
        return compute_indices(values, node, entry);
    case NODE_WIDTH:
        return compute_width(values, node, entry);
    case NODE_AGGREGATE:
        return compute_aggregate(values, node, entry);
    default:
        return false;
    }
}
