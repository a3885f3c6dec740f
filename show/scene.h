/* scene.h: a program's graph on one input, ordered as it is shown: layer by layer, in each the
 * heads with their selection grids, then the s-ops as rows of values.
 *
 * Not shown are constants, and nameless elementwise s-ops that one other elementwise s-op alone
 * uses: they are in the formula of that one.  Of inputs beyond 64 positions the positions are put
 * into bins of equal size (the last may have fewer): a row has the value of each bin's first.
 */
#ifndef RASP_SHOW_SCENE_H
#define RASP_SHOW_SCENE_H

#include "api/rasp_graph.h"
#include "base/arena.h"

enum { SCENE_POSITIONS = 64, SCENE_LEAVES = 4 };

typedef struct SceneRow {
    uint32_t node;
    const char *label;   /* its name, or in source form; unlike that of every other row */
    const char *formula; /* how it is made; NULL: the label says that */
    const RaspSequence *values;
    bool answer;             /* one of those asked for */
    const uint32_t *sources; /* rows that it is made from without attention; by number */
    size_t source_count;
    size_t panel; /* of an aggregate or width: where it is a result; else SCENE_NOWHERE */
} SceneRow;

#define SCENE_NOWHERE SIZE_MAX

/* A distinct selector of a layer. */
typedef struct ScenePanel {
    uint32_t selector;
    const char *title;                                  /* its name and how it is made */
    const bool *cells;                                  /* [length * length]: row i, key j */
    uint32_t keys[SCENE_LEAVES], queries[SCENE_LEAVES]; /* nodes: those of the first comparisons */
    size_t key_count, query_count;
    bool more;               /* there are further comparisons */
    const uint32_t *values;  /* nodes that it moves, each once */
    const uint32_t *results; /* rows */
    size_t value_count, result_count;
} ScenePanel;

typedef struct SceneLayer {
    size_t first_panel, panel_count, first_row, row_count;
} SceneLayer;

typedef struct Scene {
    RaspGraph *graph;
    const RaspGraphNode *nodes;
    size_t count;
    Arena *arena;
    size_t length, bin, shown; /* positions, those of a bin, bins */
    SceneRow *rows;
    ScenePanel *panels;
    SceneLayer *layers; /* [layer_count]: from 0, the input's */
    size_t row_count, panel_count, layer_count;
    uint32_t *row_of; /* [count]: RASP_NO_NODE: it has none */
} Scene;

/* names[k]: what the k-th s-op is called that the graph was made from.  Of a graph without input
 * there are no values and no cells.  False and the error: something cannot be computed. */
bool scene_new(RaspGraph *graph, const char *const *names, size_t count, Arena *arena, Scene *scene,
               RaspError *error);

/* Instead of bins the first positions, at most so many. */
void scene_crop(Scene *scene, size_t positions);

/* Value k of those shown, as text: floats with three decimals, blanks visible. */
const char *scene_value(const Scene *scene, const RaspSequence *values, size_t k);
/* The values of a node that is no selector; constants have them, too. */
const RaspSequence *scene_values(const Scene *scene, uint32_t node);
/* What a node is called, row or not. */
const char *scene_label(const Scene *scene, uint32_t node);
/* Is the value shown at k true? */
bool scene_true(const Scene *scene, const RaspSequence *values, size_t k);
/* The share of the pairs that are selected in a cell of the grid that is shown. */
double scene_cell(const Scene *scene, const ScenePanel *panel, size_t i, size_t j);

#endif
