#include "cli/file.h"

#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

typedef struct Bytes {
    char *data;
    size_t length, room;
} Bytes;

static void make_room(Arena *arena, Bytes *bytes) {
    if (bytes->room - bytes->length > PIECE) return;
    size_t room = 2 * bytes->room + 2 * PIECE;
    char *data = ARENA_BLOCK(arena, room, char);
    if (bytes->length) memcpy(data, bytes->data, bytes->length);
    arena_release(arena, bytes->data);
    bytes->data = data;
    bytes->room = room;
}

const char *file_read(Arena *arena, const char *path, size_t *length) {
    Bytes bytes = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : 1;
    while (got > 0) {
        make_room(arena, &bytes); /* a jump to the guard leaves one descriptor open */
        got = read(fd, bytes.data + bytes.length, PIECE);
        if (got > 0) bytes.length += (size_t)got;
    }
    int error = errno;
    if (fd >= 0) close(fd);
    if (got < 0) {
        report_error("cannot read '%s': %s", path, strerror(error));
        return NULL;
    }
    bytes.data[bytes.length] = '\0';
    *length = bytes.length;
    return bytes.data;
}
