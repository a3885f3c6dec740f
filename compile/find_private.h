/* find_private.h: what the files of find share. */
#ifndef RASP_COMPILE_FIND_PRIVATE_H
#define RASP_COMPILE_FIND_PRIVATE_H

#include "compile/find.h"

/* --- the sample (find_sample.c) ---------------------------------------------------------- */

typedef struct SampleInput {
    const Atom *tokens;
    size_t *ids;
    uint32_t length;
    uint32_t cell; /* its first; cells are positions of inputs, in order */
    size_t pair;   /* its first; pairs are queries with keys */
} SampleInput;

/* What a head does, by its weights. */
typedef struct HeadSeen {
    bool *selected;            /* by pair */
    size_t counted, defaulted; /* rows with a selection, whose sink has a key's weight, or none */
} HeadSeen;

typedef struct Sample {
    const Model *model;
    SampleInput *inputs;
    uint32_t count, cells;
    size_t pairs;
    uint32_t times;       /* after the embedding, then each layer's heads and sublayers */
    double **h;           /* by time: [cells, W] */
    double **row0;        /* by time: [W] */
    uint32_t *layer_time; /* by layer: the time after its heads */
    uint32_t *layer_head; /* by layer: its first head's number */
    HeadSeen *heads;
} Sample;

/* Runs the model on inputs of the domain on which the outputs have values.  False: there are none,
 * or the model cannot be run. */
bool sample_make(Sample *sample, const Model *model, const Graph *graph, const Domain *domain,
                 const NodeId *outputs, Arena *arena);

/* --- s-ops on the sample (find_match.c) -------------------------------------------------- */

typedef struct Candidate {
    NodeId node;
    double *number;  /* by cell; NULL: not all are numbers */
    uint32_t *class; /* by cell: equal values have one number */
    uint32_t classes;
    Atom *level; /* by class */
    double gap;  /* least distance of two numbers */
    bool *cells; /* of a selector: by pair; the others NULL then */
} Candidate;

typedef struct Matcher {
    const Sample *sample;
    Graph *graph;
    Arena *arena;
    Candidate *list;
    size_t count, room;
    size_t sops; /* the program's; what pieces make of its selectors is behind */
    FindOrder order;
} Matcher;

/* The nodes below the outputs, and what pieces may make of them. */
void match_begin(Matcher *m, const Sample *sample, Graph *graph, const NodeId *outputs,
                 uint32_t output_count, Arena *arena);
/* The node on the sample; NULL: it fails somewhere. */
const Candidate *match_node(Matcher *m, NodeId node);
/* y [cells] as scale * s-op + offset: the s-op, or NODE_NONE. */
bool match_affine(const Matcher *m, const Candidate *c, const double *y, double *scale,
                  double *offset);
NodeId match_number(const Matcher *m, const double *y);
bool match_constant(const Matcher *m, const double *y);
/* Is y the same wherever the s-op is?  value [classes]: what it is then. */
bool match_classes(const Matcher *m, const Candidate *c, const double *y, double *value);
NodeId match_selector(Matcher *m, const bool *selected);

#endif
