#include "compile/values/values_count.h"

#include "compile/values/classes.h"
#include "compile/values/numbers.h"

#include <stdlib.h>
#include <string.h>

static const double COUNT_LIMIT = 4e8; /* chances and rows looked at before settling for 0 … n */
enum { MOST_SOURCES = 64 };

/* A conjunct that is not about positions alone. */
typedef struct Conjunct {
    Literals literals;
    uint32_t first; /* of its literals, among all */
} Conjunct;

/* Positions first … last - 1. */
typedef struct Stretch {
    uint32_t first, last;
} Stretch;

/* What one joint value of the queries selects, as running totals over the stretches of key
 * positions of one kind. */
typedef struct Total {
    uint32_t *can, *must;  /* keys before the stretch */
    unsigned char *chance; /* of a key in it: can, must */
    uint32_t known, epoch; /* so many stretches, of this epoch */
    size_t capacity[3];
} Total;

/* A joint value of the queries at a position, and whether it then selects itself. */
typedef struct Own {
    uint32_t query; /* its number */
    Chance self;
} Own;

typedef struct OwnList {
    Own *own;
    uint32_t count;
    bool known;
} OwnList;

typedef struct Counter {
    Values *values;
    Arena *arena;
    Literals *positional; /* conjuncts */
    uint32_t positional_count;
    Conjunct *conjunct;
    uint32_t conjuncts;
    NodeId select[MAX_LITERALS]; /* of the conjuncts */
    KeySets *keys[MAX_LITERALS];
    uint32_t query_of[MAX_LITERALS]; /* index into queries */
    uint32_t literals;
    NodeId queries[MAX_LITERALS];
    uint32_t query_count;
    TupleMap *query; /* joint query levels -> number */
    Total *total;    /* by number */
    size_t total_capacity;
    const Classes *classes; /* of contexts: NULL, no literals */
    OwnList *own;           /* by class */
    bool apart;             /* keys_apart */
    TupleMap *kind;         /* key sets -> kind of key position */
    Stretch *stretch;       /* of key positions of one kind, in inputs of the length at hand */
    uint32_t *stretch_kind, *stretch_of; /* by stretch; by position */
    uint32_t stretches, epoch;
    Stretch *rows; /* of the row at hand: what conjuncts on positions allow */
    uint32_t row_count;
    double *number; /* scratch, by position */
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

/* --- a position's own queries ----------------------------------------------------------- */

static bool find_classes(Counter *c) {
    NodeId nodes[2 * MAX_LITERALS];
    uint32_t count = 0, sources;
    for (uint32_t k = 0; k < c->literals; k++) {
        const Node *node = graph_node(c->values->graph, c->select[k]);
        nodes[count++] = node->arg[0];
        nodes[count++] = node->arg[1];
    }
    const NodeId *source = values_sources(c->values, nodes, count, &sources, c->arena);
    if (sources > MOST_SOURCES)
        return values_too_large(c->values, c->select[0], "attention results that it depends on",
                                sources, MOST_SOURCES);
    c->classes = values_classes(c->values, source, sources);
    c->own = ARENA_ARRAY(c->arena, c->classes->count, OwnList);
    return true;
}

static uint32_t query_number(Counter *c, const uint32_t *level) {
    bool found;
    uint32_t *number = tuple_map_at(c->query, level, &found);
    if (found) return *number;
    *number = tuple_map_count(c->query) - 1;
    c->total = arena_grow(c->arena, c->total, &c->total_capacity, *number + 1, sizeof *c->total);
    return *number;
}

/* Does a position with these levels of keys and queries select itself?  False: it is on no input.
 */
static bool selects_itself(const Counter *c, const uint32_t *row, bool *selected) {
    Chance chance[MAX_LITERALS];
    for (uint32_t k = 0; k < c->literals; k++) {
        const Node *node = graph_node(c->values->graph, c->select[k]);
        Atom key = c->values->entry[node->arg[0]]->levels[row[c->query_count + k]];
        Atom query = c->values->entry[node->arg[1]]->levels[row[c->query_of[k]]];
        if (!(ops[node->op].flags & OP_TOTAL) && !atom_comparable(key, query)) return false;
        bool holds = op_compare(node->op, key, query);
        chance[k] = (Chance){holds, holds};
    }
    *selected = join(c, chance).must;
    return true;
}

/* The joint queries of one context, each once. */
static bool gather_own(Counter *c, uint32_t context, OwnList *list) {
    NodeId nodes[2 * MAX_LITERALS];
    Rows rows;
    memcpy(nodes, c->queries, c->query_count * sizeof *nodes);
    for (uint32_t k = 0; k < c->literals; k++)
        nodes[c->query_count + k] = graph_node(c->values->graph, c->select[k])->arg[0];
    if (!values_rows(c->values, nodes, c->query_count + c->literals, context, &rows)) return false;
    Arena *scratch = arena_child(c->arena);
    TupleMap *map = tuple_map_new(scratch, c->query_count);
    *list = (OwnList){ARENA_ARRAY(c->arena, rows.row_count, Own), 0, true};
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        bool found, selected;
        if (!selects_itself(c, row, &selected)) continue;
        uint32_t *at = tuple_map_at(map, row, &found);
        if (!found) {
            *at = list->count++;
            list->own[*at] = (Own){query_number(c, row), {false, true}};
        }
        list->own[*at].self.can |= selected;
        list->own[*at].self.must &= selected;
    }
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

/* The stretches of inputs of length n.  Where those of the length before only go on, what is known
 * of them stays: else a new epoch begins. */
static void find_stretches(Counter *c, uint32_t n) {
    uint32_t at = 0;
    bool same = true;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t kind = kind_at(c, context_of(n, j));
        if (j == 0 || kind != c->stretch_kind[at - 1]) {
            same &=
                at >= c->stretches || (c->stretch[at].first == j && c->stretch_kind[at] == kind);
            c->stretch[at].first = j;
            c->stretch_kind[at++] = kind;
        }
        c->stretch_of[j] = at - 1;
    }
    if (!same || at < c->stretches) c->epoch++;
    c->stretches = at;
}

