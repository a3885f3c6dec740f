/* compare.h: `rasp check A --against B`: two programs on the same inputs.
 *
 * The inputs are those of a target: options, then the magic comment of B, by which A is judged,
 * then that of A.  An error is a value: where both programs fail they agree. */
#ifndef RASP_CLI_COMPARE_H
#define RASP_CLI_COMPARE_H

#include "api/rasp_check.h"
#include "cli/program.h"

typedef struct Comparison {
    const Program *program[2]; /* A, B */
    RaspSop sop[2];
    const RaspTarget *target;
    const RaspCheckOptions *check; /* of it: seed, count, exhaustive_limit, shown, shard, seconds */
    bool json;
} Comparison;

/* Compares and prints; the exit status. */
int compare_programs(const Comparison *comparison);

#endif
