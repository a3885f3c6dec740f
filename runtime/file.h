/* Whole files: read into memory, replaced in one step. */
#ifndef RUNTIME_FILE_H
#define RUNTIME_FILE_H

#include "runtime/error.h"

#include <stddef.h>

/* Reads everything `path` holds into a fresh buffer (free it). Errors name the path. From what is
 * not a regular file (a pipe, a device) at most 1 GiB are taken. */
unsigned char *rt_file_read(const char *path, size_t *size, RtError *err);

/* Puts the bytes in place of what was at `path`: written to a new file in the same folder, then
 * renamed, so that a failure leaves the old file as it was. A symbolic link is followed; the file
 * keeps its permissions; what exists and is not a regular file (/dev/stdout) is written to. */
bool rt_file_replace(const char *path, const void *bytes, size_t size, RtError *err);

#endif
