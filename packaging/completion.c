/* Completion: the tables of options as bash, zsh and fish want them.  What may follow is said by
 * what --help calls a value or an argument: PROGRAM, WEIGHTS, FILE and DIR are looked for, the
 * words of an option are known, of anything else nothing is. */
#include "packaging/pages.h"

#include <string.h>

/* --- common ----------------------------------------------------------------------------------- */

static void put_words(FILE *out, const char *const *words) {
    for (size_t k = 0; words[k]; k++) fprintf(out, "%s%s", k ? " " : "", words[k]);
}

static void write_programs(FILE *out, const Subject *s) {
    put_words(out, (const char *const *)s->programs);
}

/* Has it one of the subcommands below another? */
static bool is_own(const Description *d) {
    return strchr(d->name, ' ') != NULL;
}

static bool is_one_of(const char *word, const char *first, const char *second) {
    return word && (strcmp(word, first) == 0 || strcmp(word, second) == 0);
}

static bool is_file(const Option *o) {
    return is_one_of(o->value, "FILE", "FILE");
}

static bool is_folder(const Option *o) {
    return is_one_of(o->value, "DIR", "FOLDER");
}

/* The k-th of the arguments "PROGRAM|WEIGHTS [INPUT...]" without brackets; 0: there is none. */
static int argument(const Description *d, int k, const char **start, bool *repeated) {
    const char *at = d->arguments;
    for (;; k--) {
        at += strspn(at, " [");
        int length = (int)strcspn(at, " .]\n");
        if (!length || k == 0) {
            *start = at;
            *repeated = at[length] == '.';
            return length;
        }
        at += strcspn(at, " \n");
    }
}

static bool takes(const char *kinds, int length, const char *kind) {
    const char *found = strstr(kinds, kind);
    return found && found < kinds + length;
}

/* Between single quotes. */
static void put_quoted(FILE *out, const char *text, const char *special, const char *quote) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs(quote, out);
        else
            fprintf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
    }
}

/* What fits beside an option: its text up to a semicolon, a bracket or an example. */
static void put_brief(FILE *out, const char *text, const char *special, const char *quote) {
    static const char *const ends[] = {";", ": ", " (", ", e.g."};
    char line[160];
    size_t length = strlen(text);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const char *end = strstr(text, ends[k]);
        if (end && (size_t)(end - text) < length) length = (size_t)(end - text);
    }
    snprintf(line, sizeof line, "%.*s", (int)length, text);
    put_quoted(out, line, special, quote);
}

/* --- bash ------------------------------------------------------------------------------------- */

static void bash_row(FILE *out, const char *table, const Description *d, const char *option) {
    fprintf(out, "_rasp_%s['%s%s%s']='", table, d->name, option ? " " : "", option ? option : "");
}

static void bash_options(FILE *out, const Description *d) {
    const char *before = "";
    bash_row(out, "options", d, NULL);
    for (const Option *o = d->options; o < d->options + d->option_count; o++)
        for (size_t n = 0; o->names[n]; n++, before = " ")
            fprintf(out, "%s%s%s", before, o->names[n], o->value && !o->value_optional ? "=" : "");
    fputs("'\n", out);
}

static void bash_values(FILE *out, const Description *d) {
    for (const Option *o = d->options; o < d->options + d->option_count; o++)
        for (size_t n = 0; o->value && o->names[n]; n++) {
            bash_row(out, "values", d, o->names[n]);
            if (o->words[0])
                put_words(out, o->words);
            else
                fputs(o->value, out);
            fputs("'\n", out);
        }
}

static void write_bash(FILE *out, const Subject *s) {
    for (size_t k = 0; k < s->count; k++) {
        const Description *d = s->commands[k];
        bash_row(out, "arguments", d, NULL);
        fprintf(out, "%.*s'\n", (int)strcspn(d->arguments, "\n"), d->arguments);
        bash_row(out, "words", d, NULL);
        put_words(out, d->words);
        fputs("'\n", out);
        bash_options(out, d);
        bash_values(out, d);
    }
}

static void write_commands(FILE *out, const Subject *s) {
    const char *before = "";
    for (size_t k = 0; k < s->count; k++)
        if (!is_own(s->commands[k])) {
            fprintf(out, "%s%s", before, s->commands[k]->name);
            before = " ";
        }
}

/* --- zsh -------------------------------------------------------------------------------------- */

static void zsh_quoted(FILE *out, const char *text) {
    put_brief(out, text, "\\[]:", "'\\''");
}

static void zsh_value(FILE *out, const Option *o) {
    fprintf(out, ":%s:", o->value);
    if (o->words[0]) {
        fputc('(', out);
        put_words(out, o->words);
        fputc(')', out);
    } else if (is_file(o)) {
        fputs("_files", out);
    } else if (is_folder(o)) {
        fputs("_files -/", out);
    }
}

/* '(-o --output)-o+[text]:FILE:_files' */
static void zsh_option(FILE *out, const Option *o) {
    for (size_t n = 0; o->names[n]; n++) {
        bool is_long = o->names[n][1] == '-';
        fputs(" \\\n            '(", out);
        put_words(out, o->names);
        fprintf(out, ")%s%s[", o->names[n],
                !o->value           ? ""
                : o->value_optional ? "=-"
                : is_long           ? "="
                                    : "+");
        zsh_quoted(out, o->text);
        fputc(']', out);
        if (o->value) {
            if (o->value_optional) fputc(':', out);
            zsh_value(out, o);
        }
        fputc('\'', out);
    }
}

