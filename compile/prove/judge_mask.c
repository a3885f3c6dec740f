/* What a mask hides, and what it leaves nothing to score of. */
#include "compile/prove/judge_heads.h"

bool mask_shows(RtMask mask, uint32_t key, uint32_t query) {
    switch (mask) {
    case RT_MASK_CAUSAL:
        return key <= query;
    case RT_MASK_STRICT_CAUSAL:
        return key < query;
    case RT_MASK_ANTICAUSAL:
        return key >= query;
    case RT_MASK_STRICT_ANTICAUSAL:
        return key > query;
    default:
        return true;
    }
}

/* Does every comparison compare indices with indices?  Then only their order counts. */
static bool by_order(const Judge *j, const Literals *literals) {
    for (uint32_t k = 0; k < literals->count; k++) {
        const Node *n = graph_node(j->graph, literals->select[k]);
        for (int side = 0; side < 2; side++)
            if (graph_node(j->graph, n->arg[side])->kind != NODE_INDICES) return false;
    }
    return literals->count <= MAX_LITERALS;
}

static bool never_by_order(const Judge *j, const Literals *literals, RtMask mask, bool shown,
                           bool selected) {
    static const uint32_t pair[3][2] = {{0, 1}, {0, 0}, {1, 0}};
    for (int p = 0; p < 3; p++) {
        bool holds[MAX_LITERALS];
        uint32_t key = pair[p][0], query = pair[p][1];
        if (mask_shows(mask, key, query) != shown) continue;
        if (key != query && j->claims->domain.max_length == 1) continue;
        for (uint32_t k = 0; k < literals->count; k++)
            holds[k] = op_compare(graph_node(j->graph, literals->select[k])->op, atom_int(key),
                                  atom_int(query));
        if (literals_hold(literals, holds) == selected) return false;
    }
    return true;
}

/* Do keys and queries depend on the position alone, whatever the length? */
static bool ignores_length(const Judge *j, const Literals *literals) {
    for (uint32_t k = 0; k < literals->count; k++)
        for (int side = 0; side < 2; side++)
            if (!values_by_position(j->values,
                                    graph_node(j->graph, literals->select[k])->arg[side]))
                return false;
    return true;
}

bool mask_never(Judge *j, NodeId formula, RtMask mask, bool shown, bool selected, Arena *scratch) {
    Literals literals = selector_literals(j->graph, formula, scratch);
    if (by_order(j, &literals)) return never_by_order(j, &literals, mask, shown, selected);
    if (!literals_positional(j->values, &literals)) return false;
    bool once = ignores_length(j, &literals);
    for (uint32_t n = j->claims->domain.max_length; n >= 1; n--) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                unsigned cell = positional_cell(j->values, &literals, n, k, i);
                once &= cell != CELL_FREE; /* no input may be that long */
                if (mask_shows(mask, k, i) == shown && cell == (unsigned)selected) return false;
            }
        budget_poll(arena_budget(j->arena));
        if (once) break;
    }
    return true;
}
