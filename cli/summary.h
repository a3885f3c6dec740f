/* summary.h: the sizes of a model, for reports. */
#ifndef RASP_CLI_SUMMARY_H
#define RASP_CLI_SUMMARY_H

#include "base/arena.h"
#include "cli/json.h"
#include "runtime/model.h"

typedef struct Summary {
    size_t attention_layers, heads, headless; /* layers with heads; without */
    size_t sublayers, units;                  /* feed-forward */
    size_t width, parameters, nonzeros;
    const char *heads_text; /* of each layer with heads, "2 + 1" */
} Summary;

Summary summary_of(const Model *model, Arena *arena);

/* The fields as members of the object that is open. */
void summary_json(Json *json, const Model *model, const Summary *summary);

/* 329960 as "329,960". */
const char *grouped(Arena *arena, size_t number);

/* "s", or "" for one. */
const char *plural(size_t count);

#endif
