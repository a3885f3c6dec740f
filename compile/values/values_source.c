/* The values of the sources: token, position, aggregates, widths. */
#include "compile/values/fractions.h"
#include "compile/values/position_rows.h"
#include "compile/values/values_private.h"

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
    for (uint32_t n = 1; n <= domain->max_length; n++) {
        budget_poll(arena_budget(values->arena));
        for (uint32_t i = 0; i < n; i++) entry->sets[context_of(n, i)] = i == 0 ? first : any;
    }
    return true;
}

static bool compute_indices(Values *values, NodeId node, Entry *entry) {
    for (uint32_t i = 0; i < values->domain->max_length; i++) {
        uint32_t level = entry_level(values, node, atom_int(i));
        if (level == UINT32_MAX) return false;
        SetId set = sets_add(values->sets, &level, 1);
        budget_poll(arena_budget(values->arena));
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
        if ((c & 0xfff) == 0) budget_poll(arena_budget(values->arena));
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

SetId values_within(Values *values, const NodeValues *v, uint32_t n) {
    return sets_union(values->sets, v->sets + context_of(n, 0), n);
}

static uint32_t set_atoms(Values *values, const NodeValues *v, SetId set, Atom **atoms,
                          Arena *arena) {
    uint32_t count;
    const uint32_t *member = sets_get(values->sets, set, &count);
    *atoms = ARENA_ARRAY(arena, count, Atom);
    for (uint32_t k = 0; k < count; k++) (*atoms)[k] = v->levels[member[k]];
    return count;
}

/* So many pairs of a sum and a value are added up exactly before fractions are taken for it. */
static const double FEW_SUMS = 0x1p14;

/* One aggregate's work: its values, the means of each set of them, the set being built. */
typedef struct Work {
    Values *values;
    NodeId node;
    const NodeValues *v;
    bool moves;
    bool averages;      /* several bools alone cannot be averaged: an error, no value */
    TupleMap *means_of; /* set -> index into means and fractions */
    Means **means;
    Fractions **fractions; /* NULL: its values are no fractions */
    size_t means_count, means_capacity, fractions_capacity;
    Arena *arena; /* lives as long as the work */
    uint32_t *member;
    size_t count, capacity;
    SetMaker maker; /* of sets of many members */
} Work;

enum { FEW_MEMBERS = 64 };
#define NO_SET UINT32_MAX

static bool add_value_as(Work *w, Atom value, unsigned kinds) {
    uint32_t level = entry_level_as(w->values, w->node, value, kinds);
    if (level == UINT32_MAX) return false;
    w->member = arena_grow(w->arena, w->member, &w->capacity, w->count + 1, sizeof *w->member);
    w->member[w->count++] = level;
    return true;
}

static bool add_value(Work *w, Atom value) {
    return add_value_as(w, value, kind_bit(value));
}

/* The set that was built, and the members of another one, unless that is NO_SET. */
static SetId finish_set(Work *w, SetId other) {
    SetId set;
    if (other == NO_SET && w->count < FEW_MEMBERS)
        set = sets_add(w->values->sets, w->member, w->count);
    else {
        if (other != NO_SET) set_maker_add_set(&w->maker, other);
        for (size_t k = 0; k < w->count; k++) set_maker_add(&w->maker, w->member[k]);
        set = set_maker_finish(&w->maker);
    }
    w->count = 0;
    return set;
}

static bool all_numbers(const Atom *atom, uint32_t count) {
    bool other_than_bool = false;
    for (uint32_t k = 0; k < count; k++) {
        if (!atom_is_number(atom[k])) return false;
        other_than_bool |= atom[k].kind != ATOM_BOOL;
    }
    return other_than_bool;
}

/* The means of the members of a set of values; NULL and the error when they cannot be. */
static Means *means_of_set(Work *w, SetId set) {
    bool found;
    uint32_t *at = tuple_map_at(w->means_of, &set, &found);
    if (found) return w->means[*at];
    Atom *atoms;
    uint32_t count = set_atoms(w->values, w->v, set, &atoms, w->arena);
    if (!all_numbers(atoms, count)) {
        values_too_large(w->values, w->node, "kinds of values that it averages", 2, 1);
        return NULL;
    }
    Means *means = means_new(w->arena, atoms, count, w->values->domain->max_length);
    if (!means) {
        values_too_large(w->values, w->node, "bits in the exact sum of its values", 121, 120);
        return NULL;
    }
    if (w->values->work_limit > 0) means_lower_limit(means, w->values->work_limit);
    w->means = arena_grow(w->arena, w->means, &w->means_capacity, w->means_count + 1, sizeof means);
    w->fractions = arena_grow(w->arena, w->fractions, &w->fractions_capacity, w->means_count + 1,
                              sizeof *w->fractions);
    w->fractions[w->means_count] =
        fractions_new(w->arena, atoms, count, w->values->domain->max_length);
    *at = (uint32_t)w->means_count;
    return w->means[w->means_count++] = means;
}

static Fractions *fractions_of_set(const Work *w, SetId set) {
    bool found;
    return w->fractions[*tuple_map_at(w->means_of, &set, &found)];
}

static bool too_many_sums(Work *w) {
    if (!values_charge(w->values, w->node, w->values->work_limit)) return false;
    return values_too_large(w->values, w->node, "sums of its values", means_limit + 1, means_limit);
}

/* The values of the set themselves; as floats too where several equal ones are averaged. */
static bool add_own(Work *w, SetId set, bool one, bool several) {
    uint32_t count;
    const uint32_t *member = sets_get(w->values->sets, set, &count);
    for (uint32_t k = 0; k < count; k++) {
        Atom value = w->v->levels[member[k]];
        unsigned kinds = one ? w->v->kinds[member[k]] : 0;
        if (several && w->averages && value.kind != ATOM_STRING) kinds |= IS_FLOAT;
        if (kinds && !add_value_as(w, value, kinds)) return false;
    }
    return true;
}

/* Means of `width` values; of one value, the value itself. */
static bool add_means(Work *w, SetId set, Means *means, uint32_t width, const Sums *sums) {
    if (width == 1) return add_own(w, set, true, false);
    for (size_t s = 0; s < sums->count; s++)
        if (!add_value(w, atom_float(means_value(means, sums->sum[s], width)))) return false;
    return true;
}

/* Exactly as the values' doubles add up, while that is not too many sums; else, if they are rounded
 * fractions, every double that a mean of them can be. */
static bool add_width(Work *w, SetId set, uint32_t width) {
    Means *means = means_of_set(w, set);
    if (!means) return false;
    Fractions *fractions = fractions_of_set(w, set);
    Sums sums;
    if (means_sums_up_to(means, width, fractions ? FEW_SUMS : means_limit, &sums))
        return add_means(w, set, means, width, &sums);
    if (!fractions || !fractions_sums(fractions, width, &sums)) return too_many_sums(w);
    for (size_t s = 0; s < sums.count; s++) {
        double value[FRACTIONS_MOST];
        uint32_t count;
        if (!fractions_near(fractions, sums.sum[s], width, value, &count)) return too_many_sums(w);
        for (uint32_t k = 0; k < count; k++)
            if (!add_value(w, atom_float(value[k]))) return false;
    }
    return true;
}

/* Rows of which `least` to `most` keys are selected, whichever. */
static bool uncertain_row(Work *w, SetId set, uint32_t least, uint32_t most) {
    if (least == 0 && !add_value(w, graph_node(w->values->graph, w->node)->atom)) return false;
    if (w->moves) return most == 0 || add_own(w, set, least <= 1, most > 1);
    if (least <= 1 && most >= 1 && !add_means(w, set, NULL, 1, NULL)) return false;
    if (most < 2) return true;
    for (uint32_t width = least > 2 ? least : 2; width <= most; width++)
        if (!add_width(w, set, width)) return false;
    return true;
}

/* Rows whose keys are certain: every one, or those that only positions decide. */
typedef struct CertainRows {
    bool everything, positional;
    Literals literals;
    PositionRows *rows; /* none of `literals`: everything */
} CertainRows;

/* One value from each selected position's own set. */
static bool certain_row(Work *w, const CertainRows *rows, uint32_t n, uint32_t i, SetId within,
                        Arena *scratch) {
    Values *values = w->values;
    SetId *own = ARENA_ARRAY(scratch, n, SetId);
    uint32_t width = 0, stretches;
    bool alike = true;
    const Stretch *row = position_rows_at(rows->rows, n, i, &stretches, NULL);
    for (uint32_t s = 0; s < stretches; s++)
        for (uint32_t j = row[s].first; j < row[s].last; j++)
            own[width++] = w->v->sets[context_of(n, j)];
    if (width == 0) return add_value(w, graph_node(values->graph, w->node)->atom);
    for (uint32_t k = 0; k < width && (w->moves || width == 1); k++)
        if ((k == 0 || own[k] != own[k - 1]) && !add_own(w, own[k], width == 1, width > 1))
            return false;
    if (w->moves || width == 1) return true;
    for (uint32_t k = 1; k < width; k++) alike &= own[k] == own[0];
    Means *means = means_of_set(w, alike ? own[0] : within);
    Sums sums;
    if (!means) return false;
    if (!means_sums(means, alike ? width : 0, &sums)) return too_many_sums(w);
    for (uint32_t k = 0; k < width && !alike; k++) {
        Atom *atoms;
        uint32_t count = set_atoms(values, w->v, own[k], &atoms, scratch);
        if (!means_add(means, &sums, atoms, count, scratch)) return too_many_sums(w);
    }
    return add_means(w, within, means, width, &sums);
}

/* The one set that the values at all positions of an input of length n have, if they do. */
static bool alike_within(const Work *w, uint32_t n, SetId *set) {
    *set = w->v->sets[context_of(n, 0)];
    for (uint32_t j = 1; j < n; j++)
        if (w->v->sets[context_of(n, j)] != *set) return false;
    return true;
}

/* Rows of known width over values that are alike everywhere: which ones does not matter. */
static bool alike_rows(Work *w, const SelectorFacts *facts, SetId set, uint32_t n, TupleMap *memo,
                       SetId *sets) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t c = context_of(n, i), width = facts->most[c];
        if (w->moves && width > 2) width = 2; /* one or several: no other difference */
        bool found;
        uint32_t *at = tuple_map_at(memo, (uint32_t[]){set, width}, &found);
        if (!found) {
            if (!uncertain_row(w, set, width, width)) return false;
            *at = finish_set(w, NO_SET);
        }
        sets[c] = *at;
    }
    return true;
}

