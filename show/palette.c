#include "show/palette.h"

const PaletteColour palette[PALETTE_COUNT] = {
#define COLOUR(role, name, light, dark, purpose) [PALETTE_##role] = {name, light, dark},
#include "show/palette.def"
};

static void put_classes(FILE *out, int dark) {
    for (int k = 0; k < PALETTE_COUNT; k++) {
        const char *colour = dark ? palette[k].dark : palette[k].light;
        fprintf(out, ".fill-%s{fill:%s}.line-%s{stroke:%s}", palette[k].name, colour,
                palette[k].name, colour);
    }
    fputc('\n', out);
}

void palette_css(FILE *out) {
    put_classes(out, 0);
    fputs("@media screen and (prefers-color-scheme:dark){\n", out);
    put_classes(out, 1);
    fputs("}\n", out);
}
