#include "cli/print.h"

#include "base/utf8.h"
#include "interp/eval/value_text.h"

#include <stdlib.h>
#include <string.h>

/* --- values on one line ----------------------------------------------------------------- */

static void put_str(FILE *out, const Str *s) {
    fwrite(s->text, 1, s->length, out);
}

static void put_atom(FILE *out, Atom atom, int precision) {
    char text[64];
    if (atom.kind == ATOM_STRING) {
        put_str(out, atom.s);
        return;
    }
    if (atom.kind == ATOM_FLOAT && precision >= 0) atom.f = float_round(atom.f, precision);
    size_t length = atom_text(atom, ATOM_CELL, text, sizeof text);
    fwrite(text, 1, length, out);
}

void print_value(FILE *out, Atom value, PrintOptions options) {
    put_atom(out, value, options.precision);
}

void print_values(FILE *out, const Column *column, PrintOptions options) {
    fputc('[', out);
    for (size_t i = 0; i < column->length; i++) {
        if (i) fputs(", ", out);
        put_atom(out, column_at(column, i), options.precision);
    }
    fputc(']', out);
}

/* Numbers count as equal by value. */
static bool all_equal(const Column *column) {
    if (column->constant) return true;
    Atom first = column_at(column, 0);
    for (size_t i = 1; i < column->length; i++)
        if (!atom_equal(first, column_at(column, i))) return false;
    return true;
}

/* "[2, 2, 1] (ints)" or "[2]*3 (ints)", floats with three decimals, as the REPL does. */
static void print_sequence(FILE *out, const Column *column) {
    enum { DECIMALS = 3 };
    if (column->length > 1 && all_equal(column)) {
        fputc('[', out);
        put_atom(out, column_at(column, 0), DECIMALS);
        fprintf(out, "]*%zu", column->length);
    } else {
        print_values(out, column, (PrintOptions){.precision = DECIMALS});
    }
    fprintf(out, " (%s)", sequence_type_name(column->type));
}

/* A value's text as messages and examples have it: "hello", ['a', 1]. */
static void print_quoted(FILE *out, Session *session, Value value) {
    if (value.kind == VALUE_ATOM && value.atom.kind == ATOM_STRING) {
        fputc('"', out);
        put_str(out, value.atom.s);
        fputc('"', out);
    } else {
        fputs(value_show(value, TEXT_PLAIN, session_scratch(session)), out);
    }
}

/* --- the full display ------------------------------------------------------------------- */

/* A row of cells; a row that begins with a bool shows only the rarer truth value. */
typedef struct Row {
    const char **cell;
    size_t count, width; /* of the widest, in code points */
} Row;

static Row make_row(Session *session, Atom (*at)(const void *from, size_t i), const void *from,
                    size_t count) {
    Arena *arena = session_scratch(session);
    Row row = {ARENA_ARRAY(arena, count, const char *), count, 0};
    bool thin = count && at(from, 0).kind == ATOM_BOOL;
    size_t trues = 0, falses = 0;
    for (size_t i = 0; thin && i < count; i++) {
        trues += atom_equal(at(from, i), atom_bool(true));
        falses += atom_equal(at(from, i), atom_bool(false));
    }
    const char *truth[2] = {falses <= trues ? "F" : "", trues <= falses ? "T" : ""};
    for (size_t i = 0; i < count; i++) {
        Atom atom = at(from, i);
        row.cell[i] = thin ? truth[atom_truth(atom)] : atom_show(atom, ATOM_PLAIN, arena);
        size_t width = utf8_count(row.cell[i], strlen(row.cell[i]));
        if (width > row.width) row.width = width;
    }
    return row;
}

static Atom atom_of_column(const void *from, size_t i) {
    return column_at(from, i);
}

typedef struct Elements {
    Value value;
    Intern *intern;
} Elements;

static Atom atom_of_value(const void *from, size_t i) {
    const Elements *elements = from;
    return value_element(elements->value, i, elements->intern).atom;
}

