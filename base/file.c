#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

FILE *file_open(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return NULL;
    int flags = fcntl(fd, F_GETFL);
    bool waits = flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
    FILE *file = waits ? fdopen(fd, "rb") : NULL;
    if (file) return file;
    int error = errno;
    close(fd);
    errno = error;
    return NULL;
}
