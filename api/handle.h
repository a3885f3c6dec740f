/* handle.h: what the handles of rasp.h are inside, and how a call into the library is made; for
 * the files of api/ alone.
 *
 * A Core is what every handle has: its configuration, a budget, an arena.  Whatever allocates
 * runs under a guard of the budget:
 *
 *     static bool body(Core *core, void *context);
 *     return core_call(core, error, body, &context);
 *
 * A stop of the budget (memory, time, cancelled) ends the body and becomes the RaspError; what
 * the body says of its own failures, it says by core_fail or, about a text, through core_sink.
 */
#ifndef RASP_API_HANDLE_H
#define RASP_API_HANDLE_H

#include "api/rasp.h"

#include "base/diag.h"

#include <stdatomic.h>
#include <stdio.h>

typedef struct Core {
    RaspConfig config;
    Budget own;       /* the budget, of a handle that has one of its own */
    Budget *budget;   /* `own`, or that of what the handle was made from */
    Arena *arena;     /* dies with the handle */
    RaspError *error; /* of the call that is running; never NULL then */
    RaspStatus wrong; /* the status of messages about texts during that call */
} Core;

/* False when the system has no memory. */
bool core_init(Core *core, const RaspConfig *config, RaspError *error);
/* A handle within the budget of another. */
bool core_share(Core *core, const Core *owner, RaspError *error);
void core_clear(Core *core);

typedef bool CoreBody(Core *core, void *context);
/* False: the body says so, or was stopped; the error is filled.  `wrong`: see Core. */
bool core_call(Core *core, RaspError *error, RaspStatus wrong, CoreBody *body, void *context);

/* Fills the error, if nothing has yet; gives false. */
bool core_fail(Core *core, RaspStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same without a handle; a NULL error is allowed. */
bool error_set(RaspError *error, RaspStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The budget of the running call has stopped: says so. */
bool core_stopped(Core *core);
/* Why a budget stops, as a status; RASP_OK while it goes. */
RaspStatus stop_status(BudgetStop stop);

/* Diagnostics of the running call: to RaspConfig.report, the first error into the error. */
DiagSink core_sink(Core *core);

/* A file whole, in the core's arena, NUL behind it; NULL after core_fail. */
const char *core_read(Core *core, const char *path, size_t *length);

/* --- places ----------------------------------------------------------------------------- */

/* All zero for no place. */
RaspPlace place_of(const SourceMap *map, Span span);
/* The message, with `room` notes at most in `notes`. */
RaspMessage message_of(const SourceMap *map, const Diag *diag, RaspMessage *notes, size_t room);

/* Text that was printed to a memory stream, for rasp_free; NULL after core_fail. */
typedef void TextWriter(FILE *out, void *context);
char *core_text(Core *core, TextWriter *write, void *context);

#endif
