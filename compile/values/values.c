#include "compile/values/values_private.h"

#include "graph/token.h"

#include <string.h>

enum { MOST_BASIS = 64, MOST_ROOTS = 64 };
static const double SOURCE_COMBINATIONS = 250000;

Values *values_new(Graph *graph, const Domain *domain, uint32_t level_limit, uint64_t row_limit,
                   Arena *arena) {
    Values *values = ARENA_NEW(arena, Values);
    values->graph = graph;
    values->domain = domain;
    values->arena = arena;
    values->sets = sets_new(arena);
    values->level_limit = level_limit;
    values->row_limit = row_limit;
    values->tokens = graph_tokens(graph, TOKENS_ASIS, SPAN_NONE);
    values->indices = graph_indices(graph, SPAN_NONE);
    return values;
}

Graph *values_graph(const Values *values) {
    return values->graph;
}
const Domain *values_domain(const Values *values) {
    return values->domain;
}
const ValuesError *values_error(const Values *values) {
    return &values->error;
}

const uint32_t *values_set(const Values *values, SetId set, uint32_t *count) {
    return sets_get(values->sets, set, count);
}

bool values_too_large(Values *values, NodeId node, const char *what, double size, double limit) {
    bool raisable = limit == values->level_limit || limit == (double)values->row_limit;
    values->error = (ValuesError){node, size, limit, what, raisable};
    return false;
}

Entry *values_entry(Values *values, NodeId node) {
    if (node >= values->entry_count) /* asked for each level: without a call */
        values->entry = arena_grow(values->arena, values->entry, &values->entry_count,
                                   (size_t)node + 1, sizeof *values->entry);
    if (!values->entry[node]) values->entry[node] = ARENA_NEW(values->arena, Entry);
    return values->entry[node];
}

/* --- levels ----------------------------------------------------------------------------- */

static uint64_t level_hash(const void *levels, uint32_t level) {
    return atom_hash(((const Atom *)levels)[level]);
}

/* Of equal values the one on which the fewest operators fail stands for all: an int may
 * index a list where an equal float may not. */
static bool stands_better(Atom a, Atom b) {
    return a.kind == ATOM_INT && b.kind != ATOM_INT;
}

static uint32_t add_level(Values *values, NodeId node, Entry *entry, Atom value, unsigned kinds) {
    uint32_t level = entry->values.count;
    if (level >= values->level_limit) {
        values_too_large(values, node, "values", level + 1.0, values->level_limit);
        return UINT32_MAX;
    }
    entry->levels = arena_grow(values->arena, entry->levels, &entry->level_capacity,
                               (size_t)level + 1, sizeof *entry->levels);
    entry->kinds = arena_grow(values->arena, entry->kinds, &entry->kind_capacity, (size_t)level + 1,
                              sizeof *entry->kinds);
    entry->levels[level] = value;
    entry->kinds[level] = (unsigned char)kinds;
    entry->values.levels = entry->levels;
    entry->values.kinds = entry->kinds;
    return entry->values.count++;
}

uint32_t entry_level_as(Values *values, NodeId node, Atom value, unsigned kinds) {
    Entry *entry = values_entry(values, node);
    Table *table = &entry->table;
    /* A mean of ints is no int, though it may be equal to one. */
    if (!(kinds & kind_bit(value))) value = kind_variant(value, (KindBits)(kinds & -kinds));
    if (table_full(table, entry->values.count))
        table_grow(table, values->arena, entry->values.count, level_hash, entry->levels);
    size_t at = table_start(table, atom_hash(value));
    for (uint32_t level; (level = table_entry(table, at)) != TABLE_NONE;
         at = table_next(table, at)) {
        bool equal = atom_equal(entry->levels[level], value);
        if (!equal && !atom_same(entry->levels[level], value)) continue; /* a NaN is itself */
        if (stands_better(value, entry->levels[level])) entry->levels[level] = value;
        entry->kinds[level] |= (unsigned char)kinds;
        return level;
    }
    uint32_t level = add_level(values, node, entry, value, kinds);
    if (level != UINT32_MAX) table_put(table, at, level);
    return level;
}

uint32_t entry_level(Values *values, NodeId node, Atom value) {
    return entry_level_as(values, node, value, kind_bit(value));
}