static Chance kind_chance(Counter *c, uint32_t kind, const uint32_t *query_level) {
    Chance chance[MAX_LITERALS];
    const uint32_t *set = tuple_map_key(c->kind, kind);
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
    *list = (OwnList){ARENA_ARRAY(c->arena, count, Own), count, true};
    uint32_t kind = kind_at(c, context);
    for (uint32_t k = 0; k < count; k++)
        list->own[k] = (Own){query_number(c, member + k), kind_chance(c, kind, member + k)};
}

static const OwnList *own_of(Counter *c, uint32_t context) {
    OwnList *list = &c->own[c->classes ? c->classes->of[context] : 0];
    if (!list->known && c->apart) gather_apart(c, context, list);
    return list->known || gather_own(c, context, list) ? list : NULL;
}

static const Total *total_of(Counter *c, uint32_t query) {
    Total *t = &c->total[query];
    if (t->epoch != c->epoch) t->known = 0, t->epoch = c->epoch;
    if (t->known >= c->stretches) return t;
    size_t need = c->stretches;
    t->can = arena_grow(c->arena, t->can, &t->capacity[0], need, sizeof *t->can);
    t->must = arena_grow(c->arena, t->must, &t->capacity[1], need, sizeof *t->must);
    t->chance = arena_grow(c->arena, t->chance, &t->capacity[2], need, sizeof *t->chance);
    for (; t->known < c->stretches; t->known++) {
        uint32_t s = t->known;
        Chance chance = kind_chance(c, c->stretch_kind[s], tuple_map_key(c->query, query));
        t->chance[s] = (unsigned char)(chance.can | chance.must << 1);
        t->can[s] = t->must[s] = 0;
        c->work++;
        if (s == 0) continue;
        uint32_t before = c->stretch[s].first - c->stretch[s - 1].first;
        t->can[s] = t->can[s - 1] + (t->chance[s - 1] & 1 ? before : 0);
        t->must[s] = t->must[s - 1] + (t->chance[s - 1] & 2 ? before : 0);
    }
    return t;
}

/* The keys before position j that can (1) or must (2) be selected. */
static uint32_t keys_before(const Counter *c, const Total *t, uint32_t j, unsigned which) {
    if (j == 0) return 0;
    uint32_t s = c->stretch_of[j - 1], inside = j - c->stretch[s].first;
    return (which == 1 ? t->can[s] : t->must[s]) + (t->chance[s] & which ? inside : 0);
}

/* --- rows that conjuncts on positions allow --------------------------------------------- */

/* A comparison of ascending keys with a number selects one stretch; false: not such a one. */
static bool ascending_stretch(Counter *c, const Literals *literals, uint32_t n, uint32_t i,
                              Stretch *stretch) {
    if (literals->step_count != 1) return false;
    const Node *node = graph_node(c->values->graph, literals->select[0]);
    Atom query;
    if (node->arg[0] != c->values->indices || node->op == OP_NE ||
        !values_single(c->values, node->arg[1], context_of(n, i), &query) ||
        !number_is_exact(query))
        return false;
    double q = atom_double(query), last = n;
    double below = q <= 0 ? 0 : q >= last ? last : ceil(q);     /* indices < q */
    double up_to = q < 0 ? 0 : q >= last ? last : floor(q) + 1; /* indices <= q */
    unsigned holds = ops[node->op].holds;
    stretch->first = (uint32_t)(holds & OUTCOME_LESS ? 0 : holds & OUTCOME_EQUAL ? below : up_to);
    stretch->last = (uint32_t)(holds & OUTCOME_GREATER ? last
                               : holds & OUTCOME_EQUAL ? up_to
                                                       : below);
    return true;
}

