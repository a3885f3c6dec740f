#define _GNU_SOURCE /* O_TMPFILE */

#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool failed(Replacement *r, const char *step) {
    r->step = step;
    return false;
}

static bool no_memory(Replacement *r) {
    errno = ENOMEM;
    return failed(r, "open");
}

/* Whatever is still there goes; errno stays. */
static void release(Replacement *r) {
    int error = errno;
    if (r->fd >= 0) close(r->fd);
    if (r->named) unlink(r->temporary);
    if (r->made) unlink(r->path);
    free(r->temporary);
    free(r->path);
    errno = error;
}

/* --- the new file --------------------------------------------------------------------------- */

/* A new file gets what open() would give it; an old one keeps its mode. */
static mode_t mode_for(const struct stat *old) {
    if (old) return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A file without a name in the folder of `temporary`; -1 where there is no such thing. */
static int open_nameless(const char *temporary) {
    char *folder = strdup(temporary);
    if (!folder) return -1;
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    int fd = open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    free(folder);
    return fd;
}

/* Names it, in place of the template's six X, as nothing else is named. */
static bool give_name(int fd, char *temporary) {
    enum { TRIES = 100, DRAWN = 6 };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char self[48], *end = temporary + strlen(temporary) - DRAWN;
    struct timespec now;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    for (int tries = 0; tries < TRIES; tries++) {
        clock_gettime(CLOCK_REALTIME, &now);
        uint64_t number = (uint64_t)now.tv_nsec * 2654435761u + (uint64_t)getpid() * 40503u;
        for (int k = 0; k < DRAWN; k++, number /= sizeof letters - 1)
            end[k] = letters[number % (sizeof letters - 1)];
        if (linkat(AT_FDCWD, self, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0) return true;
        if (errno != EEXIST) return false;
    }
    return false;
}

static bool open_beside(Replacement *r) {
    static const char suffix[] = ".XXXXXX"; /* a template of mkstemp */
    size_t length = strlen(r->path);
    r->temporary = malloc(length + sizeof suffix);
    if (!r->temporary) return no_memory(r);
    memcpy(r->temporary, r->path, length);
    memcpy(r->temporary + length, suffix, sizeof suffix);
    r->fd = open_nameless(r->temporary);
    if (r->fd >= 0) return true;
    r->fd = mkostemp(r->temporary, O_CLOEXEC);
    r->named = r->fd >= 0;
    return r->named || failed(r, "create a file beside it");
}

/* --- where it goes -------------------------------------------------------------------------- */

static bool is_link(const char *path) {
    struct stat link;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
}

/* For a link to nothing: there is a file then, whose path can be asked for. */
static bool make_empty(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    return fd >= 0 && close(fd) == 0;
}

static bool begin(Replacement *r, const char *path) {
    struct stat old;
    bool exists = stat(path, &old) == 0;
    if (!exists && is_link(path)) {
        r->made = exists = make_empty(path) && stat(path, &old) == 0;
        if (!exists) return failed(r, "open");
    }
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return failed(r, "open");
    }
    if (exists && !S_ISREG(old.st_mode)) {
        r->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return r->fd >= 0 || failed(r, "open");
    }
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0) return failed(r, "write");
    r->path = exists ? realpath(path, NULL) : strdup(path);
    if (!r->path) return exists ? failed(r, "open") : no_memory(r);
    r->mode = mode_for(exists ? &old : NULL);
    return open_beside(r);
}

bool replace_begin(Replacement *r, const char *path) {
    *r = (Replacement){.fd = -1};
    if (begin(r, path)) return true;
    release(r);
    return false;
}

/* --- into its place ------------------------------------------------------------------------- */

static bool close_file(Replacement *r) {
    int fd = r->fd;
    r->fd = -1;
    return close(fd) == 0 || failed(r, "write");
}

static bool put_in_place(Replacement *r) {
    if (fchmod(r->fd, r->mode) != 0) return failed(r, "write");
    if (!r->named && !give_name(r->fd, r->temporary)) return failed(r, "name the new file");
    r->named = true;
    if (!close_file(r)) return false;
    if (rename(r->temporary, r->path) != 0) return failed(r, "replace");
    r->named = r->made = false;
    return true;
}

bool replace_end(Replacement *r, bool whole) {
    r->step = "write";
    bool done = whole && (r->temporary ? put_in_place(r) : close_file(r));
    release(r);
    return done;
}
