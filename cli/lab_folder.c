/* -o DIR of `rasp lab`: the report, and each picture and trained model as a file of its own. */
#include "cli/command.h"
#include "cli/lab_output.h"
#include "cli/output.h"
#include "cli/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static Output *create(const char *folder, const char *name) {
    return output_open(arena_format(command_arena(), "%s/%s", folder, name));
}

/* item-05-1.svg; a command's: 1.svg. */
static bool write_plot(const char *folder, const Outcome *o, const Plot *plot, int number) {
    char name[48];
    if (o->item)
        snprintf(name, sizeof name, "item-%02u-%d.svg", o->item->number, number);
    else
        snprintf(name, sizeof name, "%d.svg", number);
    Output *picture = create(folder, name);
    if (!picture) return false;
    plot_svg(picture->file, plot);
    return output_close(picture) == EXIT_FINE;
}

/* item-73-text-heads-2-seed-1.bin */
static bool write_weights(const char *folder, const Outcome *o, const PageWeights *weights) {
    const char *name =
        o->item ? arena_format(command_arena(), "item-%02u-%s.bin", o->item->number, weights->name)
                : arena_format(command_arena(), "%s.bin", weights->name);
    Output *file = create(folder, name);
    if (!file) return false;
    fwrite(weights->bytes, 1, weights->size, file->file);
    return output_close(file) == EXIT_FINE;
}

bool lab_make_folder(const char *folder) {
    struct stat status;
    if (mkdir(folder, 0777) == 0) return true;
    if (errno == EEXIST && stat(folder, &status) == 0 && S_ISDIR(status.st_mode)) return true;
    report_error("cannot make the folder '%s': %s", folder,
                 errno == EEXIST ? "there is a file of that name" : strerror(errno));
    return false;
}

bool lab_write_folder(const char *folder, const Notebook *notebook, const char *title,
                      const char *command) {
    ReportHead head = {title, command, rasp_version()};
    Output *report = create(folder, "report.html");
    if (!report) return false;
    report_write(report->file, notebook, &head);
    if (output_close(report) != EXIT_FINE) return false;
    for (const Outcome *o = notebook_first(notebook); o; o = o->next) {
        int number = 0;
        for (const Plot *p = o->page->plots; p; p = p->next)
            if (!write_plot(folder, o, p, ++number)) return false;
        for (const PageWeights *w = o->page->weights; w; w = w->next)
            if (!write_weights(folder, o, w)) return false;
    }
    return true;
}

const char *lab_command_line(int argc, char **argv) {
    const char *line = argv[0];
    for (int k = 1; k < argc; k++) {
        bool plain = argv[k][strcspn(argv[k], " '\"[]*$\\")] == '\0' && *argv[k];
        line = arena_format(command_arena(), plain ? "%s %s" : "%s '%s'", line, argv[k]);
    }
    return line;
}
