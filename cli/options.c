#include "cli/options.h"

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/warnings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------- */

long option_number(struct argp_state *state, const char *option, const char *text, long least) {
    static const long most = 1000000000;
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool above = end > text && !*end && value > most;
    if (end == text || *end || errno || value < least || above)
        argp_error(state, "%s expects a whole number of at %s %ld, found '%s'", option,
                   above ? "most" : "least", above ? most : least, text);
    return value;
}

double option_positive(struct argp_state *state, const char *option, const char *text) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno || !(value > 0) || value - value != 0)
        argp_error(state, "%s expects a number greater than 0, found '%s'", option, text);
    return value;
}

int option_word(struct argp_state *state, const char *option, const char *text,
                const char *const *words) {
    char list[256] = "";
    int count = 0;
    for (; words[count]; count++)
        if (strcmp(words[count], text) == 0) return count;
    for (int k = 0; k < count; k++) {
        size_t length = strlen(list);
        const char *before = k == 0 ? "" : k + 1 < count ? ", " : " or ";
        snprintf(list + length, sizeof list - length, "%s'%s'", before, words[k]);
    }
    argp_error(state, "%s expects %s, found '%s'", option, list, text);
    return 0;
}

int option_named(struct argp_state *state, const char *option, const char *text,
                 const char *(*word)(int k)) {
    const char *words[32] = {0};
    for (int k = 0; k < 31 && word(k); k++) words[k] = word(k);
    return option_word(state, option, text, words);
}

/* What stands behind the word; 0 where nothing has to. */
static double read_parameter(struct argp_state *state, const char *option, const char *text,
                             const char *number, const char *word, RaspRuleParameter takes) {
    char *end = NULL;
    double value = number ? strtod(number, &end) : 0;
    bool whole = takes.whole, read = number && end > number && !*end;
    if (!takes.name) {
        if (number) argp_error(state, "%s %s takes no number, found '%s'", option, word, text);
        return 0;
    }
    bool fits = read && value - value == 0 &&
                (whole ? value >= takes.least && value == floor(value) : value > takes.least);
    if (!fits)
        argp_error(state, "%s %s expects a%s number %s %g behind a colon, as in %s:%g, found '%s'",
                   option, word, whole ? " whole" : "", whole ? "of at least" : "above",
                   takes.least, word, takes.example, text);
    return value;
}

int option_parameter(struct argp_state *state, const char *option, const char *text,
                     const char *(*word)(int k), RaspRuleParameter (*parameter)(int k),
                     double *number) {
    const char *shown[32] = {0};
    char examples[32][32];
    size_t length = strcspn(text, ":=");
    const char *behind = text[length] ? text + length + 1 : NULL;
    for (int k = 0; k < 31 && word(k); k++) {
        RaspRuleParameter takes = parameter(k);
        if (strlen(word(k)) == length && strncmp(word(k), text, length) == 0) {
            *number = read_parameter(state, option, text, behind, word(k), takes);
            return k;
        }
        snprintf(examples[k], sizeof examples[k], "%s:%g", word(k), takes.example);
        shown[k] = takes.name ? examples[k] : word(k);
    }
    return option_word(state, option, text, shown);
}

static RaspRuleParameter parameter_of(int k) {
    return rasp_rule_parameter((RaspRule)k);
}

RuleOption option_rule(struct argp_state *state, const char *text) {
    RuleOption o = {.parameter = 0};
    o.rule = (RaspRule)option_parameter(state, "--weights", text, rasp_rule_name, parameter_of,
                                        &o.parameter);
    return o;
}

Shard option_shard(struct argp_state *state, const char *text) {
    enum { MOST = 1000000 };
    unsigned number, of;
    int end = 0;
    errors_expect_json(true);
    if (sscanf(text, "%7u/%7u%n", &number, &of, &end) < 2 || text[end] || number < 1 ||
        number > of || of > MOST || text[strspn(text, "0123456789/")])
        argp_error(state, "--shard expects K/N, the K-th of N pieces, N at most %d, found '%s'",
                   MOST, text);
    return (Shard){number - 1, of};
}