static void zsh_arguments(FILE *out, const Description *d) {
    const char *kinds;
    bool repeated = false;
    int length;
    for (int k = 0; !repeated && (length = argument(d, k, &kinds, &repeated)); k++) {
        fputs(" \\\n            '", out);
        fputs(repeated ? "*" : "", out);
        if (!repeated) fprintf(out, "%d", k + 1);
        fprintf(out, ":%.*s:", length, kinds);
        if (k == 0 && d->words[0]) {
            fputc('(', out);
            put_words(out, d->words);
            fputc(')', out);
        } else if (takes(kinds, length, "PROGRAM")) {
            fprintf(out, " _rasp_programs%s", takes(kinds, length, "WEIGHTS") ? " bin" : "");
        } else if (takes(kinds, length, "WEIGHTS")) {
            fputs("_files -g \"*.bin\"", out);
        } else if (takes(kinds, length, "FILE")) {
            fputs("_files", out);
        }
        fputc('\'', out);
    }
}

static void write_zsh(FILE *out, const Subject *s) {
    for (size_t k = 0; k < s->count; k++) {
        const Description *d = s->commands[k];
        fprintf(out, "        ('%s')\n            _arguments -s", d->name);
        for (const Option *o = d->options; o < d->options + d->option_count; o++)
            zsh_option(out, o);
        zsh_arguments(out, d);
        fputs("\n            ;;\n", out);
    }
}

static void write_zsh_commands(FILE *out, const Subject *s) {
    for (size_t k = 0; k < s->count; k++) {
        if (is_own(s->commands[k])) continue;
        fprintf(out, "            '%s:", s->commands[k]->name);
        zsh_quoted(out, s->commands[k]->summary);
        fputs("'\n", out);
    }
}

static void write_own(FILE *out, const Subject *s) {
    const char *before = "";
    for (size_t k = 0; k < s->count; k++)
        if (is_own(s->commands[k])) {
            fprintf(out, "%s'%s'", before, s->commands[k]->name);
            before = " ";
        }
}

/* "'run --plan' 'run --sop'": what takes the next word. */
static void write_valued(FILE *out, const Subject *s) {
    const char *before = "";
    for (size_t k = 0; k < s->count; k++) {
        const Description *d = s->commands[k];
        for (const Option *o = d->options; o < d->options + d->option_count; o++)
            for (size_t n = 0; o->value && !o->value_optional && o->names[n]; n++, before = " ")
                fprintf(out, "%s'%s %s'", before, d->name, o->names[n]);
    }
}

/* --- fish ------------------------------------------------------------------------------------- */

static void fish_text(FILE *out, const char *text) {
    fputs(" -d '", out);
    put_brief(out, text, "\\", "\\'");
    fputs("'\n", out);
}

static void fish_option(FILE *out, const Description *d, const Option *o) {
    if (!o->names[0]) return;
    fprintf(out, "complete -c rasp -n '__rasp_is %s'", d->name);
    for (size_t n = 0; o->names[n]; n++)
        if (o->names[n][1] == '-')
            fprintf(out, " -l %s", o->names[n] + 2);
        else
            fprintf(out, " -s '%s'", o->names[n] + 1);
    if (o->words[0]) {
        fputs(" -x -a '", out);
        put_words(out, o->words);
        fputc('\'', out);
    } else if (is_folder(o)) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else if (o->value && !o->value_optional) {
        fputs(is_file(o) ? " -r -F" : " -x", out);
    }
    fish_text(out, o->text);
}

static void fish_argument(FILE *out, const Description *d, int k, const char *what) {
    fprintf(out, "complete -c rasp -n '__rasp_is %s; and __rasp_has %d %s'%s\n", d->name, k,
            d->name, what);
}

static void fish_arguments(FILE *out, const Description *d) {
    const char *kinds;
    bool repeated = false;
    int length;
    for (int k = 0; !repeated && (length = argument(d, k, &kinds, &repeated)); k++) {
        if (takes(kinds, length, "PROGRAM")) {
            fish_argument(out, d, k, " -a '(__rasp_programs)' -d 'bundled program'");
            fish_argument(out, d, k, " -k -a '(__rasp_files .rasp)'");
        }
        if (takes(kinds, length, "WEIGHTS"))
            fish_argument(out, d, k, " -k -a '(__rasp_files .bin)'");
        if (takes(kinds, length, "FILE")) fish_argument(out, d, k, " -F");
    }
    for (size_t w = 0; d->words[w]; w++) {
        fprintf(out, "complete -c rasp -n '__rasp_is %s; and __rasp_has 0 %s' -a %s\n", d->name,
                d->name, d->words[w]);
    }
}

static void write_fish(FILE *out, const Subject *s) {
    for (size_t k = 0; k < s->count; k++) {
        const Description *d = s->commands[k];
        if (!is_own(d)) {
            fprintf(out, "complete -c rasp -n __rasp_is -a %s", d->name);
            fish_text(out, d->summary);
        }
        for (const Option *o = d->options; o < d->options + d->option_count; o++)
            fish_option(out, d, o);
        fish_arguments(out, d);
    }
}

const Piece completion_pieces[] = {{"PROGRAMS", write_programs},
                                   {"SUBCOMMANDS", write_commands},
                                   {"OWN", write_own},
                                   {"VALUED", write_valued},
                                   {"BASH", write_bash},
                                   {"ZSH", write_zsh},
                                   {"ZSH-SUBCOMMANDS", write_zsh_commands},
                                   {"FISH", write_fish},
                                   {NULL, NULL}};
