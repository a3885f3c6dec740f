/* Selectors, widths and aggregates on every input. */
#include "compile/values/means.h"
#include "compile/values/numbers.h"
#include "compile/values/runs.h"

#include <stdlib.h>
#include <string.h>

/* --- comparisons ------------------------------------------------------------------------ */

/* Levels of keys and queries as numbers that compare as they do: strings behind numbers, equal
 * levels alike, NaN apart. */
enum { RANK_NAN = INT32_MAX };

typedef struct Comparison {
    const uint32_t *key, *query;    /* blocks by cell */
    int32_t *key_rank, *query_rank; /* by block */
    int32_t strings;                /* the least rank of a string */
    unsigned holds;                 /* for which outcomes */
    bool partial;                   /* strings and numbers do not compare */
    bool nan;
    uint64_t *equal_to;         /* scratch, by rank: the keys of an input that have it */
    const uint64_t *positional; /* by context, where positions decide; or NULL */
} Comparison;

typedef struct Ranked {
    Atom atom;
    int32_t *rank;
} Ranked;

static int by_value(const void *a, const void *b) {
    return atom_compare_total(&((const Ranked *)a)->atom, &((const Ranked *)b)->atom);
}

static bool is_nan(Atom a) {
    return a.kind == ATOM_FLOAT && isnan(a.f);
}

static uint32_t add_levels(Ranked *list, uint32_t count, const NodeValues *v, int32_t *rank) {
    for (uint32_t k = 0; k < v->count; k++) {
        rank[k] = RANK_NAN;
        if (!is_nan(v->levels[k])) list[count++] = (Ranked){v->levels[k], &rank[k]};
    }
    return count;
}

/* From ranks by level to ranks by block. */
static int32_t *rank_blocks(const Run *run, const int32_t *rank, Arena *arena) {
    int32_t *by_block = ARENA_ARRAY(arena, run->cells->count, int32_t);
    for (uint32_t b = 0; b < run->cells->count; b++)
        by_block[b] = rank[variant_level(run->variant[b])];
    return by_block;
}

static Comparison new_comparison(Values *values, NodeId select, Arena *arena) {
    const Node *node = graph_node(values->graph, select);
    const Entry *key = values_entry(values, node->arg[0]);
    const Entry *query = values_entry(values, node->arg[1]);
    uint32_t keys = key->values.count, queries = query->values.count;
    int32_t *key_rank = ARENA_ARRAY(arena, keys, int32_t), rank = 0;
    int32_t *query_rank = ARENA_ARRAY(arena, queries, int32_t);
    Comparison c = {.key = key->run->cells->block,
                    .query = query->run->cells->block,
                    .strings = RANK_NAN,
                    .holds = ops[node->op].holds,
                    .partial = !(ops[node->op].flags & OP_TOTAL)};
    Ranked *list = ARENA_ARRAY(arena, (size_t)keys + queries, Ranked);
    uint32_t count = add_levels(list, 0, &key->values, key_rank);
    count = add_levels(list, count, &query->values, query_rank);
    c.nan = count < keys + queries;
    if (count) qsort(list, count, sizeof *list, by_value);
    for (uint32_t k = 0; k < count; k++) {
        rank += k && !atom_equal(list[k - 1].atom, list[k].atom);
        *list[k].rank = rank;
        if (list[k].atom.kind == ATOM_STRING && c.strings == RANK_NAN) c.strings = rank;
    }
    c.partial &= c.strings != RANK_NAN && (c.strings != 0 || c.nan); /* both */
    c.equal_to = ARENA_ARRAY(arena, (size_t)rank + 1, uint64_t);
    c.key_rank = rank_blocks(key->run, key_rank, arena);
    c.query_rank = rank_blocks(query->run, query_rank, arena);
    return c;
}

static uint64_t all_positions(uint32_t n) {
    return n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}

static bool is_string(const Comparison *c, int32_t rank) {
    return rank != RANK_NAN && rank >= c->strings;
}

/* One query against all keys. */
static uint64_t compare_query(const Comparison *c, const int32_t *key, uint32_t n, int32_t query) {
    uint64_t less = 0, equal = 0, nan = 0, all = all_positions(n), word = 0;
    for (uint32_t j = 0; j < n; j++) {
        less |= (uint64_t)(key[j] < query) << j;
        equal |= (uint64_t)(key[j] == query) << j;
    }
    for (uint32_t j = 0; j < n && c->nan; j++) nan |= (uint64_t)(key[j] == RANK_NAN) << j;
    if (query == RANK_NAN) nan = all;
    if (c->holds & OUTCOME_LESS) word |= less;
    if (c->holds & OUTCOME_EQUAL) word |= equal;
    if (c->holds & OUTCOME_GREATER) word |= all & ~less & ~equal;
    return (word & ~nan) | (c->holds & OUTCOME_UNORDERED ? nan : 0);
}

