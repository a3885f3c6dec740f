/* A reader of XML that is strict and small: elements, attributes, text, the five entities.  Judges
 * what show/ writes. */
#ifndef TESTS_XML_CHECKER_H
#define TESTS_XML_CHECKER_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XML_UNUSED __attribute__((unused))

enum { XML_ATTRIBUTES = 16, XML_DEEPEST = 32 };

typedef struct XmlElement {
    char name[32];
    char key[XML_ATTRIBUTES][32];
    char *value[XML_ATTRIBUTES]; /* without entities; freed after the call */
    int count;
    char *text; /* what stands directly behind the tag, up to the next */
} XmlElement;

typedef void XmlVisit(void *context, const XmlElement *element, int depth);

typedef struct Xml {
    const char *at;
    const char *wrong; /* NULL: well-formed so far */
} Xml;

XML_UNUSED static const char *xml_value(const XmlElement *e, const char *key) {
    for (int k = 0; k < e->count; k++)
        if (strcmp(e->key[k], key) == 0) return e->value[k];
    return NULL;
}

XML_UNUSED static double xml_number(const XmlElement *e, const char *key) {
    const char *text = xml_value(e, key);
    return text ? strtod(text, NULL) : 0;
}

static void xml_name(Xml *x, char *name, size_t size) {
    size_t length = 0;
    while ((isalnum((unsigned char)*x->at) || strchr(":-_", *x->at)) && *x->at && length + 1 < size)
        name[length++] = *x->at++;
    name[length] = '\0';
    if (!length) x->wrong = "a name is missing";
}

/* Text up to one of the stops, entities resolved; malloc'd. */
static char *xml_text(Xml *x, const char *stops) {
    static const char *const entities[] = {"&amp;&", "&lt;<", "&gt;>", "&quot;\"", "&#39;'"};
    char *text = malloc(strcspn(x->at, stops) + 1), *to = text;
    for (; *x->at && !strchr(stops, *x->at); to++) {
        unsigned char c = (unsigned char)*x->at;
        if ((c < 0x20 && c != '\n') || c == '<') x->wrong = "a character that XML has not";
        *to = *x->at++;
        if (c != '&') continue;
        const char *known = NULL;
        for (size_t k = 0; k < sizeof entities / sizeof *entities; k++)
            if (strncmp(x->at - 1, entities[k], strlen(entities[k]) - 1) == 0) known = entities[k];
        if (!known) x->wrong = "an entity that XML has not";
        if (!known) break;
        *to = known[strlen(known) - 1];
        x->at += strlen(known) - 2;
    }
    *to = '\0';
    return text;
}

static void xml_attributes(Xml *x, XmlElement *e) {
    while (!x->wrong && *x->at == ' ' && e->count < XML_ATTRIBUTES) {
        x->at++;
        xml_name(x, e->key[e->count], sizeof e->key[0]);
        if (xml_value(e, e->key[e->count])) x->wrong = "an attribute that comes twice";
        if (strncmp(x->at, "=\"", 2) != 0) x->wrong = "an attribute without a value";
        if (x->wrong) return;
        x->at += 2;
        e->value[e->count++] = xml_text(x, "\"");
        if (*x->at++ != '"') x->wrong = "a value without end";
    }
}

/* Visits each element as it begins; NULL, or what is wrong. */
XML_UNUSED static const char *xml_read(const char *text, XmlVisit *visit, void *context) {
    Xml x = {text, NULL};
    char open[XML_DEEPEST][32];
    int depth = 0, roots = 0;
    while (!x.wrong && *x.at == '<') {
        XmlElement e = {0};
        x.at++;
        bool closing = *x.at == '/';
        if (closing) x.at++;
        xml_name(&x, e.name, sizeof e.name);
        if (!x.wrong && !closing) xml_attributes(&x, &e);
        bool empty = !x.wrong && strncmp(x.at, "/>", 2) == 0;
        if (!x.wrong && x.at[empty] != '>') x.wrong = "a tag without end";
        if (!x.wrong) {
            x.at += empty ? 2 : 1;
            e.text = xml_text(&x, "<");
            if (depth == 0) roots += !closing;
            if (!closing) visit(context, &e, depth);
            if (closing && (depth == 0 || strcmp(open[--depth], e.name) != 0))
                x.wrong = "the end of what has not begun";
            if (!closing && !empty && depth < XML_DEEPEST) strcpy(open[depth++], e.name);
        }
        for (int k = 0; k < e.count; k++) free(e.value[k]);
        free(e.text);
    }
    if (!x.wrong && (*x.at || depth || roots != 1)) x.wrong = "not one whole element";
    return x.wrong;
}

#endif
