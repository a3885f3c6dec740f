/* options.h: options that several subcommands take, as argp children.
 *
 *     struct argp_child children[] = {{&sop_options, 0, NULL, 0}, {&memory_option, 0, NULL, 0},
 * {0}};
 *
 * and, in the parser at ARGP_KEY_INIT, state->child_inputs[0] = &choice, and so on.
 */
#ifndef RASP_CLI_OPTIONS_H
#define RASP_CLI_OPTIONS_H

#include "cli/program.h"

#include <argp.h>

/* --sop, --expr, --all; input: SopChoice.  `names` is malloc'd; free it in the end. */
extern const struct argp sop_options;

/* --max-memory; input: size_t, left as it is without the option.  "none": SIZE_MAX. */
extern const struct argp memory_option;

/* A whole number of at least `least`; wrong use ends the process with a message. */
long option_number(struct argp_state *state, const char *option, const char *text, long least);

/* The one argument of a subcommand: what its kind is called, and what is said without it. */
typedef struct ArgumentKind {
    const char *name, *missing;
} ArgumentKind;
extern const ArgumentKind program_argument, weights_argument;

/* For the parser's default: takes the argument, refuses a second or none; other keys are
 * unknown. */
error_t option_argument(int key, const char *text, struct argp_state *state,
                        const ArgumentKind *kind, const char **argument);

/* Keys of long options without a letter begin here. */
enum {
    OPTION_KEYS = 0x100,
    OPTION_OWN_KEYS = 0x200,
    OPTION_TARGET_KEYS = 0x300,
    OPTION_WEIGHTS_KEYS = 0x400
};

#endif
