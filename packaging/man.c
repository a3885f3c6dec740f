/* Manual pages: what --help says, in the man macros (groff_man_style(7)). */
#include "packaging/pages.h"

#include "cli/command.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 76 }; /* of a line of the source; mandoc wants at most 80 */

/* --- characters ------------------------------------------------------------------------------- */

/* A text as it is, be it a command to type: no sign becomes a nicer one. */
static const char *escape_of(char c) {
    static const struct {
        char sign;
        const char *escape;
    } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'`', "\\(ga"}};
    for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
        if (escapes[k].sign == c) return escapes[k].escape;
    return NULL;
}

static void put(FILE *out, const char *text, size_t length) {
    if (length && *text == '.') fputs("\\&", out); /* a line that began so were a request */
    for (const char *at = text; at < text + length; at++) {
        const char *escape = escape_of(*at);
        if (escape)
            fputs(escape, out);
        else
            fputc(*at, out);
    }
}

/* How much of a line that takes. */
static int width_of(const char *text, size_t length) {
    size_t width = length && *text == '.' ? 2 : 0;
    for (const char *at = text; at < text + length; at++) {
        const char *escape = escape_of(*at);
        width += escape ? strlen(escape) : 1;
    }
    return (int)width;
}

/* --- text ------------------------------------------------------------------------------------- */

/* Filled lines; two blanks end a sentence, and then the line ends. */
static void put_prose(FILE *out, const char *text, size_t length) {
    const char *at = text, *end = text + length;
    for (int column = 0; at < end;) {
        size_t size = strcspn(at, " \n"), blanks = strspn(at + size, " \n");
        if (size > (size_t)(end - at)) size = (size_t)(end - at);
        int width = width_of(at, size);
        bool fits = column + 1 + width <= WIDTH;
        if (column) fputc(fits ? ' ' : '\n', out);
        put(out, at, size);
        column = fits ? column + 1 + width : width;
        at += size + blanks;
        if (blanks > 1 && at < end) column = (fputc('\n', out), 0);
    }
    fputc('\n', out);
}

/* A line as it is; one too long for the source goes on in the next. */
static void put_line(FILE *out, const char *line, size_t length) {
    int column = 0;
    for (const char *at = line, *end = line + length; at < end;) {
        size_t blanks = strspn(at, " "), size = blanks + strcspn(at + blanks, " \n");
        int width = width_of(at, size);
        if (column && column + width > WIDTH) column = (fputs("\\\n", out), 0);
        put(out, at, size);
        column += width;
        at += size;
    }
    fputc('\n', out);
}

/* Lines without the two blanks before each. */
static void put_example(FILE *out, const char *text, size_t length) {
    fputs(".EX\n", out);
    for (const char *at = text, *end = text + length; at < end; at++) {
        if (strncmp(at, "  ", 2) == 0) at += 2;
        size_t size = strcspn(at, "\n");
        put_line(out, at, size);
        at += size;
    }
    fputs(".EE\n", out);
}

/* --- the text below the options --------------------------------------------------------------- */

typedef enum Part { ABOUT, EXAMPLES, STATUS } Part;

static Part part_of(const char *paragraph) {
    static const struct {
        const char *start;
        Part part;
    } starts[] = {{"Example", EXAMPLES}, {"Exit status", STATUS}, {"The exit status", STATUS}};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (strncmp(paragraph, starts[k].start, strlen(starts[k].start)) == 0)
            return starts[k].part;
    return ABOUT;
}

/* The paragraphs of one part; `heading` before the first. */
static void put_part(FILE *out, const char *text, Part part, const char *heading) {
    while (*text) {
        const char *end = strstr(text, "\n\n"), *line = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (part_of(text) == part) {
            if (heading) fprintf(out, ".SH %s\n", heading);
            if (part == EXAMPLES)
                put_example(out, line + 1, length - (size_t)(line + 1 - text));
            else {
                if (!heading) fputs(".PP\n", out);
                put_prose(out, text, length);
            }
            heading = NULL;
        }
        text += length;
        text += strspn(text, "\n");
    }
}

/* --- sections --------------------------------------------------------------------------------- */

static void put_bold(FILE *out, const char *text) {
    fputs("\\fB", out);
    put(out, text, strlen(text));
    fputs("\\fR", out);
}

/* "PROGRAM|WEIGHTS [INPUT...]": words in capitals are for something else to stand there.  The rest
 * of the text, where there is another line. */
static const char *put_arguments(FILE *out, const char *text) {
    if (*text && *text != '\n') fputc(' ', out);
    while (*text && *text != '\n') {
        size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (name)
            fprintf(out, "\\fI%.*s\\fR", (int)name, text);
        else
            put(out, text, name = 1);
        text += name;
    }
    fputc('\n', out);
    return *text ? text + 1 : NULL;
}

const char *man_name(const Description *d) {
    static char name[64];
    snprintf(name, sizeof name, "rasp-%s", d->name);
    for (char *c = name; *c; c++)
        if (*c == ' ') *c = '-';
    return name;
}

static void put_title(FILE *out, const Subject *s, const char *name) {
    fputs(".TH ", out);
    for (const char *c = name; *c; c++) {
        if (*c == '-') fputc('\\', out);
        fputc(toupper((unsigned char)*c), out);
    }
    fprintf(out, " 1 %s \"rasp %s\" \"RASP\"\n.ad l\n.nh\n", s->date, s->version);
}