/* Has it one value, in all respects?  Then it does not depend on anything. */
static bool is_fixed(const NodeValues *v) {
    return v->count == 0 || (v->count == 1 && kind_is_single(v->kinds[0]));
}

/* --- evaluation ------------------------------------------------------------------------- */

static bool contains(const NodeId *list, uint32_t count, NodeId node) {
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == node) return true;
    return false;
}

/* The nodes between `basis` and `roots`, in topological order. */
typedef struct Cone {
    NodeId *node;
    uint32_t count;
} Cone;

/* Sources, and nodes of one value: nothing below them is computed. */
static bool is_leaf(const Values *values, NodeId id) {
    NodeKind kind = graph_node(values->graph, id)->kind;
    const Entry *entry = id < values->entry_count ? values->entry[id] : NULL;
    return kind == NODE_AGGREGATE || kind == NODE_WIDTH ||
           (entry && entry->values.known && is_fixed(&entry->values));
}

static Cone make_cone(Values *values, const NodeId *roots, uint32_t root_count, const NodeId *basis,
                      uint32_t basis_count, Arena *arena) {
    NodeId top = 0;
    for (uint32_t k = 0; k < root_count; k++)
        if (roots[k] > top) top = roots[k];
    bool *wanted = ARENA_ARRAY(arena, (size_t)top + 1, bool);
    for (uint32_t k = 0; k < root_count; k++) wanted[roots[k]] = true;
    Cone cone = {.node = ARENA_ARRAY(arena, (size_t)top + 1, NodeId)};
    for (NodeId id = top + 1; id-- > 0;) {
        if (!wanted[id] || contains(basis, basis_count, id)) continue;
        const Node *node = graph_node(values->graph, id);
        if (is_leaf(values, id)) continue;
        for (int k = 0; k < node->arity; k++) wanted[node->arg[k]] = true;
        /* A converted token is a function of the token itself. */
        if (node->kind == NODE_TOKENS && id != values->tokens) wanted[values->tokens] = true;
    }
    for (NodeId id = 0; id <= top; id++)
        if (wanted[id] && !contains(basis, basis_count, id)) cone.node[cone.count++] = id;
    return cone;
}

static FaultId apply(const Values *values, const Node *node, Atom *result) {
    Atom args[OP_MAX_ARITY];
    for (int k = 0; k < node->arity; k++) args[k] = values->slot[node->arg[k]];
    return op_eval(node->op, args, graph_intern(values->graph), result);
}

/* Computes the cone from the slots of the basis; false when an operator fails. */
static bool evaluate(Values *values, const Cone *cone) {
    for (uint32_t k = 0; k < cone->count; k++) {
        NodeId id = cone->node[k];
        const NodeValues *v = &values->entry[id]->values;
        if (v->known && is_fixed(v)) {
            if (v->count == 0) return false;
            values->slot[id] = v->levels[0];
            continue;
        }
        const Node *node = graph_node(values->graph, id);
        FaultId fault = FAULT_NONE;
        Atom *result = &values->slot[id];
        switch (node->kind) {
        case NODE_CONSTANT:
            *result = node->atom;
            break;
        case NODE_TOKENS:
            fault = token_convert(node->tokens, values->slot[values->tokens],
                                  graph_intern(values->graph), result);
            break;
        case NODE_MAP:
            fault = apply(values, node, result);
            break;
        case NODE_LOOKUP:
            fault = lookup_eval(node->lookup, values->slot[node->arg[0]], result);
            break;
        default:
            return false; /* sources are in the basis, selectors have no value */
        }
        if (fault != FAULT_NONE) return false;
    }
    return true;
}

/* --- enumeration ------------------------------------------------------------------------ */

/* Runs over the product of the basis's sets in one context; `visit` sees values->slot. */
typedef struct Product {
    const NodeId *basis;
    uint32_t count;
    Cone cone;
    NodeId where; /* skip where this is false; NODE_NONE: no such condition */
} Product;

typedef bool Visit(Values *values, void *context);

