/* generate_output.h: where `rasp generate` puts what it makes: the sources, for people; a folder,
 * or lines of JSON with all in them.  docs/generate.md. */
#ifndef RASP_CLI_GENERATE_OUTPUT_H
#define RASP_CLI_GENERATE_OUTPUT_H

#include "api/rasp_generate.h"
#include "base/shard.h"

#include <stdio.h>

typedef struct Made {
    uint64_t number; /* among all that behave differently, from 1 */
    uint64_t seed;   /* of rasp_random_program */
    const char *text;
    RaspRandomInfo info;
    RaspModel *model;
} Made;

typedef struct Library {
    const char *folder; /* or NULL */
    const char *lines;  /* JSON lines with all in them: a file, "-"; or NULL */
    FILE *index;        /* the lines, of either; NULL: sources are printed */
} Library;

/* Exit statuses, after a message.  A line is written when all that it names is there. */
int library_open(Library *library, Shard shard);
int library_add(Library *library, const Made *made);
int library_close(Library *library);

#endif