static void put_row(FILE *out, const char *head, const Row *row, size_t width, const char *type) {
    fprintf(out, " \t\t%s ", head);
    for (size_t i = 0; i < row->count; i++) {
        size_t own = utf8_count(row->cell[i], strlen(row->cell[i]));
        fprintf(out, "%s%*s%s", i ? " " : "", (int)(width - own), "", row->cell[i]);
    }
    fprintf(out, " \t (%s)\n", type);
}

static void put_prefix(FILE *out, unsigned tabs) {
    while (tabs--) fputc('\t', out);
}

/* Goes on behind what introduces it, `note` being text before a short display. */
static void put_full_display(FILE *out, Session *session, Value example, const Column *column,
                             unsigned tabs) {
    fputc('\n', out);
    Elements elements = {example, session_intern(session)};
    size_t count = 0;
    value_count(example, &count);
    Row input = make_row(session, atom_of_value, &elements, count);
    Row output = make_row(session, atom_of_column, column, column->length);
    size_t width = input.width > output.width ? input.width : output.width;
    put_prefix(out, tabs);
    put_row(out, "input:  ", &input, width, "strings");
    put_prefix(out, tabs);
    put_row(out, "output: ", &output, width, sequence_type_name(column->type));
}

static void put_short_display(FILE *out, const Column *column) {
    print_sequence(out, column);
    fputs(" [skipped full display: identical values]\n", out);
}

/* --- selectors -------------------------------------------------------------------------- */

static void put_matrix(FILE *out, Session *session, Value example, const bool *cells,
                       unsigned tabs) {
    size_t count = 0;
    value_count(example, &count);
    put_prefix(out, tabs);
    fputs(" \t\t\t    ", out);
    Elements elements = {example, session_intern(session)};
    for (size_t j = 0; j < count; j++) {
        fputc(' ', out);
        fputs(atom_show(atom_of_value(&elements, j), ATOM_PLAIN, session_scratch(session)), out);
    }
    fputc('\n', out);
    for (size_t i = 0; i < count; i++) {
        put_prefix(out, tabs);
        const char *token =
            atom_show(atom_of_value(&elements, i), ATOM_PLAIN, session_scratch(session));
        fprintf(out, " \t\t\t %s |", token);
        for (size_t j = 0; j < count; j++) fputs(cells[i * count + j] ? " 1" : "  ", out);
        fputc('\n', out);
    }
}

/* --- named results ---------------------------------------------------------------------- */

/* Where a result stands: how many tabs before it, what is before its kind, its name (NULL
 * inside a container, where s-ops and selectors show their own). */
typedef struct Where {
    unsigned tabs;
    const char *before;
    const Str *name;
} Where;

static bool put_result(Printer *printer, Session *session, Value value, Where place);

/* The session could not show a stored s-op or selector on the example of now. */
static bool fail(Printer *printer, Session *session, const Fault *fault) {
    fprintf(printer->out, "\t!!statement executed, but result fails on evaluation:\n\t\t %s\n",
            fault_reference_text(fault, session_scratch(session)));
    return false;
}

static void begin(Printer *printer, Where place, const char *kind) {
    put_prefix(printer->out, place.tabs);
    fprintf(printer->out, " %s    %s", place.before, kind);
}

static bool put_sop(Printer *printer, Session *session, Value value, Where place) {
    FILE *out = printer->out;
    Fault fault;
    const Str *name = place.name ? place.name : value.object->name;
    begin(printer, place, "s-op: ");
    fprintf(out, "%s\n", name->text);
    if (!session_shows_examples(session, AST_SOP)) return true;
    bool full = session_full_display(session);
    if (full) put_prefix(out, place.tabs), fputs(" \t Example:", out);
    const Column *column = session_example_column(session, value, &fault);
    if (!column) return fail(printer, session, &fault);
    if (full && !all_equal(column)) {
        Value input = session_example(session, AST_SELECTOR);
        put_full_display(out, session, input, column, place.tabs);
        return true;
    }
    if (!full) put_prefix(out, place.tabs), fputs(" \t Example:", out);
    fprintf(out, " %s(", name->text);
    print_quoted(out, session, session_example(session, AST_SOP));
    fputs(") = ", out);
    if (full)
        put_short_display(out, column);
    else
        print_sequence(out, column), fputc('\n', out);
    return true;
}

