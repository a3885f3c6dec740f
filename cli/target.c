#include "cli/target.h"

#include "cli/command.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"

enum {
    KEY_ALPHABET = OPTION_TARGET_KEYS,
    KEY_LENGTH,
    KEY_FIRST,
    KEY_WHERE,
    KEY_DTYPE,
    KEY_MASK,
    KEY_LAYOUT,
    KEY_LOG_LENGTH,
    KEY_KERNEL,
    KEY_PARTIAL,
    KEY_TOLERANCE,
    KEY_TABLE_LIMIT,
    KEY_TIME_LIMIT
};

static const struct argp_option table[] = {
    {"alphabet", KEY_ALPHABET, "TOKENS", 0,
     "the tokens of inputs: a string, each character a token; a list such as '[1, 2]' or "
     "'[\"hi\", \"you\"]'; or @FILE, a token a line (default: the program's magic comment, then "
     "a to z)",
     3},
    {"max-length", KEY_LENGTH, "N", 0, "the longest input (default: the comment, then 16)", 3},
    {"first", KEY_FIRST, "TOKEN", 0, "inputs start with this token", 3},
    {"where", KEY_WHERE, "SOP", 0, "inputs are those on which this s-op is true everywhere", 3},
    {"partial", KEY_PARTIAL, NULL, 0,
     "there may be inputs on which the program fails: the model says which they are", 3},
    {"dtype", KEY_DTYPE, "TYPE", 0, "f32, f64, or auto: the smaller that can be certified", 4},
    {"mask", KEY_MASK, "MASKS", 0, "per-head, none (a plain encoder) or causal (a plain decoder)",
     4},
    {"layout", KEY_LAYOUT, "LAYOUT", 0,
     "compact, or standard: one feed-forward sublayer a layer, heads of one size", 4},
    {"log-length-scaling", KEY_LOG_LENGTH, NULL, 0, "scale scores by ln(n+1) at run time", 4},
    {"kernel", KEY_KERNEL, "RULE", 0,
     "softmax (default), or sparsemax or entmax15, under which keys that are not selected have "
     "weight 0, exactly, whatever the length",
     4},
    {"tolerance", KEY_TOLERANCE, "ERROR", 0, "the greatest certified error to accept", 4},
    {"table-limit", KEY_TABLE_LIMIT, "N", 0,
     "most values of one s-op, and rows of one table: 2 to 10^9 (default: 1048576)", 7},
    {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0, "give up compiling after so much CPU time", 7},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    TargetOptions *given = state->input;
    RaspTarget *o = &given->target;
    if (key > KEY_ALPHABET - 1 && key < KEY_TIME_LIMIT) given->given = true;
    switch (key) {
    case KEY_ALPHABET:
        o->alphabet = text;
        return 0;
    case KEY_LENGTH:
        o->max_length = (uint32_t)option_number(state, "--max-length", text, 1);
        if (o->max_length > RASP_LONGEST)
            argp_error(state, "--max-length expects at most %d, found '%s'", RASP_LONGEST, text);
        return 0;
    case KEY_FIRST:
        o->first = text;
        return 0;
    case KEY_WHERE:
        o->where = text;
        return 0;
    case KEY_DTYPE:
        o->dtype = (RaspDtype)option_named(state, "--dtype", text, rasp_dtype_name);
        return 0;
    case KEY_MASK:
        o->masks = (RaspMasks)option_named(state, "--mask", text, rasp_masks_name);
        return 0;
    case KEY_LAYOUT:
        o->layout = (RaspLayout)option_named(state, "--layout", text, rasp_layout_name);
        return 0;
    case KEY_LOG_LENGTH:
        o->log_length = true;
        return 0;
    case KEY_KERNEL:
        o->kernel = option_kernel(state, text);
        return 0;
    case KEY_PARTIAL:
        o->partial = true;
        return 0;
    case KEY_TOLERANCE:
        o->tolerance = option_positive(state, "--tolerance", text);
        return 0;
    case KEY_TABLE_LIMIT:
        o->table_limit = (uint32_t)option_number(state, "--table-limit", text, 2);
        return 0;
    case KEY_TIME_LIMIT:
        o->time_limit = option_positive(state, "--time-limit", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp target_options = {.options = table, .parser = parse};

int target_compile(const Program *p, const RaspSop *sops, size_t count, const RaspTarget *target,
                   RaspModel **model) {
    RaspError error;
    progress_start();
    *model = rasp_compile(p->handle, sops, count, target, &error);
    progress_end();
    return *model ? EXIT_FINE : report_failure(&error);
}
