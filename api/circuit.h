/* circuit.h: the compiler's circuit as the public one; for the files of api/ alone. */
#ifndef RASP_API_CIRCUIT_H
#define RASP_API_CIRCUIT_H

#include "api/rasp_circuit.h"

#include "base/source.h"
#include "compile/compile.h"

/* A circuit in the making: what its const pointers point to, and where its pieces are in the
 * model's layout. */
typedef struct CircuitView {
    const Circuit *from;
    const Model *model; /* in its layout */
    bool standard;      /* which is that one */
    Values *values;
    const SourceMap *sources;
    Arena *arena;
    RaspCircuit *made;
    RaspCircuitColumn *columns;
    RaspCircuitHead *heads;
    RaspCircuitTable *tables;
    RaspCircuitClear *clears;
    RaspCircuitOutput *outputs;
    uint32_t *column_of; /* by part of the circuit; RASP_NONE: nothing is made of it */
    uint32_t *layer_at;  /* by layer of the circuit: the model's first layer of it */
    uint32_t *step_at;   /* by layer of the model: the step after its heads */
    uint32_t *sop_of;    /* by graph node; RASP_NONE: not in the list */
} CircuitView;

/* The step after sublayer `sublayer` (-1: after the heads) of a layer of the circuit. */
uint32_t view_step(const CircuitView *view, uint32_t layer, int sublayer);

/* Lists, in the view's arena. */
void view_sops(CircuitView *view);
/* Needs the lists of columns, heads, tables, clears and outputs; completes the columns. */
void view_nodes(CircuitView *view);

/* All of it, in `arena`. */
const RaspCircuit *circuit_view(const Compiled *compiled, const Model *model, bool standard,
                                const SourceMap *sources, Arena *arena);

#endif