static void put_option(FILE *out, const Option *o) {
    if (!o->names[0]) {
        fputs(".SS ", out);
        put(out, o->text, strcspn(o->text, ":"));
        fputc('\n', out);
        return;
    }
    fputs(".TP\n", out);
    for (size_t k = 0; o->names[k]; k++) {
        bool is_long = o->names[k][1] == '-';
        if (k) fputs(", ", out);
        put_bold(out, o->names[k]);
        if (!o->value) continue;
        fprintf(out, "%s\\fI", o->value_optional ? "[=" : is_long ? "=" : " ");
        put(out, o->value, strlen(o->value));
        fprintf(out, "\\fR%s", o->value_optional ? "]" : "");
    }
    fputc('\n', out);
    put_prose(out, o->text, strlen(o->text));
}

static void put_statuses(FILE *out, const char *after) {
    fputs(".SH EXIT STATUS\n", out);
    for (size_t k = 0; k < status_meaning_count; k++)
        fprintf(out, ".TP\n\\fB%d\\fR\n%s\n", status_meanings[k].status,
                status_meanings[k].meaning);
    put_part(out, after, STATUS, NULL);
}

static void put_environment(FILE *out) {
    static const char *const rows[][2] = {
        {"RASP_PATH",
         "folders with programs, with colons between; programs are found there by name, before the "
         "bundled ones"},
        {"NO_COLOR", "if it is set and not empty, no output is in colour"},
        {"TERM", "a terminal that is \"dumb\" shows no colour"},
        {"COLUMNS", "how wide the output may be; otherwise the terminal says so"},
        {"XDG_STATE_HOME", "the folder of the history's folder"},
        {"HOME", "that is ~/.local/state otherwise, below this folder"}};
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        fprintf(out, ".TP\n.B %s\n", rows[k][0]);
        put_prose(out, rows[k][1], strlen(rows[k][1]));
    }
}

static void put_files(FILE *out) {
    static const char *const rows[][2] = {
        {"../share/rasp/programs",
         "seen from the folder that rasp is in: the library and the bundled programs"},
        {"../share/doc/rasp", "documents, and examples in C"},
        {"~/.local/state/rasp/history", "what was typed in the REPL"}};
    fputs(".SH FILES\n", out);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        fputs(".TP\n", out);
        fputs("\\fI", out);
        put(out, rows[k][0], strlen(rows[k][0]));
        fputs("\\fR\n", out);
        put_prose(out, rows[k][1], strlen(rows[k][1]));
    }
}

/* --- pages ------------------------------------------------------------------------------------ */

static void put_see_also(FILE *out, const Subject *s, const Description *except) {
    fputs(".SH SEE ALSO\n", out);
    if (except) fprintf(out, ".BR rasp (1)%s\n", s->count > 1 ? "," : "");
    const Description *last = s->commands[s->count - 1];
    if (last == except) last = s->commands[s->count - 2];
    for (size_t k = 0; k < s->count; k++) {
        if (s->commands[k] == except) continue;
        fputs(".BR ", out);
        const char *name = man_name(s->commands[k]);
        put(out, name, strlen(name));
        fprintf(out, " (1)%s\n", s->commands[k] == last ? "" : ",");
    }
}

void man_command(FILE *out, const Subject *s, const Description *d) {
    const char *name = man_name(d);
    put_title(out, s, name);
    fputs(".SH NAME\n", out);
    put(out, name, strlen(name));
    fputs(" \\-\n", out);
    put_prose(out, d->summary, strlen(d->summary));
    fputs(".SH SYNOPSIS\n", out);
    for (const char *line = d->arguments; line;) {
        if (line != d->arguments) fputs(".br\n", out);
        fprintf(out, "\\fBrasp %s\\fR [\\fIOPTION\\fR...]", d->name);
        line = put_arguments(out, line);
    }
    fputs(".SH DESCRIPTION\n", out);
    put_prose(out, d->before, strlen(d->before));
    put_part(out, d->after, ABOUT, NULL);
    fputs(".SH OPTIONS\n", out);
    for (size_t k = 0; k < d->option_count; k++) put_option(out, &d->options[k]);
    put_part(out, d->after, EXAMPLES, "EXAMPLES");
    put_statuses(out, d->after);
    put_see_also(out, s, d);
}

void man_overview(FILE *out, const Subject *s) {
    put_title(out, s, "rasp");
    fputs(".SH NAME\nrasp \\- run RASP programs and compile them to transformers\n"
          ".SH SYNOPSIS\n\\fBrasp\\fR [\\fICOMMAND\\fR [\\fIARGUMENT\\fR...]]\n"
          ".SH DESCRIPTION\n"
          "RASP is the language of \"Thinking Like Transformers\".\n"
          "Its programs are run, and compiled to weights of transformers that give the same\n"
          "answers, with a certified bound on the error.\n"
          "Without a \\fICOMMAND\\fR statements are read and executed, as by \\fBrasp repl\\fR.\n"
          ".SH COMMANDS\n",
          out);
    for (size_t k = 0; k < s->count; k++) {
        const Description *d = s->commands[k];
        for (const char *line = d->arguments; line;) {
            fprintf(out, ".T%c\n\\fBrasp %s\\fR", line == d->arguments ? 'P' : 'Q', d->name);
            line = put_arguments(out, line);
        }
        put_prose(out, d->summary, strlen(d->summary));
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nlist the commands; after a \\fICOMMAND\\fR, its "
          "options\n.TP\n\\fB\\-\\-version\\fR\nprint the version\n",
          out);
    static const char example[] = "rasp run histogram \"aabbc\"   prints [2, 2, 2, 2, 1]";
    fputs(".SH EXAMPLES\n", out);
    put_example(out, example, strlen(example));
    put_statuses(out, "");
    put_environment(out);
    put_files(out);
    put_see_also(out, s, NULL);
}