/* All queries against all keys, for equality and its contrary: without going through the pairs. */
static void compare_equal(const Comparison *c, const int32_t *key, const int32_t *query, uint32_t n,
                          uint64_t *word) {
    uint64_t flip = c->holds & OUTCOME_EQUAL ? 0 : all_positions(n);
    for (uint32_t i = 0; i < n; i++) c->equal_to[key[i]] = c->equal_to[query[i]] = 0;
    for (uint32_t j = 0; j < n; j++) c->equal_to[key[j]] |= (uint64_t)1 << j;
    for (uint32_t i = 0; i < n; i++) word[i] = c->equal_to[query[i]] ^ flip;
}

static bool all_comparable(const Comparison *c, const int32_t *key, const int32_t *query,
                           uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (is_string(c, key[i]) != is_string(c, query[0]) ||
            is_string(c, query[i]) != is_string(c, key[0]))
            return false;
    return true;
}

/* What each query of an input selects; false: a string and a number do not compare. */
static bool compare_input(const Comparison *c, const Instance *each, uint64_t *word) {
    int32_t key[INSTANCES_LONGEST], query[INSTANCES_LONGEST];
    unsigned ordered = c->holds & (OUTCOME_LESS | OUTCOME_GREATER);
    if (c->positional) {
        memcpy(word, c->positional + context_of(each->n, 0), each->n * sizeof *word);
        return true;
    }
    for (uint32_t i = 0; i < each->n; i++) {
        key[i] = c->key_rank[c->key[each->cell + i]];
        query[i] = c->query_rank[c->query[each->cell + i]];
    }
    if (!c->nan && (!ordered || ordered == (OUTCOME_LESS | OUTCOME_GREATER)))
        compare_equal(c, key, query, each->n, word);
    else
        for (uint32_t i = 0; i < each->n; i++)
            word[i] = i && query[i] == query[i - 1] ? word[i - 1]
                                                    : compare_query(c, key, each->n, query[i]);
    return !c->partial || all_comparable(c, key, query, each->n);
}

/* Is the node the same at a position of all inputs of a length, and there on all inputs? */
static bool by_context(Values *values, Partition *cells) {
    const Instances *instances = values->runs->instances;
    if (cells->present != instances->cells || cells->count > domain_contexts(values->domain))
        return false;
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++) {
        uint32_t count;
        (void)partitions_in(values->runs->partitions, cells, c, &count);
        if (count > 1) return false;
    }
    return true;
}

/* Then the first input of each length tells for all. */
static void compare_positions(Values *values, NodeId select, Comparison *c, Arena *arena) {
    const Instances *instances = values->runs->instances;
    const Node *node = graph_node(values->graph, select);
    if (c->partial || !by_context(values, values_entry(values, node->arg[0])->run->cells) ||
        !by_context(values, values_entry(values, node->arg[1])->run->cells))
        return;
    uint64_t *word = ARENA_ARRAY(arena, domain_contexts(values->domain), uint64_t);
    for (uint32_t n = 1; n <= instances->longest; n++) {
        Instance first = {.n = n, .cell = instances->first[n]};
        if (instances->inputs[n]) compare_input(c, &first, word + context_of(n, 0));
    }
    c->positional = word;
}

/* --- selectors -------------------------------------------------------------------------- */

typedef struct Selecting {
    Values *values;
    Literals literals;
    Comparison *comparison; /* by literal */
    uint64_t *word;         /* [steps, INSTANCES_LONGEST] */
    bool *absent;
    uint64_t *row;
    uint32_t *least, *most;
    RunRows *rows;
} Selecting;

static bool sides_present(const Selecting *s, const Instance *each) {
    for (uint32_t k = 0; k < s->literals.count; k++)
        if (s->comparison[k].key[each->cell] == NO_BLOCK ||
            s->comparison[k].query[each->cell] == NO_BLOCK)
            return false;
    return true;
}

