/* What is known of a selector's rows: how many keys they select, and whether the values of
 * an aggregate over it are moved or mixed. */
#include "compile/values/numbers.h"
#include "compile/values/runs.h"

#include <stdlib.h>
#include <string.h>

/* --- counting --------------------------------------------------------------------------- */

static const double MEMO_LIMIT = 3e7;  /* (key set, query level) pairs of one comparison */
static const double COUNT_LIMIT = 4e7; /* chances looked at before settling for 0 … n */

typedef struct Counter {
    Values *values;
    Graph *graph;
    NodeId selector;
    Literals literals;
    NodeId key[MAX_LITERALS], query[MAX_LITERALS]; /* of each literal */
    OpId op[MAX_LITERALS];
    NodeId queries[MAX_LITERALS];
    uint32_t query_count;
    TupleMap *set_number[MAX_LITERALS]; /* key set -> number, by literal */
    unsigned char *memo[MAX_LITERALS];  /* [set number, query level]: chance bits, or UNKNOWN */
    Arena *arena;
} Counter;

/* Comparisons that fail belong to no input of the domain. */
static bool compare(OpId op, Atom a, Atom b, bool *holds) {
    if (!(ops[op].flags & OP_TOTAL) && !atom_comparable(a, b)) return false;
    *holds = op_compare(op, a, b);
    return true;
}

enum { UNKNOWN = 255 };

static Chance compute_chance(Counter *c, uint32_t literal, SetId keys, Atom query) {
    const Atom *levels = values_entry(c->values, c->key[literal])->levels;
    uint32_t count;
    const uint32_t *member = sets_get(c->values->sets, keys, &count);
    Chance chance = {false, true};
    for (uint32_t k = 0; k < count; k++) {
        bool holds;
        if (!compare(c->op[literal], levels[member[k]], query, &holds)) continue;
        chance.can |= holds;
        chance.must &= holds;
    }
    if (!chance.can) chance.must = false;
    return chance;
}

/* Whether the literal can and must hold for keys of the set numbered so. */
static Chance literal_chance(Counter *c, uint32_t literal, uint32_t set, uint32_t query_level) {
    const Entry *query = values_entry(c->values, c->query[literal]);
    unsigned char *memo = &c->memo[literal][(size_t)set * query->values.count + query_level];
    if (*memo == UNKNOWN) {
        SetId keys = *tuple_map_key(c->set_number[literal], set);
        Chance chance = compute_chance(c, literal, keys, query->levels[query_level]);
        *memo = (unsigned char)(chance.can | chance.must << 1);
    }
    return (Chance){*memo & 1, *memo >> 1 & 1};
}

/* Numbers the key sets of each literal, for the memo. */
static bool number_sets(Counter *c) {
    for (uint32_t k = 0; k < c->literals.count; k++) {
        const NodeValues *key = values_of(c->values, c->key[k]);
        c->set_number[k] = tuple_map_new(c->arena, 1);
        for (uint32_t at = 0; at < domain_contexts(c->values->domain); at++) {
            bool found;
            uint32_t *number = tuple_map_at(c->set_number[k], &key->sets[at], &found);
            if (!found) *number = tuple_map_count(c->set_number[k]) - 1;
        }
        size_t sets = tuple_map_count(c->set_number[k]);
        size_t levels = values_of(c->values, c->query[k])->count;
        if ((double)sets * (double)levels > MEMO_LIMIT) return false;
        c->memo[k] = ARENA_ARRAY(c->arena, sets * levels, unsigned char);
        memset(c->memo[k], UNKNOWN, sets * levels);
    }
    return true;
}

/* A kind of key position in inputs of one length: its key sets, and how many there are. */
typedef struct KeyGroup {
    uint32_t sets[MAX_LITERALS]; /* by number */
    uint32_t count;
} KeyGroup;

typedef struct KeyGroups {
    KeyGroup *group;
    uint32_t *of; /* by position */
    uint32_t count;
} KeyGroups;

