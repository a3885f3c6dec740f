#include "cli/report.h"

#include "cli/command.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool report_colour(int fd) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no && *no) return false;
    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

static void report(Severity severity, const char *format, va_list args) {
    char message[1024];
    vsnprintf(message, sizeof message, format, args);
    Diag diag = {.severity = severity, .message = message};
    diag_report(&report_sink, NULL, &diag);
}

void report_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(DIAG_ERROR, format, args);
    va_end(args);
}

void report_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(DIAG_NOTE, format, args);
    va_end(args);
}

/* Results come before the messages about what follows them. */
static void print(void *context, const SourceMap *map, const Diag *diag) {
    (void)context;
    progress_hide();
    fflush(stdout);
    diag_print(stderr, map, diag, report_colour(STDERR_FILENO));
}

const DiagSink report_sink = {print, NULL};

static int write_error; /* errno of the first failure */

bool report_output_failed(void) {
    if (ferror(stdout) && !write_error) write_error = errno ? errno : EIO;
    return write_error != 0;
}

int report_output(int status) {
    errno = 0;
    if (fflush(stdout) != 0 && !write_error) write_error = errno;
    if (!report_output_failed() || write_error == EPIPE) return write_error ? EXIT_FAILED : status;
    clearerr(stdout);
    report_error("cannot write the output: %s", strerror(write_error));
    return EXIT_FAILED;
}
