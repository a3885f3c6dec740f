#include "compile/values/values_count.h"

#include "compile/values/classes.h"
#include "compile/values/numbers.h"
#include "compile/values/position_rows.h"
#include "compile/values/tally.h"

#include <stdlib.h>
#include <string.h>

static const double COUNT_LIMIT = 4e8; /* chances and rows looked at before settling for 0 … n */
enum { MOST_SOURCES = 64 };

/* A conjunct that is not about positions alone. */
typedef struct Conjunct {
    Literals literals;
    uint32_t first; /* of its literals, among all */
} Conjunct;

/* The joint values of the queries at a position, by what there is to know of its context. */
typedef struct OwnList {
    const Own *own;
    uint32_t count;
    bool known;
    Own *best[2]; /* those that matter, by bound */
    uint32_t best_count[2], epoch;
    size_t best_capacity[2];
} OwnList;

/* What a settled literal makes of a position's own key. */
typedef enum Settled { SETTLED_NEVER, SETTLED_CAN, SETTLED_NO_KEY, SETTLED_MUST } Settled;

typedef struct Counter {
    Values *values;
    Arena *arena;
    Literals *positional; /* conjuncts */
    uint32_t positional_count;
    Conjunct *conjunct;
    uint32_t conjuncts;
    NodeId select[MAX_LITERALS]; /* of the conjuncts */
    KeySets *keys[MAX_LITERALS];
    bool settled[MAX_LITERALS];      /* is_settled */
    uint32_t query_of[MAX_LITERALS]; /* index into queries */
    uint32_t literals;
    NodeId queries[MAX_LITERALS];
    uint32_t query_count;
    NodeId side[2 * MAX_LITERALS]; /* keys and queries of what is not settled, that vary */
    uint32_t sides;
    bool joined;     /* sides have a source in common */
    TupleMap *query; /* joint query levels -> number */
    const Classes
        *classes;      /* of contexts, as to literals that are not settled; NULL: no literals */
    TupleMap *list_of; /* class, what settled literals are -> list */
    OwnList *list;
    size_t list_capacity;
    bool apart;      /* keys_apart */
    TupleMap *kind;  /* key sets -> kind of key position */
    uint32_t *kinds; /* of the positions of inputs of the lengths at hand */
    uint32_t epoch;
    PositionRows *rows;
    Tally *tally;
    double work;
} Counter;

/* --- conjuncts -------------------------------------------------------------------------- */

static void add_query(Counter *c, uint32_t literal, NodeId query) {
    uint32_t q = 0;
    while (q < c->query_count && c->queries[q] != query) q++;
    if (q == c->query_count) c->queries[c->query_count++] = query;
    c->query_of[literal] = q;
}

/* Conjuncts may share comparisons: then there may be more of them together than in the selector. */
static Literals parts_of(Counter *c, NodeId selector) {
    const Graph *graph = c->values->graph;
    Literals parts = selector_conjuncts(graph, selector, c->arena);
    uint32_t count = 0;
    for (uint32_t k = 0; k < parts.count; k++)
        count += selector_literals(graph, parts.select[k], c->arena).count;
    if (count <= MAX_LITERALS) return parts;
    NodeId *whole = ARENA_NEW(c->arena, NodeId);
    *whole = selector;
    return (Literals){.select = whole, .count = 1};
}

static void split(Counter *c, NodeId selector) {
    const Graph *graph = c->values->graph;
    Literals parts = parts_of(c, selector);
    c->positional = ARENA_ARRAY(c->arena, parts.count, Literals);
    c->conjunct = ARENA_ARRAY(c->arena, parts.count, Conjunct);
    for (uint32_t k = 0; k < parts.count; k++) {
        Literals literals = selector_literals(graph, parts.select[k], c->arena);
        if (literals_positional(c->values, &literals)) {
            c->positional[c->positional_count++] = literals;
            continue;
        }
        c->conjunct[c->conjuncts++] = (Conjunct){literals, c->literals};
        for (uint32_t m = 0; m < literals.count; m++) {
            c->select[c->literals] = literals.select[m];
            c->keys[c->literals] = key_sets_new(c->values, literals.select[m], c->arena);
            add_query(c, c->literals, graph_node(graph, literals.select[m])->arg[1]);
            c->literals++;
        }
    }
}