/* The members of a set of the node's levels, each as all the kinds that it occurs as. */
static const Atom *variants(Values *values, NodeId node, SetId set, uint32_t *count, Arena *arena) {
    const NodeValues *v = &values->entry[node]->values;
    uint32_t members;
    const uint32_t *member = sets_get(values->sets, set, &members);
    Atom *atom = ARENA_ARRAY(arena, (size_t)members * KIND_COUNT, Atom);
    *count = 0;
    for (uint32_t k = 0; k < members; k++)
        for (unsigned kind = 1; kind < 1u << KIND_COUNT; kind <<= 1)
            if (v->kinds[member[k]] & kind)
                atom[(*count)++] = kind_variant(v->levels[member[k]], (KindBits)kind);
    return atom;
}

static double product_size(const Values *values, const Product *product, uint32_t context) {
    double size = 1;
    for (uint32_t k = 0; k < product->count; k++) {
        const NodeValues *v = &values->entry[product->basis[k]]->values;
        uint32_t members, total = 0;
        const uint32_t *member = sets_get(values->sets, v->sets[context], &members);
        for (uint32_t m = 0; m < members; m++)
            total += (uint32_t)__builtin_popcount(v->kinds[member[m]]);
        size *= total;
    }
    return size;
}

static bool run_variants(Values *values, const Product *product, const Atom *const *variant,
                         const uint32_t *size, Visit *visit, void *visit_context) {
    uint32_t at[MOST_BASIS] = {0};
    for (uint32_t steps = 0;; steps++) {
        for (uint32_t k = 0; k < product->count; k++)
            values->slot[product->basis[k]] = variant[k][at[k]];
        bool valid = evaluate(values, &product->cone);
        if (valid && product->where != NODE_NONE) valid = atom_truth(values->slot[product->where]);
        if (valid && !visit(values, visit_context)) return false;
        if ((steps & 0xfff) == 0) budget_poll(arena_budget(values->arena));
        uint32_t k = 0;
        while (k < product->count && ++at[k] == size[k]) at[k++] = 0;
        if (k == product->count) return true;
    }
}

static bool product_run(Values *values, const Product *product, uint32_t context, Visit *visit,
                        void *visit_context) {
    const Atom *variant[MOST_BASIS];
    uint32_t size[MOST_BASIS];
    Arena *scratch = arena_child(values->arena);
    bool done = true, empty = false;
    for (uint32_t k = 0; k < product->count; k++) {
        NodeId node = product->basis[k];
        SetId set = values->entry[node]->values.sets[context];
        variant[k] = variants(values, node, set, &size[k], scratch);
        empty |= size[k] == 0;
    }
    if (!empty) done = run_variants(values, product, variant, size, visit, visit_context);
    arena_free(scratch);
    return done;
}

static void reserve_slots(Values *values) {
    values->slot = arena_grow(values->arena, values->slot, &values->slot_count,
                              graph_count(values->graph), sizeof *values->slot);
}

/* The union of the nodes' sources. */
static uint32_t join_sources(Values *values, const NodeId *nodes, uint32_t count, NodeId *joined) {
    uint32_t total = 0;
    for (uint32_t k = 0; k < count; k++) {
        const NodeValues *v = &values->entry[nodes[k]]->values;
        for (uint32_t s = 0; !is_fixed(v) && s < v->all_sources; s++) {
            if (contains(joined, total, v->sources[s])) continue;
            if (is_fixed(&values->entry[v->sources[s]]->values)) continue; /* no variable */
            if (total == MOST_BASIS) return UINT32_MAX;
            joined[total++] = v->sources[s];
        }
    }
    return total;
}

static bool where_applies(Values *values, const NodeId *basis, uint32_t count) {
    NodeId where = values->domain->where;
    if (where == NODE_NONE || where >= values->entry_count || !values->entry[where]) return false;
    const NodeValues *v = &values->entry[where]->values;
    if (!v->known) return false;
    for (uint32_t s = 0; s < v->all_sources; s++)
        if (!contains(basis, count, v->sources[s])) return false;
    return true;
}

