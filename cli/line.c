#include "cli/line.h"

#include "cli/line_edit.h"
#include "cli/lines.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct LineInput {
    LineEdit *edit; /* NULL: a plain input */
    Lines plain;
};

static void flush_output(void) {
    fflush(stdout);
}

LineInput *line_open(LineCompleter *complete, void *context) {
    LineInput *input = calloc(1, sizeof *input);
    if (!input) return NULL;
    input->plain =
        (Lines){.fd = STDIN_FILENO, .limit = UINT32_MAX / 2, .before_waiting = flush_output};
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        input->edit = line_edit_new(complete, context);
    return input;
}

void line_close(LineInput *input) {
    if (!input) return;
    line_edit_free(input->edit);
    lines_close(&input->plain);
    free(input);
}

bool line_edits(const LineInput *input) {
    return input->edit != NULL;
}

static LineStatus read_plain(LineInput *input, const char **line, size_t *length) {
    switch (lines_next(&input->plain, line, length)) {
    case LINES_READ:
        return LINE_READ;
    case LINES_END:
        return LINE_END;
    case LINES_INTERRUPTED:
        stop_clear();
        return isatty(STDIN_FILENO) ? LINE_DROPPED : LINE_END;
    case LINES_TOO_LONG:
        report_error("standard input: a line is longer than 2 GiB, or than the memory there is");
        return LINE_END;
    case LINES_ERROR:
        report_error("cannot read standard input: %s", strerror(errno));
        return LINE_END;
    }
    return LINE_END;
}

LineStatus line_read(LineInput *input, const char *prompt, const char **line, size_t *length) {
    if (report_output_failed()) return LINE_END;
    if (input->edit) return line_edit_read(input->edit, prompt, line, length);
    fputs(prompt, stdout);
    return read_plain(input, line, length);
}
