#include "show/page.h"

#include "show/palette.h"
#include "show/svg.h"

void page_write(FILE *out, const char *title, const char *svg) {
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    svg_escape(out, title);
    fprintf(out,
            "</title>\n<style>:root{color-scheme:light dark}body{margin:0;background:%s}"
            "svg{max-width:100%%;height:auto}\n"
            "@media screen and (prefers-color-scheme:dark){body{background:%s}}</style>\n"
            "</head>\n<body>\n%s</body>\n</html>\n",
            palette[PALETTE_PAPER].light, palette[PALETTE_PAPER].dark, svg);
}
