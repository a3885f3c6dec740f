/* session.h: a RASP session: names, graph, running examples; statements go in, results come
 * out at a sink.
 *
 * Two modes.  In REPL mode every s-op and selector is tried on the running example as soon
 * as it is made (language.md 7.5), `load` follows the REPL's line rules, and its results are
 * collected and filtered (13.7).  In batch mode (run, check, compile) nothing is tried: a
 * program is only evaluated to the graph, and errors of running appear when an input is run.
 *
 * Everything lives in one arena that dies with the session.  Memory and cancelling come from
 * the budget: a statement that exhausts it is reported to the sink and dropped, what was
 * defined stays, the session goes on.  Nothing here jumps to a guard of the caller.
 *
 * Values handed out stay valid while a name of the session reaches them (value.h); those of
 * session_evaluate for good.
 */
#ifndef RASP_INTERP_EVAL_SESSION_H
#define RASP_INTERP_EVAL_SESSION_H

#include "grammar/ast.h"
#include "interp/eval/value.h"
#include "interp/exec/exec.h"

typedef struct Session Session;

/* Where results go.  A missing function (NULL) drops that kind. */
typedef struct SessionSink {
    void *context;
    /* `x = e;`, `e;` (named `out` or by its variable), `def`. */
    void (*named)(void *context, Session *session, const Str *name, Value value);
    /* `s(input);`: an s-op or selector, computed without fault by `exec`. */
    void (*applied)(void *context, Session *session, Value value, Value input, Exec *exec);
    /* `draw(s, input);`: as applied, for an s-op; `show`: print the result as well. */
    void (*drawn)(void *context, Session *session, Value value, Value input, Exec *exec, bool show);
    /* `show example`. */
    void (*example)(void *context, Session *session, AstTarget which);
    /* A statement failed; nothing of it is kept (of a loop: what was done before). */
    void (*fault)(void *context, Session *session, const Fault *fault);
    /* A statement used up the memory or was interrupted.  The session is NULL if that was
     * while it started. */
    void (*stopped)(void *context, Session *session, const char *message);
    /* Syntax errors of loaded files. */
    DiagSink syntax;
} SessionSink;

typedef enum SessionMode { SESSION_REPL, SESSION_BATCH } SessionMode;

/* Where the texts come from that programs load: 0 and *text from malloc, which the session
 * frees, or an errno. */
typedef int SessionRead(void *context, const char *path, char **text, size_t *length);

/* Where else a program may be that a text loads, by its name as written, without a suffix: a path
 * from malloc, or NULL. */
typedef char *SessionFind(void *context, const char *name);

typedef struct SessionOptions {
    SessionMode mode;
    Budget *budget;    /* outlives the session */
    SessionRead *read; /* NULL: the file system */
    void *read_context;
    SessionFind *find; /* NULL: nowhere */
    void *find_context;
    const char *find_places; /* what messages call these places */
    bool strict;        /* refuse what the reference interpreter refuses: no additions of ours */
    size_t stack_limit; /* bytes of C stack for evaluation; 0: half of what the system gives,
                           at most 8 MiB */
    SessionSink sink;
} SessionOptions;

/* The language's library is in the binary (library.h).  NULL when memory runs out; the sink has
 * been told. */
Session *session_new(const SessionOptions *options);
void session_free(Session *session); /* NULL is fine */

Arena *session_arena(const Session *session);
Intern *session_intern(const Session *session);
Graph *session_graph(const Session *session);
SourceMap *session_sources(const Session *session);
/* For texts that are needed until the next statement. */
Arena *session_scratch(const Session *session);

/* --- statements (the REPL) -------------------------------------------------------------- */

typedef enum SessionOutcome { SESSION_DONE, SESSION_FAILED, SESSION_EXIT } SessionOutcome;

/* Executes one unit in the console scope. */
SessionOutcome session_execute(Session *session, const Ast *unit);

/* `load` reads a file as in batch mode: whole, several statements a line, every mistake reported.
 */
void session_load_whole(Session *session, bool whole);

/* The running example, a string or list (AST_SOP or AST_SELECTOR); whether s-ops or selectors
 * are shown with theirs; and `full seq display`. */
Value session_example(const Session *session, AstTarget which);
bool session_shows_examples(const Session *session, AstTarget which);
bool session_full_display(const Session *session);

/* An s-op's column or a selector's table on its running example; NULL and the fault if that
 * fails.  For printing, inside a sink function. */
const Column *session_example_column(Session *session, Value sop, Fault *fault);
const bool *session_example_matrix(Session *session, Value selector, Fault *fault);

/* --- programs (batch mode) -------------------------------------------------------------- */

/* Loads a program file into a fresh scope over the start-up environment; mistakes are
 * reported one by one.  `path` is the file itself, suffix included.  False: it has mistakes
 * or cannot be read, and the sink has been told. */
bool session_load(Session *session, const char *path);
/* The same for a program text; `name` is for messages, loads are relative to the current
 * directory. */
bool session_load_text(Session *session, const char *name, const char *text, size_t length);

/* The text of the program, for its magic comments (pragma.h). */
const Source *session_program(const Session *session);

typedef struct Binding {
    const Str *name;
    Value value;
} Binding;

/* The program's public names (no leading `_`), in the order of their last assignment.  In
 * the session's arena. */
const Binding *session_names(Session *session, size_t *count);

/* What `rasp run` runs: the public name that was last assigned an s-op it still holds; with
 * no such name, the last s-op that stood as a statement of its own (named `out`).  False:
 * there is none. */
bool session_main(Session *session, Binding *binding);

/* A name as the program's top level sees it, the start-up environment included. */
bool session_lookup(Session *session, const char *name, Value *value);
/* The same for who is within a guarded call already, which a stop then ends. */
bool session_find(Session *session, const char *name, Value *value);

/* An expression in the program's top-level scope (in REPL mode, the console's); `name` is
 * for messages ("--expr").  False: the sink has been told. */
bool session_evaluate(Session *session, const char *name, const char *text, Value *value);

/* --- notes on a program ----------------------------------------------------------------- */

/* Names that somebody else gives to the program's s-ops, in a scope over its top level: whatever
 * they are, the program does not see them, and neither its places nor its names change.  In it
 * `tokens` is what it is at the start of a program. */
void session_begin_notes(Session *session);
/* Those that follow stand in that scope, and report as session_evaluate does.  An atom, or the s-op
 * that is the atom at every position. */
bool session_note_atom(Session *session, const char *name, Atom atom, bool sop);
bool session_note(Session *session, const char *name, Value value);
bool session_evaluate_note(Session *session, const char *label, const char *text, Value *value);

/* How much there is of what expressions and notes add: nodes, values that were handed out. */
typedef struct SessionMark {
    uint32_t nodes;
    size_t values;
} SessionMark;
SessionMark session_mark(const Session *session);
/* Forgets notes, and what was added since the mark: what is compiled afterwards is what it would
 * have been.  Of that nobody may have a node or a value any more. */
void session_rewind(Session *session, SessionMark mark);

/* --- names, for completion and help ----------------------------------------------------- */

/* Calls `visit` for every name visible at the console or program level. */
void session_visit_names(Session *session, void (*visit)(void *context, const Binding *binding),
                         void *context);
/* Where a function was defined (`def`), or SPAN_NONE. */
Span function_span(const Function *function);

#endif
