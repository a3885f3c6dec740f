#include "cli/width.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static size_t width_of(int fd) {
    enum { LEAST = 20, MOST = 10000 };
    const char *said = getenv("COLUMNS");
    long columns = said ? strtol(said, NULL, 10) : 0;
    struct winsize size;
    if (columns <= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    if (columns <= 0) return isatty(fd) ? WIDTH_OF_TEXT : 0;
    return columns < LEAST ? LEAST : columns > MOST ? MOST : (size_t)columns;
}

size_t width_of_output(void) {
    return width_of(STDOUT_FILENO);
}

size_t width_of_errors(void) {
    return isatty(STDERR_FILENO) ? width_of(STDERR_FILENO) : 0;
}
