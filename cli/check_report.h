/* check_report.h: what `rasp check` prints. */
#ifndef RASP_CLI_CHECK_REPORT_H
#define RASP_CLI_CHECK_REPORT_H

#include "cli/program.h"
#include "compile/check.h"

typedef struct CheckView {
    Program *program;
    const Domain *domain;
    const Model *model;
    const CheckReport *report;
    const RunOptions *runs; /* of several, a table of temperatures is printed */
    size_t run_count;
    uint64_t seed;
    double certified; /* negative: not known */
    double seconds;
} CheckView;

void check_print(const CheckView *view);
void check_print_json(const CheckView *view);

#endif
