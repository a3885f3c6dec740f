/* weights.h: weights files on the command line: recognised by what they hold, and the program
 * that they embed. */
#ifndef RASP_CLI_WEIGHTS_H
#define RASP_CLI_WEIGHTS_H

#include "cli/program.h"
#include "compile/record.h"

/* Does the file begin as a safetensors file does?  (A text has no NUL bytes.) */
bool weights_recognised(const char *path);

/* NULL after a message. */
Model *weights_load(const char *path);

/* As program_with, for the program that the model embeds, the files it loads included; they
 * are laid out in a temporary folder while it is loaded.  `path` is the weights file's, for
 * messages.  The record lives with the program, its texts with the model. */
typedef int EmbeddedBody(Program *program, const Record *record, void *context);
int weights_with_program(const Model *model, const char *path, size_t memory, EmbeddedBody *body,
                         void *context);

#endif
