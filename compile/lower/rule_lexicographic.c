/* Widths of `select(key, key, <)` over keys such as `tokens_int + indices / 1024`: one s-op, and
 * the position where that is the same.  As it stands the score would tell apart all keys; taken
 * apart, those of the first s-op, and positions are a mask.  That s-op is an argument of the key,
 * or the key as it is at position 0: `hist - indices / 100 if first else -1`, without the indices.
 */
#include "compile/lower/rules.h"

#include "compile/values/numbers.h"

#include <stdlib.h>

enum { MOST_ROWS = 65536 };

/* A key with what it is made of. */
typedef struct KeyPlace {
    double major, position, key;
} KeyPlace;

static int by_major(const void *a, const void *b) {
    const KeyPlace *x = a, *y = b;
    if (x->major != y->major) return x->major > y->major ? 1 : -1;
    return (x->position > y->position) - (x->position < y->position);
}

/* Places with one major value: does the key go up with the position (1), or down (-1)?  0: neither,
 * or there is but one. */
static int direction(const KeyPlace *place, size_t count) {
    int sign = 0;
    for (size_t k = 1; k < count; k++) {
        int step = (place[k].key > place[k - 1].key) - (place[k].key < place[k - 1].key);
        if (step == 0 || step == -sign || place[k].position == place[k - 1].position) return 0;
        sign = step;
    }
    return sign;
}

/* Are keys in the order of the major value, then up or down the positions?  Else 0. */
static int lexicographic(const KeyPlace *place, size_t count) {
    int sign = 0;
    double above = -INFINITY; /* all keys of smaller major values are below */
    for (size_t from = 0, to; from < count; from = to) {
        double low = INFINITY, high = -INFINITY;
        for (to = from; to < count && place[to].major == place[from].major; to++) {
            low = fmin(low, place[to].key);
            high = fmax(high, place[to].key);
        }
        int own = direction(place + from, to - from);
        if (!(low > above) || (own == 0 && to - from > 1) || (own && own == -sign)) return 0;
        if (own) sign = own;
        above = high;
    }
    return sign;
}

/* How positions decide between keys of one value of `major`: 1, -1, or 0 where they do not. */
static int tie_break(Lower *lower, NodeId key, NodeId major) {
    Values *values = lower->values;
    NodeId nodes[3] = {major, graph_indices(values_graph(values), SPAN_NONE), key};
    const NodeValues *v[3];
    Rows rows;
    for (int k = 0; k < 3; k++) {
        v[k] = values_of(values, nodes[k]);
        if (!v[k] || !values_numeric(v[k])) return 0;
    }
    if (v[0]->count < 2 || v[2]->count < 2 * v[0]->count ||
        !values_rows_up_to(values, nodes, 3, nodes, 3, MOST_ROWS, &rows))
        return 0;
    Arena *scratch = arena_child(lower->arena);
    KeyPlace *place = ARENA_ARRAY(scratch, rows.row_count, KeyPlace);
    for (size_t r = 0; r < rows.row_count; r++)
        place[r] = (KeyPlace){feature_number(v[0]->levels[rows.level[3 * r]]),
                              feature_number(v[1]->levels[rows.level[3 * r + 1]]),
                              feature_number(v[2]->levels[rows.level[3 * r + 2]])};
    qsort(place, rows.row_count, sizeof *place, by_major);
    int sign = lexicographic(place, rows.row_count);
    arena_free(scratch);
    return sign;
}

/* `major` before, or the same and the position so. */
static NodeId two_keys(Graph *graph, OpId op, NodeId major, int sign, Span span) {
    bool less = op == OP_LT || op == OP_LE, strict = op == OP_LT || op == OP_GT;
    bool up = less == (sign > 0);
    OpId of_position = up ? (strict ? OP_LT : OP_LE) : (strict ? OP_GT : OP_GE);
    NodeId indices = graph_indices(graph, SPAN_NONE);
    NodeId before = graph_select(graph, less ? OP_LT : OP_GT, major, major, span);
    NodeId same = graph_select(graph, OP_EQ, major, major, span);
    NodeId position = graph_select(graph, of_position, indices, indices, span);
    return graph_or(graph, before, graph_and(graph, same, position, span), span);
}

/* The node with 0 for the position, as far as it is elementwise; `made`: by node, 1 + what it is.
 */
static NodeId at_start(Graph *graph, NodeId id, NodeId *made) {
    if (made[id]) return made[id] - 1;
    Node node = *graph_node(graph, id);
    NodeId arg[OP_MAX_ARITY], start = id;
    for (int k = 0; k < node.arity && (node.kind == NODE_MAP || node.kind == NODE_LOOKUP); k++)
        arg[k] = at_start(graph, node.arg[k], made);
    if (node.kind == NODE_INDICES) start = graph_constant(graph, atom_int(0), node.span);
    if (node.kind == NODE_MAP) start = graph_map(graph, node.op, arg, node.span);
    if (node.kind == NODE_LOOKUP) start = graph_lookup(graph, node.lookup, arg[0], node.span);
    made[id] = 1 + start;
    return start;
}

/* The same selector by two keys, or NODE_NONE. */
static NodeId taken_apart(Lower *lower, NodeId selector) {
    Graph *graph = values_graph(lower->values);
    Node select = *graph_node(graph, selector);
    if (select.kind != NODE_SELECT || select.arg[0] != select.arg[1]) return NODE_NONE;
    if (select.op != OP_LT && select.op != OP_LE && select.op != OP_GT && select.op != OP_GE)
        return NODE_NONE;
    Node key = *graph_node(graph, select.arg[0]);
    NodeId major[OP_MAX_ARITY + 1];
    int count = 0;
    for (int k = 0; k < key.arity && key.kind == NODE_MAP; k++) major[count++] = key.arg[k];
    Arena *scratch = arena_child(lower->arena);
    NodeId *made = ARENA_ARRAY(scratch, graph_count(graph), NodeId);
    if (key.kind == NODE_MAP) major[count++] = at_start(graph, select.arg[0], made);
    arena_free(scratch);
    for (int k = 0; k < count; k++) {
        int sign = major[k] == select.arg[0] ? 0 : tie_break(lower, select.arg[0], major[k]);
        if (sign) return two_keys(graph, select.op, major[k], sign, select.span);
    }
    return NODE_NONE;
}

bool feature_lexicographic(Lower *lower, NodeId width, const double *vector, Form *form) {
    Graph *graph = values_graph(lower->values);
    NodeId selector = taken_apart(lower, graph_node(graph, width)->arg[0]);
    if (selector == NODE_NONE) return false;
    NodeId same = graph_width(graph, selector, graph_node(graph, width)->span);
    const NodeValues *w = values_of(lower->values, width), *s = values_of(lower->values, same);
    if (!s) return lower_fail_values(lower);
    double *number = ARENA_ARRAY(lower->arena, s->count, double);
    for (uint32_t k = 0; k < s->count; k++)
        for (uint32_t m = 0; m < w->count; m++)
            if (atom_equal(s->levels[k], w->levels[m])) number[k] = vector[m];
    /* Both widths are added up and scanned, even for whether there are any: one is as good as the
     * other, and a sum is what the judge of claims follows (judge_widths.c). */
    NodeId code = lower_code(lower, same, number);
    return code == same ? lower_feature(lower, same, form) : feature_scan(lower, code, form);
}
