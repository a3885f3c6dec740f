#include "compile/flags.h"

#include "compile/pairs.h"
#include "graph/token.h"

#include <string.h>

typedef struct Flags {
    Total *total;
    Values *values;
    Graph *graph;
    Arena *arena;
    NodeId *safe;      /* by node; of those needed */
    NodeId *condition; /* by node: where it fails, or NODE_NONE */
    NodeId *mixes;     /* by node: its values are not of one kind, the same everywhere; or NONE */
    TupleMap *kinds;   /* node and kind -> is_kind's condition */
    FlagsError *error;
} Flags;

static const char equal_kinds[] = "it may be an int, a float or a bool of equal value";

static bool refuse(Flags *f, NodeId node, const char *message) {
    *f->error = (FlagsError){node, message};
    return false;
}

/* --- small graphs ----------------------------------------------------------------------- */

static NodeId constant(Flags *f, Atom atom) {
    return graph_constant(f->graph, atom, SPAN_NONE);
}

static NodeId truth(Flags *f, bool value) {
    return constant(f, atom_bool(value));
}

static bool is_truth(const Flags *f, NodeId id, bool value) {
    const Node *node = graph_node(f->graph, id);
    return node->kind == NODE_CONSTANT && node->atom.kind == ATOM_BOOL && node->atom.b == value;
}

static NodeId map2(Flags *f, OpId op, NodeId a, NodeId b) {
    return graph_map(f->graph, op, (NodeId[]){a, b}, SPAN_NONE);
}

static NodeId both(Flags *f, NodeId a, NodeId b) {
    if (is_truth(f, a, true) || is_truth(f, b, false)) return b;
    return is_truth(f, b, true) || is_truth(f, a, false) ? a : map2(f, OP_AND, a, b);
}

/* NODE_NONE is false too. */
static NodeId either(Flags *f, NodeId a, NodeId b) {
    if (a == NODE_NONE || (b != NODE_NONE && is_truth(f, a, false))) return b;
    if (b == NODE_NONE || is_truth(f, b, false) || is_truth(f, a, true)) return a;
    return is_truth(f, b, true) ? b : map2(f, OP_OR, a, b);
}

static NodeId negation(Flags *f, NodeId a) {
    if (is_truth(f, a, true) || is_truth(f, a, false)) return truth(f, is_truth(f, a, false));
    return graph_map(f->graph, OP_NOT, &a, SPAN_NONE);
}

static NodeId choice(Flags *f, NodeId condition, NodeId yes, NodeId no) {
    if (yes == no || is_truth(f, condition, true)) return yes;
    if (is_truth(f, condition, false)) return no;
    return graph_map(f->graph, OP_IF, (NodeId[]){condition, yes, no}, SPAN_NONE);
}

/* At how many positions the bool has that value. */
static NodeId count_where(Flags *f, NodeId sop, bool value) {
    NodeId selector = graph_select(f->graph, OP_EQ, sop, truth(f, value), SPAN_NONE);
    return graph_width(f->graph, selector, SPAN_NONE);
}

static NodeId somewhere(Flags *f, NodeId sop, bool value) {
    if (is_truth(f, sop, true) || is_truth(f, sop, false)) return truth(f, is_truth(f, sop, value));
    return map2(f, OP_GT, count_where(f, sop, value), constant(f, atom_int(0)));
}

/* --- by values -------------------------------------------------------------------------- */

/* A choice among the values of an s-op. */
typedef struct Picks {
    NodeId sop;
    const NodeValues *v;
    bool *picked;
    uint32_t count;
} Picks;

static bool picks_start(Flags *f, NodeId sop, Picks *picks) {
    *picks = (Picks){.sop = sop, .v = values_of(f->values, sop)};
    if (!picks->v) return refuse(f, sop, "it has too many values");
    picks->picked = ARENA_ARRAY(f->arena, picks->v->count + 1, bool);
    return true;
}

static void pick(Picks *picks, uint32_t level) {
    picks->count += !picks->picked[level];
    picks->picked[level] = true;
}