static bool certain_sets(Work *w, const CertainRows *rows, const SelectorFacts *facts,
                         SetId *sets) {
    uint32_t longest = w->values->domain->max_length;
    TupleMap *memo = tuple_map_new(w->arena, 2);
    for (uint32_t n = 1; n <= longest; n++) {
        SetId alike;
        if (alike_within(w, n, &alike)) {
            if (!alike_rows(w, facts, alike, n, memo, sets)) return false;
            continue;
        }
        Arena *scratch = arena_child(w->arena);
        SetId within = values_within(w->values, w->v, n);
        bool done = true;
        for (uint32_t i = 0; i < n && done; i++) {
            uint32_t c = context_of(n, i);
            if (rows->everything && i > 0) { /* all rows are alike */
                sets[c] = sets[context_of(n, 0)];
                continue;
            }
            done = certain_row(w, rows, n, i, within, scratch);
            sets[c] = finish_set(w, NO_SET);
        }
        arena_free(scratch);
        if (!done) return false;
    }
    return true;
}

/* Means of rows with the same values and the same least width, of the greatest width so far. */
typedef struct Widest {
    uint32_t most;
    SetId set;
} Widest;

/* The same set, of a row of which up to `most` keys are selected: what it adds to that of narrower
 * ones, in the order in which all of them would come. */
