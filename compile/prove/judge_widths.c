/* Identities of widths: |A| + |B| - |A and B| - |A or B| is 0 since it is 0 for each key.
 *
 * The selectors' comparisons are variables.  Those of one key with one query have a common
 * outcome, and those of s-ops that depend on each other go together (judge_orders.c); other
 * comparisons are taken to be independent, which only makes fewer identities.
 * A sum of widths that is not 0 may be a multiple of one of their parts' width, which may be known
 * otherwise: |indices < indices| is the position. */
#include "compile/prove/judge_private.h"

enum { MOST_CASES = 1 << 18, MOST_ASKED = 64, OUTCOMES = 4 };

/* What a key adds by rounding alone. */
static const double nothing = 1e-9;

typedef struct Pair {
    NodeId key, query;
    unsigned outcome; /* the one that is tried */
    bool fixed;
    bool ordered; /* the key is equal to itself: it is never a NaN */
} Pair;

/* Three pairs, each of an s-op with itself, whose outcomes go together. */
typedef struct Tied {
    uint32_t of, first, second;
    uint64_t found; /* orders_bit of what occurs */
} Tied;

typedef struct Widths {
    Judge *j;
    Arena *arena;
    Literals *formula; /* by term that is a width; one more behind them */
    Pair pair[MAX_LITERALS];
    uint32_t pair_count;
    uint32_t *pair_of[MAX_LITERALS]; /* by literal, by term */
    Tied *tied;
    size_t tied_count, tied_capacity;
    uint32_t asked; /* so often, whether any key is like that */
} Widths;

/* Both constant: there is one outcome. */
static void fix_pair(Widths *w, Pair *pair) {
    const Node *a = graph_node(w->j->graph, pair->key), *b = graph_node(w->j->graph, pair->query);
    if (a->kind != NODE_CONSTANT || b->kind != NODE_CONSTANT) return;
    pair->fixed = true;
    pair->outcome = OUTCOME_UNORDERED;
    if (!atom_comparable(a->atom, b->atom)) return;
    static const unsigned outcome[] = {OUTCOME_LESS, OUTCOME_EQUAL, OUTCOME_GREATER,
                                       OUTCOME_UNORDERED};
    pair->outcome = outcome[atom_order(a->atom, b->atom)];
}

static bool never_nan(Judge *j, NodeId node) {
    const NodeValues *v = values_of(j->values, node);
    for (uint32_t k = 0; v && k < v->count; k++)
        if (v->levels[k].kind == ATOM_FLOAT && isnan(v->levels[k].f)) return false;
    return v != NULL;
}

static bool add_pair(Widths *w, NodeId select, uint32_t *number) {
    const Node *n = graph_node(w->j->graph, select);
    for (*number = 0; *number < w->pair_count; ++*number)
        if (w->pair[*number].key == n->arg[0] && w->pair[*number].query == n->arg[1]) return true;
    if (w->pair_count == MAX_LITERALS) return false;
    w->pair[w->pair_count] =
        (Pair){.key = n->arg[0], .query = n->arg[1], .ordered = never_nan(w->j, n->arg[0])};
    fix_pair(w, &w->pair[w->pair_count++]);
    return true;
}

static bool add_formula(Widths *w, uint32_t k, NodeId selector) {
    w->formula[k] = selector_literals(w->j->graph, selector, w->arena);
    if (w->formula[k].count > MAX_LITERALS) return false;
    for (uint32_t m = 0; m < w->formula[k].count; m++)
        if (!add_pair(w, w->formula[k].select[m], &w->pair_of[m][k])) return false;
    return true;
}

static bool formula_holds(const Widths *w, uint32_t k) {
    const Literals *f = &w->formula[k];
    bool holds[MAX_LITERALS];
    for (uint32_t m = 0; m < f->count; m++)
        holds[m] = (ops[graph_node(w->j->graph, f->select[m])->op].holds &
                    w->pair[w->pair_of[m][k]].outcome) != 0;
    return literals_hold(f, holds);
}

static void tie(Widths *w, uint32_t of, uint32_t first, uint32_t second) {
    uint64_t found = orders_of(w->j, w->pair[of].key, w->pair[first].key, w->pair[second].key);
    if (found == UINT64_MAX) return;
    w->tied = arena_grow(w->arena, w->tied, &w->tied_capacity, w->tied_count + 1, sizeof *w->tied);
    w->tied[w->tied_count++] = (Tied){of, first, second, found};
}

static bool compares_itself(const Widths *w, uint32_t pair) {
    return w->pair[pair].key == w->pair[pair].query && !w->pair[pair].fixed;
}

