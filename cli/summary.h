/* summary.h: the sizes of a model, for reports. */
#ifndef RASP_CLI_SUMMARY_H
#define RASP_CLI_SUMMARY_H

#include "base/arena.h"

#include "runtime/model.h"

#include <stdio.h>

typedef struct Summary {
    size_t attention_layers, heads, headless; /* layers with heads; without */
    size_t sublayers, units;                  /* feed-forward */
    size_t width, parameters, nonzeros;
    const char *heads_text; /* of each layer with heads, "2 + 1" */
} Summary;

Summary summary_of(const Model *model, Arena *arena);

/* `"attention_layers": 2, …`: the fields as members of a JSON object, without its braces. */
void summary_json(FILE *out, const Model *model, const Summary *summary);

/* 329960 as "329,960". */
const char *grouped(Arena *arena, size_t number);

/* "s", or "" for one. */
const char *plural(size_t count);

#endif
