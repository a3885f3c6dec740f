#include "compile/values/runs.h"

#include "graph/token.h"

#include <string.h>

Runs *runs_new(const Instances *instances, Arena *arena) {
    Runs *runs = ARENA_NEW(arena, Runs);
    *runs = (Runs){instances, partitions_new(instances, arena)};
    return runs;
}

Atom run_atom(Values *values, NodeId node, uint32_t variant) {
    Atom level = values_entry(values, node)->levels[variant_level(variant)];
    return kind_variant(level, variant_kind(variant));
}

uint32_t run_level(Values *values, NodeId node, Atom value) {
    uint32_t level = entry_level(values, node, value);
    return level == UINT32_MAX ? NO_BLOCK : variant_of(level, kind_bit(value));
}

/* --- sets ------------------------------------------------------------------------------- */

/* By context, from the blocks that are there. */
static void find_sets(Values *values, const Run *run, Entry *entry) {
    Arena *scratch = arena_child(values->arena);
    uint32_t *seen = ARENA_ARRAY(scratch, entry->values.count, uint32_t);
    uint32_t *member = ARENA_ARRAY(scratch, entry->values.count, uint32_t);
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++) {
        uint32_t blocks, count = 0;
        const uint32_t *block = partitions_in(values->runs->partitions, run->cells, c, &blocks);
        for (uint32_t k = 0; k < blocks; k++) {
            uint32_t level = variant_level(run->variant[block[k]]);
            if (seen[level] == c + 1) continue;
            seen[level] = c + 1;
            member[count++] = level;
        }
        entry->sets[c] = sets_add(values->sets, member, count);
    }
    arena_free(scratch);
}

/* Do strings stand beside numbers in some input? */
static bool finds_mixes(Values *values, NodeId id, const Run *run) {
    const Entry *entry = values_entry(values, id);
    const Instances *instances = values->runs->instances;
    bool strings = false, numbers = false;
    for (uint32_t k = 0; k < entry->values.count; k++)
        *(entry->levels[k].kind == ATOM_STRING ? &strings : &numbers) = true;
    if (!strings || !numbers) return false;
    for (Instance each = instances_begin(instances); each.n; instances_next(instances, &each)) {
        if (!run_present(run, each.cell)) continue;
        bool first = variant_kind(run_variant(run, each.cell)) == IS_STRING;
        for (uint32_t i = 1; i < each.n; i++)
            if ((variant_kind(run_variant(run, each.cell + i)) == IS_STRING) != first) return true;
    }
    return false;
}

static bool keep_run(Values *values, NodeId id, Entry *entry, Run run) {
    run.mixes = finds_mixes(values, id, &run);
    entry->run = ARENA_NEW(values->arena, Run);
    *entry->run = run;
    find_sets(values, &run, entry);
    budget_poll(arena_budget(values->arena));
    return true;
}

bool runs_keep(Values *values, NodeId id, Entry *entry, uint32_t *code, Run run) {
    uint32_t *variant;
    run.cells = partitions_by(values->runs->partitions, code, entry->values.count << 3, &variant,
                              values->arena);
    run.variant = variant;
    return keep_run(values, id, entry, run);
}

/* --- elementwise ------------------------------------------------------------------------ */

static FaultId apply(Values *values, const Node *node, const Atom *args, Atom *result) {
    switch (node->kind) {
    case NODE_CONSTANT:
        *result = node->atom;
        return FAULT_NONE;
    case NODE_TOKENS:
        return token_convert(node->tokens, args[0], graph_intern(values->graph), result);
    case NODE_MAP:
        return op_eval(node->op, args, graph_intern(values->graph), result);
    default:
        return lookup_eval(node->lookup, args[0], result);
    }
}

/* The inputs that have no cell in a failing block, as one block. */
static Partition *without_failures(Values *values, const Partition *cells, const bool *failing) {
    Partitions *partitions = values->runs->partitions;
    const Instances *instances = values->runs->instances;
    uint32_t *code = partitions_array(partitions);
    for (Instance each = instances_begin(instances); each.n; instances_next(instances, &each)) {
        bool fails = false;
        for (uint32_t i = 0; i < each.n && !fails; i++) {
            uint32_t block = cells->block[each.cell + i];
            fails = block != NO_BLOCK && failing[block];
        }
        for (uint32_t i = 0; i < each.n; i++) code[each.cell + i] = fails ? NO_BLOCK : 0;
    }
    return partitions_by(partitions, code, 1, NULL, NULL);
}

/* An elementwise node under evaluation: what it gives in each block of its arguments. */
typedef struct Applied {
    Partition *cells;
    Atom *result;
    bool *failing, fails;
} Applied;

