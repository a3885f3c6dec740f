#define _GNU_SOURCE /* asprintf */
#include "cli/draw.h"

#include "base/utf8.h"
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

/* For free; NULL: out of memory. */
static char *file_name(RaspRepl *repl, RaspValue sop, RaspValue input) {
    char *name;
    RaspStyle style = input.kind == RASP_VALUE_ATOM ? RASP_QUOTED : RASP_PLAIN;
    const char *shown = rasp_value_text(repl, input, style);
    if (asprintf(&name, "%s(%s)", rasp_value_name(sop), shown) < 0) return NULL;
    make_safe(name);
    return name;
}

static bool write_dot(const char *text, const char *path) {
    FILE *out = fopen(path, "w");
    bool fine = out && fputs(text, out) >= 0;
    if (out && fclose(out) != 0) fine = false;
    if (!fine) complain("cannot write", path, strerror(errno));
    return fine;
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

static void draw_named(const char *name, const char *text) {
    char dot[PATH_MAX], pdf[PATH_MAX];
    snprintf(dot, sizeof dot, "%s/%s.dot", folder, name);
    snprintf(pdf, sizeof pdf, "%s/%s.pdf", folder, name);
    if (write_dot(text, dot)) run_dot(dot, pdf);
}

void draw_picture(RaspRepl *repl, RaspValue sop, RaspValue input) {
    RaspError error;
    char *name = file_name(repl, sop, input), *text = rasp_value_dot(repl, sop, input, &error);
    if (!text)
        complain("cannot draw", name ? name : "it", error.text);
    else if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        complain("cannot make the folder", folder, strerror(errno));
    else if (name)
        draw_named(name, text);
    rasp_free(text);
    free(name);
}
