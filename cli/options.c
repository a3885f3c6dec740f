#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SOP = OPTION_KEYS, KEY_EXPR, KEY_ALL, KEY_MEMORY };

long option_number(struct argp_state *state, const char *option, const char *text, long least) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least || value > 1000000000)
        argp_error(state, "%s expects a whole number of at least %ld, found '%s'", option, least,
                   text);
    return value;
}

const ArgumentKind program_argument = {"PROGRAM",
                                       "expected a PROGRAM: a file or a bundled program's name"};
const ArgumentKind weights_argument = {
    "weights file", "expected a weights file ('rasp compile PROGRAM -o FILE' makes one)"};

error_t option_argument(int key, const char *text, struct argp_state *state,
                        const ArgumentKind *kind, const char **argument) {
    if (key == ARGP_KEY_NO_ARGS) {
        argp_error(state, "%s", kind->missing);
        return 0;
    }
    if (key != ARGP_KEY_ARG) return ARGP_ERR_UNKNOWN;
    if (*argument) argp_error(state, "expected one %s, found '%s' as well", kind->name, text);
    *argument = text;
    return 0;
}

/* --- s-ops ------------------------------------------------------------------------------ */

static const struct argp_option sop_table[] = {
    {"sop", KEY_SOP, "NAME", 0, "the s-op of that name (default: the one assigned last)", 1},
    {"expr", KEY_EXPR, "EXPRESSION", 0, "what the expression gives, e.g. 'sort(tokens, tokens)'",
     1},
    {"all", KEY_ALL, NULL, 0, "every public s-op of the program", 1},
    {0},
};

static void add_name(struct argp_state *state, SopChoice *choice, const char *name) {
    const char **names = realloc(choice->names, (choice->count + 1) * sizeof *names);
    if (!names) argp_failure(state, argp_err_exit_status, ENOMEM, "--sop");
    choice->names = names;
    choice->names[choice->count++] = name;
}

static error_t parse_sop(int key, char *text, struct argp_state *state) {
    SopChoice *choice = state->input;
    switch (key) {
    case KEY_SOP:
        add_name(state, choice, text);
        return 0;
    case KEY_EXPR:
        choice->expression = text;
        return 0;
    case KEY_ALL:
        choice->all = true;
        return 0;
    case ARGP_KEY_END:
        if ((choice->count > 0) + (choice->expression != NULL) + choice->all > 1)
            argp_error(state, "--sop, --expr and --all exclude one another");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp sop_options = {.options = sop_table, .parser = parse_sop};

/* --- memory ----------------------------------------------------------------------------- */

static const struct argp_option memory_table[] = {
    {"max-memory", KEY_MEMORY, "SIZE", 0,
     "memory to use at most, e.g. 500M, 16G or none (default: 4G)", 8},
    {0},
};

static size_t parse_size(struct argp_state *state, const char *text) {
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (strcmp(text, "none") == 0) return SIZE_MAX;
    if (end == text || *text == '-' || errno || (*end && (!unit || end[1])) || value == 0 ||
        value > SIZE_MAX >> shift)
        argp_error(state, "--max-memory expects a size such as 500M, 16G or none, found '%s'",
                   text);
    return (size_t)value << shift;
}

static error_t parse_memory(int key, char *text, struct argp_state *state) {
    if (key != KEY_MEMORY) return ARGP_ERR_UNKNOWN;
    *(size_t *)state->input = parse_size(state, text);
    return 0;
}

const struct argp memory_option = {.options = memory_table, .parser = parse_memory};
