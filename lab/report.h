/* report.h: a notebook as one HTML file that needs nothing from outside: for each outcome the
 * claim, what was done, what was measured beside what was expected, pictures, tables, the verdict
 * and the caveat. Light and dark, and readable on a narrow screen. */
#ifndef RASP_LAB_REPORT_H
#define RASP_LAB_REPORT_H

#include "lab/notebook.h"

#include <stdio.h>

/* What the reader is told of the run. */
typedef struct ReportHead {
    const char *title;
    const char *command; /* that makes it again: "rasp lab heads --seed 1" */
    const char *version; /* of rasp */
} ReportHead;

void report_write(FILE *out, const Notebook *notebook, const ReportHead *head);

#endif
