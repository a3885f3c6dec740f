#include "cli/rows.h"

#include "base/utf8.h"
#include "cli/columns.h"
#include "cli/print.h"

#include <stdlib.h>
#include <string.h>

/* --- atoms and cells -------------------------------------------------------------------- */

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

static char *cell_text(RaspAtom atom, int decimals) {
    if (decimals >= 0 && atom.kind == RASP_FLOAT) atom.as.f = rasp_round(atom.as.f, decimals);
    size_t size = rasp_atom_text(atom, RASP_PLAIN, NULL, 0) + 1;
    char *text = malloc(size);
    if (text) rasp_atom_text(atom, RASP_PLAIN, text, size);
    return text;
}

static Row make_row(const Atoms *atoms, int decimals) {
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
        row.cell[i] = thin ? strdup(truth[is_true(atom)]) : cell_text(atom, decimals);
        size_t width = row.cell[i] ? utf8_count(row.cell[i], strlen(row.cell[i])) : 0;
        if (width > row.width) row.width = width;
    }
    return row;
}

static void free_row(Row *row) {
    for (size_t i = 0; row->cell && i < row->count; i++) free(row->cell[i]);
    free(row->cell);
}

static void put_tabs(FILE *out, unsigned tabs) {
    while (tabs--) fputc('\t', out);
}

/* --- an input and an output ------------------------------------------------------------- */

static void put_row(FILE *out, const char *head, const Row *row, size_t width, const char *type) {
    fprintf(out, " \t\t%s ", head);
    for (size_t i = 0; row->cell && i < row->count; i++) {
        const char *cell = row->cell[i] ? row->cell[i] : "";
        size_t own = utf8_count(cell, strlen(cell));
        fprintf(out, "%s%*s%s", i ? " " : "", (int)(width - own), "", cell);
    }
    fprintf(out, " \t (%s)\n", type);
}

/* The rows on a terminal. */
typedef struct Pair {
    const Row *row[2];
    const char *note;
} Pair;

static const char *pair_label(void *context, size_t row) {
    (void)context;
    return row ? "output:" : "input:";
}

static const char *pair_cell(void *context, size_t row, size_t column) {
    const Row *of = ((const Pair *)context)->row[row];
    return of->cell && of->cell[column] ? of->cell[column] : "";
}

static const char *pair_note(void *context, size_t row) {
    return row ? ((const Pair *)context)->note : "";
}

static size_t indent_of(const RowsPlace *place) {
    return ROWS_INDENT + ROWS_DEEPER + ROWS_DEEPER * place->tabs;
}

static void put_lined_up(const RowsPlace *place, const Row *input, const Row *output,
                         const char *type) {
    char note[32];
    snprintf(note, sizeof note, "(%s)", type);
    Pair pair = {{input, output}, note};
    size_t count = input->count < output->count ? input->count : output->count;
    columns_print(place->out,
                  &(Columns){.rows = 2,
                             .count = count,
                             .label = pair_label,
                             .cell = pair_cell,
                             .note = pair_note,
                             .context = &pair},
                  indent_of(place), place->width);
}

void rows_print(const RowsPlace *place, RaspRepl *repl, RaspValue example,
                const RaspSequence *values) {
    FILE *out = place->out;
    fputc('\n', out);
    Atoms tokens = atoms_of_value(repl, example), results = atoms_of_sequence(values);
    int decimals = place->width ? PRINT_DECIMALS : -1;
    Row input = make_row(&tokens, decimals), output = make_row(&results, decimals);
    size_t width = input.width > output.width ? input.width : output.width;
    const char *type = rasp_type_name(rasp_sequence_type(values));
    if (place->width) {
        put_lined_up(place, &input, &output, type);
    } else {
        put_tabs(out, place->tabs);
        put_row(out, "input:  ", &input, width, "strings");
        put_tabs(out, place->tabs);
        put_row(out, "output: ", &output, width, type);
    }
    free_row(&input);
    free_row(&output);
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

static void put_matrix(const RowsPlace *place, const Atoms *tokens, const bool *cells) {
    FILE *out = place->out;
    put_tabs(out, place->tabs);
    fputs(" \t\t\t    ", out);
    for (size_t j = 0; j < tokens->count; j++) {
        fputc(' ', out);
        put_plain(out, atom_at(tokens, j));
    }
    fputc('\n', out);
    for (size_t i = 0; i < tokens->count; i++) {
        put_tabs(out, place->tabs);
        fputs(" \t\t\t ", out);
        put_plain(out, atom_at(tokens, i));
        fputs(" |", out);
        for (size_t j = 0; j < tokens->count; j++)
            fputs(cells[i * tokens->count + j] ? " 1" : "  ", out);
        fputc('\n', out);
    }
}

static void put_grid(const RowsPlace *place, const Atoms *tokens, const bool *cells) {
    char **text = calloc(tokens->count + 1, sizeof *text);
    bool fine = text != NULL;
    for (size_t i = 0; fine && i < tokens->count; i++)
        fine = (text[i] = cell_text(atom_at(tokens, i), PRINT_DECIMALS)) != NULL;
    if (fine)
        columns_print_grid(place->out, (const char *const *)text, tokens->count, cells,
                           indent_of(place), place->width);
    for (size_t i = 0; text && i < tokens->count; i++) free(text[i]);
    free(text);
}

void rows_print_matrix(const RowsPlace *place, RaspRepl *repl, RaspValue input, const bool *cells) {
    Atoms tokens = atoms_of_value(repl, input);
    (place->width ? put_grid : put_matrix)(place, &tokens, cells);
}