/* All conjuncts, given each literal's chance. */
static Chance join(const Counter *c, const Chance *chance) {
    Chance all = {true, true};
    for (uint32_t k = 0; k < c->conjuncts; k++) {
        Chance one = literals_chance(&c->conjunct[k].literals, chance + c->conjunct[k].first);
        all.can &= one.can;
        all.must &= one.must;
    }
    return all;
}

/* --- what is settled -------------------------------------------------------------------- */

static const Node *select_of(const Counter *c, uint32_t literal) {
    return graph_node(c->values->graph, c->select[literal]);
}

static bool share_sources(const Counter *c, NodeId a, NodeId b) {
    const NodeValues *v = &c->values->entry[a]->values, *w = &c->values->entry[b]->values;
    if (values_fixed(v) || values_fixed(w)) return false;
    for (uint32_t s = 0; s < v->all_sources; s++)
        if (nodes_contain(w->sources, w->all_sources, v->sources[s])) return true;
    return false;
}

/* Is each step of the formula read by one other at most? */
static bool is_tree(const Literals *literals) {
    uint32_t read = 0;
    for (uint32_t k = 0; k < literals->step_count; k++) {
        LiteralStep step = literals->step[k];
        if (step.kind != NODE_SELECT) read += step.kind == NODE_NOT ? 1 : 2;
    }
    return read + 1 == literals->step_count;
}

/* Does the literal compare with a constant a key that has nothing to do with the others'?  Then it
 * is what the key's set makes of it, whatever they are, and its values need not be joined with
 * theirs: three values of truth are exact where each comparison is read once. */
static bool is_settled(const Counter *c, uint32_t literal, const Literals *formula) {
    const Node *node = select_of(c, literal);
    const NodeValues *query = values_of(c->values, node->arg[1]);
    if (c->values->domain->where != NODE_NONE || !is_tree(formula) || query->count != 1 ||
        !values_fixed(query) || !key_sets_comparable(c->keys[literal]))
        return false;
    for (uint32_t k = 0; k < c->literals; k++)
        if (k != literal && (share_sources(c, node->arg[0], select_of(c, k)->arg[0]) ||
                             share_sources(c, node->arg[0], select_of(c, k)->arg[1])))
            return false;
    return true;
}

static void find_settled(Counter *c) {
    for (uint32_t k = 0; k < c->conjuncts; k++) {
        const Conjunct *conjunct = &c->conjunct[k];
        for (uint32_t m = 0; m < conjunct->literals.count; m++)
            c->settled[conjunct->first + m] =
                is_settled(c, conjunct->first + m, &conjunct->literals);
    }
}

static Settled settled_at(const Counter *c, uint32_t literal, uint32_t context) {
    uint32_t number = key_sets_at(c->keys[literal], context);
    if (key_sets_empty(c->keys[literal], number)) return SETTLED_NO_KEY;
    Chance chance = key_sets_chance(c->keys[literal], number, 0);
    return chance.must ? SETTLED_MUST : chance.can ? SETTLED_CAN : SETTLED_NEVER;
}

/* --- a position's own queries ----------------------------------------------------------- */

static void add_side(Counter *c, NodeId node) {
    const NodeValues *v = values_of(c->values, node);
    if (values_fixed(v) || nodes_contain(c->side, c->sides, node)) return;
    for (uint32_t s = 0; s < c->sides; s++) c->joined |= share_sources(c, node, c->side[s]);
    c->side[c->sides++] = node;
}

/* Contexts are alike where the sides of what is not settled have the same sets; or, if sides have
 * a source in common, where all their sources have. */
static bool find_classes(Counter *c) {
    uint32_t count;
    c->joined = c->values->domain->where != NODE_NONE;
    for (uint32_t k = 0; k < c->literals; k++) {
        if (c->settled[k]) continue;
        add_side(c, select_of(c, k)->arg[0]);
        add_side(c, select_of(c, k)->arg[1]);
    }
    const NodeId *nodes = c->side;
    if (c->joined)
        nodes = values_sources(c->values, c->side, c->sides, &count, c->arena);
    else
        count = c->sides;
    if (count > MOST_SOURCES)
        return values_too_large(c->values, c->select[0], "attention results that it depends on",
                                count, MOST_SOURCES);
    c->classes = values_classes(c->values, nodes, count);
    return true;
}

