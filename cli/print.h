/* print.h: results as text: the REPL's formats (language.md section 13, byte for byte) and
 * the plain ones of `rasp run`. */
#ifndef RASP_CLI_PRINT_H
#define RASP_CLI_PRINT_H

#include "api/rasp.h"

#include <stdio.h>

/* --- values on one line ----------------------------------------------------------------- */

/* One of them; floats with so many decimals, negative: in full. */
void print_value(FILE *out, RaspAtom value, int precision);
/* "[2, 2, 1]": strings bare, bools as T and F, as `rasp run` shows an output. */
void print_values(FILE *out, const RaspSequence *values, int precision);
/* An atom's text, for a message. */
const char *print_text(RaspAtom atom, RaspStyle style);

/* --- the REPL's results ----------------------------------------------------------------- */

typedef struct Printer {
    FILE *out;
    bool friendly; /* on a terminal: our messages, with the place; else the reference's */
    bool colour;
    /* Writes the picture of `draw` (draw.h); NULL: none is made. */
    void (*draw)(RaspRepl *repl, RaspValue sop, RaspValue input);
} Printer;

/* Events that print everything a session gives; the printer outlives them. */
RaspEvents print_events(Printer *printer);

#endif
