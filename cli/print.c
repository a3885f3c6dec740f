#include "cli/print.h"

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/safe.h"

#include <stdlib.h>
#include <string.h>

/* --- values on one line ----------------------------------------------------------------- */

void print_value(FILE *out, RaspAtom atom, int precision) {
    char text[64];
    if (atom.kind == RASP_STRING) {
        fwrite(atom.as.s.text, 1, atom.as.s.length, out);
        return;
    }
    if (atom.kind == RASP_FLOAT && precision >= 0) atom.as.f = rasp_round(atom.as.f, precision);
    size_t length = rasp_atom_text(atom, RASP_CELL, text, sizeof text);
    fwrite(text, 1, length, out);
}

/* As a list's element would. */
static bool reads_as_number(RaspAtom atom) {
    char *end, text[64];
    if (atom.kind != RASP_STRING || atom.as.s.length == 0 || atom.as.s.length >= sizeof text)
        return false;
    memcpy(text, atom.as.s.text, atom.as.s.length);
    text[atom.as.s.length] = '\0';
    if (strspn(text, "+-.0123456789eE") < atom.as.s.length) return false;
    strtod(text, &end);
    return *end == '\0';
}

void print_element(FILE *out, RaspAtom atom, int precision) {
    const char *mark = reads_as_number(atom) ? "\"" : "";
    fputs(mark, out);
    print_value(out, atom, precision);
    fputs(mark, out);
}

const char *print_cell(Arena *arena, RaspAtom atom, int precision) {
    if (atom.kind == RASP_FLOAT && precision >= 0) atom.as.f = rasp_round(atom.as.f, precision);
    size_t size = rasp_atom_text(atom, RASP_CELL, NULL, 0) + 1;
    char *text = arena_array(arena, size, 1);
    rasp_atom_text(atom, RASP_CELL, text, size);
    return text;
}

void print_values(FILE *out, const RaspSequence *values, int precision, PrintValue *print) {
    size_t length = rasp_sequence_length(values);
    fputc('[', out);
    for (size_t i = 0; i < length; i++) {
        if (i) fputs(", ", out);
        print(out, rasp_sequence_at(values, i), precision);
    }
    fputc(']', out);
}

/* "[2, 2, 1] (ints)" or "[2]*3 (ints)", floats with three decimals. */
static void print_sequence(FILE *out, const RaspSequence *values) {
    enum { DECIMALS = 3 };
    size_t length = rasp_sequence_length(values);
    if (length > 1 && rasp_sequence_uniform(values)) {
        fputc('[', out);
        print_value(out, rasp_sequence_at(values, 0), DECIMALS);
        fprintf(out, "]*%zu", length);
    } else {
        print_values(out, values, DECIMALS, print_value);
    }
    fprintf(out, " (%s)", rasp_type_name(rasp_sequence_type(values)));
}

const char *print_text(RaspAtom atom, RaspStyle style) {
    size_t size = rasp_atom_text(atom, style, NULL, 0) + 1;
    char *text = arena_alloc(command_arena(), size);
    rasp_atom_text(atom, style, text, size);
    return text;
}

/* A value's text as messages and examples have it: "hello", ['a', 1]. */
static void put_quoted(FILE *out, RaspRepl *repl, RaspValue value) {
    bool is_string = value.kind == RASP_VALUE_ATOM && rasp_value_atom(value).kind == RASP_STRING;
    if (is_string) fputc('"', out);
    if (is_string)
        print_value(out, rasp_value_atom(value), -1);
    else
        fputs(rasp_value_text(repl, value, RASP_PLAIN), out);
    if (is_string) fputc('"', out);
}

/* --- the full display ------------------------------------------------------------------- */

/* Where a row's atoms are: a sequence, or the elements of an example. */
typedef struct Atoms {
    const RaspSequence *sequence;
    RaspRepl *repl;
    RaspValue value;
    size_t count;
} Atoms;

static Atoms atoms_of_sequence(const RaspSequence *sequence) {
    return (Atoms){.sequence = sequence, .count = rasp_sequence_length(sequence)};
}

static Atoms atoms_of_value(RaspRepl *repl, RaspValue value) {
    return (Atoms){NULL, repl, value, rasp_value_count(value)};
}

static RaspAtom atom_at(const Atoms *atoms, size_t i) {
    if (atoms->sequence) return rasp_sequence_at(atoms->sequence, i);
    return rasp_value_atom(rasp_value_element(atoms->repl, atoms->value, i));
}

static bool is_true(RaspAtom atom) {
    return atom.kind == RASP_STRING ? atom.as.s.length > 0
                                    : !rasp_atom_equal(atom, rasp_bool(false));
}

