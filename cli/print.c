#include "cli/print.h"

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/rows.h"
#include "cli/safe.h"
#include "cli/width.h"
#include "show/wrap.h"

#include <stdlib.h>
#include <string.h>

/* --- values on one line ----------------------------------------------------------------- */

/* Text on its way to a stream, which is asked once a block and not once an atom. */
typedef struct Block {
    FILE *out;
    size_t used;
    char text[4096];
} Block;

enum { NUMBER_ROOM = 64, PLAIN_ROOM = 80 };

static void flush_block(Block *block) {
    fwrite(block->text, 1, block->used, block->out);
    block->used = 0;
}

static void put_bytes(Block *block, const char *text, size_t length) {
    if (length > sizeof block->text - block->used) flush_block(block);
    if (length > sizeof block->text) {
        fwrite(text, 1, length, block->out);
        return;
    }
    memcpy(block->text + block->used, text, length);
    block->used += length;
}

static void put_number(Block *block, RaspAtom atom, int precision) {
    if (sizeof block->text - block->used < NUMBER_ROOM) flush_block(block);
    if (atom.kind == RASP_FLOAT && precision >= 0) atom.as.f = rasp_round(atom.as.f, precision);
    block->used += rasp_atom_text(atom, RASP_CELL, block->text + block->used, NUMBER_ROOM);
}

/* As a list's element would. */
static bool reads_as_number(RaspAtom atom) {
    char *end, text[NUMBER_ROOM];
    if (atom.kind != RASP_STRING || atom.as.s.length == 0 || atom.as.s.length >= sizeof text)
        return false;
    memcpy(text, atom.as.s.text, atom.as.s.length);
    text[atom.as.s.length] = '\0';
    if (strspn(text, "+-.0123456789eE") < atom.as.s.length) return false;
    strtod(text, &end);
    return *end == '\0';
}

static void put_value(Block *block, RaspAtom atom, int precision, PrintStrings strings) {
    if (atom.kind != RASP_STRING) {
        put_number(block, atom, precision);
        return;
    }
    size_t mark = strings == STRINGS_QUOTED && reads_as_number(atom);
    put_bytes(block, "\"", mark);
    put_bytes(block, atom.as.s.text, atom.as.s.length);
    put_bytes(block, "\"", mark);
}

static void print_one(FILE *out, RaspAtom atom, int precision, PrintStrings strings) {
    Block block;
    block.out = out;
    block.used = 0;
    put_value(&block, atom, precision, strings);
    flush_block(&block);
}

void print_value(FILE *out, RaspAtom atom, int precision) {
    print_one(out, atom, precision, STRINGS_BARE);
}

void print_element(FILE *out, RaspAtom atom, int precision) {
    print_one(out, atom, precision, STRINGS_QUOTED);
}

/* Whether the values are printed as the library does: not rounded, and no string in quotes. */
static bool is_plain(const RaspSequence *values, int precision, PrintStrings strings) {
    RaspType type = rasp_sequence_type(values);
    return type == RASP_STRINGS ? strings == STRINGS_BARE : type != RASP_FLOATS || precision < 0;
}

static void put_plain(Block *block, const RaspSequence *values) {
    size_t length = rasp_sequence_length(values), at = 0;
    while (at < length) {
        size_t before = at, room = sizeof block->text - block->used;
        if (room >= PLAIN_ROOM)
            block->used += rasp_sequence_text(values, &at, block->text + block->used, room);
        if (at == length || at > before) continue;
        if (block->used) {
            flush_block(block);
            continue;
        }
        if (at) put_bytes(block, ", ", 2); /* a string longer than the block */
        put_value(block, rasp_sequence_at(values, at++), -1, STRINGS_BARE);
    }
}

