#include "compile/lower/lower_private.h"

#include "compile/values/numbers.h"
#include "compile/values/values_private.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 2000 };

Lower *lower_new(Values *values, LowerOptions options, Arena *arena) {
    Lower *lower = ARENA_NEW(arena, Lower);
    lower->values = values;
    lower->arena = arena;
    lower->options = options;
    lower->error.node = NODE_NONE;
    lower->token_space = space_new(arena, values_domain(values)->alphabet_size);
    lower->position_space = space_new(arena, values_domain(values)->max_length);
    return lower;
}

const LowerError *lower_error(const Lower *lower) {
    return &lower->error;
}
Values *lower_values(const Lower *lower) {
    return lower->values;
}
Arena *lower_arena(const Lower *lower) {
    return lower->arena;
}
LowerOptions lower_options(const Lower *lower) {
    return lower->options;
}
const Part *lower_part(const Lower *lower, uint32_t part) {
    return &lower->part[part];
}
uint32_t lower_part_count(const Lower *lower) {
    return (uint32_t)lower->part_count;
}
HeadPlan *lower_head(const Lower *lower, uint32_t head) {
    return lower->head[head];
}
uint32_t lower_head_count(const Lower *lower) {
    return (uint32_t)lower->head_count;
}
ScanPlan *lower_scan(const Lower *lower, uint32_t scan) {
    return lower->scan[scan];
}
uint32_t lower_scan_count(const Lower *lower) {
    return (uint32_t)lower->scan_count;
}

bool lower_fail(Lower *lower, NodeId node, const char *format, ...) {
    if (lower->error.message[0]) return false; /* the first cause stands */
    va_list args;
    va_start(args, format);
    vsnprintf(lower->error.message, sizeof lower->error.message, format, args);
    va_end(args);
    lower->error.node = node;
    return false;
}

bool lower_fail_values(Lower *lower) {
    const ValuesError *e = values_error(lower->values);
    return lower_fail(lower, e->node, "too many %s: %.0f, the limit is %.0f (%s)", e->what, e->size,
                      e->limit,
                      e->raisable ? "--table-limit raises it; a smaller alphabet or --max-length "
                                    "needs fewer"
                                  : "a smaller alphabet or --max-length needs fewer");
}

double feature_number(Atom value) {
    return value.kind == ATOM_STRING ? NAN : atom_double(value);
}

Stage lower_stage(const Lower *lower, Form form) {
    Stage latest = {0, 0};
    for (uint32_t k = 0; k < form.count; k++) {
        Stage s = lower->part[form.terms[k].part].stage;
        if (stage_before(latest, s)) latest = s;
    }
    return latest;
}

static uint32_t add_part(Lower *lower, Part part) {
    lower->part = arena_grow(lower->arena, lower->part, &lower->part_capacity,
                             lower->part_count + 1, sizeof part);
    lower->part[lower->part_count] = part;
    return (uint32_t)lower->part_count++;
}

static Atom number_atom(double number) {
    if (number == trunc(number) && fabs(number) < 0x1p53 && !(number == 0 && signbit(number)))
        return atom_int((int64_t)number);
    return atom_float(number);
}

NodeId lower_code(Lower *lower, NodeId node, const double *number) {
    const NodeValues *v = values_of(lower->values, node);
    bool same = true;
    for (uint32_t k = 0; k < v->count && same; k++)
        same = feature_number(v->levels[k]) == number[k];
    if (same) return node;
    Atom *image = ARENA_ARRAY(lower->arena, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) image[k] = number_atom(number[k]);
    Graph *graph = values_graph(lower->values);
    const Lookup *lookup = lookup_new(graph_arena(graph), LOOKUP_DICT, v->levels, image, v->count);
    return graph_lookup(graph, lookup, node, graph_node(graph, node)->span);
}

/* --- functions of one variable ---------------------------------------------------------- */

/* Joint rows of a variable and a function of it: both functions of the cut, if there is one. */
static bool function_rows(Lower *lower, NodeId variable, NodeId node, const Cover *cut,
                          Rows *rows) {
    NodeId nodes[2] = {variable, node};
    bool done = cut ? values_rows_over(lower->values, cut->cut, cut->cut_count, nodes, 2, rows)
                    : values_rows(lower->values, nodes, 2, UINT32_MAX, rows);
    return done || lower_fail_values(lower);
}

