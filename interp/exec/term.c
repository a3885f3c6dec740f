#include "interp/exec/term.h"

#include "base/parallel.h"
#include "interp/exec/cross.h"
#include "interp/exec/group.h"

#include <string.h>

/* What a term asks of its keys: which order its slices (`main`), which cuts across (`cross`),
 * which equalities make groups. */
typedef struct Shape {
    const Column *main, *cross; /* or NULL */
    const KeyIndex *main_index, *cross_index;
    size_t equal[PLAN_MAX_VARIABLES];
    size_t equal_count;
} Shape;

static bool is_pair(const TermSource *source, const PlanTerm *plan, size_t v) {
    return source->plan->variable[v].kind == VARIABLE_PAIR && plan->mask[v] != OUTCOME_ANY;
}

static void add_order(Shape *shape, const TermSource *source, size_t v) {
    const Column *keys = source->keys[v];
    if (keys == shape->main || keys == shape->cross) return;
    if (shape->main) {
        shape->cross = keys;
        shape->cross_index = source->index[v];
    } else {
        shape->main = keys;
        shape->main_index = source->index[v];
    }
}

/* The crossing order takes a pass for each bit of its ranks, so it is the one of fewer; and
 * the positions, as the main one, need no sorting. */
static void swap_orders(Shape *shape) {
    if (!shape->cross) return;
    uint32_t main = shape->main_index->distinct, cross = shape->cross_index->distinct;
    if (cross < main || (cross == main && shape->cross_index->lookup != KEY_IDENTITY)) return;
    const Column *column = shape->main;
    const KeyIndex *index = shape->main_index;
    shape->main = shape->cross;
    shape->main_index = shape->cross_index;
    shape->cross = column;
    shape->cross_index = index;
}

/* An equality is an interval of its key's order too.  If there is no other order, one takes
 * that place: the only one, or one with the positions as keys, which needs no sorting. */
static void choose_main(Shape *shape, const TermSource *source) {
    for (size_t k = 0; k < shape->equal_count && !shape->main; k++) {
        size_t v = shape->equal[k];
        if (shape->equal_count > 1 && source->index[v]->lookup != KEY_IDENTITY) continue;
        shape->main = source->keys[v];
        shape->main_index = source->index[v];
    }
}

static Shape shape_of(const TermSource *source, const PlanTerm *plan) {
    Shape shape = {0};
    for (size_t v = 0; v < source->plan->variable_count; v++)
        if (is_pair(source, plan, v)) {
            if (plan->mask[v] == OUTCOME_EQUAL)
                shape.equal[shape.equal_count++] = v;
            else
                add_order(&shape, source, v);
        }
    swap_orders(&shape);
    choose_main(&shape, source);
    size_t kept = 0; /* equalities of an ordering key narrow its interval instead */
    for (size_t k = 0; k < shape.equal_count; k++) {
        const Column *keys = source->keys[shape.equal[k]];
        if (keys != shape.main && keys != shape.cross) shape.equal[kept++] = shape.equal[k];
    }
    shape.equal_count = kept;
    return shape;
}

/* --- which keys --------------------------------------------------------------------------- */

static bool key_stays(const TermSource *source, const PlanTerm *plan, const Shape *shape,
                      size_t j) {
    for (size_t v = 0; v < source->plan->variable_count; v++)
        if (source->plan->variable[v].kind == VARIABLE_KEY && plan->mask[v] != OUTCOME_ANY &&
            source->holds[v][j] != (plan->mask[v] == OUTCOME_TRUE))
            return false;
    return !shape->cross || !shape->cross_index->rank || shape->cross_index->rank[j] != RANK_NONE;
}

static bool all_stay(const TermSource *source, const PlanTerm *plan, const Shape *shape) {
    if (shape->cross && shape->cross_index->nan) return false;
    for (size_t v = 0; v < source->plan->variable_count; v++)
        if (source->plan->variable[v].kind == VARIABLE_KEY && plan->mask[v] != OUTCOME_ANY)
            return false;
    return true;
}

/* The term's order of keys while it is built, and where ranks or groups start in it. */
typedef struct Build {
    const TermSource *source;
    const PlanTerm *plan;
    Arena *arena;
    Shape shape;
    Groups groups;
    uint32_t *rank_start;  /* no groups: [ranks of main + 1]; NULL: rank r starts at r */
    uint32_t *group_start; /* [groups + 1] */
} Build;

static void filter(Build *build, Term *term) {
    term->members = build->source->length;
    if (all_stay(build->source, build->plan, &build->shape)) return;
    term->order = ARENA_BLOCK(build->arena, term->members, uint32_t);
    size_t count = 0;
    for (size_t j = 0; j < build->source->length; j++)
        if (key_stays(build->source, build->plan, &build->shape, j))
            term->order[count++] = (uint32_t)j;
    term->members = count;
}

