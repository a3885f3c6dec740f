/* Files: read piece by piece, replaced in one step. */
#ifndef RUNTIME_FILE_H
#define RUNTIME_FILE_H

#include "runtime/error.h"

#include <stddef.h>

/* Opens a regular file for reading; -1, and the error names the path. Pipes and devices, whose
 * size nobody knows, are refused, and never waited for. */
int rt_file_open(const char *path, size_t *size, RtError *err);

/* `size` bytes from offset `at`; that they are no longer there is an error. */
bool rt_file_read(int fd, size_t at, void *to, size_t size, RtError *err);

/* Puts the bytes in place of what was at `path`, as base/replace.h does it, and on the disk. */
bool rt_file_replace(const char *path, const void *bytes, size_t size, RtError *err);

#endif