/* The function's value at each level of the variable; false when it is not a function of it.
 * Levels at which it has no value get 0 and clear *complete. */
static bool function_of_rows(Lower *lower, NodeId variable, NodeId node, const Rows *rows,
                             double **vector, bool *complete) {
    const NodeValues *x = values_of(lower->values, variable), *f = values_of(lower->values, node);
    Arena *arena = lower->arena;
    bool *seen = ARENA_ARRAY(arena, x->count, bool), function = true;
    *vector = ARENA_ARRAY(arena, x->count, double);
    uint32_t count = 0;
    for (size_t r = 0; r < rows->row_count && function; r++) {
        uint32_t at = rows->level[2 * r];
        double value = feature_number(f->levels[rows->level[2 * r + 1]]);
        /* Values that differ by the order of sums alone are one. */
        function = !seen[at] || numbers_near(value, (*vector)[at]);
        count += !seen[at];
        if (!seen[at]) (*vector)[at] = value;
        seen[at] = true;
    }
    *complete = count == x->count;
    return function;
}

bool function_vector(Lower *lower, NodeId variable, NodeId node, double **vector, bool *complete) {
    Rows rows;
    return function_rows(lower, variable, node, NULL, &rows) &&
           function_of_rows(lower, variable, node, &rows, vector, complete);
}

/* A column of an embedding, unless the columns there are already express the function. */
static Form embed(Lower *lower, Space *space, Origin origin, NodeId node, const double *vector) {
    Form form;
    if (space_solve(space, vector, &form)) return form;
    uint32_t part = add_part(lower, (Part){.origin = origin, .node = node, .vector = vector});
    form = form_part(part, lower->arena);
    space_add(space, vector, form);
    return form;
}

static bool embed_token(Lower *lower, NodeId node, NodeId tokens, Form *form) {
    double *vector;
    bool complete;
    if (!function_vector(lower, tokens, node, &vector, &complete)) return false;
    *form = embed(lower, lower->token_space, FROM_TOKEN, node, vector);
    return true;
}

static bool embed_position(Lower *lower, NodeId node, Form *form) {
    const NodeValues *v = values_of(lower->values, node);
    uint32_t longest = values_domain(lower->values)->max_length;
    double *vector = ARENA_ARRAY(lower->arena, longest, double);
    for (uint32_t i = 0; i < longest; i++)
        for (uint32_t n = i + 1; n <= longest; n++) {
            uint32_t count;
            const uint32_t *member = values_set(lower->values, v->sets[context_of(n, i)], &count);
            if (count) vector[i] = feature_number(v->levels[member[0]]);
        }
    *form = embed(lower, lower->position_space, FROM_POSITION, node, vector);
    return true;
}

/* --- heads ------------------------------------------------------------------------------ */

/* The score of a selector, made once with the sink and once without; NULL on failure. */
static const Score *score_of(Lower *lower, NodeId selector, bool sink) {
    size_t at = 2 * (size_t)selector + sink;
    lower->score = arena_grow(lower->arena, lower->score, &lower->score_capacity, at + 1,
                              sizeof *lower->score);
    if (lower->score[at]) return lower->score[at];
    Score *score = ARENA_NEW(lower->arena, Score);
    if (!score_build(lower, selector, sink, score)) return NULL;
    lower->score = arena_grow(lower->arena, lower->score, &lower->score_capacity, at + 1,
                              sizeof *lower->score);
    return lower->score[at] = score;
}

static HeadPlan *head_at(Lower *lower, NodeId selector, HeadKind kind, const Score *score,
                         uint32_t layer) {
    for (size_t k = 0; k < lower->head_count; k++) {
        HeadPlan *head = lower->head[k];
        if (head->selector == selector && head->kind == kind && head->layer == layer) return head;
    }
    HeadPlan *head = ARENA_NEW(lower->arena, HeadPlan);
    *head = (HeadPlan){.selector = selector, .kind = kind, .layer = layer, .score = score};
    const SelectorFacts *facts = values_selector(lower->values, selector);
    head->moves = facts->at_most_one;
    lower->head = arena_grow(lower->arena, lower->head, &lower->head_capacity,
                             lower->head_count + 1, sizeof *lower->head);
    lower->head[lower->head_count++] = head;
    return head;
}

