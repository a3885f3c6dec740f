/* claims.h: what a weights file claims of its pieces, for people. */
#ifndef RASP_CLI_CLAIMS_H
#define RASP_CLI_CLAIMS_H

#include "api/rasp.h"

#include <jansson.h>

/* `claims`: as the file has them, whatever a stranger wrote there. */
void claims_print(const json_t *claims, const RaspModelInfo *model);

#endif
