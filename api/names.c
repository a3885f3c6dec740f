/* Names of a session, for completion and help: what is known of them. */
#include "api/repl.h"

#include "interp/eval/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the comment above a definition ----------------------------------------------------- */

static Span value_span(Session *session, Value value) {
    if (value.kind == VALUE_FUNCTION) return function_span(value.function);
    if (value_is_graph(value)) return graph_node(session_graph(session), value.object->node)->span;
    return SPAN_NONE;
}

/* The text in which the value was made, or NULL. */
static const Source *value_source(Session *session, Value value) {
    Span span = value_span(session, value);
    return span.end > span.begin ? source_find(session_sources(session), span) : NULL;
}

static const char *previous_line(const char *text, const char *line) {
    if (line == text) return NULL;
    line--;
    while (line > text && line[-1] != '\n') line--;
    return line;
}

/* The line of a text that defines the name: `def NAME(` or `NAME = `. */
static const char *find_definition(const char *text, const char *name) {
    size_t length = strlen(name);
    const char *found = NULL;
    for (const char *line = text; line; line = strchr(line, '\n'), line += line != NULL) {
        const char *at = strncmp(line, "def ", 4) == 0 ? line + 4 : line;
        if (strncmp(at, name, length) != 0) continue;
        at += length;
        at += strspn(at, " ");
        if (*at == '(' || *at == '=') found = line;
    }
    return found;
}

/* The comment lines directly above; false: there are none. */
static bool write_comment(FILE *out, const char *text, const char *definition) {
    const char *first = definition;
    for (const char *line = definition; (line = previous_line(text, line)) && *line == '#';)
        first = line;
    for (const char *line = first; line < definition; line = strchr(line, '\n') + 1) {
        const char *words = line + 1 + (line[1] == ' ');
        fprintf(out, "%.*s\n", (int)strcspn(words, "\n"), words);
    }
    return first < definition;
}

/* --- describing a name ------------------------------------------------------------------ */

typedef struct Description {
    Session *session;
    const char *name;
    Value value;
    char *text;
} Description;

static void write_kind(FILE *out, const Description *d) {
    static const char *const kind[] = {
        [VALUE_ATOM] = "a value",        [VALUE_LIST] = "a list", [VALUE_DICT] = "a dict",
        [VALUE_FUNCTION] = "a function", [VALUE_SOP] = "an s-op", [VALUE_SELECTOR] = "a selector"};
    fprintf(out, "%s is %s", d->name, kind[d->value.kind]);
    if (value_is_graph(d->value))
        fprintf(out, ": %s",
                graph_text(session_graph(d->session), d->value.object->node, 200,
                           session_scratch(d->session)));
    fputc('\n', out);
}

static void write_description(FILE *out, void *context) {
    const Description *d = context;
    const Source *source = value_source(d->session, d->value);
    const char *definition = source ? find_definition(source->text, d->name) : NULL;
    if (!definition || !write_comment(out, source->text, definition)) write_kind(out, d);
}

static bool describe(Core *core, void *context) {
    Description *d = context;
    if (!session_lookup(d->session, d->name, &d->value)) return false;
    return (d->text = core_text(core, write_description, d)) != NULL;
}

char *rasp_repl_describe(RaspRepl *repl, const char *name) {
    Description d = {.session = repl_session(repl), .name = name};
    core_call((Core *)repl, NULL, RASP_FAILED, describe, &d);
    return d.text;
}

/* --- all names -------------------------------------------------------------------------- */

typedef struct Visit {
    Session *session;
    void (*visit)(void *context, const char *name, bool documented);
    void *context;
} Visit;

static void visit_name(void *context, const Binding *binding) {
    const Visit *v = context;
    const char *name = binding->name->text;
    const Source *source = value_source(v->session, binding->value);
    bool documented = source && strcmp(source->name, "console") != 0 && name[0] != '_' &&
                      find_definition(source->text, name);
    v->visit(v->context, name, documented);
}

void rasp_repl_names(RaspRepl *repl,
                     void (*visit)(void *context, const char *name, bool documented),
                     void *context) {
    Visit v = {repl_session(repl), visit, context};
    session_visit_names(v.session, visit_name, &v);
}