/* The formula's steps, one after the other; the last is the selector. */
static const uint64_t *select_input(Selecting *s, const Instance *each) {
    uint64_t all = all_positions(each->n), *word = s->word;
    for (uint32_t k = 0; k < s->literals.step_count; k++) {
        LiteralStep step = s->literals.step[k];
        const uint64_t *a = s->word + (size_t)step.a * INSTANCES_LONGEST;
        const uint64_t *b = s->word + (size_t)step.b * INSTANCES_LONGEST;
        word = s->word + (size_t)k * INSTANCES_LONGEST;
        if (step.kind == NODE_SELECT) {
            if (!compare_input(&s->comparison[step.a], each, word)) return NULL;
            continue;
        }
        for (uint32_t i = 0; i < each->n; i++)
            word[i] = step.kind == NODE_NOT   ? ~a[i] & all
                      : step.kind == NODE_AND ? a[i] & b[i]
                                              : a[i] | b[i];
    }
    return word;
}

static void count_input(Selecting *s, const Instance *each, const uint64_t *word) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < each->n; i++) {
        uint32_t c = context_of(each->n, i);
        if (!i || word[i] != word[i - 1]) count = (uint32_t)__builtin_popcountll(word[i]);
        s->row[each->cell + i] = word[i];
        if (count < s->least[c]) s->least[c] = count;
        if (count > s->most[c]) s->most[c] = count;
        s->rows->facts.never_empty &= count > 0;
        s->rows->facts.at_most_one &= count <= 1;
        s->rows->facts.everything &= count == each->n;
    }
}

static void select_inputs(Selecting *s) {
    const Instances *instances = s->values->runs->instances;
    for (Instance each = instances_begin(instances); each.n; instances_next(instances, &each)) {
        bool present = sides_present(s, &each);
        const uint64_t *word = present ? select_input(s, &each) : NULL;
        s->absent[each.number] = !word;
        s->rows->fails |= present && !word;
        if (word) count_input(s, &each, word);
        if ((each.number & 0x3ff) == 0) budget_poll(arena_budget(s->values->arena));
    }
}

/* Of contexts that never come up nothing is said that others would not say. */
static void settle_counts(Selecting *s) {
    for (uint32_t c = 0; c < domain_contexts(s->values->domain); c++)
        if (s->least[c] > s->most[c]) s->least[c] = s->most[c] = 1;
}

const RunRows *runs_selector(Values *values, NodeId selector) {
    Entry *entry = values_entry(values, selector);
    if (entry->rows) return entry->rows;
    const Instances *instances = values->runs->instances;
    Arena *arena = values->arena, *scratch = arena_child(arena);
    Selecting s = {.values = values,
                   .literals = selector_literals(values->graph, selector, scratch)};
    bool known = true;
    s.comparison = ARENA_ARRAY(scratch, s.literals.count, Comparison);
    for (uint32_t k = 0; k < s.literals.count; k++) {
        Node node = *graph_node(values->graph, s.literals.select[k]);
        known = values_of(values, node.arg[0]) && values_of(values, node.arg[1]);
        if (!known) break;
        s.comparison[k] = new_comparison(values, s.literals.select[k], scratch);
        compare_positions(values, s.literals.select[k], &s.comparison[k], scratch);
    }
    if (known) {
        size_t contexts = domain_contexts(values->domain);
        s.word = ARENA_ARRAY(scratch, (size_t)s.literals.step_count * INSTANCES_LONGEST, uint64_t);
        s.absent = ARENA_ARRAY(arena, instances->input_count, bool);
        s.row = ARENA_BLOCK(arena, (size_t)instances->cells + 1, uint64_t);
        s.least = ARENA_ARRAY(arena, contexts, uint32_t);
        s.most = ARENA_ARRAY(arena, contexts, uint32_t);
        memset(s.least, 0xff, contexts * sizeof *s.least);
        s.rows = ARENA_NEW(arena, RunRows);
        *s.rows = (RunRows){
            .row = s.row, .absent = s.absent, .facts = {s.least, s.most, true, true, true}};
        select_inputs(&s);
        settle_counts(&s);
        entry->rows = s.rows;
    }
    arena_free(scratch);
    return entry->rows;
}

/* --- what positions and counts decide
 * ----------------------------------------------------------------------------- */

/* Level k is token k of the alphabet, whether it occurs or not: embeddings go by that. */
static bool run_tokens(Values *values, NodeId id, Entry *entry, uint32_t *code) {
    const Instances *instances = values->runs->instances;
    const Domain *domain = values->domain;
    uint32_t *variant = ARENA_ARRAY(values->arena, domain->alphabet_size, uint32_t);
    for (uint32_t k = 0; k < domain->alphabet_size; k++) {
        variant[k] = run_level(values, id, domain->alphabet[k]);
        if (variant[k] == NO_BLOCK) return false;
    }
    for (uint32_t c = 0; c < instances->cells; c++) code[c] = variant[instances->token[c]];
    return runs_keep(values, id, entry, code, (Run){0});
}

