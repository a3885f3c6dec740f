/* A head's scores against its selector.
 *
 * Scores are sums over columns of key form * query form.  The selector's top-level conjunction is
 * taken apart, and so are the scores: terms go to the conjuncts whose keys or queries they depend
 * on; conjuncts that share a term, or a column, are one *group*.  In each group all joint values
 * of the key's side are put beside all of the query's that stand in one input with them:
 *
 *     where the group's conjuncts hold, the score is the same;
 *     where they do not, it is lower by the gap.
 *
 * With the sink everything is said relative to what the sink scores for that query. */
#include "compile/prove/judge_heads.h"

#include "compile/values/tuples.h"

enum { SIDE = 24, MOST_CONJUNCTS = 64, KEY = 0, QUERY = 1 };
static const double MOST_CELLS = 1e8;

typedef struct Side {
    NodeId node[SIDE]; /* what the conjuncts compare, then terms that do not follow from it */
    uint32_t count;
} Side;

typedef struct Conjunct {
    Literals literals;
    Side side[2];
    uint32_t group; /* a conjunct of it; itself, if the first */
    bool implied;   /* the mask shows no pair for which it does not hold */
} Conjunct;

typedef struct Scores {
    Judge *j;
    const CircuitHead *claim;
    const ModelHead *weights;
    Arena *arena;
    Conjunct conjunct[MOST_CONJUNCTS];
    uint32_t count;
    bool whole; /* all is one group */
    bool moves; /* selected keys may score what they like, as long as that is more */
    size_t columns;
    Linear *form[2];        /* by column: key's, query's */
    uint32_t **owner[2];    /* by column, by term: a conjunct of its group */
    double *sink;           /* by column: the sink's key */
    double selected, lower; /* of all groups: what selected keys score, the least drop */
    double spread;          /* of all groups: of what selected keys score */
    double slack;
} Scores;

static bool add_to_side(Side *s, NodeId node) {
    for (uint32_t k = 0; k < s->count; k++)
        if (s->node[k] == node) return true;
    if (s->count == SIDE) return false;
    s->node[s->count++] = node;
    return true;
}

/* A key or a query of a comparison, by the name that rules know it by. */
static NodeId compared(Judge *j, NodeId select, int side) {
    return judge_name(j, graph_node(j->graph, select)->arg[side]);
}

/* --- conjuncts ------------------------------------------------------------------------ */

static bool add_conjunct(Scores *s, NodeId formula, bool implied) {
    Judge *j = s->j;
    if (s->count == MOST_CONJUNCTS) return false;
    Conjunct *c = &s->conjunct[s->count];
    *c = (Conjunct){.literals = selector_literals(j->graph, formula, s->arena),
                    .group = s->whole ? 0 : s->count,
                    .implied = implied};
    if (c->literals.count > MAX_LITERALS) return false;
    for (uint32_t k = 0; k < c->literals.count; k++)
        for (int side = 0; side < 2; side++)
            if (!add_to_side(&c->side[side], compared(j, c->literals.select[k], side)))
                return false;
    s->count++;
    return true;
}

/* What is hidden is not selected; what need not be scored is marked. */
static bool split_selector(Scores *s) {
    Judge *j = s->j;
    NodeId selector = s->claim->selector;
    RtMask mask = s->weights->mask;
    bool hidden = mask == RT_MASK_NONE || mask_never(j, selector, mask, false, true, s->arena);
    Literals parts = selector_conjuncts(j->graph, selector, s->arena);
    for (uint32_t k = 0; k < parts.count; k++) {
        NodeId part[TUPLE_PARTS];
        uint32_t count = s->whole ? 1 : tuple_parts(j->values, parts.select[k], part);
        if (!hidden) hidden = mask_never(j, parts.select[k], mask, false, true, s->arena);
        bool implied = mask_never(j, parts.select[k], mask, true, false, s->arena);
        for (uint32_t p = 0; p < count; p++) {
            if (!add_conjunct(s, count == 1 ? parts.select[k] : part[p], implied))
                return judge_refuse(j, selector, "the selector compares too much to be judged");
        }
    }
    return hidden || judge_refuse(j, selector, "its mask hides keys that the selector may select");
}

/* --- groups --------------------------------------------------------------------------- */

static uint32_t group_of(const Scores *s, uint32_t c) {
    while (s->conjunct[c].group != c) c = s->conjunct[c].group;
    return c;
}

