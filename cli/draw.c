#include "cli/draw.h"

#include "base/utf8.h"
#include "interp/eval/value_text.h"
#include "interp/exec/graph_dot.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

static const char folder[] = "comp_flows";
enum { NAME_BYTES = 120 }; /* of a file name, which may hold 255 */

static void complain(const char *what, const char *about, const char *why) {
    fprintf(stderr, "rasp: %s '%s': %s\n", what, about, why);
}

/* "name(input)" as a file name: nothing that leads out of the folder or that a terminal would
 * take for a command, and cut to a length that every file system holds. */
static const char *file_name(const char *title, Arena *arena) {
    char *name = arena_text(arena, title, strlen(title));
    size_t length = 0;
    for (size_t step; name[length] && length < NAME_BYTES; length += step) {
        unsigned char c = (unsigned char)name[length];
        if (c < 0x20 || c == 0x7f || c == '/' || c == '\\') name[length] = '_';
        step = utf8_step(name + length, strlen(name + length));
        if (!step) break;
    }
    name[length] = '\0';
    if (name[0] == '.') name[0] = '_';
    return name;
}

/* Closes the file when memory runs out, too. */
static bool put_dot(FILE *out, Session *session, const Drawing *drawing, Fault *fault) {
    Budget *budget = session_budget(session);
    BudgetGuard guard;
    if (!BUDGET_ENTER(budget, &guard)) {
        BudgetStop why = budget->stop;
        fclose(out);
        budget_stop(budget, why);
    }
    bool fine = graph_dot(out, drawing, session_scratch(session), fault);
    budget_leave(budget, &guard);
    return fine;
}

static bool write_dot(Session *session, const Drawing *drawing, const char *path) {
    Fault fault;
    FILE *out = fopen(path, "w");
    if (!out) {
        complain("cannot write", path, strerror(errno));
        return false;
    }
    bool fine = put_dot(out, session, drawing, &fault);
    if (!fine) complain("cannot draw", path, fault_text(&fault, session_scratch(session)));
    bool written = fclose(out) == 0;
    if (!written) complain("cannot write", path, strerror(errno));
    return fine && written;
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

void draw_picture(Printer *printer, Session *session, Value sop, Value input, Exec *exec) {
    (void)printer;
    Arena *arena = session_scratch(session);
    Drawing drawing = {.graph = session_graph(session), .exec = exec, .root = sop.object->node};
    value_count(input, &drawing.length);
    bool is_string = input.kind == VALUE_ATOM;
    const char *shown = value_show(input, is_string ? TEXT_QUOTED : TEXT_PLAIN, arena);
    drawing.title = arena_format(arena, "%s(%s)", sop.object->name->text, shown);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        complain("cannot make the folder", folder, strerror(errno));
        return;
    }
    const char *name = file_name(drawing.title, arena);
    const char *dot = arena_format(arena, "%s/%s.dot", folder, name);
    if (write_dot(session, &drawing, dot))
        run_dot(dot, arena_format(arena, "%s/%s.pdf", folder, name));
}
