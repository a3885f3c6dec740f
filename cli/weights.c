#include "cli/weights.h"

#include "cli/command.h"
#include "cli/report.h"

#include <stdio.h>
#include <sys/stat.h>

bool weights_recognised(const char *path) {
    unsigned char start[8];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return rasp_is_weights(start, got);
}

RaspConfig weights_config(const WeightsLimits *limits) {
    RaspConfig config = report_config(limits->memory);
    config.cpu_seconds = limits->seconds > 0 ? limits->seconds : WEIGHTS_SECONDS;
    return config;
}

int weights_open(const char *path, const WeightsLimits *limits, RaspModel **model) {
    RaspError error;
    RaspConfig config = weights_config(limits);
    *model = rasp_model_load(path, &config, &error);
    return *model ? EXIT_FINE : report_failure(&error);
}
