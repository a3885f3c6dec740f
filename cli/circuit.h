/* circuit.h: the circuit file, `rasp compile --circuit FILE`: docs/circuit.md. */
#ifndef RASP_CLI_CIRCUIT_H
#define RASP_CLI_CIRCUIT_H

#include "api/rasp.h"

/* Writes the model's circuit as JSON; "-": to standard output.  An exit status, after a message. */
int circuit_save(RaspModel *model, const char *path);

#endif