/* A row of cells; a row that begins with a bool shows only the rarer truth value. */
typedef struct Row {
    char **cell;         /* malloc'd, as they are */
    size_t count, width; /* of the widest, in code points */
} Row;

static char *cell_text(RaspAtom atom) {
    size_t size = rasp_atom_text(atom, RASP_PLAIN, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) rasp_atom_text(atom, RASP_PLAIN, text, size);
    return text;
}

static Row make_row(const Atoms *atoms) {
    Row row = {calloc(atoms->count + 1, sizeof(char *)), atoms->count, 0};
    bool thin = atoms->count && atom_at(atoms, 0).kind == RASP_BOOL;
    size_t trues = 0, falses = 0;
    for (size_t i = 0; thin && i < atoms->count; i++) {
        trues += rasp_atom_equal(atom_at(atoms, i), rasp_bool(true));
        falses += rasp_atom_equal(atom_at(atoms, i), rasp_bool(false));
    }
    const char *truth[2] = {falses <= trues ? "F" : "", trues <= falses ? "T" : ""};
    for (size_t i = 0; row.cell && i < atoms->count; i++) {
        RaspAtom atom = atom_at(atoms, i);
        row.cell[i] = thin ? strdup(truth[is_true(atom)]) : cell_text(atom);
        size_t width = row.cell[i] ? utf8_count(row.cell[i], strlen(row.cell[i])) : 0;
        if (width > row.width) row.width = width;
    }
    return row;
}

static void free_row(Row *row) {
    for (size_t i = 0; row->cell && i < row->count; i++) free(row->cell[i]);
    free(row->cell);
}

static void put_row(FILE *out, const char *head, const Row *row, size_t width, const char *type) {
    fprintf(out, " \t\t%s ", head);
    for (size_t i = 0; row->cell && i < row->count; i++) {
        const char *cell = row->cell[i] ? row->cell[i] : "";
        size_t own = utf8_count(cell, strlen(cell));
        fprintf(out, "%s%*s%s", i ? " " : "", (int)(width - own), "", cell);
    }
    fprintf(out, " \t (%s)\n", type);
}

static void put_prefix(FILE *out, unsigned tabs) {
    while (tabs--) fputc('\t', out);
}

/* Goes on behind what introduces it. */
static void put_full_display(FILE *out, RaspRepl *repl, RaspValue example,
                             const RaspSequence *values, unsigned tabs) {
    fputc('\n', out);
    Atoms tokens = atoms_of_value(repl, example), results = atoms_of_sequence(values);
    Row input = make_row(&tokens), output = make_row(&results);
    size_t width = input.width > output.width ? input.width : output.width;
    put_prefix(out, tabs);
    put_row(out, "input:  ", &input, width, "strings");
    put_prefix(out, tabs);
    put_row(out, "output: ", &output, width, rasp_type_name(rasp_sequence_type(values)));
    free_row(&input);
    free_row(&output);
}

static void put_short_display(FILE *out, const RaspSequence *values) {
    print_sequence(out, values);
    fputs(" [skipped full display: identical values]\n", out);
}

/* --- selectors -------------------------------------------------------------------------- */

static void put_plain(FILE *out, RaspAtom atom) {
    char text[64];
    if (atom.kind == RASP_STRING) {
        print_value(out, atom, -1);
        return;
    }
    rasp_atom_text(atom, RASP_PLAIN, text, sizeof text);
    fputs(text, out);
}

static void put_matrix(FILE *out, RaspRepl *repl, RaspValue example, const bool *cells,
                       unsigned tabs) {
    Atoms tokens = atoms_of_value(repl, example);
    put_prefix(out, tabs);
    fputs(" \t\t\t    ", out);
    for (size_t j = 0; j < tokens.count; j++) {
        fputc(' ', out);
        put_plain(out, atom_at(&tokens, j));
    }
    fputc('\n', out);
    for (size_t i = 0; i < tokens.count; i++) {
        put_prefix(out, tabs);
        fputs(" \t\t\t ", out);
        put_plain(out, atom_at(&tokens, i));
        fputs(" |", out);
        for (size_t j = 0; j < tokens.count; j++)
            fputs(cells[i * tokens.count + j] ? " 1" : "  ", out);
        fputc('\n', out);
    }
}

/* --- named results ---------------------------------------------------------------------- */

/* Where a result stands: how many tabs before it, what is before its kind, its name (NULL
 * inside a container, where s-ops and selectors show their own). */
typedef struct Where {
    unsigned tabs;
    const char *before;
    const char *name;
} Where;

static bool put_result(Printer *printer, RaspRepl *repl, RaspValue value, Where place);

