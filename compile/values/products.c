#include "compile/values/products.h"

#include "graph/token.h"

#include <string.h>

enum { MOST_BASIS = 64, MOST_ROOTS = 64 };
static const double SOURCE_COMBINATIONS = 250000;

/* --- evaluation ------------------------------------------------------------------------- */

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
           (entry && entry->values.known && values_fixed(&entry->values));
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
        if (!wanted[id] || nodes_contain(basis, basis_count, id)) continue;
        const Node *node = graph_node(values->graph, id);
        if (is_leaf(values, id)) continue;
        for (int k = 0; k < node->arity; k++) wanted[node->arg[k]] = true;
        /* A converted token is a function of the token itself. */
        if (node->kind == NODE_TOKENS && id != values->tokens) wanted[values->tokens] = true;
    }
    for (NodeId id = 0; id <= top; id++)
        if (wanted[id] && !nodes_contain(basis, basis_count, id)) cone.node[cone.count++] = id;
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
        if (v->known && values_fixed(v)) {
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

static bool where_applies(Values *values, const NodeId *basis, uint32_t count) {
    NodeId where = values->domain->where;
    if (where == NODE_NONE || where >= values->entry_count || !values->entry[where]) return false;
    const NodeValues *v = &values->entry[where]->values;
    if (!v->known) return false;
    for (uint32_t s = 0; s < v->all_sources; s++)
        if (!nodes_contain(basis, count, v->sources[s])) return false;
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

/* Adds the sources of the roots that vary in kind alone: nobody else lists them. */
static uint32_t add_kind_sources(Values *values, const RowsRequest *request, NodeId *basis,
                                 uint32_t size) {
    for (uint32_t r = 0; r < request->count; r++) {
        const NodeValues *v = &values->entry[request->nodes[r]]->values;
        for (uint32_t s = v->source_count; s < v->all_sources && !values_fixed(v); s++) {
            if (nodes_contain(basis, size, v->sources[s])) continue;
            if (size == MOST_BASIS) return UINT32_MAX;
            basis[size++] = v->sources[s];
        }
    }
    return size;
}

/* Those of the request's basis, if they are not too many. */
static uint32_t all_sources(Values *values, const RowsRequest *request, NodeId *basis,
                            Arena *arena) {
    uint32_t count;
    const NodeId *source =
        values_sources(values, request->basis, request->basis_count, &count, arena);
    if (count > MOST_BASIS) return UINT32_MAX;
    for (uint32_t k = 0; k < count; k++) basis[k] = source[k];
    return count;
}

static bool choose_product(Values *values, const RowsRequest *request, Product *product,
                           NodeId *basis, Arena *arena) {
    for (int attempt = 0; attempt < 2; attempt++) {
        uint32_t size =
            attempt ? independent(values, request->basis, request->basis_count, basis, arena)
                    : all_sources(values, request, basis, arena);
        if (size != UINT32_MAX) size = add_kind_sources(values, request, basis, size);
        if (size == UINT32_MAX) continue;
        *product = (Product){.basis = basis, .count = size, .where = NODE_NONE};
        double total = total_size(values, product, request->only, arena);
        bool sources = attempt == 0; /* exact, but many bits have very many combinations */
        if (total <= (double)values->row_limit && !(sources && total > SOURCE_COMBINATIONS)) {
            if (!values_charge(values, request->about, total)) return false;
            NodeId roots[MOST_ROOTS + 1];
            uint32_t count = request->count;
            memcpy(roots, request->nodes, count * sizeof *roots);
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

static bool gather_sets(Values *values, NodeId id, const Product *product, Entry *entry,
                        Arena *scratch) {
    TupleMap *memo = tuple_map_new(scratch, product->count);
    Gather gather = {.node = id, .arena = scratch};
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++) {
        uint32_t key[MOST_BASIS];
        for (uint32_t k = 0; k < product->count; k++)
            key[k] = values->entry[product->basis[k]]->values.sets[c];
        bool found;
        uint32_t *set = tuple_map_at(memo, key, &found);
        if (!found) {
            gather.count = 0;
            if (!product_run(values, product, c, gather_level, &gather)) return false;
            *set = sets_add(values->sets, gather.level, gather.count);
        }
        entry->sets[c] = *set;
    }
    return true;
}

bool products_sets(Values *values, NodeId id, const NodeId *args, uint32_t arg_count,
                   Entry *entry) {
    NodeId basis[MOST_BASIS];
    if (entry->values.all_sources > MOST_BASIS)
        return values_too_large(values, id, "attention results that it depends on",
                                entry->values.all_sources, MOST_BASIS);
    Arena *scratch = arena_child(values->arena);
    Product product;
    RowsRequest request = {args, arg_count, &id, 1, UINT32_MAX, id};
    reserve_slots(values);
    bool done = choose_product(values, &request, &product, basis, scratch)
                    ? gather_sets(values, id, &product, entry, scratch)
                    : node_is_boolean(graph_node(values->graph, id)) &&
                          either_everywhere(values, id, entry);
    arena_free(scratch);
    return done;
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

bool products_rows(Values *values, const RowsRequest *request, Rows *rows) {
    NodeId basis[MOST_BASIS];
    Arena *scratch = arena_child(values->arena);
    reserve_slots(values);
    Product product;
    uint32_t count = request->count;
    bool done = choose_product(values, request, &product, basis, scratch);
    RowSink sink = {request->nodes, count, tuple_map_new(scratch, count), values->row_limit};
    if (done) {
        TupleMap *map = distinct_contexts(values, &product, request->only, scratch);
        for (uint32_t k = 0; k < tuple_map_count(map) && done; k++) {
            bool found;
            uint32_t c = *tuple_map_at(map, tuple_map_key(map, k), &found);
            done = product_run(values, &product, c, gather_row, &sink);
        }
    }
    if (done) values_keep_rows(values, sink.seen, count, rows);
    arena_free(scratch);
    return done;
}
