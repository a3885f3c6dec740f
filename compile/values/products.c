#include "compile/values/products.h"

#include "compile/values/classes.h"
#include "compile/values/cone.h"

#include <string.h>

enum { MOST_BASIS = 64, MOST_ROOTS = 64, MOST_BITS = 1 << 28 };
#define NO_SET UINT32_MAX
static const double SOURCE_COMBINATIONS = 250000, FEW_COMBINATIONS = 4096;

/* --- enumeration ------------------------------------------------------------------------ */

/* The variants of a set's members, those of another set left out. */
typedef struct Held {
    SetId set, without;
    ConeRange range;
    uint32_t *variant, *member; /* lists that it may stand in */
    size_t variant_capacity, member_capacity;
    bool known;
} Held;

/* Runs over products of the basis's sets; `where`: skip where this is false. */
typedef struct Product {
    const NodeId *basis;
    uint32_t count;
    NodeId where;
    Classes *classes; /* NULL: one context alone */
    Cone *cone;
    Held *held; /* by basis s-op: what was looked at last */
    Arena *arena;
} Product;

/* The variant of each level, where a level has one. */
static const uint32_t *level_variants(const Values *values, Entry *entry) {
    if (entry->variant) return entry->variant;
    uint32_t *variant = ARENA_ARRAY(values->arena, entry->values.count, uint32_t);
    for (uint32_t k = 0; k < entry->values.count; k++)
        variant[k] = variant_of(k, (KindBits)entry->kinds[k]);
    return entry->variant = variant;
}

/* Consecutive members are a piece of all variants, and so are those that one end of them lacks. */
static bool piece(const Values *values, Entry *entry, SetId set, SetId without, ConeRange *range) {
    uint32_t first, last, from, to;
    if (!entry->single_kinds || !sets_run(values->sets, set, &first, &last)) return false;
    if (without != NO_SET) {
        if (!sets_run(values->sets, without, &from, &to) || (from > first && to < last))
            return false;
        if (from > first)
            last = from - 1;
        else
            first = to + 1;
    }
    *range = (ConeRange){level_variants(values, entry) + first, last + 1 - first};
    return true;
}

/* Each member as all the kinds that it occurs as. */
static void list_variants(Values *values, const Entry *entry, Held *held, Arena *arena) {
    uint32_t count = sets_count(values->sets, held->set), total = 0;
    held->member =
        arena_grow_block(arena, held->member, &held->member_capacity, count, sizeof(uint32_t));
    count = sets_minus(values->sets, held->set, held->without, held->member);
    held->variant = arena_grow_block(arena, held->variant, &held->variant_capacity,
                                     (size_t)count * KIND_COUNT, sizeof(uint32_t));
    for (uint32_t k = 0; k < count; k++) {
        uint32_t level = held->member[k];
        for (unsigned kinds = entry->kinds[level]; kinds; kinds &= kinds - 1)
            held->variant[total++] = variant_of(level, (KindBits)(kinds & -kinds));
    }
    held->range = (ConeRange){held->variant, total};
}

/* The members of a set of the k-th s-op's levels; those of `without`, which lies within it, left
 * out, unless it is NO_SET.  Neighbouring classes ask for the same ones again. */
static ConeRange variants(Values *values, const Product *product, uint32_t k, SetId set,
                          SetId without) {
    Entry *entry = values->entry[product->basis[k]];
    Held *held = &product->held[k];
    ConeRange range;
    if (held->known && held->set == set && held->without == without) return held->range;
    if (piece(values, entry, set, without, &range)) return range;
    held->set = set;
    held->without = without == NO_SET ? sets_add(values->sets, NULL, 0) : without;
    list_variants(values, entry, held, product->arena);
    held->without = without;
    held->known = true;
    return held->range;
}

/* At one tuple of sets. */
static bool product_run(Values *values, const Product *product, const SetId *set, ConeVisit *visit,
                        void *context) {
    ConeRange range[MOST_BASIS];
    for (uint32_t k = 0; k < product->count; k++)
        range[k] = variants(values, product, k, set[k], NO_SET);
    return cone_run(product->cone, range, visit, context);
}

/* At those combinations that the tuple `within`, which lies within it, does not have: for each
 * s-op those in which it is the first to have a value of its own.  No set is listed as a whole
 * unless its members are looked at. */
