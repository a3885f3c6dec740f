/* Covering: which number to scan for a feature.
 *
 * A feature f of several variables is computed by one feed-forward sublayer that
 * interpolates between the values of a single number x.  A *cut* is a set of s-ops between f
 * and its sources that determines f; each of its elements is quotiented by what f can tell
 * apart; x combines the elements: their difference or sum, a sum of bits, or digits of a
 * mixed radix.  The cut and combination with the least estimated parameters win: a scan
 * costs a hidden unit for each place where its slope changes.
 */
#include "compile/lower/cover.h"

#include "compile/lower/context.h"

#include "compile/lower/scan.h"
#include "compile/lower/slack.h"

#include "compile/values/numbers.h"
#include "compile/values/sums.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_CUTS = 48,
    MAX_ELEMENTS = COVER_ELEMENTS,
    CUT_ROWS = 40000,   /* in one cut; if no cut has so few, */
    MOST_ROWS = 600000, /* as many as that in one of two elements */
    MOST_JOINED = 2048, /* classes that a level is compared with */
    CUT_COMBINATIONS = 40000,
    ROUNDING_LEVELS = 2000
};

/* Of numbers of size 1 in float64; a gap is wanted to be 16 times as large. */
static const double RESOLUTION = 0x1p-48;

/* Estimated parameters: a hidden unit, a residual dimension, a head's component. */
static const double UNIT_COST = 50, DIMENSION_COST = 40, COMPONENT_COST = 90;

typedef struct Cut {
    NodeId element[MAX_ELEMENTS];
    uint32_t count;
} Cut;

/* A cut with its rows: element classes and the feature's value. */
typedef struct CutRows {
    Lower *lower;
    uint32_t most; /* rows */
    Arena *arena;  /* scratch */
    Cut cut;
    size_t rows;
    uint32_t *level;                  /* [rows, count] as enumerated */
    uint32_t *class;                  /* [rows, count] after quotienting */
    double *f;                        /* [rows] */
    uint32_t *class_of[MAX_ELEMENTS]; /* by level */
    uint32_t classes[MAX_ELEMENTS];
    bool numeric[MAX_ELEMENTS];
    bool rounding; /* classes hang on rounding: only values will do */
} CutRows;

/* x = sum of factor * number(digit): by class code, by value, or by class indicator. */
typedef struct Digit {
    uint32_t element;
    double factor;
    const double *number; /* by level */
} Digit;

typedef struct Candidate {
    double cost;
    int units;
    bool rounding; /* some number failed only because it tells rounding errors apart */
    Cut cut;
    Digit digit[MAX_ELEMENTS];
} Candidate;

/* --- costs of what is read -------------------------------------------------------------- */

static double source_cost(Lower *lower, NodeId source) {
    const Node *node = graph_node(values_graph(lower_values(lower)), source);
    if (node->kind == NODE_TOKENS || node->kind == NODE_INDICES) return DIMENSION_COST;
    if (node->kind != NODE_WIDTH) return COMPONENT_COST;
    const SelectorFacts *facts = values_selector(lower_values(lower), node->arg[0]);
    if (facts && facts->everything) return COMPONENT_COST;
    return COMPONENT_COST + UNIT_COST * values_of(lower_values(lower), source)->count;
}

static double sum_cost(Lower *lower, NodeId id);

