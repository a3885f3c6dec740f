#include "cli/stats.h"

#include "base/utf8.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/stop.h"

#include <stdio.h>
#include <string.h>

enum { NAME_WIDTH = 40 };

static void put_bytes(char *text, size_t size, size_t bytes) {
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB"};
    double value = (double)bytes;
    size_t u = 0;
    while (value >= 1024 && u + 1 < sizeof unit / sizeof *unit) value /= 1024, u++;
    snprintf(text, size, u ? "%.1f %s" : "%.0f %s", value, unit[u]);
}

static void put_row(const char *name, const char *plan, const char *rows, const char *time,
                    const char *memory) {
    name = safe_text(name);
    int pad = NAME_WIDTH - (int)utf8_count(name, strlen(name));
    fprintf(stderr, "%s%*s  %-16s %9s %12s %11s\n", name, pad > 0 ? pad : 0, "", plan, rows, time,
            memory);
}

void stats_print(RaspRun *run) {
    size_t count, bytes = 0;
    double seconds = 0;
    char rows[32], time[32], memory[32];
    RaspError error;
    const RaspStat *stats = rasp_run_stats(run, &count, &error);
    if (!stats) report_failure(&error);
    progress_hide();
    fflush(stdout);
    put_row("s-op", "plan", "rows", "time", "memory");
    for (size_t k = 0; k < count; k++) {
        snprintf(rows, sizeof rows, "%zu", stats[k].rows);
        snprintf(time, sizeof time, "%.3f ms", stats[k].seconds * 1e3);
        put_bytes(memory, sizeof memory, stats[k].bytes);
        put_row(stats[k].sop, stats[k].plan, rows, time, memory);
        seconds += stats[k].seconds;
        bytes += stats[k].bytes;
    }
    snprintf(time, sizeof time, "%.3f ms", seconds * 1e3);
    put_bytes(memory, sizeof memory, bytes);
    put_row("all", "", "", time, memory);
}