/* Sorts the term's order by ranks; the starts. */
static uint32_t *sort_members(Build *build, Term *term, const uint32_t *rank, uint32_t ranks) {
    uint32_t *start = ARENA_BLOCK(build->arena, (size_t)ranks + 1, uint32_t);
    uint32_t *order = ARENA_BLOCK(build->arena, term->members, uint32_t);
    counting_sort(rank, ranks, term->order, term->members, start, order);
    arena_release(build->arena, term->order);
    term->order = order;
    term->members = start[ranks];
    return start;
}

static void make_order(Build *build, Term *term) {
    const KeyIndex *main = build->shape.main_index;
    filter(build, term);
    bool grouped = build->shape.equal_count > 0;
    /* Positions are in order as they are; without groups a filter asks for the starts. */
    if (main && (main->lookup != KEY_IDENTITY || (term->order && !grouped)))
        build->rank_start = sort_members(build, term, main->rank, main->distinct);
    if (!grouped) return;
    const TermSource *source = build->source;
    const size_t *equal = build->shape.equal;
    build->groups =
        groups_new(source->index[equal[0]], source->codes[equal[0]], source->rows, build->arena);
    for (size_t k = 1; k < build->shape.equal_count; k++)
        groups_refine(&build->groups, source->index[equal[k]], source->codes[equal[k]],
                      build->arena);
    build->group_start = sort_members(build, term, build->groups.key, build->groups.count);
}

/* --- rows --------------------------------------------------------------------------------- */

typedef struct Interval {
    uint32_t low, high;
} Interval;

/* The ranks, of so many, for which a comparison with the code's query holds; the low end is no
 * greater than the high one. */
static inline Interval interval_of(unsigned mask, uint32_t code, uint32_t ranks) {
    uint32_t below = code_below(code), through = code_through(code);
    if (code == CODE_NAN) return (Interval){0, 0};
    return (Interval){mask & OUTCOME_LESS    ? 0
                      : mask & OUTCOME_EQUAL ? below
                                             : through,
                      mask & OUTCOME_GREATER ? ranks
                      : mask & OUTCOME_EQUAL ? through
                                             : below};
}

/* Narrows rows' intervals of ranks, low[i] … high[i] - 1, by one comparison. */
static void narrow(unsigned mask, const uint32_t *codes, uint32_t ranks, size_t rows, uint32_t *low,
                   uint32_t *high) {
    for (size_t i = 0; i < rows; i++) {
        Interval found = interval_of(mask, codes[i], ranks);
        low[i] = found.low > low[i] ? found.low : low[i];
        high[i] = found.high < high[i] ? found.high : high[i];
        if (high[i] < low[i]) high[i] = low[i];
    }
}

/* The first comparison of a key: there is nothing to narrow yet. */
static void set_intervals(unsigned mask, const uint32_t *codes, uint32_t ranks, size_t rows,
                          uint32_t *low, uint32_t *high) {
    for (size_t i = 0; i < rows; i++) {
        Interval found = interval_of(mask, codes[i], ranks);
        low[i] = found.low;
        high[i] = found.high;
    }
}

/* What all of the term's comparisons of this key leave, for every row. */
static void key_intervals(const Build *build, const Column *keys, const KeyIndex *index,
                          uint32_t *low, uint32_t *high) {
    const TermSource *source = build->source;
    bool first = true;
    for (size_t v = 0; v < source->plan->variable_count; v++)
        if (is_pair(source, build->plan, v) && source->keys[v] == keys) {
            (first ? set_intervals : narrow)(build->plan->mask[v], source->codes[v],
                                             index->distinct, source->rows, low, high);
            first = false;
        }
}

static uint32_t rank_at(const Term *term, const KeyIndex *index, uint32_t at) {
    uint32_t member = term->order ? term->order[at] : at;
    return index->rank ? index->rank[member] : member;
}

