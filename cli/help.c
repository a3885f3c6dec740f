#include "cli/help.h"

#include "interp/eval/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is built in ------------------------------------------------------------------- */

static const struct {
    const char *name, *usage, *text;
} forms[] = {
    {"select", "select(keys, queries, ==)",
     "a selector: position i selects j where keys[j] == queries[i] (or != < <= > >=)"},
    {"aggregate", "aggregate(selector, values, default)",
     "the mean of the values at the selected positions; a single one as it is; the default (0) "
     "where none is selected"},
    {"in", "x in l", "is x in the list? with an s-op for l: does x occur in the sequence?"},
    {"range", "range(stop)  range(start, stop)  range(start, stop, step)", "a list of ints"},
    {"zip", "zip(list, list, ...)", "a list of lists, one for each place"},
    {"len", "len(list)", "how many elements a list has"},
    {"tokens", "tokens", "the input's tokens, as strings"},
    {"tokens_str", "tokens_str", "the input's tokens, as strings"},
    {"tokens_asis", "tokens_asis", "the input's tokens, unchanged"},
    {"tokens_int", "tokens_int", "the input's tokens, read as ints"},
    {"tokens_float", "tokens_float", "the input's tokens, read as floats"},
    {"tokens_bool", "tokens_bool", "the truth of the input's tokens"},
    {"indices", "indices", "0, 1, 2, ...: each position's number"},
    {"out", "out", "the value of the last statement"},
    {"def", "def f(a, b) { ...; return e; }", "defines a function; its last statement returns"},
    {"return", "return e;", "the last statement of a function"},
    {"for", "for x in l { ... }   [e for x in l]   {k: v for x in l}",
     "over the elements of a list or the keys of a dict"},
    {"load", "load \"path\";", "executes path.rasp and takes over its names"},
    {"draw", "draw(s);   draw(s, input);", "writes a picture of the computation to comp_flows/"},
    {"set", "set example e   set s-op example e   set selector example e",
     "the input on which results are shown"},
    {"show", "show example   show s-op example   show selector example", "what it is"},
    {"examples", "examples off   s-op examples on   selector examples off",
     "whether results are shown on it"},
    {"full", "full seq display on   full seq display off", "sequences in two rows, with the input"},
    {"exit", "exit   exit()   quit   quit()", "leaves"},
    {"True", "True   False", "the truth values; numbers too: 1 and 0"},
};

enum { FORMS = sizeof forms / sizeof *forms };

static bool show_form(const char *name) {
    if (strcmp(name, "False") == 0) name = "True";
    if (strcmp(name, "quit") == 0) name = "exit";
    for (size_t k = 0; k < FORMS; k++) {
        if (strcmp(forms[k].name, name) != 0) continue;
        printf("  %s\n  %s\n", forms[k].usage, forms[k].text);
        return true;
    }
    return false;
}

static void show_op(const Op *op) {
    const char *before = op->arity == 1 ? "" : "x ", *behind = op->arity == 2 ? " y" : " x";
    if (op->arity == 3) behind = " c else y";
    if (op->precedence == 10) behind = "(x)";
    printf("  %s%s%s\n  %s (binds at level %d of 10)\n", before, op->spelling, behind, op->doc,
           op->precedence);
}

static bool show_ops(const char *spelling) {
    bool found = false;
    if (strcmp(spelling, "else") == 0) spelling = "if";
    for (int op = 0; op < OP_COUNT; op++)
        if (strcmp(ops[op].spelling, spelling) == 0) {
            show_op(&ops[op]);
            found = true;
        }
    return found;
}

/* --- what has a name -------------------------------------------------------------------- */

