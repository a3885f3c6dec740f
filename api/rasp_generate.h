/* rasp_generate.h: random programs that look like ones people write: named steps, each of them
 * read, of a given number of attention layers.
 *
 *     RaspRandomOptions options = {.seed = 7, .layers = 2};
 *     char *text = rasp_random_program(&options, NULL, NULL, &error);      then rasp_free(text)
 */
#ifndef RASP_GENERATE_H
#define RASP_GENERATE_H

#include "rasp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All zero is fine. */
typedef struct RaspRandomOptions {
    uint64_t seed;
    uint32_t layers;   /* attention layers that the program needs, exactly; 0: 2 */
    uint32_t heads;    /* heads, as rasp_program_layers counts them, exactly; 0: any number */
    uint32_t steps;    /* most statements; 0: 4 and 4 a layer */
    RaspTarget target; /* its inputs; by default the alphabet abcd, and length 8 */
} RaspRandomOptions;

enum { RASP_RANDOM_LAYERS = 16, RASP_RANDOM_HEADS = 32 }; /* the most */

typedef struct RaspRandomInfo {
    uint32_t layers, heads, steps;
    uint64_t behaviour; /* a hash of its outputs on inputs of the target, the same for a target: of
                           two programs with different hashes, outputs differ on some input */
    uint32_t tries;     /* drawn before it */
} RaspRandomInfo;

/* A program's text, with a magic comment that says the target's alphabet and length; for rasp_free.
 * Its result is the last s-op.  It fails on none of the inputs that were tried (all up to some
 * length, and longer ones), its result depends on the tokens, no step is constant, and no two are
 * equal on all of them.  The same options and version give the same program.  `config` and `info`
 * may be NULL.  NULL: the options, or nothing was found. */
RASP_API char *rasp_random_program(const RaspRandomOptions *options, const RaspConfig *config,
                                   RaspRandomInfo *info, RaspError *error);

#ifdef __cplusplus
}
#endif

#endif
