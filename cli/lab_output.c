#include "cli/lab_output.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

LabOptions lab_options(int argc, char **argv) {
    return (LabOptions){
        .common = {.kind = NULL}, .seed = 1, .command = lab_command_line(argc, argv)};
}

static uint64_t seed_of(struct argp_state *state, const char *text) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        argp_error(state, "--seed expects a whole number of at least 0, found '%s'", text);
    return value;
}

error_t lab_option(int key, char *text, struct argp_state *state, LabOptions *options) {
    switch (key) {
    case LAB_KEY_SEED:
        options->seed = seed_of(state, text);
        return 0;
    case LAB_KEY_TSV:
        options->tsv = true;
        return 0;
    case 'o':
        options->folder = text;
        return 0;
    case ARGP_KEY_END:
        if (options->tsv && options->common.json)
            argp_error(state, "--json and --tsv exclude one another");
        return 0;
    default:
        return option_common(key, text, state, &options->common);
    }
}

LabForm lab_form(const LabOptions *options, bool pages) {
    if (options->common.json) return LAB_JSON;
    if (options->tsv) return LAB_TSV;
    return pages ? LAB_PAGES : LAB_ROWS;
}

int lab_threads(const LabOptions *options) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return options->common.threads ? options->common.threads : cores > 0 ? (int)cores : 1;
}

int lab_run(const LabOptions *options, const NotebookOptions *notebook_options, const char *title,
            LabWork *work, void *context) {
    Budget budget;
    BudgetGuard guard;
    volatile int status = EXIT_FAILED;
    if (options->folder && !lab_make_folder(options->folder)) return EXIT_FAILED;
    budget_init(&budget, options->common.memory);
    budget.cancel = stop_catch();
    stop_catch_termination();
    if (BUDGET_ENTER(&budget, &guard)) {
        Notebook *notebook = notebook_new(&budget, notebook_options);
        progress_start();
        status = work(notebook, context);
        progress_end();
        stop_clear(); /* what was found is written all the same */
        if (options->folder &&
            !lab_write_folder(options->folder, notebook, title, options->command))
            status = EXIT_FAILED;
        budget_leave(&budget, &guard);
        notebook_free(notebook);
    } else {
        report_error("out of memory");
    }
    return status;
}

/* --- a subcommand's one measurement ----------------------------------------------------------- */

typedef struct Single {
    const LabOptions *options;
    const char *title;
    Measurement *measure;
    void *context;
} Single;

static int measure_single(Notebook *notebook, void *context) {
    const Single *s = context;
    const Outcome *outcome = notebook_run(notebook, s->title, s->measure, s->context);
    LabForm form = lab_form(s->options, true);
    progress_hide();
    lab_print_head(form);
    lab_print_outcome(form, outcome);
    if (outcome->ending == OUT_OF_MEMORY) report_error("out of memory");
    return outcome->ending == INTERRUPTED ? EXIT_INTERRUPTED
           : outcome->ending != ENDED     ? EXIT_FAILED
           : outcome_holds(outcome)       ? EXIT_FINE
                                          : EXIT_DISAGREE;
}

int lab_measure(const LabOptions *options, const char *title, Measurement *measure, void *context) {
    NotebookOptions notebook_options = {
        .seed = options->seed, .quick = options->quick, .threads = lab_threads(options)};
    return lab_run(options, &notebook_options, title, measure_single,
                   &(Single){options, title, measure, context});
}
