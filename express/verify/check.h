/* check.h: what every part of the check of a certificate is given.
 *
 * A part that finds the certificate wrong says so by `refuse`, which gives false, and false goes
 * up to the entry.  Memory is the arena's; a budget that is used up jumps to the entry, which
 * gives back what is noted here. */
#ifndef RASP_EXPRESS_VERIFY_CHECK_H
#define RASP_EXPRESS_VERIFY_CHECK_H

#include "express/verify/verify.h"

#include "base/arena.h"

#include <jansson.h>

typedef struct Check {
    Budget budget;
    Arena *arena;
    RaspConfig config;
    RaspError *error;
    ExpressVerdict *verdict;
    /* What is not the arena's; NULL is fine. */
    json_t *document;
    RaspProgram *program; /* the task */
    RaspProgram *answer;  /* the program that a certificate of "yes" brings */
    RaspRun *run;
} Check;

/* Fills the error, if nothing has yet; gives false. */
bool refuse(Check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with what the library said: "while …: its text", its status when it was stopped. */
bool refuse_for(Check *check, const char *doing, const RaspError *reason);

/* A block with room for `need` elements: `array`, or a copy twice as large; new elements are
 * zeroed and the old block is given back. */
void *block_grow(Arena *arena, void *array, size_t *capacity, size_t need, size_t size);

#define BLOCK_GROW(arena, array, capacity, need)                                                   \
    ((need) <= *(capacity) ? (array) : block_grow(arena, array, capacity, need, sizeof *(array)))

#endif
