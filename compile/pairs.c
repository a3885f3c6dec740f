#include "compile/pairs.h"

#include <string.h>

static const double MOST_PAIRS = 4e6; /* looked at one by one */

static bool is_float(Atom atom) {
    return atom.kind == ATOM_FLOAT;
}

/* The value's next kind after `kind`, 0 behind the last. */
static unsigned next_kind(unsigned kinds, unsigned kind) {
    do kind *= 2;
    while (kind <= IS_STRING && !(kinds & kind));
    return kind <= IS_STRING ? kind : 0;
}

static unsigned first_kind(unsigned kinds) {
    return kinds & -kinds;
}

/* A string that is repeated: by an int, not by an equal float, which its user asks himself. */
static bool repeats_by_int(const Node *node, const Atom args[2], const unsigned kinds[2]) {
    if (node->op != OP_MUL) return false;
    return (args[0].kind == ATOM_STRING && (kinds[1] & (IS_INT | IS_BOOL))) ||
           (args[1].kind == ATOM_STRING && (kinds[0] & (IS_INT | IS_BOOL)));
}

/* What the operator does with a pair, over the kinds that its values occur as. */
typedef struct PairOutcome {
    bool fails[2], fine[2]; /* neither is a float; one is */
} PairOutcome;

static PairOutcome outcome_of(Values *values, const Node *node, const uint32_t *row, Pairs *p) {
    PairOutcome outcome = {0};
    Intern *table = graph_intern(values_graph(values));
    const uint32_t second = node->arity > 1 ? row[1] : 0;
    const unsigned kinds[2] = {p->v[0]->kinds[row[0]], p->v[1]->kinds[second]};
    for (unsigned a = first_kind(kinds[0]); a; a = next_kind(kinds[0], a))
        for (unsigned b = first_kind(kinds[1]); b; b = next_kind(kinds[1], b)) {
            Atom result, args[OP_MAX_ARITY] = {kind_variant(p->v[0]->levels[row[0]], (KindBits)a),
                                               kind_variant(p->v[1]->levels[second], (KindBits)b)};
            if (node->arity > 2) args[2] = graph_node(values_graph(values), node->arg[2])->atom;
            bool with_float = is_float(args[0]) || is_float(args[1]);
            if (with_float && repeats_by_int(node, args, kinds)) continue;
            if (op_eval(node->op, args, table, &result) != FAULT_NONE) {
                outcome.fails[with_float] = true;
                continue;
            }
            outcome.fine[with_float] = p->any_good = true;
            memcpy(p->good, args, sizeof p->good);
        }
    return outcome;
}

static bool judge_pair(Values *values, const Node *node, const uint32_t *row, Pairs *p,
                       unsigned char *cell) {
    PairOutcome o = outcome_of(values, node, row, p);
    bool fails = o.fails[0] || o.fails[1], exact = o.fails[0] && o.fine[1];
    *cell = fails ? PAIR_FAILS : PAIR_GOOD;
    p->any_exact |= exact;
    p->any_bad |= fails && !exact;
    return !(o.fails[0] && o.fine[0]) && !(o.fails[1] && (o.fine[0] || o.fine[1]));
}

bool pairs_find(Values *values, const Node *node, Arena *arena, Pairs *p) {
    static const Atom nothing = {.kind = ATOM_INT};
    static const unsigned char is_int = IS_INT;
    static const NodeValues one = {.levels = &nothing, .kinds = &is_int, .count = 1};
    Rows rows;
    for (int k = 0; k < node->arity && k < 2; k++) p->v[k] = values_of(values, node->arg[k]);
    if (node->arity == 1) p->v[1] = &one;
    p->too_many = !p->v[0] || !p->v[1] || (double)p->v[0]->count * p->v[1]->count > MOST_PAIRS ||
                  !values_rows(values, node->arg, (uint32_t)node->arity, UINT32_MAX, &rows);
    if (p->too_many) return false;
    p->cell = ARENA_ARRAY(arena, (size_t)p->v[0]->count * p->v[1]->count + 1, unsigned char);
    for (size_t r = 0; r < rows.row_count; r++) {
        const uint32_t *row = rows.level + r * rows.width;
        size_t at = (size_t)row[0] * p->v[1]->count + (node->arity > 1 ? row[1] : 0);
        if (!judge_pair(values, node, row, p, &p->cell[at])) return false;
    }
    return !(p->any_exact && p->any_bad);
}

static unsigned char *cell_at(const Pairs *p, int side, uint32_t x, uint32_t y) {
    return &p->cell[side ? (size_t)y * p->v[1]->count + x : (size_t)x * p->v[1]->count + y];
}

void pairs_join(Pairs *p, int side, Arena *arena) {
    uint32_t count = p->v[side]->count, others = p->v[!side]->count, classes = 0;
    uint32_t *leader = ARENA_ARRAY(arena, count + 1, uint32_t);
    p->class[side] = ARENA_ARRAY(arena, count + 1, Atom);
    for (uint32_t x = 0; x < count; x++) {
        uint32_t c = 0;
        for (bool fits = false; c < classes && !fits; c += !fits) {
            fits = true;
            for (uint32_t y = 0; y < others && fits; y++) {
                unsigned char a = *cell_at(p, side, x, y), b = *cell_at(p, side, leader[c], y);
                fits = a == PAIR_UNSEEN || b == PAIR_UNSEEN || a == b;
            }
        }
        if (c == classes) leader[classes++] = x;
        for (uint32_t y = 0; y < others; y++)
            if (*cell_at(p, side, x, y) != PAIR_UNSEEN)
                *cell_at(p, side, leader[c], y) = *cell_at(p, side, x, y);
        p->class[side][x] = atom_int(c);
    }
    p->leader[side] = leader;
    p->class_count[side] = classes;
    budget_poll(arena_budget(arena));
}
