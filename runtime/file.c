#include "runtime/file.h"

#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

static bool refused(RtError *err, const char *path, const char *step) {
    if (errno == EISDIR) return rt_error(err, "%s: expected a file, found a directory", path);
    if (errno == ENOMEM) return rt_error(err, "%s: out of memory", path);
    return failed(err, path, step);
}

bool rt_file_replace(const char *path, const void *bytes, size_t size, RtError *err) {
    Replacement r;
    if (!replace_begin(&r, path)) return refused(err, path, r.step);
    bool whole = write_all(r.fd, bytes, size);
    if (whole) whole = fsync(r.fd) == 0 || errno == EINVAL; /* of a device: nothing to wait for */
    return replace_end(&r, whole) || failed(err, path, r.step);
}
