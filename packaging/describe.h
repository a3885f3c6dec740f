/* describe.h: what a subcommand's --help knows, as data, for manual pages and completion.
 *
 * A subcommand's options and texts are the struct argp that it hands to argp_parse.  The generator
 * is linked with -Wl,--wrap=argp_parse, so it runs the subcommand and is handed them instead.  The
 * words that an option takes are those that its error lists: "--plan expects 'auto' or 'naive'". */
#ifndef RASP_PACKAGING_DESCRIBE_H
#define RASP_PACKAGING_DESCRIBE_H

#include "base/arena.h"

#include <stdbool.h>

enum { MOST_NAMES = 4, MOST_OPTIONS = 64, MOST_WORDS = 32 };

typedef struct Option {
    const char *names[MOST_NAMES + 1]; /* "-o", "--output"; none: a heading, which `text` is */
    const char *value;                 /* what --help calls it; NULL: the option takes none */
    bool value_optional;
    const char *text;
    const char *words[MOST_WORDS + 1]; /* the values there are; none: any */
    int group;
} Option;

typedef struct Description {
    const char *name; /* "run", "lab kernel" */
    const char *summary;
    const char *arguments;      /* "PROGRAM|WEIGHTS [INPUT...]", or "" */
    const char *before, *after; /* the text above the options and below, or "" */
    Option options[MOST_OPTIONS];
    size_t option_count;
    const char *words[MOST_WORDS + 1]; /* what may stand for the first argument, beside files */
} Description;

/* Every subcommand and what is below it, in the order of --help. */
Description **describe_all(Arena *arena, size_t *count);

#endif
