#define _GNU_SOURCE /* asprintf */
#include "cli/draw.h"

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/safe.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static const char folder[] = "comp_flows";
enum { NAME_BYTES = 120 }; /* of a file name, which may hold 255 */

static void complain(const char *what, const char *about, const char *why) {
    fprintf(stderr, "rasp: %s '%s': %s\n", what, safe_text(about), why);
}

/* "name(input)" as a file name: nothing that leads out of the folder or that a terminal would
 * take for a command, and cut to a length that every file system holds. */
static void make_safe(char *name) {
    size_t length = 0;
    for (size_t step; name[length] && length < NAME_BYTES; length += step) {
        unsigned char c = (unsigned char)name[length];
        if (c < 0x20 || c == 0x7f || c == '/' || c == '\\') name[length] = '_';
        step = utf8_step(name + length, strlen(name + length));
        if (!step) break;
    }
    name[length] = '\0';
    if (name[0] == '.') name[0] = '_';
}

/* "name(input)", for free; NULL: out of memory. */
static char *make_title(RaspRepl *repl, RaspValue sop, RaspValue input) {
    char *title;
    RaspStyle style = input.kind == RASP_VALUE_ATOM ? RASP_QUOTED : RASP_PLAIN;
    const char *shown = rasp_value_text(repl, input, style);
    return asprintf(&title, "%s(%s)", rasp_value_name(sop), shown) < 0 ? NULL : title;
}

static bool write_text(const char *text, const char *path) {
    Output *picture = output_open(path);
    if (!picture) return false;
    fputs(text, picture->file);
    return output_close(picture) == EXIT_FINE;
}

/* Without a shell: file names are data. */
static void run_dot(const char *from, const char *to) {
    static char program[] = "dot", format[] = "-Tpdf", output[] = "-o";
    char *const arguments[] = {
        program, format, output, (char *)(uintptr_t)to, (char *)(uintptr_t)from, NULL};
    pid_t child;
    int status = 0, error = posix_spawnp(&child, program, NULL, NULL, arguments, environ);
    if (error == ENOENT) {
        complain("install graphviz ('dot') for a picture as PDF; its text is", from, "DOT");
        return;
    }
    if (error || waitpid(child, &status, 0) != child || status != 0)
        complain("'dot' could not make", to, error ? strerror(error) : "it failed");
}

/* For rasp_free; NULL and the error. */
static char *make_svg(RaspRepl *repl, RaspValue sop, const char *title, RaspError *error) {
    const char *name = rasp_value_name(sop);
    RaspGraph *graph = rasp_value_graph(repl, sop, error);
    if (!graph) return NULL;
    char *text = picture_text(picture_flow, &(FlowPicture){graph, &name, 1, title}, error);
    rasp_graph_free(graph);
    return text;
}

typedef struct Texts {
    char *dot, *svg;
} Texts;

static void write_named(char *name, const Texts *texts) {
    char dot[PATH_MAX], svg[PATH_MAX], pdf[PATH_MAX];
    make_safe(name);
    snprintf(dot, sizeof dot, "%s/%s.dot", folder, name);
    snprintf(svg, sizeof svg, "%s/%s.svg", folder, name);
    snprintf(pdf, sizeof pdf, "%s/%s.pdf", folder, name);
    if (write_text(texts->svg, svg) && write_text(texts->dot, dot)) run_dot(dot, pdf);
}

void draw_picture(RaspRepl *repl, RaspValue sop, RaspValue input) {
    RaspError error;
    char *title = make_title(repl, sop, input);
    Texts texts = {.dot = rasp_value_dot(repl, sop, input, &error)};
    if (texts.dot && title) texts.svg = make_svg(repl, sop, title, &error);
    if (!title)
        complain("cannot draw", "it", "out of memory");
    else if (!texts.svg)
        complain("cannot draw", title, error.text);
    else if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        complain("cannot make the folder", folder, strerror(errno));
    else
        write_named(title, &texts);
    rasp_free(texts.dot);
    rasp_free(texts.svg);
    free(title);
}
