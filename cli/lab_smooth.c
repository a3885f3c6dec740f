/* `rasp lab smooth FILE`: a fit of the user's own points. */
#define _GNU_SOURCE /* getline */
#include "cli/command.h"

#include "base/file.h"
#include "cli/lab_command.h"
#include "cli/lab_output.h"
#include "cli/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 20000 };

typedef struct SmoothArguments {
    LabOptions lab;
    SmoothQuestion question;
    const char *path;
} SmoothArguments;

enum { KEY_RULE = OPTION_OWN_KEYS, KEY_BANDWIDTH };

static const struct argp_option options[] = {
    {"rule", KEY_RULE, "RULE", 0,
     "how distances become weights: gauss (default), sparsemax (Epanechnikov's kernel of a width "
     "that the data choose) or entmax15 (the biweight kernel)",
     1},
    {"bandwidth", KEY_BANDWIDTH, "H", 0, "the kernel's (default: that of the least error left out)",
     1},
    OPTIONS_LAB,
    {0},
};

static const char help[] =
    "Fit y by x as attention does, the Nadaraya-Watson estimate: the mean of the y, weighted by a "
    "kernel of the distance in x.  The error of each point estimated from the others is shown over "
    "the bandwidth.\v"
    "FILE has a point a line, x and y with a tab, blanks or a comma between; a first line that is "
    "no numbers names them; lines that begin with # are left out.  - is standard input.\n\n"
    "Example:\n"
    "  rasp lab smooth data.tsv --rule gauss -o fit";

/* --- the command line ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    KernelKind kind;
} rules[] = {{"gauss", KERNEL_SOFTMAX},
             {"softmax", KERNEL_SOFTMAX},
             {"sparsemax", KERNEL_SPARSEMAX},
             {"entmax15", KERNEL_ENTMAX15}};

static const char *rule_name(int k) {
    return k < (int)(sizeof rules / sizeof *rules) ? rules[k].name : NULL;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    SmoothArguments *a = state->input;
    switch (key) {
    case KEY_RULE: {
        int k = option_named(state, "--rule", text, rule_name);
        a->question.kernel.kind = rules[k].kind;
        a->question.rule_name = rules[k].name;
        return 0;
    }
    case KEY_BANDWIDTH:
        a->question.bandwidth = option_positive(state, "--bandwidth", text);
        return 0;
    case ARGP_KEY_ARG:
        if (a->path) argp_error(state, "expected one FILE, found '%s' too", text);
        a->path = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected a FILE with a point a line, or - for standard input");
        return 0;
    default:
        return lab_option(key, text, state, &a->lab);
    }
}

/* --- the file --------------------------------------------------------------------------------- */

static const char separators[] = " \t,;\r\n";

/* "x<tab>y": names, or numbers into *x and *y; false when there are not two. */
static bool two_numbers(char *line, double *x, double *y) {
    char *end, *rest;
    *x = strtod(line, &end);
    if (end == line || !strchr(separators, *end)) return false;
    *y = strtod(end + strspn(end, separators), &rest);
    return rest > end && isfinite(*x) && isfinite(*y) && !rest[strspn(rest, separators)];
}

static bool take_names(SmoothQuestion *q, const char *line) {
    size_t first = strcspn(line, "\t,;\r\n"), at = first + strspn(line + first, "\t,;");
    size_t second = strcspn(line + at, "\t,;\r\n");
    if (!first || !second) return false;
    q->x_name = arena_text(command_arena(), line, first);
    q->y_name = arena_text(command_arena(), line + at, second);
    return true;
}

static bool check_points(const char *name, const double *x, size_t count) {
    bool apart = false;
    for (size_t k = 1; k < count; k++) apart |= x[k] != x[0];
    if (count < 3)
        report_error("'%s': expected at least 3 points, found %zu", name, count);
    else if (!apart)
        report_error("'%s': expected points at different x, found %zu at %g", name, count, x[0]);
    return count >= 3 && apart;
}

static bool read_points(FILE *in, const char *name, SmoothQuestion *q) {
    char *line = NULL;
    size_t room = 0, number = 0, count = 0, x_room = 0, y_room = 0;
    double *x = NULL, *y = NULL, a, b;
    bool fine = true;
    while (fine && getline(&line, &room, in) >= 0) {
        number++;
        if (*line == '#' || !line[strspn(line, separators)]) continue;
        if (!two_numbers(line, &a, &b)) {
            if (count == 0 && !strpbrk(line, "0123456789") && take_names(q, line)) continue;
            report_error("'%s', line %zu: expected two numbers, found '%.*s'", name, number, 40,
                         arena_text(command_arena(), line, strcspn(line, "\r\n")));
            fine = false;
        } else if (count == MOST_POINTS) {
            report_error("'%s': expected at most %d points: take every n-th line, or the mean of "
                         "near ones",
                         name, MOST_POINTS);
            fine = false;
        } else {
            x = arena_grow(command_arena(), x, &x_room, count + 1, sizeof *x);
            y = arena_grow(command_arena(), y, &y_room, count + 1, sizeof *y);
            x[count] = a, y[count++] = b;
        }
    }
    free(line);
    q->sample = (Sample){x, y, count};
    return fine && check_points(name, x, count);
}

int lab_smooth(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "FILE", .doc = help};
    SmoothArguments a = {.lab = lab_options(argc, argv),
                         .question = {.kernel = {.kind = KERNEL_SOFTMAX, .temperature = 1},
                                      .x_name = "x",
                                      .y_name = "y",
                                      .rule_name = "gauss"}};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    bool standard = strcmp(a.path, "-") == 0;
    FILE *in = standard ? stdin : file_open(a.path);
    if (!in) {
        report_error("cannot read '%s': %s", a.path, strerror(errno));
        return EXIT_NO_FILE;
    }
    bool fine = read_points(in, standard ? "standard input" : a.path, &a.question);
    if (!standard) fclose(in);
    if (!fine) return EXIT_WRONG_PROGRAM;
    return lab_measure(
        &a.lab, arena_format(command_arena(), "%s by %s", a.question.y_name, a.question.x_name),
        ask_smooth, &a.question);
}