static KeyGroups group_keys(Counter *c, uint32_t n, Arena *arena) {
    KeyGroups groups = {ARENA_ARRAY(arena, n, KeyGroup), ARENA_ARRAY(arena, n, uint32_t), 0};
    TupleMap *map = tuple_map_new(arena, c->literals.count);
    for (uint32_t j = 0; j < n; j++) {
        uint32_t key[MAX_LITERALS];
        bool found;
        for (uint32_t k = 0; k < c->literals.count; k++)
            key[k] =
                *tuple_map_at(c->set_number[k],
                              &values_entry(c->values, c->key[k])->sets[context_of(n, j)], &found);
        uint32_t *at = tuple_map_at(map, key, &found);
        if (!found) {
            *at = groups.count++;
            memcpy(groups.group[*at].sets, key, sizeof key);
        }
        groups.group[groups.of[j] = *at].count++;
    }
    return groups;
}

/* The joint queries of one context, and whether the position then selects itself: exact,
 * since its keys and queries go together. */
typedef struct Queries {
    TupleMap *map; /* query levels -> index */
    Chance *self;
} Queries;

static bool gather_queries(Counter *c, uint32_t context, Queries *q, Arena *arena) {
    NodeId nodes[3 * MAX_LITERALS];
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->query_count; k++) nodes[count++] = c->queries[k];
    for (uint32_t k = 0; k < c->literals.count; k++) {
        nodes[count++] = c->key[k];
        nodes[count++] = c->query[k];
    }
    Rows rows;
    if (!values_rows(c->values, nodes, count, context, &rows)) return false;
    q->map = tuple_map_new(arena, c->query_count);
    q->self = ARENA_ARRAY(arena, rows.row_count, Chance);
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        bool holds[MAX_LITERALS], valid = true, found;
        for (uint32_t k = 0; k < c->literals.count && valid; k++) {
            const uint32_t *level = row + c->query_count + 2 * k;
            valid = compare(c->op[k], values_entry(c->values, c->key[k])->levels[level[0]],
                            values_entry(c->values, c->query[k])->levels[level[1]], &holds[k]);
        }
        if (!valid) continue;
        bool selected = literals_hold(&c->literals, holds);
        uint32_t *at = tuple_map_at(q->map, row, &found);
        if (!found) {
            *at = tuple_map_count(q->map) - 1;
            q->self[*at] = (Chance){false, true};
        }
        q->self[*at].can |= selected;
        q->self[*at].must &= selected;
    }
    return true;
}

static Chance group_chance(Counter *c, const KeyGroup *group, const uint32_t *query_level,
                           const uint32_t *query_of) {
    Chance chance[MAX_LITERALS];
    for (uint32_t k = 0; k < c->literals.count; k++)
        chance[k] = literal_chance(c, k, group->sets[k], query_level[query_of[k]]);
    return literals_chance(&c->literals, chance);
}

/* The least and most keys that a query at one context selects, over its possible values. */
static bool count_context(Counter *c, const KeyGroups *groups, uint32_t n, uint32_t i,
                          uint32_t *least, uint32_t *most, Arena *arena) {
    Queries queries;
    uint32_t query_of[MAX_LITERALS];
    if (!gather_queries(c, context_of(n, i), &queries, arena)) return false;
    for (uint32_t k = 0; k < c->literals.count; k++)
        for (uint32_t q = 0; q < c->query_count; q++)
            if (c->queries[q] == c->query[k]) query_of[k] = q;
    uint32_t rows = tuple_map_count(queries.map);
    *least = rows ? n : 0;
    *most = 0;
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t low = queries.self[r].must, high = queries.self[r].can;
        for (uint32_t g = 0; g < groups->count; g++) {
            uint32_t others = groups->group[g].count - (groups->of[i] == g);
            if (!others) continue;
            Chance chance =
                group_chance(c, &groups->group[g], tuple_map_key(queries.map, r), query_of);
            low += chance.must ? others : 0;
            high += chance.can ? others : 0;
        }
        if (low < *least) *least = low;
        if (high > *most) *most = high;
    }
    if (*least > *most) *least = *most;
    return true;
}

static bool prepare(Counter *c) {
    for (uint32_t k = 0; k < c->literals.count; k++) {
        const Node *node = graph_node(c->graph, c->literals.select[k]);
        c->op[k] = node->op;
        c->key[k] = node->arg[0];
        c->query[k] = node->arg[1];
        if (!values_of(c->values, c->key[k]) || !values_of(c->values, c->query[k])) return false;
        uint32_t q = 0;
        while (q < c->query_count && c->queries[q] != c->query[k]) q++;
        if (q == c->query_count) c->queries[c->query_count++] = c->query[k];
    }
    return true;
}

static bool is_global(Values *values, NodeId source, Arena *arena);

