/* runner.h: runs s-ops of a program on one input after the other and prints the results.
 *
 * Results go to standard output, a line an input (with `all`, a line an s-op and an empty
 * line between inputs); mistakes in an input, and faults while it runs, to standard error.
 * One input's fault does not keep the next from running.
 */
#ifndef RASP_CLI_RUNNER_H
#define RASP_CLI_RUNNER_H

#include "cli/input.h"
#include "cli/program.h"

typedef struct RunnerOptions {
    InputReading reading;
    ExecPlan plan;
    int threads;   /* 0: as many as there are cores */
    int precision; /* decimals of floats; negative: in full */
    bool json, stats;
    bool named; /* every result with its name (--all) */
} RunnerOptions;

typedef struct Runner {
    Program *program;
    const RunnerOptions *options;
    const Sop *sops;
    size_t sop_count;
    size_t inputs; /* run so far */
    bool failed;   /* one at least */
    bool interrupted;
} Runner;

/* One input; `where` says which it is in messages ("standard input, line 3"), NULL: the only
 * one.  False: stop (Ctrl-C, or the output cannot be written). */
bool runner_run(Runner *runner, const char *text, size_t length, const char *where);

/* Standard input, an input a line; CR before the newline is dropped. */
bool runner_run_lines(Runner *runner);

#endif