static double find_cost(Lower *lower, NodeId id) {
    Values *values = lower_values(lower);
    const NodeValues *v = values_of(values, id);
    if (!v) return INFINITY;
    if (v->count <= 1 || lower_is_known(lower, id)) return 0;
    if (v->source_count == 1) return source_cost(lower, v->sources[0]);
    Node node = *graph_node(values_graph(values), id);
    if (node.kind == NODE_MAP && (node.op == OP_ADD || node.op == OP_SUB))
        return sum_cost(lower, node.arg[0]) + sum_cost(lower, node.arg[1]);
    double cost = DIMENSION_COST + UNIT_COST * (v->count < 4 ? v->count : 4 + v->count / 4.0);
    for (uint32_t k = 0; k < v->source_count; k++) cost += source_cost(lower, v->sources[k]);
    if (node.kind == NODE_MAP && node.op == OP_IF && node.arg[2] != NODE_NONE &&
        graph_node(values_graph(values), node.arg[2])->kind == NODE_CONSTANT)
        return sum_cost(lower, node.arg[1]) + DIMENSION_COST + 2 * UNIT_COST;
    return cost;
}

/* Within one estimate a shared operand costs each time that it is read, but is looked at once. */
static double sum_cost(Lower *lower, NodeId id) {
    lower->cost = arena_grow(lower->arena, lower->cost, &lower->cost_capacity, (size_t)id + 1,
                             sizeof *lower->cost);
    Costed *known = &lower->cost[id];
    if (known->estimate != lower->estimates)
        *known = (Costed){lower->estimates, find_cost(lower, id)};
    return lower->cost[id].cost;
}

double cover_cost(Lower *lower, NodeId id) {
    lower->estimates++; /* what is made since then costs nothing */
    return sum_cost(lower, id);
}

bool cover_is_small(Lower *lower, const NodeId *nodes, uint32_t count) {
    Rows rows;
    return values_rows_up_to(lower_values(lower), nodes, count, nodes, count, CUT_ROWS, &rows);
}

/* --- tables ----------------------------------------------------------------------------- */

typedef struct Ordered {
    Atom value;
    uint32_t level;
} Ordered;

static int by_value(const void *a, const void *b) {
    return atom_compare_total(&((const Ordered *)a)->value, &((const Ordered *)b)->value);
}

static const uint32_t *levels_in_order(CutRows *t, const NodeValues *v) {
    Ordered *sorted = ARENA_ARRAY(t->arena, v->count, Ordered);
    for (uint32_t k = 0; k < v->count; k++) sorted[k] = (Ordered){v->levels[k], k};
    qsort(sorted, v->count, sizeof *sorted, by_value);
    uint32_t *order = ARENA_ARRAY(t->arena, v->count, uint32_t);
    for (uint32_t k = 0; k < v->count; k++) order[k] = sorted[k].level;
    return order;
}

/* Joins levels of one element that the feature cannot tell apart, whatever the others are;
 * combinations that cannot occur are free.  Classes are numbered in the levels' order. */
static void quotient(CutRows *t, uint32_t e) {
    const NodeValues *v = values_of(lower_values(t->lower), t->cut.element[e]);
    TupleMap *others = tuple_map_new(t->arena, t->cut.count - 1);
    uint32_t *other = ARENA_ARRAY(t->arena, t->rows, uint32_t);
    for (size_t r = 0; r < t->rows; r++) {
        uint32_t key[MAX_ELEMENTS], k = 0;
        for (uint32_t o = 0; o < t->cut.count; o++)
            if (o != e) key[k++] = t->class[r * t->cut.count + o];
        bool found;
        uint32_t *at = tuple_map_at(others, key, &found);
        if (!found) *at = tuple_map_count(others) - 1;
        other[r] = *at;
    }
    uint32_t columns = tuple_map_count(others);
    bool small = (double)columns * v->count <= 4e6;
    double *value = small ? ARENA_ARRAY(t->arena, (size_t)columns * v->count, double) : NULL;
    bool *present = small ? ARENA_ARRAY(t->arena, (size_t)columns * v->count, bool) : NULL;
    bool *occurs = ARENA_ARRAY(t->arena, v->count, bool);
    for (size_t r = 0; r < t->rows; r++) {
        uint32_t level = t->level[r * t->cut.count + e];
        occurs[level] = true;
        if (!small) continue;
        value[(size_t)level * columns + other[r]] = t->f[r];
        present[(size_t)level * columns + other[r]] = true;
    }
    const uint32_t *order = levels_in_order(t, v);
    uint32_t *leader = ARENA_ARRAY(t->arena, v->count, uint32_t), classes = 0;
    t->class_of[e] = ARENA_ARRAY(t->arena, v->count, uint32_t);
    for (uint32_t k = 0; k < v->count; k++) {
        uint32_t level = order[k], c = small && occurs[level] ? 0 : classes;
        if (!occurs[level]) continue;
        for (; c < classes && c < MOST_JOINED; c++) {
            double *a = value + (size_t)leader[c] * columns, *b = value + (size_t)level * columns;
            bool *in_a = present + (size_t)leader[c] * columns;
            bool *in_b = present + (size_t)level * columns, same = true;
            for (uint32_t o = 0; o < columns && same; o++)
                same = !in_a[o] || !in_b[o] || a[o] == b[o];
            if (!same) continue;
            for (uint32_t o = 0; o < columns; o++)
                if (in_b[o]) a[o] = b[o], in_a[o] = true;
            break;
        }
        if (c == classes || c == MOST_JOINED) leader[c = classes++] = level;
        t->class_of[e][level] = c;
    }
    t->classes[e] = classes ? classes : 1;
    for (size_t r = 0; r < t->rows; r++)
        t->class[r * t->cut.count + e] = t->class_of[e][t->level[r * t->cut.count + e]];
}

