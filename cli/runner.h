/* runner.h: runs s-ops of a program on one input after the other and prints the results.
 *
 * Results go to standard output, a line an input (with `all`, a line an s-op and an empty
 * line between inputs); mistakes in an input, and faults while it runs, to standard error.
 * One input's fault does not keep the next from running.
 */
#ifndef RASP_CLI_RUNNER_H
#define RASP_CLI_RUNNER_H

#include "cli/input.h"
#include "cli/json.h"
#include "cli/program.h"

typedef struct RunnerOptions {
    InputReading reading;
    ExecPlan plan;
    int threads;   /* 0: as many as there are cores */
    int precision; /* decimals of floats; negative: in full */
    bool json, stats;
    bool named; /* every result with its name (--all) */
} RunnerOptions;

/* What gives the s-ops' values instead of the interpreter. */
typedef struct Machine {
    void *self;
    /* The columns, one an s-op, in `arena`; NULL, and one line in `error`. */
    const Column **(*run)(void *self, const Input *input, Arena *arena, char *error, size_t size);
    /* Further members of the JSON object of s-op k. */
    void (*json)(void *self, size_t k, Json *json);
} Machine;

typedef struct Runner {
    Program *program;
    const RunnerOptions *options;
    const Sop *sops;
    size_t sop_count;
    const Machine *machine; /* NULL: the interpreter */
    size_t inputs;          /* run so far */
    bool failed;            /* one at least */
    bool interrupted;
} Runner;

/* The inputs of a command line, with progress on a terminal: "-", or none at all, is standard
 * input, an input a line; CR before the newline is dropped.  The exit status. */
int runner_run_all(Runner *runner, char **inputs, int count);

#endif
