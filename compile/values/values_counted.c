/* Means that count: of a value that is 1 at the first position and 0 elsewhere, over a selector
 * that always selects the first position.  That is 1/w, however many keys w are selected beside it:
 * how RASP counts with a beginning-of-sequence token. */
#include "compile/values/values_private.h"

static bool is_number(Values *values, NodeId node, uint32_t context, double number) {
    Atom value;
    return values_single(values, node, context, &value) && atom_is_number(value) &&
           value.kind != ATOM_BOOL && atom_double(value) == number;
}

/* Is it 1 at the first position, and 0 at all others? */
static bool is_first_alone(Values *values, NodeId node) {
    if (!values_by_position(values, node)) return false;
    for (uint32_t i = 0; i < values->domain->max_length; i++)
        for (uint32_t n = i + 1; n <= values->domain->max_length; n++)
            if (!is_number(values, node, context_of(n, i), i == 0 ? 1 : 0)) return false;
    return true;
}

/* Of the comparison of the first key with the query at the context; where they are not known, of
 * either. */
static Chance first_chance(Values *values, NodeId select, uint32_t n, uint32_t i) {
    const Node node = *graph_node(values->graph, select);
    const NodeValues *k = values_of(values, node.arg[0]), *q = values_of(values, node.arg[1]);
    uint32_t keys = 0, queries = 0;
    const uint32_t *key = k ? sets_get(values->sets, k->sets[context_of(n, 0)], &keys) : NULL;
    const uint32_t *query = q ? sets_get(values->sets, q->sets[context_of(n, i)], &queries) : NULL;
    if (keys != 1 || queries != 1) return (Chance){true, false};
    Atom a = k->levels[key[0]], b = q->levels[query[0]];
    if (!(ops[node.op].flags & OP_TOTAL) && !atom_comparable(a, b)) return (Chance){true, false};
    bool holds = op_compare(node.op, a, b);
    return (Chance){holds, holds};
}

static bool always_selects_first(Values *values, NodeId selector) {
    Arena *scratch = arena_child(values->arena);
    Literals literals = selector_literals(values->graph, selector, scratch);
    bool always = literals.count <= MAX_LITERALS;
    for (uint32_t n = 1; n <= values->domain->max_length && always; n++)
        for (uint32_t i = 0; i < n && always; i++) {
            Chance chance[MAX_LITERALS];
            for (uint32_t k = 0; k < literals.count; k++)
                chance[k] = first_chance(values, literals.select[k], n, i);
            always = literals_chance(&literals, chance).must;
        }
    arena_free(scratch);
    return always;
}

bool values_counted(Values *values, NodeId aggregate) {
    Entry *entry = values_entry(values, aggregate);
    if (entry->counted) return entry->counted > 0;
    Node node = *graph_node(values->graph, aggregate);
    bool counted = node.kind == NODE_AGGREGATE && is_first_alone(values, node.arg[1]) &&
                   always_selects_first(values, node.arg[0]);
    values_entry(values, aggregate)->counted = counted ? 1 : -1;
    return counted;
}