static void join(Scores *s, uint32_t a, uint32_t b) {
    a = group_of(s, a), b = group_of(s, b);
    s->conjunct[a > b ? a : b].group = a > b ? b : a;
}

/* One of the conjuncts that may be meant by a term, which are joined; UINT32_MAX: there is none. */
static uint32_t find_owner(Scores *s, int side, NodeId node) {
    uint32_t found = UINT32_MAX;
    if (s->whole) return 0;
    for (int strict = 1; strict >= 0 && found == UINT32_MAX; strict--)
        for (uint32_t c = 0; c < s->count; c++) {
            const Side *of = &s->conjunct[c].side[side];
            bool fits = strict ? node_follows(s->j, node, of->node, of->count)
                               : node_depends(s->j, node, of->node, of->count);
            if (!fits) continue;
            if (found != UINT32_MAX) join(s, found, c);
            found = c;
        }
    return found;
}

static bool may_own(Scores *s, int side, NodeId node) {
    bool found = false;
    for (uint32_t c = 0; c < s->count && !found; c++) {
        const Side *of = &s->conjunct[c].side[side];
        found = node_follows(s->j, node, of->node, of->count) ||
                node_depends(s->j, node, of->node, of->count);
    }
    return found;
}

/* Puts scale * node + constant for the form, if that is what it is. */
static bool say_as(Judge *j, Linear *form, NodeId node) {
    Affine a = solve_affine(j, *form, node);
    double gap = node_gap(j, node);
    if (a.slack > 0 && !(isfinite(gap) && a.slack <= 0x1p-20 * fabs(a.scale) * gap)) return false;
    *form = linear_affine(j, a, node);
    return true;
}

/* As something that the selector compares on this side, or that this depends on. */
static bool say_as_compared(Scores *s, int side, Linear *form) {
    for (uint32_t c = 0; c < s->count; c++)
        for (uint32_t k = 0; k < s->conjunct[c].side[side].count; k++) {
            NodeId node = s->conjunct[c].side[side].node[k];
            if (say_as(s->j, form, node)) return true;
            const NodeValues *v = values_of(s->j->values, node);
            for (uint32_t m = 0; v && m < v->source_count; m++)
                if (v->sources[m] != node && say_as(s->j, form, v->sources[m])) return true;
        }
    return false;
}

/* Terms of which the selector says nothing are what it says something of, in other words: the
 * length from the mean of the indices, a width from other widths.  So are sums of terms that are
 * what it compares. */
static void say_form(Scores *s, int side, Linear *form) {
    Judge *j = s->j;
    Term *term = ARENA_ARRAY(j->arena, form->count, Term);
    Linear other = {.term = term}, rest = *form;
    Term *kept = ARENA_ARRAY(j->arena, form->count, Term);
    rest.term = kept;
    rest.count = 0;
    for (uint32_t k = 0; k < form->count; k++)
        if (may_own(s, side, form->term[k].node))
            kept[rest.count++] = form->term[k];
        else
            term[other.count++] = form->term[k];
    if (form->count > 1 && say_as_compared(s, side, form)) return; /* one name for several */
    if (other.count == 0 || say_as_compared(s, side, form)) return;
    if (!say_as_compared(s, side, &other)) return;
    *form = linear_add(j, rest, 1, other);
}

/* The terms of a column go with each other if both sides have some: they are multiplied. */
static bool own_column(Scores *s, size_t column) {
    uint32_t any = UINT32_MAX;
    bool both = s->form[KEY][column].count && s->form[QUERY][column].count;
    for (int side = 0; side < 2; side++) {
        const Linear *f = &s->form[side][column];
        uint32_t *owner = s->owner[side][column] = ARENA_ARRAY(s->arena, f->count, uint32_t);
        for (uint32_t k = 0; k < f->count; k++) {
            owner[k] = find_owner(s, side, f->term[k].node);
            if (owner[k] == UINT32_MAX)
                return judge_refuse(s->j, s->claim->selector,
                                    "its %s reads %s, which the selector does not compare",
                                    side == KEY ? "key" : "query",
                                    judge_text(s->j, f->term[k].node));
            if (both && any != UINT32_MAX) join(s, any, owner[k]);
            any = owner[k];
        }
    }
    return true;
}

/* --- one side of a group -------------------------------------------------------------- */

