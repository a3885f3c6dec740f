/* repl.h: what the files about a session of statements share; for the files of api/ alone. */
#ifndef RASP_API_REPL_H
#define RASP_API_REPL_H

#include "api/handle.h"
#include "api/rasp_repl.h"

#include "interp/eval/session.h"

/* A RaspRepl begins with its Core. */
Session *repl_session(RaspRepl *repl);

/* During an event: what runs its application, NULL if there is none; the node of an s-op; and a
 * body under core_call whose stop ends the statement once the event is over. */
Exec *repl_exec(RaspRepl *repl);
NodeId repl_node(RaspValue sop);
bool repl_ask(RaspRepl *repl, RaspError *error, CoreBody *body, void *context);

#endif
