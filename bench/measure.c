/* measure.c: runs a command several times and prints what it took.
 *
 *     measure RUNS INPUT COMMAND [ARGUMENT…]
 *
 * One warm-up run, then RUNS measured ones, with the file INPUT as standard input and standard
 * output thrown away.  Prints one line:
 *
 *     MEDIAN MINIMUM MAXIMUM MEMORY
 *
 * in seconds of wall-clock time and MiB of peak resident memory (the largest of the runs).  A
 * run that fails ends it all: its standard error is shown, and the exit status is 1.
 */
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static _Noreturn void become(const char *input, char **command) {
    int in = open(input, O_RDONLY), out = open("/dev/null", O_WRONLY);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0) {
        fprintf(stderr, "measure: %s: %s\n", input, strerror(errno));
        _exit(126);
    }
    execvp(command[0], command);
    fprintf(stderr, "measure: %s: %s\n", command[0], strerror(errno));
    _exit(127);
}

/* Seconds of one run; *kib becomes its peak memory.  Negative when it failed. */
static double run_once(const char *input, char **command, long *kib) {
    double start = clock_seconds();
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) become(input, command);
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0 || status != 0) return -1;
    if (usage.ru_maxrss > *kib) *kib = usage.ru_maxrss;
    return clock_seconds() - start;
}

int main(int argc, char **argv) {
    int runs = argc > 3 ? atoi(argv[1]) : 0;
    if (runs < 1 || runs > 10000) {
        fputs("usage: measure RUNS INPUT COMMAND [ARGUMENT…]\n", stderr);
        return 2;
    }
    double *seconds = calloc((size_t)runs, sizeof *seconds);
    if (!seconds) return 2;
    long kib = 0;
    int failed = run_once(argv[2], argv + 3, &kib) < 0;
    for (int k = 0; k < runs && !failed; k++) {
        seconds[k] = run_once(argv[2], argv + 3, &kib);
        failed = seconds[k] < 0;
    }
    if (!failed) {
        qsort(seconds, (size_t)runs, sizeof *seconds, by_size);
        printf("%.6f %.6f %.6f %.1f\n", seconds[runs / 2], seconds[0], seconds[runs - 1],
               (double)kib / 1024);
    }
    free(seconds);
    return failed;
}
