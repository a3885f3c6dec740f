/* What is known of a selector's rows: how many keys they select, and whether the values of
 * an aggregate over it are moved or mixed. */
#include "compile/values/numbers.h"
#include "compile/values/runs.h"
#include "compile/values/values_count.h"

#include <stdlib.h>
#include <string.h>

static bool sides_known(Values *values, const Literals *literals) {
    for (uint32_t k = 0; k < literals->count; k++) {
        const Node *node = graph_node(values->graph, literals->select[k]);
        NodeId key = node->arg[0], query = node->arg[1];
        if (!values_of(values, key) || !values_of(values, query)) return false;
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

/* Does the comparison hold between any two positions that the selector's equalities leave, and
 * choose the same keys for both?  So it does where each of its sides is equal there. */
static bool is_pinned(Values *values, NodeId select, NodeId but, const Literals *conjuncts) {
    Node node = *graph_node(values->graph, select);
    if (node.kind != NODE_SELECT) return false;
    const NodeValues *query = values_of(values, node.arg[1]);
    bool fixed = node.op == OP_EQ && query && query->count == 1;
    bool alike =
        (node.op == OP_EQ || node.op == OP_LE || node.op == OP_GE) && node.arg[0] == node.arg[1];
    for (uint32_t k = 0; k < conjuncts->count && (fixed || alike); k++) {
        const Node *pin = graph_node(values->graph, conjuncts->select[k]);
        if (pin->kind != NODE_SELECT || pin->op != OP_EQ || pin->arg[0] != node.arg[0]) continue;
        if (pin->arg[0] != but && (alike || pin->arg[1] == node.arg[1])) return true;
    }
    return false;
}

bool values_orders_pinned(Values *values, NodeId among, NodeId key, const Literals *conjuncts,
                          Arena *arena) {
    Literals parts = selector_conjuncts(values->graph, among, arena);
    NodeId left = NODE_NONE;
    for (uint32_t k = 0; k < parts.count; k++) {
        NodeId part = parts.select[k];
        if (is_pinned(values, part, key, conjuncts)) continue;
        left = left == NODE_NONE ? part : graph_and(values->graph, left, part, SPAN_NONE);
    }
    return left != NODE_NONE && left != among && values_strict_order(values, left);
}

/* `x equal and rank equal`: the rank tells apart the positions that share x. */
static bool differs_within_class(Values *values, NodeId key, const Literals *conjuncts,
                                 Arena *arena) {
    Node node = *graph_node(values->graph, key);
    if (node.kind != NODE_WIDTH) return false;
    if (values_orders_pinned(values, node.arg[0], key, conjuncts, arena)) return true;
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
            differs_within_class(values, key, &conjuncts, arena))
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
static bool count_positional(Values *values, const Literals *literals, uint32_t *least,
                             uint32_t *most, Arena *arena) {
    if (literals->step_count != 1 || !literals_positional(values, literals)) return false;
    Node node = *graph_node(values->graph, literals->select[0]);
    uint32_t longest = values->domain->max_length;
    double *key = ARENA_ARRAY(arena, longest, double), *query;
    query = ARENA_ARRAY(arena, longest, double);
    for (uint32_t n = 1; n <= longest; n++) {
        for (uint32_t i = 0; i < n; i++) {
            Atom k, q;
            if (!values_single(values, node.arg[0], context_of(n, i), &k) || !is_exact_number(k) ||
                !values_single(values, node.arg[1], context_of(n, i), &q) || !is_exact_number(q))
                return false;
            key[i] = atom_double(k), query[i] = atom_double(q);
        }
        qsort(key, n, sizeof *key, number_order);
        for (uint32_t i = 0; i < n; i++)
            least[context_of(n, i)] = most[context_of(n, i)] =
                count_related(key, n, node.op, query[i]);
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
    Literals literals = selector_literals(values->graph, selector, scratch);
    bool done = literals.count <= MAX_LITERALS;
    if (!done)
        values_too_large(values, selector, "comparisons in one selector", literals.count,
                         MAX_LITERALS);
    done = done && sides_known(values, &literals);
    if (done && !count_positional(values, &literals, least, most, scratch) &&
        !values_count_indices(values, selector, least, most))
        done = values_count_keys(values, selector, least, most);
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

bool values_function_of(Values *values, NodeId value, NodeId key) {
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

/* What a key ranks: the x of `selector_width(select(x, x, <))` or another order; else NODE_NONE.
 * Of two positions with different x one counts all that the other does, and one of the two: so
 * where ranks are equal, x is. */
static NodeId ranked(const Values *values, NodeId key) {
    const Node *width = graph_node(values->graph, key);
    if (width->kind != NODE_WIDTH) return NODE_NONE;
    const Node *select = graph_node(values->graph, width->arg[0]);
    bool order = select->kind == NODE_SELECT && (select->op == OP_LT || select->op == OP_LE ||
                                                 select->op == OP_GT || select->op == OP_GE);
    return order && select->arg[0] == select->arg[1] ? select->arg[0] : NODE_NONE;
}

/* Does an equality of this key pin the value? */
static bool key_pins(Values *values, NodeId key, NodeId value) {
    NodeId x = ranked(values, key);
    return values_function_of(values, value, key) ||
           (x != NODE_NONE && values_function_of(values, value, x));
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
            moves = key_pins(values, node->arg[0], value);
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