static bool same_form(Form a, Form b) {
    if (a.count != b.count || a.constant != b.constant) return false;
    for (uint32_t k = 0; k < a.count; k++)
        if (a.terms[k].part != b.terms[k].part || a.terms[k].factor != b.terms[k].factor)
            return false;
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

bool attend(Lower *lower, NodeId node, NodeId selector, HeadKind kind, Form value, double fallback,
            Form *form) {
    const Score *score = score_of(lower, selector, kind != HEAD_PLAIN);
    if (!score) return false;
    uint32_t layer = 1 + larger(score->layer, lower_stage(lower, value).layer), number = 0;
    HeadPlan *head = head_at(lower, selector, kind, score, layer);
    while (lower->head[number] != head) number++;
    for (size_t k = 0; k < head->component_count; k++) {
        const Component *c = &head->components[k];
        if (!same_form(c->value, value) || c->fallback != fallback) continue;
        *form = form_part(c->part, lower->arena);
        return true;
    }
    head->components = arena_grow(lower->arena, head->components, &head->component_capacity,
                                  head->component_count + 1, sizeof *head->components);
    uint32_t part = add_part(lower, (Part){.origin = FROM_HEAD,
                                           .node = node,
                                           .stage = {layer, 0},
                                           .owner = number,
                                           .column = (uint32_t)head->component_count});
    head->components[head->component_count++] = (Component){value, fallback, part, node};
    *form = form_part(part, lower->arena);
    return true;
}

static bool feature_aggregate(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    NodeId selector = graph_node(graph, id)->arg[0], value = graph_node(graph, id)->arg[1];
    Atom fallback = graph_node(graph, id)->atom;
    const SelectorFacts *facts = values_selector(lower->values, selector);
    if (!facts) return lower_fail_values(lower);
    Form of_value;
    if (!lower_feature(lower, value, &of_value)) return false;
    HeadKind kind = facts->never_empty ? HEAD_PLAIN : HEAD_DEFAULT;
    double number = kind == HEAD_PLAIN ? 0 : feature_number(fallback);
    return attend(lower, id, selector, kind, of_value, number, form);
}

/* A function of one moved value, moved itself. */
static bool feature_moved(Lower *lower, NodeId id, NodeId source, Form *form) {
    lower->moved_space = arena_grow(lower->arena, lower->moved_space, &lower->moved_capacity,
                                    (size_t)source + 1, sizeof *lower->moved_space);
    double *vector;
    bool complete;
    if (!function_vector(lower, source, id, &vector, &complete)) return false;
    const NodeValues *moved = values_of(lower->values, source);
    Space *space = lower->moved_space[source];
    if (!space) space = lower->moved_space[source] = space_new(lower->arena, moved->count);
    if (space_solve(space, vector, form)) return true;

    Graph *graph = values_graph(lower->values);
    NodeId selector = graph_node(graph, source)->arg[0], value = graph_node(graph, source)->arg[1];
    Atom fallback = graph_node(graph, source)->atom;
    const NodeValues *v = values_of(lower->values, value);
    double *image = ARENA_ARRAY(lower->arena, v->count, double), image_fallback = 0;
    for (uint32_t m = 0; m < moved->count; m++) {
        if (atom_equal(moved->levels[m], fallback)) image_fallback = vector[m];
        for (uint32_t k = 0; k < v->count; k++)
            if (atom_equal(moved->levels[m], v->levels[k])) image[k] = vector[m];
    }
    NodeId coded = lower_code(lower, value, image);
    NodeId node = graph_aggregate(graph, selector, coded, number_atom(image_fallback),
                                  graph_node(graph, id)->span);
    values_declare_moves(lower->values, node);
    const NodeValues *nv = values_of(lower->values, node);
    if (!nv) return lower_fail_values(lower);
    if (nv->count == 1)
        *form = form_constant(feature_number(nv->levels[0]));
    else if (!feature_aggregate(lower, node, form))
        return false;
    space_add(space, vector, *form);
    return true;
}

/* A number for a level of a mean's result: numbers stand for themselves, others (the default,
 * values of inputs on which nothing is averaged) for numbers below all of them. */
static double mixed_number(const NodeValues *result, double lowest, Atom value) {
    if (atom_is_number(value)) return feature_number(value);
    for (uint32_t k = 0; k < result->count; k++)
        if (atom_equal(result->levels[k], value)) return lowest - 1 - k;
    return lowest - 1 - result->count; /* never a result */
}

/* A function of a mean that is not always a number: what is none travels as one, and the
 * function is looked up by that. */
static bool feature_mixed(Lower *lower, NodeId id, NodeId source, Form *form) {
    Graph *graph = values_graph(lower->values);
    Node node = *graph_node(graph, source);
    const NodeValues *v = values_of(lower->values, source);
    const NodeValues *value = values_of(lower->values, node.arg[1]);
    double *vector, lowest = 0;
    bool complete;
    if (!function_vector(lower, source, id, &vector, &complete)) return false;
    for (uint32_t k = 0; k < v->count; k++)
        if (atom_is_number(v->levels[k]))
            lowest = fmin(lowest, floor(feature_number(v->levels[k])));
    Atom *key = ARENA_ARRAY(lower->arena, v->count, Atom);
    Atom *image = ARENA_ARRAY(lower->arena, v->count, Atom);
    for (uint32_t k = 0; k < v->count; k++) {
        key[k] = number_atom(mixed_number(v, lowest, v->levels[k]));
        image[k] = number_atom(vector[k]);
    }
    double *number = ARENA_ARRAY(lower->arena, value->count, double);
    for (uint32_t k = 0; k < value->count; k++)
        number[k] = mixed_number(v, lowest, value->levels[k]);
    NodeId mean = graph_aggregate(graph, node.arg[0], lower_code(lower, node.arg[1], number),
                                  number_atom(mixed_number(v, lowest, node.atom)), node.span);
    const Lookup *lookup = lookup_new(graph_arena(graph), LOOKUP_DICT, key, image, v->count);
    return lower_feature(lower, graph_lookup(graph, lookup, mean, node.span), form);
}

/* --- scans ------------------------------------------------------------------------------ */

ScanPlan *scan_of(Lower *lower, Cover cover) {
    for (size_t k = 0; k < lower->scan_count; k++)
        if (same_form(lower->scan[k]->form, cover.form)) return lower->scan[k];
    ScanPlan *scan = ARENA_NEW(lower->arena, ScanPlan);
    *scan = (ScanPlan){.x = cover.x, .form = cover.form, .stage = lower_stage(lower, cover.form)};
    scan->stage.step++;
    const NodeValues *x = values_of(lower->values, cover.x);
    scan->space = space_new(lower->arena, x ? x->count : 1);
    lower->scan = arena_grow(lower->arena, lower->scan, &lower->scan_capacity,
                             lower->scan_count + 1, sizeof *lower->scan);
    return lower->scan[lower->scan_count++] = scan;
}

typedef struct Point {
    double x, value;
} Point;

static int by_x(const void *a, const void *b) {
    double x = ((const Point *)a)->x, y = ((const Point *)b)->x;
    return (x > y) - (x < y);
}

static uint32_t scan_number(const Lower *lower, const ScanPlan *scan) {
    uint32_t number = 0;
    while (lower->scan[number] != scan) number++;
    return number;
}

Form add_scan_output(Lower *lower, ScanPlan *scan, ScanOutput output) {
    output.part = add_part(lower, (Part){.origin = FROM_SCAN,
                                         .node = output.node,
                                         .stage = scan->stage,
                                         .owner = scan_number(lower, scan),
                                         .column = (uint32_t)scan->output_count});
    scan->outputs = arena_grow(lower->arena, scan->outputs, &scan->output_capacity,
                               scan->output_count + 1, sizeof output);
    scan->outputs[scan->output_count++] = output;
    return form_part(output.part, lower->arena);
}

static bool feature_scan(Lower *lower, NodeId id, Form *form) {
    Cover cover;
    if (!lower_cover(lower, id, &cover)) return false;
    ScanPlan *scan = scan_of(lower, cover);
    double *vector;
    bool complete;
    Rows rows;
    /* Another feature's scan of the same form may go by another node with the same values. */
    bool same_node = scan->x == cover.x;
    if (!function_rows(lower, cover.x, id, &cover, &rows)) return false;
    if (!function_of_rows(lower, cover.x, id, &rows, &vector, &complete))
        return lower_fail(lower, id, "internal: not a function of what is scanned");
    if (same_node && complete && space_solve(scan->space, vector, form)) return true;
    const NodeValues *xs = values_of(lower->values, cover.x);
    ScanOutput output = {.node = id};
    Point *point = ARENA_ARRAY(lower->arena, rows.row_count, Point);
    bool *seen = ARENA_ARRAY(lower->arena, xs->count, bool);
    for (size_t r = 0; r < rows.row_count; r++) {
        uint32_t at = rows.level[2 * r];
        if (seen[at]) continue;
        seen[at] = true;
        point[output.points++] = (Point){feature_number(xs->levels[at]), vector[at]};
    }
    qsort(point, output.points, sizeof *point, by_x);
    double *x = ARENA_ARRAY(lower->arena, output.points, double);
    double *value = ARENA_ARRAY(lower->arena, output.points, double);
    for (uint32_t k = 0; k < output.points; k++) x[k] = point[k].x, value[k] = point[k].value;
    output.x = x;
    output.value = value;
    *form = add_scan_output(lower, scan, output);
    if (same_node && complete) space_add(scan->space, vector, *form);
    return true;
}

/* --- the rules, in order ---------------------------------------------------------------- */

/* The one argument that is not constant, or NODE_NONE. */
static NodeId only_argument(const Graph *graph, const Node *node) {
    NodeId only = NODE_NONE;
    for (int k = 0; k < node->arity; k++) {
        if (graph_node(graph, node->arg[k])->kind == NODE_CONSTANT || node->arg[k] == only)
            continue;
        if (only != NODE_NONE) return NODE_NONE;
        only = node->arg[k];
    }
    return only;
}

/* f = a * argument + b on all its values. */
static bool feature_affine(Lower *lower, NodeId id, Form *form) {
    const Graph *graph = values_graph(lower->values);
    const Node *node = graph_node(graph, id);
    if (node->kind != NODE_MAP && node->kind != NODE_LOOKUP) return false;
    NodeId argument = only_argument(graph, node);
    if (argument == NODE_NONE) return false;
    const NodeValues *v = values_of(lower->values, argument);
    if (!v || !values_numeric(v) || v->count < 2) return false;
    double *vector;
    bool complete;
    if (!function_vector(lower, argument, id, &vector, &complete) || !complete) return false;
    double x0 = feature_number(v->levels[0]), x1 = feature_number(v->levels[1]);
    double a = (vector[1] - vector[0]) / (x1 - x0), b = vector[0] - a * x0;
    if (!isfinite(a) || !isfinite(b) || a == 0) return false;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = feature_number(v->levels[k]), error = fabs(a * x + b - vector[k]);
        if (!(error <= 1e-14 * (fabs(a * x) + fabs(b) + fabs(vector[k])))) return false;
    }
    Form of_argument;
    if (!lower_feature(lower, argument, &of_argument)) return false;
    *form = form_affine(of_argument, a, b, lower->arena);
    return true;
}