/* Are there levels that differ by rounding only, in different classes? */
static bool hangs_on_rounding(const CutRows *t, uint32_t e) {
    const NodeValues *v = values_of(lower_values(t->lower), t->cut.element[e]);
    if (values_of_input(lower_values(t->lower), t->cut.element[e])) return false;
    if (v->count > ROUNDING_LEVELS) return false; /* the certificate has the last word */
    for (uint32_t a = 0; a < v->count; a++)
        for (uint32_t b = 0; b < a; b++) {
            bool near = atoms_near(v->levels[a], v->levels[b]);
            if (near && t->class_of[e][a] != t->class_of[e][b]) return true;
        }
    return false;
}

static bool make_table(CutRows *t, NodeId feature) {
    Values *values = lower_values(t->lower);
    NodeId nodes[MAX_ELEMENTS + 1];
    memcpy(nodes, t->cut.element, sizeof t->cut.element);
    nodes[t->cut.count] = feature;
    Rows rows;
    if (!values_rows_up_to(values, nodes, t->cut.count, nodes, t->cut.count + 1, t->most, &rows) ||
        rows.row_count == 0)
        return false;
    const NodeValues *f = values_of(values, feature);
    t->rows = rows.row_count;
    t->level = ARENA_ARRAY(t->arena, t->rows * t->cut.count, uint32_t);
    t->class = ARENA_ARRAY(t->arena, t->rows * t->cut.count, uint32_t);
    t->f = ARENA_ARRAY(t->arena, t->rows, double);
    for (size_t r = 0; r < t->rows; r++) {
        for (uint32_t e = 0; e < t->cut.count; e++)
            t->level[r * t->cut.count + e] = rows.level[r * rows.width + e];
        t->f[r] = feature_number(f->levels[rows.level[r * rows.width + t->cut.count]]);
    }
    memcpy(t->class, t->level, t->rows * t->cut.count * sizeof *t->class);
    for (uint32_t e = 0; e < t->cut.count; e++) {
        t->numeric[e] = values_numeric(values_of(values, t->cut.element[e]));
        quotient(t, e);
        t->rounding |= t->numeric[e] && hangs_on_rounding(t, e);
    }
    return true;
}

/* --- candidates ------------------------------------------------------------------------- */

