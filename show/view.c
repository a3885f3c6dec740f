#include "show/view.h"

#include "show/palette.h"
#include "show/svg.h"
#include "show/view_text.h"

/* The palette's colours as variables of CSS: --ink. */
static void put_colours(FILE *out, bool dark) {
    fputs(":root{", out);
    for (int k = 0; k < PALETTE_COUNT; k++)
        fprintf(out, "--%s:%s;", palette[k].name, dark ? palette[k].dark : palette[k].light);
    fputs("}", out);
}

/* Within an element `script` nothing is escaped for HTML, and nothing may look like a tag. */
static void put_json(FILE *out, const char *json) {
    for (const char *at = json; *at; at++)
        if (*at == '<')
            fputs("\\u003c", out);
        else
            fputc(*at, out);
}

void view_write(FILE *out, const char *title, const char *data) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          out);
    svg_escape(out, title);
    fputs("</title>\n<style>\n:root{color-scheme:light dark}\n", out);
    put_colours(out, false);
    fputs("\n@media screen and (prefers-color-scheme:dark){", out);
    put_colours(out, true);
    fprintf(out, "}\n%s</style>\n</head>\n<body>\n%s", view_style, view_body);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    put_json(out, data);
    fprintf(out, "</script>\n<script>\n%s</script>\n</body>\n</html>\n", view_script);
}