/* By level of an s-op that tells all that the side compares and reads. */
typedef struct Lines {
    Side side;
    NodeId joint;
    uint32_t count;                 /* levels */
    const uint32_t *level[SIDE];    /* by node of the side, by level */
    const NodeValues *values[SIDE]; /* by node of the side */
    double *number;                 /* [levels, columns]: the forms, with their constants */
    double *most;                   /* by column, of it */
    double *lost;                   /* by column: slack, and rounding here */
} Lines;

/* One s-op whose level tells those of several: digits of a mixed radix. */
static NodeId joint_node(Judge *j, const Side *side) {
    NodeId joint = NODE_NONE;
    double stride = 1;
    if (side->count == 1) return side->node[0];
    for (uint32_t k = 0; k < side->count; k++) {
        const NodeValues *v = values_of(j->values, side->node[k]);
        if (!v || stride * v->count > 0x1p53) return NODE_NONE;
        double *number = ARENA_ARRAY(j->arena, v->count, double);
        for (uint32_t m = 0; m < v->count; m++) number[m] = stride * m;
        NodeId digit = node_coded(j, side->node[k], number);
        joint = k == 0 ? digit : graph_map(j->graph, OP_ADD, (NodeId[]){joint, digit}, SPAN_NONE);
        stride *= v->count;
    }
    return joint == NODE_NONE ? graph_constant(j->graph, atom_int(0), SPAN_NONE) : joint;
}

/* The node's level by the joint one's; UINT32_MAX: never.  NULL: not told by it. */
static const uint32_t *levels_by(Scores *s, NodeId node, NodeId joint) {
    Rows rows;
    const NodeValues *v = values_of(s->j->values, joint);
    if (!joint_rows(s->j, (NodeId[]){node, joint}, 2, &rows)) return NULL;
    uint32_t *level = ARENA_ARRAY(s->arena, v->count, uint32_t);
    for (uint32_t k = 0; k < v->count; k++) level[k] = UINT32_MAX;
    for (size_t r = 0; r < rows.row_count; r++) {
        uint32_t *at = &level[rows.level[2 * r + 1]];
        if (*at != UINT32_MAX && *at != rows.level[2 * r]) return NULL;
        *at = rows.level[2 * r];
    }
    return level;
}

static bool add_numbers(Scores *s, int side, size_t column, Lines *l, uint32_t group) {
    const Linear *f = &s->form[side][column];
    Linear own = *f;
    Term *term = ARENA_ARRAY(s->arena, f->count, Term);
    const uint32_t **level = ARENA_ARRAY(s->arena, f->count, const uint32_t *);
    double *number = ARENA_ARRAY(s->arena, f->count, double), off;
    own.term = term;
    own.count = 0;
    for (uint32_t k = 0; k < f->count; k++) {
        if (group_of(s, s->owner[side][column][k]) != group) continue;
        level[own.count] = levels_by(s, f->term[k].node, l->joint);
        if (!level[own.count]) return false;
        term[own.count++] = f->term[k];
    }
    l->lost[column] = f->slack;
    for (uint32_t r = 0; r < l->count; r++) {
        for (uint32_t k = 0; k < own.count; k++)
            number[k] = level[k][r] == UINT32_MAX
                            ? 0
                            : level_number(values_of(s->j->values, term[k].node), level[k][r]);
        double x = l->number[r * s->columns + column] = linear_at(&own, number, &off);
        if (isnan(x)) return false;
        l->lost[column] = worse(l->lost[column], f->slack + off);
        l->most[column] = worse(l->most[column], fabs(x));
    }
    return true;
}

