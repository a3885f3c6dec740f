/* What a selector says of positions alone, as the head's mask. */
#include "compile/lower/score_mask.h"

typedef struct Masker {
    Lower *lower;
    Values *values;
    Graph *graph;
    NodeId selector;
    ScoreMask *mask;
    Arena *arena;
} Masker;

static bool mask_holds(ScoreMask mask, uint32_t j, uint32_t i) {
    switch (mask) {
    case MASK_NONE:
        return true;
    case MASK_CAUSAL:
        return j <= i;
    case MASK_STRICT_CAUSAL:
        return j < i;
    case MASK_ANTICAUSAL:
        return j >= i;
    case MASK_STRICT_ANTICAUSAL:
        return j > i;
    }
    return false;
}

/* `indices < indices` and the like need no looking at. */
static bool is_plain_mask(Masker *b, NodeId formula, ScoreMask mask) {
    static const OpId op[] = {[MASK_CAUSAL] = OP_LE,
                              [MASK_STRICT_CAUSAL] = OP_LT,
                              [MASK_ANTICAUSAL] = OP_GE,
                              [MASK_STRICT_ANTICAUSAL] = OP_GT};
    const Node *node = graph_node(b->graph, formula);
    return node->kind == NODE_SELECT && node->op == op[mask] &&
           graph_node(b->graph, node->arg[0])->kind == NODE_INDICES && node->arg[0] == node->arg[1];
}

/* Do all its keys and queries depend on the position alone, whatever the length? */
static bool ignores_length(Masker *b, const Literals *literals) {
    for (uint32_t k = 0; k < literals->count; k++)
        for (int side = 0; side < 2; side++)
            if (!values_by_position(b->values,
                                    graph_node(b->graph, literals->select[k])->arg[side]))
                return false;
    return true;
}

static bool is_mask(Masker *b, NodeId formula, ScoreMask mask) {
    if (is_plain_mask(b, formula, mask)) return true;
    Literals literals = selector_literals(b->graph, formula, b->arena);
    if (!literals_positional(b->values, &literals)) return false;
    uint32_t longest = values_domain(b->values)->max_length;
    bool same_for_all = ignores_length(b, &literals);
    for (uint32_t n = longest; n >= 1; n--) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                unsigned cell = positional_cell(b->values, &literals, n, j, i);
                same_for_all &= cell != CELL_FREE; /* no input may be that long */
                if (cell != CELL_FREE && cell != mask_holds(mask, j, i)) return false;
            }
        if (same_for_all) return true;
    }
    return true;
}

/* Does the selector never select a later position? */
static bool is_causal(Masker *b) {
    Literals conjuncts = selector_conjuncts(b->graph, b->selector, b->arena);
    uint32_t longest = values_domain(b->values)->max_length;
    for (uint32_t c = 0; c < conjuncts.count; c++) {
        Literals literals = selector_literals(b->graph, conjuncts.select[c], b->arena);
        if (!literals_positional(b->values, &literals)) continue;
        bool causal = true;
        for (uint32_t n = longest; n >= 1 && causal; n--)
            for (uint32_t i = 0; i < n && causal; i++)
                for (uint32_t j = i + 1; j < n && causal; j++)
                    causal = positional_cell(b->values, &literals, n, j, i) != 1;
        if (causal) return true;
    }
    return false;
}

/* A plain decoder's heads all have the causal mask; what else the selector says of positions
 * is scored. */
static bool take_causal_mask(Masker *b, Literals *conjuncts) {
    if (values_domain(b->values)->max_length > 1 && !is_causal(b))
        return lower_fail(b->lower, b->selector,
                          "selects later positions, which --mask causal does not let it see (use "
                          "--mask per-head or none, or add 'and select(indices, indices, <=)')");
    *b->mask = MASK_CAUSAL;
    for (uint32_t k = 0; k < conjuncts->count; k++)
        if (is_mask(b, conjuncts->select[k], MASK_CAUSAL)) {
            conjuncts->select[k] = conjuncts->select[--conjuncts->count];
            break;
        }
    return true;
}

/* Takes a conjunct that only compares positions as the head's mask. */
static void take_mask(Masker *b, Literals *conjuncts) {
    if (lower_options(b->lower).masks != MASKS_PER_HEAD) return;
    for (uint32_t k = 0; k < conjuncts->count; k++)
        for (ScoreMask mask = MASK_CAUSAL; mask <= MASK_STRICT_ANTICAUSAL; mask++) {
            if (!is_mask(b, conjuncts->select[k], mask)) continue;
            *b->mask = mask;
            conjuncts->select[k] = conjuncts->select[--conjuncts->count];
            return;
        }
}

bool score_take_mask(Lower *lower, NodeId selector, Literals *conjuncts, ScoreMask *mask,
                     Arena *arena) {
    Values *values = lower_values(lower);
    Masker m = {lower, values, values_graph(values), selector, mask, arena};
    if (lower_options(lower).masks == MASKS_CAUSAL) return take_causal_mask(&m, conjuncts);
    take_mask(&m, conjuncts);
    return true;
}
