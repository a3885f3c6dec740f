/* S-ops under names that the rules can compare.
 *
 * What attention moves is often a code of what the program moves: with G a function of numbers,
 * aggregate(s, G(u), G(d)) is G(aggregate(s, u, d)) wherever a row's selected values are equal.
 * Under its second name an s-op's values go together with those of the program's. */
#include "compile/prove/judge_private.h"

#include "compile/values/formula.h"

/* --- what follows from what ----------------------------------------------------------- */

static bool listed(const NodeId *list, uint32_t count, NodeId node) {
    for (uint32_t k = 0; k < count; k++)
        if (list[k] == node) return true;
    return false;
}

typedef struct Walk {
    Judge *j;
    const NodeId *basis;
    uint32_t count;
    signed char *seen; /* by node: 1 follows, -1 does not */
} Walk;

static bool fixed(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    return v && (v->count == 0 || (v->count == 1 && kind_is_single(v->kinds[0])));
}

static bool follows(Walk *w, NodeId node) {
    if (w->seen[node]) return w->seen[node] > 0;
    const Node *n = graph_node(w->j->graph, node);
    bool done = listed(w->basis, w->count, node) || n->kind == NODE_CONSTANT;
    if (!done && n->kind == NODE_TOKENS && n->tokens != TOKENS_ASIS) {
        NodeId tokens = graph_tokens(w->j->graph, TOKENS_ASIS, SPAN_NONE);
        done = listed(w->basis, w->count, tokens);
    } else if (!done && is_elementwise(w->j, node)) {
        Node copy = *n;
        done = true;
        for (int k = 0; k < copy.arity && done; k++) done = follows(w, copy.arg[k]);
    }
    done = done || fixed(w->j, node);
    w->seen[node] = done ? 1 : -1;
    return done;
}

bool node_follows(Judge *j, NodeId node, const NodeId *basis, uint32_t count) {
    Arena *scratch = arena_child(j->arena);
    Walk walk = {j, basis, count, ARENA_ARRAY(scratch, (size_t)node + 1, signed char)};
    bool done = follows(&walk, node);
    arena_free(scratch);
    return done;
}

bool node_depends(Judge *j, NodeId node, const NodeId *on, uint32_t count) {
    const NodeValues *v = values_of(j->values, node);
    for (uint32_t s = 0; v && s < v->source_count; s++) {
        bool found = false;
        for (uint32_t k = 0; k < count && !found; k++) {
            const NodeValues *u = values_of(j->values, on[k]);
            found =
                on[k] == v->sources[s] || (u && listed(u->sources, u->source_count, v->sources[s]));
        }
        if (!found) return false;
    }
    return v != NULL;
}

/* --- codes ---------------------------------------------------------------------------- */

static Atom number_atom(double x) {
    bool whole = x == trunc(x) && fabs(x) < 0x1p53 && !(x == 0 && signbit(x));
    return whole ? atom_int((int64_t)x) : atom_float(x);
}

NodeId node_coded(Judge *j, NodeId node, const double *number) {
    const NodeValues *v = values_of(j->values, node);
    Atom *image = ARENA_ARRAY(j->arena, v->count, Atom);
    bool same = true;
    for (uint32_t k = 0; k < v->count; k++) {
        image[k] = number_atom(number[k]);
        same &= level_number(v, k) == number[k];
    }
    if (same) return node;
    const Lookup *lookup =
        lookup_new(graph_arena(j->graph), LOOKUP_DICT, v->levels, image, v->count);
    return graph_lookup(j->graph, lookup, node, graph_node(j->graph, node)->span);
}

/* --- what is moved -------------------------------------------------------------------- */

