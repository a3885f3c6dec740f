/* runner.h: runs one input after the other and prints the results.
 *
 * Results go to standard output, a line an input (with `named`, a line an s-op and an empty
 * line between inputs); mistakes in an input, and faults while it runs, to standard error.
 * One input's fault does not keep the next from running.
 */
#ifndef RASP_CLI_RUNNER_H
#define RASP_CLI_RUNNER_H

#include "api/rasp.h"
#include "cli/json.h"

typedef struct RunnerOptions {
    RaspForm form;
    int precision; /* decimals of floats; negative: in full */
    bool json, stats;
    bool named; /* every result with its name (--all) */
} RunnerOptions;

enum { MACHINE_AHEAD = 256 }; /* inputs, at most, that are handed to a machine at once */

/* What gives the values: the interpreter, or a transformer. */
typedef struct Machine {
    void *self;
    /* The inputs that `begin` will be asked for next, in this order: they may be run together. They
     * stay until the next call, with none, which releases what is left; may be NULL. */
    void (*ahead)(void *self, const RaspInput *inputs, size_t count);
    /* One input made ready, or NULL and the error; `end` gives it back. */
    void *(*begin)(void *self, const RaspInput *input, RaspError *error);
    void (*end)(void *pass);
    /* Was it a string?  `tokens` may be NULL. */
    bool (*is_string)(void *pass, const RaspSequence **tokens);
    /* The values of the k-th s-op; NULL and the error: of this one there are none. */
    const RaspSequence *(*values)(void *self, void *pass, size_t k, RaspError *error);
    /* The same of a selector (Runner.kinds): cell [i * n + j]; NULL: there are none. */
    const bool *(*selection)(void *self, void *pass, size_t k, RaspError *error);
    /* Further members of the JSON object of s-op k; may be NULL. */
    void (*json)(void *self, void *pass, size_t k, Json *json);
    /* How the results of a pass came about, to standard output; may be NULL. */
    void (*show)(void *self, const RaspInput *input);
    /* What it cost, to standard error; may be NULL. */
    void (*stats)(void *pass);
} Machine;

typedef struct Runner {
    const RunnerOptions *options;
    const Machine *machine;
    const char *const *names;   /* of the s-ops */
    const RaspValueKind *kinds; /* what they are; NULL: s-ops all of them */
    size_t count;
    size_t line_limit; /* bytes of a line of standard input */
    size_t inputs;     /* run so far */
    bool terminal;     /* results are read on one: long ones are folded */
    bool failed;       /* one at least */
    bool interrupted;
} Runner;

/* What a line may take of the memory that was given (0: the default). */
size_t runner_line_limit(size_t memory);

/* The inputs of a command line, with progress on a terminal: "-", or none at all, is standard
 * input, an input a line.  The exit status. */
int runner_run_all(Runner *runner, char **inputs, int count);

#endif
