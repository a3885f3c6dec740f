/* How the result of attention is read: as a mean, a count, a value that is moved, or only for
 * whether anything was selected. */
#include "compile/facts/facts_private.h"

enum { MAX_SOURCES = 12 };

/* --- whether, or how many --------------------------------------------------------------- */

/* Which levels of an attention's result its readers may tell apart: this one from all others. */
static uint32_t level_of(const NodeValues *v, double number) {
    for (uint32_t k = 0; k < v->count; k++)
        if (atom_is_number(v->levels[k]) && atom_double(v->levels[k]) == number) return k;
    return UINT32_MAX;
}

/* Given all else that the reader is made of, does it tell no more of the result than whether it
 * is that level? */
static bool tells_level(Finder *f, NodeId reader, NodeId result, uint32_t level) {
    const NodeValues *v = values_of(f->values, reader);
    if (!v) return false;
    NodeId column[MAX_SOURCES + 2] = {result};
    uint32_t count = 1;
    bool reads = false;
    for (uint32_t k = 0; k < v->source_count; k++) {
        reads |= v->sources[k] == result;
        if (v->sources[k] == result) continue;
        if (count > MAX_SOURCES) return false;
        column[count++] = v->sources[k];
    }
    if (!reads) return true;
    column[count] = reader;
    Rows rows;
    if (!values_rows(f->values, column, count + 1, UINT32_MAX, &rows)) return false;
    Arena *scratch = arena_child(f->arena);
    TupleMap *map = tuple_map_new(scratch, count);
    bool tells = true;
    for (size_t r = 0; r < rows.row_count && tells; r++) {
        uint32_t *row = rows.level + r * rows.width, key[MAX_SOURCES + 2];
        bool found;
        key[0] = row[0] == level;
        for (uint32_t k = 1; k < count; k++) key[k] = row[k];
        uint32_t *at = tuple_map_at(map, key, &found);
        tells = !found || *at == row[count];
        *at = row[count];
    }
    arena_free(scratch);
    return tells;
}

/* All that reads results of attention: what is compared, what is aggregated, and the s-op. */
static bool all_tell_level(Finder *f, NodeId result, uint32_t level) {
    if (!tells_level(f, f->root, result, level)) return false;
    for (NodeId id = 0; id < f->count; id++) {
        Node node = *graph_node(f->graph, id);
        if (!f->needed[id] || (node.kind != NODE_SELECT && node.kind != NODE_AGGREGATE)) continue;
        if (node.kind == NODE_SELECT && !tells_level(f, node.arg[0], result, level)) return false;
        if (!tells_level(f, node.arg[1], result, level)) return false;
    }
    return true;
}

/* Means of 0 and 1, 0 where nothing is selected: the readers may ask for one of the two. */
static bool averages_bits(Finder *f, const Node *node) {
    const NodeValues *v = values_of(f->values, node->arg[1]);
    for (uint32_t k = 0; v && k < v->count; k++) {
        Atom level = v->levels[k];
        if (!atom_is_number(level) || (atom_double(level) != 0 && atom_double(level) != 1))
            return false;
    }
    return v && atom_is_number(node->atom) && atom_double(node->atom) == 0;
}

/* Heads that pick one position and tell what the readers ask; 0: they ask for more. */
static uint32_t heads_that_ask(Finder *f, NodeId id) {
    Node node = *graph_node(f->graph, id);
    const NodeValues *v = values_of(f->values, id);
    if (!v || (node.kind == NODE_AGGREGATE && !averages_bits(f, &node))) return 0;
    if (all_tell_level(f, id, level_of(v, 0))) return 1;
    /* all selected are 1: one is, and none is 0 */
    if (node.kind == NODE_AGGREGATE && all_tell_level(f, id, level_of(v, 1))) return 2;
    return 0;
}

/* --- how many values of 0 and 1 --------------------------------------------------------- */

static uint32_t bits_for(uint64_t count) {
    uint32_t bits = 0;
    while (bits < 63 && (uint64_t)1 << bits < count) bits++;
    return bits ? bits : 1;
}

static uint64_t divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whole numbers from `low` in steps: the bits of the number of steps have the mean of the number
 * in theirs.  Else a value for each level but one. */
static uint32_t values_for_mean(const NodeValues *v) {
    uint32_t each = v->count > 1 ? v->count - 1 : 1;
    uint64_t step = 0, widest = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        double number = atom_is_number(v->levels[k]) ? atom_double(v->levels[k]) : 0.5;
        if (number != (double)(int32_t)number) return each;
        int64_t from = (int64_t)number - (int64_t)atom_double(v->levels[0]);
        uint64_t distance = (uint64_t)(from < 0 ? -from : from);
        step = divisor(distance, step);
    }
    if (!step) return 1;
    for (uint32_t k = 0; k < v->count; k++)
        for (uint32_t m = 0; m < k; m++) {
            int64_t from = (int64_t)atom_double(v->levels[k]) - (int64_t)atom_double(v->levels[m]);
            uint64_t steps = (uint64_t)(from < 0 ? -from : from) / step;
            if (steps > widest) widest = steps;
        }
    return bits_for(widest + 1) < each ? bits_for(widest + 1) : each;
}

/* --- a node ----------------------------------------------------------------------------- */

ReaderFact reader_fact(Finder *f, NodeId id) {
    Node node = *graph_node(f->graph, id);
    ReaderFact read = {.node = id, .is_width = node.kind == NODE_WIDTH};
    if (read.is_width) {
        const SelectorFacts *rows = values_selector(f->values, node.arg[0]);
        read.heads = rows && rows->at_most_one ? 1 : heads_that_ask(f, id);
        read.use = read.heads ? USE_ASK : USE_COUNT;
        read.values = 1;
        return read;
    }
    const NodeValues *v = values_of(f->values, node.arg[1]);
    bool moves = values_moves(f->values, id);
    read.heads = moves ? 1 : heads_that_ask(f, id);
    read.use = moves ? USE_MOVE : read.heads ? USE_ASK : USE_MEAN;
    if (v) read.values = moves ? bits_for(v->count) : values_for_mean(v);
    return read;
}
