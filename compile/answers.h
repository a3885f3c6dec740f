/* answers.h: has a program an answer on every input of a domain?
 *
 * Shown by proof (total.h), or by running the interpreter on all inputs where they are few;
 * else the shortest input without an answer is looked for, in the order of inputs.h.  How many
 * are tried depends on the program and the domain alone, never on the clock: the same program
 * compiles, or does not, on any machine, and the file says how many were tried.
 */
#ifndef RASP_COMPILE_ANSWERS_H
#define RASP_COMPILE_ANSWERS_H

#include "compile/total.h"
#include "graph/fault.h"

typedef enum AnswersKind {
    ANSWERS_PROVED,    /* everywhere, by the value sets */
    ANSWERS_RUN,       /* everywhere: the interpreter ran every input of the domain */
    ANSWERS_NOT_SHOWN, /* `tried` inputs have one */
    ANSWERS_PARTIAL    /* flag outputs say where there is none (flags.h) */
} AnswersKind;
extern const char *const answers_words[]; /* by kind; NULL behind the last */

typedef struct Answers {
    AnswersKind kind;
    uint64_t tried; /* inputs of the domain that the interpreter ran */
} Answers;

/* What is wrong with an input. */
typedef struct NoAnswer {
    const uint32_t *ids; /* NULL: no such input was found */
    uint32_t length;
    bool shortest; /* all shorter ones have an answer */
    size_t sop;    /* of those asked about */
    Fault fault;   /* what the interpreter says */
} NoAnswer;

/* Can no node below the s-ops fail?  No input is run. */
bool answers_proved(Total *total, const NodeId *sops, size_t count, Arena *arena);

/* Runs the s-ops on inputs of the domain, and fills `none` with one on which they have no
 * answer, the shortest where all shorter ones were tried. */
Answers answers_try(Graph *graph, const Domain *domain, const NodeId *sops, size_t count,
                    Arena *arena, NoAnswer *none);

/* Is there an input on which the domain's s-op is true everywhere?  Runs inputs until one is
 * found; *all: every input was tried. */
bool answers_where_holds(Graph *graph, const Domain *domain, Arena *arena, bool *all);

#endif