/* Each different tuple of sets, with the context where it first stands. */
static TupleMap *distinct_contexts(Values *values, const Product *product, uint32_t only,
                                   Arena *arena) {
    TupleMap *map = tuple_map_new(arena, product->count);
    uint32_t contexts = domain_contexts(values->domain);
    for (uint32_t c = only == UINT32_MAX ? 0 : only; c < (only == UINT32_MAX ? contexts : only + 1);
         c++) {
        uint32_t key[MOST_BASIS];
        for (uint32_t k = 0; k < product->count; k++)
            key[k] = values->entry[product->basis[k]]->values.sets[c];
        bool found;
        uint32_t *first = tuple_map_at(map, key, &found);
        if (!found) *first = c;
    }
    return map;
}

/* The nodes of a list, and those already seen to follow from them: operands are shared, so the
 * ways down to them are not followed one by one. */
typedef struct Given {
    const Values *values;
    const NodeId *list;
    uint32_t count, skip;
    TupleMap *seen; /* by node; NULL: none */
    Arena *arena;
} Given;

static bool is_listed(const Given *c, NodeId id) {
    for (uint32_t m = 0; m < c->count; m++)
        if (m != c->skip && c->list[m] == id) return true;
    return false;
}

/* Can the node be computed from the others of the list? */
static bool is_covered(Given *c, NodeId id) {
    const Node *node = graph_node(c->values->graph, id);
    if (node->kind == NODE_CONSTANT) return true;
    if (node->kind != NODE_MAP && node->kind != NODE_LOOKUP) return false;
    if (!c->seen) c->seen = tuple_map_new(c->arena, 1);
    bool seen;
    (void)tuple_map_at(c->seen, &id, &seen);
    for (int k = 0; k < node->arity && !seen; k++)
        if (!is_listed(c, node->arg[k]) && !is_covered(c, node->arg[k])) return false;
    return true;
}

/* The nodes that the others do not determine. */
static uint32_t independent(const Values *values, const NodeId *nodes, uint32_t count,
                            NodeId *basis, Arena *arena) {
    uint32_t kept = count;
    memcpy(basis, nodes, count * sizeof *basis);
    for (uint32_t k = count; k-- > 0;) {
        bool twice = false;
        for (uint32_t m = 0; m < k; m++) twice |= basis[m] == basis[k];
        Given given = {values, basis, kept, k, NULL, arena};
        if (!twice && !is_covered(&given, basis[k])) continue;
        memmove(basis + k, basis + k + 1, (kept - k - 1) * sizeof *basis);
        kept--;
    }
    return kept;
}

/* The distinct tuples of sets and what they multiply to. */
static double total_size(Values *values, const Product *product, uint32_t only, Arena *arena) {
    TupleMap *map = distinct_contexts(values, product, only, arena);
    double total = 0;
    for (uint32_t k = 0; k < tuple_map_count(map); k++) {
        bool found;
        total += product_size(values, product, *tuple_map_at(map, tuple_map_key(map, k), &found));
    }
    return total;
}

/* What is enumerated, for what: over the common sources, or over `basis` where that is too
 * much (correlation between the basis's nodes is then lost, which only makes sets larger). */
typedef struct Request {
    const NodeId *basis;
    uint32_t basis_count;
    const NodeId *roots; /* must be computed */
    uint32_t root_count;
    uint32_t only; /* one context, or UINT32_MAX */
    NodeId about;  /* for errors */
} Request;

/* Adds the sources of the roots that vary in kind alone: nobody else lists them. */
static uint32_t add_kind_sources(Values *values, const Request *request, NodeId *basis,
                                 uint32_t size) {
    for (uint32_t r = 0; r < request->root_count; r++) {
        const NodeValues *v = &values->entry[request->roots[r]]->values;
        for (uint32_t s = v->source_count; s < v->all_sources && !is_fixed(v); s++) {
            if (contains(basis, size, v->sources[s])) continue;
            if (size == MOST_BASIS) return UINT32_MAX;
            basis[size++] = v->sources[s];
        }
    }
    return size;
}

