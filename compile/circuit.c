#include "compile/circuit.h"

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
