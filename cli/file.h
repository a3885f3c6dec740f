/* file.h: a file's bytes. */
#ifndef RASP_CLI_FILE_H
#define RASP_CLI_FILE_H

#include "base/arena.h"

/* The whole file as an arena block with a NUL behind it; NULL after a message. */
const char *file_read(Arena *arena, const char *path, size_t *length);

#endif
