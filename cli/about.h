/* about.h: what a program says of itself in comments: what it does, where it is from, and what it
 * must print.
 *
 *     # Sorts the tokens by code point. A token moves to the position that equals the
 *     # number of tokens that must stand before it.
 *     # source: Weiss et al., "Thinking Like Transformers", 2021
 *     # example: "hello" -> [e, h, l, l, o]
 *     # example: indices + 1 on "ab" -> [1, 2]
 *
 * The opening comment ends with the first line that is none, or that is a setting (`source:`). */
#ifndef RASP_CLI_ABOUT_H
#define RASP_CLI_ABOUT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Example {
    uint32_t line;          /* from 1 */
    const char *expression; /* NULL: the program's result */
    const char *input;      /* as a command line would have it; NULL: the line is no example */
    bool is_string;         /* the input was in double quotes */
    const char *expected;
} Example;

typedef struct About {
    const char *path, *text; /* the whole file */
    size_t length;
    const char *comment; /* the opening comment in one line, or "" */
    const char *summary; /* its first sentence, without the full stop */
    const char *source;  /* or "" */
} About;

/* An exit status, after a message if it is not EXIT_FINE. */
int about_read(Arena *arena, const char *path, About *about);
/* The same of a text that has been read. */
About about_text(Arena *arena, const char *path, const char *text, size_t length);

const Example *about_examples(Arena *arena, const About *about, size_t *count);

#endif
