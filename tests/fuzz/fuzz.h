/* fuzz.h: what all targets have in common: the library loaded once, and limits on CPU time, which
 * a busy machine does not change. */
#ifndef RASP_TESTS_FUZZ_FUZZ_H
#define RASP_TESTS_FUZZ_FUZZ_H

#include "api/rasp.h"
#include "tests/fuzz/once.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_too_slow(int number) {
    static const char text[] = "an input has used up its CPU time\n";
    (void)number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    abort();
}

/* Aborts when the process uses so much more CPU time; 0: it may. */
static inline void fuzz_limit(long seconds) {
    static bool known;
    struct itimerval timer = {.it_value = {seconds, 0}};
    if (!known) signal(SIGPROF, fuzz_too_slow);
    known = true;
    setitimer(ITIMER_PROF, &timer, NULL);
}

/* A number that an input always gives again: what to do with it, where all would be slow. */
static inline uint32_t fuzz_draw(const uint8_t *data, size_t size) {
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t k = 0; k < size; k++) hash = (hash ^ data[k]) * 16777619u;
    return hash ^ hash >> 16;
}

/* An error must say what is wrong, in one line. */
static inline void fuzz_expect_reason(const RaspError *error) {
    if (error->status == RASP_OK || !*error->text || strchr(error->text, '\n')) abort();
}

#endif
