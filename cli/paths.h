/* paths.h: where the library and the programs are.
 *
 * The folder `programs` is looked for beside the binary (a build tree), below the prefix it
 * is installed in (bin/../share/rasp), and below the prefix it was built for.
 */
#ifndef RASP_CLI_PATHS_H
#define RASP_CLI_PATHS_H

#include "base/arena.h"

#include <stdbool.h>

/* Finds a program: a file of that name, then a name below the folders of RASP_PATH, then one
 * of the bundled programs.  In folders, `name` may leave out ".rasp" and leading folders
 * ("sort", "paper/sort").  NULL, after a message, if there is none or several fit. */
const char *paths_find_program(Arena *arena, const char *name);
/* The same without a message. */
const char *paths_look_for(Arena *arena, const char *name);
/* Is there such a program, or are there several? */
bool paths_has_program(Arena *arena, const char *name);

/* The same for what a program loads, a RaspFind: no file of that name, and a message only if
 * several fit.  And what is looked through. */
char *paths_find_loaded(void *context, const char *name);
extern const char paths_places[];
/* The names, without folder and suffix, of all that is found so; no message. */
const char *const *paths_loadable(Arena *arena, size_t *count);

/* The bundled programs, sorted; a file of that name beside the library.  NULL, after a message, if
 * the folder is not found. */
const char *const *paths_programs(Arena *arena, size_t *count);
const char *paths_bundled(Arena *arena, const char *name);

#endif
