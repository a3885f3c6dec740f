/* find_walk.h: what the walk knows (find.c), and what it asks of it (find_held.c, find_table.c). */
#ifndef RASP_COMPILE_FIND_WALK_H
#define RASP_COMPILE_FIND_WALK_H

#include "compile/find_private.h"

#include "compile/values/values.h"

enum { HELD_MOST = 6 };

/* What a dimension holds: a sum of factor * s-op, but for a constant. */
typedef struct Held {
    struct {
        NodeId node;
        double factor;
    } term[HELD_MOST];
    uint32_t count;
    bool unknown; /* and something else */
} Held;

typedef struct Finder {
    const Model *model;
    Graph *graph;
    Arena *arena;
    bool own;
    Found *found;
    Sample sample;
    Matcher match;
    Values *values;
    Held *held; /* by dimension, now */
    CircuitPart *parts;
    CircuitHead *heads;
    CircuitTable *tables;
    CircuitClear *clears;
    size_t part_room, head_room, table_room, clear_room;
} Finder;

void held_add(Finder *f, Held *held, size_t d, NodeId node, double factor);
/* Sum of weight * dimension, and one dimension alone, at a time: [cells]. */
double *find_reading(Finder *f, uint32_t time, const double *weights);
double *find_column(Finder *f, uint32_t time, size_t d);
/* The s-op that this reading, whose numbers are y, is an image of; or NODE_NONE. */
NodeId find_read(Finder *f, uint32_t time, const double *weights, const double *y);
/* Bools are added and averaged as numbers. */
NodeId find_number(Finder *f, NodeId node);
/* The s-op that looks `of` up: numbers of these, made simple; NODE_NONE: they are one number. */
NodeId find_code(Finder *f, NodeId of, const Atom *keys, const double *numbers, size_t count);

/* When the dimension, written at a time, is last read before it is written again; false: never. */
bool find_last(const Finder *f, size_t d, Stage born, Stage *last);
uint32_t find_part(Finder *f, CircuitPart part);
/* Gives the parts from `first` on the dimensions that hold them alone, and are read. */
void find_places(Finder *f, uint32_t first);

void find_note(Finder *f, bool found, const NodeId *nodes, uint32_t count, const char *place,
               const char *text);
const char *find_text(const Finder *f, NodeId node);

void find_sublayer(Finder *f, uint32_t layer, uint32_t sublayer);

#endif
