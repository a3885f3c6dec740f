/* verify.h: is a certificate of `rasp express` right?
 *
 * A certificate (docs/express-certificates.md) states that a task can, or cannot, be done by one
 * attention layer of a class on all inputs up to a length, and brings the evidence.  Nothing in
 * it is believed: labels are computed again by the interpreter's definition, the clauses are
 * made again from the pairs, every step of the proof is checked, a layer is run on every
 * instance.  This folder shares no code with the search that writes certificates: it stands on
 * rasp.h and base/ alone.
 */
#ifndef RASP_EXPRESS_VERIFY_VERIFY_H
#define RASP_EXPRESS_VERIFY_VERIFY_H

#include "api/rasp.h"

/* What a certificate states, now shown. */
typedef struct ExpressVerdict {
    bool possible;          /* yes: there is such a layer; no: there is none */
    char statement[256];    /* the same in words: "no layer of class unique with …" */
    char evidence[160];     /* what shows it: "13 pairs, 401 clauses, 77 proof steps" */
    const char *class;      /* "average", "unique", … */
    unsigned heads, values; /* heads 0: any number */
    unsigned max_length;
    size_t total;            /* instances of the domain; 0: were not counted */
    size_t instances, pairs; /* of the evidence */
    size_t variables, clauses, steps;
} ExpressVerdict;

/* False: refused (RASP_WRONG_FILE), or not decided for lack of a file, memory or time; the error
 * says what was expected and what was found.  `config` may be NULL: its memory limit, time limit
 * and cancel flag hold for the whole; files that the program loads come from the certificate. */
bool express_verify(const char *path, const RaspConfig *config, ExpressVerdict *verdict,
                    RaspError *error);
/* The same of a text in memory; `name` is for messages. */
bool express_verify_text(const char *text, size_t length, const char *name,
                         const RaspConfig *config, ExpressVerdict *verdict, RaspError *error);

#endif
