/* Windows: selectors of which each row, or each column, selects few classes. */
#include "compile/lower/score_private.h"
#include "compile/lower/window.h"

bool is_exact(Builder *b, NodeId side) {
    const NodeValues *v = values_of(b->values, side);
    for (uint32_t s = 0; s < v->source_count; s++) {
        const Node *source = graph_node(b->graph, v->sources[s]);
        if (source->kind == NODE_TOKENS || source->kind == NODE_INDICES) continue;
        if (source->kind != NODE_WIDTH) return false;
        const SelectorFacts *facts = values_selector(b->values, source->arg[0]);
        if (!facts || !facts->everything) return false;
    }
    return true;
}

static bool is_window(Builder *b, const Conjunct *c, const Matrix *m, Window *w) {
    return !is_matching(m) && !by_one_hot(b, c) && is_exact(b, c->key) && is_exact(b, c->query) &&
           window_find(m->class_entry, m->row_classes, m->col_classes, b->arena, w);
}

typedef struct Side {
    NodeId node;
    const uint32_t *class;
    uint32_t classes;
    Form *only;
    bool read; /* does what it decides alone matter? */
} Side;

static Side side_of(Builder *b, const Conjunct *c, const Matrix *m, bool key) {
    Score *score = b->score;
    if (key) return (Side){c->key, m->row_class, m->row_classes, &score->key_only, true};
    return (Side){c->query, m->col_class, m->col_classes, &score->query_only, b->sink};
}

static bool add_product(Builder *b, const Side *near, const double *of_near, const Side *far,
                        const double *of_far, bool by_key) {
    Form x, y;
    if (!class_feature(b, near->node, near->class, of_near, &x) ||
        !class_feature(b, far->node, far->class, of_far, &y))
        return false;
    add_pair(b, by_key ? x : y, by_key ? y : x);
    return true;
}

static bool take_off(Builder *b, const Side *side, const double *number) {
    Form form;
    if (!side->read) return true;
    if (!class_feature(b, side->node, side->class, number, &form)) return false;
    add_to(b, side->only, form, -1);
    return true;
}

/* 1 - (code(near) - asked(far))^2, with what is asked of the colour that the near side has: the
 * last one where it has no other. */
static bool add_colours(Builder *b, const Conjunct *c, const Matrix *m, const Window *w) {
    Side near = side_of(b, c, m, w->by_key), far = side_of(b, c, m, !w->by_key);
    double *code = ARENA_ARRAY(b->arena, near.classes, double);
    double *has = ARENA_ARRAY(b->arena, near.classes, double);
    double *asked = ARENA_ARRAY(b->arena, far.classes, double);
    double *square = ARENA_ARRAY(b->arena, far.classes, double);
    uint32_t last = w->count - 1;
    for (uint32_t colour = 0; colour < w->count; colour++) {
        for (uint32_t n = 0; n < near.classes; n++) {
            has[n] = w->colour[n] == colour;
            code[n] = has[n] * w->code[n];
        }
        for (uint32_t n = 0; n < far.classes; n++) {
            const double *of = w->asked + (size_t)n * w->count;
            asked[n] = 2 * of[colour];
            square[n] = window_square(of[last]) - window_square(of[colour]);
        }
        if (!add_product(b, &near, code, &far, asked, w->by_key)) return false;
        if (colour != last && !add_product(b, &near, has, &far, square, w->by_key)) return false;
    }
    for (uint32_t n = 0; n < near.classes; n++) code[n] = w->code[n] * w->code[n];
    for (uint32_t n = 0; n < far.classes; n++)
        square[n] = window_square(w->asked[(size_t)n * w->count + last]);
    b->score->query_only.constant += 1;
    return take_off(b, &near, code) && take_off(b, &far, square);
}

bool add_window(Builder *b, const Conjunct *c, const Matrix *m, bool *done) {
    Window window;
    *done = is_window(b, c, m, &window);
    return !*done || add_colours(b, c, m, &window);
}

/* What one side is a function of: the position, or a source; NODE_NONE: of several. */
static NodeId variable_of(Builder *b, NodeId side) {
    const NodeValues *v = values_of(b->values, side);
    if (values_by_position(b->values, side)) return graph_indices(b->graph, SPAN_NONE);
    return v && v->source_count == 1 ? v->sources[0] : NODE_NONE;
}

static bool is_order(const Graph *graph, NodeId id) {
    const Node *node = graph_node(graph, id);
    bool order = node->op == OP_LT || node->op == OP_LE || node->op == OP_GT || node->op == OP_GE;
    return node->kind == NODE_SELECT && order;
}

/* Two orders of the same variables, from both sides: do they leave a window? */
static bool leave_window(Builder *b, NodeId one, NodeId other, NodeId *both) {
    Node x = *graph_node(b->graph, one), y = *graph_node(b->graph, other);
    if (!is_order(b->graph, one) || !is_order(b->graph, other)) return false;
    for (int side = 0; side < 2; side++) {
        NodeId variable = variable_of(b, x.arg[side]);
        if (variable == NODE_NONE || variable != variable_of(b, y.arg[side])) return false;
    }
    Conjunct c = {.formula = graph_and(b->graph, one, other, x.span)};
    Matrix m = {0};
    Window window;
    if (!split_sides(b, &c) || !fill_matrix(b, &c, &m)) return false;
    quotient(b, &m);
    *both = c.formula;
    return is_window(b, &c, &m, &window);
}

bool join_windows(Builder *b, Literals *conjuncts) {
    for (uint32_t x = 0; x < conjuncts->count; x++)
        for (uint32_t y = x + 1; y < conjuncts->count; y++) {
            NodeId both;
            if (!leave_window(b, conjuncts->select[x], conjuncts->select[y], &both)) continue;
            conjuncts->select[x] = both;
            conjuncts->select[y--] = conjuncts->select[--conjuncts->count];
        }
    return !lower_error(b->lower)->message[0];
}
