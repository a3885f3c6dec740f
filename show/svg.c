#include "show/svg.h"

#include "base/safe.h"
#include "base/utf8.h"
#include "show/palette.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* --- text ------------------------------------------------------------------------------- */

static const char *entity(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* One character of a text as a picture has it, in `piece` if it is not the text's own; its length
 * in the text is given. */
static size_t next_piece(const char *text, size_t length, char escape[SAFE_MOST]) {
    size_t step = safe_step(text, length, escape);
    if (!*escape && step == 3 && (utf8_decode(text) & 0xfffe) == 0xfffe) /* no character of XML */
        snprintf(escape, SAFE_MOST, "\\u%04x", (unsigned)utf8_decode(text));
    return step;
}

void svg_escape(FILE *out, const char *text) {
    char escape[SAFE_MOST];
    size_t length = strlen(text);
    for (size_t at = 0, step; at < length; at += step) {
        step = next_piece(text + at, length - at, escape);
        const char *markup = entity(text[at]);
        if (*escape || markup)
            fputs(*escape ? escape : markup, out);
        else
            fwrite(text + at, 1, step, out);
    }
}

/* Two decimals, without what says nothing. */
static void put_number(FILE *out, double value) {
    char text[48];
    snprintf(text, sizeof text, "%.2f", value);
    char *end = text + strlen(text);
    while (end[-1] == '0') *--end = '\0';
    if (end[-1] == '.') end[-1] = '\0';
    fputs(strcmp(text, "-0") == 0 ? "0" : text, out);
}

/* --- elements --------------------------------------------------------------------------- */

static void end_tag(Svg *svg) {
    if (svg->in_tag) fputc('>', svg->out);
    svg->in_tag = false;
}

void svg_open(Svg *svg, const char *element) {
    assert(svg->depth < SVG_DEEPEST);
    end_tag(svg);
    fprintf(svg->out, "<%s", element);
    svg->open[svg->depth++] = element;
    svg->in_tag = true;
}

void svg_attribute(Svg *svg, const char *name, const char *value) {
    assert(svg->in_tag);
    fprintf(svg->out, " %s=\"", name);
    svg_escape(svg->out, value);
    fputc('"', svg->out);
}

void svg_number(Svg *svg, const char *name, double value) {
    assert(svg->in_tag);
    fprintf(svg->out, " %s=\"", name);
    put_number(svg->out, value);
    fputc('"', svg->out);
}

void svg_content(Svg *svg, const char *text) {
    end_tag(svg);
    svg_escape(svg->out, text);
}

void svg_close(Svg *svg) {
    const char *element = svg->open[--svg->depth];
    if (svg->in_tag)
        fputs("/>\n", svg->out);
    else
        fprintf(svg->out, "</%s>\n", element);
    svg->in_tag = false;
}

void svg_group(Svg *svg, const char *class) {
    svg_open(svg, "g");
    svg_attribute(svg, "class", class);
}

void svg_tip(Svg *svg, const char *text) {
    svg_open(svg, "title");
    svg_content(svg, text);
    svg_close(svg);
}

static const char families[2][80] = {
    [SVG_CODE] = "DejaVu Sans Mono,Menlo,Consolas,monospace",
    [SVG_PROSE] = "DejaVu Sans,Verdana,Helvetica,Arial,sans-serif",
};

void svg_begin(Svg *svg, FILE *out, double width, double height, const char *title,
               const char *style) {
    char box[80];
    *svg = (Svg){.out = out};
    snprintf(box, sizeof box, "0 0 %.0f %.0f", ceil(width), ceil(height));
    svg_open(svg, "svg");
    svg_attribute(svg, "xmlns", "http://www.w3.org/2000/svg");
    svg_number(svg, "width", ceil(width));
    svg_number(svg, "height", ceil(height));
    svg_attribute(svg, "viewBox", box);
    svg_attribute(svg, "xml:space", "preserve");
    svg_attribute(svg, "role", "img");
    svg_tip(svg, title);
    svg_open(svg, "style");
    end_tag(svg);
    fputc('\n', out);
    palette_css(out);
    fprintf(out, ".code{font-family:%s}.prose{font-family:%s}.bold{font-weight:bold}\n",
            families[SVG_CODE], families[SVG_PROSE]);
    if (style) fputs(style, out);
    svg_close(svg);
    svg_rect(svg, "fill-paper", 0, 0, ceil(width), ceil(height), 0);
}

void svg_end(Svg *svg) {
    svg_close(svg);
    assert(svg->depth == 0);
}

/* --- shapes ----------------------------------------------------------------------------- */

void svg_rect(Svg *svg, const char *class, double x, double y, double width, double height,
              double radius) {
    svg_open(svg, "rect");
    svg_attribute(svg, "class", class);
    svg_number(svg, "x", x);
    svg_number(svg, "y", y);
    svg_number(svg, "width", width);
    svg_number(svg, "height", height);
    if (radius > 0) svg_number(svg, "rx", radius);
    svg_close(svg);
}

void svg_circle(Svg *svg, const char *class, double x, double y, double radius) {
    svg_open(svg, "circle");
    svg_attribute(svg, "class", class);
    svg_number(svg, "cx", x);
    svg_number(svg, "cy", y);
    svg_number(svg, "r", radius);
    svg_close(svg);
}

static void put_point(Svg *svg, const char *command, double x, double y) {
    fputs(command, svg->out);
    put_number(svg->out, x);
    fputc(' ', svg->out);
    put_number(svg->out, y);
}

/* From `a` towards `b`, so far. */
static SvgPoint towards(SvgPoint a, SvgPoint b, double distance) {
    double length = hypot(b.x - a.x, b.y - a.y);
    if (length == 0) return a;
    return (SvgPoint){a.x + (b.x - a.x) * distance / length, a.y + (b.y - a.y) * distance / length};
}

void svg_route(Svg *svg, const char *class, const SvgPoint *points, size_t count, double radius) {
    svg_open(svg, "path");
    svg_attribute(svg, "class", class);
    svg_attribute(svg, "fill", "none");
    svg_path_begin(svg);
    for (size_t k = 0; k < count; k++) {
        SvgPoint at = points[k];
        if (k == 0 || k + 1 == count) {
            put_point(svg, k ? "L" : "M", at.x, at.y);
            continue;
        }
        SvgPoint before = points[k - 1], after = points[k + 1];
        double r = fmin(radius, fmin(hypot(at.x - before.x, at.y - before.y) / 2,
                                     hypot(after.x - at.x, after.y - at.y) / 2));
        SvgPoint in = towards(at, before, r), leave = towards(at, after, r);
        put_point(svg, "L", in.x, in.y);
        put_point(svg, "Q", at.x, at.y);
        put_point(svg, " ", leave.x, leave.y);
    }
    svg_path_end(svg);
    svg_close(svg);
}

void svg_arrow(Svg *svg, const char *class, double x, double y) {
    svg_open(svg, "path");
    svg_attribute(svg, "class", class);
    svg_path_begin(svg);
    put_point(svg, "M", x, y);
    put_point(svg, "L", x - 6, y - 3);
    put_point(svg, "L", x - 6, y + 3);
    fputc('z', svg->out);
    svg_path_end(svg);
    svg_close(svg);
}

void svg_path_begin(Svg *svg) {
    assert(svg->in_tag);
    fputs(" d=\"", svg->out);
}

void svg_path_line(Svg *svg, double x, double y, double to_x, double to_y) {
    put_point(svg, "M", x, y);
    put_point(svg, "L", to_x, to_y);
}

void svg_path_rect(Svg *svg, double x, double y, double width, double height) {
    put_point(svg, "M", x, y);
    fputc('h', svg->out), put_number(svg->out, width);
    fputc('v', svg->out), put_number(svg->out, height);
    fputc('h', svg->out), put_number(svg->out, -width);
    fputc('z', svg->out);
}

void svg_path_end(Svg *svg) {
    fputc('"', svg->out);
}

/* --- texts ------------------------------------------------------------------------------ */

void svg_text(Svg *svg, SvgFont font, double size, SvgAnchor anchor, const char *class, double x,
              double y, const char *text) {
    static const char *const anchors[] = {
        [SVG_START] = NULL, [SVG_MIDDLE] = "middle", [SVG_STOP] = "end"};
    char classes[64];
    snprintf(classes, sizeof classes, "%s %s", font == SVG_CODE ? "code" : "prose", class);
    svg_open(svg, "text");
    svg_attribute(svg, "class", classes);
    svg_number(svg, "x", x);
    svg_number(svg, "y", y);
    svg_number(svg, "font-size", size);
    if (anchors[anchor]) svg_attribute(svg, "text-anchor", anchors[anchor]);
    svg_content(svg, text);
    svg_close(svg);
}

/* Thousandths of the size, from ' ' to '~': DejaVu Sans, regular. */
static const short prose_width[] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

enum { CODE_WIDTH = 602 }; /* DejaVu Sans Mono */

static int character_width(SvgFont font, uint32_t c) {
    int columns = utf8_width(c);
    if (columns != 1) return 1000 * (columns > 1);
    if (font == SVG_CODE) return CODE_WIDTH;
    return c >= ' ' && c <= '~' ? prose_width[c - ' '] : 1000;
}

/* Of one piece, a character or its escape. */
static int piece_width(SvgFont font, const char *text, const char *escape) {
    if (!*escape) return character_width(font, utf8_decode(text));
    int width = 0;
    for (const char *c = escape; *c; c++) width += character_width(font, (unsigned char)*c);
    return width;
}

double svg_width(SvgFont font, double size, const char *text) {
    char escape[SAFE_MOST];
    size_t length = strlen(text);
    double width = 0;
    for (size_t at = 0, step; at < length; at += step) {
        step = next_piece(text + at, length - at, escape);
        width += piece_width(font, text + at, escape);
    }
    return width * size / 1000;
}

const char *svg_fit(SvgFont font, double size, const char *text, double room, Arena *arena) {
    if (svg_width(font, size, text) <= room) return text;
    char escape[SAFE_MOST];
    size_t length = strlen(text), at = 0, step;
    double left = room * 1000 / size - character_width(font, 0x2026);
    for (; at < length; at += step) {
        step = next_piece(text + at, length - at, escape);
        left -= piece_width(font, text + at, escape);
        if (left < 0) break;
    }
    return arena_format(arena, "%.*s…", (int)at, text);
}
