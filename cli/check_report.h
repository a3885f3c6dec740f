/* check_report.h: what `rasp check` prints. */
#ifndef RASP_CLI_CHECK_REPORT_H
#define RASP_CLI_CHECK_REPORT_H

#include "api/rasp_check.h"
#include "cli/piece.h"

typedef struct CheckView {
    const char *program; /* as reports call it */
    const RaspModelInfo *model;
    const RaspCheckReport *report; /* of several runs, a table of temperatures is printed */
    const RaspCheckOptions *options;
    double seconds;
    bool from_file;          /* what is certified is what a file says of itself */
    const RaspModel *handle; /* of `model`; for pieces */
    const Pieces *pieces;    /* that the report was joined from, some of which may be missing */
} CheckView;

void check_print(const CheckView *view);
void check_print_json(const CheckView *view);

#endif
