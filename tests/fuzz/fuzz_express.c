/* Any bytes as a certificate: a verdict or a refusal that says why. */
#include "express/verify/verify.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ExpressVerdict verdict;
    RaspError error;
    RaspConfig config = {.memory = (size_t)256 << 20, .cpu_seconds = 2};
    bool holds = express_verify_text((const char *)data, size, "fuzz", &config, &verdict, &error);
    if (!holds != (error.text[0] != '\0') || (holds && !verdict.statement[0])) abort();
    return 0;
}
