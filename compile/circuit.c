#include "compile/circuit.h"

#include <math.h>

bool circuit_embedded(const CircuitPart *part) {
    return part->origin == FROM_TOKEN || part->origin == FROM_POSITION;
}

const char *circuit_text(const Circuit *circuit, NodeId node, size_t limit, Arena *arena) {
    return graph_text(circuit->graph, node, limit, arena);
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
        slope += shape->factor[u * table->output_count + o];
        largest = fmax(largest, fabs(slope));
    }
    return largest;
}