static uint32_t query_number(Counter *c, const uint32_t *level) {
    bool found;
    uint32_t *number = tuple_map_at(c->query, level, &found);
    if (!found) *number = tuple_map_count(c->query) - 1;
    return *number;
}

/* Does a position with these levels of keys and queries select itself?  False: it is on no input.
 * Chances of what is settled are given. */
static bool selects_itself(const Counter *c, const uint32_t *row, Chance *chance, Chance *self) {
    for (uint32_t k = 0; k < c->literals; k++) {
        const Node *node = select_of(c, k);
        if (c->settled[k]) continue;
        Atom key = c->values->entry[node->arg[0]]->levels[row[c->query_count + k]];
        Atom query = c->values->entry[node->arg[1]]->levels[row[c->query_of[k]]];
        if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(key, query)) return false;
        bool holds = op_compare(node->op, key, query);
        chance[k] = (Chance){holds, holds};
    }
    *self = join(c, chance);
    return true;
}

/* The joint levels of sides that have nothing in common: all that their sets allow. */
static bool rows_apart(const Counter *c, const NodeId *nodes, uint32_t count, uint32_t context,
                       Rows *rows, Arena *arena) {
    const uint32_t *member[2 * MAX_LITERALS];
    uint32_t members[2 * MAX_LITERALS], at[2 * MAX_LITERALS] = {0}, side[2 * MAX_LITERALS];
    double size = 1;
    for (uint32_t s = 0; s < c->sides; s++) {
        SetId set = c->values->entry[c->side[s]]->sets[context];
        member[s] = sets_get(c->values->sets, set, &members[s]);
        size *= members[s];
    }
    for (uint32_t k = 0; k < count; k++) {
        for (side[k] = 0; side[k] < c->sides && c->side[side[k]] != nodes[k];) side[k]++;
        if (c->values->entry[nodes[k]]->values.count == 0) size = 0;
    }
    if (size > (double)c->values->row_limit)
        return values_too_large(c->values, nodes[0], "combinations of values", size,
                                (double)c->values->row_limit);
    *rows = (Rows){ARENA_ARRAY(arena, (size_t)size * count, uint32_t), (size_t)size, count};
    for (size_t r = 0; r < rows->row_count; r++) {
        for (uint32_t k = 0; k < count; k++)
            rows->level[r * count + k] = side[k] < c->sides ? member[side[k]][at[side[k]]] : 0;
        for (uint32_t s = 0; s < c->sides && ++at[s] == members[s]; s++) at[s] = 0;
    }
    return true;
}

/* The joint queries of one context, each once. */
static bool gather_own(Counter *c, uint32_t context, OwnList *list) {
    NodeId nodes[2 * MAX_LITERALS];
    Chance chance[MAX_LITERALS] = {{false, false}}, self;
    Rows rows;
    memcpy(nodes, c->queries, c->query_count * sizeof *nodes);
    for (uint32_t k = 0; k < c->literals; k++) {
        nodes[c->query_count + k] = c->settled[k] ? c->queries[0] : select_of(c, k)->arg[0];
        if (!c->settled[k]) continue;
        Settled settled = settled_at(c, k, context);
        if (settled == SETTLED_NO_KEY) return true;
        chance[k] = (Chance){settled != SETTLED_NEVER, settled == SETTLED_MUST};
    }
    Arena *scratch = arena_child(c->arena);
    uint32_t count = c->query_count + c->literals;
    if (!(c->joined ? values_rows(c->values, nodes, count, context, &rows)
                    : rows_apart(c, nodes, count, context, &rows, scratch)))
        return false;
    TupleMap *map = tuple_map_new(scratch, c->query_count);
    Own *own = ARENA_ARRAY(c->arena, rows.row_count, Own);
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        bool found;
        if (!selects_itself(c, row, chance, &self)) continue;
        uint32_t *at = tuple_map_at(map, row, &found);
        if (!found) {
            *at = list->count++;
            own[*at] = (Own){query_number(c, row), {false, true}};
        }
        own[*at].self.can |= self.can;
        own[*at].self.must &= self.must;
    }
    list->own = own;
    arena_free(scratch);
    return true;
}

