#include "compile/values/cone.h"

#include "graph/token.h"

#include <string.h>

enum { MOST_CELLS = 1 << 22 };

static const uint32_t NEVER = UINT32_MAX;       /* fails, or is no value of the s-op */
static const uint32_t UNKNOWN = UINT32_MAX - 1; /* not yet computed */

struct ConeTable {
    uint32_t *result; /* by the levels of the arguments, or by their variants where kinds differ */
    bool kinds[OP_MAX_ARITY];
    uint32_t stride[OP_MAX_ARITY];
};

/* --- the nodes between ------------------------------------------------------------------ */

/* Sources, and nodes of one value: nothing below them is computed. */
static bool is_leaf(const Values *values, NodeId id) {
    NodeKind kind = graph_node(values->graph, id)->kind;
    const Entry *entry = id < values->entry_count ? values->entry[id] : NULL;
    return kind == NODE_AGGREGATE || kind == NODE_WIDTH || (entry && entry->sum_source) ||
           (entry && entry->values.known && values_fixed(&entry->values));
}

/* The arguments; a converted token is a function of the token itself. */
static uint32_t arguments(const Values *values, NodeId id, NodeId *arg) {
    const Node *node = graph_node(values->graph, id);
    if (is_leaf(values, id)) return 0;
    for (int k = 0; k < node->arity; k++) arg[k] = node->arg[k];
    if (node->kind != NODE_TOKENS || id == values->tokens) return (uint32_t)node->arity;
    arg[0] = values->tokens;
    return 1;
}

/* By node up to the topmost root: is it in the cone? */
static bool *find_cone(const Values *values, const NodeId *roots, uint32_t root_count,
                       const NodeId *basis, uint32_t basis_count, NodeId *top, Arena *arena) {
    *top = 0;
    for (uint32_t k = 0; k < root_count; k++)
        if (roots[k] > *top) *top = roots[k];
    bool *wanted = ARENA_ARRAY(arena, (size_t)*top + 1, bool);
    for (uint32_t k = 0; k < root_count; k++) wanted[roots[k]] = true;
    for (NodeId id = *top + 1; id-- > 0;) {
        if (wanted[id] && nodes_contain(basis, basis_count, id)) wanted[id] = false;
        if (!wanted[id]) continue;
        NodeId arg[OP_MAX_ARITY];
        for (uint32_t k = arguments(values, id, arg); k-- > 0;) wanted[arg[k]] = true;
    }
    return wanted;
}

/* --- tables ----------------------------------------------------------------------------- */

/* The s-op's table, made if there is none and `points` pay for it. */
static ConeTable *table_of(Values *values, const ConeStep *step, double points) {
    Entry *entry = values_entry(values, step->id);
    if (entry->cone) return entry->cone;
    double cells = 1;
    ConeTable table = {0};
    for (uint32_t k = 0; k < step->arity; k++) {
        const Entry *arg = values_entry(values, step->arg[k]);
        table.stride[k] = (uint32_t)cells;
        table.kinds[k] = !arg->single_kinds;
        cells *= (double)arg->values.count * (table.kinds[k] ? KIND_COUNT : 1);
        if (cells > MOST_CELLS || cells > 4 * points) return NULL;
    }
    table.result = ARENA_ARRAY(values->arena, (size_t)cells, uint32_t);
    for (size_t k = 0; k < (size_t)cells; k++) table.result[k] = UNKNOWN;
    entry->cone = ARENA_NEW(values->arena, ConeTable);
    *entry->cone = table;
    return entry->cone;
}

/* --- making ----------------------------------------------------------------------------- */

static bool is_function(const Values *values, NodeId id) {
    NodeKind kind = graph_node(values->graph, id)->kind;
    return kind == NODE_CONSTANT || kind == NODE_MAP || kind == NODE_LOOKUP ||
           (kind == NODE_TOKENS && id != values->tokens);
}

/* What has one value: its slot is set once. */
static void set_fixed(Cone *cone, NodeId id) {
    const NodeValues *v = &cone->values->entry[id]->values;
    if (v->count == 0)
        cone->empty = true;
    else
        cone->values->slot[id] = variant_of(0, (KindBits)v->kinds[0]);
}

static bool is_fixed(const Values *values, NodeId id) {
    const NodeValues *v = &values->entry[id]->values;
    return v->known && values_fixed(v);
}

static ConeStep make_step(Values *values, NodeId id, double points) {
    ConeStep step = {.id = id, .computed = is_function(values, id)};
    step.arity = arguments(values, id, step.arg);
    if (step.arity) step.table = table_of(values, &step, points);
    return step;
}

