/* lab_output.h: what `rasp lab` and its own subcommands have in common: options and outputs.
 *
 * A subcommand is a row of the table in cmd_lab.c and a function of lab_command.h: its options have
 * OPTIONS_LAB, its parser hands on to lab_option, and what it measures is a Measurement (lab/lab.h)
 * run by lab_measure, which prints its page as text, --json or --tsv and writes -o. */
#ifndef RASP_CLI_LAB_OUTPUT_H
#define RASP_CLI_LAB_OUTPUT_H

#include "cli/options.h"
#include "lab/lab.h"

typedef struct LabOptions {
    Common common; /* json, memory, threads */
    bool tsv, quick;
    const char *folder;  /* NULL: none */
    const char *command; /* the command line, for the report */
    uint64_t seed;
} LabOptions;

enum { LAB_KEY_SEED = OPTION_OWN_KEYS + 0x40, LAB_KEY_TSV };

/* clang-format off */
#define OPTIONS_LAB \
    OPTION_JSON("one object a line: all that was found, tables and pictures as numbers", 4), \
    {"tsv", LAB_KEY_TSV, NULL, 0, "one line a check, columns separated by tabs", 4}, \
    {"output", 'o', "DIR", 0, \
     "write report.html, a page that needs nothing from outside, each picture as SVG, and models " \
     "that were trained as weights files", 4}, \
    {"seed", LAB_KEY_SEED, "N", 0, "seed of the random numbers (default: 1)", 5}, \
    OPTION_MEMORY
/* clang-format on */

/* What parsing starts from. */
LabOptions lab_options(int argc, char **argv);
/* Takes OPTIONS_LAB; other keys are unknown. */
error_t lab_option(int key, char *text, struct argp_state *state, LabOptions *options);

/* As --threads says, else one a core. */
int lab_threads(const LabOptions *options);

/* Work with a notebook, which then goes into the folder of -o; exit statuses. */
typedef int LabWork(Notebook *notebook, void *context);
int lab_run(const LabOptions *options, const NotebookOptions *notebook_options, const char *title,
            LabWork *work, void *context);
/* A subcommand's one measurement. */
int lab_measure(const LabOptions *options, const char *title, Measurement *measure, void *context);

/* --- lab_print.c: outcomes on standard output ----------------------------------------------------
 */

typedef enum LabForm { LAB_ROWS, LAB_PAGES, LAB_JSON, LAB_TSV } LabForm;

/* The form that options ask for: pages or the scoreboard when it is text. */
LabForm lab_form(const LabOptions *options, bool pages);

/* Before the first outcome, for each as it comes, after the last. */
void lab_print_head(LabForm form);
void lab_print_outcome(LabForm form, const Outcome *outcome);
void lab_print_foot(LabForm form, const Notebook *notebook, size_t wanted);

/* --- lab_folder.c: -o
 * ----------------------------------------------------------------------------- */

/* Before measuring, so that nothing is measured in vain; false after a message. */
bool lab_make_folder(const char *folder);
bool lab_write_folder(const char *folder, const Notebook *notebook, const char *title,
                      const char *command);
/* The arguments as somebody would type them. */
const char *lab_command_line(int argc, char **argv);

/* Columns of the terminal; 100 when there is none. */
int lab_width(void);

#endif