static bool product_run_added(Values *values, const Product *product, const SetId *set,
                              const SetId *within, ConeVisit *visit, void *context) {
    ConeRange range[MOST_BASIS];
    bool done = true, any = false;
    for (uint32_t k = 0; k < product->count; k++) {
        if (set[k] == within[k] || any) range[k] = variants(values, product, k, set[k], NO_SET);
        any |= set[k] != within[k];
    }
    for (uint32_t k = 0; k < product->count && done && any; k++) {
        if (set[k] == within[k]) continue;
        range[k] = variants(values, product, k, set[k], within[k]);
        done = cone_run(product->cone, range, visit, context);
        any = false;
        for (uint32_t m = k + 1; m < product->count; m++) any |= set[m] != within[m];
        if (any) range[k] = variants(values, product, k, within[k], NO_SET);
    }
    return done;
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

/* Adds the sources of the roots that vary in kind alone, a root of one value among them: nobody
 * else lists them. */
static uint32_t add_kind_sources(Values *values, const RowsRequest *request, NodeId *basis,
                                 uint32_t size) {
    for (uint32_t r = 0; r < request->count; r++) {
        const NodeValues *v = &values->entry[request->nodes[r]]->values;
        uint32_t first = v->count == 1 ? 0 : v->source_count;
        for (uint32_t s = first; s < v->all_sources && !values_fixed(v); s++) {
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

/* Do two s-ops depend on a common source? */
static bool share_source(const Values *values, NodeId a, NodeId b) {
    const NodeValues *v = &values->entry[a]->values, *w = &values->entry[b]->values;
    for (uint32_t s = 0; s < v->all_sources; s++)
        if (nodes_contain(w->sources, w->all_sources, v->sources[s])) return true;
    return false;
}

/* An s-op of the list that is computed and shares a source with another; `count`: there is none. */
static uint32_t find_shared(const Values *values, const NodeId *list, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        const NodeValues *v = &values->entry[list[k]]->values;
        if (v->all_sources && v->sources[0] == list[k]) continue; /* a source itself */
        for (uint32_t m = 0; m < count; m++)
            if (m != k && share_source(values, list[k], list[m])) return k;
    }
    return count;
}

static bool add_element(const Values *values, NodeId id, NodeId *list, uint32_t *count) {
    const NodeValues *v = &values->entry[id]->values;
    if (values_fixed(v) || nodes_contain(list, *count, id)) return true;
    if (*count == MOST_BASIS) return false;
    list[(*count)++] = id;
    return true;
}

/* S-ops that have no source in common, and determine the request's: as good as all their sources,
 * and fewer values.  Those that do have one are replaced by their arguments. */
static uint32_t apart(Values *values, const RowsRequest *request, NodeId *list) {
    uint32_t count = 0, k;
    if (values->domain->where != NODE_NONE) return UINT32_MAX; /* it is about sources */
    for (uint32_t b = 0; b < request->basis_count; b++)
        if (!add_element(values, request->basis[b], list, &count)) return UINT32_MAX;
    while ((k = find_shared(values, list, count)) < count) {
        Node node = *graph_node(values->graph, list[k]);
        bool fits = true;
        memmove(list + k, list + k + 1, (--count - k) * sizeof *list);
        if (node.kind == NODE_TOKENS) fits = add_element(values, values->tokens, list, &count);
        for (int a = 0; a < node.arity; a++)
            fits = fits && add_element(values, node.arg[a], list, &count);
        if (!fits) return UINT32_MAX;
    }
    return count;
}

/* The combinations of one context. */
static double context_size(const Values *values, const Product *product, uint32_t context) {
    double size = 1;
    for (uint32_t k = 0; k < product->count; k++) {
        const Entry *entry = values->entry[product->basis[k]];
        size *= values_variants(values, product->basis[k], entry->sets[context]);
    }
    return size;
}

/* The combinations that there are, and those that are looked at: each class's own, or all of them
 * together. */
static void measure(Values *values, const RowsRequest *request, Product *product, bool by_class,
                    double *size, double *looked_at) {
    if (request->only != UINT32_MAX) {
        *size = *looked_at = context_size(values, product, request->only);
        return;
    }
    product->classes = values_classes(values, product->basis, product->count);
    *size = product->classes->size;
    if (by_class)
        values_classes_within(values, product->classes);
    else
        values_classes_boxes(values, product->classes);
    *looked_at = by_class ? product->classes->added : product->classes->apart;
}

static void make_cone(Values *values, const RowsRequest *request, Product *product, double points,
                      Arena *arena) {
    NodeId roots[MOST_ROOTS + 1];
    uint32_t count = request->count;
    memcpy(roots, request->nodes, count * sizeof *roots);
    if (where_applies(values, product->basis, product->count))
        product->where = roots[count++] = values->domain->where;
    product->cone = cone_new(values, roots, count, product->basis, product->count, product->where,
                             points, arena);
    product->held = ARENA_ARRAY(arena, product->count, Held);
    product->arena = arena;
}

/* Fewer combinations than these of the sources, or all that there are. */
static void choose_apart(Values *values, const RowsRequest *request, bool by_class,
                         Product *product, double *total, double *looked_at, Arena *arena) {
    NodeId *list = ARENA_ARRAY(arena, MOST_BASIS, NodeId);
    uint32_t size = apart(values, request, list);
    if (size != UINT32_MAX) size = add_kind_sources(values, request, list, size);
    if (size == UINT32_MAX) return;
    Product other = {.basis = list, .count = size, .where = NODE_NONE};
    double points, needed;
    measure(values, request, &other, by_class, &points, &needed);
    if (needed >= *looked_at) return;
    *product = other;
    *total = points, *looked_at = needed;
}

/* `by_class`: for sets, else for rows. */
static bool choose_product(Values *values, const RowsRequest *request, bool by_class,
                           Product *product, NodeId *basis, Arena *arena) {
    double limit = (double)values->row_limit * POINTS_PER_ROW;
    for (int attempt = 0; attempt < 2; attempt++) {
        uint32_t size =
            attempt ? independent(values, request->basis, request->basis_count, basis, arena)
                    : all_sources(values, request, basis, arena);
        if (size != UINT32_MAX) size = add_kind_sources(values, request, basis, size);
        if (size == UINT32_MAX) continue;
        *product = (Product){.basis = basis, .count = size, .where = NODE_NONE};
        double total, looked_at;
        measure(values, request, product, by_class, &total, &looked_at);
        bool sources = attempt == 0; /* exact, but many bits have very many combinations */
        double nominal = total;
        if (sources && looked_at > (by_class ? FEW_COMBINATIONS : 0))
            choose_apart(values, request, by_class, product, &total, &looked_at, arena);
        if (looked_at <= limit && !(sources && looked_at > SOURCE_COMBINATIONS)) {
            if (!values_charge(values, request->about, nominal)) return false;
            make_cone(values, request, product, looked_at, arena);
            return true;
        }
        values_too_large(values, request->about, "combinations of values", looked_at, limit);
    }
    return false;
}

/* --- the sets of one elementwise s-op --------------------------------------------------- */

typedef struct Gather {
    NodeId node;
    SetMaker maker;
} Gather;

static bool gather_level(Values *values, void *context) {
    Gather *gather = context;
    set_maker_add(&gather->maker, variant_level(values->slot[gather->node]));
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
    const Classes *classes = product->classes;
    SetId *set = ARENA_ARRAY(scratch, classes->count, SetId);
    Gather gather = {id, {.sets = values->sets, .arena = scratch}};
    for (uint32_t c = 0; c < classes->count; c++) {
        SetId tuple[MOST_BASIS], inner[MOST_BASIS];
        uint32_t within = classes->within[c];
        values_class_sets(values, classes, c, tuple);
        if (within != NO_CLASS) {
            values_class_sets(values, classes, within, inner);
            set_maker_add_set(&gather.maker, set[within]);
        }
        bool done = within == NO_CLASS
                        ? product_run(values, product, tuple, gather_level, &gather)
                        : product_run_added(values, product, tuple, inner, gather_level, &gather);
        if (!done) return false;
        set[c] = set_maker_finish(&gather.maker);
    }
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++)
        entry->sets[c] = set[classes->of[c]];
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
    RowsRequest request = {args, arg_count, &id, 1, UINT32_MAX, 0, id};
    bool done = choose_product(values, &request, true, &product, basis, scratch)
                    ? gather_sets(values, id, &product, entry, scratch)
                    : node_is_boolean(graph_node(values->graph, id)) &&
                          either_everywhere(values, id, entry);
    arena_free(scratch);
    return done;
}

/* --- rows ------------------------------------------------------------------------------- */

/* Distinct rows of levels: told apart by a bit each where there are not too many possible ones. */
typedef struct RowSink {
    const NodeId *nodes;
    uint32_t count;
    size_t stride[MOST_ROOTS];
    uint64_t *bit;  /* NULL: by `seen` */
    TupleMap *seen; /* NULL: by `bit` */
    uint32_t *level;
    size_t rows, most, capacity;
    Arena *arena;
} RowSink;

static RowSink row_sink(Values *values, const RowsRequest *request, double points, Arena *arena) {
    const NodeId *nodes = request->nodes;
    uint32_t count = request->count;
    RowSink sink = {.nodes = nodes, .count = count, .most = request->most, .arena = arena};
    double cells = 1;
    for (uint32_t k = 0; k < count; k++) {
        sink.stride[k] = cells <= MOST_BITS ? (size_t)cells : 0;
        cells *= values->entry[nodes[k]]->values.count;
    }
    if (cells <= MOST_BITS && cells <= 64 * points)
        sink.bit = ARENA_ARRAY(arena, (size_t)cells / 64 + 1, uint64_t);
    else
        sink.seen = tuple_map_new(arena, count);
    return sink;
}

/* Is the row here a new one? */
static bool is_new(Values *values, RowSink *sink, uint32_t *row) {
    size_t at = 0;
    bool found;
    for (uint32_t k = 0; k < sink->count; k++) {
        row[k] = variant_level(values->slot[sink->nodes[k]]);
        at += sink->stride[k] * row[k];
    }
    if (sink->bit) {
        found = sink->bit[at / 64] >> at % 64 & 1;
        sink->bit[at / 64] |= (uint64_t)1 << at % 64;
    } else
        (void)tuple_map_at(sink->seen, row, &found);
    return !found;
}

static bool gather_row(Values *values, void *context) {
    RowSink *sink = context;
    uint32_t row[MOST_ROOTS];
    if (!is_new(values, sink, row)) return true;
    if (sink->rows == sink->most)
        return values_too_large(values, sink->nodes[0], "combinations of values",
                                (double)sink->rows + 1, (double)sink->most);
    sink->level = arena_grow(sink->arena, sink->level, &sink->capacity,
                             (sink->rows + 1) * sink->count, sizeof *sink->level);
    memcpy(sink->level + sink->rows++ * sink->count, row, sink->count * sizeof *row);
    return true;
}

/* The one node of the request that does not have a single value; NODE_NONE: there are others, or
 * another s-op says which of its values count. */
static NodeId only_variable(const Values *values, const RowsRequest *request) {
    NodeId only = NODE_NONE;
    if (values->domain->where != NODE_NONE) return NODE_NONE;
    for (uint32_t k = 0; k < request->count; k++) {
        NodeId node = request->nodes[k];
        const NodeValues *v = &values->entry[node]->values;
        if (v->count == 1 || node == only) continue;
        if (only != NODE_NONE) return NODE_NONE;
        only = node;
    }
    return only;
}

/* The rows of one s-op beside constants are its set. */
static void rows_of_one(Values *values, const RowsRequest *request, NodeId node, Rows *rows) {
    const NodeValues *v = &values->entry[node]->values;
    SetId all = request->only == UINT32_MAX
                    ? sets_union(values->sets, v->sets, domain_contexts(values->domain))
                    : v->sets[request->only];
    uint32_t count;
    const uint32_t *member = sets_get(values->sets, all, &count);
    *rows = (Rows){ARENA_ARRAY(values->arena, (size_t)count * request->count, uint32_t), count,
                   request->count};
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t k = 0; k < request->count; k++)
            if (request->nodes[k] == node) rows->level[(size_t)r * request->count + k] = member[r];
}

bool products_rows(Values *values, const RowsRequest *request, Rows *rows) {
    NodeId basis[MOST_BASIS], variable = only_variable(values, request);
    if (variable != NODE_NONE) {
        rows_of_one(values, request, variable, rows);
        return true;
    }
    Arena *scratch = arena_child(values->arena);
    Product product;
    bool done = choose_product(values, request, false, &product, basis, scratch);
    if (done) {
        double points = product.classes ? product.classes->apart
                                        : context_size(values, &product, request->only);
        RowSink sink = row_sink(values, request, points, scratch);
        SetId set[MOST_BASIS];
        for (uint32_t k = 0; k < product.count && !product.classes; k++)
            set[k] = values->entry[product.basis[k]]->sets[request->only];
        if (!product.classes) done = product_run(values, &product, set, gather_row, &sink);
        for (uint32_t b = 0; product.classes && b < product.classes->boxes && done; b++)
            done = product_run(values, &product, product.classes->box + (size_t)b * product.count,
                               gather_row, &sink);
        size_t cells = sink.rows * sink.count;
        *rows = (Rows){ARENA_ARRAY(values->arena, cells, uint32_t), sink.rows, sink.count};
        if (cells) memcpy(rows->level, sink.level, cells * sizeof *rows->level);
    }
    arena_free(scratch);
    return done;
}
