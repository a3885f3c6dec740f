/* svg.h: writes a picture as SVG, element by element.
 *
 *     svg_begin(&svg, out, 200, 100, "what it shows", NULL);
 *     svg_rect(&svg, "fill-card line-rule", 10, 10, 80, 20, 3);
 *     svg_open(&svg, "g");
 *     svg_attribute(&svg, "class", "layer");
 *     svg_text(&svg, SVG_CODE, 12, SVG_START, "fill-ink", 14, 24, "a < b");
 *     svg_close(&svg);
 *     svg_end(&svg);
 *
 * Elements nest as they are opened and closed; attributes come before content.  Every text is
 * escaped here and nowhere else: markup, and control characters as on a terminal (base/safe.h),
 * since XML has no way to hold them.  The picture needs nothing from outside: the palette's colours
 * are in it, and its fonts are families that every system has a member of.
 *
 * Lengths are in pixels, y grows downwards, a text's y is its baseline.
 */
#ifndef RASP_SHOW_SVG_H
#define RASP_SHOW_SVG_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

enum { SVG_DEEPEST = 16 }; /* elements within one another */

typedef struct Svg {
    FILE *out;
    const char *open[SVG_DEEPEST];
    int depth;
    bool in_tag; /* the innermost element still takes attributes */
} Svg;

/* Begins the picture: its size, its title for readers who do not see it, the palette, and `style`,
 * further rules of CSS (a literal; NULL: none). */
void svg_begin(Svg *svg, FILE *out, double width, double height, const char *title,
               const char *style);
void svg_end(Svg *svg);

/* --- elements --- */

void svg_open(Svg *svg, const char *element); /* a literal */
void svg_attribute(Svg *svg, const char *name, const char *value);
void svg_number(Svg *svg, const char *name, double value);
void svg_content(Svg *svg, const char *text);
void svg_close(Svg *svg);

/* A group of a class; svg_close ends it. */
void svg_group(Svg *svg, const char *class);
/* What a pointer that rests on the open element is told. */
void svg_tip(Svg *svg, const char *text);

/* A text of a page or picture without its markup: what the functions above do with theirs. */
void svg_escape(FILE *out, const char *text);

/* --- shapes; `class` as in palette.h --- */

void svg_rect(Svg *svg, const char *class, double x, double y, double width, double height,
              double radius);
void svg_circle(Svg *svg, const char *class, double x, double y, double radius);

typedef struct SvgPoint {
    double x, y;
} SvgPoint;

/* A line through the points, which turns corners with that radius; not filled. */
void svg_route(Svg *svg, const char *class, const SvgPoint *points, size_t count, double radius);
/* A triangle whose tip is at the point, pointing right. */
void svg_arrow(Svg *svg, const char *class, double x, double y);

/* What an open element `path` is made of, between its attributes and what closes it. */
void svg_path_begin(Svg *svg);
void svg_path_line(Svg *svg, double x, double y, double to_x, double to_y);
void svg_path_rect(Svg *svg, double x, double y, double width, double height);
void svg_path_end(Svg *svg);

/* --- texts --- */

/* Code: DejaVu Sans Mono, Menlo, Consolas or what the system calls monospace.  Prose: DejaVu Sans,
 * Verdana, Helvetica, Arial or sans-serif. */
typedef enum SvgFont { SVG_CODE, SVG_PROSE } SvgFont;
typedef enum SvgAnchor { SVG_START, SVG_MIDDLE, SVG_STOP } SvgAnchor;

void svg_text(Svg *svg, SvgFont font, double size, SvgAnchor anchor, const char *class, double x,
              double y, const char *text);

/* How wide the text is at most, in any of the font's families: by DejaVu's widths, the widest
 * there.  Escaped characters count as their escapes. */
double svg_width(SvgFont font, double size, const char *text);
/* The text, or as much of it as fits into `room` with "…" behind. */
const char *svg_fit(SvgFont font, double size, const char *text, double room, Arena *arena);

#endif