/* image[level of u] = the number that w has there; false: w is no function of u. */
static bool function_of(Judge *j, NodeId u, NodeId w, double *image) {
    Rows rows;
    const NodeValues *v = values_of(j->values, u), *f = values_of(j->values, w);
    if (!v || !f || !joint_rows(j, (NodeId[]){u, w}, 2, &rows)) return false;
    for (uint32_t k = 0; k < v->count; k++) image[k] = NAN;
    for (size_t r = 0; r < rows.row_count; r++) {
        double *at = &image[rows.level[2 * r]], x = level_number(f, rows.level[2 * r + 1]);
        if (isnan(x) || (!isnan(*at) && *at != x)) return false;
        *at = x;
    }
    return true;
}

/* G on one value of the aggregate `a` of u: NAN where that is not told, or told twice. */
static double moved_number(Judge *j, const Node *a, const double *image, Atom value,
                           double fallback, bool moves, bool empty) {
    const NodeValues *u = values_of(j->values, a->arg[1]);
    double number = NAN;
    for (uint32_t k = 0; k < u->count; k++)
        if (atom_equal(u->levels[k], value)) number = image[k];
    if (!moves && number_is_exact(value)) { /* a mean: G must leave numbers alone */
        for (uint32_t k = 0; k < u->count; k++)
            if (u->levels[k].kind != ATOM_STRING && image[k] != level_number(u, k)) return NAN;
        number = atom_double(value);
    }
    if (!empty || !atom_equal(a->atom, value)) return number;
    return isnan(number) || number == fallback ? fallback : NAN;
}

/* `m` as a function of the program's aggregate `id`, or NODE_NONE. */
static NodeId moved_name(Judge *j, const Node *m, NodeId id) {
    Node a = *graph_node(j->graph, id);
    const NodeValues *v = values_of(j->values, id), *u = values_of(j->values, a.arg[1]);
    const SelectorFacts *facts = values_selector(j->values, a.arg[0]);
    if (!v || !u || !facts || !number_is_exact(m->atom)) return NODE_NONE;
    double *image = ARENA_ARRAY(j->arena, u->count, double);
    double *number = ARENA_ARRAY(j->arena, v->count, double);
    if (!function_of(j, a.arg[1], m->arg[1], image)) return NODE_NONE;
    bool moves = values_moves(j->values, id);
    for (uint32_t k = 0; k < v->count; k++) {
        number[k] = moved_number(j, &a, image, v->levels[k], atom_double(m->atom), moves,
                                 !facts->never_empty);
        if (isnan(number[k])) return NODE_NONE;
    }
    return node_coded(j, id, number);
}

static bool is_coded(const Judge *j, NodeId w, NodeId u) {
    const Node *n = graph_node(j->graph, w);
    return w == u || (n->kind == NODE_LOOKUP && n->arg[0] == u);
}

static bool is_below(const Judge *j, NodeId node) {
    return node < j->below_count && j->below[node];
}

static bool is_claimed(const Judge *j, NodeId node) {
    for (uint32_t h = 0; h < j->claims->head_count; h++)
        for (uint32_t c = 0; c < j->claims->heads[h].component_count; c++)
            if (j->claims->heads[h].components[c].node == node) return true;
    return false;
}

/* An aggregate of the program's that differs in its default alone, where that is never taken. */
static NodeId first_alike(Judge *j, NodeId node, const Node *m) {
    const SelectorFacts *facts = values_selector(j->values, m->arg[0]);
    for (NodeId id = 0; facts && facts->never_empty && id < node; id++) {
        const Node *a = graph_node(j->graph, id);
        if (j->below[id] && a->kind == NODE_AGGREGATE && a->arg[0] == m->arg[0] &&
            a->arg[1] == m->arg[1])
            return id;
    }
    return node;
}

/* The aggregates that it may be a function of: the program's, then those that heads are claimed to
 * give; first those of what `node` moves a code of. */
