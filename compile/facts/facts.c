#include "compile/facts/facts.h"

#include "compile/facts/facts_private.h"

#include <stdlib.h>

/* --- heads ------------------------------------------------------------------------------ */

static Selects selects_of(const SelectorFacts *known) {
    if (!known) return SELECTS_ANY;
    if (known->everything) return SELECTS_ALL;
    if (known->at_most_one) return known->never_empty ? SELECTS_ONE : SELECTS_AT_MOST_ONE;
    return known->never_empty ? SELECTS_SOME : SELECTS_ANY;
}

static bool is_constant(Finder *f, NodeId sop) {
    const NodeValues *v = values_of(f->values, sop);
    return graph_node(f->graph, sop)->kind == NODE_CONSTANT || (v && v->count <= 1);
}

static bool compares_with_constants(Finder *f, NodeId selector) {
    Literals literals = selector_literals(f->graph, selector, f->arena);
    for (uint32_t k = 0; k < literals.count; k++) {
        Node node = *graph_node(f->graph, literals.select[k]);
        if (!is_mask(f, &node) && !is_constant(f, node.arg[0]) && !is_constant(f, node.arg[1]))
            return false;
    }
    return true;
}

static HeadFact head_fact(Finder *f, uint32_t layer, NodeId selector) {
    return (HeadFact){.layer = layer,
                      .selector = selector,
                      .selects = selects_of(values_selector(f->values, selector)),
                      .reach = selector_reach(f, selector),
                      .constants = compares_with_constants(f, selector)};
}

typedef struct Reader {
    uint32_t head;
    ReaderFact fact;
} Reader;

typedef struct Collection {
    HeadFact *heads;
    uint32_t head_count;
    Reader *readers;
    uint32_t reader_count;
} Collection;

/* The head of a node's selector in its layer, made if it is new. */
static uint32_t head_of(Finder *f, Collection *c, const Node *node) {
    HeadFact head = {.selector = NODE_NONE};
    for (uint32_t k = 0; k < c->head_count; k++)
        if (c->heads[k].layer == node->depth && c->heads[k].selector == node->arg[0]) return k;
    head = head_fact(f, node->depth, node->arg[0]);
    for (uint32_t k = 0; head.selects == SELECTS_ALL && k < c->head_count; k++)
        if (c->heads[k].layer == node->depth && c->heads[k].selects == SELECTS_ALL) return k;
    c->heads[c->head_count] = head;
    return c->head_count++;
}

static void give_readers(Finder *f, Collection *c) {
    for (uint32_t h = 0; h < c->head_count; h++) {
        ReaderFact *readers = ARENA_ARRAY(f->arena, c->reader_count + 1, ReaderFact);
        uint32_t count = 0;
        for (uint32_t k = 0; k < c->reader_count; k++)
            if (c->readers[k].head == h) readers[count++] = c->readers[k].fact;
        c->heads[h].readers = readers;
        c->heads[h].reader_count = count;
    }
}

static int by_layer(const void *a, const void *b) {
    const HeadFact *x = a, *y = b;
    if (x->layer != y->layer) return x->layer < y->layer ? -1 : 1;
    return (x->selector > y->selector) - (x->selector < y->selector);
}

static Collection collect_heads(Finder *f) {
    Collection c = {.heads = ARENA_ARRAY(f->arena, (size_t)f->count + 1, HeadFact),
                    .readers = ARENA_ARRAY(f->arena, (size_t)f->count + 1, Reader)};
    for (NodeId id = 0; id < f->count; id++) {
        Node node = *graph_node(f->graph, id);
        if (!f->needed[id] || !node_attends(&node)) continue;
        budget_poll(arena_budget(f->arena));
        uint32_t head = head_of(f, &c, &node);
        c.readers[c.reader_count++] = (Reader){head, reader_fact(f, id)};
    }
    give_readers(f, &c);
    if (c.head_count) qsort(c.heads, c.head_count, sizeof *c.heads, by_layer);
    return c;
}

/* --- layers ----------------------------------------------------------------------------- */

/* 0/1 values that a head brings if it averages, and heads that it takes if each picks one
 * position; 0: not known.  Widths are the mean of "is not the sink", one value for all of them;
 * what is moved or counted is with the one position that the selector picks, what is asked of
 * values takes heads of its own. */
static void head_size(const HeadFact *head, uint32_t *values, uint32_t *heads) {
    bool known = true, picks = true, counts = false, shared = false;
    *values = *heads = 0;
    for (uint32_t k = 0; k < head->reader_count; k++) {
        const ReaderFact *read = &head->readers[k];
        bool own = read->use == USE_ASK && !read->is_width;
        known &= read->values > 0;
        picks &= read->heads > 0;
        counts |= read->is_width;
        shared |= !own;
        if (!read->is_width) *values += read->values;
        if (own) *heads += read->heads;
    }
    *values = known ? *values + counts : 0;
    *heads = picks ? *heads + shared : 0;
}

static void measure_layers(Facts *facts) {
    bool known = true;
    facts->unique = true;
    for (uint32_t layer = 1; layer <= facts->layers; layer++) {
        uint32_t average = 0, unique = 0;
        for (uint32_t k = 0; k < facts->head_count; k++) {
            uint32_t values, heads;
            if (facts->heads[k].layer != layer) continue;
            head_size(&facts->heads[k], &values, &heads);
            known &= values > 0;
            facts->unique &= heads > 0;
            if (values > facts->average_values) facts->average_values = values;
            average++;
            unique += heads;
        }
        if (average > facts->average_heads) facts->average_heads = average;
        if (unique > facts->unique_heads) facts->unique_heads = unique;
    }
    if (!known) facts->average_values = 0;
    if (!facts->unique) facts->unique_heads = 0;
}

Facts facts_find(Values *values, NodeId root, Arena *arena) {
    Graph *graph = values_graph(values);
    Finder f = {.values = values, .graph = graph, .root = root, .arena = arena};
    f.count = graph_count(graph);
    f.needed = graph_needed(graph, &root, 1, arena);
    Collection c = collect_heads(&f);
    Facts facts = {.layers = graph_node(graph, root)->depth,
                   .heads = c.heads,
                   .head_count = c.head_count,
                   .constants = true};
    for (uint32_t k = 0; k < c.head_count; k++) {
        facts.constants &= c.heads[k].constants;
        facts.reach.before |= c.heads[k].reach.before;
        facts.reach.here |= c.heads[k].reach.here;
        facts.reach.after |= c.heads[k].reach.after;
    }
    facts.causal = find_causal(&f);
    facts.positions = find_positions(&f);
    facts.counting = find_counting(&f, &facts.counting_depth);
    measure_layers(&facts);
    return facts;
}
