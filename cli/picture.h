/* picture.h: pictures of show/ on their way to files. */
#ifndef RASP_CLI_PICTURE_H
#define RASP_CLI_PICTURE_H

#include "api/rasp_circuit.h"
#include "api/rasp_graph.h"
#include "base/arena.h"

#include <stdio.h>

typedef enum PictureFormat { PICTURE_SVG, PICTURE_HTML, PICTURE_PNG, PICTURE_DOT } PictureFormat;

/* What the path's suffix says; false, after a message, if it says nothing. */
bool picture_format(const char *path, PictureFormat *format);

/* What `write` writes, in one block for rasp_free.  The arena's memory lasts as long as the call;
 * when it is used up, or `write` gives false, NULL and the error. */
typedef bool PictureWriter(FILE *out, Arena *arena, void *context, RaspError *error);
char *picture_text(PictureWriter *write, void *context, RaspError *error);

/* The text of an SVG picture (of DOT, for that) in a file of the format; path NULL: on standard
 * output.  An exit status, after a message if not EXIT_FINE. */
int picture_save(const char *path, PictureFormat format, const char *title, const char *text);

/* Writes how the s-ops that the graph was made from come about: names[k] is the k-th one's. */
typedef struct FlowPicture {
    RaspGraph *graph;
    const char *const *names;
    size_t count;
    const char *title;
} FlowPicture;
PictureWriter picture_flow; /* context: FlowPicture */

/* Writes a compiled transformer as a score sheet. */
typedef struct ModelPicture {
    const RaspCircuit *circuit;
    const char *title;
} ModelPicture;
PictureWriter picture_model; /* context: ModelPicture */

#endif