/* --- kinds of key positions ------------------------------------------------------------- */

static uint32_t kind_at(Counter *c, uint32_t context) {
    uint32_t key[MAX_LITERALS];
    bool found;
    for (uint32_t k = 0; k < c->literals; k++) key[k] = key_sets_at(c->keys[k], context);
    uint32_t *kind = tuple_map_at(c->kind, key, &found);
    if (!found) *kind = tuple_map_count(c->kind) - 1;
    return *kind;
}

/* Whether positions of inputs of length n are of the kinds that those of the length before are:
 * then one more is told. */
static bool kinds_go_on(Counter *c, uint32_t n) {
    for (uint32_t j = 0; j + 1 < n; j++)
        if (kind_at(c, context_of(n, j)) != c->kinds[j]) return false;
    c->kinds[n - 1] = kind_at(c, context_of(n, n - 1));
    return true;
}

/* Positions of inputs of length `first`, and of longer ones that only go on: to which length? */
static uint32_t find_kinds(Counter *c, uint32_t first) {
    uint32_t last = first;
    for (uint32_t j = 0; j < first; j++) c->kinds[j] = kind_at(c, context_of(first, j));
    while (last < c->values->domain->max_length && kinds_go_on(c, last + 1)) last++;
    tally_positions(c->tally, c->kinds, last);
    c->epoch++;
    return last;
}

static Chance kind_chance(void *context, uint32_t kind, uint32_t query) {
    const Counter *c = context;
    Chance chance[MAX_LITERALS];
    const uint32_t *set = tuple_map_key(c->kind, kind);
    const uint32_t *query_level = tuple_map_key(c->query, query);
    for (uint32_t k = 0; k < c->literals; k++)
        chance[k] = key_sets_chance(c->keys[k], set[k], query_level[c->query_of[k]]);
    return join(c, chance);
}

/* Does no key depend on what its query, the only one, or another key depends on?  Then what a key
 * can be does not hang on the query's value. */
static bool keys_apart(Counter *c) {
    NodeId sides[MAX_LITERALS + 1];
    uint32_t count = 0, apart = 0, total;
    if (c->query_count != 1 || c->values->domain->where != NODE_NONE) return false;
    sides[count++] = c->queries[0];
    for (uint32_t k = 0; k < c->conjuncts; k++)
        if (c->conjunct[k].literals.step_count != 1) return false;
    for (uint32_t k = 0; k < c->literals; k++)
        sides[count++] = graph_node(c->values->graph, c->select[k])->arg[0];
    for (uint32_t k = 0; k < count; k++) {
        (void)values_sources(c->values, sides + k, 1, &total, c->arena);
        apart += total;
    }
    (void)values_sources(c->values, sides, count, &total, c->arena);
    return apart == total;
}

/* The values of the one query in a context, each with what all keys there make of it. */
static void gather_apart(Counter *c, uint32_t context, OwnList *list) {
    uint32_t count;
    const NodeValues *query = values_of(c->values, c->queries[0]);
    const uint32_t *member = sets_get(c->values->sets, query->sets[context], &count);
    Own *own = ARENA_ARRAY(c->arena, count, Own);
    uint32_t kind = kind_at(c, context);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t number = query_number(c, member + k);
        own[k] = (Own){number, kind_chance(c, kind, number)};
    }
    list->own = own;
    list->count = count;
}

/* The list of a context: one for each class, and what settled literals are beside. */
static OwnList *list_at(Counter *c, uint32_t context) {
    uint32_t key[MAX_LITERALS + 1] = {c->classes ? c->classes->of[context] : 0};
    bool found;
    for (uint32_t k = 0; k < c->literals; k++)
        key[k + 1] = c->settled[k] ? settled_at(c, k, context) : 0;
    uint32_t *number = tuple_map_at(c->list_of, key, &found);
    if (!found) *number = tuple_map_count(c->list_of) - 1;
    c->list = arena_grow(c->arena, c->list, &c->list_capacity, *number + 1, sizeof *c->list);
    return &c->list[*number];
}

