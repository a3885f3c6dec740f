#include "compile/values/values_private.h"

#include "compile/values/products.h"
#include "compile/values/runs.h"
#include "compile/values/states.h"
#include "compile/values/sums.h"

#include <math.h>
#include <string.h>

/* Levels are kept, combinations looked at: a few for each level, of few levels more. */
uint64_t values_row_limit(uint32_t level_limit) {
    enum { MOST = 64, LEAST = 4, ROWS = 1 << 22 };
    uint64_t most = (uint64_t)level_limit * MOST, least = (uint64_t)level_limit * LEAST;
    return most < ROWS ? most : least > ROWS ? least : ROWS;
}

Values *values_new(Graph *graph, const Domain *domain, uint32_t level_limit, uint64_t row_limit,
                   Arena *arena) {
    Values *values = ARENA_NEW(arena, Values);
    values->graph = graph;
    values->domain = domain;
    values->arena = arena;
    values->sets = sets_new(arena);
    values->level_limit = level_limit;
    values->row_limit = row_limit;
    values->state_limit = MAX_STATES;
    values->tokens = graph_tokens(graph, TOKENS_ASIS, SPAN_NONE);
    values->indices = graph_indices(graph, SPAN_NONE);
    return values;
}

bool values_run(Values *values) {
    const Domain *domain = values->domain;
    if (domain->max_length > INSTANCES_LONGEST || instances_size(domain).cells > UINT32_MAX / 2)
        return false;
    Arena *scratch = arena_child(values->arena);
    Arena *kept = domain->where == NODE_NONE ? values->arena : scratch;
    const Instances *instances = instances_new(domain, kept);
    if (domain->where != NODE_NONE) {
        Domain all = *domain;
        all.where = NODE_NONE;
        Values *judge =
            values_new(values->graph, &all, values->level_limit, values->row_limit, scratch);
        judge->runs = runs_new(instances, scratch);
        instances = runs_where(judge, domain->where, values->arena);
    }
    if (instances) values->runs = runs_new(instances, values->arena);
    arena_free(scratch);
    return instances != NULL;
}

bool values_exact(const Values *values) {
    return values->runs != NULL;
}

void values_limit_states(Values *values, uint32_t states) {
    values->state_limit = states;
}

void values_limit_work(Values *values, double combinations) {
    values->work_limit = combinations;
}

bool values_spent(const Values *values) {
    return values->work_limit > 0 && values->work >= values->work_limit;
}

bool values_charge(Values *values, NodeId node, double work) {
    values->work += work;
    return !values_spent(values) || values_too_large(values, node, "combinations of values in all",
                                                     values->work, values->work_limit);
}