static double digit_cost(const CutRows *t, uint32_t e, bool by_value) {
    NodeId node = t->cut.element[e];
    const NodeValues *v = values_of(lower_values(t->lower), node);
    double cost = cover_cost(t->lower, node);
    if (by_value || t->classes[e] == v->count) return cost;
    if (v->source_count == 1) {
        const Node *source = graph_node(values_graph(lower_values(t->lower)), v->sources[0]);
        if (source->kind != NODE_WIDTH &&
            (source->kind != NODE_AGGREGATE || values_moves(lower_values(t->lower), v->sources[0])))
            return cost;
        if (source->kind == NODE_WIDTH && t->classes[e] == 2) return COMPONENT_COST + 2 * UNIT_COST;
    }
    return cost + 2 * UNIT_COST * (t->classes[e] - 1);
}

/* Numbers of the levels of one element: its class codes, maybe reversed, or its values. */
static const double *class_codes(const CutRows *t, uint32_t e, bool reversed) {
    const NodeValues *v = values_of(lower_values(t->lower), t->cut.element[e]);
    double *number = ARENA_ARRAY(lower_arena(t->lower), v->count, double);
    for (uint32_t k = 0; k < v->count; k++) {
        uint32_t c = t->class_of[e][k];
        number[k] = reversed ? t->classes[e] - 1 - c : c;
    }
    return number;
}

static const double *level_values(const CutRows *t, uint32_t e) {
    const NodeValues *v = values_of(lower_values(t->lower), t->cut.element[e]);
    double *number = ARENA_ARRAY(lower_arena(t->lower), v->count, double);
    for (uint32_t k = 0; k < v->count; k++) number[k] = feature_number(v->levels[k]);
    return number;
}

/* What the element's own form brings along, where the digit is its value, and what arithmetic
 * with numbers of this size can tell apart at all. */
static double digit_slack(const CutRows *t, const Digit *digit) {
    NodeId element = t->cut.element[digit->element];
    const NodeValues *v = values_of(lower_values(t->lower), element);
    for (uint32_t k = 0; k < v->count; k++)
        if (digit->number[k] != feature_number(v->levels[k])) return 0;
    return slack_expected(t->lower, element) + RESOLUTION * slack_size(t->lower, element);
}

static void consider(const CutRows *t, const Digit *digit, bool by_value, Candidate *best) {
    best->rounding |= t->rounding;
    if (t->rounding && !by_value) return;
    ScanPoint *point = ARENA_ARRAY(t->arena, t->rows, ScanPoint);
    double slack = 0;
    for (size_t r = 0; r < t->rows; r++) {
        double lost = 0;
        point[r].f = t->f[r];
        for (uint32_t d = 0; d < t->cut.count; d++) {
            uint32_t level = t->level[r * t->cut.count + digit[d].element];
            double step = digit[d].factor * digit[d].number[level];
            lost += fabs(sum_lost(point[r].x, step));
            point[r].x += step;
        }
        slack = fmax(slack, lost);
    }
    for (uint32_t d = 0; by_value && d < t->cut.count; d++)
        slack += fabs(digit[d].factor) * digit_slack(t, &digit[d]);
    int units = scan_units(point, t->rows, slack);
    best->rounding |= units == SCAN_ROUNDING;
    if (units < 0) return;
    double cost = DIMENSION_COST + UNIT_COST * units;
    for (uint32_t d = 0; d < t->cut.count; d++) cost += digit_cost(t, d, by_value);
    if (cost >= best->cost) return;
    best->cost = cost;
    best->units = units;
    best->cut = t->cut;
    memcpy(best->digit, digit, sizeof best->digit);
}

/* a - b and a + b. */
static void consider_sums(const CutRows *t, Candidate *best) {
    if (t->cut.count > 2) return;
    for (uint32_t e = 0; e < t->cut.count; e++)
        if (!t->numeric[e]) return;
    for (int sign = -1; sign <= (t->cut.count == 2 ? 1 : -1); sign += 2) {
        Digit digit[MAX_ELEMENTS] = {{0, 1, level_values(t, 0)}};
        if (t->cut.count == 2) digit[1] = (Digit){1, sign, level_values(t, 1)};
        consider(t, digit, true, best);
    }
}