static bool numeric_node(Lower *lower, NodeId id) {
    const NodeValues *v = values_of(lower->values, id);
    return v && values_numeric(v);
}

/* Sums, differences and multiples of numbers, where that is no dearer than a table. */
static bool feature_sum(Lower *lower, NodeId id, Form *form) {
    const Node *node = graph_node(values_graph(lower->values), id);
    if (node->kind != NODE_MAP || (node->op != OP_ADD && node->op != OP_SUB)) return false;
    NodeId a = node->arg[0], b = node->arg[1];
    double sign = node->op == OP_ADD ? 1 : -1;
    if (!numeric_node(lower, a) || !numeric_node(lower, b)) return false;
    Form of_a, of_b;
    if (!lower_feature(lower, a, &of_a) || !lower_feature(lower, b, &of_b)) return false;
    *form = form_sum(of_a, 1, of_b, sign, lower->arena);
    return true;
}

/* `a if c else b` of numbers is b + (a - b if c else 0): one gate instead of a table. */
static bool feature_choice(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    const Node *node = graph_node(graph, id);
    if (node->kind != NODE_MAP || node->op != OP_IF) return false;
    NodeId c = node->arg[0], a = node->arg[1], b = node->arg[2];
    Span span = node->span;
    if (graph_node(graph, b)->kind == NODE_CONSTANT) return false;
    if (!numeric_node(lower, a) || !numeric_node(lower, b)) return false;
    NodeId zero = graph_constant(graph, atom_int(0), SPAN_NONE);
    NodeId difference = graph_map(graph, OP_SUB, (NodeId[]){a, b}, span);
    NodeId gated = graph_map(graph, OP_IF, (NodeId[]){c, difference, zero}, span);
    if (!values_of(lower->values, gated)) return false;
    NodeId sum = graph_map(graph, OP_ADD, (NodeId[]){b, gated}, span);
    if (lower_cost(lower, b) + lower_cost(lower, gated) >= lower_cost(lower, id)) return false;
    return lower_feature(lower, sum, form);
}

