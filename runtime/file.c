#include "runtime/file.h"

#include "runtime/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t stream_limit = (size_t)1 << 30;

static bool failed(RtError *err, const char *path, const char *doing) {
    return rt_error(err, "%s: cannot %s: %s", path, doing, strerror(errno));
}

/* Reads until the end or until `capacity` bytes are there; -1 on failure. */
static ssize_t read_up_to(int fd, unsigned char *buf, size_t capacity) {
    size_t n = 0;
    while (n < capacity) {
        ssize_t got = read(fd, buf + n, capacity - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

/* Doubles the buffer until the file ends in it. `capacity`: the expected size and one byte more. */
static unsigned char *read_all(int fd, const char *path, size_t capacity, size_t *size,
                               RtError *err) {
    unsigned char *buf = NULL;
    for (*size = 0;; capacity *= 2) {
        unsigned char *more = rt_realloc(buf, capacity, 1);
        if (!more) {
            rt_error(err, "%s: out of memory for %zu bytes", path, capacity);
            break;
        }
        buf = more;
        ssize_t got = read_up_to(fd, buf + *size, capacity - *size);
        if (got < 0) {
            failed(err, path, "read");
            break;
        }
        *size += (size_t)got;
        if (*size < capacity) return buf;
        if (*size > stream_limit) {
            rt_error(err, "%s: expected a weights file, found more than 1 GiB from a device", path);
            break;
        }
    }
    free(buf);
    return NULL;
}

unsigned char *rt_file_read(const char *path, size_t *size, RtError *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        failed(err, path, "open");
        if (fd >= 0) close(fd);
        return NULL;
    }
    size_t capacity = S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size + 1 : 1 << 16;
    unsigned char *bytes = read_all(fd, path, capacity, size, err);
    close(fd);
    return bytes;
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

/* `temporary` is a template of mkstemp. */
static bool write_renamed(const char *path, char *temporary, mode_t mode, const void *bytes,
                          size_t size, RtError *err) {
    int fd = mkstemp(temporary);
    if (fd < 0) return failed(err, path, "create a file beside it");
    bool ok = write_all(fd, bytes, size) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
    if (!ok) failed(err, path, "write");
    if (close(fd) != 0 && ok) ok = failed(err, path, "write");
    if (ok && rename(temporary, path) != 0) ok = failed(err, path, "replace");
    if (!ok) unlink(temporary);
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