static Span value_span(Session *session, Value value) {
    if (value.kind == VALUE_FUNCTION) return function_span(value.function);
    if (value_is_graph(value)) return graph_node(session_graph(session), value.object->node)->span;
    return SPAN_NONE;
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

/* Prints the comment lines directly above. */
static bool show_comment(const char *text, const char *definition) {
    const char *first = definition;
    for (const char *line = definition; (line = previous_line(text, line)) && *line == '#';)
        first = line;
    for (const char *line = first; line < definition; line = strchr(line, '\n') + 1) {
        const char *words = line + 1 + (line[1] == ' ');
        printf("  %.*s\n", (int)strcspn(words, "\n"), words);
    }
    return first < definition;
}

static bool show_documented(Session *session, const char *name, Value value) {
    Span span = value_span(session, value);
    const Source *source =
        span.end > span.begin ? source_find(session_sources(session), span) : NULL;
    const char *definition = source ? find_definition(source->text, name) : NULL;
    return definition && show_comment(source->text, definition);
}

static void show_undocumented(Session *session, const char *name, Value value) {
    static const char *const kind[] = {
        [VALUE_ATOM] = "a value",        [VALUE_LIST] = "a list", [VALUE_DICT] = "a dict",
        [VALUE_FUNCTION] = "a function", [VALUE_SOP] = "an s-op", [VALUE_SELECTOR] = "a selector"};
    printf("  %s is %s", name, kind[value.kind]);
    if (value_is_graph(value))
        printf(": %s",
               graph_text(session_graph(session), value.object->node, 200, session_arena(session)));
    putchar('\n');
}

static bool show_name(Session *session, const char *name) {
    Value value;
    if (!session_lookup(session, name, &value)) return false;
    if (!show_documented(session, name, value)) show_undocumented(session, name, value);
    return true;
}

/* --- the overview ----------------------------------------------------------------------- */

enum { MARGIN = 14, LINE_WIDTH = 78 };

/* Gives the column behind the word. */
static int put_wrapped(int column, const char *word) {
    int width = (int)strlen(word) + 2;
    if (column + width > LINE_WIDTH) {
        printf("\n%*s", MARGIN, "");
        column = MARGIN;
    }
    printf("  %s", word);
    return column + width;
}

typedef struct NameList {
    const char **names;
    size_t count, room;
    Session *session;
} NameList;

/* Library names: functions and s-ops that have a comment. */
static void collect(void *context, const Binding *binding) {
    NameList *list = context;
    const char *name = binding->name->text;
    Span span = value_span(list->session, binding->value);
    const Source *source =
        span.end > span.begin ? source_find(session_sources(list->session), span) : NULL;
    if (!source || name[0] == '_' || !find_definition(source->text, name)) return;
    if (strcmp(source->name, "console") == 0) return;
    list->names = arena_grow(session_arena(list->session), list->names, &list->room,
                             list->count + 1, sizeof *list->names);
    list->names[list->count++] = name;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void show_library(Session *session) {
    NameList list = {.session = session};
    int column = MARGIN;
    session_visit_names(session, collect, &list);
    if (list.count) qsort(list.names, list.count, sizeof *list.names, compare_names);
    printf("  library     ");
    for (size_t k = 0; k < list.count; k++)
        if (k == 0 || strcmp(list.names[k], list.names[k - 1]) != 0)
            column = put_wrapped(column, list.names[k]);
    putchar('\n');
}

static void show_operators(void) {
    printf("  operators   ");
    for (int op = 0; op < OP_COUNT; op++) {
        bool known = false;
        for (int before = 0; before < op; before++)
            known = known || strcmp(ops[before].spelling, ops[op].spelling) == 0;
        if (!known) printf("  %s", ops[op].spelling);
    }
    puts("  in");
}

static void show_overview(Session *session) {
    puts("  inputs        tokens  tokens_int  tokens_float  tokens_bool  tokens_asis  indices\n"
         "  attention     select(keys, queries, ==)  aggregate(selector, values, default)\n"
         "  lists         [1, 2]  {\"a\": 1}  range(  zip(  len(  [e for x in l]\n"
         "  statements    x = e;  def f(a) { return e; }  for x in l { ... }  load \"path\";\n"
         "  commands      set example \"abc\"  show example  examples off  full seq display on\n"
         "                draw(s);  exit");
    show_operators();
    show_library(session);
    puts("  help NAME tells more, e.g. help sort, help select, help %");
}

/* --- the command ------------------------------------------------------------------------ */

static void show_topic(Session *session, const char *topic) {
    bool form = show_form(topic), op = show_ops(topic), name = !form && show_name(session, topic);
    if (!form && !op && !name)
        printf("  nothing is called '%s'; help alone lists what there is\n", topic);
}

bool help_command(Session *session, const char *line, size_t length) {
    static const char word[] = "help";
    char topic[64];
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t')) length--;
    while (length && (*line == ' ' || *line == '\t')) line++, length--;
    if (length < 4 || memcmp(line, word, 4) != 0) return false;
    const char *rest = line + 4;
    size_t left = length - 4;
    if (left == 0) {
        show_overview(session);
        return true;
    }
    if (*rest != ' ') return false;
    while (left && *rest == ' ') rest++, left--;
    if (left >= sizeof topic || memchr(rest, ';', left)) return false;
    if (left > 1 && rest[left - 1] == '(') left--; /* help select( */
    memcpy(topic, rest, left);
    topic[left] = '\0';
    show_topic(session, topic);
    return true;
}
