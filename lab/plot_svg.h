/* plot_svg.h: a plot as SVG, by show/svg.h and its palette, light and dark. */
#ifndef RASP_LAB_PLOT_SVG_H
#define RASP_LAB_PLOT_SVG_H

#include "lab/plot.h"

#include <stdio.h>

/* A whole picture for a file of its own. */
void plot_svg(FILE *out, const Plot *plot);

/* The same without colours and fonts, for a page that has plot_style once. */
void plot_svg_inline(FILE *out, const Plot *plot);
void plot_style(FILE *out);

#endif
