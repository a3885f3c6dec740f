#include "cli/model_argument.h"

#include "cli/command.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/weights.h"

const ArgumentKind model_argument_kind = {
    "PROGRAM", "expected a PROGRAM (a file or a bundled program's name) or a weights file"};

static int open_program(const Common *common, const RaspTarget *target, ModelArgument *s) {
    const RaspSop *sops;
    size_t count;
    int status = program_open(common->argument, common->memory, &s->program);
    s->shown = s->program.shown;
    if (status == EXIT_FINE) status = program_sops(&s->program, &common->choice, &sops, &count);
    if (status == EXIT_FINE) status = target_compile(&s->program, sops, count, target, &s->model);
    return status;
}

static int open_weights(const Common *common, const TargetOptions *target, ModelArgument *s) {
    const SopChoice *choice = &common->choice;
    const char *path = common->argument;
    if (target->given || choice->count || choice->all || choice->expression) {
        report_error("'%s' is a weights file, which says itself what it was compiled from and for; "
                     "options of the compiler go with a program",
                     path);
        return EXIT_WRONG_USE;
    }
    WeightsLimits limits = {common->memory, target->target.time_limit};
    int status = weights_open(path, &limits, &s->model);
    if (status != EXIT_FINE) return status;
    const char *name = rasp_model_info(s->model)->program;
    s->shown = safe_text(name ? name : path);
    return EXIT_FINE;
}

int model_argument_open(const Common *common, const TargetOptions *target, ModelArgument *s) {
    *s = (ModelArgument){.from_file = common->argument && weights_recognised(common->argument)};
    return s->from_file ? open_weights(common, target, s)
                        : open_program(common, &target->target, s);
}

void model_argument_close(ModelArgument *s) {
    rasp_model_free(s->model);
    rasp_program_free(s->program.handle);
}
