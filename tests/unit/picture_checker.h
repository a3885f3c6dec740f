/* What is in a picture: its texts and lines as boxes; whether they keep out of one another's way.
 * Lines are paths of the classes of `lines` (a NULL behind the last), but for those of which the
 * texts are written over: texts with an anchor, in the middle of something, are left out with
 * `inner`. */
#ifndef TESTS_PICTURE_CHECKER_H
#define TESTS_PICTURE_CHECKER_H

#include "show/svg.h"
#include "tests/unit/xml_checker.h"

#include <math.h>

typedef struct Box {
    double x, y, width, height;
    char text[48];
} Box;

typedef struct Picture {
    const char *name;
    const char *const *lines;
    bool inner;
    double width, height;
    Box *texts, *wires; /* a wire's straight pieces, as thin boxes */
    size_t text_count, wire_count, arrows, cells, answers;
    char **strings; /* all texts, whole */
} Picture;

static void add(Box **boxes, size_t *count, Box box) {
    if ((*count & (*count - 1)) == 0)
        *boxes = realloc(*boxes, (*count ? 2 * *count : 1) * sizeof box);
    (*boxes)[(*count)++] = box;
}

static void add_text(Picture *p, const XmlElement *e) {
    const char *class = xml_value(e, "class"), *anchor = xml_value(e, "text-anchor");
    double size = xml_number(e, "font-size"), x = xml_number(e, "x"), y = xml_number(e, "y");
    double width = svg_width(strncmp(class, "code", 4) == 0 ? SVG_CODE : SVG_PROSE, size, e->text);
    if (anchor) x -= strcmp(anchor, "middle") == 0 ? width / 2 : width;
    if (anchor && p->inner) return;
    Box box = {x, y - 0.75 * size, width, 0.95 * size, ""};
    snprintf(box.text, sizeof box.text, "%s", e->text);
    add(&p->texts, &p->text_count, box);
}

/* "M0 0L6 0Q10 0 10 4L10 20": corners count as the two lines that they round. */
static void add_wire(Picture *p, const char *d) {
    double from_x = 0, from_y = 0, x, y;
    while (*d) {
        char command = *d == ' ' ? 'L' : *d;
        char *end;
        x = strtod(d + 1, &end), y = strtod(end, &end);
        d = end;
        if (command != 'M')
            add(&p->wires, &p->wire_count,
                (Box){fmin(x, from_x) - 0.7, fmin(y, from_y) - 0.7, fabs(x - from_x) + 1.4,
                      fabs(y - from_y) + 1.4, ""});
        from_x = x, from_y = y;
    }
}

static void take(void *context, const XmlElement *e, int depth) {
    Picture *p = context;
    const char *class = xml_value(e, "class");
    if (depth == 0) p->width = xml_number(e, "width"), p->height = xml_number(e, "height");
    if (strcmp(e->name, "text") == 0) add_text(p, e);
    for (size_t k = 0; strcmp(e->name, "path") == 0 && p->lines[k]; k++)
        if (strncmp(class, p->lines[k], strlen(p->lines[k])) == 0) add_wire(p, xml_value(e, "d"));
    p->arrows += strcmp(e->name, "path") == 0 && strncmp(class, "fill-wire", 9) == 0;
    p->answers += strcmp(e->name, "g") == 0 && strcmp(class, "row answer") == 0;
    assert_null(xml_value(e, "href"));
}

static bool overlap(const Box *a, const Box *b) {
    return a->x + 0.01 < b->x + b->width && b->x + 0.01 < a->x + a->width &&
           a->y + 0.01 < b->y + b->height && b->y + 0.01 < a->y + a->height;
}

static void check_boxes(const Picture *p) {
    for (size_t t = 0; t < p->text_count; t++) {
        const Box *box = &p->texts[t];
        if (box->x < 0 || box->y < 0 || box->x + box->width > p->width ||
            box->y + box->height > p->height)
            fail_msg("%s: '%s' reaches out of the picture", p->name, box->text);
        for (size_t w = 0; w < p->wire_count; w++)
            if (overlap(box, &p->wires[w])) fail_msg("%s: a wire crosses '%s'", p->name, box->text);
        for (size_t other = 0; other < t; other++)
            if (overlap(box, &p->texts[other]))
                fail_msg("%s: '%s' lies on '%s'", p->name, box->text, p->texts[other].text);
    }
}

XML_UNUSED static Picture read_picture(const char *name, const char *text, const char *const *lines,
                                       bool inner) {
    Picture p = {.name = name, .lines = lines, .inner = inner};
    const char *wrong = xml_read(text, take, &p);
    if (wrong) fail_msg("%s: %s", name, wrong);
    assert_null(strstr(text, "url("));
    assert_null(strstr(text, "@import"));
    assert_null(strstr(strstr(text, "w3.org") + 1, "//"));
    check_boxes(&p);
    return p;
}

XML_UNUSED static void free_picture(Picture *p) {
    free(p->texts);
    free(p->wires);
}

XML_UNUSED static bool has_text(const Picture *p, const char *text) {
    for (size_t k = 0; k < p->text_count; k++)
        if (strcmp(p->texts[k].text, text) == 0) return true;
    return false;
}

#endif