void values_leave_means(Values *values) {
    values->leaves_means = true;
    for (NodeId id = 0; id < graph_count(values->graph); id++) (void)values_whole_sum(values, id);
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
    double rows = (double)values->row_limit;
    bool raisable = limit == values->level_limit || limit == rows || limit == rows * POINTS_PER_ROW;
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

uint32_t entry_find(Values *values, NodeId node, Atom value) {
    const Entry *entry = values_entry(values, node);
    const Table *table = &entry->table;
    if (entry->values.count == 0) return UINT32_MAX;
    size_t at = table_start(table, atom_hash(value));
    for (uint32_t level; (level = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (atom_equal(entry->levels[level], value) || atom_same(entry->levels[level], value))
            return level;
    return UINT32_MAX;
}

uint32_t entry_level(Values *values, NodeId node, Atom value) {
    return entry_level_as(values, node, value, kind_bit(value));
}

bool nodes_contain(const NodeId *list, uint32_t count, NodeId node) {
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == node) return true;
    return false;
}

/* --- sources ---------------------------------------------------------------------------- */

NodeId *values_sources(Values *values, const NodeId *nodes, uint32_t count, uint32_t *total,
                       Arena *arena) {
    NodeId *joined = NULL;
    size_t capacity = 0;
    *total = 0;
    for (uint32_t k = 0; k < count; k++) {
        const NodeValues *v = &values->entry[nodes[k]]->values;
        for (uint32_t s = 0; !values_fixed(v) && s < v->all_sources; s++) {
            if (nodes_contain(joined, *total, v->sources[s])) continue;
            if (values_fixed(&values->entry[v->sources[s]]->values)) continue; /* no variable */
            joined = arena_grow(arena, joined, &capacity, (size_t)*total + 1, sizeof *joined);
            joined[(*total)++] = v->sources[s];
        }
    }
    return joined;
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

static bool is_source(Values *values, NodeId id) {
    NodeKind kind = graph_node(values->graph, id)->kind;
    return id == values->tokens || kind == NODE_INDICES || kind == NODE_AGGREGATE ||
           kind == NODE_WIDTH || values_whole_sum(values, id);
}

/* --- one s-op --------------------------------------------------------------------------- */

static bool compute_source(Values *values, NodeId id, Entry *entry) {
    NodeId *self = ARENA_NEW(values->arena, NodeId);
    *self = id;
    entry->values.sources = self;
    entry->values.source_count = entry->values.all_sources = 1;
    return values->runs ? runs_source(values, id, entry) : values_compute_source(values, id, entry);
}

static bool compute_elementwise(Values *values, NodeId id, Entry *entry) {
    const Node *node = graph_node(values->graph, id);
    NodeId args[OP_MAX_ARITY + 1];
    uint32_t arg_count = 0, sources;
    for (int k = 0; k < node->arity; k++) args[arg_count++] = node->arg[k];
    if (node->kind == NODE_TOKENS) args[arg_count++] = values->tokens;
    for (uint32_t k = 0; k < arg_count; k++)
        if (!values_of(values, args[k])) return false;
    Arena *scratch = arena_child(values->arena);
    const NodeId *source = values_sources(values, args, arg_count, &sources, scratch);
    keep_sources(values, entry, source, sources);
    arena_free(scratch);
    return values->runs ? runs_elementwise(values, id, args, arg_count, entry)
                        : products_sets(values, id, args, arg_count, entry);
}

const NodeValues *values_of(Values *values, NodeId node) {
    Entry *entry = values_entry(values, node);
    if (entry->values.known) return &entry->values;
    if (entry->summed && values->leaves_means) {
        values_too_large(values, node, "values", INFINITY, values->level_limit);
        return NULL;
    }
    if (entry->failure) { /* found out once: it may have taken long */
        values->error = *entry->failure;
        return NULL;
    }
    entry->sets = ARENA_ARRAY(values->arena, domain_contexts(values->domain), SetId);
    entry->values.sets = entry->sets;
    bool done = is_source(values, node) ? compute_source(values, node, entry)
                                        : compute_elementwise(values, node, entry);
    entry->values.levels = entry->levels;
    entry->values.kinds = entry->kinds;
    entry->values.known = done;
    entry->single_kinds = values_single_kinds(&entry->values);
    if (done) return &entry->values;
    ValuesError *failure = ARENA_NEW(values->arena, ValuesError);
    *failure = values->error;
    entry->failure = failure;
    return NULL;
}

/* --- rows ------------------------------------------------------------------------------- */

void values_keep_rows(Values *values, const TupleMap *map, uint32_t width, Rows *rows) {
    size_t cells = (size_t)tuple_map_count(map) * width;
    *rows = (Rows){ARENA_ARRAY(values->arena, cells, uint32_t), tuple_map_count(map), width};
    if (cells) memcpy(rows->level, tuple_map_key(map, 0), cells * sizeof *rows->level);
}

static bool find_rows(Values *values, const RowsRequest *request, Rows *rows) {
    for (uint32_t k = 0; k < request->count; k++)
        if (!values_of(values, request->nodes[k])) return false;
    for (uint32_t k = 0; k < request->basis_count; k++)
        if (!values_of(values, request->basis[k])) return false;
    return values->runs ? runs_rows(values, request, rows) : products_rows(values, request, rows);
}

bool values_rows(Values *values, const NodeId *nodes, uint32_t count, uint32_t context,
                 Rows *rows) {
    return find_rows(
        values, &(RowsRequest){nodes, count, nodes, count, context, values->row_limit, nodes[0]},
        rows);
}

bool values_rows_over(Values *values, const NodeId *basis, uint32_t basis_count,
                      const NodeId *nodes, uint32_t count, Rows *rows) {
    return find_rows(values,
                     &(RowsRequest){basis, basis_count, nodes, count, UINT32_MAX, values->row_limit,
                                    nodes[count - 1]},
                     rows);
}

bool values_rows_up_to(Values *values, const NodeId *basis, uint32_t basis_count,
                       const NodeId *nodes, uint32_t count, uint32_t most, Rows *rows) {
    uint64_t limit = most < values->row_limit ? most : values->row_limit;
    return find_rows(values,
                     &(RowsRequest){basis, basis_count, nodes, count, UINT32_MAX, limit,
                                    nodes[count - 1]},
                     rows) &&
           rows->row_count <= most;
}

/* --- what can be seen of runs alone ------------------------------------------------------- */

bool values_never_fails(Values *values, NodeId node) {
    if (!values->runs) return false;
    if (!node_is_selector(graph_node(values->graph, node)))
        return values_of(values, node) && !values_entry(values, node)->run->fails;
    const RunRows *rows = runs_selector(values, node);
    return rows && !rows->fails;
}

bool values_mixes(Values *values, NodeId node) {
    return !values_of(values, node) || values_entry(values, node)->run->mixes;
}

/* --- what meets -------------------------------------------------------------------------- */

/* Marks a product of sets. */
static void mark_pairs(const Values *values, const SetId *pair, uint32_t width,
                       unsigned char *meet) {
    uint32_t keys, queries, first, last;
    const uint32_t *x = sets_get(values->sets, pair[0], &keys);
    const uint32_t *y = sets_get(values->sets, pair[1], &queries);
    bool run = sets_run(values->sets, pair[1], &first, &last);
    for (uint32_t a = 0; a < keys; a++) {
        unsigned char *row = meet + (size_t)x[a] * width;
        if (run) memset(row + first, 1, queries);
        for (uint32_t b = 0; b < queries && !run; b++) row[y[b]] = 1;
    }
}

/* Any value that positions of an input of a length can have with any other.  What longer inputs
 * marked is not marked again: that of the longest, and that of the last that had more. */
static void products_meet(Values *values, NodeId key, NodeId query, unsigned char *meet) {
    const NodeValues *k = values_of(values, key), *q = values_of(values, query);
    SetId marked[2][2];
    uint32_t count = 0;
    for (uint32_t n = values->domain->max_length; n >= 1; n--) {
        SetId pair[2] = {values_within(values, k, n), values_within(values, q, n)};
        bool within = false;
        for (uint32_t m = 0; m < count && !within; m++)
            within = sets_within(values->sets, pair[0], marked[m][0]) &&
                     sets_within(values->sets, pair[1], marked[m][1]);
        if (within) continue;
        mark_pairs(values, pair, q->count, meet);
        memcpy(marked[count == 0 ? 0 : 1], pair, sizeof pair);
        count = count == 0 ? 1 : 2;
        budget_poll(arena_budget(values->arena));
    }
}

void values_meet(Values *values, NodeId key, NodeId query, unsigned char *meet) {
    if (values->runs)
        runs_meet(values, key, query, meet);
    else
        products_meet(values, key, query, meet);
}
