/* facts_print.h: what the text of a program shows of it, as text and as JSON. */
#ifndef RASP_CLI_FACTS_PRINT_H
#define RASP_CLI_FACTS_PRINT_H

#include "api/rasp_facts.h"
#include "cli/json.h"
#include "cli/program.h"

/* A few lines; or, in detail, each head and each fragment with what stands against it. */
void facts_print(const Program *program, const RaspFacts *facts, bool detailed);

/* The member "facts" of the object that is open. */
void facts_json(Json *json, const Program *program, const RaspFacts *facts);

#endif
