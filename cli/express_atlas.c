/* The rows, and the order of steps.  A job, a row and a class, is a process of its own, one a
 * processor: so its memory is given back, whatever becomes of it, and Ctrl-C ends it. */
#include "cli/express_atlas.h"

#include "base/clock.h"
#include "base/plural.h"
#include "cli/atlas_private.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/paths.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- the rows --------------------------------------------------------------------------------- */

static AtlasRow *row_add(Atlas *a) {
    a->rows = arena_grow(a->arena, a->rows, &a->room, a->row_count + 1, sizeof *a->rows);
    return &a->rows[a->row_count++];
}

/* name, alphabet, longest input, expression: one a line; # begins a comment. */
static bool add_task(Atlas *a, char *line) {
    char *rest = line, *part[4];
    line[strcspn(line, "\r\n")] = '\0';
    if (!*line || *line == '#') return true;
    for (int k = 0; k < 4; k++)
        if (!(part[k] = strsep(&rest, "\t"))) return false;
    *row_add(a) = (AtlasRow){.name = arena_text(a->arena, part[0], strlen(part[0])),
                             .alphabet = arena_text(a->arena, part[1], strlen(part[1])),
                             .longest = (uint32_t)strtoul(part[2], NULL, 10),
                             .expression = arena_text(a->arena, part[3], strlen(part[3]))};
    return true;
}

static bool add_tasks(Atlas *a) {
    const char *path = paths_bundled(a->arena, "tasks.tsv");
    FILE *in = path ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t room = 0, number = 0;
    bool fine = true;
    if (!path) return false;
    if (!in) report_error("cannot read '%s': %s", path, strerror(errno));
    while (in && fine && getline(&line, &room, in) > 0) {
        number++;
        fine = add_task(a, line);
        if (!fine)
            report_error("%s:%zu: expected name, alphabet, longest input and expression", path,
                         number);
    }
    free(line);
    if (in) fclose(in);
    return in && fine;
}

static bool add_programs(Atlas *a) {
    size_t count;
    const char *const *paths = paths_programs(a->arena, &count);
    for (size_t k = 0; paths && k < count; k++) {
        const char *name = strrchr(paths[k], '/') + 1;
        *row_add(a) =
            (AtlasRow){.name = arena_text(a->arena, name, strcspn(name, ".")), .program = paths[k]};
    }
    return paths != NULL;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void make_jobs(Atlas *a) {
    a->job_count = a->row_count * a->arguments.query_count;
    a->jobs = ARENA_ARRAY(a->arena, a->job_count + 1, AtlasJob);
    for (size_t k = 0; k < a->job_count; k++) {
        AtlasJob *job = &a->jobs[k];
        job->row = &a->rows[k / a->arguments.query_count];
        job->query = &a->arguments.queries[k % a->arguments.query_count];
        atlas_job_prepare(a, job);
        job->foreign = !shard_has(a->shard, k, 1);
        a->own += !job->foreign;
    }
}

static void progress(const Atlas *a, size_t done) {
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\33[K%zu of %zu verdicts", done, a->own);
}

static void progress_gone(void) {
    if (isatty(STDERR_FILENO)) fputs("\r\33[K", stderr);
}

static AtlasJob *job_of(Atlas *a, pid_t process) {
    for (size_t k = 0; k < a->job_count; k++)
        if (a->jobs[k].process == process) return &a->jobs[k];
    return NULL;
}

/* Waits for one of the processes; false: Ctrl-C. */
static bool wait_for_one(Atlas *a) {
    int status;
    pid_t process = wait(&status);
    if (process < 0) return errno != EINTR || !stop_requested();
    AtlasJob *job = job_of(a, process);
    if (!job) return true;
    job->process = 0;
    job->done = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_FINE;
    a->running--;
    a->finished++;
    if (job->done || stop_requested()) return !stop_requested();
    progress_gone();
    a->failed++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_FILE)
        return report_error("cannot write in '%s'", a->folder), false;
    atlas_job_blame(job, status);
    return true;
}

static void stop_all(Atlas *a) {
    for (size_t k = 0; k < a->job_count; k++)
        if (a->jobs[k].process) kill(a->jobs[k].process, SIGTERM);
    for (size_t k = 0; k < a->job_count; k++)
        if (a->jobs[k].process) {
            while (waitpid(a->jobs[k].process, NULL, 0) < 0 && errno == EINTR) continue;
            atlas_job_drop(&a->jobs[k]);
        }
}

/* JSON lines are printed as soon as all before them are there. */
static void print_ready(Atlas *a, size_t *printed) {
    while (a->arguments.common.json && !a->shard.of && *printed < a->job_count &&
           a->jobs[*printed].done)
        atlas_print_lines(&a->jobs[(*printed)++]);
    fflush(stdout);
}

static bool work(Atlas *a) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t next = 0, printed = 0;
    while (next < a->job_count || a->running) {
        bool room = a->running < (processors > 0 ? (size_t)processors : 1);
        progress(a, a->finished);
        if (stop_requested()) return false;
        if (next < a->job_count && (a->jobs[next].done || a->jobs[next].foreign)) {
            a->finished += !a->jobs[next].foreign;
            next++;
        } else if (next < a->job_count && room) {
            fflush(stdout);
            a->jobs[next].process = fork();
            if (a->jobs[next].process == 0) atlas_job_run(a, &a->jobs[next]);
            if (a->jobs[next].process < 0) {
                report_error("cannot start a process: %s", strerror(errno));
                a->jobs[next].process = 0;
                a->failed++;
                return false;
            }
            a->running++;
            next++;
        } else if (!wait_for_one(a)) {
            return false;
        }
        print_ready(a, &printed);
        if (report_output_failed()) return false;
    }
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool make_folder(const char *folder) {
    struct stat info;
    bool fine = mkdir(folder, 0777) == 0 || errno == EEXIST;
    if (fine && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))) {
        errno = ENOTDIR;
        fine = false;
    }
    if (fine && access(folder, R_OK | W_OK | X_OK) == 0) return true;
    report_error("cannot keep verdicts in '%s': %s", folder, strerror(errno));
    return false;
}

