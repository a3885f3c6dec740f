/* print.h: results as text: the REPL's formats (language.md section 13, byte for byte) and
 * the plain ones of `rasp run`. */
#ifndef RASP_CLI_PRINT_H
#define RASP_CLI_PRINT_H

#include "api/rasp_repl.h"
#include "base/arena.h"

#include <stdio.h>

/* --- values on one line ----------------------------------------------------------------- */

enum { PRINT_DECIMALS = 3 }; /* of floats in the REPL */

/* Strings that read as numbers: as they are, or in quotes. */
typedef enum PrintStrings { STRINGS_BARE, STRINGS_QUOTED } PrintStrings;
/* A value; floats with so many decimals, negative: in full.  Strings bare, bools as T and F. */
void print_value(FILE *out, RaspAtom value, int precision);
/* One of a list: strings that read as numbers in quotes. */
void print_element(FILE *out, RaspAtom value, int precision);
/* "[2, 2, 1]", as `rasp run` shows an output. */
void print_values(FILE *out, const RaspSequence *values, int precision, PrintStrings strings);
/* A value as a text. */
const char *print_cell(Arena *arena, RaspAtom value, int precision);
/* An atom's text, for a message. */
const char *print_text(RaspAtom atom, RaspStyle style);

/* --- the REPL's results ----------------------------------------------------------------- */

typedef struct Printer {
    FILE *out;
    bool friendly; /* on a terminal: our messages, with the place, and lines that fit; else the
                      reference's, byte for byte */
    bool colour;
    /* Writes the picture of `draw` (draw.h); NULL: none is made. */
    void (*draw)(RaspRepl *repl, RaspValue sop, RaspValue input);
} Printer;

/* Events that print everything a session gives; the printer outlives them. */
RaspEvents print_events(Printer *printer);

#endif
