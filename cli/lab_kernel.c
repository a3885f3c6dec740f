/* `rasp lab kernel`: weights of a row of scores. */
#include "cli/command.h"

#include "cli/lab_command.h"
#include "cli/lab_output.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct KernelArguments {
    LabOptions lab;
    KernelQuestion question;
    double *scores; /* malloc'd */
} KernelArguments;

enum { KEY_SCORES = OPTION_OWN_KEYS, KEY_RULE, MOST_KEYS = 1 << 30 };

static const struct argp_option options[] = {
    {"scores", KEY_SCORES, "LIST", 0, "numbers, e.g. '[2, 1, 0]'; null: masked", 1},
    {"rule", KEY_RULE, "RULE", 0,
     "softmax (default), hard-left, hard-right, average, sparsemax, entmax15, entmax:ALPHA (any "
     "above 1, as in entmax:1.3), top-k:K (softmax of the K largest scores, as in top-k:4) or "
     "unnormalised",
     1},
    OPTION_TEMPERATURE("T", "what scores are divided by (default: 1)", 1),
    OPTIONS_LAB,
    {0},
};

static const char help[] =
    "The weights that a rule gives to a row of scores: with their entropy, the effective number of "
    "keys, their derivative by the scores, and pictures.\v"
    "Example:\n"
    "  rasp lab kernel --scores '[2, 1, 0]' --rule entmax15 --temperature 0.5";

/* One number or null; the rest of the text, or NULL. */
static const char *read_score(const char *text, double *score) {
    char *end;
    if (strncmp(text, "null", 4) == 0) {
        *score = -INFINITY;
        return text + 4;
    }
    *score = strtod(text, &end);
    return end == text || !(isfinite(*score) || *score == -INFINITY) ? NULL : end;
}

static void read_scores(struct argp_state *state, KernelArguments *a, const char *text) {
    size_t count = 0, room = 0;
    const char *at = text + strspn(text, " [");
    bool seen = false;
    while (*at && *at != ']') {
        if (count == room) {
            room = room ? 2 * room : 64;
            a->scores = realloc(a->scores, room * sizeof *a->scores);
            if (!a->scores) argp_failure(state, EXIT_FAILED, 0, "out of memory");
        }
        const char *end = read_score(at, &a->scores[count]);
        if (!end)
            argp_error(state, "--scores expects numbers such as '[2, 1, 0]', found '%.20s'", at);
        seen |= isfinite(a->scores[count++]);
        at = end + strspn(end, " ,\t\n");
    }
    at += strspn(at, "] \n");
    if (*at) argp_error(state, "--scores expects one list of numbers, found '%.20s' behind it", at);
    if (!seen) argp_error(state, "--scores expects at least one number, found '%.20s'", text);
    a->question.scores = a->scores;
    a->question.count = count;
}

static const char *rule_name(int k) {
    return k < KERNEL_COUNT ? kernel_infos[k].name : NULL;
}

/* What the runtime's rule of that name takes: the two have the same names. */
static RaspRuleParameter rule_parameter(int kernel) {
    for (int k = 0; rasp_rule_name(k); k++)
        if (strcmp(rasp_rule_name(k), kernel_infos[kernel].name) == 0)
            return rasp_rule_parameter((RaspRule)k);
    return (RaspRuleParameter){0};
}

static void read_rule(struct argp_state *state, Kernel *kernel, const char *text) {
    double number;
    kernel->kind =
        (KernelKind)option_parameter(state, "--rule", text, rule_name, rule_parameter, &number);
    kernel->alpha = number;
    kernel->k = number < MOST_KEYS ? (size_t)number : MOST_KEYS;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    KernelArguments *a = state->input;
    Kernel *kernel = &a->question.kernel;
    switch (key) {
    case KEY_SCORES:
        read_scores(state, a, text);
        return 0;
    case KEY_RULE:
        read_rule(state, kernel, text);
        return 0;
    case OPTION_KEY_TEMPERATURE:
        kernel->temperature = option_positive(state, "--temperature", text);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "expected no argument, found '%s'", text);
        return 0;
    case ARGP_KEY_END:
        if (!a->scores) argp_error(state, "what scores?  For example --scores '[2, 1, 0]'");
        return lab_option(key, text, state, &a->lab);
    default:
        return lab_option(key, text, state, &a->lab);
    }
}

int lab_kernel(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "", .doc = help};
    KernelArguments a = {.lab = lab_options(argc, argv),
                         .question = {.kernel = {.temperature = 1}}};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    const char *title = kernel_infos[a.question.kernel.kind].name;
    int status = lab_measure(&a.lab, title, ask_kernel, &a.question);
    free(a.scores);
    return status;
}
