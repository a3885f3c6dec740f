/* rasp_repl.h: a session of statements, as somebody types them.
 *
 *     lines ──▶ RaspRepl ──▶ RaspEvents      each result, failure and warning, as it comes about
 *                   │
 *                   └──▶ RaspValue           what a name holds: an atom, a list, an s-op, …
 *
 * Statements go in line by line, results come out as events.  Every s-op and selector is tried
 * on a running example as soon as it is made.
 *
 * Handles, errors, threads and strings are those of rasp.h.
 */
#ifndef RASP_REPL_H
#define RASP_REPL_H

#include "rasp.h"
#include "rasp_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RaspRepl RaspRepl;

/* What a name can hold; valid during the event that brings it. */
typedef struct RaspValue {
    RaspValueKind kind;
    uint64_t private_words[3];
} RaspValue;

typedef enum RaspExample { RASP_EXAMPLE_BOTH, RASP_EXAMPLE_SOP, RASP_EXAMPLE_SELECTOR } RaspExample;

/* How the reference interpreter announces a failure. */
typedef enum RaspFailure {
    RASP_FAILURE_LANGUAGE,
    RASP_FAILURE_HOST,
    RASP_FAILURE_PLAIN
} RaspFailure;

/* NULL: that kind of event is dropped. */
typedef struct RaspEvents {
    void *context;
    /* `x = e;`, `e;` (named `out` or by its variable), `def`. */
    void (*named)(void *context, RaspRepl *repl, const char *name, RaspValue value);
    /* `s(input);`: rasp_value_sequence and _selection of `value` are those on `input`. */
    void (*applied)(void *context, RaspRepl *repl, RaspValue value, RaspValue input);
    /* `draw(s, input);`: as applied; `show`: print the result as well. */
    void (*drawn)(void *context, RaspRepl *repl, RaspValue value, RaspValue input, bool show);
    /* `show example`. */
    void (*example)(void *context, RaspRepl *repl, RaspExample which);
    /* A statement failed: the reference's words, and ours with the place. */
    void (*failed)(void *context, RaspRepl *repl, RaspFailure failure, const char *reference,
                   const RaspMessage *message);
    /* A line is no RASP. */
    void (*syntax)(void *context, RaspRepl *repl, const RaspMessage *message);
    /* Memory used up, or cancelled; `repl` is NULL if that was while it started. */
    void (*stopped)(void *context, RaspRepl *repl, const char *text);
    /* What can hardly have been meant: behind a `named` s-op or selector that runs all the same, or
     * of a line that is read as it must be meant (rasp_repl_relax). */
    void (*warned)(void *context, RaspRepl *repl, const RaspMessage *message);
} RaspEvents;

RASP_API RaspRepl *rasp_repl_new(const RaspEvents *events, const RaspConfig *config,
                                 RaspError *error);
RASP_API void rasp_repl_free(RaspRepl *repl);

/* For people who type, beyond the reference's rules: several statements on a line all run; a blank
 * line begins nothing and ends what lacks no more than a ';'; a ';' behind a command is fine; where
 * one is missing and the next line does not continue the statement, it is read as if it was there;
 * `load` reads a file as rasp_program_load does. */
RASP_API void rasp_repl_relax(RaspRepl *repl, bool relaxed);

/* Takes a line, without its newline.  False: it was `exit`. */
RASP_API bool rasp_repl_line(RaspRepl *repl, const char *line, size_t length);
/* Forgets an unfinished statement. */
RASP_API void rasp_repl_drop(RaspRepl *repl);
/* Is the next line the first of a statement?  How many words `def` has the statement so far? */
RASP_API bool rasp_repl_fresh(const RaspRepl *repl);
RASP_API unsigned rasp_repl_def_words(const RaspRepl *repl);

RASP_API RaspValue rasp_repl_example(const RaspRepl *repl, RaspExample which);
RASP_API bool rasp_repl_shows_examples(const RaspRepl *repl, RaspExample which);
RASP_API bool rasp_repl_full_display(const RaspRepl *repl);

/* During an event: has something that it asked for used up the memory or been cancelled?  What
 * it shows is then not all; the statement ends with the event. */
RASP_API bool rasp_repl_stopped(const RaspRepl *repl);

/* --- values; texts live until the event ends --- */

RASP_API RaspAtom rasp_value_atom(RaspValue value);
/* Elements of a list, keys of a dict, characters of a string. */
RASP_API size_t rasp_value_count(RaspValue value);
RASP_API RaspValue rasp_value_element(RaspRepl *repl, RaspValue value, size_t k);
RASP_API RaspAtom rasp_value_key(RaspValue dict, size_t k);
/* Its elements are shown on one line: none is a container, an s-op or a selector. */
RASP_API bool rasp_value_flat(RaspValue value);
/* The display name of an s-op or selector. */
RASP_API const char *rasp_value_name(RaspValue value);
/* Styles plain, quoted and listed. */
RASP_API const char *rasp_value_text(RaspRepl *repl, RaspValue value, RaspStyle style);
/* An s-op's values, or a selector's table (cell [i * n + j]: query i selects key j), on the
 * event's input, else on the running example.  NULL, and *failure the reference's words. */
RASP_API const RaspSequence *rasp_value_sequence(RaspRepl *repl, RaspValue value,
                                                 const char **failure);
RASP_API const bool *rasp_value_selection(RaspRepl *repl, RaspValue value, const char **failure);
/* In a `drawn` or `applied` event: what is below its s-op, on its input.  Free it before the event
 * ends. */
RASP_API RaspGraph *rasp_value_graph(RaspRepl *repl, RaspValue sop, RaspError *error);
/* In a `drawn` event: the computation as DOT text, for rasp_free. */
RASP_API char *rasp_value_dot(RaspRepl *repl, RaspValue value, RaspValue input, RaspError *error);

/* --- names, for completion and help --- */

/* Calls `visit` for every name that is visible; `documented`: it has a comment in the library. */
RASP_API void rasp_repl_names(RaspRepl *repl,
                              void (*visit)(void *context, const char *name, bool documented),
                              void *context);
/* What is known of a name: its comment in the library, else what it is; for rasp_free, NULL if
 * there is no such name. */
RASP_API char *rasp_repl_describe(RaspRepl *repl, const char *name);

#ifdef __cplusplus
}
#endif

#endif
