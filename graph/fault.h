/* fault.h: what can go wrong while a program is evaluated or run.
 *
 * fault.def has one row for each fault, with two texts: the public reference interpreter's,
 * which the REPL prints byte for byte, and ours, which `rasp run` prints with the place in
 * the source.  Both are templates in which $1 … $4 stand for the fault's arguments.
 */
#ifndef RASP_GRAPH_FAULT_H
#define RASP_GRAPH_FAULT_H

#include "base/diag.h"

typedef enum FaultClass {
    FAULT_RASP,  /* the language's own: "!!ignoring input:" in the REPL */
    FAULT_HOST,  /* arithmetic and conversion: "something went wrong:" */
    FAULT_PLAIN, /* the text stands alone */
} FaultClass;

typedef enum FaultId {
    FAULT_NONE,
#define FAULT(id, class, reference, ours) FAULT_##id,
#include "graph/fault.def"
#undef FAULT
    FAULT_COUNT
} FaultId;

enum { FAULT_ARGS = 4 };

/* The calls that were running, innermost first. */
typedef struct FaultCall {
    const struct FaultCall *outer;
    const char *function;
    Span span; /* of the call */
} FaultCall;

typedef struct Fault {
    FaultId id;
    const char *arg[FAULT_ARGS]; /* as the templates want them; unused ones NULL */
    Span span;
    const FaultCall *calls;
} Fault;

FaultClass fault_class(FaultId id);
/* The two texts, filled in. */
const char *fault_reference_text(const Fault *fault, Arena *arena);
const char *fault_text(const Fault *fault, Arena *arena);

/* As a diagnostic, with a note for each enclosing call. */
void fault_report(const Fault *fault, const DiagSink *sink, const SourceMap *map, Arena *arena);

/* The same of a node that fails in a run.  What the language's library makes stands at the
 * program's call into it: there the message says so, for nobody can edit the library. */
const char *fault_run_text(const Fault *fault, const SourceMap *map, Arena *arena);
void fault_report_run(const Fault *fault, const DiagSink *sink, const SourceMap *map, Arena *arena);

#endif
