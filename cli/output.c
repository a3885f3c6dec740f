#define _GNU_SOURCE /* fopencookie */

#include "cli/output.h"

#include "cli/command.h"
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool output_is_standard(const char *path) {
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    if (!path) return true;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(path, names[k]) == 0) return true;
    return false;
}

static bool failed(const char *path) {
    report_error("cannot write '%s': %s", path, strerror(errno));
    return false;
}

/* Of a file that may be written, the folder is to blame. */
static bool failed_to_begin(const Output *o) {
    int error = errno;
    if (access(o->path, W_OK) == 0)
        report_error("cannot write '%s': cannot %s: %s", o->path, o->replacement.step,
                     strerror(error));
    else
        report_error("cannot write '%s': %s", o->path, strerror(error));
    return false;
}

/* Of a stream's own errors, errno may be gone by the time that somebody asks. */
static ssize_t put(void *cookie, const char *text, size_t size) {
    Output *o = cookie;
    size_t done = 0;
    while (done < size && !o->error) {
        ssize_t step = write(o->replacement.fd, text + done, size - done);
        if (step >= 0)
            done += (size_t)step;
        else if (errno != EINTR)
            o->error = errno;
    }
    return done == size ? (ssize_t)size : 0;
}

static bool open_file(Output *o) {
    if (!replace_begin(&o->replacement, o->path)) return failed_to_begin(o);
    o->file = fopencookie(o, "w", (cookie_io_functions_t){.write = put});
    if (o->file) return true;
    replace_end(&o->replacement, false);
    return failed(o->path);
}

Output *output_open(const char *path) {
    Output *o = calloc(1, sizeof *o);
    bool standard = output_is_standard(path);
    if (!o) {
        failed(standard ? "standard output" : path);
        return NULL;
    }
    *o = (Output){.file = stdout, .path = path};
    if (standard || open_file(o)) return o;
    free(o);
    return NULL;
}

int output_close(Output *o) {
    bool fine = true; /* what became of standard output is told in the end */
    if (o->file != stdout) {
        fine = fclose(o->file) == 0 && !o->error;
        if (o->error) errno = o->error;
        fine = replace_end(&o->replacement, fine) || failed(o->path);
    }
    free(o);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

void output_drop(Output *o) {
    if (o->file != stdout) {
        fclose(o->file);
        replace_end(&o->replacement, false);
    }
    free(o);
}
