/* sources.h: the files that a program was read from, kept: a certificate holds all of them. */
#ifndef RASP_CLI_SOURCES_H
#define RASP_CLI_SOURCES_H

#include "api/rasp.h"
#include "base/arena.h"

typedef struct SourceFile {
    const char *path, *text;
    size_t length;
} SourceFile;

typedef struct Sources {
    Arena *arena;
    SourceFile *files; /* in the order in which they were read; the program is the first */
    size_t count, room;
} Sources;

/* For RaspConfig.read: the file system's, and what was read is kept in `context`, a Sources. */
RaspRead sources_read;

/* All of standard input, from malloc: 0, or an errno. */
int sources_standard_input(char **text, size_t *length);

#endif
