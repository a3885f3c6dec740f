/* One row and class of the atlas: decided, certified, verified, kept. */
#include "cli/atlas_private.h"

#include "base/random.h"
#include "cli/command.h"
#include "cli/report.h"
#include "express/verify/verify.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *file_of(const AtlasJob *job, const char *suffix) {
    return arena_format(command_arena(), "%s.%s", job->base, suffix);
}

FILE *atlas_job_open(const AtlasJob *job, const char *suffix) {
    const char *kept = strcmp(suffix, "txt") == 0 ? job->text : job->lines;
    if (!kept) return job->base ? fopen(file_of(job, suffix), "r") : NULL;
    return *kept ? fmemopen((void *)(uintptr_t)kept, strlen(kept), "r") : NULL;
}

/* --- what is asked ---------------------------------------------------------------------------- */

uint64_t atlas_file_hash(const char *path) {
    FILE *in = fopen(path, "rb");
    uint64_t hash = 0;
    for (int byte; in && (byte = getc(in)) != EOF;) hash = random_mix(hash + (uint64_t)byte + 1);
    if (in) fclose(in);
    return hash;
}

/* All that the verdict depends on, on one line. */
static const char *asked(const Atlas *atlas, const AtlasJob *job) {
    const ExpressArguments *a = &atlas->arguments;
    const AtlasRow *row = job->row;
    const Query *q = job->query;
    Arena *arena = atlas->arena;
    const char *task =
        row->program
            ? arena_format(arena, "%016llx", (unsigned long long)atlas_file_hash(row->program))
            : arena_format(arena, "%s %u %s", row->alphabet, row->longest, row->expression);
    return arena_format(arena, "rasp %s, %s, at most %u, N <= %u, %g s, %zu bytes: %s",
                        rasp_version(), query_text(q, arena), q->most, a->at_most, a->seconds,
                        a->common.memory, task);
}

static bool first_line_is(const char *path, const char *line) {
    FILE *in = fopen(path, "r");
    bool same = in != NULL;
    for (size_t k = 0; same && k <= strlen(line); k++)
        same = getc(in) == (line[k] ? (unsigned char)line[k] : '\n');
    if (in) fclose(in);
    return same;
}

void atlas_job_prepare(const Atlas *atlas, AtlasJob *job) {
    char *class = arena_format(atlas->arena, "%s", query_text(job->query, atlas->arena));
    for (char *at = class; (at = strpbrk(at, " ,"));) *at = '-';
    job->base = arena_format(atlas->arena, "%s/%s.%s", atlas->folder, job->row->name, class);
    job->asked = asked(atlas, job);
    job->done = first_line_is(file_of(job, "txt"), job->asked);
}

void atlas_job_drop(const AtlasJob *job) {
    static const char *const all[] = {"txt", "lines", "json", "part", "error"};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) unlink(file_of(job, all[k]));
}

/* --- in its process --------------------------------------------------------------------------- */

static bool redirect(int fd, const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool fine = file >= 0 && dup2(file, fd) >= 0;
    if (file >= 0) close(file);
    return fine;
}

static ExpressArguments arguments_of(const Atlas *atlas, const AtlasJob *job) {
    ExpressArguments a = atlas->arguments;
    const AtlasRow *row = job->row;
    a.common.json = false;
    a.output = NULL;
    a.queries[0] = *job->query;
    a.query_count = 1;
    a.certificate = file_of(job, "json");
    if (row->program) {
        a.common.argument = row->program;
        return a;
    }
    a.common.choice.expression = row->expression;
    a.target.alphabet = row->alphabet;
    a.target.max_length = row->longest;
    a.last = true;
    return a;
}

static int verified(const ExpressArguments *a) {
    RaspError error;
    ExpressVerdict verdict;
    RaspConfig config = report_config(a->common.memory);
    if (express_verify(a->certificate, &config, &verdict, &error)) {
        printf("    certificate verified: %s\n", verdict.evidence);
        return EXIT_FINE;
    }
    report_error("its certificate is refused: %s", error.text);
    return EXIT_DISAGREE;
}

void atlas_job_run(const Atlas *atlas, const AtlasJob *job) {
    bool certified = false;
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* not without the one that keeps what it finds */
    signal(SIGTERM, SIG_DFL);
    if (!redirect(STDERR_FILENO, file_of(job, "error")) ||
        !redirect(STDOUT_FILENO, file_of(job, "part")))
        _exit(EXIT_NO_FILE);
    unlink(file_of(job, "txt"));
    unlink(file_of(job, "json"));
    ExpressArguments a = arguments_of(atlas, job);
    a.lines = fopen(file_of(job, "lines"), "w");
    if (!a.lines) _exit(EXIT_FAILED);
    printf("%s\n", job->asked);
    int status = express_session(&a, &certified);
    if (fclose(a.lines) != 0) status = EXIT_FAILED;
    if (status == EXIT_FINE && certified) status = verified(&a);
    status = report_output(status);
    if (status == EXIT_FINE && rename(file_of(job, "part"), file_of(job, "txt")) != 0)
        status = EXIT_FAILED;
    if (status == EXIT_FINE) unlink(file_of(job, "error"));
    _exit(status);
}

void atlas_job_blame(const AtlasJob *job, int status) {
    char line[256] = "";
    const char *path = file_of(job, "error");
    FILE *in = fopen(path, "r");
    if (in && !fgets(line, sizeof line, in)) *line = '\0';
    if (in) fclose(in);
    line[strcspn(line, "\n")] = '\0';
    if (*line)
        report_error("%s: %s", job->base, line);
    else if (WIFSIGNALED(status))
        report_error("%s: ended by signal %d", job->base, WTERMSIG(status));
    else
        report_error("%s: exit status %d", job->base, WEXITSTATUS(status));
}
