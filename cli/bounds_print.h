/* bounds_print.h: how many layers a task needs, as text and as JSON. */
#ifndef RASP_CLI_BOUNDS_PRINT_H
#define RASP_CLI_BOUNDS_PRINT_H

#include "cli/bounds.h"
#include "cli/json.h"

/* A few lines; `command`: `rasp express …` up to the class, for who wants the proof. */
void bound_print(const Task *task, const Bound *bound, const RaspFacts *facts, const char *command);
/* An entry of the array that is open. */
void bound_json(Json *json, const Task *task, const Bound *bound, const RaspFacts *facts);

/* "rasp express dyck --sop balance": the same task for another command. */
const char *bound_command(const char *program, const SopChoice *choice, const RaspTarget *target,
                          const RaspSop *sop);

#endif
