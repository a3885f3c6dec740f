/* What packages have beside the program, made from the command line's own tables:
 *
 *   describe man FOLDER VERSION DATE            a manual page for rasp and each subcommand
 *   describe fill TEMPLATE FILE [PROGRAM...]    the template, each @PIECE@ written out
 *   describe words                              the words and signs of the language, one a line
 *
 * The command line is linked whole; its `main` is another function here. */
#define main rasp_main
#include "cli/main.c"
#undef main

#include "api/rasp_words.h"
#include "packaging/pages.h"

int rasp_main(int argc, char **argv);

static FILE *open_to(const char *path, const char *mode) {
    FILE *file = fopen(path, mode);
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void close_written(FILE *file, const char *path) {
    if (ferror(file) | fclose(file)) {
        perror(path);
        exit(1);
    }
}

/* --- manual pages ----------------------------------------------------------------------------- */

static void write_manual(const Subject *s, const char *folder) {
    for (size_t k = 0; k <= s->count; k++) {
        const Description *d = k < s->count ? s->commands[k] : NULL;
        const char *path = arena_format(arena, "%s/%s.1", folder, d ? man_name(d) : "rasp");
        FILE *out = open_to(path, "w");
        if (d)
            man_command(out, s, d);
        else
            man_overview(out, s);
        close_written(out, path);
    }
}

/* --- templates -------------------------------------------------------------------------------- */

static const Piece *find_piece(const char *name, size_t length) {
    const Piece *const tables[] = {completion_pieces, editor_pieces};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const Piece *piece = tables[t]; piece->name; piece++)
            if (strlen(piece->name) == length && memcmp(piece->name, name, length) == 0)
                return piece;
    return NULL;
}

static void fill_line(FILE *out, const char *line, const Subject *s) {
    while (*line) {
        size_t length = *line == '@' ? strcspn(line + 1, "@\n") : 0;
        const Piece *piece =
            length && line[length + 1] == '@' ? find_piece(line + 1, length) : NULL;
        if (piece) piece->write(out, s);
        if (!piece) fputc(*line, out);
        line += piece ? length + 2 : 1;
    }
}

static void fill(const Subject *s, const char *template, const char *path) {
    FILE *in = open_to(template, "r"), *out = open_to(path, "w");
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, in) >= 0) fill_line(out, line, s);
    free(line);
    fclose(in);
    close_written(out, path);
}

/* --- the command line ------------------------------------------------------------------------- */

static int write_words(void) {
    RaspWord word;
    for (size_t k = 0; rasp_word(k, &word); k++) puts(word.name);
    return 0;
}

static int run(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    Subject s = {0};
    if (strcmp(what, "words") == 0 && argc == 2) return write_words();
    s.commands = describe_all(arena, &s.count);
    if (strcmp(what, "man") == 0 && argc == 5) {
        s.version = argv[3];
        s.date = argv[4];
        write_manual(&s, argv[2]);
        return 0;
    }
    if (strcmp(what, "fill") == 0 && argc >= 4) {
        s.programs = argv + 4;
        fill(&s, argv[2], argv[3]);
        return 0;
    }
    fputs("usage: describe man FOLDER VERSION DATE | fill TEMPLATE FILE [PROGRAM...] | words\n",
          stderr);
    return EXIT_WRONG_USE;
}

int main(int argc, char **argv) {
    BudgetGuard guard;
    volatile int status = 1;
    budget_init(&budget, 0);
    if (BUDGET_ENTER(&budget, &guard)) {
        arena = arena_new(&budget);
        status = run(argc, argv);
        budget_leave(&budget, &guard);
    }
    arena_free(arena);
    return status;
}
