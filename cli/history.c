#define _GNU_SOURCE /* asprintf */

#include "cli/history.h"

#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 2000, CUT_AT = 4000 }; /* lines */

/* The XDG Base Directory Specification wants absolute paths. */
static char *state_path(void) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (state && state[0] == '/')
        length = asprintf(&path, "%s/rasp/history", state);
    else if (home && home[0] == '/')
        length = asprintf(&path, "%s/.local/state/rasp/history", home);
    return length < 0 ? NULL : path;
}

static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static size_t count_lines(int fd) {
    Lines lines = {.fd = fd, .limit = SIZE_MAX / 2};
    const char *line;
    size_t length, count = 0;
    while (lines_next(&lines, &line, &length) == LINES_READ) count++;
    lines_close(&lines);
    return count;
}

/* Passes the last lines on, and writes them to `copy` unless it is NULL. */
static void pass_on(int fd, size_t skip, FILE *copy, void (*each)(void *context, const char *line),
                    void *context) {
    Lines lines = {.fd = fd, .limit = SIZE_MAX / 2};
    const char *line;
    size_t length;
    for (size_t k = 0; lines_next(&lines, &line, &length) == LINES_READ; k++) {
        if (k < skip) continue;
        each(context, line);
        if (copy) fprintf(copy, "%s\n", line);
    }
    lines_close(&lines);
}

static void load(const char *path, void (*each)(void *context, const char *line), void *context) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    size_t count = count_lines(fd), skip = count > KEPT ? count - KEPT : 0;
    char *shorter = NULL;
    FILE *copy = NULL;
    if (count > CUT_AT && asprintf(&shorter, "%s.new", path) >= 0) copy = fopen(shorter, "w");
    if (lseek(fd, 0, SEEK_SET) == 0) pass_on(fd, skip, copy, each, context);
    close(fd);
    if (copy) {
        fchmod(fileno(copy), 0600);
        if (fclose(copy) == 0) rename(shorter, path);
    }
    free(shorter);
}

void history_open(HistoryFile *file, void (*each)(void *context, const char *line), void *context) {
    file->path = state_path();
    if (!file->path) return;
    make_folders(file->path);
    load(file->path, each, context);
}

void history_add(const HistoryFile *file, const char *line, size_t length) {
    if (!file->path) return;
    int fd = open(file->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    char *text = malloc(length + 1);
    if (text) {
        memcpy(text, line, length);
        text[length] = '\n';
        (void)!write(fd, text, length + 1); /* one call: lines of two sessions do not mix */
        free(text);
    }
    close(fd);
}

void history_close(HistoryFile *file) {
    free(file->path);
    file->path = NULL;
}