/* Is the value one of those? */
static NodeId picks_condition(Flags *f, const Picks *picks) {
    if (picks->count == 0 || picks->count == picks->v->count) return truth(f, picks->count > 0);
    Atom *keys = ARENA_ARRAY(f->arena, picks->count, Atom);
    uint32_t count = 0;
    for (uint32_t k = 0; k < picks->v->count; k++)
        if (picks->picked[k]) keys[count++] = picks->v->levels[k];
    const Lookup *set = lookup_new(graph_arena(f->graph), LOOKUP_SET, keys, NULL, count);
    return graph_lookup(f->graph, set, picks->sop, SPAN_NONE);
}

/* A function of the s-op's values. */
static NodeId dict_of(Flags *f, NodeId sop, const NodeValues *v, const Atom *result) {
    const Lookup *dict =
        lookup_new(graph_arena(f->graph), LOOKUP_DICT, v->levels, result, v->count);
    return graph_lookup(f->graph, dict, sop, SPAN_NONE);
}

static bool are_strings(Flags *f, NodeId sop, NodeId *condition) {
    Picks picks;
    if (!picks_start(f, sop, &picks)) return false;
    for (uint32_t k = 0; k < picks.v->count; k++)
        if (picks.v->levels[k].kind == ATOM_STRING) pick(&picks, k);
    *condition = picks_condition(f, &picks);
    return true;
}

/* --- kinds of numbers ------------------------------------------------------------------- */

/* An s-op that is true where the value of `id` is of the kind.  Values alone do not tell: True
 * is 1 and 1.0. */
static bool is_kind(Flags *f, NodeId id, AtomKind kind, NodeId *condition);

static bool kind_of_choice(Flags *f, const Node *node, AtomKind kind, NodeId *condition) {
    NodeId yes, no;
    if (!is_kind(f, node->arg[1], kind, &yes) || !is_kind(f, node->arg[2], kind, &no)) return false;
    *condition = choice(f, node->arg[0], yes, no);
    return true;
}

static bool kind_of_entry(Flags *f, const Node *node, AtomKind kind, NodeId *condition) {
    Picks picks;
    if (!picks_start(f, node->arg[0], &picks)) return false;
    for (uint32_t k = 0; k < picks.v->count; k++) {
        Atom value;
        if (lookup_eval(node->lookup, picks.v->levels[k], &value) == FAULT_NONE &&
            value.kind == kind)
            pick(&picks, k);
    }
    *condition = picks_condition(f, &picks);
    return true;
}

static bool kind_of_aggregate(Flags *f, const Node *node, AtomKind kind, NodeId *condition) {
    NodeId one, width = graph_width(f->graph, node->arg[0], SPAN_NONE), found = truth(f, false);
    if (!is_kind(f, node->arg[1], kind, &one)) return false;
    if (!is_truth(f, one, true) && !is_truth(f, one, false)) { /* an int, so that it may mix */
        one = graph_map(f->graph, OP_INDICATOR, &one, SPAN_NONE);
        one = graph_aggregate(f->graph, node->arg[0], one, atom_int(0), SPAN_NONE);
        one = map2(f, OP_EQ, one, constant(f, atom_int(1)));
    }
    if (node->atom.kind == kind) found = map2(f, OP_EQ, width, constant(f, atom_int(0)));
    found = either(f, found, both(f, map2(f, OP_EQ, width, constant(f, atom_int(1))), one));
    if (kind == ATOM_FLOAT)
        found = either(f, found, map2(f, OP_GT, width, constant(f, atom_int(1))));
    *condition = found;
    return true;
}

/* A float where an operand is. */
static bool kind_of_arithmetic(Flags *f, const Node *node, AtomKind kind, NodeId *condition) {
    NodeId a, b = NODE_NONE;
    if (kind != ATOM_FLOAT) return false;
    if (!is_kind(f, node->arg[0], kind, &a)) return false;
    if (node->arity > 1 && !is_kind(f, node->arg[1], kind, &b)) return false;
    *condition = either(f, a, b);
    return true;
}

