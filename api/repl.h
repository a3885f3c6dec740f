/* repl.h: what the files about a session of statements share; for the files of api/ alone. */
#ifndef RASP_API_REPL_H
#define RASP_API_REPL_H

#include "api/handle.h"

#include "interp/eval/session.h"

/* A RaspRepl begins with its Core. */
Session *repl_session(RaspRepl *repl);

#endif
