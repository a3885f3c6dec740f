/* replace.h: a file in place of another, in one step: whole, or not at all.
 *
 *     Replacement r;
 *     if (!replace_begin(&r, path)) …        errno; r.step
 *     bool whole = …                         writes to r.fd
 *     if (!replace_end(&r, whole)) …         errno; r.step
 *
 * What is written goes to a new file in the same folder, which is renamed in the end: a failure
 * leaves the old file as it was.  The new one has no name until it is complete (where the file
 * system can do that), so that a killed process leaves nothing behind.  Symbolic links are
 * followed, permissions stay, a file that must not be written is not replaced either.  What exists
 * and is no regular file (a device, a pipe) is written to as it is.
 *
 * This file needs nothing else of base/, so that runtime/ may have it. */
#ifndef RASP_BASE_REPLACE_H
#define RASP_BASE_REPLACE_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct Replacement {
    int fd;           /* to write to */
    const char *step; /* what could not be done: "open", "create a file beside it", … */
    /* for replace.c */
    char *path, *temporary; /* without links; NULL: written to as it is */
    mode_t mode;
    bool named, made; /* is there a file `temporary`?  One at `path` that was not there before? */
} Replacement;

/* After a failure there is nothing to end. */
bool replace_begin(Replacement *r, const char *path);

/* Puts the new file in its place; if what was written is not whole, removes it and says false, with
 * errno as it was. */
bool replace_end(Replacement *r, bool whole);

#endif