static bool find_kind(Flags *f, NodeId id, AtomKind kind, NodeId *condition) {
    unsigned kinds = total_kinds(f->total, id);
    Node node = *graph_node(f->graph, id);
    if (!(kinds & (1u << kind)) || kinds == 1u << kind) {
        *condition = truth(f, kinds == 1u << kind);
        return true;
    }
    bool told = false;
    if (node.kind == NODE_LOOKUP)
        told = kind_of_entry(f, &node, kind, condition);
    else if (node.kind == NODE_AGGREGATE)
        told = kind_of_aggregate(f, &node, kind, condition);
    else if (node.kind == NODE_MAP && node.op == OP_IF)
        told = kind_of_choice(f, &node, kind, condition);
    else if (node.kind == NODE_MAP && node.op != OP_POW)
        told = kind_of_arithmetic(f, &node, kind, condition);
    return told || refuse(f, id, equal_kinds);
}

static bool is_kind(Flags *f, NodeId id, AtomKind kind, NodeId *condition) {
    bool found;
    uint32_t asked[] = {id, (uint32_t)kind};
    *condition = *tuple_map_at(f->kinds, asked, &found);
    if (found) return true;
    if (!find_kind(f, id, kind, condition)) return false;
    *tuple_map_at(f->kinds, asked, &found) = *condition;
    return true;
}

/* --- tokens and lookups ----------------------------------------------------------------- */

/* Values of a function; where it fails, one of the others. */
typedef struct Function {
    Picks fails;
    Atom *value;
} Function;

static bool finish_function(Flags *f, Function *g, NodeId *safe, NodeId *condition) {
    Atom filler = atom_int(0);
    for (uint32_t k = 0; k < g->fails.v->count; k++)
        if (!g->fails.picked[k]) filler = g->value[k];
    for (uint32_t k = 0; k < g->fails.v->count; k++)
        if (g->fails.picked[k]) g->value[k] = filler;
    *safe = dict_of(f, g->fails.sop, g->fails.v, g->value);
    *condition = picks_condition(f, &g->fails);
    return true;
}

static bool start_function(Flags *f, NodeId sop, Function *g) {
    if (!picks_start(f, sop, &g->fails)) return false;
    g->value = ARENA_ARRAY(f->arena, g->fails.v->count + 1, Atom);
    return true;
}

static bool make_tokens(Flags *f, const Node *node, NodeId *safe, NodeId *condition) {
    Function g;
    if (!start_function(f, graph_tokens(f->graph, TOKENS_ASIS, SPAN_NONE), &g)) return false;
    for (uint32_t k = 0; k < g.fails.v->count; k++)
        if (token_convert(node->tokens, g.fails.v->levels[k], graph_intern(f->graph),
                          &g.value[k]) != FAULT_NONE)
            pick(&g.fails, k);
    return finish_function(f, &g, safe, condition);
}

static bool make_lookup(Flags *f, const Node *node, NodeId *safe, NodeId *condition) {
    Function g;
    NodeId at = node->arg[0], is_float = truth(f, false);
    bool by_int = node->lookup->kind == LOOKUP_LIST || node->lookup->kind == LOOKUP_STRING;
    if (by_int && !is_kind(f, at, ATOM_FLOAT, &is_float)) return false;
    if (!start_function(f, at, &g)) return false;
    for (uint32_t k = 0; k < g.fails.v->count; k++)
        if (lookup_eval(node->lookup, g.fails.v->levels[k], &g.value[k]) != FAULT_NONE)
            pick(&g.fails, k);
    if (!finish_function(f, &g, safe, condition)) return false;
    *condition = either(f, *condition, is_float);
    return true;
}

/* --- operators -------------------------------------------------------------------------- */

/* The pair of classes as one number, and which numbers are bad. */
static NodeId pairs_condition(Flags *f, const Node *node, Pairs *p) {
    NodeId code = NODE_NONE;
    uint32_t bad = 0, a_count = p->class_count[0], b_count = p->class_count[1];
    Atom *keys = ARENA_ARRAY(f->arena, (size_t)a_count * b_count, Atom);
    for (uint32_t a = 0; a < a_count; a++)
        for (uint32_t b = 0; b < b_count; b++)
            if (pairs_cell(p, p->leader[0][a], p->leader[1][b]) == PAIR_FAILS)
                keys[bad++] = atom_int((int64_t)a * b_count + b);
    if (a_count > 1) {
        code = dict_of(f, node->arg[0], p->v[0], p->class[0]);
        if (b_count > 1) code = map2(f, OP_MUL, code, constant(f, atom_int(b_count)));
    }
    if (b_count > 1) {
        NodeId second = dict_of(f, node->arg[1], p->v[1], p->class[1]);
        code = code == NODE_NONE ? second : map2(f, OP_ADD, code, second);
    }
    if (code == NODE_NONE) return truth(f, bad > 0);
    const Lookup *set = lookup_new(graph_arena(f->graph), LOOKUP_SET, keys, NULL, bad);
    return graph_lookup(f->graph, set, code, SPAN_NONE);
}

