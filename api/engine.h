/* engine.h: what a RaspEngine is inside; for the files of api/ alone. */
#ifndef RASP_API_ENGINE_H
#define RASP_API_ENGINE_H

#include "api/model.h"

struct RaspEngine {
    Core core;
    atomic_uint keepers;
    const Model *model; /* owner's */
    RaspModel *owner;
    RunOptions options;
    Engine *engine;
    /* Where the domain has an s-op, the interpreter evaluates it: by a program of the engine's. */
    RaspModel *judge;
    RaspSop where;
};

/* Is the input, whose first token is `first`, one that the model was compiled for?  False after
 * core_fail. */
bool engine_accepts(const RaspEngine *engine, Core *core, size_t first, const RaspInput *input);

/* What the output's reading says, by whatever decoder. */
RaspAtom engine_value(const RaspEngine *engine, size_t output, const Reading *reading);

#endif
