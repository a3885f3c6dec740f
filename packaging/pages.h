/* pages.h: what is written from descriptions and the table of words. */
#ifndef RASP_PACKAGING_PAGES_H
#define RASP_PACKAGING_PAGES_H

#include "packaging/describe.h"

#include <stdio.h>

/* What there is to write about. */
typedef struct Subject {
    Description **commands;
    size_t count;
    char **programs; /* names of the bundled ones; the last is NULL */
    const char *version, *date;
} Subject;

/* "rasp-lab-kernel"; valid until the next call. */
const char *man_name(const Description *description);
/* Manual pages, in the man macros; `rasp` itself, and a subcommand. */
void man_overview(FILE *out, const Subject *subject);
void man_command(FILE *out, const Subject *subject, const Description *description);

/* What stands for @NAME@ in a template. */
typedef struct Piece {
    const char *name;
    void (*write)(FILE *out, const Subject *subject);
} Piece;

/* The last has no name. */
extern const Piece completion_pieces[]; /* of shells */
extern const Piece editor_pieces[];     /* of editors */

#endif
