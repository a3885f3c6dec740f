/* model.h: a transformer's weights and what is known of where they come from; for the files of
 * api/ alone. */
#ifndef RASP_API_MODEL_H
#define RASP_API_MODEL_H

#include "api/rasp_circuit.h"
#include "api/target.h"

#include "compile/prove/certificate.h"
#include "runtime/forward.h"

/* Engines may go to other threads, and the last of them may end there after the model's owners
 * have gone.  So what engines read has a budget of its own; all that belongs to the program's
 * thread ends with the last owner. */
struct RaspModel {
    Core core;           /* of `info` */
    atomic_uint keepers; /* engines, and 1 for the owners together */
    char *name;          /* in messages: the file's path; of rasp_compile NULL */
    Model *model;
    RaspModelInfo info;
    /* The owners' alone: */
    atomic_uint owners;   /* the caller, and reports about the model */
    RaspProgram *program; /* compiled from, or embedded and asked for; else NULL */
    Target target;        /* with a program */
    bool is_compiled;     /* by rasp_compile: */
    Core compiling;       /* within the program's budget; also of `circuit` */
    Compiled compiled;
    RaspCompileStats stats;
    const RaspCircuit *circuit; /* NULL: nobody has asked for it */
};

/* With one owner and nothing inside; NULL: no memory. */
RaspModel *model_blank(void);

/* Fills `info` from `model`; for bodies of core_call. */
bool model_inform(RaspModel *m);

size_t engine_bytes(const RaspModel *m);
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
void model_drop(RaspModel *m);
RaspModel *model_own(RaspModel *m); /* given back by rasp_model_free */

#endif