static bool make_lines(Scores *s, int side, uint32_t group, Lines *l) {
    Judge *j = s->j;
    *l = (Lines){0};
    for (uint32_t c = 0; c < s->count; c++)
        for (uint32_t k = 0; group_of(s, c) == group && k < s->conjunct[c].side[side].count; k++)
            if (!add_to_side(&l->side, s->conjunct[c].side[side].node[k])) return false;
    for (size_t c = 0; c < s->columns; c++)
        for (uint32_t k = 0; k < s->form[side][c].count; k++) {
            NodeId node = s->form[side][c].term[k].node;
            if (group_of(s, s->owner[side][c][k]) == group &&
                !node_follows(j, node, l->side.node, l->side.count) && !add_to_side(&l->side, node))
                return false;
        }
    l->joint = joint_node(j, &l->side);
    const NodeValues *v = l->joint == NODE_NONE ? NULL : values_of(j->values, l->joint);
    if (!v) return false;
    l->count = v->count;
    for (uint32_t k = 0; k < l->side.count; k++) {
        l->level[k] = levels_by(s, l->side.node[k], l->joint);
        l->values[k] = values_of(j->values, l->side.node[k]);
        if (!l->level[k] || !l->values[k]) return false;
    }
    l->number = ARENA_ARRAY(s->arena, (size_t)l->count * s->columns, double);
    l->most = ARENA_ARRAY(s->arena, s->columns, double);
    l->lost = ARENA_ARRAY(s->arena, s->columns, double);
    for (size_t c = 0; c < s->columns; c++)
        if (!add_numbers(s, side, c, l, group)) return false;
    return true;
}

/* --- both sides ----------------------------------------------------------------------- */

typedef struct Group {
    Scores *s;
    uint32_t number;
    Lines side[2];
    size_t *column; /* those with terms of the group */
    size_t columns;
    uint32_t *place[2][MOST_CONJUNCTS]; /* by conjunct, by literal: its place in the side */
    /* What is found. */
    double least, most; /* of what is selected */
    double highest;     /* of what is not; relative to the selected of the query, without sink */
    double spread;      /* of the selected of one query */
} Group;

static void find_places(Group *g) {
    Scores *s = g->s;
    for (uint32_t c = 0; c < s->count; c++)
        for (int side = 0; side < 2 && group_of(s, c) == g->number; side++) {
            const Literals *f = &s->conjunct[c].literals;
            g->place[side][c] = ARENA_ARRAY(s->arena, f->count, uint32_t);
            for (uint32_t k = 0; k < f->count; k++) {
                NodeId node = compared(s->j, f->select[k], side);
                while (g->side[side].side.node[g->place[side][c][k]] != node)
                    g->place[side][c][k]++;
            }
        }
}

/* Do all the group's conjuncts hold?  CELL_FREE: the selector fails, or there are no such values
 * that the mask shows. */
static unsigned cell_of(Group *g, uint32_t key, uint32_t query) {
    Scores *s = g->s;
    unsigned all = 1;
    for (uint32_t c = 0; c < s->count; c++) {
        if (group_of(s, c) != g->number) continue;
        const Literals *f = &s->conjunct[c].literals;
        bool holds[MAX_LITERALS];
        for (uint32_t k = 0; k < f->count; k++) {
            const Node *n = graph_node(s->j->graph, f->select[k]);
            uint32_t a = g->side[KEY].level[g->place[KEY][c][k]][key];
            uint32_t b = g->side[QUERY].level[g->place[QUERY][c][k]][query];
            if (a == UINT32_MAX || b == UINT32_MAX) return CELL_FREE;
            Atom x = g->side[KEY].values[g->place[KEY][c][k]]->levels[a];
            Atom y = g->side[QUERY].values[g->place[QUERY][c][k]]->levels[b];
            if (!(ops[n->op].flags & OP_TOTAL) && !atom_comparable(x, y)) return CELL_FREE;
            holds[k] = op_compare(n->op, x, y);
        }
        bool held = literals_hold(f, holds);
        if (!held && s->conjunct[c].implied) return CELL_FREE;
        all &= held;
    }
    return all;
}

/* The group's share of a score; with the sink, less its share of the sink's. */
static double share(const Group *g, uint32_t key, uint32_t query) {
    const Scores *s = g->s;
    double sum = 0;
    for (size_t k = 0; k < g->columns; k++) {
        size_t c = g->column[k];
        double u = g->side[KEY].number[key * s->columns + c];
        double w = g->side[QUERY].number[query * s->columns + c];
        sum += u * w - s->form[KEY][c].constant * s->form[QUERY][c].constant;
        if (s->weights->sink) sum -= s->sink[c] * (w - s->form[QUERY][c].constant);
    }
    return sum;
}

/* Is it a whole multiple of 2^-8? */
static bool is_dyadic(double x) {
    return ldexp(x, 8) == rint(ldexp(x, 8));
}

static bool dyadic_column(const Scores *s, const Lines *l, size_t column) {
    bool all = true;
    for (uint32_t r = 0; r < l->count && all; r++)
        all = is_dyadic(l->number[r * s->columns + column]);
    return all;
}

