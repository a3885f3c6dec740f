/* palette.h: the colours of everything that is drawn, for light and dark.
 *
 * A role has a class for fills and one for lines: `fill-ink`, `line-ink`.  palette_css writes them
 * with their dark colours for readers who prefer those; print is always light.  Hues are Okabe and
 * Ito's (2008) for people who confuse colours, darkened or lightened until text is readable. */
#ifndef RASP_SHOW_PALETTE_H
#define RASP_SHOW_PALETTE_H

#include <stdio.h>

typedef enum PaletteRole {
#define COLOUR(role, ...) PALETTE_##role,
#include "show/palette.def"
    PALETTE_COUNT
} PaletteRole;

enum { PALETTE_WIRES = 6 }; /* PALETTE_WIRE_1 and the next */

typedef struct PaletteColour {
    const char *name, *light, *dark; /* "ink", "#16191d", "#eceff2" */
} PaletteColour;

extern const PaletteColour palette[PALETTE_COUNT];

/* The classes as CSS, without quotes or angle brackets. */
void palette_css(FILE *out);

#endif
