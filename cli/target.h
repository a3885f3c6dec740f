/* target.h: what a program is compiled for: alphabet, length, domain, options of the compiler.
 *
 * They come from the command line, then from the program's magic comment
 *     # rasp: alphabet=abc max-length=16 first=a where=balanced
 * then from defaults (a to z, 16); or all of them from a weights file (record.h).
 */
#ifndef RASP_CLI_TARGET_H
#define RASP_CLI_TARGET_H

#include "cli/program.h"
#include "compile/record.h"

#include <argp.h>

/* What the command line says; NULL and 0: nothing. */
typedef struct TargetOptions {
    const char *alphabet, *first, *where;
    uint32_t max_length, table_limit;
    CompileDtype dtype;
    MaskRule masks;
    CompileLayout layout;
    bool log_length;
    double tolerance;
    double time_limit; /* seconds */
    bool given;        /* any of them but the time limit */
} TargetOptions;

/* An argp child; input: TargetOptions. */
extern const struct argp target_options;

typedef struct Target {
    Record record; /* with CompileOptions complete */
    CompileOutput *outputs;
    uint32_t output_count;
    double time_limit;
} Target;

/* Exit statuses, after a message if not EXIT_FINE.  Everything lives with the program. */
int target_choose(Program *program, const SopChoice *choice, const TargetOptions *options,
                  Target *target);
/* The program is the record's own. */
int target_recall(Program *program, const Record *record, Target *target);

/* Compiles, with progress on a terminal.  `compiled` outlives the program's guard, from which
 * a stop may jump: its owner calls compiled_clear and model_free in any case. */
int target_compile(Program *program, const Target *target, Arena *arena, Compiled *compiled,
                   double *seconds);

#endif
