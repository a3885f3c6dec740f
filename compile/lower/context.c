#include "compile/lower/context.h"

#include "compile/values/numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

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

bool lower_has_digits(const Lower *lower) {
    return lower->digits;
}
const Part *lower_part(const Lower *lower, uint32_t part) {
    return &lower->part[part];
}
uint32_t lower_part_count(const Lower *lower) {
    return (uint32_t)lower->part_count;
}
const HeadPlan *lower_head(const Lower *lower, uint32_t head) {
    return lower->head[head];
}
uint32_t lower_head_count(const Lower *lower) {
    return (uint32_t)lower->head_count;
}
const ScanPlan *lower_scan(const Lower *lower, uint32_t scan) {
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

/* In terms of the option: some limits are a multiple of it. */
static const char *raise_limit(const Lower *lower, const ValuesError *e) {
    uint32_t option = lower_options(lower).table_limit;
    if (!e->raisable) return "a smaller alphabet or --max-length needs fewer";
    bool multiple = e->limit > option && fmod(e->limit, option) == 0;
    return arena_format(
        lower->arena,
        "%s--table-limit=%u: raise it; a smaller alphabet or --max-length needs "
        "fewer",
        multiple ? arena_format(lower->arena, "%.0f for each of ", e->limit / option) : "", option);
}

bool lower_fail_values(Lower *lower) {
    const ValuesError *e = values_error(lower->values);
    return lower_fail(lower, e->node, "too many %s: %.0f, the limit is %.0f (%s)", e->what, e->size,
                      e->limit, raise_limit(lower, e));
}

double feature_number(Atom value) {
    return number_is_exact(value) ? atom_double(value) : NAN;
}

Stage lower_stage(const Lower *lower, Form form) {
    Stage latest = {0, 0};
    for (uint32_t k = 0; k < form.count; k++) {
        Stage s = lower->part[form.terms[k].part].stage;
        if (stage_before(latest, s)) latest = s;
    }
    return latest;
}

uint32_t add_part(Lower *lower, Part part) {
    lower->part = arena_grow(lower->arena, lower->part, &lower->part_capacity,
                             lower->part_count + 1, sizeof part);
    lower->part[lower->part_count] = part;
    return (uint32_t)lower->part_count++;
}

Atom number_atom(double number) {
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
