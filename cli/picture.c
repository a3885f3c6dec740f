#define _GNU_SOURCE /* environ */
#include "cli/picture.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/report.h"
#include "show/flow.h"
#include "show/page.h"
#include "show/score.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- formats ---------------------------------------------------------------------------- */

bool picture_format(const char *path, PictureFormat *format) {
    static const char *const suffixes[] = {[PICTURE_SVG] = ".svg",
                                           [PICTURE_HTML] = ".html",
                                           [PICTURE_PNG] = ".png",
                                           [PICTURE_DOT] = ".dot"};
    const char *name = strrchr(path, '/'), *suffix = strrchr(name ? name : path, '.');
    for (int k = 0; suffix && k <= PICTURE_DOT; k++)
        if (strcasecmp(suffix, suffixes[k]) == 0) {
            *format = (PictureFormat)k;
            return true;
        }
    report_error("-o expects a file that ends with .svg, .html, .png or .dot, found '%s'", path);
    return false;
}

/* --- texts ------------------------------------------------------------------------------ */

typedef struct Attempt {
    PictureWriter *write;
    void *context;
    FILE *out;
    Arena *arena;
    RaspError *error;
} Attempt;

/* Nothing jumps past the stream, or across those who called: a guard of our own. */
static bool attempt(const Attempt *a, Budget *budget) {
    BudgetGuard guard;
    volatile bool done = false;
    if (BUDGET_ENTER(budget, &guard)) {
        done = a->write(a->out, a->arena, a->context, a->error);
        budget_leave(budget, &guard);
    } else {
        *a->error = (RaspError){.status = RASP_OUT_OF_MEMORY};
        budget_message(budget, a->error->text, sizeof a->error->text);
    }
    return done;
}

char *picture_text(PictureWriter *write, void *context, RaspError *error) {
    char *text = NULL;
    size_t size;
    *error = (RaspError){.status = RASP_OUT_OF_MEMORY, .text = "out of memory for a picture"};
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    Arena *arena = arena_child(command_arena());
    bool done = attempt(&(Attempt){write, context, out, arena, error}, arena_budget(arena));
    arena_free(arena);
    if (fclose(out) != 0) done = false;
    if (done) return text;
    free(text);
    return NULL;
}

enum { MOST_ROWS = 2000 };

bool picture_flow(FILE *out, Arena *arena, void *context, RaspError *error) {
    const FlowPicture *p = context;
    Scene scene;
    if (!scene_new(p->graph, p->names, p->count, arena, &scene, error)) return false;
    if (scene.row_count > MOST_ROWS) {
        *error = (RaspError){.status = RASP_FAILED};
        snprintf(
            error->text, sizeof error->text,
            "the picture would have %zu s-ops, and at most %d can be drawn; --sop draws a part",
            scene.row_count, MOST_ROWS);
        return false;
    }
    flow_svg(out, &scene, p->title);
    return true;
}

bool picture_model(FILE *out, Arena *arena, void *context, RaspError *error) {
    const ModelPicture *p = context;
    if (p->circuit->node_count > SCORE_NODES || score_lines(p->circuit) > SCORE_LINES) {
        *error = (RaspError){.status = RASP_FAILED};
        snprintf(
            error->text, sizeof error->text,
            "the picture would have %zu nodes on %zu lines, and at most %d on %d can be drawn; "
            "a smaller alphabet or --sop makes it smaller",
            p->circuit->node_count, score_lines(p->circuit), SCORE_NODES, SCORE_LINES);
        return false;
    }
    score_svg(out, p->circuit, p->title, arena);
    return true;
}

/* --- files ------------------------------------------------------------------------------ */

static int save_text(const char *path, bool page, const char *title, const char *text) {
    Output *picture = output_open(path);
    if (!picture) return EXIT_FAILED;
    if (page)
        page_write(picture->file, title, text);
    else
        fputs(text, picture->file);
    return output_close(picture);
}

/* rsvg-convert, from its standard input to its standard output: file names are data. */
static int run_converter(int from, int to) {
    static char program[] = "rsvg-convert", format[] = "--format=png", zoom[] = "--zoom=2";
    char *const arguments[] = {program, format, zoom, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0, error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    error = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return error;
    if (waitpid(child, &status, 0) != child) return errno;
    return status == 0 ? 0 : ECHILD;
}

static int convert(FILE *svg, const char *path) {
    Output *png = output_open(path);
    if (!png) return EXIT_FAILED;
    int error = run_converter(fileno(svg), png->replacement.fd);
    if (!error) return output_close(png);
    output_drop(png);
    if (error == ENOENT)
        report_error("a PNG picture is made by 'rsvg-convert', which is not installed (Debian's "
                     "package librsvg2-bin); .svg and .html need nothing");
    else if (error == ECHILD)
        report_error("'rsvg-convert' could not make '%s'; .svg and .html need nothing", path);
    else
        report_error("cannot run 'rsvg-convert': %s", strerror(error));
    return EXIT_FAILED;
}

static int save_png(const char *path, const char *text) {
    FILE *svg = tmpfile();
    bool written = svg && fputs(text, svg) >= 0 && fflush(svg) == 0;
    if (!written) report_error("cannot write a temporary file: %s", strerror(errno));
    if (written) rewind(svg);
    int status = written ? convert(svg, path) : EXIT_FAILED;
    if (svg) fclose(svg);
    return status;
}

int picture_save(const char *path, PictureFormat format, const char *title, const char *text) {
    if (format == PICTURE_PNG) return save_png(path, text);
    return save_text(path, format == PICTURE_HTML, title, text);
}