static void tie_pairs(Widths *w) {
    for (uint32_t of = 0; of < w->pair_count; of++)
        for (uint32_t a = 0; a < w->pair_count && compares_itself(w, of); a++)
            for (uint32_t b = a + 1; b < w->pair_count && a != of && compares_itself(w, a); b++)
                if (b != of && compares_itself(w, b)) tie(w, of, a, b);
}

static bool selects_nothing(Judge *j, NodeId selector) {
    const SelectorFacts *facts = values_selector(j->values, selector);
    uint32_t contexts = domain_contexts(&j->claims->domain), at = 0;
    while (facts && at < contexts && facts->most[at] == 0) at++;
    return facts && at == contexts;
}

/* Is no key, beside any query, as the outcomes are?  Looked at where one pair compares a key with a
 * constant, as `indices == 0` does: what the key is otherwise may hang on it.  Behind a first token
 * that is the greatest, nothing at index 0 is less. */
static bool never_is(Widths *w) {
    static const OpId op[] = {OP_LT, OP_EQ, OP_GT};
    Graph *graph = w->j->graph;
    NodeId all = NODE_NONE;
    bool constant = false;
    for (uint32_t k = 0; k < w->pair_count; k++) {
        const Pair *p = &w->pair[k];
        if (p->fixed) continue;
        constant |= graph_node(graph, p->query)->kind == NODE_CONSTANT;
        for (int m = 0; m < 3; m++) {
            if (ops[op[m]].holds != p->outcome) continue;
            NodeId one = graph_select(graph, op[m], p->key, p->query, SPAN_NONE);
            all = all == NODE_NONE ? one : graph_and(graph, all, one, SPAN_NONE);
        }
    }
    return constant && w->asked++ < MOST_ASKED && selects_nothing(w->j, all);
}

/* What one key adds to the sum. */
static double one_key(const Widths *w, const Linear *l) {
    double sum = 0;
    for (uint32_t k = 0; k < l->count; k++)
        if (w->formula[k].count && formula_holds(w, k)) sum += l->term[k].factor;
    return sum;
}

/* A key at the query's own position has the query's values. */
static bool may_be(const Widths *w) {
    bool itself = false, differs = false;
    for (uint32_t k = 0; k < w->pair_count; k++) {
        const Pair *p = &w->pair[k];
        if (p->key != p->query) continue;
        bool index = graph_node(w->j->graph, p->key)->kind == NODE_INDICES;
        itself |= index && p->outcome == OUTCOME_EQUAL;
        differs |= p->outcome != OUTCOME_EQUAL && (p->ordered || p->outcome != OUTCOME_UNORDERED);
    }
    for (size_t k = 0; k < w->tied_count; k++) {
        const Tied *t = &w->tied[k];
        if (!(t->found & orders_bit(w->pair[t->of].outcome, w->pair[t->first].outcome,
                                    w->pair[t->second].outcome)))
            return false;
    }
    return !itself || !differs;
}

/* The sum is `times` as many keys as the formula behind the terms' selects, but for this much a
 * key; INFINITY: too many cases. */
static double every_key(Widths *w, const Linear *l, double *times) {
    double cases = 1, in[2] = {INFINITY, -INFINITY}, out = 0;
    uint32_t at[MAX_LITERALS] = {0}, k;
    for (k = 0; k < w->pair_count; k++) cases *= w->pair[k].fixed ? 1 : OUTCOMES;
    if (cases > MOST_CASES) return INFINITY;
    tie_pairs(w);
    do {
        for (k = 0; k < w->pair_count; k++)
            if (!w->pair[k].fixed) w->pair[k].outcome = 1u << at[k];
        if (may_be(w)) { /* else no key is like that */
            double sum = one_key(w, l);
            bool selected = w->formula[l->count].count && formula_holds(w, l->count);
            bool told = selected ? in[0] <= sum && sum <= in[1] : fabs(sum) <= fmax(out, nothing);
            if (selected && (told || !never_is(w)))
                in[0] = fmin(in[0], sum), in[1] = fmax(in[1], sum);
            else if (!selected && (told || !never_is(w)))
                out = worse(out, fabs(sum));
        }
        for (k = 0; k < w->pair_count; k++) {
            if (!w->pair[k].fixed && ++at[k] < OUTCOMES) break;
            at[k] = 0;
        }
    } while (k < w->pair_count);
    *times = in[0] <= in[1] ? in[0] : 0;
    return in[0] <= in[1] ? fmax(out, in[1] - in[0]) : out;
}

