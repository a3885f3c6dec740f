/* draw.h: the picture that the statement `draw` makes: comp_flows/NAME(INPUT).svg, and beside it
 * .dot, which with graphviz's `dot` installed becomes .pdf. */
#ifndef RASP_CLI_DRAW_H
#define RASP_CLI_DRAW_H

#include "api/rasp_repl.h"

/* Printer.draw.  Says nothing when all went well; else one line on standard error. */
void draw_picture(RaspRepl *repl, RaspValue sop, RaspValue input);

#endif
