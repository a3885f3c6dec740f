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

int weights_open(const char *path, size_t memory, RaspModel **model) {
    RaspError error;
    RaspConfig config = report_config(memory);
    *model = rasp_model_load(path, &config, &error);
    return *model ? EXIT_FINE : report_failure(&error);
}