/* The first place in low … high - 1 whose rank is at least `rank`. */
static uint32_t first_at_least(const Term *term, const KeyIndex *index, uint32_t low, uint32_t high,
                               uint32_t rank) {
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rank_at(term, index, middle) < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

typedef struct Search {
    const Build *build;
    const Term *term;
} Search;

static void search_range(void *context, size_t first, size_t last) {
    const Build *build = ((const Search *)context)->build;
    const Term *term = ((const Search *)context)->term;
    const KeyIndex *index = build->shape.main_index;
    for (size_t i = first; i < last; i++) {
        uint32_t group = build->groups.query[i], low = term->low[i], high = term->high[i];
        uint32_t begin = 0, end = 0;
        if (group != RANK_NONE) {
            begin = build->group_start[group];
            end = build->group_start[group + 1];
        }
        if (high < index->distinct) end = first_at_least(term, index, begin, end, high);
        if (low > 0) begin = first_at_least(term, index, begin, end, low);
        term->low[i] = begin;
        term->high[i] = end;
    }
}

/* Ranks to places, in the group of each row: by searching. */
static void search_groups(const Build *build, const Term *term) {
    Search search = {build, term};
    parallel_ranges(term->rows, build->source->threads, search_range, &search);
}

static bool is_ascending(const uint32_t *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (values[i] < values[i - 1]) return false;
    return true;
}

/* Moves bounds from ranks to places, in the group of each row: as they ascend from row to row
 * (`indices <= i`), each group's place only moves on. */
static void walk_groups(const Build *build, const Term *term, uint32_t *bound) {
    const KeyIndex *index = build->shape.main_index;
    size_t bytes = (size_t)build->groups.count * sizeof(uint32_t);
    uint32_t *place = ARENA_BLOCK(build->arena, build->groups.count, uint32_t);
    memcpy(place, build->group_start, bytes);
    for (size_t i = 0; i < term->rows; i++) {
        uint32_t group = build->groups.query[i], rank = bound[i];
        bound[i] = 0;
        if (group == RANK_NONE) continue;
        if (rank == 0) {
            bound[i] = place[group];
            continue;
        }
        uint32_t at = place[group], end = build->group_start[group + 1];
        while (at < end && rank_at(term, index, at) < rank) at++;
        place[group] = bound[i] = at;
    }
    arena_release(build->arena, place);
}

static void place_in_groups(const Build *build, const Term *term) {
    if (is_ascending(term->low, term->rows) && is_ascending(term->high, term->rows)) {
        walk_groups(build, term, term->low);
        walk_groups(build, term, term->high);
    } else
        search_groups(build, term);
}

static void place_whole_groups(const Build *build, const Term *term) {
    for (size_t i = 0; i < term->rows; i++) {
        uint32_t group = build->groups.query[i];
        term->low[i] = group == RANK_NONE ? 0 : build->group_start[group];
        term->high[i] = group == RANK_NONE ? 0 : build->group_start[group + 1];
    }
}

/* Rows for which a predicate of the query fails select nothing. */
static void drop_rows(const Build *build, const Term *term) {
    const TermSource *source = build->source;
    for (size_t v = 0; v < source->plan->variable_count; v++) {
        unsigned mask = build->plan->mask[v];
        if (source->plan->variable[v].kind != VARIABLE_QUERY || mask == OUTCOME_ANY) continue;
        for (size_t i = 0; i < term->rows; i++)
            if (source->holds[v][i] != (mask == OUTCOME_TRUE)) term->high[i] = term->low[i];
    }
}

static void make_rows(Build *build, Term *term) {
    term->low = ARENA_BLOCK(build->arena, term->rows, uint32_t);
    term->high = ARENA_BLOCK(build->arena, term->rows, uint32_t);
    const Shape *shape = &build->shape;
    if (shape->main) key_intervals(build, shape->main, shape->main_index, term->low, term->high);
    if (shape->equal_count && shape->main)
        place_in_groups(build, term);
    else if (shape->equal_count)
        place_whole_groups(build, term);
    else if (shape->main && build->rank_start)
        for (size_t i = 0; i < term->rows; i++) {
            term->low[i] = build->rank_start[term->low[i]];
            term->high[i] = build->rank_start[term->high[i]];
        }
    else if (!shape->main)
        for (size_t i = 0; i < term->rows; i++) {
            term->low[i] = 0;
            term->high[i] = (uint32_t)term->members;
        }
    drop_rows(build, term);
}

/* One bound that all rows leave open costs nothing: from 0 on there is nothing to take off,
 * and what goes up to the last rank is the whole slice without what is below `from`. */
static void simplify_cross(Term *term, Arena *arena) {
    bool all_from = true, all_to = true;
    for (size_t i = 0; i < term->rows; i++) {
        all_from = all_from && term->from[i] == 0;
        all_to = all_to && term->to[i] == term->cross_ranks;
    }
    term->cross_weight = term->weight;
    if (all_to && !all_from) {
        term->whole = true;
        term->cross_weight = -term->weight;
        arena_release(arena, term->to);
        term->to = term->from;
        term->from = NULL;
    } else if (all_from) {
        arena_release(arena, term->from);
        term->from = NULL;
    }
}

static void make_cross(Build *build, Term *term) {
    const KeyIndex *index = build->shape.cross_index;
    if (!index) return;
    term->cross_ranks = index->distinct;
    term->cross = ARENA_BLOCK(build->arena, term->members, uint32_t);
    term->from = ARENA_BLOCK(build->arena, term->rows, uint32_t);
    term->to = ARENA_BLOCK(build->arena, term->rows, uint32_t);
    for (size_t k = 0; k < term->members; k++) term->cross[k] = rank_at(term, index, (uint32_t)k);
    key_intervals(build, build->shape.cross, index, term->from, term->to);
    simplify_cross(term, build->arena);
}

static const char *plan_name(const Build *build, const Term *term) {
    const Shape *shape = &build->shape;
    bool order = false;
    for (size_t v = 0; v < build->source->plan->variable_count; v++)
        order = order ||
                (is_pair(build->source, build->plan, v) && build->plan->mask[v] != OUTCOME_EQUAL);
    if (term->cross) return "dominance";
    if (!shape->main && !shape->equal_count) return "all";
    if (shape->equal_count) return order ? "groups, prefix sums" : "groups";
    if (shape->main_index->lookup == KEY_IDENTITY) return "by index";
    return order ? "prefix sums" : "groups";
}

Term term_build(const TermSource *source, const PlanTerm *plan, Arena *arena) {
    Build build = {.source = source, .plan = plan, .arena = arena, .shape = shape_of(source, plan)};
    Term term = {.weight = plan->weight, .rows = source->rows};
    make_order(&build, &term);
    make_rows(&build, &term);
    make_cross(&build, &term);
    term.plan = plan_name(&build, &term);
    groups_free(&build.groups, arena);
    arena_release(arena, build.rank_start);
    arena_release(arena, build.group_start);
    return term;
}

void term_free(Term *term, Arena *arena) {
    uint32_t *const blocks[] = {term->order, term->low,  term->high,
                                term->cross, term->from, term->to};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) arena_release(arena, blocks[k]);
    *term = (Term){0};
}