/* Position by position: what the other conjuncts leave of a stretch. */
static void scan_row(Counter *c, const bool *scanned, uint32_t n, uint32_t i, Stretch all) {
    c->row_count = 0;
    for (uint32_t j = all.first; j < all.last; j++) {
        bool selected = true;
        for (uint32_t k = 0; k < c->positional_count && selected; k++)
            selected = !scanned[k] || positional_cell(c->values, &c->positional[k], n, j, i) == 1;
        c->work++;
        if (!selected) continue;
        if (c->row_count && c->rows[c->row_count - 1].last == j)
            c->rows[c->row_count - 1].last++;
        else
            c->rows[c->row_count++] = (Stretch){j, j + 1};
    }
}

static void find_row(Counter *c, uint32_t n, uint32_t i) {
    Stretch all = {0, n};
    bool scanned[MAX_LITERALS], any = false;
    for (uint32_t k = 0; k < c->positional_count; k++) {
        Stretch one;
        scanned[k] = !ascending_stretch(c, &c->positional[k], n, i, &one);
        any |= scanned[k];
        if (scanned[k]) continue;
        if (one.first > all.first) all.first = one.first;
        if (one.last < all.last) all.last = one.last;
    }
    if (any) {
        scan_row(c, scanned, n, i, all);
        return;
    }
    c->row_count = all.first < all.last;
    c->rows[0] = all;
}

/* --- counting --------------------------------------------------------------------------- */

/* The keys of the row that can (1) or must (2) be selected. */
static uint32_t count_row(const Counter *c, const Own *own, const Total *t, uint32_t i,
                          unsigned which) {
    uint32_t count = 0;
    for (uint32_t r = 0; r < c->row_count; r++) {
        count +=
            keys_before(c, t, c->rows[r].last, which) - keys_before(c, t, c->rows[r].first, which);
        if (i < c->rows[r].first || i >= c->rows[r].last) continue;
        count -= (t->chance[c->stretch_of[i]] & which) != 0;
        count += which == 1 ? own->self.can : own->self.must;
    }
    return count;
}

static bool count_context(Counter *c, uint32_t n, uint32_t i, uint32_t *least, uint32_t *most) {
    const OwnList *list = own_of(c, context_of(n, i));
    if (!list) return false;
    find_row(c, n, i);
    *least = list->count ? n : 0;
    *most = 0;
    for (uint32_t k = 0; k < list->count; k++) {
        const Own *own = &list->own[k];
        const Total *t = total_of(c, own->query);
        uint32_t low = count_row(c, own, t, i, 2), high = count_row(c, own, t, i, 1);
        if (low < *least) *least = low;
        if (high > *most) *most = high;
    }
    c->work += list->count;
    if (*least > *most) *least = *most;
    return true;
}

/* Without literals one joint value of no queries selects all. */
static void add_nothing(Counter *c) {
    c->own = ARENA_NEW(c->arena, OwnList);
    Own *own = ARENA_NEW(c->arena, Own);
    *own = (Own){query_number(c, NULL), {true, true}};
    *c->own = (OwnList){own, 1, true};
}

static bool count_all(Counter *c, uint32_t *least, uint32_t *most) {
    uint32_t longest = c->values->domain->max_length;
    c->stretch = ARENA_ARRAY(c->arena, longest, Stretch);
    c->stretch_kind = ARENA_ARRAY(c->arena, longest, uint32_t);
    c->stretch_of = ARENA_ARRAY(c->arena, longest, uint32_t);
    c->rows = ARENA_ARRAY(c->arena, (size_t)longest + 1, Stretch);
    c->query = tuple_map_new(c->arena, c->query_count);
    c->kind = tuple_map_new(c->arena, c->literals);
    c->epoch = 1;
    if (c->literals == 0)
        add_nothing(c);
    else if (!find_classes(c))
        return false;
    c->apart = c->literals > 0 && keys_apart(c);
    for (uint32_t n = 1; n <= longest; n++) {
        find_stretches(c, n);
        budget_poll(arena_budget(c->arena));
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = context_of(n, i);
            least[at] = 0;
            most[at] = n;
            if (c->work < COUNT_LIMIT && !count_context(c, n, i, &least[at], &most[at]))
                return false;
        }
    }
    return true;
}

bool values_count_keys(Values *values, NodeId selector, uint32_t *least, uint32_t *most) {
    Counter c = {.values = values, .arena = arena_child(values->arena)};
    split(&c, selector);
    bool done = count_all(&c, least, most);
    arena_free(c.arena);
    return done;
}