RaspRule option_kernel(struct argp_state *state, const char *text) {
    const char *words[32] = {0};
    RaspRule rules[32];
    int count = 0;
    for (int k = 0; rasp_rule_name(k) && count < 31; k++) {
        if (!rasp_rule_is_kernel((RaspRule)k)) continue;
        rules[count] = (RaspRule)k;
        words[count++] = rasp_rule_name(k);
    }
    return rules[option_word(state, "--kernel", text, words)];
}

void option_temperature_fits(struct argp_state *state, RaspRule rule) {
    if (!rasp_rule_has_temperature(rule))
        argp_error(state, "--temperature goes with rules that have one: %s has none",
                   rasp_rule_name((int)rule));
}

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

/* --- s-ops and the argument ------------------------------------------------------------- */

static void add_name(struct argp_state *state, SopChoice *choice, const char *name) {
    const char **names = realloc(choice->names, (choice->count + 1) * sizeof *names);
    if (!names) argp_failure(state, argp_err_exit_status, ENOMEM, "--sop");
    choice->names = names;
    choice->names[choice->count++] = name;
}

static void check_choice(struct argp_state *state, const SopChoice *choice) {
    if ((choice->count > 0) + (choice->expression != NULL) + choice->all > 1)
        argp_error(state, "--sop, --expr and --all exclude one another");
}

const ArgumentKind program_argument = {"PROGRAM",
                                       "expected a PROGRAM: a file or a bundled program's name"};
const ArgumentKind weights_argument = {
    "weights file", "expected a weights file ('rasp compile PROGRAM -o FILE' makes one)"};

bool option_names_program(const Common *c, const char *operand) {
    if (!c->choice.expression) return true;
    return strcmp(operand, "-") != 0 && paths_has_program(command_arena(), operand);
}

void option_need_argument(struct argp_state *state, const Common *c) {
    if (!c->argument && !c->choice.expression) argp_error(state, "%s", c->kind->missing);
}

static void take_argument(struct argp_state *state, Common *c, const char *text) {
    if (c->argument) argp_error(state, "expected one %s, found '%s' as well", c->kind->name, text);
    c->argument = text;
}

/* --- all of them ------------------------------------------------------------------------ */

static error_t parse_argument(int key, char *text, struct argp_state *state, Common *c) {
    if (!c->kind || (key != ARGP_KEY_ARG && key != ARGP_KEY_NO_ARGS)) return ARGP_ERR_UNKNOWN;
    if (key == ARGP_KEY_ARG)
        take_argument(state, c, text);
    else
        option_need_argument(state, c);
    return 0;
}

error_t option_common(int key, char *text, struct argp_state *state, Common *c) {
    switch (key) {
    case OPTION_KEY_SOP:
        add_name(state, &c->choice, text);
        return 0;
    case OPTION_KEY_EXPR:
        c->choice.expression = text;
        return 0;
    case OPTION_KEY_ALL:
        c->choice.all = true;
        return 0;
    case OPTION_KEY_STRING:
        c->form = RASP_AS_STRING;
        return 0;
    case OPTION_KEY_LIST:
        c->form = RASP_AS_LIST;
        return 0;
    case OPTION_KEY_MEMORY:
        c->memory = parse_size(state, text);
        return 0;
    case OPTION_KEY_TIME:
        c->time_limit = option_positive(state, "--time-limit", text);
        return 0;
    case OPTION_KEY_JSON:
        c->json = true;
        return 0;
    case OPTION_KEY_THREADS:
        c->threads = (int)option_number(state, "--threads", text, 1);
        return 0;
    case ARGP_KEY_END:
        check_choice(state, &c->choice);
        return 0;
    default:
        return parse_argument(key, text, state, c);
    }
}

error_t option_parse(int key, char *text, struct argp_state *state) {
    return option_common(key, text, state, state->input);
}