/* Sums of bits, each either way round: conjunctions, disjunctions, majorities. */
static void consider_bits(const CutRows *t, Candidate *best) {
    for (uint32_t e = 0; e < t->cut.count; e++)
        if (t->classes[e] > 2) return;
    if (t->cut.count < 2) return;
    for (uint32_t flips = 0; flips < 1u << (t->cut.count - 1); flips++) {
        Digit digit[MAX_ELEMENTS];
        for (uint32_t e = 0; e < t->cut.count; e++)
            digit[e] = (Digit){e, 1, class_codes(t, e, flips >> e & 1)};
        consider(t, digit, false, best);
    }
}

/* When one outcome is a product of subsets, membership bits suffice: x counts them. */
static void consider_product(const CutRows *t, Candidate *best) {
    if (t->cut.count < 2) return;
    double outcome[2] = {t->f[0], NAN};
    for (size_t r = 0; r < t->rows; r++) {
        if (t->f[r] == outcome[0]) continue;
        if (isnan(outcome[1])) outcome[1] = t->f[r];
        if (t->f[r] != outcome[1]) return;
    }
    for (int which = 0; which < 2; which++) {
        Digit digit[MAX_ELEMENTS];
        for (uint32_t e = 0; e < t->cut.count; e++) {
            const NodeValues *v = values_of(lower_values(t->lower), t->cut.element[e]);
            double *member = ARENA_ARRAY(lower_arena(t->lower), v->count, double);
            for (size_t r = 0; r < t->rows; r++)
                if (t->f[r] == outcome[which]) member[t->level[r * t->cut.count + e]] = 1;
            digit[e] = (Digit){e, 1, member};
        }
        consider(t, digit, false, best);
    }
}

/* Digits of a mixed radix, the elements in the given order from the lowest; the lowest may
 * go by its value instead of its class, which suits gates. */
static void consider_radix(const CutRows *t, const uint32_t *order, bool by_value,
                           Candidate *best) {
    Digit digit[MAX_ELEMENTS];
    double stride = 1;
    for (uint32_t d = 0; d < t->cut.count; d++) {
        uint32_t e = order[d];
        bool value = by_value && d == 0;
        digit[d] = (Digit){e, stride, value ? level_values(t, e) : class_codes(t, e, false)};
        if (value) {
            const NodeValues *v = values_of(lower_values(t->lower), t->cut.element[e]);
            double low = INFINITY, high = -INFINITY;
            for (uint32_t k = 0; k < v->count; k++) {
                low = fmin(low, digit[d].number[k]);
                high = fmax(high, digit[d].number[k]);
            }
            stride = exp2(ceil(log2(fmax(high - low, 1e-6) * (1 + 1.0 / v->count) + 1e-9)));
        } else
            stride *= t->classes[e];
    }
    consider(t, digit, by_value, best);
}

static void consider_orders(const CutRows *t, uint32_t *order, uint32_t fixed, Candidate *best) {
    if (fixed == t->cut.count) {
        consider_radix(t, order, false, best);
        if (t->numeric[order[0]] && t->cut.count > 1) consider_radix(t, order, true, best);
        return;
    }
    for (uint32_t k = fixed; k < t->cut.count; k++) {
        uint32_t swap = order[fixed];
        order[fixed] = order[k], order[k] = swap;
        consider_orders(t, order, fixed + 1, best);
        swap = order[fixed];
        order[fixed] = order[k], order[k] = swap;
    }
}

/* --- cuts ------------------------------------------------------------------------------- */

static void cut_add(Cut *cut, NodeId node) {
    for (uint32_t k = 0; k < cut->count && k < MAX_ELEMENTS; k++)
        if (cut->element[k] == node) return;
    if (cut->count < MAX_ELEMENTS) cut->element[cut->count] = node;
    cut->count++; /* beyond MAX_ELEMENTS: too large */
}

