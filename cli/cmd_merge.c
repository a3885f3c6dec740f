/* `rasp merge FILE…`: the pieces of a run as the report of one machine. */
#include "cli/command.h"

#include "cli/merge.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct Arguments {
    MergeOptions merge;
    char **paths;
    size_t count;
} Arguments;

static const struct argp_option options[] = {
    OPTION_JSON("the report as --json of the whole run prints it", 1),
    {"output", 'o', "FILE", 0, "of an atlas: write the document there", 1},
    {0},
};

static const char help[] =
    "Join the pieces of a run that was split by --shard K/N (of rasp check, rasp express --atlas "
    "and the test campaigns) into the report that one machine would have printed.\v"
    "A FILE holds one piece, or several one after the other; - is standard input.  Their order "
    "does not matter, nor does a piece that is there twice.  Pieces of another run are refused, "
    "with what is different.  Where pieces are missing, or were stopped before their end, the "
    "report says which, and the exit status is 70.  The time in a report is that of all pieces "
    "together.\n\n"
    "Examples:\n"
    "  rasp check sort --shard 2/3 > piece.2\n"
    "  rasp merge piece.1 piece.2 piece.3\n"
    "  parallel rasp check sort --shard {}/8 ::: $(seq 8) | rasp merge -";

static error_t parse(int key, char *text, struct argp_state *state) {
    Arguments *a = state->input;
    switch (key) {
    case OPTION_KEY_JSON:
        a->merge.json = true;
        return 0;
    case 'o':
        a->merge.output = text;
        return 0;
    case ARGP_KEY_ARGS:
        a->paths = state->argv + state->next;
        a->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected the FILEs that hold the pieces");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- each kind -------------------------------------------------------------------------- */

typedef struct Kind {
    const char *name;
    Merge *merge;
} Kind;

static const Kind kinds[] = {
    {"check", merge_check},
    {"against", merge_against},
    {"atlas", merge_atlas},
    {"tally", merge_tally},
};

static int join(const Pieces *p, const Arguments *a) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, p->kind) == 0) {
            pieces_warn(p);
            return kinds[k].merge(p, &a->merge);
        }
    report_error("expected pieces of a check, an atlas or a campaign, found '%s'", p->kind);
    return EXIT_WRONG_PROGRAM;
}

int cmd_merge(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "FILE...", .doc = help};
    Arguments arguments = {0};
    Pieces pieces;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    int status = pieces_read(&pieces, arguments.paths, arguments.count);
    if (status == EXIT_FINE) status = join(&pieces, &arguments);
    pieces_free(&pieces);
    return status;
}
