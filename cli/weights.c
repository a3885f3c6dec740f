#include "cli/weights.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int weights_open_beside(const char *path, const WeightsLimits *limits, const char *name,
                        RaspModel **model, Program *program) {
    RaspConfig config = weights_config(limits);
    int status = weights_open(path, limits, model);
    *program = (Program){0};
    if (status != EXIT_FINE || !name) return status;
    status = program_open_with(name, &config, program);
    if (status == EXIT_FINE) return status;
    rasp_model_free(*model);
    return status;
}

/* --- saving -------------------------------------------------------------------------------- */

static int write_all(const unsigned char *bytes, size_t size) {
    while (size) {
        ssize_t put = write(STDOUT_FILENO, bytes, size);
        if (put < 0 && errno == EINTR && !stop_requested()) continue;
        if (put < 0) {
            report_error("cannot write the weights to standard output: %s", strerror(errno));
            return EXIT_FAILED;
        }
        bytes += put;
        size -= (size_t)put;
    }
    return EXIT_FINE;
}

int weights_save(const RaspModel *model, const char *path) {
    RaspError error;
    unsigned char *bytes;
    size_t size;
    if (!output_is_standard(path))
        return rasp_model_save(model, path, &error) ? EXIT_FINE : report_failure(&error);
    if (!rasp_model_bytes(model, &bytes, &size, &error)) return report_failure(&error);
    fflush(stdout);
    int status = write_all(bytes, size);
    rasp_free(bytes);
    return status;
}