/* --- totals ------------------------------------------------------------------------------- */

static void add_counts(const Term *term, uint32_t *count) {
    uint32_t weight = (uint32_t)term->weight;
    for (size_t i = 0; i < term->rows; i++) count[i] += weight * (term->high[i] - term->low[i]);
}

/* 0 + 1 + … + (end - 1), modulo 2^32. */
static uint32_t triangle(uint32_t end) {
    return (uint32_t)((uint64_t)end * (end - (end > 0)) / 2);
}

static void add_positions(const Term *term, uint32_t *position, Arena *arena) {
    uint32_t weight = (uint32_t)term->weight, *prefix = NULL;
    if (term->order) {
        prefix = ARENA_BLOCK(arena, term->members + 1, uint32_t);
        prefix[0] = 0;
        for (size_t k = 0; k < term->members; k++) prefix[k + 1] = prefix[k] + term->order[k];
    }
    for (size_t i = 0; i < term->rows; i++) {
        uint32_t low = term->low[i], high = term->high[i];
        position[i] +=
            weight * (prefix ? prefix[high] - prefix[low] : triangle(high) - triangle(low));
    }
    arena_release(arena, prefix);
}

static void add_weighted(const SumScale *scale, int weight, uint64_t *sum, const uint64_t *high,
                         const uint64_t *low) {
    for (; weight > 0; weight--) sum_add(scale, sum, high), sum_subtract(scale, sum, low);
    for (; weight < 0; weight++) sum_add(scale, sum, low), sum_subtract(scale, sum, high);
}

typedef struct Adding {
    const Term *term;
    const Totals *totals;
    const uint64_t *prefix; /* [members + 1, words] */
} Adding;

static void add_range(void *context, size_t begin, size_t end) {
    const Adding *a = context;
    const Term *term = a->term;
    size_t words = a->totals->scale->words;
    for (size_t i = begin; i < end; i++)
        if (a->totals->only[i] > 1)
            add_weighted(a->totals->scale, term->weight, a->totals->sum + i * words,
                         a->prefix + (size_t)term->high[i] * words,
                         a->prefix + (size_t)term->low[i] * words);
}

static void add_sums(const Term *term, const Totals *totals, Arena *arena, int threads) {
    const SumScale *scale = totals->scale;
    size_t words = scale->words;
    uint64_t *prefix = arena_block(arena, term->members + 1, words * sizeof *prefix);
    memset(prefix, 0, words * sizeof *prefix);
    for (size_t k = 0; k < term->members; k++) {
        uint64_t *next = prefix + (k + 1) * words;
        size_t member = term->order ? term->order[k] : k;
        memcpy(next, next - words, words * sizeof *next);
        sum_add(scale, next, totals->load + member * words);
    }
    Adding adding = {term, totals, prefix};
    parallel_ranges(term->rows, threads, add_range, &adding);
    arena_release(arena, prefix);
}

void term_add(const Term *term, const Totals *totals, Arena *arena, int threads) {
    budget_poll(arena_budget(arena));
    if (term->cross) cross_add(term, totals, arena, threads);
    if (term->cross && !term->whole) return;
    if (totals->count) add_counts(term, totals->count);
    if (totals->position) add_positions(term, totals->position, arena);
    if (totals->sum) add_sums(term, totals, arena, threads);
}
