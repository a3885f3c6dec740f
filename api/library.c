/* The library as a whole. */
#include "api/rasp.h"

#include <stdlib.h>

const char *rasp_version(void) {
    return RASP_VERSION;
}

void rasp_free(void *memory) {
    free(memory);
}