/* The session could not show a stored s-op or selector on the example of now. */
static bool fail(Printer *printer, const char *failure) {
    fprintf(printer->out, "\t!!statement executed, but result fails on evaluation:\n\t\t %s\n",
            failure);
    return false;
}

static void begin(Printer *printer, Where place, const char *kind) {
    put_prefix(printer->out, place.tabs);
    fprintf(printer->out, " %s    %s", place.before, kind);
}

static bool put_sop(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    FILE *out = printer->out;
    const char *name = place.name ? place.name : rasp_value_name(value), *failure;
    begin(printer, place, "s-op: ");
    fprintf(out, "%s\n", name);
    if (!rasp_repl_shows_examples(repl, RASP_EXAMPLE_SOP)) return true;
    bool full = rasp_repl_full_display(repl);
    if (full) put_prefix(out, place.tabs), fputs(" \t Example:", out);
    const RaspSequence *values = rasp_value_sequence(repl, value, &failure);
    if (!values) return fail(printer, failure);
    if (full && !rasp_sequence_uniform(values)) {
        RaspValue input = rasp_repl_example(repl, RASP_EXAMPLE_SELECTOR);
        put_full_display(out, repl, input, values, place.tabs);
        return true;
    }
    if (!full) put_prefix(out, place.tabs), fputs(" \t Example:", out);
    fprintf(out, " %s(", name);
    put_quoted(out, repl, rasp_repl_example(repl, RASP_EXAMPLE_SOP));
    fputs(") = ", out);
    if (full)
        put_short_display(out, values);
    else
        print_sequence(out, values), fputc('\n', out);
    return true;
}

static bool put_selector(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    const char *failure;
    begin(printer, place, "selector: ");
    fprintf(printer->out, "%s\n", place.name ? place.name : rasp_value_name(value));
    if (!rasp_repl_shows_examples(repl, RASP_EXAMPLE_SELECTOR)) return true;
    put_prefix(printer->out, place.tabs);
    fputs(" \t Example:\n", printer->out);
    const bool *cells = rasp_value_selection(repl, value, &failure);
    if (!cells) return fail(printer, failure);
    put_matrix(printer->out, repl, rasp_repl_example(repl, RASP_EXAMPLE_SELECTOR), cells,
               place.tabs);
    return true;
}

static bool put_elements(Printer *printer, RaspRepl *repl, RaspValue value, unsigned tabs) {
    bool is_list = value.kind == RASP_VALUE_LIST;
    size_t count = rasp_value_count(value);
    for (size_t k = 0; k < count; k++) {
        char *before = NULL;
        Where place = {.tabs = tabs + (is_list ? 2 : 3), .before = ""};
        if (!is_list) {
            RaspAtom key = rasp_value_key(value, k);
            size_t size = rasp_atom_text(key, RASP_QUOTED, NULL, 0) + sizeof " : ";
            if (!(before = malloc(size))) return false;
            strcpy(before + rasp_atom_text(key, RASP_QUOTED, before, size), " : ");
            place.before = before;
        }
        RaspValue element = rasp_value_element(repl, value, k);
        bool fine = put_result(printer, repl, element, place);
        free(before);
        if (!fine || rasp_repl_stopped(repl)) return false;
    }
    return true;
}

static bool put_container(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    FILE *out = printer->out;
    bool is_list = value.kind == RASP_VALUE_LIST;
    begin(printer, place, is_list ? "list: " : "dict: ");
    size_t head = strlen("   list: ");
    if (place.name) {
        fprintf(out, "%s = ", place.name);
        head += utf8_count(place.name, strlen(place.name)) + strlen(" = ");
    }
    if (rasp_value_flat(value)) {
        fprintf(out, "%s\n", rasp_value_text(repl, value, RASP_PLAIN));
        return true;
    }
    put_prefix(out, place.tabs);
    fputs(is_list ? " [\n" : " {\n", out);
    if (!put_elements(printer, repl, value, place.tabs)) return false;
    put_prefix(out, place.tabs);
    fprintf(out, "%*s%s\n", (int)(head + 2), "", is_list ? "]" : "}");
    return true;
}

static bool put_atom_result(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    FILE *out = printer->out;
    put_prefix(out, place.tabs);
    fputs("    value: ", out);
    if (place.name) fprintf(out, "%s = ", place.name);
    fputc(' ', out);
    put_quoted(out, repl, value);
    fputc('\n', out);
    return true;
}

static bool put_function(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    begin(printer, place, "");
    fprintf(printer->out, "%s\n", rasp_value_text(repl, value, RASP_PLAIN));
    return true;
}

