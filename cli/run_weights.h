/* run_weights.h: `rasp run` on a weights file: the same inputs, the same output. */
#ifndef RASP_CLI_RUN_WEIGHTS_H
#define RASP_CLI_RUN_WEIGHTS_H

#include "cli/options.h"
#include "cli/runner.h"

/* What is said of weights alone. */
typedef struct WeightsOptions {
    RuleOption rule;
    RaspPath path;
    double temperature; /* 0: not given */
    bool stream;
    size_t generate; /* tokens to add; 0: not given */
    bool given;      /* any of them */
} WeightsOptions;

/* --weights, --temperature, --path, --stream, --generate as an argp child; input: WeightsOptions.
 */
extern const struct argp weights_options;

typedef struct WeightsRun {
    const char *path;
    const SopChoice *choice;
    const RunnerOptions *runner;
    const WeightsOptions *weights;
    RaspPlan plan;
    int threads;
    size_t memory;
    double time_limit; /* 0: not given */
    char **inputs;
    int input_count;
} WeightsRun;

/* The exit status. */
int run_weights(const WeightsRun *run);

#endif
