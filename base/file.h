/* file.h: files that are opened to be read, without waiting. */
#ifndef RASP_BASE_FILE_H
#define RASP_BASE_FILE_H

#include <stdio.h>

/* fopen(path, "rb"), but for a pipe that nobody has opened to write to: that is an empty file,
 * and not waited for.  One that somebody writes to is read to its end. */
FILE *file_open(const char *path);

#endif