static Applied apply_to_blocks(Values *values, NodeId id, const NodeId *args, uint32_t arg_count,
                               Arena *scratch) {
    const Node *node = graph_node(values->graph, id);
    const Run *run[OP_MAX_ARITY];
    Applied a = {.cells = partitions_whole(values->runs->partitions)};
    for (uint32_t k = 0; k < arg_count; k++) {
        run[k] = values_entry(values, args[k])->run;
        a.cells = partitions_join(values->runs->partitions, a.cells, run[k]->cells);
    }
    a.result = ARENA_ARRAY(scratch, a.cells->count, Atom);
    a.failing = ARENA_ARRAY(scratch, a.cells->count, bool);
    for (uint32_t b = 0; b < a.cells->count; b++) {
        Atom arg[OP_MAX_ARITY];
        for (uint32_t k = 0; k < arg_count; k++)
            arg[k] = run_atom(values, args[k], run_variant(run[k], a.cells->cell[b]));
        a.failing[b] = apply(values, node, arg, &a.result[b]) != FAULT_NONE;
        a.fails |= a.failing[b];
        if ((b & 0xfff) == 0) budget_poll(arena_budget(values->arena));
    }
    return a;
}

bool runs_elementwise(Values *values, NodeId id, const NodeId *args, uint32_t arg_count,
                      Entry *entry) {
    Arena *scratch = arena_child(values->arena);
    Applied a = apply_to_blocks(values, id, args, arg_count, scratch);
    Run run = {.cells = a.cells, .fails = a.fails};
    if (a.fails)
        run.cells = partitions_join(values->runs->partitions, a.cells,
                                    without_failures(values, a.cells, a.failing));
    uint32_t *variant = ARENA_ARRAY(values->arena, run.cells->count, uint32_t), b = 0;
    for (; b < run.cells->count; b++) {
        variant[b] = run_level(values, id, a.result[a.cells->block[run.cells->cell[b]]]);
        if (variant[b] == NO_BLOCK) break;
    }
    bool done = b == run.cells->count;
    run.variant = variant;
    arena_free(scratch);
    return done && keep_run(values, id, entry, run);
}

/* --- joint values ----------------------------------------------------------------------- */

typedef struct RowSink {
    Values *values;
    const RowsRequest *request;
    TupleMap *seen;
} RowSink;

static bool add_row(RowSink *sink, uint32_t cell, uint32_t *row) {
    bool found;
    for (uint32_t k = 0; k < sink->request->count; k++)
        row[k] =
            variant_level(run_variant(sink->values->entry[sink->request->nodes[k]]->run, cell));
    tuple_map_at(sink->seen, row, &found);
    return tuple_map_count(sink->seen) <= sink->values->row_limit;
}

static bool add_rows(RowSink *sink, Partition *cells, Arena *scratch) {
    uint32_t *row = ARENA_ARRAY(scratch, sink->request->count, uint32_t), count = cells->count;
    const uint32_t *block = NULL;
    if (sink->request->only != UINT32_MAX)
        block = partitions_in(sink->values->runs->partitions, cells, sink->request->only, &count);
    for (uint32_t k = 0; k < count; k++)
        if (!add_row(sink, cells->cell[block ? block[k] : k], row))
            return values_too_large(sink->values, sink->request->about, "combinations of values",
                                    tuple_map_count(sink->seen), (double)sink->values->row_limit);
    return true;
}

bool runs_rows(Values *values, const RowsRequest *request, Rows *rows) {
    Partitions *partitions = values->runs->partitions;
    Partition *cells = partitions_whole(partitions);
    for (uint32_t k = 0; k < request->count; k++)
        cells = partitions_join(partitions, cells, values->entry[request->nodes[k]]->run->cells);
    Arena *scratch = arena_child(values->arena);
    RowSink sink = {values, request, tuple_map_new(scratch, request->count)};
    bool done = add_rows(&sink, cells, scratch);
    if (done) values_keep_rows(values, sink.seen, request->count, rows);
    arena_free(scratch);
    return done;
}

void runs_meet(Values *values, NodeId key, NodeId query, unsigned char *meet) {
    const Instances *instances = values->runs->instances;
    const Run *k = values_entry(values, key)->run, *q = values_entry(values, query)->run;
    uint32_t queries = values_entry(values, query)->values.count, level[INSTANCES_LONGEST];
    for (Instance each = instances_begin(instances); each.n; instances_next(instances, &each)) {
        if (!run_present(k, each.cell) || !run_present(q, each.cell)) continue;
        for (uint32_t i = 0; i < each.n; i++)
            level[i] = variant_level(run_variant(q, each.cell + i));
        for (uint32_t j = 0; j < each.n; j++) {
            size_t row = (size_t)variant_level(run_variant(k, each.cell + j)) * queries;
            for (uint32_t i = 0; i < each.n; i++) meet[row + level[i]] = 1;
        }
    }
    budget_poll(arena_budget(values->arena));
}

const Instances *runs_where(Values *values, NodeId where, Arena *arena) {
    if (!values_of(values, where)) return NULL;
    const Instances *all = values->runs->instances;
    const Run *run = values_entry(values, where)->run;
    bool *kept = ARENA_ARRAY(values->arena, all->input_count, bool);
    for (Instance each = instances_begin(all); each.n; instances_next(all, &each)) {
        bool holds = run_present(run, each.cell) && !run->mixes;
        for (uint32_t i = 0; i < each.n && holds; i++)
            holds = atom_truth(run_atom(values, where, run_variant(run, each.cell + i)));
        kept[each.number] = holds;
    }
    return instances_keep(all, kept, arena);
}
