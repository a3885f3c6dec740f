/* print.h: results as text: the REPL's formats (language.md section 13, byte for byte) and
 * the plain ones of `rasp run`. */
#ifndef RASP_CLI_PRINT_H
#define RASP_CLI_PRINT_H

#include "interp/eval/session.h"

#include <stdio.h>

/* --- values on one line ----------------------------------------------------------------- */

typedef struct PrintOptions {
    int precision; /* decimals of floats; negative: in full */
} PrintOptions;

/* One of them. */
void print_value(FILE *out, Atom value, PrintOptions options);
/* "[2, 2, 1]": strings bare, bools as T and F, as `rasp run` shows an output. */
void print_values(FILE *out, const Column *column, PrintOptions options);

/* --- the REPL's results ----------------------------------------------------------------- */

typedef struct Printer {
    FILE *out;
    bool friendly; /* on a terminal: our messages, with the place; else the reference's */
    bool colour;
    /* Writes the picture of `draw` (draw.h); NULL: none is made. */
    void (*draw)(struct Printer *printer, Session *session, Value sop, Value input, Exec *exec);
} Printer;

/* A sink that prints everything a REPL session gives; the printer outlives it. */
SessionSink print_sink(Printer *printer);

/* A syntax error, or another message about the text. */
void print_syntax(Printer *printer, const SourceMap *map, const Diag *diag);
void print_fault(Printer *printer, Session *session, const Fault *fault);

#endif
