/* summary.h: the sizes of a model, for reports. */
#ifndef RASP_CLI_SUMMARY_H
#define RASP_CLI_SUMMARY_H

#include "api/rasp.h"
#include "cli/json.h"

/* Heads of each layer with heads, "2 + 1". */
const char *summary_heads(const RaspModelInfo *info);

/* The sizes as members of the object that is open. */
void summary_json(Json *json, const RaspModelInfo *info);

/* "abc", "[1, 2, 3]", cut to about `limit` tokens. */
const char *summary_alphabet(const RaspAtom *alphabet, size_t size, size_t limit);

/* 329960 as "329,960". */
const char *grouped(size_t number);

/* Has the program an answer everywhere, in words; for the line `answers`. */
const char *summary_answers(const RaspModelInfo *info);

/* A program's text for a line of a report: cut, in the end, if it is long. */
const char *summary_source(const char *text);

#endif
