/* target.h: the options that say what a program is compiled for. */
#ifndef RASP_CLI_TARGET_H
#define RASP_CLI_TARGET_H

#include "cli/program.h"

#include <argp.h>

typedef struct TargetOptions {
    RaspTarget target;
    bool given; /* any of them but the time limit */
} TargetOptions;

/* An argp child; input: TargetOptions. */
extern const struct argp target_options;

/* Compiles, with progress on a terminal.  An exit status, after a message if not EXIT_FINE. */
int target_compile(const Program *program, const RaspSop *sops, size_t count,
                   const RaspTarget *target, RaspModel **model);

#endif