/* A value of the second argument with which every first one is fine: divisors, mostly. */
static bool find_second(Flags *f, const Node *node, const Pairs *p, Atom *second) {
    for (uint32_t y = 0; node->arity == 2 && y < p->v[1]->count; y++) {
        bool fine = true;
        for (uint32_t x = 0; x < p->v[0]->count && fine; x++) {
            Atom args[2] = {p->v[0]->levels[x], p->v[1]->levels[y]}, result;
            fine = op_eval(node->op, args, graph_intern(f->graph), &result) == FAULT_NONE;
        }
        *second = p->v[1]->levels[y];
        if (fine) return true;
    }
    return false;
}

/* A string is repeated by an int, not by an equal float. */
static bool repeats_by_float(Flags *f, const Node *node, NodeId *condition) {
    for (int k = 0; k < 2; k++) {
        NodeId strings, floats;
        if (!are_strings(f, node->arg[k], &strings)) return false;
        if (is_truth(f, strings, false)) continue;
        if (!is_kind(f, node->arg[1 - k], ATOM_FLOAT, &floats)) return false;
        *condition = either(f, *condition, both(f, strings, floats));
    }
    return true;
}

/* The condition, where neither argument is a float. */
static bool without_floats(Flags *f, const Node *node, NodeId *condition) {
    for (int k = 0; k < node->arity; k++) {
        NodeId floats;
        if (!is_kind(f, node->arg[k], ATOM_FLOAT, &floats)) return false;
        *condition = both(f, *condition, negation(f, floats));
    }
    return true;
}

static bool make_map(Flags *f, NodeId id, const Node *node, NodeId *safe, NodeId *condition) {
    Pairs p = {0};
    Node with = *node;
    NodeId hidden = truth(f, false);
    if (node->op == OP_MUL && !repeats_by_float(f, node, &hidden)) return false;
    if (!pairs_find(f->values, node, f->arena, &p))
        return refuse(f, id, p.too_many ? "its arguments have too many values" : equal_kinds);
    if (!p.any_good) {
        *safe = constant(f, atom_int(0));
        *condition = truth(f, true);
        return true;
    }
    pairs_join(&p, 0, f->arena);
    pairs_join(&p, 1, f->arena);
    *condition = pairs_condition(f, node, &p);
    if (p.any_exact && !without_floats(f, node, condition)) return false;
    *condition = either(f, *condition, hidden);
    Atom second;
    bool one = find_second(f, node, &p, &second);
    for (int k = one ? 1 : 0; k < node->arity; k++) {
        bool fixed = graph_node(f->graph, node->arg[k])->kind == NODE_CONSTANT; /* and fine */
        if (!fixed || one)
            with.arg[k] =
                choice(f, *condition, constant(f, one ? second : p.good[k]), node->arg[k]);
    }
    *safe = graph_map(f->graph, node->op, with.arg, node->span);
    return true;
}

/* --- attention -------------------------------------------------------------------------- */

/* The values of a side that are of another class than `class` become one of that class. */
static bool to_class(Flags *f, NodeId sop, unsigned class, NodeId *safe, NodeId *condition) {
    const NodeValues *v = values_of(f->values, sop);
    NodeId strings;
    if (!v || !are_strings(f, sop, &strings)) return refuse(f, sop, "it has too many values");
    *condition = class == CLASS_STRINGS ? negation(f, strings) : strings;
    for (uint32_t k = 0; k < v->count; k++)
        if ((v->levels[k].kind == ATOM_STRING) == (class == CLASS_STRINGS))
            *safe = choice(f, *condition, constant(f, v->levels[k]), sop);
    return true;
}

