/* machines.h: the two machines of a Runner (runner.h): a program run by the interpreter, and
 * weights run as a transformer. */
#ifndef RASP_CLI_MACHINES_H
#define RASP_CLI_MACHINES_H

#include "cli/runner.h"

typedef struct Interpreter {
    RaspProgram *program;
    const RaspSop *sops;
    size_t count;
    RaspRunOptions options;
    bool show; /* selections and intermediate s-ops, too */
    /* What runs now: an input by itself, or one of those that were run together. */
    RaspRun *run;
    RaspRuns *runs;
    long patience;   /* with runs for nothing */
    size_t next, at; /* in `runs`: the next input, and this one if there is no `run` */
} Interpreter;

Machine interpreter_machine(Interpreter *interpreter);

typedef struct Transformer {
    RaspEngine *engine;
    const size_t *outputs; /* of the model, the chosen ones */
    /* Passes that were run together, of which the next one, and which of them runs now. */
    RaspForward *passes[MACHINE_AHEAD];
    size_t count, next;
} Transformer;

Machine transformer_machine(Transformer *transformer);

#endif
