/* Any bytes as a certificate: a verdict or a refusal that says why. */
#include "express/verify/verify.h"
#include "tests/fuzz/fuzz.h"

enum { LONGEST = 20 }; /* CPU seconds */

static const RaspConfig config = {.memory = (size_t)256 << 20, .cpu_seconds = 2};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ExpressVerdict verdict;
    RaspError error;
    fuzz_limit(LONGEST);
    bool holds = express_verify_text((const char *)data, size, "fuzz", &config, &verdict, &error);
    fuzz_limit(0);
    if (!holds != (error.text[0] != '\0') || (holds && !verdict.statement[0])) abort();
    return 0;
}