/* Of whole numbers from 0 to longest: the variant of each that has been met. */
typedef struct Counts {
    uint32_t variant[INSTANCES_LONGEST + 1];
} Counts;

static uint32_t count_variant(Values *values, NodeId id, Counts *counts, uint32_t count) {
    uint32_t *known = &counts->variant[count];
    if (*known == NO_BLOCK) *known = run_level(values, id, atom_int(count));
    return *known;
}

/* The index, or the width of a selector's rows where there is one. */
static bool run_counts(Values *values, NodeId id, Entry *entry, const RunRows *rows,
                       uint32_t *code) {
    const Instances *instances = values->runs->instances;
    Counts counts;
    memset(&counts, 0xff, sizeof counts);
    for (Instance each = instances_begin(instances); each.n; instances_next(instances, &each))
        for (uint32_t i = 0; i < each.n; i++) {
            uint32_t *at = &code[each.cell + i], count = i;
            *at = NO_BLOCK;
            if (rows && rows->absent[each.number]) continue;
            if (rows) count = (uint32_t)__builtin_popcountll(rows->row[each.cell + i]);
            *at = count_variant(values, id, &counts, count);
            if (*at == NO_BLOCK) return false;
        }
    return runs_keep(values, id, entry, code, (Run){0});
}

/* --- aggregates ------------------------------------------------------------------------- */

typedef struct Averaging {
    Values *values;
    NodeId id, value;
    const Run *run; /* of the values */
    const Atom *levels;
    bool infinite;                  /* some of them are no finite numbers */
    uint32_t at[INSTANCES_LONGEST]; /* variants of the values of one input */
    const RunRows *rows;
    bool declared;     /* as moving: rows that would mix are no rows of an input with an answer */
    Means *means;      /* NULL: not yet asked for */
    Sum *unit;         /* by level of the values */
    TupleMap *mean_of; /* sum in four words, width -> variant */
    uint32_t *one,
        *equal;        /* by variant of the values: moved; mean of several.  0: unknown, else + 1 */
    uint32_t fallback; /* + 1 */
    Run made;
    bool too_large;
    Arena *scratch;
} Averaging;

static uint32_t known_level(Averaging *a, uint32_t *known, Atom value) {
    if (*known) return *known - 1;
    uint32_t variant = run_level(a->values, a->id, value);
    a->too_large |= variant == NO_BLOCK;
    *known = variant + 1;
    return variant;
}

/* Units of the sum for all levels that are finite numbers. */
static bool make_units(Averaging *a) {
    const NodeValues *v = &values_entry(a->values, a->value)->values;
    Atom *atom = ARENA_ARRAY(a->scratch, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++)
        atom[k] = v->levels[k].kind == ATOM_STRING || !isfinite(atom_double(v->levels[k]))
                      ? atom_int(0)
                      : v->levels[k];
    a->means = means_new(a->scratch, atom, v->count, a->values->domain->max_length);
    a->mean_of = tuple_map_new(a->scratch, 5);
    a->too_large |= !a->means;
    return a->means ||
           values_too_large(a->values, a->id, "bits in the exact sum of its values", 121, 120);
}

static uint32_t first_of(uint64_t row) {
    return (uint32_t)__builtin_ctzll(row);
}

/* Do several selected positions hold one level, which their mean is, too? */
static bool selects_equal(const Averaging *a, uint64_t row) {
    uint32_t first = variant_level(a->at[first_of(row)]);
    for (uint64_t rest = row & (row - 1); rest; rest &= rest - 1)
        if (variant_level(a->at[first_of(rest)]) != first) return false;
    Atom level = a->levels[first];
    return level.kind != ATOM_INT || number_is_exact(level);
}

/* Infinities and NaNs decide the mean. */
static bool infinite_mean(const Averaging *a, uint64_t row, double *mean) {
    *mean = 0;
    for (; row; row &= row - 1) {
        Atom level = a->levels[variant_level(a->at[first_of(row)])];
        if (!isfinite(atom_double(level))) *mean += atom_double(level);
    }
    if (isnan(*mean)) *mean = NAN;
    return *mean != 0;
}

static uint32_t mean_variant(Averaging *a, uint64_t row) {
    double infinite;
    if (a->infinite && infinite_mean(a, row, &infinite))
        return known_level(a, &(uint32_t){0}, atom_float(infinite));
    if (!a->means && !make_units(a)) return NO_BLOCK;
    Sum sum = 0;
    for (uint64_t rest = row; rest; rest &= rest - 1)
        sum += means_unit(a->means, variant_level(a->at[first_of(rest)]));
    uint32_t width = (uint32_t)__builtin_popcountll(row), key[5] = {width};
    memcpy(key + 1, &sum, sizeof sum);
    bool found;
    uint32_t *known = tuple_map_at(a->mean_of, key, &found);
    if (!found) *known = 0;
    return known_level(a, known, atom_float(*known ? 0 : means_value(a->means, sum, width)));
}