static bool choose_product(Values *values, const Request *request, Product *product, NodeId *basis,
                           Arena *arena) {
    for (int attempt = 0; attempt < 2; attempt++) {
        uint32_t size =
            attempt ? independent(values, request->basis, request->basis_count, basis, arena)
                    : join_sources(values, request->basis, request->basis_count, basis);
        if (size != UINT32_MAX) size = add_kind_sources(values, request, basis, size);
        if (size == UINT32_MAX) continue;
        *product = (Product){.basis = basis, .count = size, .where = NODE_NONE};
        double total = total_size(values, product, request->only, arena);
        bool sources = attempt == 0; /* exact, but many bits have very many combinations */
        if (total <= (double)values->row_limit && !(sources && total > SOURCE_COMBINATIONS)) {
            NodeId roots[MOST_ROOTS + 1];
            uint32_t count = request->root_count;
            memcpy(roots, request->roots, count * sizeof *roots);
            if (where_applies(values, basis, size))
                product->where = roots[count++] = values->domain->where;
            product->cone = make_cone(values, roots, count, basis, size, arena);
            return true;
        }
        values_too_large(values, request->about, "combinations of values", total,
                         (double)values->row_limit);
    }
    return false;
}

/* --- the sets of one elementwise s-op --------------------------------------------------- */

typedef struct Gather {
    NodeId node;
    uint32_t *level;
    size_t count, capacity;
    Arena *arena;
} Gather;

static bool gather_level(Values *values, void *context) {
    Gather *gather = context;
    uint32_t level = entry_level(values, gather->node, values->slot[gather->node]);
    if (level == UINT32_MAX) return false;
    gather->level = arena_grow(gather->arena, gather->level, &gather->capacity, gather->count + 1,
                               sizeof *gather->level);
    gather->level[gather->count++] = level;
    return true;
}

static bool node_is_boolean(const Node *node) {
    return (node->kind == NODE_MAP && (ops[node->op].flags & OP_BOOLEAN)) ||
           (node->kind == NODE_LOOKUP && node->lookup->kind == LOOKUP_SET);
}

/* What cannot be enumerated but is a bool is either, anywhere. */
static bool either_everywhere(Values *values, NodeId id, Entry *entry) {
    uint32_t both[2] = {entry_level(values, id, atom_bool(false)),
                        entry_level(values, id, atom_bool(true))};
    SetId set = sets_add(values->sets, both, 2);
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++) entry->sets[c] = set;
    return true;
}

static void keep_sources(Values *values, Entry *entry, const NodeId *sources, uint32_t count) {
    NodeId *kept = ARENA_ARRAY(values->arena, count, NodeId);
    entry->values.sources = kept;
    for (int several = 1; several >= 0; several--)
        for (uint32_t s = 0; s < count; s++) {
            if ((values->entry[sources[s]]->values.count > 1) != several) continue;
            kept[entry->values.all_sources++] = sources[s];
            entry->values.source_count += (uint32_t)several;
        }
}

static bool compute_elementwise(Values *values, NodeId id, Entry *entry, Arena *scratch) {
    const Node *node = graph_node(values->graph, id);
    NodeId args[OP_MAX_ARITY + 1], basis[MOST_BASIS];
    uint32_t arg_count = 0;
    for (int k = 0; k < node->arity; k++) args[arg_count++] = node->arg[k];
    if (node->kind == NODE_TOKENS) args[arg_count++] = values->tokens;
    for (uint32_t k = 0; k < arg_count; k++)
        if (!values_of(values, args[k])) return false;
    uint32_t sources = join_sources(values, args, arg_count, basis);
    if (sources == UINT32_MAX)
        return values_too_large(values, id, "attention results that it depends on", 65, 64);
    keep_sources(values, entry, basis, sources);

    reserve_slots(values);
    Product product;
    Request request = {args, arg_count, &id, 1, UINT32_MAX, id};
    if (!choose_product(values, &request, &product, basis, scratch))
        return node_is_boolean(graph_node(values->graph, id)) &&
               either_everywhere(values, id, entry);
    uint32_t contexts = domain_contexts(values->domain);
    TupleMap *memo = tuple_map_new(scratch, product.count);
    Gather gather = {.node = id, .arena = scratch};
    for (uint32_t c = 0; c < contexts; c++) {
        uint32_t key[MOST_BASIS];
        for (uint32_t k = 0; k < product.count; k++)
            key[k] = values->entry[product.basis[k]]->values.sets[c];
        bool found;
        uint32_t *set = tuple_map_at(memo, key, &found);
        if (!found) {
            gather.count = 0;
            if (!product_run(values, &product, c, gather_level, &gather)) return false;
            *set = sets_add(values->sets, gather.level, gather.count);
        }
        entry->sets[c] = *set;
    }
    return true;
}

