#include "api/handle.h"

#include "base/safe.h"

#include "base/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- errors ----------------------------------------------------------------------------- */

/* What is quoted may be a stranger's: newlines and all that steers a terminal become escapes. */
static void copy_safely(char *to, size_t room, const char *from) {
    char escape[SAFE_MOST];
    size_t used = 0, length = strlen(from);
    for (size_t at = 0; at < length;) {
        size_t step = safe_step(from + at, length - at, escape);
        const char *piece = *escape ? escape : from + at;
        size_t size = *escape ? strlen(escape) : step;
        if (used + size >= room) break;
        memcpy(to + used, piece, size);
        used += size, at += step;
    }
    to[used] = '\0';
}

static void fill(RaspError *error, RaspStatus status, const char *format, va_list args) {
    if (!error || error->status != RASP_OK) return;
    char text[sizeof error->text];
    *error = (RaspError){.status = status};
    vsnprintf(text, sizeof text, format, args);
    copy_safely(error->text, sizeof error->text, text);
}

bool error_set(RaspError *error, RaspStatus status, const char *format, ...) {
    va_list args;
    if (error) error->status = RASP_OK;
    va_start(args, format);
    fill(error, status, format, args);
    va_end(args);
    return false;
}

bool core_fail(Core *core, RaspStatus status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(core->error, status, format, args);
    va_end(args);
    return false;
}

RaspStatus stop_status(BudgetStop stop) {
    static const RaspStatus status[] = {[BUDGET_GOING] = RASP_OK,
                                        [BUDGET_OUT_OF_MEMORY] = RASP_OUT_OF_MEMORY,
                                        [BUDGET_OUT_OF_TIME] = RASP_OUT_OF_TIME,
                                        [BUDGET_CANCELLED] = RASP_CANCELLED};
    return status[stop];
}

bool core_stopped(Core *core) {
    RaspStatus status = stop_status(core->budget->stop);
    char text[256];
    budget_message(core->budget, text, sizeof text);
    *core->error = (RaspError){0}; /* the stop is the reason for whatever else was said */
    return core_fail(core, status == RASP_OK ? RASP_OUT_OF_MEMORY : status, "%s", text);
}

/* --- memory ----------------------------------------------------------------------------- */

static bool new_arena(Core *core, void *context) {
    (void)context;
    core->arena = arena_new(core->budget);
    return true;
}

bool core_init(Core *core, const RaspConfig *config, RaspError *error) {
    *core = (Core){.budget = &core->own};
    if (config) core->config = *config;
    budget_init(core->budget, core->config.memory ? core->config.memory : BUDGET_DEFAULT_LIMIT);
    core->budget->cancel = core->config.cancel;
    return core_call(core, error, RASP_FAILED, new_arena, NULL);
}

bool core_share(Core *core, const Core *owner, RaspError *error) {
    *core = (Core){.config = owner->config, .budget = owner->budget};
    return core_call(core, error, RASP_FAILED, new_arena, NULL);
}

void core_clear(Core *core) {
    arena_free(core->arena);
    core->arena = NULL;
}

/* --- calls ------------------------------------------------------------------------------ */

bool core_call(Core *core, RaspError *error, RaspStatus wrong, CoreBody *body, void *context) {
    RaspError unwanted;
    RaspError *outer = core->error;
    RaspStatus outer_wrong = core->wrong;
    BudgetGuard guard;
    bool done;
    core->error = error ? error : &unwanted;
    core->wrong = wrong;
    if (!outer || outer != core->error) *core->error = (RaspError){0};
    if (!outer) budget_time(core->budget, core->config.cpu_seconds);
    if (BUDGET_ENTER(core->budget, &guard)) {
        done = body(core, context);
        budget_leave(core->budget, &guard);
    } else {
        done = core_stopped(core);
    }
    if (!done && core->error->status == RASP_OK) core_fail(core, wrong, "it failed");
    if (!outer) budget_time(core->budget, 0);
    core->error = outer;
    core->wrong = outer_wrong;
    return done;
}

typedef struct Printing {
    FILE *out;
    TextWriter *write;
    void *context;
} Printing;

static bool print(Core *core, void *context) {
    const Printing *p = context;
    (void)core;
    p->write(p->out, p->context);
    return true;
}

char *core_text(Core *core, TextWriter *write, void *context) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the text");
        return NULL;
    }
    bool done = core_call(core, core->error, core->wrong, print, &(Printing){out, write, context});
    if (ferror(out)) done = core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the text");
    if (fclose(out) != 0) done = core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the text");
    if (done) return text;
    free(text);
    return NULL;
}

/* --- files ------------------------------------------------------------------------------ */

/* Up to `most` bytes: 0, or an errno. */
static int read_file(const char *path, size_t most, char **text, size_t *length) {
    size_t room = 1 << 16, used = 0;
    FILE *file = file_open(path);
    if (!file) return errno;
    char *bytes = malloc(room);
    for (size_t got = 1; bytes && got && used <= most;) {
        got = fread(bytes + used, 1, room - used, file);
        used += got;
        if (used > most || used < room) continue;
        char *larger = room > SIZE_MAX / 2 ? NULL : realloc(bytes, room *= 2);
        if (!larger) free(bytes);
        bytes = larger;
    }
    int error = !bytes ? ENOMEM : used > most ? EFBIG : ferror(file) ? errno : 0;
    fclose(file);
    *text = bytes;
    if (error) {
        free(bytes);
        *text = NULL;
    }
    *length = used;
    return error;
}

typedef struct Copying {
    const char *from;
    size_t length;
    char *copy;
} Copying;

static bool copy(Core *core, void *context) {
    Copying *c = context;
    c->copy = arena_text(core->arena, c->from, c->length);
    return true;
}

const char *core_read(Core *core, const char *path, size_t *length) {
    char *text = NULL;
    int error = core->config.read
                    ? core->config.read(core->config.read_context, path, &text, length)
                    : read_file(path, core->budget->limit - core->budget->used, &text, length);
    if (error) {
        core_fail(core, RASP_NO_FILE, "cannot read '%s': %s", path, strerror(error));
        return NULL;
    }
    Copying copying = {text, *length, NULL};
    core_call(core, core->error, core->wrong, copy, &copying);
    free(text);
    return copying.copy;
}