/* What rounding may have done to a share, and the slack of what it is made of. */
static double share_lost(const Group *g) {
    const Scores *s = g->s;
    const Lines *u = &g->side[KEY], *w = &g->side[QUERY];
    double lost = 0, size = 0;
    bool exact = true;
    for (size_t k = 0; k < g->columns; k++) {
        size_t c = g->column[k];
        double sink = s->weights->sink ? s->sink[c] : 0;
        double key = s->form[KEY][c].constant, query = s->form[QUERY][c].constant;
        lost += (u->most[c] + fabs(sink)) * w->lost[c] + w->most[c] * u->lost[c] +
                u->lost[c] * w->lost[c];
        size += (u->most[c] + fabs(key) + fabs(sink)) * (w->most[c] + fabs(query));
        exact = exact && is_dyadic(sink) && is_dyadic(key) && is_dyadic(query) &&
                dyadic_column(s, u, c) && dyadic_column(s, w, c);
    }
    if (exact && size < 0x1p36) return lost; /* small numbers: nothing is rounded */
    return lost + ((double)g->columns * 4 + 4) * DBL_EPSILON * size;
}

/* One query beside all keys. */
static void look_along(Group *g, uint32_t query, const unsigned char *meet) {
    double least = INFINITY, most = -INFINITY, highest = -INFINITY;
    uint32_t queries = g->side[QUERY].count;
    for (uint32_t key = 0; key < g->side[KEY].count; key++) {
        if (!meet[(size_t)key * queries + query]) continue;
        unsigned cell = cell_of(g, key, query);
        if (cell == CELL_FREE) continue;
        double x = share(g, key, query);
        if (!isfinite(x)) g->spread = INFINITY;
        if (cell)
            least = fmin(least, x), most = fmax(most, x);
        else
            highest = fmax(highest, x);
    }
    if (g->s->weights->sink) {
        g->least = fmin(g->least, least), g->most = fmax(g->most, most);
        g->highest = fmax(g->highest, highest);
    } else if (least <= most) { /* else no row has this query: each selects something */
        g->spread = fmax(g->spread, most - least);
        g->highest = fmax(g->highest, highest - least);
        g->least = g->most = 0;
    }
}

static bool judge_group(Scores *s, uint32_t number) {
    Judge *j = s->j;
    Group *g = ARENA_NEW(s->arena, Group);
    *g = (Group){
        .s = s, .number = number, .least = INFINITY, .most = -INFINITY, .highest = -INFINITY};
    g->column = ARENA_ARRAY(s->arena, s->columns, size_t);
    if (!make_lines(s, KEY, number, &g->side[KEY]) ||
        !make_lines(s, QUERY, number, &g->side[QUERY]))
        return judge_refuse(j, s->claim->selector, "too many joint values to judge its scores by");
    for (size_t c = 0; c < s->columns; c++) {
        bool active = false;
        for (int side = 0; side < 2; side++)
            for (uint32_t k = 0; k < s->form[side][c].count; k++)
                active |= group_of(s, s->owner[side][c][k]) == number;
        if (active) g->column[g->columns++] = c;
    }
    size_t cells = (size_t)g->side[KEY].count * g->side[QUERY].count;
    if ((double)cells > MOST_CELLS)
        return judge_refuse(j, s->claim->selector, "too many joint values to judge its scores by");
    find_places(g);
    unsigned char *meet = ARENA_ARRAY(s->arena, cells, unsigned char);
    values_meet(j->values, g->side[KEY].joint, g->side[QUERY].joint, meet);
    for (uint32_t q = 0; q < g->side[QUERY].count; q++) {
        look_along(g, q, meet);
        budget_poll(arena_budget(j->arena));
    }
    double lost = share_lost(g), base = 0;
    if (g->least <= g->most) {
        g->spread = fmax(g->spread, g->most - g->least);
        base = s->moves ? g->least : g->least + (g->most - g->least) / 2;
    }
    if (s->weights->sink) g->highest -= base;
    s->selected += base;
    /* What this group drops others may give, as far as theirs goes beyond the least. */
    s->lower = fmin(s->lower - (s->moves ? g->spread : 0), -g->highest - s->spread);
    if (s->moves) s->spread += g->spread;
    s->slack += (s->moves ? 0 : g->spread) + lost;
    return (isfinite(s->slack) && isfinite(s->spread)) ||
           judge_refuse(j, s->claim->selector, "its scores have no bound");
}

