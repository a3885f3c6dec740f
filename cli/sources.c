#include "cli/sources.h"

#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All of it, of `most` bytes at most, from malloc: 0, or an errno. */
static int read_stream(FILE *in, size_t most, char **text, size_t *length) {
    char buffer[1 << 14];
    size_t got, size = 0;
    FILE *out = open_memstream(text, length);
    while (out && size <= most && (got = fread(buffer, 1, sizeof buffer, in)) > 0)
        size += fwrite(buffer, 1, got, out);
    int error = !out ? ENOMEM : size > most ? EFBIG : ferror(in) ? errno : 0;
    if (out && fclose(out) != 0 && !error) error = ENOMEM;
    if (error && out) free(*text);
    return error;
}

static int read_whole(const char *path, size_t most, char **text, size_t *length) {
    FILE *in = file_open(path);
    if (!in) return errno;
    int error = read_stream(in, most, text, length);
    fclose(in);
    return error;
}

int sources_standard_input(char **text, size_t *length) {
    return read_stream(stdin, (size_t)1 << 30, text, length);
}

/* False: out of memory.  No jump leaves the callback, for the library is above it. */
static bool keep(Sources *s, const char *path, const char *text, size_t length) {
    Budget *budget = arena_budget(s->arena);
    BudgetGuard guard;
    if (!BUDGET_ENTER(budget, &guard)) return false;
    s->files = arena_grow(s->arena, s->files, &s->room, s->count + 1, sizeof *s->files);
    s->files[s->count] = (SourceFile){.path = arena_text(s->arena, path, strlen(path)),
                                      .text = arena_text(s->arena, text, length),
                                      .length = length};
    s->count++;
    budget_leave(budget, &guard);
    return true;
}

int sources_read(void *context, const char *path, char **text, size_t *length) {
    Sources *s = context;
    const Budget *budget = arena_budget(s->arena);
    int error = read_whole(path, budget->limit - budget->used, text, length);
    if (error || keep(s, path, *text, *length)) return error;
    free(*text);
    return ENOMEM;
}