/* Replaces one element by its arguments (position UINT32_MAX: starts from the feature's). */
static Cut cut_expand(Lower *lower, const Cut *cut, uint32_t position, NodeId feature) {
    Values *values = lower_values(lower);
    const Graph *graph = values_graph(values);
    Cut next = {.count = 0};
    for (uint32_t k = 0; k < cut->count; k++)
        if (k != position) cut_add(&next, cut->element[k]);
    const Node *node = graph_node(graph, position == UINT32_MAX ? feature : cut->element[position]);
    for (int k = 0; k < node->arity; k++) {
        const NodeValues *v = values_of(values, node->arg[k]);
        /* One value of several kinds has no number, but rows are made of it. */
        if (v && (v->count > 1 || !values_single_kinds(v))) cut_add(&next, node->arg[k]);
    }
    return next;
}

static bool same_cut(const Cut *a, const Cut *b) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        bool found = false;
        for (uint32_t j = 0; j < b->count; j++) found |= a->element[i] == b->element[j];
        if (!found) return false;
    }
    return true;
}

static bool is_inner(Lower *lower, NodeId id) {
    NodeKind kind = graph_node(values_graph(lower_values(lower)), id)->kind;
    return (kind == NODE_MAP || kind == NODE_LOOKUP) && !values_whole_sum(lower_values(lower), id);
}

/* One element of one variable: its codes are a feature of that variable. */
static bool is_plain(const CutRows *t) {
    return values_of(lower_values(t->lower), t->cut.element[0])->source_count <= 1;
}

static void consider_cut(Lower *lower, NodeId feature, const Cut *cut, uint32_t most,
                         Candidate *best) {
    Arena *scratch = arena_child(lower_arena(lower));
    CutRows t = {.lower = lower, .most = most, .arena = scratch, .cut = *cut};
    uint32_t order[MAX_ELEMENTS] = {0, 1, 2, 3};
    if (make_table(&t, feature)) {
        consider_sums(&t, best);
        consider_bits(&t, best);
        consider_product(&t, best);
        if (cut->count > 1 || is_plain(&t)) consider_orders(&t, order, 0, best);
    }
    arena_free(scratch);
}

static void consider_cuts(Lower *lower, NodeId feature, bool wide, Candidate *best) {
    uint32_t rows = wide ? MOST_ROWS : CUT_ROWS, elements = wide ? 2 : MAX_ELEMENTS;
    Cut cuts[MAX_CUTS];
    size_t count = 0;
    Cut first = cut_expand(lower, &(Cut){.count = 0}, UINT32_MAX, feature);
    cuts[count++] = first;
    for (size_t k = 0; k < count; k++) {
        if (cuts[k].count >= 1 && cuts[k].count <= elements)
            consider_cut(lower, feature, &cuts[k], rows, best);
        if (k && best->units <= 1) break; /* a deeper cut could hardly be cheaper */
        if (wide && !isinf(best->cost)) break;
        for (uint32_t e = 0; e < cuts[k].count && cuts[k].count <= MAX_ELEMENTS; e++) {
            if (!is_inner(lower, cuts[k].element[e])) continue;
            Cut next = cut_expand(lower, &cuts[k], e, feature);
            bool known = next.count > MAX_ELEMENTS || next.count == 0;
            for (size_t m = 0; m < count && !known; m++) known = same_cut(&next, &cuts[m]);
            if (!known && count < MAX_CUTS) cuts[count++] = next;
        }
    }
}

/* --- the number of one source ----------------------------------------------------------- */

/* A counting head gives 1/(1+w). */
static NodeId reciprocal(Graph *graph, NodeId width) {
    Span span = graph_node(graph, width)->span;
    NodeId one = graph_constant(graph, atom_int(1), SPAN_NONE);
    NodeId sum = graph_map(graph, OP_ADD, (NodeId[]){width, one}, span);
    return graph_map(graph, OP_DIV, (NodeId[]){one, sum}, span);
}