static bool find_global(Values *values, NodeId source, Arena *arena) {
    Node node = *graph_node(values->graph, source);
    if (node.kind != NODE_AGGREGATE && node.kind != NODE_WIDTH) return false;
    Literals literals = selector_literals(values->graph, node.arg[0], arena);
    for (uint32_t k = 0; k < literals.count; k++) {
        const NodeValues *q =
            values_of(values, graph_node(values->graph, literals.select[k])->arg[1]);
        for (uint32_t s = 0; q && s < q->source_count && q->count > 1; s++)
            if (!is_global(values, q->sources[s], arena)) return false;
        if (!q) return false;
    }
    return true;
}

/* Is the source the same at every position of an input?  So it is when every query that it
 * is selected by is. */
static bool is_global(Values *values, NodeId source, Arena *arena) {
    Entry *entry = values_entry(values, source);
    if (!entry->global) entry->global = find_global(values, source, arena) ? 1 : -1;
    return entry->global > 0;
}

/* Does the source differ from position to position of an input? */
static bool is_injective(Values *values, NodeId source) {
    const Node *node = graph_node(values->graph, source);
    if (node->kind == NODE_INDICES) return true;
    return node->kind == NODE_WIDTH && values_strict_order(values, node->arg[0]);
}

/* Does a key differ from position to position?  It does when it tells apart the values of
 * one source that does, given those that are the same everywhere. */
static bool differs_by_position(Values *values, NodeId key, Arena *arena) {
    const NodeValues *v = values_of(values, key);
    NodeId columns[MAX_LITERALS + 1] = {key}, injective = NODE_NONE;
    uint32_t count = 1;
    for (uint32_t s = 0; v && s < v->source_count; s++) {
        if (count == MAX_LITERALS) return false;
        if (is_global(values, v->sources[s], arena))
            columns[count++] = v->sources[s];
        else if (injective != NODE_NONE || !is_injective(values, v->sources[s]))
            return false;
        else
            injective = v->sources[s];
    }
    Rows rows;
    if (injective == NODE_NONE) return false;
    if (injective == key) return true;
    columns[count] = injective;
    if (!values_rows(values, columns, count + 1, UINT32_MAX, &rows)) return false;
    TupleMap *map = tuple_map_new(arena, count);
    for (size_t r = 0; r < rows.row_count; r++) {
        bool found;
        uint32_t *level = tuple_map_at(map, rows.level + r * rows.width, &found);
        if (found && *level != rows.level[r * rows.width + count]) return false;
        *level = rows.level[r * rows.width + count];
    }
    return true;
}

/* `x equal and rank equal`: the rank tells apart the positions that share x. */
static bool differs_within_class(Values *values, NodeId key, const Literals *conjuncts) {
    Node node = *graph_node(values->graph, key);
    if (node.kind != NODE_WIDTH) return false;
    for (uint32_t k = 0; k < conjuncts->count; k++) {
        Node class = *graph_node(values->graph, conjuncts->select[k]);
        if (class.kind == NODE_SELECT && class.op == OP_EQ && class.arg[0] != key &&
            values_order_within(values, node.arg[0], class.arg[0], class.arg[1]))
            return true;
    }
    return false;
}

/* An equality whose key differs from position to position selects at most one. */
static bool pins_one_position(Values *values, NodeId selector, Arena *arena) {
    Literals conjuncts = selector_conjuncts(values->graph, selector, arena);
    for (uint32_t k = 0; k < conjuncts.count; k++) {
        const Node *node = graph_node(values->graph, conjuncts.select[k]);
        if (node->kind != NODE_SELECT || node->op != OP_EQ) continue;
        NodeId key = node->arg[0];
        if (differs_by_position(values, key, arena) ||
            differs_within_class(values, key, &conjuncts))
            return true;
    }
    return values_marked_once(values, selector);
}

