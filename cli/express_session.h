/* express_session.h: one task, decided for some classes, and what is printed and written of it. */
#ifndef RASP_CLI_EXPRESS_SESSION_H
#define RASP_CLI_EXPRESS_SESSION_H

#include "cli/options.h"
#include "express/decide.h"

#include <stdio.h>

enum { EXPRESS_CLASSES = 16, EXPRESS_HEADS = 16 };

typedef struct ExpressArguments {
    Common common;
    RaspTarget target;  /* the domain; max_length 0: some thousands of instances */
    const char *task;   /* a file, instead of the program; NULL: none */
    const char *output; /* the program that was found; NULL: not wanted */
    const char *certificate;
    Query queries[EXPRESS_CLASSES];
    unsigned query_count, heads, values; /* heads, values: 0 if not given */
    bool last, vary_values;
    double seconds;   /* for each class and length */
    uint32_t at_most; /* lengths, of whatever task; 0: no limit */
    FILE *lines;      /* the atlas: JSON lines go here, cells and report to standard output; NULL */
} ExpressArguments;

/* Fills the queries: all classes if none is given, and what they have not. */
void express_queries(ExpressArguments *arguments);

/* Exit statuses, after a message if not EXIT_FINE.  *certified, if not NULL: whether there was
 * something to certify; else that is an error. */
int express_session(ExpressArguments *arguments, bool *certified);

#endif