static bool make_select(Flags *f, NodeId id, const Node *node, NodeId *safe, NodeId *condition) {
    NodeId arg[2] = {node->arg[0], node->arg[1]};
    unsigned key = total_classes(f->total, arg[0]), query = total_classes(f->total, arg[1]);
    OpId op = node->op;
    bool key_mixed = (key & (key - 1)) != 0, query_mixed = (query & (query - 1)) != 0;
    if (key_mixed && query_mixed) return refuse(f, id, "both sides may be strings or numbers");
    if (!key_mixed && !query_mixed) {
        *condition = truth(f, key != query);
        op = OP_EQ;
    } else if (!to_class(f, arg[query_mixed], query_mixed ? key : query, &arg[query_mixed],
                         condition))
        return false;
    *safe = graph_select(f->graph, op, arg[0], arg[1], node->span);
    return true;
}

/* Is the whole sequence of a kind that cannot be averaged? */
static bool cannot_average(Flags *f, NodeId values, NodeId *condition) {
    enum { STRINGS = 1 << ATOM_STRING, BOOLS = 1 << ATOM_BOOL };
    unsigned kinds = total_kinds(f->total, values);
    NodeId strings = truth(f, false), bools = truth(f, false), is_bool;
    if (!(kinds & ~(unsigned)(STRINGS | BOOLS))) {
        *condition = truth(f, true);
        return true;
    }
    if (kinds & STRINGS) {
        if (!are_strings(f, values, &strings)) return false;
        strings = somewhere(f, strings, true);
    }
    if (kinds & BOOLS) {
        if (!is_kind(f, values, ATOM_BOOL, &is_bool)) return false;
        bools = negation(f, somewhere(f, is_bool, false));
    }
    *condition = either(f, strings, bools);
    return true;
}

/* The aggregate where the s-op is true; elsewhere its default. */
static NodeId select_only(Flags *f, const Node *node, NodeId sop) {
    NodeId there = graph_select(f->graph, OP_EQ, truth(f, true), sop, SPAN_NONE);
    NodeId selector = graph_and(f->graph, node->arg[0], there, SPAN_NONE);
    return graph_aggregate(f->graph, selector, node->arg[1], node->atom, node->span);
}

/* Of values that are strings on some inputs: where several are averaged there is none. */
static bool mean_of_numbers(Flags *f, const Node *node, NodeId *means) {
    NodeId strings;
    if (!are_strings(f, node->arg[1], &strings)) return false;
    NodeId numbers = choice(f, strings, constant(f, atom_int(0)), node->arg[1]);
    numbers = graph_map(f->graph, OP_POS, &numbers, SPAN_NONE); /* bools become ints */
    *means = graph_aggregate(f->graph, node->arg[0], numbers, atom_int(0), node->span);
    return true;
}

static bool make_aggregate(Flags *f, const Node *node, NodeId *safe, NodeId *condition) {
    NodeId selector = node->arg[0], hopeless;
    if (!cannot_average(f, node->arg[1], &hopeless)) return false;
    NodeId several =
        map2(f, OP_GT, graph_width(f->graph, selector, SPAN_NONE), constant(f, atom_int(1)));
    *condition = both(f, several, hopeless);
    if (total_classes(f->total, node->arg[1]) == (CLASS_STRINGS | CLASS_NUMBERS)) {
        NodeId means;
        if (!mean_of_numbers(f, node, &means)) return false;
        *safe = choice(f, several, means, select_only(f, node, negation(f, several)));
    } else
        *safe = select_only(f, node, negation(f, *condition));
    return true;
}

/* --- node by node ----------------------------------------------------------------------- */

