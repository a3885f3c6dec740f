/* The atlas as a document, or as JSON lines, from the files that its jobs left. */
#include "cli/atlas_private.h"

#include "cli/command.h"
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

/* --- JSON ------------------------------------------------------------------------------------- */

/* Each line with the row's name in front. */
void atlas_print_lines(const AtlasJob *job) {
    char *line = NULL;
    size_t room = 0;
    FILE *in = atlas_job_open(job, "lines");
    while (in && getline(&line, &room, in) > 0)
        printf("{\"%s\": \"%s\", %s", job->row->program ? "program" : "task", job->row->name,
               line + 1);
    free(line);
    if (in) fclose(in);
}

/* --- the document ----------------------------------------------------------------------------- */

static const char introduction[] =
    "# Atlas: what one attention layer can do\n"
    "\n"
    "Made by `make atlas` (`rasp express --atlas`). For each task, with inputs of 1 to N tokens, "
    "the\n"
    "least number of heads of one layer of each class, for N = 1, 2, 3, …;\n"
    "[expressivity.md](expressivity.md) says what the classes are and how to read a verdict. "
    "`>3`:\n"
    "not with three heads; `2-`: at least two; `no`: not with any number; `yes`: not excluded. "
    "Below,\n"
    "for the greatest N, the program or the witness. Every certificate has been verified.\n";

/* Line 2 of the job's text: the cells, one blank between them. */
static void print_cells(FILE *out, FILE *in) {
    int c, before = ' ';
    while ((c = getc(in)) != EOF && c != '\n') continue;
    for (; (c = getc(in)) != EOF && c != '\n'; before = c)
        if (c != ' ' || before != ' ') putc(c, out);
}

static FILE *text_of(const AtlasJob *job) {
    return atlas_job_open(job, "txt");
}

static const AtlasJob *jobs_of(const Atlas *atlas, size_t row) {
    return &atlas->jobs[row * atlas->class_count];
}

static void print_head(const Atlas *atlas, FILE *out, const char *title, const char *what) {
    unsigned classes = atlas->class_count;
    fprintf(out, "\n## %s\n\n%s\n\n| |", title, what);
    for (unsigned k = 0; k < classes; k++) fprintf(out, " %s |", atlas->classes[k]);
    fputs("\n|---|", out);
    for (unsigned k = 0; k < classes; k++) fputs("---|", out);
    putc('\n', out);
}

static void print_table(const Atlas *atlas, FILE *out, bool programs) {
    for (size_t row = 0; row < atlas->row_count; row++) {
        const AtlasRow *r = &atlas->rows[row];
        if (!r->program == programs) continue;
        fprintf(out, "| [%s](#%s) |", r->name, r->name);
        for (unsigned k = 0; k < atlas->class_count; k++) {
            FILE *in = text_of(&jobs_of(atlas, row)[k]);
            putc(' ', out);
            if (in) print_cells(out, in);
            fputs(" |", out);
            if (in) fclose(in);
        }
        putc('\n', out);
    }
}

/* From line 3 on. */
static void print_report(FILE *out, FILE *in) {
    int lines = 0;
    for (int c; (c = getc(in)) != EOF;) {
        if (lines >= 3) putc(c, out);
        lines += c == '\n';
    }
}

static void print_section(const Atlas *atlas, FILE *out, size_t row) {
    const AtlasRow *r = &atlas->rows[row];
    fprintf(out, "\n### %s\n\n", r->name);
    if (!r->program)
        fprintf(out, "`rasp express --last --alphabet %s --expr '%s'`\n\n", r->alphabet,
                r->expression);
    fputs("```\n", out);
    for (unsigned k = 0; k < atlas->class_count; k++) {
        FILE *in = text_of(&jobs_of(atlas, row)[k]);
        if (k) putc('\n', out);
        if (in) print_report(out, in);
        if (in) fclose(in);
    }
    fputs("```\n", out);
}

void atlas_document(const Atlas *atlas, FILE *out) {
    fputs(introduction, out);
    if (atlas->lack) fprintf(out, "\nNot all: %s.\n", atlas->lack);
    print_head(atlas, out, "Standard tasks",
               "Labels of the last position; the number is how many tokens there are.");
    print_table(atlas, out, false);
    print_head(atlas, out, "Bundled programs",
               "Labels of every position, inputs as the program's own comment says.");
    print_table(atlas, out, true);
    fputs("\n## Programs and witnesses\n", out);
    for (size_t row = 0; row < atlas->row_count; row++) print_section(atlas, out, row);
}