/* A permutation's values are 0 … n-1, so a query in that range finds its key. */
static bool finds_one(Values *values, NodeId selector) {
    const Node *node = graph_node(values->graph, selector);
    if (node->kind != NODE_SELECT || node->op != OP_EQ) return false;
    const Node *key = graph_node(values->graph, node->arg[0]);
    if (key->kind != NODE_WIDTH || !values_strict_order(values, key->arg[0])) return false;
    const SelectorFacts *order = values_selector(values, key->arg[0]);
    NodeId query = node->arg[1];
    const NodeValues *q = values_of(values, query);
    if (!order || !q) return false;
    bool self = order->never_empty; /* every position counts itself: ranks are 1 … n */
    for (uint32_t n = 1; n <= values->domain->max_length; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t count;
            const uint32_t *member = sets_get(values->sets, q->sets[context_of(n, i)], &count);
            for (uint32_t k = 0; k < count; k++) {
                Atom level = q->levels[member[k]];
                if (!atom_is_integral(level)) return false;
                int64_t rank = atom_integer(level) - (self ? 1 : 0);
                if (rank < 0 || rank >= n) return false;
            }
        }
    return true;
}

/* How many of the sorted numbers are below x (or equal to it, with `equal`). */
static uint32_t rank_of(const double *sorted, uint32_t count, double x, bool equal) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle] < x || (equal && sorted[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t count_related(const double *sorted, uint32_t count, OpId op, double query) {
    uint32_t below = rank_of(sorted, count, query, false);
    uint32_t upto = rank_of(sorted, count, query, true);
    unsigned holds = ops[op].holds;
    return (holds & OUTCOME_LESS ? below : 0) + (holds & OUTCOME_EQUAL ? upto - below : 0) +
           (holds & OUTCOME_GREATER ? count - upto : 0);
}

static bool is_exact_number(Atom a) {
    return a.kind == ATOM_FLOAT ? a.f == a.f
                                : a.kind != ATOM_STRING && llabs(atom_integer(a)) < 1LL << 53;
}

/* Counts of a single comparison between numbers that positions decide: by sorting the keys.
 * False: not such a comparison. */
static bool count_positional(Counter *c, uint32_t *least, uint32_t *most) {
    if (graph_node(c->graph, c->selector)->kind != NODE_SELECT) return false;
    if (!literals_positional(c->values, &c->literals)) return false;
    uint32_t longest = c->values->domain->max_length;
    double *key = ARENA_ARRAY(c->arena, longest, double), *query;
    query = ARENA_ARRAY(c->arena, longest, double);
    for (uint32_t n = 1; n <= longest; n++) {
        for (uint32_t i = 0; i < n; i++) {
            Atom k, q;
            if (!values_single(c->values, c->key[0], context_of(n, i), &k) || !is_exact_number(k) ||
                !values_single(c->values, c->query[0], context_of(n, i), &q) || !is_exact_number(q))
                return false;
            key[i] = atom_double(k), query[i] = atom_double(q);
        }
        qsort(key, n, sizeof *key, number_order);
        for (uint32_t i = 0; i < n; i++)
            least[context_of(n, i)] = most[context_of(n, i)] =
                count_related(key, n, c->op[0], query[i]);
    }
    return true;
}

static void summarise(SelectorFacts *facts, const Domain *domain) {
    facts->never_empty = facts->at_most_one = facts->everything = true;
    for (uint32_t n = 1; n <= domain->max_length; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t c = context_of(n, i);
            facts->never_empty &= facts->least[c] >= 1;
            facts->at_most_one &= facts->most[c] <= 1;
            facts->everything &= facts->least[c] == n;
        }
}

/* The counts of every context; 0 … n where looking costs too much. */
static bool count_keys(Counter *c, uint32_t *least, uint32_t *most) {
    bool small = number_sets(c), done = true;
    double work = 0;
    for (uint32_t n = 1; n <= c->values->domain->max_length && done; n++) {
        Arena *scratch = arena_child(c->arena);
        KeyGroups groups = small ? group_keys(c, n, scratch) : (KeyGroups){0};
        for (uint32_t i = 0; i < n && done; i++) {
            uint32_t at = context_of(n, i);
            least[at] = 0;
            most[at] = n;
            work += groups.count;
            if (small && work < COUNT_LIMIT)
                done = count_context(c, &groups, n, i, &least[at], &most[at], scratch);
        }
        arena_free(scratch);
    }
    return done;
}

const SelectorFacts *values_selector(Values *values, NodeId selector) {
    Entry *entry = values_entry(values, selector);
    if (entry->facts) return entry->facts;
    if (values->runs) {
        const RunRows *rows = runs_selector(values, selector);
        return entry->facts = rows ? &rows->facts : NULL;
    }
    uint32_t contexts = domain_contexts(values->domain);
    uint32_t *least = ARENA_ARRAY(values->arena, contexts, uint32_t);
    uint32_t *most = ARENA_ARRAY(values->arena, contexts, uint32_t);
    Arena *scratch = arena_child(values->arena);
    Counter c = {.values = values, .graph = values->graph, .selector = selector, .arena = scratch};
    c.literals = selector_literals(values->graph, selector, scratch);
    bool done = c.literals.count <= MAX_LITERALS;
    if (!done)
        values_too_large(values, selector, "comparisons in one selector", c.literals.count,
                         MAX_LITERALS);
    done = done && prepare(&c);
    if (done && !count_positional(&c, least, most)) done = count_keys(&c, least, most);
    if (done && pins_one_position(values, selector, scratch)) {
        bool exactly = finds_one(values, selector);
        for (uint32_t at = 0; at < contexts; at++) {
            if (most[at] > 1) most[at] = 1;
            if (exactly) least[at] = 1;
            if (least[at] > most[at]) least[at] = most[at];
        }
    }
    arena_free(scratch);
    if (!done) return NULL;
    SelectorFacts *facts = ARENA_NEW(values->arena, SelectorFacts);
    *facts = (SelectorFacts){.least = least, .most = most};
    summarise(facts, values->domain);
    return entry->facts = facts;
}

/* --- moving or mixing ------------------------------------------------------------------- */

static bool is_function_of(Values *values, NodeId value, NodeId key) {
    if (value == key) return true;
    Rows rows;
    if (!values_rows(values, (NodeId[]){key, value}, 2, UINT32_MAX, &rows)) return false;
    const NodeValues *k = values_of(values, key);
    Arena *scratch = arena_child(values->arena);
    uint32_t *image = ARENA_ARRAY(scratch, k->count, uint32_t);
    bool function = true;
    for (size_t r = 0; r < rows.row_count && function; r++) {
        uint32_t *seen = &image[rows.level[2 * r]], level = rows.level[2 * r + 1] + 1;
        function = *seen == 0 || *seen == level;
        *seen = level;
    }
    arena_free(scratch);
    return function;
}

/* Averaging several strings, or several bools, is an error whatever they are. */
static bool never_averaged(const NodeValues *v) {
    for (uint32_t k = 1; k < v->count; k++)
        if (v->kinds[k] != v->kinds[0]) return false;
    return v->count && (v->kinds[0] == IS_STRING || v->kinds[0] == IS_BOOL);
}

/* Is the mean of equal values that value?  Not of an int that no double holds. */
static bool averages_keep(const NodeValues *v) {
    for (uint32_t k = 0; k < v->count; k++)
        if (v->levels[k].kind == ATOM_INT && !number_is_exact(v->levels[k])) return false;
    return true;
}

static bool all_global(Values *values, const NodeValues *v, Arena *arena) {
    for (uint32_t s = 0; s < v->source_count; s++)
        if (!is_global(values, v->sources[s], arena)) return false;
    return true;
}

bool values_moves(Values *values, NodeId aggregate) {
    Entry *entry = values_entry(values, aggregate);
    if (entry->moves) return entry->moves > 0;
    if (values->runs) return values_of(values, aggregate) && entry->run->moves;
    NodeId selector = graph_node(values->graph, aggregate)->arg[0];
    NodeId value = graph_node(values->graph, aggregate)->arg[1];
    const SelectorFacts *facts = values_selector(values, selector);
    const NodeValues *v = values_of(values, value);
    bool moves = facts && v && (facts->at_most_one || v->count <= 1 || never_averaged(v));
    bool differs = v && !averages_keep(v); /* where several are selected */
    Arena *scratch = arena_child(values->arena);
    Literals conjuncts = selector_conjuncts(values->graph, selector, scratch);
    if (facts && v && !moves) moves = all_global(values, v, scratch);
    for (uint32_t k = 0; k < conjuncts.count && facts && v && !moves; k++) {
        const Node *node = graph_node(values->graph, conjuncts.select[k]);
        if (node->kind == NODE_SELECT && node->op == OP_EQ)
            moves = is_function_of(values, value, node->arg[0]);
    }
    if (facts && v && !moves) moves = values_marks_agree(values, selector, value);
    arena_free(scratch);
    moves = moves && (facts->at_most_one || !differs);
    values_entry(values, aggregate)->moves = moves ? 1 : -1;
    return moves;
}

void values_declare_moves(Values *values, NodeId aggregate) {
    values_entry(values, aggregate)->moves = 1;
}