/* The sum of the widths is so many times that of `selector` (NODE_NONE: nothing). */
static double try_selector(Judge *j, const Linear *l, NodeId selector, double *times) {
    Widths w = {.j = j, .arena = arena_child(j->arena)};
    w.formula = ARENA_ARRAY(w.arena, (size_t)l->count + 1, Literals);
    for (int m = 0; m < MAX_LITERALS; m++)
        w.pair_of[m] = ARENA_ARRAY(w.arena, (size_t)l->count + 1, uint32_t);
    bool fits = true;
    for (uint32_t k = 0; k < l->count && fits; k++) {
        const Node *n = graph_node(j->graph, l->term[k].node);
        if (n->kind == NODE_WIDTH) fits = add_formula(&w, k, n->arg[0]);
    }
    if (selector != NODE_NONE) fits = fits && add_formula(&w, l->count, selector);
    double off = fits ? every_key(&w, l, times) : INFINITY;
    arena_free(w.arena);
    return off;
}

static Linear without_widths(Judge *j, const Linear *l) {
    Term *term = ARENA_ARRAY(j->arena, l->count, Term);
    Linear rest = *l;
    rest.term = term;
    rest.count = 0;
    for (uint32_t k = 0; k < l->count; k++)
        if (graph_node(j->graph, l->term[k].node)->kind != NODE_WIDTH)
            term[rest.count++] = l->term[k];
    return rest;
}

/* Marks the selectors that the terms' selectors are made of. */
static bool *parts_of(Judge *j, const Linear *l, NodeId *most) {
    bool *part = ARENA_ARRAY(j->arena, graph_count(j->graph), bool);
    *most = 0;
    for (uint32_t k = 0; k < l->count; k++)
        if (graph_node(j->graph, l->term[k].node)->kind == NODE_WIDTH) {
            NodeId selector = graph_node(j->graph, l->term[k].node)->arg[0];
            part[selector] = true;
            *most = selector > *most ? selector : *most;
        }
    for (NodeId id = *most + 1; id-- > 0;) {
        const Node *n = graph_node(j->graph, id);
        for (int k = 0; part[id] && n->kind != NODE_SELECT && k < n->arity; k++)
            part[n->arg[k]] = true;
    }
    return part;
}

Linear widths_drop(Judge *j, Linear l) {
    uint32_t widths = 0;
    double times = 0, longest = j->claims->domain.max_length, most_off = 0;
    for (uint32_t k = 0; k < l.count; k++) {
        if (graph_node(j->graph, l.term[k].node)->kind != NODE_WIDTH) continue;
        widths++;
        most_off = fmax(most_off, 0x1p-20 * fabs(l.term[k].factor)); /* of rounded factors */
    }
    if (widths < 2) return l;
    double off = try_selector(j, &l, NODE_NONE, &times);
    NodeId selector = NODE_NONE, most;
    const bool *part = parts_of(j, &l, &most);
    for (NodeId id = 0; id <= most && off > most_off; id++) {
        if (!part[id]) continue;
        off = try_selector(j, &l, id, &times);
        selector = id;
    }
    if (off > most_off) return l;
    Linear rest = without_widths(j, &l);
    rest.slack += off * longest;
    if (selector == NODE_NONE) return rest;
    NodeId width = graph_width(j->graph, selector, SPAN_NONE);
    return linear_add(j, rest, times, linear_node(j, width, 1));
}

/* The width of a part of its selector that selects the same. */
static NodeId width_part(Judge *j, NodeId width) {
    Linear one = {.term = &(Term){width, 1}, .count = 1};
    NodeId most;
    const bool *part = parts_of(j, &one, &most);
    for (NodeId id = 0; id < most; id++) {
        double times;
        if (part[id] && try_selector(j, &one, id, &times) == 0 && times == 1)
            return graph_width(j->graph, id, SPAN_NONE);
    }
    return width;
}

/* The program's width of as many keys, which goes by its own name. */
static NodeId width_below(Judge *j, NodeId width) {
    for (NodeId id = 0; id < j->below_count; id++) {
        double times;
        if (!j->below[id] || graph_node(j->graph, id)->kind != NODE_WIDTH || id == width) continue;
        Linear both = {.term = (Term[]){{width, 1}, {id, -1}}, .count = 2};
        if (try_selector(j, &both, NODE_NONE, &times) == 0 && width_part(j, id) == id) return id;
    }
    return width;
}

NodeId width_alike(Judge *j, NodeId width) {
    NodeId part = width_part(j, width);
    bool own = width < j->below_count && j->below[width];
    return own || part != width ? part : width_below(j, width);
}
