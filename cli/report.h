/* report.h: messages to standard error, and what became of standard output. */
#ifndef RASP_CLI_REPORT_H
#define RASP_CLI_REPORT_H

#include "api/rasp.h"

/* "rasp: error: ..." and "rasp: note: ...". */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Until it is ended, nothing is said: faults are what a command compares. */
void report_silence(bool silence);

/* A configuration that sends messages about texts to standard error, ends on Ctrl-C and finds what
 * programs load as their own names are found; 0: the default memory. */
RaspConfig report_config(size_t memory);
/* Says what went wrong, unless that has been done; the exit status that it means. */
int report_failure(const RaspError *error);

/* Colours there?  (fd 1 or 2; NO_COLOR and TERM=dumb say no.) */
bool report_colour(int fd);

/* Ends standard output: the status to exit with.  What could not be written is reported,
 * but for a reader that has gone away. */
int report_output(int status);
/* Has writing to standard output failed?  Long output stops then. */
bool report_output_failed(void);

#endif
