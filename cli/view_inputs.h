/* view_inputs.h: the inputs that a page of `rasp view` is made with: read, judged by the model,
 * run by the interpreter. */
#ifndef RASP_CLI_VIEW_INPUTS_H
#define RASP_CLI_VIEW_INPUTS_H

#include "cli/view_data.h"

typedef struct ViewInputs {
    RaspModel *model;
    char **texts;
    RaspForm form;
    size_t memory;   /* of the forward pass; 0: the usual */
    ViewInput *list; /* made; one a text */
    RaspRun **runs;
    size_t run_count;
} ViewInputs;

/* An exit status, after a message if not EXIT_FINE: of the first input that the model is not for,
 * or that is too long for a page. */
int view_inputs_run(ViewInputs *inputs, size_t count);
void view_inputs_free(ViewInputs *inputs);

#endif
