/* model.h: a transformer's weights and what is known of where they come from; for the files of
 * api/ alone. */
#ifndef RASP_API_MODEL_H
#define RASP_API_MODEL_H

#include "api/target.h"

#include "compile/prove/certificate.h"
#include "runtime/forward.h"

struct RaspModel {
    Core core; /* of rasp_compile: within the program's budget */
    atomic_uint keepers;
    char *name; /* in messages: the file's path; of rasp_compile NULL */
    Model *model;
    RaspModelInfo info;
    RaspProgram *program; /* compiled from, or embedded and asked for; else NULL */
    Target target;        /* with a program */
    bool is_compiled;     /* by rasp_compile: */
    Compiled compiled;
    RaspCompileStats stats;
};

/* Fills `info` from `model`; for bodies of core_call. */
bool model_inform(RaspModel *m);

size_t engine_bytes(const RaspModelInfo *info);
/* Options of a run that the core's `cancel` ends; false after a message. */
bool engine_options(Core *core, const RaspEngineOptions *wanted, RunOptions *options);
/* What the runtime says of a run: it tells "interrupted" in words alone.  Gives false. */
bool engine_failed(Core *core, const RtError *reason);

/* The program and target of the model, embedded ones loaded; for bodies of core_call. */
bool model_recall(RaspModel *m);

/* Compiles the target of the model's program into the arena of the running call's core, which has
 * the program's budget; false after a message. */
bool model_compile(RaspModel *m, Core *core, Compiled *compiled);
RaspCertificate certificate_out(const Certificate *certificate, double beta);

RaspModel *model_keep(RaspModel *m);

#endif