static bool wider_row(Work *w, SetId set, uint32_t least, uint32_t most, Widest *widest) {
    if (w->moves || least > widest->most || widest->most < 2 || widest->most > most) {
        if (!uncertain_row(w, set, least, most)) return false;
        *widest = (Widest){most, finish_set(w, NO_SET)};
        return true;
    }
    for (uint32_t width = widest->most + 1; width <= most; width++)
        if (!add_width(w, set, width)) return false;
    *widest = (Widest){most, finish_set(w, widest->set)};
    return true;
}

static bool uncertain_sets(Work *w, const SelectorFacts *facts, SetId *sets) {
    TupleMap *memo = tuple_map_new(w->arena, 3), *row = tuple_map_new(w->arena, 2);
    Widest *widest = NULL;
    size_t capacity = 0;
    uint32_t longest = w->values->domain->max_length;
    for (uint32_t n = 1; n <= longest; n++) {
        SetId within = values_within(w->values, w->v, n);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t c = context_of(n, i), least = facts->least[c], most = facts->most[c];
            if (w->moves && least > 2) least = 2;
            if (w->moves && most > 2) most = 2;
            bool found, begun;
            uint32_t *set = tuple_map_at(memo, (uint32_t[]){within, least, most}, &found);
            if (!found) {
                uint32_t *at = tuple_map_at(row, (uint32_t[]){within, least}, &begun);
                if (!begun) *at = tuple_map_count(row) - 1;
                widest = arena_grow(w->arena, widest, &capacity, *at + 1, sizeof *widest);
                if (!wider_row(w, within, least, most, &widest[*at])) return false;
                *set = widest[*at].set;
            }
            sets[c] = *set;
        }
    }
    return true;
}