Cone *cone_new(Values *values, const NodeId *roots, uint32_t root_count, const NodeId *basis,
               uint32_t basis_count, NodeId where, double points, Arena *arena) {
    NodeId top;
    bool *wanted = find_cone(values, roots, root_count, basis, basis_count, &top, arena);
    Cone *cone = ARENA_NEW(arena, Cone);
    *cone = (Cone){.values = values, .basis = basis, .basis_count = basis_count, .where = where};
    values->slot = arena_grow(values->arena, values->slot, &values->slot_count,
                              graph_count(values->graph), sizeof *values->slot);
    uint32_t *fastest = ARENA_ARRAY(arena, (size_t)top + 1, uint32_t), total = 0;
    cone->start = ARENA_ARRAY(arena, (size_t)basis_count + 2, uint32_t);
    for (NodeId id = 0; id <= top; id++) {
        fastest[id] = basis_count;
        for (uint32_t k = basis_count; k-- > 0;)
            if (basis[k] == id) fastest[id] = k;
        if (!wanted[id]) continue;
        wanted[id] = !is_fixed(values, id);
        if (!wanted[id]) set_fixed(cone, id);
        NodeId arg[OP_MAX_ARITY];
        for (uint32_t k = arguments(values, id, arg); k-- > 0;)
            if (fastest[arg[k]] < fastest[id]) fastest[id] = fastest[arg[k]];
        if (wanted[id]) cone->start[fastest[id] + 1]++, total++;
    }
    for (uint32_t k = 0; k <= basis_count; k++) cone->start[k + 1] += cone->start[k];
    uint32_t *place = ARENA_ARRAY(arena, (size_t)basis_count + 1, uint32_t);
    memcpy(place, cone->start, ((size_t)basis_count + 1) * sizeof *place);
    cone->step = ARENA_ARRAY(arena, total, ConeStep);
    for (NodeId id = 0; id <= top; id++)
        if (wanted[id]) cone->step[place[fastest[id]]++] = make_step(values, id, points);
    return cone;
}

/* --- running ---------------------------------------------------------------------------- */

static Atom atom_at(const Values *values, NodeId id) {
    uint32_t variant = values->slot[id], level = variant_level(variant);
    const NodeValues *v = &values->entry[id]->values;
    return kind_is_single(v->kinds[level]) ? v->levels[level]
                                           : kind_variant(v->levels[level], variant_kind(variant));
}

static FaultId apply(Values *values, const ConeStep *step, Atom *result) {
    const Node *node = graph_node(values->graph, step->id);
    Intern *intern = graph_intern(values->graph);
    Atom arg[OP_MAX_ARITY];
    for (uint32_t k = 0; k < step->arity; k++) arg[k] = atom_at(values, step->arg[k]);
    if (node->kind == NODE_CONSTANT) {
        *result = node->atom;
        return FAULT_NONE;
    }
    if (node->kind == NODE_TOKENS) return token_convert(node->tokens, arg[0], intern, result);
    if (node->kind == NODE_LOOKUP) return lookup_eval(node->lookup, arg[0], result);
    return op_eval(node->op, arg, intern, result);
}

/* The variant of the value; what an s-op that is known has on no input belongs to none. */
static uint32_t compute(Cone *cone, const ConeStep *step) {
    Values *values = cone->values;
    Atom value;
    if (apply(values, step, &value) != FAULT_NONE) return NEVER;
    KindBits kind = kind_bit(value);
    if (values->entry[step->id]->values.known) {
        uint32_t level = entry_find(values, step->id, value);
        bool can = level != UINT32_MAX && (values->entry[step->id]->kinds[level] & kind);
        return can ? variant_of(level, kind) : NEVER;
    }
    uint32_t level = entry_level(values, step->id, value);
    cone->stopped |= level == UINT32_MAX;
    return level == UINT32_MAX ? NEVER : variant_of(level, kind);
}

static uint32_t look_up(Cone *cone, const ConeStep *step) {
    const ConeTable *table = step->table;
    if (!table) return step->computed ? compute(cone, step) : NEVER;
    size_t at = 0;
    for (uint32_t k = 0; k < step->arity; k++) {
        uint32_t variant = cone->values->slot[step->arg[k]], level = variant_level(variant);
        at += (size_t)table->stride[k] *
              (table->kinds[k] ? level * KIND_COUNT + (variant & 7) : level);
    }
    if (table->result[at] == UNKNOWN) table->result[at] = compute(cone, step);
    return table->result[at];
}

/* The steps that hang on this one of the basis and on slower ones. */
static bool take_steps(Cone *cone, uint32_t fastest) {
    Values *values = cone->values;
    for (uint32_t k = cone->start[fastest]; k < cone->start[fastest + 1]; k++) {
        const ConeStep *step = &cone->step[k];
        uint32_t variant = look_up(cone, step);
        if (variant == NEVER) return false;
        values->slot[step->id] = variant;
        if (step->id == cone->where &&
            !atom_truth(values->entry[step->id]->levels[variant_level(variant)]))
            return false;
    }
    return true;
}

static bool run_from(Cone *cone, uint32_t k, const ConeRange *range, ConeVisit *visit,
                     void *context) {
    Values *values = cone->values;
    uint32_t *slot = &values->slot[cone->basis[k]];
    bool where = cone->basis[k] == cone->where;
    for (uint32_t m = 0; m < range[k].count; m++) {
        *slot = range[k].variant[m];
        if (where && !atom_truth(atom_at(values, cone->where))) continue;
        bool valid = take_steps(cone, k);
        if (cone->stopped) return false;
        if (!valid) continue;
        if (k == 0 ? !visit(values, context) : !run_from(cone, k - 1, range, visit, context))
            return false;
    }
    budget_poll(arena_budget(values->arena));
    return true;
}

bool cone_run(Cone *cone, const ConeRange *range, ConeVisit *visit, void *context) {
    Values *values = cone->values;
    for (uint32_t k = 0; k < cone->basis_count; k++)
        if (range[k].count == 0) return true;
    if (cone->where != NODE_NONE && is_fixed(values, cone->where) &&
        (cone->empty || !atom_truth(atom_at(values, cone->where))))
        return true;
    if (cone->empty || !take_steps(cone, cone->basis_count)) return !cone->stopped;
    if (cone->basis_count == 0) return visit(values, context);
    return run_from(cone, cone->basis_count - 1, range, visit, context);
}
