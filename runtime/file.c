#define _GNU_SOURCE /* O_TMPFILE */

#include "runtime/file.h"

#include "runtime/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool failed(RtError *err, const char *path, const char *doing) {
    return rt_error(err, "%s: cannot %s: %s", path, doing, strerror(errno));
}

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode) ? "directory" : S_ISFIFO(mode) ? "pipe" : "device";
}

/* Opening a pipe that nobody writes to waits, unless told not to. */
int rt_file_open(const char *path, size_t *size, RtError *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        failed(err, path, "open");
        if (fd >= 0) close(fd);
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        rt_error(err, "%s: expected a file, found a %s", path, kind_of(st.st_mode));
        close(fd);
        return -1;
    }
    *size = (size_t)st.st_size;
    return fd;
}

bool rt_file_read(int fd, size_t at, void *to, size_t size, RtError *err) {
    unsigned char *bytes = to;
    while (size) {
        ssize_t got = pread(fd, bytes, size, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return rt_error(err, "cannot read: %s", strerror(errno));
        if (got == 0) return rt_error(err, "the file became shorter while it was read");
        bytes += got;
        at += (size_t)got;
        size -= (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size) {
    while (size) {
        ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

static bool write_device(const char *path, const void *bytes, size_t size, RtError *err) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return failed(err, path, "open");
    bool ok = write_all(fd, bytes, size) || failed(err, path, "write");
    if (close(fd) != 0 && ok) ok = failed(err, path, "write");
    return ok;
}

/* A new file gets what open() would give it; an old one keeps its mode. */
static mode_t mode_for(const struct stat *old) {
    if (old) return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool fill(int fd, const char *path, mode_t mode, const void *bytes, size_t size,
                 RtError *err) {
    return (write_all(fd, bytes, size) && fchmod(fd, mode) == 0 && fsync(fd) == 0) ||
           failed(err, path, "write");
}

/* A file without a name in the folder of `temporary`; -1 where there is no such thing. */
static int open_nameless(const char *temporary) {
    char *folder = rt_memdup(temporary, strlen(temporary));
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

/* `temporary` is a template of mkstemp. */
static bool write_renamed(const char *path, char *temporary, mode_t mode, const void *bytes,
                          size_t size, RtError *err) {
    int fd = open_nameless(temporary);
    bool nameless = fd >= 0, ok;
    if (!nameless) fd = mkstemp(temporary);
    if (fd < 0) return failed(err, path, "create a file beside it");
    ok = fill(fd, path, mode, bytes, size, err);
    if (ok && nameless && !give_name(fd, temporary)) ok = failed(err, path, "name the new file");
    bool named = ok || !nameless;
    if (close(fd) != 0 && ok) ok = failed(err, path, "write");
    if (ok && rename(temporary, path) != 0) ok = failed(err, path, "replace");
    if (!ok && named) unlink(temporary);
    return ok;
}

bool rt_file_replace(const char *path, const void *bytes, size_t size, RtError *err) {
    struct stat st;
    bool exists = stat(path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode))
        return rt_error(err, "%s: expected a file, found a directory", path);
    if (exists && !S_ISREG(st.st_mode)) return write_device(path, bytes, size, err);
    char *real = exists ? realpath(path, NULL) : rt_memdup(path, strlen(path));
    if (!real) return failed(err, path, "open");
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(real);
    char *temporary = rt_calloc(length + sizeof suffix, 1);
    bool ok;
    if (temporary) {
        memcpy(temporary, real, length);
        memcpy(temporary + length, suffix, sizeof suffix);
        ok = write_renamed(real, temporary, mode_for(exists ? &st : NULL), bytes, size, err);
    } else {
        ok = rt_error(err, "%s: out of memory", path);
    }
    free(temporary);
    free(real);
    return ok;
}
