/* flow_layout.h: where everything of a flow picture stands; for the files of the picture alone.
 *
 * Lengths are in pixels.  First panels are measured, then put into lines, then all is stacked from
 * top to bottom; the wires' lanes at the left come last, and with them how far right the rest is.
 */
#ifndef RASP_SHOW_FLOW_LAYOUT_H
#define RASP_SHOW_FLOW_LAYOUT_H

#include "show/scene.h"

enum {
    FLOW_MARGIN = 18,
    FLOW_ROW = 24, /* height of a row of values */
    FLOW_ROW_STEP = 28,
    FLOW_LABEL = 14,   /* height of a line of small text */
    FLOW_CELLS = 18,   /* height of keys and values beside a grid */
    FLOW_PAD = 12,     /* within a panel */
    FLOW_TRACK = 7,    /* between two wires */
    FLOW_HEADING = 26, /* a layer's title */
    FLOW_SMALL = 10,   /* font sizes */
    FLOW_TEXT = 12,
};

typedef struct FlowStrip {
    double at, width; /* a column of queries or results: x, from the panel's left */
} FlowStrip;

typedef struct FlowPort {
    double y;     /* from the panel's top */
    uint32_t row; /* where it comes from or goes to */
    double x;     /* of its track in the gutter */
} FlowPort;

typedef struct FlowPanel {
    double x, y, width, height;
    double grid_x, grid_y, cell_width, cell_height; /* from the panel's corner */
    FlowStrip query[SCENE_LEAVES], *result;
    FlowPort *input;  /* of keys, queries, values that are rows */
    FlowPort *output; /* one a result */
    size_t input_count;
} FlowPanel;

/* Panels side by side, wires above and below them. */
typedef struct FlowLine {
    size_t first, count;
    double above, top, below; /* y of the first channel, the panels, the second channel */
    uint32_t *above_row;      /* which row's wire is in which track of the channel above */
    size_t above_count, below_count;
} FlowLine;

typedef struct FlowLayerBox {
    double y, height;
    size_t first_line, line_count;
} FlowLayerBox;

/* A wire down the left side: of a row to its readers, or of a head's result to its row. */
typedef struct FlowLane {
    double from, to; /* y */
    double x;
    bool used;
} FlowLane;

typedef struct FlowLayout {
    const Scene *scene;
    double left;          /* x of rows and of the first gutter */
    double label, column; /* widths in rows: of names, of a value */
    double formula;       /* of formulas */
    double width, height; /* of the picture */
    double *row_y;        /* [row_count] */
    FlowPanel *panels;    /* [panel_count] */
    FlowLine *lines;
    size_t line_count;
    FlowLayerBox *layers;             /* [layer_count] */
    FlowLane *row_lane, *result_lane; /* [row_count] */
} FlowLayout;

FlowLayout flow_layout(const Scene *scene);

/* The y at which the wire from source `source` reaches row `row`, and at which it leaves its own.
 */
double flow_row_in(const FlowLayout *layout, size_t row, size_t k);
double flow_row_out(const FlowLayout *layout, size_t row);
/* The y of a row's wire in the channel above a line. */
double flow_track(const FlowLine *line, uint32_t row);
/* The y of the wire of result k of panel p in the channel below its line. */
double flow_result_track(const FlowLayout *layout, const FlowLine *line, size_t p, size_t k);

#endif
