#include "cli/width.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t width_of_output(void) {
    enum { LEAST = 20, MOST = 10000 };
    const char *said = getenv("COLUMNS");
    long columns = said ? strtol(said, NULL, 10) : 0;
    struct winsize size;
    if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    if (columns <= 0) return isatty(STDOUT_FILENO) ? WIDTH_OF_TEXT : 0;
    return columns < LEAST ? LEAST : columns > MOST ? MOST : (size_t)columns;
}
