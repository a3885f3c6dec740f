/* options.h: what several subcommands take on the command line, declared once.
 *
 * The arguments of a subcommand begin with Common; its table has the rows it takes, in the
 * groups of its own --help,
 *
 *     static const struct argp_option options[] = {
 *         OPTIONS_SOP, OPTION_JSON("one object a line: sop, layers, heads, path", 3),
 *         OPTION_MEMORY, {0}};
 *
 * and its parser is option_parse, or one that hands to option_common what it does not know.
 */
#ifndef RASP_CLI_OPTIONS_H
#define RASP_CLI_OPTIONS_H

#include "base/shard.h"
#include "cli/program.h"

#include <argp.h>

/* The one argument of a subcommand: what its kind is called, and what is said without it. */
typedef struct ArgumentKind {
    const char *name, *missing;
} ArgumentKind;
extern const ArgumentKind program_argument, weights_argument;

typedef struct Common {
    const ArgumentKind *kind; /* set before parsing; NULL: arguments are the parser's own */
    const char *argument;
    SopChoice choice;  /* `names` is malloc'd; free it in the end */
    RaspForm form;     /* of inputs */
    size_t memory;     /* 0: not given; "none": SIZE_MAX */
    int threads;       /* 0: not given */
    double time_limit; /* CPU seconds; 0: not given */
    bool json;
} Common;

/* Beside --expr, which needs no PROGRAM, the first operand is one only if there is such a program,
 * in every subcommand that takes --expr; then it is an INPUT, where inputs are taken. */
bool option_names_program(const Common *common, const char *operand);
/* Fails, as the kind of argument says, if there is neither an argument nor --expr. */
void option_need_argument(struct argp_state *state, const Common *common);

/* The rows' keys; then those of a subcommand, of target.c and of run_weights.c. */
enum {
    OPTION_KEY_SOP = 0x100,
    OPTION_KEY_EXPR,
    OPTION_KEY_ALL,
    OPTION_KEY_STRING,
    OPTION_KEY_LIST,
    OPTION_KEY_MEMORY,
    OPTION_KEY_JSON,
    OPTION_KEY_THREADS,
    OPTION_KEY_TIME,
    OPTION_KEY_WEIGHTS,
    OPTION_KEY_TEMPERATURE,
    OPTION_KEY_SHARD,
    OPTION_OWN_KEYS = 0x200,
    OPTION_TARGET_KEYS = 0x300,
    OPTION_WEIGHTS_KEYS = 0x400
};

/* clang-format off */
#define OPTIONS_SOP \
    {"sop", OPTION_KEY_SOP, "NAME", 0, \
     "the s-op of that name (default: the one assigned last)", 1}, \
    {"expr", OPTION_KEY_EXPR, "EXPRESSION", 0, \
     "what the expression gives, e.g. 'sort(tokens, tokens)'; needs no PROGRAM", 1}, \
    {"all", OPTION_KEY_ALL, NULL, 0, "every public s-op of the program", 1}
#define OPTIONS_FORM(input) \
    {"string", OPTION_KEY_STRING, NULL, 0, "read " input " as a string, one token a character", \
     2}, \
    {"list", OPTION_KEY_LIST, NULL, 0, \
     "read " input " as a list, e.g. '[3, 1, 2]' or '[\"hi\", \"you\"]'", 2}
#define OPTION_MEMORY \
    {"max-memory", OPTION_KEY_MEMORY, "SIZE", 0, \
     "memory to use at most, e.g. 500M, 16G or none (default: 4G)", 8}
#define OPTION_TIME \
    {"time-limit", OPTION_KEY_TIME, "SECONDS", 0, \
     "give up a program, or an input, after so much CPU time (default: none for programs, 600 " \
     "for what a weights file embeds)", 8}
#define OPTION_JSON(what, group) \
    {"json", OPTION_KEY_JSON, NULL, 0, what, group}
#define OPTION_THREADS(group) \
    {"threads", OPTION_KEY_THREADS, "N", 0, "threads to use (default: one a core)", group}

/* These the parser takes itself: option_rule, option_positive, option_shard. */
#define OPTION_WEIGHTS(group) \
    {"weights", OPTION_KEY_WEIGHTS, "RULE", 0, \
     "how scores become weights: softmax (default; the kernel of a file compiled for another), " \
     "hard-left, hard-right, average, sparsemax, entmax15, entmax:ALPHA (any above 1, as in " \
     "entmax:1.3) or top-k:K (softmax of the K largest scores, as in top-k:4)", group}, \
    {"rule", 0, NULL, OPTION_ALIAS, NULL, group}
#define OPTION_TEMPERATURE(value, what, group) \
    {"temperature", OPTION_KEY_TEMPERATURE, value, 0, what, group}
#define OPTION_SHARD(what, group) \
    {"shard", OPTION_KEY_SHARD, "K/N", 0, "the K-th of N pieces, as JSON; rasp merge joins " what, \
     group}
/* clang-format on */

/* For the parser's default: takes the rows above and the argument (not a second one, not
 * none); other keys are unknown. */
error_t option_common(int key, char *text, struct argp_state *state, Common *common);
/* A parser for subcommands that take nothing else; input: Common. */
error_t option_parse(int key, char *text, struct argp_state *state);

/* Values of options; wrong use ends the process with a message.  A whole number of at least
 * `least`; a number greater than 0; the index of one of the words, which end with NULL. */
long option_number(struct argp_state *state, const char *option, const char *text, long least);
double option_positive(struct argp_state *state, const char *option, const char *text);
int option_word(struct argp_state *state, const char *option, const char *text,
                const char *const *words);

/* The same where the library names the words: NULL behind the last. */
int option_named(struct argp_state *state, const char *option, const char *text,
                 const char *(*word)(int k));

/* "3/8"; a command that says it writes JSON, and so are its errors. */
Shard option_shard(struct argp_state *state, const char *text);

/* The same with a number behind some of the words, as in top-k:4; 0 behind the others. */
int option_parameter(struct argp_state *state, const char *option, const char *text,
                     const char *(*word)(int k), RaspRuleParameter (*parameter)(int k),
                     double *number);

typedef struct RuleOption {
    RaspRule rule;
    double parameter;
} RuleOption;
RuleOption option_rule(struct argp_state *state, const char *text);
/* One that a model can be compiled for. */
RaspRule option_kernel(struct argp_state *state, const char *text);
/* Refuses --temperature beside a rule that has none. */
void option_temperature_fits(struct argp_state *state, RaspRule rule);

#endif