/* NULL: the joint values are too many. */
static OwnList *own_at(Counter *c, uint32_t context) {
    OwnList *list = list_at(c, context);
    if (!list->known && c->apart)
        gather_apart(c, context, list);
    else if (!list->known && !gather_own(c, context, list))
        return NULL;
    list->known = true;
    return list;
}

/* Those of the list that matter for rows of the lengths at hand. */
static void find_best(Counter *c, OwnList *list) {
    Arena *scratch = arena_child(c->arena);
    Own *own = ARENA_ARRAY(scratch, list->count, Own);
    for (Bound bound = AT_MOST; bound <= AT_LEAST; bound++) {
        if (list->count) memcpy(own, list->own, list->count * sizeof *own);
        uint32_t kept = tally_best(c->tally, own, list->count, bound);
        list->best[bound] =
            arena_grow(c->arena, list->best[bound], &list->best_capacity[bound], kept, sizeof *own);
        if (kept) memcpy(list->best[bound], own, kept * sizeof *own);
        list->best_count[bound] = kept;
    }
    arena_free(scratch);
    list->epoch = c->epoch;
}

/* --- counting --------------------------------------------------------------------------- */

static bool count_context(Counter *c, uint32_t n, uint32_t i, uint32_t *least, uint32_t *most) {
    OwnList *list = own_at(c, context_of(n, i));
    uint32_t stretches;
    if (!list) return false;
    if (list->epoch != c->epoch) find_best(c, list);
    const Stretch *row = position_rows_at(c->rows, n, i, &stretches, &c->work);
    *least = list->count ? n : 0;
    *most = 0;
    for (uint32_t k = 0; k < list->best_count[AT_LEAST] && *least > 0; k++) {
        uint32_t low = tally_count(c->tally, list->best[AT_LEAST][k], i, row, stretches, AT_LEAST);
        if (low < *least) *least = low;
    }
    for (uint32_t k = 0; k < list->best_count[AT_MOST]; k++) {
        uint32_t high = tally_count(c->tally, list->best[AT_MOST][k], i, row, stretches, AT_MOST);
        if (high > *most) *most = high;
    }
    c->work += list->best_count[AT_LEAST] + list->best_count[AT_MOST];
    if (*least > *most) *least = *most;
    return true;
}

/* Without literals one joint value of no queries selects all. */
static void add_nothing(Counter *c) {
    Own *own = ARENA_NEW(c->arena, Own);
    OwnList *list = list_at(c, 0);
    *own = (Own){query_number(c, NULL), {true, true}};
    *list = (OwnList){.own = own, .count = 1, .known = true};
}

static bool count_all(Counter *c, uint32_t *least, uint32_t *most) {
    uint32_t longest = c->values->domain->max_length;
    c->query = tuple_map_new(c->arena, c->query_count);
    c->kind = tuple_map_new(c->arena, c->literals);
    c->list_of = tuple_map_new(c->arena, c->literals + 1);
    c->kinds = ARENA_ARRAY(c->arena, longest, uint32_t);
    c->tally = tally_new(c->arena, longest, kind_chance, c);
    c->rows = position_rows_new(c->values, c->positional, c->positional_count, c->arena);
    if (c->literals == 0)
        add_nothing(c);
    else if (!find_classes(c))
        return false;
    c->apart = c->literals > 0 && keys_apart(c);
    for (uint32_t n = 1, known = 0; n <= longest; n++) {
        if (n > known) known = find_kinds(c, n);
        budget_poll(arena_budget(c->arena));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = context_of(n, i);
            least[at] = 0;
            most[at] = n;
            if (c->work + tally_work(c->tally) < COUNT_LIMIT &&
                !count_context(c, n, i, &least[at], &most[at]))
                return false;
        }
    }
    return true;
}

bool values_count_keys(Values *values, NodeId selector, uint32_t *least, uint32_t *most) {
    Counter c = {.values = values, .arena = arena_child(values->arena)};
    split(&c, selector);
    find_settled(&c);
    bool done = count_all(&c, least, most);
    arena_free(c.arena);
    return done;
}
