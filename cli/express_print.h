/* express_print.h: the answers of `rasp express` as text and as JSON. */
#ifndef RASP_CLI_EXPRESS_PRINT_H
#define RASP_CLI_EXPRESS_PRINT_H

#include "cli/json.h"
#include "express/decide.h"
#include "express/emit.h"

#include <stdio.h>

/* All that is known of one class. */
typedef struct ClassResult {
    Query query;
    Verdict *verdicts; /* [count], N = 1, 2, … */
    uint32_t count;
    const Emitted *emitted; /* the program of the last YES; NULL: none */
    bool interrupted;
} ClassResult;

/* "  average" padded, and one more cell. */
void express_print_head(const Task *task, const char *name, uint32_t longest, bool vary_values);
void express_print_name(const Query *query);
void express_print_cell(const Query *query, const Verdict *verdict);

/* The line that a reader can act on: the program found, and the shortest witness. */
void express_print_result(const Task *task, const ClassResult *result);

/* "aabb at 2 -> 1"; and as an object. */
const char *express_instance_text(const Task *task, uint32_t instance);
void express_json_instance(Json *json, const Task *task, uint32_t instance);

/* One object a line. */
void express_print_json(FILE *out, const Task *task, const ClassResult *result,
                        const Verdict *verdict);

#endif
