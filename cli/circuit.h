/* circuit.h: the circuit file, `rasp compile --circuit FILE`: docs/circuit.md. */
#ifndef RASP_CLI_CIRCUIT_H
#define RASP_CLI_CIRCUIT_H

#include "api/rasp.h"

#include <stdio.h>

/* Writes the model's circuit as JSON, on several lines or on one.  An exit status, after a message.
 */
int circuit_write(RaspModel *model, FILE *out, bool lines);
/* The same to a file; "-": to standard output. */
int circuit_save(RaspModel *model, const char *path);

#endif
