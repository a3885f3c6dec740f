/* measure.c: runs a command several times and prints what it took.
 *
 *     measure RUNS INPUT COMMAND [ARGUMENT…]
 *     measure RUNS INPUT COMMAND [ARGUMENT…] :: OTHER [ARGUMENT…]
 *
 * One warm-up run, then RUNS measured ones, with the file INPUT as standard input and standard
 * output thrown away.  Prints one line:
 *
 *     MEDIAN MINIMUM MAXIMUM MEMORY
 *
 * in seconds of wall-clock time and MiB of peak resident memory (the largest of the runs).  With
 * another command, the two take turns, so that a busy machine slows both, and the line is
 *
 *     RATIO MINIMUM MAXIMUM  RATIO MINIMUM MAXIMUM
 *
 * of the first over the other: the processor's time, then the wall clock's.  A RATIO is that of
 * the medians, MINIMUM and MAXIMUM are of single turns.  A run that fails ends it all: its standard
 * error is shown, and the exit status is 1.
 */
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RUNS = 10000 };

typedef struct Taken {
    double wall[MOST_RUNS], cpu[MOST_RUNS];
    long kib; /* peak memory */
} Taken;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
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

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* The k-th run. */
static bool run_once(const char *input, char **command, Taken *taken, int k) {
    double start = clock_seconds();
    pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) become(input, command);
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) < 0 || status != 0) return false;
    if (usage.ru_maxrss > taken->kib) taken->kib = usage.ru_maxrss;
    taken->wall[k] = clock_seconds() - start;
    taken->cpu[k] = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    return true;
}

static bool run_all(int runs, const char *input, char **command, char **other, Taken *taken) {
    bool fine =
        run_once(input, command, &taken[0], 0) && (!other || run_once(input, other, &taken[1], 0));
    for (int k = 0; fine && k < runs; k++)
        fine = run_once(input, command, &taken[0], k) &&
               (!other || run_once(input, other, &taken[1], k));
    return fine;
}

static void print_ratio(double *ours, double *theirs, int runs, const char *end) {
    double ratios[MOST_RUNS];
    for (int k = 0; k < runs; k++) ratios[k] = ours[k] / theirs[k];
    median(ratios, runs); /* sorts them */
    printf("%.6f %.6f %.6f%s", median(ours, runs) / median(theirs, runs), ratios[0],
           ratios[runs - 1], end);
}

/* The arguments behind "::", which becomes the end of those before; NULL: there are none. */
static char **split(char **arguments) {
    while (*arguments && strcmp(*arguments, "::") != 0) arguments++;
    if (!*arguments) return NULL;
    *arguments = NULL;
    return arguments + 1;
}

int main(int argc, char **argv) {
    static Taken taken[2];
    int runs = argc > 3 ? atoi(argv[1]) : 0;
    char **other = argc > 3 ? split(argv + 3) : NULL;
    if (runs < 1 || runs > MOST_RUNS || (other && !*other)) {
        fputs("usage: measure RUNS INPUT COMMAND [ARGUMENT…] [:: OTHER [ARGUMENT…]]\n", stderr);
        return 2;
    }
    if (!run_all(runs, argv[2], argv + 3, other, taken)) return 1;
    if (other) {
        print_ratio(taken[0].cpu, taken[1].cpu, runs, " ");
        print_ratio(taken[0].wall, taken[1].wall, runs, "\n");
        return 0;
    }
    double *wall = taken[0].wall, middle = median(wall, runs);
    printf("%.6f %.6f %.6f %.1f\n", middle, wall[0], wall[runs - 1], (double)taken[0].kib / 1024);
    return 0;
}