/* --- all of it ------------------------------------------------------------------------ */

static bool read_forms(Scores *s) {
    Judge *j = s->j;
    s->columns = s->weights->query.cols;
    s->form[KEY] = ARENA_ARRAY(s->arena, s->columns, Linear);
    s->form[QUERY] = ARENA_ARRAY(s->arena, s->columns, Linear);
    s->owner[KEY] = ARENA_ARRAY(s->arena, s->columns, uint32_t *);
    s->owner[QUERY] = ARENA_ARRAY(s->arena, s->columns, uint32_t *);
    s->sink = ARENA_ARRAY(s->arena, s->columns, double);
    for (size_t c = 0; c < s->columns; c++) {
        s->form[KEY][c] = read_column(j, &s->weights->key, c);
        s->form[QUERY][c] = read_column(j, &s->weights->query, c);
        double lost, size = fabs(s->form[QUERY][c].constant);
        s->sink[c] = read_row0(j, &s->weights->key, c, &lost);
        for (uint32_t k = 0; k < s->form[QUERY][c].count && lost > 0; k++)
            size += fabs(s->form[QUERY][c].term[k].factor) *
                    node_size(j, s->form[QUERY][c].term[k].node);
        if (lost > 0 && s->weights->sink) s->slack += lost * size;
        say_form(s, KEY, &s->form[KEY][c]);
        say_form(s, QUERY, &s->form[QUERY][c]);
        if (!own_column(s, c)) return false;
    }
    return true;
}

/* The share of the constants; with the sink, relative to it. */
static void add_constants(Scores *s) {
    for (size_t c = 0; c < s->columns; c++) {
        double key = s->form[KEY][c].constant - (s->weights->sink ? s->sink[c] : 0);
        double product = key * s->form[QUERY][c].constant;
        s->slack += fabs(fma(key, s->form[QUERY][c].constant, -product)) +
                    fabs(sum_lost(s->selected, product));
        s->selected += product;
    }
}

/* Is all of the group left to the mask? */
static bool nothing_to_score(const Scores *s, uint32_t group) {
    for (uint32_t c = 0; c < s->count; c++)
        if (group_of(s, c) == group && !s->conjunct[c].implied) return false;
    for (size_t c = 0; c < s->columns; c++)
        for (int side = 0; side < 2; side++)
            for (uint32_t k = 0; k < s->form[side][c].count; k++)
                if (group_of(s, s->owner[side][c][k]) == group) return false;
    return true;
}

static double beyond(double wanted, double found) {
    return found < wanted ? wanted - found : 0;
}

static bool try_scores(Scores *s, double *slack) {
    Judge *j = s->j;
    HeadKind kind = s->claim->kind;
    double gap = s->weights->gap;
    if (!split_selector(s) || !read_forms(s)) return false;
    for (uint32_t c = 0; c < s->count; c++)
        if (group_of(s, c) == c && !nothing_to_score(s, c) && !judge_group(s, c)) return false;
    add_constants(s);
    *slack = s->slack + beyond(gap, s->lower);
    if (kind == HEAD_DEFAULT) *slack += beyond(gap, s->selected);
    if (kind == HEAD_COUNT) *slack += fabs(s->selected);
    if (kind != HEAD_PLAIN) *slack += beyond(gap, s->lower - s->selected);
    return *slack < gap / 2 ||
           judge_refuse(j, s->claim->selector,
                        "its scores do not tell what is selected from what is not: they are "
                        "off by %.3g, the gap is %.3g",
                        *slack, gap);
}

/* By groups; else, as terms of one conjunct may say what another asks for, all at once. */
bool judge_scores(Judge *j, const CircuitHead *claim, const ModelHead *weights, bool moves,
                  double *slack) {
    bool done = false;
    for (int whole = 0; whole < 2 && !done; whole++) {
        Scores *s = ARENA_NEW(j->arena, Scores);
        *s = (Scores){.j = j,
                      .claim = claim,
                      .weights = weights,
                      .arena = arena_child(j->arena),
                      .whole = whole,
                      .moves = moves,
                      .lower = INFINITY};
        j->verdict->refused[0] = '\0';
        done = try_scores(s, slack);
        arena_free(s->arena);
    }
    return done;
}