const NodeValues *values_of(Values *values, NodeId node) {
    Entry *entry = values_entry(values, node);
    if (entry->values.known) return &entry->values;
    if (entry->failure) { /* found out once: it may have taken long */
        values->error = *entry->failure;
        return NULL;
    }
    entry->sets = ARENA_ARRAY(values->arena, domain_contexts(values->domain), SetId);
    entry->values.sets = entry->sets;
    const Node *n = graph_node(values->graph, node);
    bool source = node == values->tokens || n->kind == NODE_INDICES || n->kind == NODE_AGGREGATE ||
                  n->kind == NODE_WIDTH;
    bool done;
    if (source) {
        NodeId *self = ARENA_NEW(values->arena, NodeId);
        *self = node;
        entry->values.sources = self;
        entry->values.source_count = entry->values.all_sources = 1;
        done = values_compute_source(values, node, entry);
    } else {
        Arena *scratch = arena_child(values->arena);
        done = compute_elementwise(values, node, entry, scratch);
        arena_free(scratch);
    }
    entry->values.levels = entry->levels;
    entry->values.kinds = entry->kinds;
    entry->values.known = done;
    if (done) return &entry->values;
    ValuesError *failure = ARENA_NEW(values->arena, ValuesError);
    *failure = values->error;
    entry->failure = failure;
    return NULL;
}

/* --- rows ------------------------------------------------------------------------------- */

typedef struct RowSink {
    const NodeId *nodes;
    uint32_t count;
    TupleMap *seen;
    uint64_t limit;
} RowSink;

static bool gather_row(Values *values, void *context) {
    RowSink *sink = context;
    uint32_t row[MOST_ROOTS];
    for (uint32_t k = 0; k < sink->count; k++) {
        row[k] = entry_level(values, sink->nodes[k], values->slot[sink->nodes[k]]);
        if (row[k] == UINT32_MAX) return false;
    }
    bool found;
    tuple_map_at(sink->seen, row, &found);
    return tuple_map_count(sink->seen) <= sink->limit;
}

static bool run_request(Values *values, const Request *request, Rows *rows) {
    for (uint32_t k = 0; k < request->root_count; k++)
        if (!values_of(values, request->roots[k])) return false;
    for (uint32_t k = 0; k < request->basis_count; k++)
        if (!values_of(values, request->basis[k])) return false;
    NodeId basis[MOST_BASIS];
    Arena *scratch = arena_child(values->arena);
    reserve_slots(values);
    Product product;
    uint32_t count = request->root_count;
    bool done = choose_product(values, request, &product, basis, scratch);
    RowSink sink = {request->roots, count, tuple_map_new(scratch, count), values->row_limit};
    if (done) {
        TupleMap *map = distinct_contexts(values, &product, request->only, scratch);
        for (uint32_t k = 0; k < tuple_map_count(map) && done; k++) {
            bool found;
            uint32_t c = *tuple_map_at(map, tuple_map_key(map, k), &found);
            done = product_run(values, &product, c, gather_row, &sink);
        }
    }
    if (done) {
        rows->row_count = tuple_map_count(sink.seen);
        rows->width = count;
        rows->level = ARENA_ARRAY(values->arena, rows->row_count * count, uint32_t);
        if (rows->row_count && count)
            memcpy(rows->level, tuple_map_key(sink.seen, 0),
                   rows->row_count * count * sizeof *rows->level);
    }
    arena_free(scratch);
    return done;
}

bool values_rows(Values *values, const NodeId *nodes, uint32_t count, uint32_t context,
                 Rows *rows) {
    return run_request(values, &(Request){nodes, count, nodes, count, context, nodes[0]}, rows);
}

bool values_rows_over(Values *values, const NodeId *basis, uint32_t basis_count,
                      const NodeId *nodes, uint32_t count, Rows *rows) {
    return run_request(
        values, &(Request){basis, basis_count, nodes, count, UINT32_MAX, nodes[count - 1]}, rows);
}