static NodeId name_aggregate(Judge *j, NodeId node) {
    Node m = *graph_node(j->graph, node);
    if (is_below(j, node)) return first_alike(j, node, &m);
    m.arg[1] = judge_name(j, m.arg[1]);
    for (int round = 0; round < 4; round++) {
        bool program = round < 2, coded = round % 2 == 0;
        NodeId most = program ? j->below_count : node;
        for (NodeId id = 0; id < most; id++) {
            const Node *a = graph_node(j->graph, id);
            if (a->kind != NODE_AGGREGATE || a->arg[0] != m.arg[0]) continue;
            if (program ? !j->below[id] : is_below(j, id) || !is_claimed(j, id)) continue;
            if (is_coded(j, m.arg[1], a->arg[1]) != coded) continue;
            NodeId name = moved_name(j, &m, id);
            if (name == NODE_NONE) continue;
            if (values_moves(j->values, id)) values_declare_moves(j->values, node);
            return program ? name : judge_name(j, name);
        }
    }
    return node;
}

/* --- whether a union selects anything ------------------------------------------------- */

static bool has_head(const Judge *j, NodeId selector) {
    for (uint32_t h = 0; h < j->claims->head_count; h++)
        if (j->claims->heads[h].selector == selector) return true;
    return false;
}

static NodeId focus(Judge *j, NodeId selector) {
    NodeId zero = graph_constant(j->graph, atom_int(0), SPAN_NONE);
    NodeId width = graph_width(j->graph, selector, SPAN_NONE);
    NodeId some = graph_map(j->graph, OP_GT, (NodeId[]){width, zero}, SPAN_NONE);
    return judge_name(j, some);
}

/* `R and (A or B)` as the two selectors `R and A` and `R and B`; false: it is no such. */
static bool split_union(Judge *j, NodeId selector, NodeId part[2]) {
    Literals conjuncts = selector_conjuncts(j->graph, selector, j->arena);
    NodeId either = NODE_NONE, rest = NODE_NONE;
    for (uint32_t k = 0; k < conjuncts.count; k++) {
        NodeId c = conjuncts.select[k];
        if (either == NODE_NONE && graph_node(j->graph, c)->kind == NODE_OR)
            either = c;
        else
            rest = rest == NODE_NONE ? c : graph_and(j->graph, rest, c, SPAN_NONE);
    }
    if (either == NODE_NONE) return false;
    for (int k = 0; k < 2; k++) {
        part[k] = graph_node(j->graph, either)->arg[k];
        if (rest != NODE_NONE) part[k] = graph_and(j->graph, rest, part[k], SPAN_NONE);
    }
    return true;
}

/* A function of whether a union selects something, where no head looks at the union itself: of
 * whether one of its two selectors does. */
static NodeId name_union(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    if (!v || v->source_count != 1 || !values_numeric(v)) return node;
    NodeId width = v->sources[0];
    Node w = *graph_node(j->graph, width);
    if (width == node || w.kind != NODE_WIDTH || has_head(j, w.arg[0])) return node;
    NodeId part[2];
    if (!split_union(j, w.arg[0], part)) return node;
    const NodeValues *widths = values_of(j->values, width);
    double *image = ARENA_ARRAY(j->arena, widths->count, double), number[2] = {NAN, NAN};
    if (!function_of(j, width, node, image)) return node;
    for (uint32_t k = 0; k < widths->count; k++) {
        double *at = &number[level_number(widths, k) > 0];
        if (!isnan(*at) && *at != image[k]) return node;
        *at = image[k];
    }
    NodeId some[2] = {focus(j, part[0]), focus(j, part[1])};
    NodeId any = graph_map(j->graph, OP_OR, some, SPAN_NONE);
    const NodeValues *levels = values_of(j->values, any);
    if (!levels) return node;
    double *coded = ARENA_ARRAY(j->arena, levels->count, double);
    for (uint32_t k = 0; k < levels->count; k++) coded[k] = number[level_number(levels, k) > 0];
    return node_coded(j, any, coded);
}

/* --- functions of the position -------------------------------------------------------- */

