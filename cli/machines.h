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
} Interpreter;

Machine interpreter_machine(Interpreter *interpreter);

typedef struct Transformer {
    RaspEngine *engine;
    const size_t *outputs; /* of the model, the chosen ones */
} Transformer;

Machine transformer_machine(Transformer *transformer);

#endif