/* False: something could not be shown, and the rest is left out. */
static bool put_result(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    static bool (*const put[])(Printer *, RaspRepl *, RaspValue, Where) = {
        [RASP_VALUE_ATOM] = put_atom_result, [RASP_VALUE_LIST] = put_container,
        [RASP_VALUE_DICT] = put_container,   [RASP_VALUE_FUNCTION] = put_function,
        [RASP_VALUE_SOP] = put_sop,          [RASP_VALUE_SELECTOR] = put_selector};
    return put[value.kind](printer, repl, value, place);
}

/* --- events ----------------------------------------------------------------------------- */

static void on_named(void *context, RaspRepl *repl, const char *name, RaspValue value) {
    put_result(context, repl, value, (Where){.before = "", .name = name});
}

static void put_applied_sop(FILE *out, RaspRepl *repl, RaspValue input,
                            const RaspSequence *values) {
    bool full = rasp_repl_full_display(repl);
    if (full && !rasp_sequence_uniform(values)) {
        fputs("\t = ", out);
        put_full_display(out, repl, input, values, 0);
    } else if (full) {
        fputs("\t =   ", out);
        put_short_display(out, values);
    } else {
        fputs("\t =  ", out);
        print_sequence(out, values);
        fputc('\n', out);
    }
}

static void on_applied(void *context, RaspRepl *repl, RaspValue value, RaspValue input) {
    Printer *printer = context;
    if (value.kind == RASP_VALUE_SOP) {
        const RaspSequence *values = rasp_value_sequence(repl, value, NULL);
        if (values) put_applied_sop(printer->out, repl, input, values);
        return;
    }
    const bool *cells = rasp_value_selection(repl, value, NULL);
    if (!cells) return;
    fputs("\t = \n", printer->out);
    put_matrix(printer->out, repl, input, cells, 0);
}

static void on_drawn(void *context, RaspRepl *repl, RaspValue value, RaspValue input, bool show) {
    Printer *printer = context;
    if (printer->draw) printer->draw(repl, value, input);
    if (show) on_applied(context, repl, value, input);
}

static void on_example(void *context, RaspRepl *repl, RaspExample which) {
    FILE *out = ((Printer *)context)->out;
    static const char *const word[] = {
        [RASP_EXAMPLE_SOP] = "s-op", [RASP_EXAMPLE_SELECTOR] = "selector"};
    for (RaspExample target = RASP_EXAMPLE_SOP; target <= RASP_EXAMPLE_SELECTOR; target++) {
        if (which != RASP_EXAMPLE_BOTH && which != target) continue;
        fprintf(out, "\t%s example: ", word[target]);
        put_quoted(out, repl, rasp_repl_example(repl, target));
        fputc('\n', out);
    }
}

/* --- messages --------------------------------------------------------------------------- */

static void put_message(const Printer *printer, const RaspMessage *message) {
    char *text = rasp_message_show(message, printer->colour);
    FILE *out = printer->out == stdout ? safe_terminal() : printer->out; /* it may have colours */
    fputs(text ? text : message->text, out);
    fflush(out);
    rasp_free(text);
}

static void on_failed(void *context, RaspRepl *repl, RaspFailure failure, const char *reference,
                      const RaspMessage *message) {
    static const char *const before[] = {[RASP_FAILURE_LANGUAGE] = "\t\t!!ignoring input:\n\t ",
                                         [RASP_FAILURE_HOST] = "something went wrong: ",
                                         [RASP_FAILURE_PLAIN] = ""};
    const Printer *printer = context;
    (void)repl;
    if (printer->friendly)
        put_message(printer, message);
    else
        fprintf(printer->out, "%s%s\n", before[failure], reference);
}

static void on_stopped(void *context, RaspRepl *repl, const char *text) {
    (void)repl;
    fprintf(((Printer *)context)->out, "something went wrong: %s\n", text);
}

static void on_syntax(void *context, RaspRepl *repl, const RaspMessage *message) {
    const Printer *printer = context;
    (void)repl;
    if (printer->friendly)
        put_message(printer, message);
    else
        fprintf(printer->out, "\t!! antlr exception: %s \t-- ignoring input\n", message->text);
}

/* The reference says nothing. */
static void on_warned(void *context, RaspRepl *repl, const RaspMessage *message) {
    const Printer *printer = context;
    (void)repl;
    if (printer->friendly) put_message(printer, message);
}

RaspEvents print_events(Printer *printer) {
    return (RaspEvents){.context = printer,
                        .named = on_named,
                        .applied = on_applied,
                        .drawn = on_drawn,
                        .example = on_example,
                        .failed = on_failed,
                        .syntax = on_syntax,
                        .stopped = on_stopped,
                        .warned = on_warned};
}