/* What attention gives that has one value at each position: looked up by it. */
static NodeId name_position(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    if (!v || v->count < 2 || !values_single_kinds(v) || !values_by_position(j->values, node))
        return node;
    uint32_t longest = j->claims->domain.max_length, count;
    Atom *key = ARENA_ARRAY(j->arena, longest, Atom), *image = ARENA_ARRAY(j->arena, longest, Atom);
    for (uint32_t i = 0; i < longest; i++) {
        key[i] = atom_int(i);
        image[i] = v->levels[0]; /* where there is none */
        for (uint32_t n = i + 1; n <= longest; n++) {
            const uint32_t *member = values_set(j->values, v->sets[context_of(n, i)], &count);
            if (count) image[i] = v->levels[member[0]];
        }
    }
    const Lookup *lookup = lookup_new(graph_arena(j->graph), LOOKUP_DICT, key, image, longest);
    return graph_lookup(j->graph, lookup, graph_indices(j->graph, SPAN_NONE), SPAN_NONE);
}

/* --- means that count ------------------------------------------------------------------ */

/* A number that a mean tells which is 1/w, where no head gives that: told by the width. */
static NodeId name_counted(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    NodeId mean = v && v->source_count == 1 && values_numeric(v) ? v->sources[0] : node;
    Node n = *graph_node(j->graph, mean);
    if (n.kind != NODE_AGGREGATE || has_head(j, n.arg[0]) || !values_counted(j->values, mean))
        return node;
    NodeId width = graph_width(j->graph, n.arg[0], n.span);
    const NodeValues *w = values_of(j->values, width), *m = values_of(j->values, mean);
    if (!w) return node;
    double *image = ARENA_ARRAY(j->arena, m->count, double);
    double *number = ARENA_ARRAY(j->arena, w->count, double);
    if (!function_of(j, mean, node, image)) return node;
    for (uint32_t k = 0; k < w->count; k++)
        for (uint32_t r = 0; r < m->count; r++)
            if (level_number(m, r) == 1 / level_number(w, k)) number[k] = image[r];
    return judge_name(j, node_coded(j, width, number));
}

NodeId node_by_width(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    if (!v || v->source_count != 1 || v->sources[0] == node) return node;
    NodeId width = v->sources[0];
    const NodeValues *w = values_of(j->values, width);
    if (graph_node(j->graph, width)->kind != NODE_WIDTH || !w) return node;
    double *image = ARENA_ARRAY(j->arena, w->count, double);
    return function_of(j, width, node, image) ? node_coded(j, width, image) : node;
}

/* --- names ---------------------------------------------------------------------------- */

static NodeId name_elementwise(Judge *j, NodeId node) {
    Node n = *graph_node(j->graph, node);
    bool changed = false;
    for (int k = 0; k < n.arity; k++) {
        NodeId arg = judge_name(j, n.arg[k]);
        changed |= arg != n.arg[k];
        n.arg[k] = arg;
    }
    if (changed)
        node = n.kind == NODE_MAP ? graph_map(j->graph, n.op, n.arg, n.span)
                                  : graph_lookup(j->graph, n.lookup, n.arg[0], n.span);
    return name_union(j, node);
}

NodeId judge_name(Judge *j, NodeId node) {
    if (node < j->name_count && j->name[node]) return j->name[node] - 1;
    NodeKind kind = graph_node(j->graph, node)->kind;
    NodeId name = node;
    budget_poll(arena_budget(j->arena));
    if (kind == NODE_AGGREGATE || kind == NODE_WIDTH) name = name_position(j, node);
    if (kind == NODE_AGGREGATE && name == node) name = name_counted(j, node);
    if (kind == NODE_AGGREGATE && name == node) name = name_aggregate(j, node);
    if (kind == NODE_WIDTH && name == node && !has_head(j, graph_node(j->graph, node)->arg[0])) {
        NodeId alike = width_alike(j, node);
        if (alike != node) name = judge_name(j, alike);
    }
    if (is_elementwise(j, node)) {
        name = name_counted(j, node);
        if (name == node) name = name_elementwise(j, node);
    }
    j->name = arena_grow(j->arena, j->name, &j->name_count, (size_t)node + 1, sizeof *j->name);
    j->name[node] = name + 1;
    return name;
}
