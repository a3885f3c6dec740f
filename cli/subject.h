/* subject.h: the model a command is about: of a weights file, or of a program that is compiled for
 * it.  The file says itself what it was compiled from and for, so that options of the compiler
 * beside one are refused. */
#ifndef RASP_CLI_SUBJECT_H
#define RASP_CLI_SUBJECT_H

#include "cli/options.h"
#include "cli/target.h"

typedef struct Subject {
    RaspModel *model;
    Program program;   /* of a weights file: none */
    const char *shown; /* the program's name, for reports */
    bool from_file;
} Subject;

extern const ArgumentKind subject_argument; /* of commands that take nothing else */

/* Opens common->argument.  An exit status, after a message if it is not EXIT_FINE; to be closed in
 * any case. */
int subject_open(const Common *common, const TargetOptions *target, Subject *subject);
void subject_close(Subject *subject);

#endif