void print_values(FILE *out, const RaspSequence *values, int precision, PrintStrings strings) {
    size_t length = rasp_sequence_length(values);
    Block block;
    block.out = out;
    block.used = 0;
    put_bytes(&block, "[", 1);
    if (is_plain(values, precision, strings))
        put_plain(&block, values);
    else
        for (size_t i = 0; i < length; i++) {
            if (i) put_bytes(&block, ", ", 2);
            put_value(&block, rasp_sequence_at(values, i), precision, strings);
        }
    put_bytes(&block, "]", 1);
    flush_block(&block);
}

const char *print_cell(Arena *arena, RaspAtom atom, int precision) {
    if (atom.kind == RASP_FLOAT && precision >= 0) atom.as.f = rasp_round(atom.as.f, precision);
    size_t size = rasp_atom_text(atom, RASP_CELL, NULL, 0) + 1;
    char *text = arena_array(arena, size, 1);
    rasp_atom_text(atom, RASP_CELL, text, size);
    return text;
}

/* "[2, 2, 1] (ints)" or "[2]*3 (ints)", floats with three decimals. */
static void print_sequence(FILE *out, const RaspSequence *values) {
    size_t length = rasp_sequence_length(values);
    if (length > 1 && rasp_sequence_uniform(values)) {
        fputc('[', out);
        print_value(out, rasp_sequence_at(values, 0), PRINT_DECIMALS);
        fprintf(out, "]*%zu", length);
    } else {
        print_values(out, values, PRINT_DECIMALS, STRINGS_BARE);
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

static void put_short_display(FILE *out, const RaspSequence *values) {
    print_sequence(out, values);
    fputs(" [skipped full display: identical values]\n", out);
}

/* --- where results stand ---------------------------------------------------------------- */

/* Where a result stands: how many tabs before it, what is before its kind, its name (NULL
 * inside a container, where s-ops and selectors show their own). */
typedef struct Where {
    unsigned tabs;
    const char *before;
    const char *name;
} Where;

static bool put_result(Printer *printer, RaspRepl *repl, RaspValue value, Where place);

static RowsPlace rows_place(const Printer *printer, unsigned tabs) {
    return (RowsPlace){printer->out, tabs, printer->friendly ? width_of_output() : 0};
}

/* Tabs are the reference's, a terminal has less room. */
static void put_prefix(const Printer *printer, unsigned tabs) {
    if (printer->friendly)
        fprintf(printer->out, "%*s", (int)(ROWS_DEEPER * tabs), "");
    else
        while (tabs--) fputc('\t', printer->out);
}

/* On a terminal, in lines that fit. */
static void put_paragraph(const Printer *printer, const char *text, size_t indent) {
    wrap_hanging(printer->out, text, indent, indent + ROWS_DEEPER, width_of_output());
}

/* The session could not show a stored s-op or selector on the example of now. */
static bool fail(const Printer *printer, const char *failure) {
    static const char text[] = "statement executed, but result fails on evaluation:";
    if (printer->friendly)
        put_paragraph(printer, text, ROWS_INDENT),
            put_paragraph(printer, failure, ROWS_INDENT + ROWS_DEEPER);
    else
        fprintf(printer->out, "\t!!%s\n\t\t %s\n", text, failure);
    return false;
}

static void begin(Printer *printer, Where place, const char *kind) {
    put_prefix(printer, place.tabs);
    fprintf(printer->out, " %s    %s", place.before, kind);
}

/* --- s-ops ------------------------------------------------------------------------------ */

/* "NAME(INPUT) = VALUES", or "=  VALUES" of what was applied (name NULL). */
static void put_equation(FILE *out, RaspRepl *repl, const char *name, RaspValue input,
                         const RaspSequence *values, bool full) {
    if (name) {
        fprintf(out, " %s(", name);
        put_quoted(out, repl, input);
        fputs(") =", out);
    }
    fputc(' ', out);
    if (full)
        put_short_display(out, values);
    else
        print_sequence(out, values), fputc('\n', out);
}

/* One line if it fits and not all values are wanted, else input and output in rows. */
static void put_fitting(const Printer *printer, RaspRepl *repl, const char *name, RaspValue input,
                        const RaspSequence *values, unsigned tabs) {
    const char *head = name ? "Example:" : "=";
    char *line = NULL;
    size_t size, indent = ROWS_INDENT + ROWS_DEEPER + ROWS_DEEPER * tabs;
    bool full = rasp_repl_full_display(repl), uniform = rasp_sequence_uniform(values);
    FILE *out = open_memstream(&line, &size);
    RowsPlace place = rows_place(printer, tabs);
    if (out) put_equation(out, repl, name, input, values, full);
    bool whole = out && fclose(out) == 0;
    if (whole) line[size - 1] = '\0'; /* the newline */
    bool fits = whole && indent + strlen(head) + wrap_columns(line) <= place.width;
    fprintf(printer->out, "%*s%s", (int)indent, "", head);
    if (whole && (uniform || (fits && !full)))
        fprintf(printer->out, "%s\n", line);
    else
        rows_print(&place, repl, input, values);
    free(line);
}

static void put_example(const Printer *printer, RaspRepl *repl, const char *name,
                        const RaspSequence *values, unsigned tabs) {
    FILE *out = printer->out;
    bool full = rasp_repl_full_display(repl);
    RowsPlace place = rows_place(printer, tabs);
    if (full && !rasp_sequence_uniform(values))
        rows_print(&place, repl, rasp_repl_example(repl, RASP_EXAMPLE_SELECTOR), values);
    else
        put_equation(out, repl, name, rasp_repl_example(repl, RASP_EXAMPLE_SOP), values, full);
}

static bool put_sop(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    FILE *out = printer->out;
    const char *name = place.name ? place.name : rasp_value_name(value), *failure;
    begin(printer, place, "s-op: ");
    fprintf(out, "%s\n", name);
    if (!rasp_repl_shows_examples(repl, RASP_EXAMPLE_SOP)) return true;
    bool full = rasp_repl_full_display(repl), early = full && !printer->friendly;
    if (early) put_prefix(printer, place.tabs), fputs(" \t Example:", out);
    const RaspSequence *values = rasp_value_sequence(repl, value, &failure);
    if (!values) return fail(printer, failure);
    if (printer->friendly) {
        RaspValue input = rasp_repl_example(repl, RASP_EXAMPLE_SOP);
        put_fitting(printer, repl, name, input, values, place.tabs);
        return true;
    }
    if (!early) put_prefix(printer, place.tabs), fputs(" \t Example:", out);
    put_example(printer, repl, name, values, place.tabs);
    return true;
}

/* --- selectors and containers ----------------------------------------------------------- */

static bool put_selector(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    const char *failure;
    RowsPlace rows = rows_place(printer, place.tabs);
    begin(printer, place, "selector: ");
    fprintf(printer->out, "%s\n", place.name ? place.name : rasp_value_name(value));
    if (!rasp_repl_shows_examples(repl, RASP_EXAMPLE_SELECTOR)) return true;
    put_prefix(printer, place.tabs);
    if (printer->friendly)
        fprintf(printer->out, "%*sExample:\n", ROWS_INDENT + ROWS_DEEPER, "");
    else
        fputs(" \t Example:\n", printer->out);
    const bool *cells = rasp_value_selection(repl, value, &failure);
    if (!cells) return fail(printer, failure);
    rows_print_matrix(&rows, repl, rasp_repl_example(repl, RASP_EXAMPLE_SELECTOR), cells);
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

/* "list: x = [1, 2]", in further lines if it must be. */
static void put_flat(const Printer *printer, RaspRepl *repl, RaspValue value, Where place,
                     const char *kind) {
    Arena *arena = arena_child(command_arena());
    const char *text =
        arena_format(arena, "%s%s%s%s%s", place.before, kind, place.name ? place.name : "",
                     place.name ? " = " : "", rasp_value_text(repl, value, RASP_PLAIN));
    put_paragraph(printer, text, ROWS_INDENT + ROWS_DEEPER * place.tabs);
    arena_free(arena);
}

static bool put_container(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    FILE *out = printer->out;
    bool is_list = value.kind == RASP_VALUE_LIST;
    const char *kind = is_list ? "list: " : "dict: ";
    if (printer->friendly && rasp_value_flat(value)) {
        put_flat(printer, repl, value, place, kind);
        return true;
    }
    begin(printer, place, kind);
    size_t head = strlen("   list: ");
    if (place.name) {
        fprintf(out, "%s = ", place.name);
        head += utf8_count(place.name, strlen(place.name)) + strlen(" = ");
    }
    if (rasp_value_flat(value)) {
        fprintf(out, "%s\n", rasp_value_text(repl, value, RASP_PLAIN));
        return true;
    }
    put_prefix(printer, place.tabs);
    fputs(is_list ? " [\n" : " {\n", out);
    if (!put_elements(printer, repl, value, place.tabs)) return false;
    put_prefix(printer, place.tabs);
    fprintf(out, "%*s%s\n", (int)(head + 2), "", is_list ? "]" : "}");
    return true;
}

static bool put_atom_result(Printer *printer, RaspRepl *repl, RaspValue value, Where place) {
    FILE *out = printer->out;
    put_prefix(printer, place.tabs);
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

static void put_applied_sop(const Printer *printer, RaspRepl *repl, RaspValue input,
                            const RaspSequence *values) {
    FILE *out = printer->out;
    RowsPlace place = rows_place(printer, 0);
    bool full = rasp_repl_full_display(repl);
    if (printer->friendly) {
        put_fitting(printer, repl, NULL, input, values, 0);
    } else if (full && !rasp_sequence_uniform(values)) {
        fputs("\t = ", out);
        rows_print(&place, repl, input, values);
    } else {
        fputs(full ? "\t =  " : "\t = ", out);
        put_equation(out, repl, NULL, input, values, full);
    }
}

static void on_applied(void *context, RaspRepl *repl, RaspValue value, RaspValue input) {
    Printer *printer = context;
    RowsPlace place = rows_place(printer, 0);
    if (value.kind == RASP_VALUE_SOP) {
        const RaspSequence *values = rasp_value_sequence(repl, value, NULL);
        if (values) put_applied_sop(printer, repl, input, values);
        return;
    }
    const bool *cells = rasp_value_selection(repl, value, NULL);
    if (!cells) return;
    fputs(printer->friendly ? "       =\n" : "\t = \n", printer->out);
    rows_print_matrix(&place, repl, input, cells);
}

static void on_drawn(void *context, RaspRepl *repl, RaspValue value, RaspValue input, bool show) {
    Printer *printer = context;
    if (printer->draw) printer->draw(repl, value, input);
    if (show) on_applied(context, repl, value, input);
}

static void put_named_example(const Printer *printer, RaspRepl *repl, const char *label,
                              RaspValue example) {
    char *text = NULL;
    size_t size;
    FILE *out = printer->friendly ? open_memstream(&text, &size) : printer->out;
    if (!out) return;
    fprintf(out, "%s%s ", printer->friendly ? "" : "\t", label);
    put_quoted(out, repl, example);
    if (!printer->friendly)
        fputc('\n', out);
    else if (fclose(out) == 0)
        put_paragraph(printer, text, ROWS_INDENT);
    free(text);
}

static void on_example(void *context, RaspRepl *repl, RaspExample which) {
    static const char *const label[] = {
        [RASP_EXAMPLE_SOP] = "s-op example:", [RASP_EXAMPLE_SELECTOR] = "selector example:"};
    for (RaspExample target = RASP_EXAMPLE_SOP; target <= RASP_EXAMPLE_SELECTOR; target++)
        if (which == RASP_EXAMPLE_BOTH || which == target)
            put_named_example(context, repl, label[target], rasp_repl_example(repl, target));
}

/* --- messages --------------------------------------------------------------------------- */

static void put_message(const Printer *printer, const RaspMessage *message) {
    char *text = rasp_message_fit(message, printer->colour, width_of_output());
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
