/* view_data.h: what a page of `rasp view` shows, as the JSON that show/view/main.js reads.
 *
 * One object: the sizes and the alphabet, `sources` (texts), `outputs`, `layers` (what heads are
 * besides weights), `circuit` (what the parts are for: lists as in docs/circuit.md, with the keys
 * that names are made of), `inputs` (token numbers, and the interpreter's answers) and `weights`:
 * the tensors of docs/weights.md by name, each as `shape`, `gaps` and `values` of its entries that
 * are not zero; or null, and `left_out` says why. */
#ifndef RASP_CLI_VIEW_DATA_H
#define RASP_CLI_VIEW_DATA_H

#include "api/rasp_circuit.h"
#include "cli/json.h"

#include <jansson.h>

enum {
    VIEW_POSITIONS = 64,   /* of an input that a page shows */
    VIEW_WEIGHTS = 10000,  /* not zero, that a page carries */
    VIEW_ALPHABET = 10000, /* tokens */
};

/* An input that the page is made with. */
typedef struct ViewInput {
    const size_t *ids; /* of the alphabet */
    size_t length;
    const RaspSequence **answers; /* the interpreter's, one an output; NULL: there is none */
} ViewInput;

typedef struct ViewData {
    const RaspModelInfo *info;
    const RaspCircuit *circuit;   /* NULL: not known */
    json_t *header, *document;    /* of the file, and the model's within it */
    const unsigned char *tensors; /* the rest of the file */
    const ViewInput *inputs;
    size_t input_count;
} ViewData;

/* Reads what the library wrote (rasp_model_bytes), which must stay; false: out of memory.  Close
 * it in either case. */
bool view_data_open(ViewData *data, const unsigned char *file);
void view_data_close(ViewData *data);

void view_data_write(FILE *out, const ViewData *data);

/* The member `weights`. */
void view_weights_write(Json *json, const ViewData *data);

#endif
