/* diag.h: messages about the user's text.
 *
 * A message goes to a sink that the caller of the library sets; rasp_message_show (rasp.h) makes
 * text of it:
 *
 *     sort.rasp:3:20: error: 'select' expects a comparison as its third argument, found …
 *         3 | s = select(key, k, 1);
 *           |                    ^
 *     sort.rasp:9:5: note: in this call of 'sort'
 *
 * Wording: lower case, no full stop, names in single quotes, what was expected, what was
 * found, the way out.
 */
#ifndef RASP_BASE_DIAG_H
#define RASP_BASE_DIAG_H

#include "base/source.h"

typedef enum Severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } Severity;

/* `notes` follow in order; a note has no notes of its own. */
typedef struct Diag {
    Severity severity;
    Span span; /* SPAN_NONE: about no place */
    const char *message;
    const struct Diag *notes;
    size_t note_count;
} Diag;

typedef struct DiagSink {
    void (*report)(void *context, const SourceMap *map, const Diag *diag);
    void *context;
} DiagSink;

void diag_report(const DiagSink *sink, const SourceMap *map, const Diag *diag);
void diag_error(const DiagSink *sink, const SourceMap *map, Span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
