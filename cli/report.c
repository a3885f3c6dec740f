#include "cli/report.h"

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/safe.h"
#include "cli/stop.h"
#include "cli/warnings.h"
#include "cli/width.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool report_colour(int fd) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no && *no) return false;
    return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

static bool silent;

void report_silence(bool silence) {
    silent = silence;
}

/* Results come before the messages about what follows them. */
static void print(void *context, const RaspMessage *message) {
    (void)context;
    if (silent) return;
    progress_hide();
    fflush(stdout);
    char *text = rasp_message_fit(message, report_colour(STDERR_FILENO), width_of_errors());
    fputs(text ? text : message->text, stderr);
    rasp_free(text);
    warnings_note(message);
}

static void report(RaspSeverity severity, const char *format, va_list args) {
    char text[1400];
    vsnprintf(text, sizeof text, format, args);
    print(NULL, &(RaspMessage){.severity = severity, .text = text});
}

void report_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(RASP_ERROR, format, args);
    va_end(args);
}

void report_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(RASP_NOTE, format, args);
    va_end(args);
}

RaspConfig report_config(size_t memory) {
    return (RaspConfig){.memory = memory,
                        .cancel = stop_catch(),
                        .report = print,
                        .find = paths_find_loaded,
                        .find_places = paths_places};
}

int report_failure(const RaspError *error) {
    static const int status[] = {[RASP_OK] = EXIT_FINE,
                                 [RASP_WRONG_USE] = EXIT_WRONG_USE,
                                 [RASP_WRONG_PROGRAM] = EXIT_WRONG_PROGRAM,
                                 [RASP_NO_FILE] = EXIT_NO_FILE,
                                 [RASP_WRONG_FILE] = EXIT_WRONG_PROGRAM,
                                 [RASP_FAILED] = EXIT_FAILED,
                                 [RASP_OUT_OF_MEMORY] = EXIT_FAILED,
                                 [RASP_OUT_OF_TIME] = EXIT_FAILED,
                                 [RASP_CANCELLED] = EXIT_INTERRUPTED};
    if (!error->reported) report_error("%s", error->text);
    return (int)status[error->status];
}

static int write_error; /* errno of the first failure */

bool report_output_failed(void) {
    if (warnings_lost() && !write_error) write_error = ENOMEM;
    /* Ctrl-C broke off a write, of what nobody wants any more.  If the output is broken as well,
     * the next write says so. */
    if (ferror(stdout) && stop_broke_off()) clearerr(stdout);
    if (ferror(stdout) && !write_error) write_error = errno ? errno : EIO;
    return write_error != 0;
}

int report_output(int status) {
    errno = 0;
    while (fflush(stdout) != 0 && errno == EINTR) clearerr(stdout);
    if (ferror(stdout) && !write_error) write_error = errno;
    safe_finish();
    if (!report_output_failed() || write_error == EPIPE) return write_error ? EXIT_FAILED : status;
    clearerr(stdout);
    report_error("cannot write the output: %s", strerror(write_error));
    return EXIT_FAILED;
}