static uint32_t row_variant(Averaging *a, uint64_t row) {
    if (!row) return known_level(a, &a->fallback, graph_node(a->values->graph, a->id)->atom);
    uint32_t variant = a->at[first_of(row)];
    bool one = !(row & (row - 1));
    if (!one && !selects_equal(a, row)) {
        a->made.moves = false;
        return mean_variant(a, row);
    }
    uint32_t *known = one ? &a->one[variant] : &a->equal[variant];
    if (*known) return *known - 1;
    Atom value = run_atom(a->values, a->value, variant);
    return known_level(a, known, one ? value : atom_float(atom_double(value) + 0.0));
}

/* Can what the input's rows select be averaged, where they select several?  Not strings, nor
 * bools alone. */
static bool averages(Averaging *a, const Instance *each, unsigned kinds) {
    uint64_t averaged = 0;
    for (uint32_t i = 0; i < each->n; i++) {
        uint64_t row = a->rows->row[each->cell + i];
        if (!(row & (row - 1))) continue;
        averaged |= row;
        if (a->declared && !selects_equal(a, row)) return false;
    }
    if (!averaged || !(kinds & (IS_STRING | IS_BOOL))) return true;
    bool fails = !(kinds & ~(unsigned)(IS_STRING | IS_BOOL));
    for (; averaged && !fails; averaged &= averaged - 1)
        fails = variant_kind(a->at[first_of(averaged)]) == IS_STRING;
    a->made.fails |= fails;
    return !fails;
}

/* Looks at the values of an input. */
static bool start_input(Averaging *a, const Instance *each) {
    unsigned kinds = 0;
    if (a->rows->absent[each->number] || !run_present(a->run, each->cell)) return false;
    for (uint32_t i = 0; i < each->n; i++) {
        a->at[i] = a->run->variant[a->run->cells->block[each->cell + i]];
        kinds |= variant_kind(a->at[i]);
    }
    return averages(a, each, kinds);
}

static bool average_inputs(Averaging *a, uint32_t *code) {
    const Instances *instances = a->values->runs->instances;
    for (Instance each = instances_begin(instances); each.n; instances_next(instances, &each)) {
        bool present = start_input(a, &each);
        const uint64_t *row = a->rows->row + each.cell;
        for (uint32_t i = 0; i < each.n; i++) {
            bool again = i && row[i] == row[i - 1];
            code[each.cell + i] = !present ? NO_BLOCK
                                  : again  ? code[each.cell + i - 1]
                                           : row_variant(a, row[i]);
            if (a->too_large) return false;
        }
        if ((each.number & 0x3ff) == 0) budget_poll(arena_budget(a->values->arena));
    }
    return true;
}

static bool run_aggregate(Values *values, NodeId id, Entry *entry, uint32_t *code) {
    Node node = *graph_node(values->graph, id);
    const RunRows *rows = runs_selector(values, node.arg[0]);
    const NodeValues *v = rows ? values_of(values, node.arg[1]) : NULL;
    if (!v) return false;
    Arena *scratch = arena_child(values->arena);
    Averaging a = {.values = values,
                   .id = id,
                   .value = node.arg[1],
                   .run = values_entry(values, node.arg[1])->run,
                   .levels = v->levels,
                   .infinite = !values_numeric(v),
                   .rows = rows,
                   .declared = entry->moves > 0,
                   .one = ARENA_ARRAY(scratch, (size_t)v->count << 3, uint32_t),
                   .equal = ARENA_ARRAY(scratch, (size_t)v->count << 3, uint32_t),
                   .made = {.moves = true},
                   .scratch = scratch};
    bool done = average_inputs(&a, code);
    arena_free(scratch);
    return done && runs_keep(values, id, entry, code, a.made);
}

bool runs_source(Values *values, NodeId id, Entry *entry) {
    uint32_t *code = partitions_array(values->runs->partitions);
    Node node = *graph_node(values->graph, id);
    const RunRows *rows = NULL;
    switch (node.kind) {
    case NODE_TOKENS:
        return run_tokens(values, id, entry, code);
    case NODE_WIDTH:
        rows = runs_selector(values, node.arg[0]);
        return rows && run_counts(values, id, entry, rows, code);
    case NODE_AGGREGATE:
        return run_aggregate(values, id, entry, code);
    default:
        return run_counts(values, id, entry, NULL, code);
    }
}