static NodeId source_number(Lower *lower, NodeId feature, NodeId source) {
    Values *values = lower_values(lower);
    Graph *graph = values_graph(values);
    Node node = *graph_node(graph, source);
    if (node.kind == NODE_AGGREGATE || values_whole_sum(values, source)) return source;
    if (node.kind != NODE_WIDTH) return NODE_NONE;
    const SelectorFacts *facts = values_selector(values, node.arg[0]);
    bool linear = facts && facts->everything;
    linear |= graph_node(graph, node.arg[0])->kind == NODE_OR;
    return linear && feature != source ? source : reciprocal(graph, source);
}

static bool cover_source(Lower *lower, NodeId feature, NodeId source, Cover *cover) {
    cover->x = source_number(lower, feature, source);
    cover->cut[0] = source;
    cover->cut_count = 1;
    return cover->x != NODE_NONE && cover->x != feature &&
           lower_feature(lower, cover->x, &cover->form);
}

static bool build(Lower *lower, const Candidate *best, Cover *cover) {
    Graph *graph = values_graph(lower_values(lower));
    cover->x = NODE_NONE;
    cover->form = form_constant(0);
    memcpy(cover->cut, best->cut.element, sizeof cover->cut);
    cover->cut_count = best->cut.count;
    for (uint32_t d = 0; d < best->cut.count; d++) {
        const Digit *digit = &best->digit[d];
        NodeId element = best->cut.element[digit->element];
        NodeId node = lower_code(lower, element, digit->number);
        Form form;
        if (!lower_feature(lower, node, &form)) return false;
        cover->form = form_sum(cover->form, 1, form, digit->factor, lower_arena(lower));
        Span span = graph_node(graph, element)->span;
        bool small = digit->factor == trunc(digit->factor) && fabs(digit->factor) < 0x1p31;
        Atom factor = small ? atom_int((int64_t)digit->factor) : atom_float(digit->factor);
        if (digit->factor != 1) {
            NodeId scale = graph_constant(graph, factor, SPAN_NONE);
            node = graph_map(graph, OP_MUL, (NodeId[]){node, scale}, span);
        }
        NodeId before = cover->x;
        cover->x = d == 0 ? node : graph_map(graph, OP_ADD, (NodeId[]){before, node}, span);
        if (d > 0) {
            if (!values_of(lower_values(lower), cover->x)) return lower_fail_values(lower);
            cover->form.slack += sum_slack(lower, before, node, 1, cover->x);
        }
    }
    return true;
}

bool cover_find(Lower *lower, NodeId feature, Cover *cover) {
    *cover = (Cover){.x = NODE_NONE};
    Values *values = lower_values(lower);
    const NodeValues *v = values_of(values, feature);
    if (v->source_count == 1) {
        if (cover_source(lower, feature, v->sources[0], cover)) return true;
        if (lower_error(lower)->message[0]) return false;
    }
    Candidate best = {.cost = INFINITY, .units = INT_MAX};
    consider_cuts(lower, feature, false, &best);
    if (isinf(best.cost)) consider_cuts(lower, feature, true, &best);
    if (isinf(best.cost) && best.rounding)
        return lower_fail(lower, feature,
                          "depends on differences that are due to rounding only (round what is "
                          "compared, or multiply it by the length first)");
    if (isinf(best.cost))
        return lower_fail(
            lower, feature,
            "no table of at most %u combinations computes this s-op from what it "
            "depends on (--table-limit=%u: raise it; a smaller alphabet or --max-length "
            "needs fewer)",
            lower_options(lower).table_limit, lower_options(lower).table_limit);
    if (!build(lower, &best, cover)) return false;
    return values_of(values, cover->x) != NULL || lower_fail_values(lower);
}
