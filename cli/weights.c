#include "cli/weights.h"

#include "cli/command.h"
#include "cli/report.h"
#include "runtime/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first eight bytes are the header's length, which is far below 2^32. */
bool weights_recognised(const char *path) {
    unsigned char start[8];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return got == sizeof start && !start[4] && !start[5] && !start[6] && !start[7];
}

Model *weights_load(const char *path) {
    RtError error;
    Model *model = model_load(path, &error);
    if (!model) report_error("%s", error.text);
    return model;
}

/* --- files that the program loads ---------------------------------------------------------- */

typedef struct Embedded {
    const Model *model;
    const char *path; /* of the weights file */
    EmbeddedBody *body;
    void *context;
    Record record; /* without atoms: before there is a session */
    char folder[64];
    int back; /* the folder we were in, or -1 */
} Embedded;

static bool make_folders(char *path) {
    for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool fine = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!fine) return false;
    }
    return true;
}

static bool write_file(const FileText *file) {
    char *path = strdup(file->name);
    bool fine = path && make_folders(path);
    FILE *out = fine ? fopen(path, "wb") : NULL;
    fine = out && fwrite(file->text, 1, file->length, out) == file->length;
    if (out && fclose(out) != 0) fine = false;
    free(path);
    return fine;
}

static void remove_file(const char *name) {
    char *path = strdup(name);
    if (!path) return;
    unlink(path);
    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        *slash = '\0';
        rmdir(path);
    }
    free(path);
}

/* Back to where we were; does nothing the second time. */
static void leave_folder(Embedded *e) {
    if (e->back < 0) return;
    for (size_t k = 0; k < e->record.loaded_count; k++) remove_file(e->record.loaded[k].name);
    if (fchdir(e->back) != 0) report_error("cannot go back to the folder: %s", strerror(errno));
    close(e->back);
    e->back = -1;
    rmdir(e->folder);
}

static bool enter_folder(Embedded *e) {
    const char *base = getenv("TMPDIR");
    snprintf(e->folder, sizeof e->folder, "%s/rasp-XXXXXX",
             base && strlen(base) < 40 ? base : "/tmp");
    e->back = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool fine = e->back >= 0 && mkdtemp(e->folder) && chdir(e->folder) == 0;
    for (size_t k = 0; fine && k < e->record.loaded_count; k++)
        fine = write_file(&e->record.loaded[k]);
    if (!fine)
        report_error("cannot lay out the files that the program loads in '%s': %s", e->folder,
                     strerror(errno));
    return fine;
}

static int lay_out(Embedded *e) {
    if (e->record.loaded_count == 0) return EXIT_FINE;
    for (size_t k = 0; k < e->record.loaded_count; k++)
        if (!record_stays_inside(e->record.loaded[k].name)) {
            report_error("'%s': its program loads '%s' from outside its folder, so that it cannot "
                         "be evaluated from the weights file alone",
                         e->path, e->record.loaded[k].name);
            return EXIT_FAILED;
        }
    return enter_folder(e) ? EXIT_FINE : EXIT_FAILED;
}

/* --- the program --------------------------------------------------------------------------- */

static int refuse(const Embedded *e, const RtError *error) {
    report_error("'%s': %s", e->path, error->text);
    return EXIT_WRONG_PROGRAM;
}

static int run_body(Program *program, void *context) {
    Embedded *e = context;
    Record record;
    RtError error;
    leave_folder(e);
    Intern *table = session_intern(program->session);
    if (!record_load(e->model, table, program->arena, &record, &error)) return refuse(e, &error);
    return e->body(program, &record, e->context);
}

/* `scratch` holds what is needed before the program has an arena. */
static int with_program(Embedded *e, size_t memory, Arena *scratch) {
    RtError error;
    if (!record_load(e->model, intern_new(scratch), scratch, &e->record, &error))
        return refuse(e, &error);
    int status = lay_out(e);
    const FileText *program = &e->record.program;
    ProgramSource source = {program->name, program->text, program->length};
    if (status == EXIT_FINE) status = program_with_source(&source, memory, run_body, e);
    leave_folder(e);
    return status;
}

int weights_with_program(const Model *model, const char *path, size_t memory, EmbeddedBody *body,
                         void *context) {
    Embedded embedded = {
        .model = model, .path = path, .body = body, .context = context, .back = -1};
    Budget budget;
    BudgetGuard guard;
    Arena *volatile scratch = NULL;
    volatile int status = EXIT_FAILED;
    budget_init(&budget, memory ? memory : BUDGET_DEFAULT_LIMIT);
    if (BUDGET_ENTER(&budget, &guard)) {
        scratch = arena_new(&budget);
        status = with_program(&embedded, memory, scratch);
        budget_leave(&budget, &guard);
    } else {
        report_error("out of memory for the metadata of '%s'", path);
    }
    arena_free(scratch);
    return status;
}
