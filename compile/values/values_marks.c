/* Marks that stand at one position at most, or only at positions that agree.
 *
 * "Nothing selected by S" at two positions means that neither selects the other: the maximum
 * (nothing greater), the first and the last instance, the mode.  If no two states of
 * different positions, both marked, leave each other alone, the mark stands once; if all that
 * do hold the same value, an aggregate over the marked positions moves it.  Extremes are known by
 * their form, and need no states. */
#include "compile/values/states.h"

enum { MAX_BLOCKERS = 4, MAX_CONDITIONS = 8, MAX_SHARED = 4 };

/* What a mark says: these selectors select nothing here, these s-ops are (not) true here. */
typedef struct Mark {
    Values *values;
    NodeId blocker[MAX_BLOCKERS];
    uint32_t blockers;
    NodeId condition[MAX_CONDITIONS];
    bool truth[MAX_CONDITIONS];
    uint32_t conditions;
    NodeId shared[MAX_SHARED]; /* keys pinned beside it: equal wherever one row selects */
    uint32_t shared_count;
} Mark;

static bool is_constant(const Graph *graph, NodeId id, double *number) {
    const Node *node = graph_node(graph, id);
    if (node->kind != NODE_CONSTANT || !atom_is_number(node->atom)) return false;
    *number = atom_double(node->atom);
    return true;
}

/* Does `width op number` being `truth` mean that the width is 0? */
static bool says_empty(OpId op, double number, bool truth) {
    if (!truth) op = ops[op].negated;
    return (op == OP_EQ && number == 0) || (op == OP_LE && number >= 0 && number < 1) ||
           (op == OP_LT && number > 0 && number <= 1);
}

static bool is_bool(Values *values, NodeId id) {
    const NodeValues *v = values_of(values, id);
    for (uint32_t k = 0; v && k < v->count; k++)
        if (v->levels[k].kind != ATOM_BOOL) return false;
    return v != NULL;
}

static void add_condition(Mark *m, NodeId id, bool truth) {
    if (m->conditions == MAX_CONDITIONS) return; /* fewer conditions: more states, still sound */
    m->condition[m->conditions] = id;
    m->truth[m->conditions++] = truth;
}

static void read_mark(Mark *m, NodeId id, bool truth);

/* A comparison with a constant: an empty width, or a bool spelled out. */
static bool read_comparison(Mark *m, const Node *node, bool truth) {
    const Graph *graph = m->values->graph;
    double number;
    if (!(ops[node->op].flags & OP_COMPARES) || !is_constant(graph, node->arg[1], &number))
        return false;
    const Node *left = graph_node(graph, node->arg[0]);
    if (left->kind == NODE_WIDTH && says_empty(node->op, number, truth)) {
        if (m->blockers < MAX_BLOCKERS) m->blocker[m->blockers++] = left->arg[0];
        return true;
    }
    bool equality = node->op == OP_EQ || node->op == OP_NE;
    if (!equality || (number != 0 && number != 1) || !is_bool(m->values, node->arg[0]))
        return false;
    read_mark(m, node->arg[0], ((number == 1) == (node->op == OP_EQ)) == truth);
    return true;
}

static void read_mark(Mark *m, NodeId id, bool truth) {
    Node node = *graph_node(m->values->graph, id);
    if (node.kind == NODE_MAP && node.op == OP_NOT) {
        read_mark(m, node.arg[0], !truth);
    } else if (node.kind == NODE_MAP && node.op == (truth ? OP_AND : OP_OR)) {
        read_mark(m, node.arg[0], truth);
        read_mark(m, node.arg[1], truth);
    } else if (node.kind != NODE_MAP || !read_comparison(m, &node, truth))
        add_condition(m, id, truth);
}

/* The mark that a conjunct `select(mark, constant, ==)` asks for. */
static bool read_conjunct(Mark *m, NodeId conjunct) {
    Graph *graph = m->values->graph;
    Node node = *graph_node(graph, conjunct);
    double number;
    if (node.kind != NODE_SELECT || node.op != OP_EQ) return false;
    if (!is_constant(graph, node.arg[1], &number)) return false;
    Node key = *graph_node(graph, node.arg[0]);
    if (key.kind == NODE_WIDTH && number == 0)
        m->blocker[m->blockers++] = key.arg[0];
    else if ((number == 0 || number == 1) && is_bool(m->values, node.arg[0]))
        read_mark(m, node.arg[0], number == 1);
    return m->blockers > 0;
}

static bool is_marked(const Mark *m, const States *states, uint32_t s) {
    for (uint32_t c = 0; c < m->conditions; c++) {
        Atom value = states_value(states, s, states_column(states, m->condition[c]));
        if (atom_truth(value) != m->truth[c]) return false;
    }
    return true;
}

/* Could one row select both? */
static bool go_together(const Mark *m, const States *states, uint32_t s, uint32_t t) {
    if (states_same_position(states, s, t)) return false;
    for (uint32_t k = 0; k < m->shared_count; k++) {
        uint32_t column = states_column(states, m->shared[k]);
        if (!atom_equal(states_value(states, s, column), states_value(states, t, column)))
            return false;
    }
    return true;
}