static bool put_selector(Printer *printer, Session *session, Value value, Where place) {
    Fault fault;
    begin(printer, place, "selector: ");
    fprintf(printer->out, "%s\n", (place.name ? place.name : value.object->name)->text);
    if (!session_shows_examples(session, AST_SELECTOR)) return true;
    put_prefix(printer->out, place.tabs);
    fputs(" \t Example:\n", printer->out);
    const bool *cells = session_example_matrix(session, value, &fault);
    if (!cells) return fail(printer, session, &fault);
    put_matrix(printer->out, session, session_example(session, AST_SELECTOR), cells, place.tabs);
    return true;
}

/* Flat: no element, or of a dict no value, is a container, s-op or selector. */
static bool is_flat(Value value) {
    size_t count = 0;
    value_count(value, &count);
    if (value.kind == VALUE_LIST && !value.list->items) return true;
    const Value *elements = value.kind == VALUE_LIST ? value.list->items : value.dict->values;
    for (size_t k = 0; k < count; k++)
        if (elements[k].kind != VALUE_ATOM && elements[k].kind != VALUE_FUNCTION) return false;
    return true;
}

static bool put_elements(Printer *printer, Session *session, Value value, unsigned tabs) {
    bool is_list = value.kind == VALUE_LIST;
    size_t count = 0;
    value_count(value, &count);
    for (size_t k = 0; k < count; k++) {
        budget_poll(session_budget(session)); /* shared parts make long texts */
        Where place = {.tabs = tabs + (is_list ? 2 : 3), .before = ""};
        Arena *scratch = session_scratch(session);
        if (!is_list)
            place.before = arena_format(
                scratch, "%s : ", atom_show(value.dict->keys[k], ATOM_QUOTED, scratch));
        Value element = is_list ? list_at(value.list, k) : value.dict->values[k];
        if (!put_result(printer, session, element, place)) return false;
    }
    return true;
}

static bool put_container(Printer *printer, Session *session, Value value, Where place) {
    FILE *out = printer->out;
    bool is_list = value.kind == VALUE_LIST;
    begin(printer, place, is_list ? "list: " : "dict: ");
    size_t head = strlen("   list: ");
    if (place.name) {
        fprintf(out, "%s = ", place.name->text);
        head += place.name->chars + strlen(" = ");
    }
    if (is_flat(value)) {
        fprintf(out, "%s\n", value_show(value, TEXT_PLAIN, session_scratch(session)));
        return true;
    }
    put_prefix(out, place.tabs);
    fputs(is_list ? " [\n" : " {\n", out);
    if (!put_elements(printer, session, value, place.tabs)) return false;
    put_prefix(out, place.tabs);
    fprintf(out, "%*s%s\n", (int)(head + 2), "", is_list ? "]" : "}");
    return true;
}

static bool put_atom_result(Printer *printer, Session *session, Value value, Where place) {
    FILE *out = printer->out;
    put_prefix(out, place.tabs);
    fputs("    value: ", out);
    if (place.name) fprintf(out, "%s = ", place.name->text);
    fputc(' ', out);
    print_quoted(out, session, value);
    fputc('\n', out);
    return true;
}

static bool put_function(Printer *printer, Session *session, Value value, Where place) {
    begin(printer, place, "");
    fprintf(printer->out, "%s\n", value_show(value, TEXT_PLAIN, session_scratch(session)));
    return true;
}

/* False: something could not be shown, and the rest is left out. */
static bool put_result(Printer *printer, Session *session, Value value, Where place) {
    static bool (*const put[])(Printer *, Session *, Value, Where) = {
        [VALUE_ATOM] = put_atom_result, [VALUE_LIST] = put_container,
        [VALUE_DICT] = put_container,   [VALUE_FUNCTION] = put_function,
        [VALUE_SOP] = put_sop,          [VALUE_SELECTOR] = put_selector};
    return put[value.kind](printer, session, value, place);
}