static bool make_feature(Lower *lower, NodeId id, Form *form) {
    Graph *graph = values_graph(lower->values);
    const NodeValues *v = values_of(lower->values, id);
    if (!v) return lower_fail_values(lower);
    if (v->count <= 1) {
        *form = form_constant(v->count ? feature_number(v->levels[0]) : 0);
        return true;
    }
    NodeId source = v->source_count == 1 ? v->sources[0] : NODE_NONE;
    NodeKind kind = source == NODE_NONE ? NODE_CONSTANT : graph_node(graph, source)->kind;
    if (kind == NODE_TOKENS) return embed_token(lower, id, source, form);
    if (values_by_position(lower->values, id)) return embed_position(lower, id, form);
    if (kind == NODE_WIDTH && reciprocal_of(lower, id) == source)
        return attend(lower, id, graph_node(graph, source)->arg[0], HEAD_COUNT, form_constant(0), 1,
                      form);
    if (feature_affine(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    if (kind == NODE_AGGREGATE && id == source) return feature_aggregate(lower, id, form);
    if (kind == NODE_AGGREGATE && values_moves(lower->values, source))
        return feature_moved(lower, id, source, form);
    if (kind == NODE_AGGREGATE && !values_numeric(values_of(lower->values, source)))
        return feature_mixed(lower, id, source, form);
    if (kind == NODE_WIDTH && feature_width(lower, id, source, form)) return true;
    if (feature_sum(lower, id, form)) return true;
    if (feature_choice(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    if (feature_sign(lower, id, form)) return true;
    if (lower->error.message[0]) return false;
    return feature_scan(lower, id, form);
}

bool lower_is_known(const Lower *lower, NodeId id) {
    return id < lower->feature_capacity && lower->feature[id].known;
}

bool lower_feature(Lower *lower, NodeId id, Form *form) {
    lower->feature = arena_grow(lower->arena, lower->feature, &lower->feature_capacity,
                                (size_t)id + 1, sizeof *lower->feature);
    if (!lower->feature[id].known) {
        Form made = form_constant(0);
        budget_poll(arena_budget(lower->arena));
        if (lower->error.message[0]) return false;
        if (lower->nesting >= MAX_NESTING)
            return lower_fail(lower, id, "expression too deep: more than %d tables in one another",
                              MAX_NESTING);
        lower->nesting++;
        bool done = make_feature(lower, id, &made);
        lower->nesting--;
        if (!done) return false;
        lower->feature = arena_grow(lower->arena, lower->feature, &lower->feature_capacity,
                                    (size_t)id + 1, sizeof *lower->feature);
        lower->feature[id] = (Feature){.known = true, .form = made};
    }
    *form = lower->feature[id].form;
    return true;
}