/* Looks at all pairs of marked states that leave each other alone. */
static void judge(const Mark *m, const States *states, NodeId value, bool *once, bool *agree,
                  Arena *arena) {
    uint32_t count = (uint32_t)states->rows.row_count, column = 0;
    Relation relation[MAX_BLOCKERS];
    for (uint32_t b = 0; b < m->blockers; b++)
        relation[b] = relation_of(states, m->blocker[b], arena);
    if (value != NODE_NONE) column = states_column(states, value);
    bool *marked = ARENA_ARRAY(arena, count, bool);
    for (uint32_t s = 0; s < count; s++) marked[s] = is_marked(m, states, s);
    *once = *agree = true;
    for (uint32_t s = 0; s < count && *agree; s++) {
        budget_poll(arena_budget(arena));
        for (uint32_t t = 0; t < s && *agree; t++) {
            if (!marked[s] || !marked[t] || !go_together(m, states, s, t)) continue;
            bool blocked = false;
            for (uint32_t b = 0; b < m->blockers && !blocked; b++)
                blocked = relation_holds(&relation[b], s, t) || relation_holds(&relation[b], t, s);
            if (blocked) continue;
            *once = false;
            *agree = value != NODE_NONE &&
                     atom_equal(states_value(states, s, column), states_value(states, t, column));
        }
    }
}

/* The x of `select(x, x, <)`, whose values can all be compared and are equal to themselves. */
static NodeId compared_strictly(Values *values, NodeId selector) {
    const Node *node = graph_node(values->graph, selector);
    if (node->kind != NODE_SELECT || (node->op != OP_LT && node->op != OP_GT)) return NODE_NONE;
    if (node->arg[0] != node->arg[1]) return NODE_NONE;
    NodeId x = node->arg[0];
    const NodeValues *v = values_of(values, x);
    for (uint32_t k = 0; v && k < v->count; k++)
        if (!atom_equal(v->levels[k], v->levels[k]) || !atom_comparable(v->levels[k], v->levels[0]))
            return NODE_NONE;
    return v ? x : NODE_NONE;
}

/* Nothing less, or nothing greater: marked positions have one x, whatever the states.  Another
 * blocker that orders those leaves one of them. */
static void judge_extremes(const Mark *m, NodeId value, bool *once, bool *agree, Arena *arena) {
    for (uint32_t b = 0; b < m->blockers && !*agree; b++) {
        NodeId x = compared_strictly(m->values, m->blocker[b]);
        if (x == NODE_NONE) continue;
        NodeId same = graph_select(m->values->graph, OP_EQ, x, x, SPAN_NONE);
        const Literals pin = {.select = &same, .count = 1};
        for (uint32_t o = 0; o < m->blockers && !*once; o++)
            *once = values_orders_pinned(m->values, m->blocker[o], NODE_NONE, &pin, arena);
        *agree = *once || (value != NODE_NONE && values_function_of(m->values, value, x));
    }
}

/* The keys of the other equalities. */
static void read_shared(Mark *m, const Literals *conjuncts, uint32_t mark) {
    for (uint32_t k = 0; k < conjuncts->count && m->shared_count < MAX_SHARED; k++) {
        const Node *node = graph_node(m->values->graph, conjuncts->select[k]);
        if (k != mark && node->kind == NODE_SELECT && node->op == OP_EQ)
            m->shared[m->shared_count++] = node->arg[0];
    }
}

static void look_at_marks(Values *values, NodeId selector, NodeId value, bool *once, bool *agree) {
    Arena *scratch = arena_child(values->arena);
    Literals conjuncts = selector_conjuncts(values->graph, selector, scratch);
    *once = *agree = false;
    for (uint32_t k = 0; k < conjuncts.count && !*agree; k++) {
        Mark mark = {.values = values};
        NodeId sops[MAX_CONDITIONS + MAX_SHARED + 1];
        States states;
        uint32_t count = 0;
        if (!read_conjunct(&mark, conjuncts.select[k])) continue;
        judge_extremes(&mark, value, once, agree, scratch);
        if (*agree) break;
        read_shared(&mark, &conjuncts, k);
        for (uint32_t c = 0; c < mark.conditions; c++) sops[count++] = mark.condition[c];
        for (uint32_t c = 0; c < mark.shared_count; c++) sops[count++] = mark.shared[c];
        if (value != NODE_NONE) sops[count++] = value;
        if (states_find(values, mark.blocker, mark.blockers, sops, count, &states, scratch))
            judge(&mark, &states, value, once, agree, scratch);
    }
    arena_free(scratch);
}

bool values_marked_once(Values *values, NodeId selector) {
    bool once, agree;
    look_at_marks(values, selector, NODE_NONE, &once, &agree);
    return once;
}

bool values_marks_agree(Values *values, NodeId selector, NodeId value) {
    bool once, agree;
    look_at_marks(values, selector, value, &once, &agree);
    return agree;
}
