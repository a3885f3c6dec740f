#define _GNU_SOURCE /* asprintf */

#include "cli/history.h"

#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

/* Is it ours, and nobody else's to change?  What others could have put there, a link to another
 * file above all, is neither read nor written. */
static bool is_ours(int fd, mode_t kind) {
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static int only_ours(int fd, mode_t kind) {
    if (fd < 0 || is_ours(fd, kind)) return fd;
    close(fd);
    return -1;
}

/* The folder that holds the file; -1: there is none, or it is not to be trusted. */
static int open_folder(const char *path) {
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    int fd = -1;
    if (slash) {
        *slash = '\0';
        fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    free(folder);
    return only_ours(fd, S_IFDIR);
}

static const char *name_in(const char *path) {
    return strrchr(path, '/') + 1;
}

static int open_history(int folder, const char *path, int flags) {
    int fd = openat(folder, name_in(path), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    return only_ours(fd, S_IFREG);
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

/* A new file beside it, or NULL. */
static FILE *open_copy(int folder, const char *name) {
    unlinkat(folder, name, 0); /* of a session that was killed */
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *copy = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !copy) close(fd);
    return copy;
}

static void load(int folder, const char *path, void (*each)(void *context, const char *line),
                 void *context) {
    static const char shorter[] = "history.new";
    int fd = open_history(folder, path, O_RDONLY);
    if (fd < 0) return;
    size_t count = count_lines(fd), skip = count > KEPT ? count - KEPT : 0;
    FILE *copy = count > CUT_AT ? open_copy(folder, shorter) : NULL;
    if (lseek(fd, 0, SEEK_SET) == 0) pass_on(fd, skip, copy, each, context);
    close(fd);
    if (copy && fclose(copy) == 0) renameat(folder, shorter, folder, name_in(path));
}

void history_open(HistoryFile *file, void (*each)(void *context, const char *line), void *context) {
    file->path = state_path();
    if (!file->path) return;
    make_folders(file->path);
    int folder = open_folder(file->path);
    if (folder < 0) return;
    load(folder, file->path, each, context);
    close(folder);
}

void history_add(const HistoryFile *file, const char *line, size_t length) {
    int folder = file->path ? open_folder(file->path) : -1;
    if (folder < 0) return;
    int fd = open_history(folder, file->path, O_WRONLY | O_APPEND | O_CREAT);
    close(folder);
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
