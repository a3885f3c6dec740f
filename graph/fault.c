#include "graph/fault.h"

#include "base/plural.h"

#include <ctype.h>
#include <string.h>

static const struct {
    FaultClass class;
    const char *reference, *ours;
} faults[] = {
    [FAULT_NONE] = {FAULT_PLAIN, "", ""},
#define FAULT(id, class, reference, ours) [FAULT_##id] = {class, reference, ours},
#include "graph/fault.def"
#undef FAULT
};

FaultClass fault_class(FaultId id) {
    return faults[id].class;
}

/* The argument that `$k` at `at` names, or NULL where there is none. */
static const char *argument(const Fault *fault, const char *at) {
    if (at[0] != '$' || at[1] < '1' || at[1] > '0' + FAULT_ARGS) return NULL;
    const char *text = fault->arg[at[1] - '1'];
    return text ? text : "?";
}

static const char *fill(const Fault *fault, const char *template, Arena *arena) {
    size_t length = 0;
    for (const char *at = template; *at; at++) {
        const char *text = argument(fault, at);
        length += text ? strlen(text) : 1;
        at += text != NULL;
    }
    char *filled = arena_alloc(arena, length + 1), *to = filled;
    for (const char *at = template; *at; at++) {
        const char *text = argument(fault, at);
        size_t size = text ? strlen(text) : 1;
        memcpy(to, text ? text : at, size);
        to += size;
        at += text != NULL;
    }
    return filled;
}

const char *fault_reference_text(const Fault *fault, Arena *arena) {
    return fill(fault, faults[fault->id].reference, arena);
}

const char *fault_text(const Fault *fault, Arena *arena) {
    return fill(fault, faults[fault->id].ours, arena);
}

/* --- as a diagnostic ----------------------------------------------------------------------- */

enum { NOTES_SHOWN = 8 };

/* A recursion is many calls at few places, each of which is worth one note. */
static bool is_shown(const FaultCall *call, const Fault *fault, const Diag *notes, size_t count) {
    bool found = call->span.begin == fault->span.begin && call->span.end == fault->span.end;
    for (size_t k = 0; k < count && !found; k++)
        found = call->span.begin == notes[k].span.begin && call->span.end == notes[k].span.end;
    return found;
}

/* The innermost calls, and how many there are besides. */
static size_t call_notes(const Fault *fault, Diag *notes, Arena *arena) {
    size_t count = 0, more = 0;
    for (const FaultCall *call = fault->calls; call; call = call->outer) {
        if (count == NOTES_SHOWN || is_shown(call, fault, notes, count)) {
            more++;
            continue;
        }
        notes[count++] =
            (Diag){.severity = DIAG_NOTE,
                   .span = call->span,
                   .message = arena_format(arena, "in this call of '%s'", call->function)};
    }
    if (more)
        notes[count++] =
            (Diag){.severity = DIAG_NOTE,
                   .message = arena_format(arena, "and %zu more call%s", more, plural(more))};
    return count;
}

static void report(const Fault *fault, const char *message, const DiagSink *sink,
                   const SourceMap *map, Arena *arena) {
    Diag notes[NOTES_SHOWN + 1];
    size_t count = call_notes(fault, notes, arena);
    diag_report(sink, map,
                &(Diag){.severity = DIAG_ERROR,
                        .span = fault->span,
                        .message = message,
                        .notes = notes,
                        .note_count = count});
}

void fault_report(const Fault *fault, const DiagSink *sink, const SourceMap *map, Arena *arena) {
    report(fault, fault_text(fault, arena), sink, map, arena);
}

/* The name that the span is, where it is called, or NULL.  What a program makes itself spans
 * arguments and operands, too. */
static const char *called_name(const SourceMap *map, Span span, Arena *arena) {
    Place place;
    if (!source_place(map, span, &place)) return NULL;
    for (uint32_t k = place.begin; k < place.end; k++) {
        char c = place.text[k];
        if (c != '_' && !isalnum((unsigned char)c)) return NULL;
    }
    uint32_t at = place.end;
    while (at < place.length && place.text[at] == ' ') at++;
    if (at == place.length || place.text[at] != '(') return NULL;
    return arena_text(arena, place.text + place.begin, place.end - place.begin);
}

const char *fault_run_text(const Fault *fault, const SourceMap *map, Arena *arena) {
    const char *name = called_name(map, fault->span, arena);
    if (!name) return fault_text(fault, arena);
    Fault within = *fault;
    if (fault->id != FAULT_DEFAULT_TYPE)
        return arena_format(arena, "in '%s' of the library: %s", name, fault_text(fault, arena));
    within.id = FAULT_DEFAULT_IN_CALL;
    within.arg[0] = name;
    return fault_text(&within, arena);
}

void fault_report_run(const Fault *fault, const DiagSink *sink, const SourceMap *map,
                      Arena *arena) {
    report(fault, fault_run_text(fault, map, arena), sink, map, arena);
}