/* --- the sink --------------------------------------------------------------------------- */

static void sink_named(void *context, Session *session, const Str *name, Value value) {
    put_result(context, session, value, (Where){.before = "", .name = name});
}

static void put_applied_sop(FILE *out, Session *session, Value input, const Column *column) {
    bool full = session_full_display(session);
    if (full && !all_equal(column)) {
        fputs("\t = ", out);
        put_full_display(out, session, input, column, 0);
    } else if (full) {
        fputs("\t =   ", out);
        put_short_display(out, column);
    } else {
        fputs("\t =  ", out);
        print_sequence(out, column);
        fputc('\n', out);
    }
}

static void sink_applied(void *context, Session *session, Value value, Value input, Exec *exec) {
    Printer *printer = context;
    Fault fault;
    if (value.kind == VALUE_SOP) {
        const Column *column = exec_column(exec, value.object->node, &fault);
        if (column) put_applied_sop(printer->out, session, input, column);
        if (column) return;
    } else {
        const bool *cells = exec_matrix(exec, value.object->node, &fault);
        if (cells) fputs("\t = \n", printer->out);
        if (cells) put_matrix(printer->out, session, input, cells, 0);
        if (cells) return;
    }
    print_fault(printer, session, &fault);
}

static void sink_drawn(void *context, Session *session, Value value, Value input, Exec *exec,
                       bool show) {
    Printer *printer = context;
    if (printer->draw) printer->draw(printer, session, value, input, exec);
    if (show) sink_applied(context, session, value, input, exec);
}

static void sink_example(void *context, Session *session, AstTarget which) {
    FILE *out = ((Printer *)context)->out;
    static const char *const word[] = {[AST_SOP] = "s-op", [AST_SELECTOR] = "selector"};
    for (AstTarget target = AST_SOP; target <= AST_SELECTOR; target++) {
        if (which != AST_BOTH && which != target) continue;
        fprintf(out, "\t%s example: ", word[target]);
        print_quoted(out, session, session_example(session, target));
        fputc('\n', out);
    }
}

/* --- messages --------------------------------------------------------------------------- */

static void put_diag(void *context, const SourceMap *map, const Diag *diag) {
    const Printer *printer = context;
    diag_print(printer->out, map, diag, printer->colour);
}

void print_fault(Printer *printer, Session *session, const Fault *fault) {
    Arena *scratch = session_scratch(session);
    if (printer->friendly) {
        fault_report(fault, &(DiagSink){put_diag, printer}, session_sources(session), scratch);
        return;
    }
    const char *text = fault_reference_text(fault, scratch);
    switch (fault_class(fault->id)) {
    case FAULT_RASP:
        fprintf(printer->out, "\t\t!!ignoring input:\n\t %s\n", text);
        break;
    case FAULT_HOST:
        fprintf(printer->out, "something went wrong: %s\n", text);
        break;
    case FAULT_PLAIN:
        fprintf(printer->out, "%s\n", text);
        break;
    }
}

static void sink_fault(void *context, Session *session, const Fault *fault) {
    print_fault(context, session, fault);
}

static void sink_stopped(void *context, Session *session, const char *message) {
    (void)session;
    fprintf(((Printer *)context)->out, "something went wrong: %s\n", message);
}

void print_syntax(Printer *printer, const SourceMap *map, const Diag *diag) {
    if (printer->friendly)
        diag_print(printer->out, map, diag, printer->colour);
    else
        fprintf(printer->out, "\t!! antlr exception: %s \t-- ignoring input\n", diag->message);
}

static void sink_syntax(void *context, const SourceMap *map, const Diag *diag) {
    if (diag->severity == DIAG_ERROR) print_syntax(context, map, diag);
}

SessionSink print_sink(Printer *printer) {
    return (SessionSink){.context = printer,
                         .named = sink_named,
                         .applied = sink_applied,
                         .drawn = sink_drawn,
                         .example = sink_example,
                         .fault = sink_fault,
                         .stopped = sink_stopped,
                         .syntax = {sink_syntax, printer}};
}