/* The node over safe arguments. */
static NodeId rebuild(Flags *f, NodeId id, Node *node) {
    Graph *g = f->graph;
    for (int k = 0; k < node->arity; k++) node->arg[k] = f->safe[node->arg[k]];
    const NodeId *arg = node->arg;
    switch (node->kind) {
    case NODE_MAP:
        return graph_map(g, node->op, arg, node->span);
    case NODE_LOOKUP:
        return graph_lookup(g, node->lookup, arg[0], node->span);
    case NODE_SELECT:
        return graph_select(g, node->op, arg[0], arg[1], node->span);
    case NODE_AND:
        return graph_and(g, arg[0], arg[1], node->span);
    case NODE_OR:
        return graph_or(g, arg[0], arg[1], node->span);
    case NODE_NOT:
        return graph_not(g, arg[0], node->span);
    case NODE_AGGREGATE:
        return graph_aggregate(g, arg[0], arg[1], node->atom, node->span);
    case NODE_WIDTH:
        return graph_width(g, arg[0], node->span);
    default:
        return id;
    }
}

static bool make_safe(Flags *f, NodeId id, const Node *node, NodeId *safe, NodeId *condition) {
    switch (node->kind) {
    case NODE_TOKENS:
        return make_tokens(f, node, safe, condition);
    case NODE_MAP:
        return (ops[node->op].flags & OP_TOTAL) || make_map(f, id, node, safe, condition);
    case NODE_LOOKUP:
        return node->lookup->kind == LOOKUP_SET || make_lookup(f, node, safe, condition);
    case NODE_SELECT:
        return make_select(f, id, node, safe, condition);
    case NODE_AGGREGATE:
        return total_averages(f->total, *safe) || make_aggregate(f, node, safe, condition);
    default:
        return true;
    }
}

/* Strings beside numbers: some, but not all. */
static bool find_mixes(Flags *f, NodeId safe, NodeId *mixes) {
    NodeId strings;
    if (node_is_selector(graph_node(f->graph, safe)) || total_one_class(f->total, safe))
        return true;
    if (!are_strings(f, safe, &strings)) return false;
    *mixes = both(f, somewhere(f, strings, true), somewhere(f, strings, false));
    return true;
}

static bool make_node(Flags *f, NodeId id) {
    Node node = *graph_node(f->graph, id);
    f->safe[id] = rebuild(f, id, &node);
    f->condition[id] = f->mixes[id] = NODE_NONE;
    if (total_holds(f->total, f->safe[id])) return true;
    return make_safe(f, id, &node, &f->safe[id], &f->condition[id]) &&
           find_mixes(f, f->safe[id], &f->mixes[id]);
}

/* True where a node below the s-op fails. */
static NodeId join(Flags *f, NodeId sop) {
    NodeId conditions = NODE_NONE, flag = NODE_NONE;
    const bool *below = graph_needed(f->graph, &sop, 1, f->arena);
    for (NodeId id = 0; id <= sop; id++) {
        if (!below[id]) continue;
        conditions = either(f, conditions, f->condition[id]);
        flag = either(f, flag, f->mixes[id]);
    }
    if (conditions != NODE_NONE) flag = either(f, somewhere(f, conditions, true), flag);
    return flag != NODE_NONE && is_truth(f, flag, false) ? NODE_NONE : flag;
}

bool flags_make(Total *total, const NodeId *sops, size_t count, Arena *arena, Flagged *flagged,
                FlagsError *error) {
    Graph *graph = total_graph(total);
    uint32_t nodes = graph_count(graph);
    Flags f = {.total = total,
               .values = total_values(total),
               .graph = graph,
               .arena = arena,
               .safe = ARENA_ARRAY(arena, nodes, NodeId),
               .condition = ARENA_ARRAY(arena, nodes, NodeId),
               .mixes = ARENA_ARRAY(arena, nodes, NodeId),
               .kinds = tuple_map_new(arena, 2),
               .error = error};
    const bool *needed = graph_needed(graph, sops, count, arena);
    for (NodeId id = 0; id < nodes; id++)
        if (needed[id] && !make_node(&f, id)) return false;
    for (size_t k = 0; k < count; k++) flagged[k] = (Flagged){f.safe[sops[k]], join(&f, sops[k])};
    return true;
}

/* --- names ------------------------------------------------------------------------------ */

static const char suffix[] = " has no answer";

const char *flags_name(const char *name, Arena *arena) {
    return arena_format(arena, "%s%s", name, suffix);
}

bool flags_is_name(const char *flag, const char *name) {
    size_t length = strlen(name);
    return strncmp(flag, name, length) == 0 && strcmp(flag + length, suffix) == 0;
}
