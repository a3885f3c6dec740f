/* run_generate.h: a decoder loop: the last output of a model is its next token.
 *
 * A Machine for the Runner (runner.h) whose values are the whole text: the input and what came of
 * it.  It ends after so many tokens, at the model's greatest length, or with an output that is no
 * token; what ended it before its time is a note.  Only for models that never look ahead, whose
 * outputs for an input stay what they are when it goes on: others are refused. */
#ifndef RASP_CLI_RUN_GENERATE_H
#define RASP_CLI_RUN_GENERATE_H

#include "cli/runner.h"

typedef struct Generator {
    RaspEngine *engine;
    const RaspModelInfo *info;
    size_t output;
    size_t most; /* tokens to add */
} Generator;

Machine generator_machine(Generator *generator);

#endif
