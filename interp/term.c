#include "interp/term.h"

#include "interp/cross.h"
#include "interp/group.h"

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

/* The crossing order takes a pass for each bit of its ranks, so it is the one of fewer. */
static void swap_orders(Shape *shape) {
    if (!shape->cross || shape->cross_index->distinct <= shape->main_index->distinct) return;
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
    uint32_t low, high; /* ranks low … high - 1 */
} Interval;

static Interval mask_interval(unsigned mask, uint32_t code, uint32_t ranks) {
    if (code == CODE_NAN) return (Interval){0, 0};
    uint32_t below = code_below(code), through = code_through(code);
    return (Interval){mask & OUTCOME_LESS    ? 0
                      : mask & OUTCOME_EQUAL ? below
                                             : through,
                      mask & OUTCOME_GREATER ? ranks
                      : mask & OUTCOME_EQUAL ? through
                                             : below};
}

/* What all of the term's comparisons of this key leave, for row i. */
static Interval key_interval(const Build *build, const Column *keys, const KeyIndex *index,
                             size_t i) {
    Interval all = {0, index->distinct};
    for (size_t v = 0; v < build->source->plan->variable_count; v++) {
        if (!is_pair(build->source, build->plan, v) || build->source->keys[v] != keys) continue;
        Interval one =
            mask_interval(build->plan->mask[v], build->source->codes[v][i], index->distinct);
        if (one.low > all.low) all.low = one.low;
        if (one.high < all.high) all.high = one.high;
    }
    if (all.high < all.low) all.high = all.low;
    return all;
}

static bool row_stays(const Build *build, size_t i) {
    const TermSource *source = build->source;
    for (size_t v = 0; v < source->plan->variable_count; v++)
        if (source->plan->variable[v].kind == VARIABLE_QUERY &&
            build->plan->mask[v] != OUTCOME_ANY &&
            source->holds[v][i] != (build->plan->mask[v] == OUTCOME_TRUE))
            return false;
    return true;
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

static Interval row_slice(const Build *build, const Term *term, size_t i) {
    Interval slice = {0, (uint32_t)term->members};
    if (!row_stays(build, i)) return (Interval){0, 0};
    const Shape *shape = &build->shape;
    if (shape->equal_count) {
        uint32_t group = build->groups.query[i];
        if (group == RANK_NONE) return (Interval){0, 0};
        slice = (Interval){build->group_start[group], build->group_start[group + 1]};
    }
    if (!shape->main) return slice;
    Interval ranks = key_interval(build, shape->main, shape->main_index, i);
    if (!shape->equal_count)
        return build->rank_start
                   ? (Interval){build->rank_start[ranks.low], build->rank_start[ranks.high]}
                   : ranks;
    if (ranks.low > 0)
        slice.low = first_at_least(term, shape->main_index, slice.low, slice.high, ranks.low);
    if (ranks.high < shape->main_index->distinct)
        slice.high = first_at_least(term, shape->main_index, slice.low, slice.high, ranks.high);
    return slice;
}

static void make_rows(Build *build, Term *term) {
    term->low = ARENA_BLOCK(build->arena, term->rows, uint32_t);
    term->high = ARENA_BLOCK(build->arena, term->rows, uint32_t);
    int threads = build->source->threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < term->rows; i++) {
        Interval slice = row_slice(build, term, i);
        term->low[i] = slice.low;
        term->high[i] = slice.high;
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
    for (size_t i = 0; i < term->rows; i++) {
        Interval ranks = key_interval(build, build->shape.cross, index, i);
        term->from[i] = ranks.low;
        term->to[i] = ranks.high;
    }
}

Term term_build(const TermSource *source, const PlanTerm *plan, Arena *arena) {
    Build build = {.source = source, .plan = plan, .arena = arena, .shape = shape_of(source, plan)};
    Term term = {.weight = plan->weight, .rows = source->rows};
    make_order(&build, &term);
    make_rows(&build, &term);
    make_cross(&build, &term);
    const KeyIndex *main = build.shape.main_index;
    bool sorts = main && main->lookup != KEY_IDENTITY;
    term.plan = term.cross                ? "dominance"
                : build.shape.equal_count ? (main ? "groups, prefix sums" : "hash groups")
                : sorts                   ? "prefix sums"
                : main                    ? "by index"
                                          : "all";
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
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < term->rows; i++)
        if (totals->only[i] > 1)
            add_weighted(scale, term->weight, totals->sum + i * words,
                         prefix + (size_t)term->high[i] * words,
                         prefix + (size_t)term->low[i] * words);
    arena_release(arena, prefix);
}

void term_add(const Term *term, const Totals *totals, Arena *arena, int threads) {
    budget_poll(arena_budget(arena));
    if (term->cross) {
        cross_add(term, totals, arena, threads);
        return;
    }
    if (totals->count) add_counts(term, totals->count);
    if (totals->position) add_positions(term, totals->position, arena);
    if (totals->sum) add_sums(term, totals, arena, threads);
}
