/* library.h: the language's library, programs/lib.rasp and programs/extras.rasp, as texts in the
 * binary (the Makefile makes library_text.c of them), so that a session needs no path. */
#ifndef RASP_INTERP_EVAL_LIBRARY_H
#define RASP_INTERP_EVAL_LIBRARY_H

#include <stddef.h>

typedef struct LibraryText {
    const char *name;  /* in messages: "lib.rasp" */
    const char *label; /* of its scope, as functions are shown */
    const char *text;
    size_t length;
} LibraryText;

extern const LibraryText library_text;   /* what the reference has, protected names */
extern const LibraryText library_extras; /* what we add: a program may set these names */

#endif