/* One over the width. */
static bool counted_sets(Work *w, const SelectorFacts *facts, SetId one, SetId *sets) {
    TupleMap *memo = tuple_map_new(w->arena, 2);
    for (uint32_t c = 0; c < domain_contexts(w->values->domain); c++) {
        uint32_t range[2] = {facts->least[c] > 1 ? facts->least[c] : 1, facts->most[c]};
        bool found;
        uint32_t *set = tuple_map_at(memo, range, &found);
        for (uint32_t width = range[0]; !found && width <= range[1]; width++)
            if (!(width == 1 ? add_own(w, one, true, false)
                             : add_value(w, atom_float(1.0 / width))))
                return false;
        if (!found) *set = finish_set(w, NO_SET);
        sets[c] = *set;
    }
    return true;
}

static bool compute_aggregate(Values *values, NodeId id, Entry *entry) {
    NodeId selector = graph_node(values->graph, id)->arg[0];
    NodeId value = graph_node(values->graph, id)->arg[1];
    const SelectorFacts *facts = values_selector(values, selector);
    const NodeValues *v = values_of(values, value);
    if (!facts || !v) return false;
    Arena *scratch = arena_child(values->arena);
    unsigned kinds = 0;
    for (uint32_t k = 0; k < v->count; k++) kinds |= v->kinds[k];
    Work w = {.values = values,
              .node = id,
              .v = v,
              .moves = values_moves(values, id),
              .averages = (kinds & ~(unsigned)(IS_BOOL | IS_STRING)) != 0,
              .means_of = tuple_map_new(scratch, 1),
              .arena = scratch,
              .maker = {.sets = values->sets, .arena = scratch}};
    CertainRows rows = {.everything = facts->everything,
                        .literals = selector_literals(values->graph, selector, scratch)};
    rows.positional = !rows.everything && literals_positional(values, &rows.literals);
    if (rows.everything || rows.positional)
        rows.rows = position_rows_new(values, &rows.literals, rows.positional, scratch);
    bool done = values_counted(values, id)
                    ? counted_sets(&w, facts, v->sets[context_of(1, 0)], entry->sets)
                : rows.everything || rows.positional ? certain_sets(&w, &rows, facts, entry->sets)
                                                     : uncertain_sets(&w, facts, entry->sets);
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
    case NODE_MAP:
        return values_compute_sum(values, node, entry);
    default:
        return false;
    }
}
