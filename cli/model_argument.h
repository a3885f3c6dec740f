/* model_argument.h: the model a command is about: of a weights file, or of a program that is
 * compiled for it.  The file says itself what it was compiled from and for, so that options of the
 * compiler beside one are refused. */
#ifndef RASP_CLI_MODEL_ARGUMENT_H
#define RASP_CLI_MODEL_ARGUMENT_H

#include "cli/options.h"
#include "cli/target.h"

typedef struct ModelArgument {
    RaspModel *model;
    Program program;   /* of a weights file: none */
    const char *shown; /* the program's name, for reports */
    bool from_file;
} ModelArgument;

extern const ArgumentKind model_argument_kind; /* of commands that take nothing else */

/* Opens common->argument.  An exit status, after a message if it is not EXIT_FINE; to be closed in
 * any case. */
int model_argument_open(const Common *common, const TargetOptions *target, ModelArgument *subject);
void model_argument_close(ModelArgument *subject);

#endif
