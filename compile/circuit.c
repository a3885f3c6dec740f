#include "compile/circuit.h"

#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>

bool circuit_embedded(const CircuitPart *part) {
    return part->origin == FROM_TOKEN || part->origin == FROM_POSITION;
}

const char *circuit_text(const Circuit *circuit, NodeId node, size_t limit, Arena *arena) {
    return graph_text(circuit->graph, node, limit, arena);
}

const char *circuit_name(const Circuit *circuit, NodeId node, size_t limit, Arena *arena) {
    const Str *name = graph_node(circuit->graph, node)->name;
    return name ? name->text : circuit_text(circuit, node, limit, arena);
}

double table_value(const CircuitTable *table, uint32_t o, double x) {
    const TableShape *shape = &table->shape;
    double value = shape->base[o];
    for (uint32_t u = 0; u < shape->unit_count; u++) {
        double a = shape->units[u].sign * (x - shape->units[u].at);
        if (a > 0) value += shape->factor[u * table->output_count + o] * a;
    }
    return value;
}

/* A sum with a bound on what its doubles lose. */
typedef struct Careful {
    double sum, lost, size;
} Careful;

static void add_carefully(Careful *c, double x, double lost) {
    c->lost += lost + sum_lost(c->sum, x);
    c->size += fabs(x);
    c->sum += x;
}

double table_off(const CircuitTable *table, uint32_t o, double x, double value) {
    const TableShape *shape = &table->shape;
    Careful c = {.sum = shape->base[o], .size = fabs(shape->base[o]) + fabs(value)};
    add_carefully(&c, -value, 0);
    for (uint32_t u = 0; u < shape->unit_count; u++) {
        const TableUnit *unit = &shape->units[u];
        double a = x - unit->at, f = unit->sign * shape->factor[u * table->output_count + o];
        if (unit->sign * a <= 0 || f == 0) continue;
        double product = f * a;
        add_carefully(&c, product, fma(f, a, -product) + f * sum_lost(x, -unit->at));
    }
    double off = fabs(c.sum + c.lost); /* beyond that: errors of errors */
    return c.lost == 0 ? off : off * (1 + DBL_EPSILON) + shape->unit_count * 0x1p-96 * c.size;
}

double table_slope(const CircuitTable *table, uint32_t o, double x, double reach) {
    const TableShape *shape = &table->shape;
    double slope = 0, largest;
    for (uint32_t u = 0; u < shape->unit_count; u++) {
        double f = shape->factor[u * table->output_count + o], at = shape->units[u].at;
        if (shape->units[u].sign > 0 ? at < x - reach : at > x - reach)
            slope += shape->units[u].sign * f;
    }
    largest = fabs(slope);
    /* Units are ordered by `at`: walk the bends inside the window. */
    for (uint32_t u = 0; u < shape->unit_count; u++) {
        double at = shape->units[u].at;
        if (at < x - reach || at > x + reach) continue;
        slope += fabs(shape->units[u].sign) * shape->factor[u * table->output_count + o];
        largest = fmax(largest, fabs(slope));
    }
    return largest;
}