static bool open_folder(Atlas *a, const char *folder) {
    char temporary[] = "/tmp/rasp-atlas-XXXXXX";
    a->kept = folder != NULL;
    if (folder && !make_folder(folder)) return false;
    if (!folder && !mkdtemp(temporary)) {
        report_error("cannot make a folder in /tmp: %s", strerror(errno));
        return false;
    }
    a->folder = folder ? folder : arena_text(a->arena, temporary, strlen(temporary));
    return true;
}

static void close_folder(Atlas *a) {
    if (a->kept) return;
    for (size_t k = 0; k < a->job_count; k++) atlas_job_drop(&a->jobs[k]);
    rmdir(a->folder);
}

/* Found out before the work, not after it; what is there stays until there is an atlas. */
static bool can_write(const char *path) {
    Output *output = output_open(path);
    if (output) output_drop(output);
    return output != NULL;
}

static int write_document(const Atlas *a) {
    Output *document = output_open(a->arguments.output);
    if (!document) return EXIT_FAILED;
    atlas_document(a, document->file);
    return output_close(document);
}

static void name_classes(Atlas *a) {
    a->class_count = a->arguments.query_count;
    for (unsigned k = 0; k < a->class_count; k++)
        a->classes[k] = query_text(&a->arguments.queries[k], a->arena);
}

/* It was stopped, or could not go on. */
static int end_early(Atlas *a) {
    size_t done = 0;
    stop_all(a);
    for (size_t k = 0; k < a->job_count; k++) done += a->jobs[k].done && !a->jobs[k].foreign;
    if (stop_requested() && a->kept)
        report_note("%zu of %zu verdicts are in '%s'; the same command goes on from there", done,
                    a->own, a->folder);
    return stop_requested() ? EXIT_INTERRUPTED : a->failed ? EXIT_FAILED : EXIT_FINE;
}

int express_atlas(const ExpressArguments *arguments, const char *folder, Shard shard) {
    Atlas a = {.arena = command_arena(), .arguments = *arguments, .shard = shard};
    double start = clock_seconds();
    express_queries(&a.arguments);
    name_classes(&a);
    if (!add_tasks(&a) || !add_programs(&a)) return EXIT_NO_FILE;
    if (!can_write(a.arguments.output) || !open_folder(&a, folder)) return EXIT_FAILED;
    make_jobs(&a);
    stop_catch();
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away ends the work, not the cleaning up */
    int status = EXIT_FINE;
    bool whole = work(&a);
    progress_gone();
    if (!whole) {
        status = end_early(&a);
    } else if (a.failed) {
        report_error("%zu verdict%s failed, so there is no atlas", a.failed, plural(a.failed));
        status = EXIT_FAILED;
    } else if (!a.arguments.common.json && !shard.of) {
        status = write_document(&a);
    }
    if (shard.of && (status == EXIT_FINE || status == EXIT_INTERRUPTED))
        atlas_print_piece(&a, whole ? RASP_OK : RASP_CANCELLED, clock_seconds() - start);
    close_folder(&a);
    return status;
}
