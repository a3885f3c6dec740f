/* task.h: what a layer is asked to do: instances with their labels.
 *
 * An instance is a pair (x, i): an input and a position of it; its label is what the task says
 * there.  Instances stand in the order of their inputs: by length, then by the order of the
 * alphabet, then by position; those of the lengths up to N are the first ones of the list.
 *
 * What a layer of one of the classes sees:
 *   key      the token and the position of the query: position * symbols + token
 *   literal  a token at a position, 1 + position * symbols + token; and 0, the sink: a
 *            position before the first that holds no token and is always there
 */
#ifndef RASP_EXPRESS_TASK_H
#define RASP_EXPRESS_TASK_H

#include "api/rasp.h"
#include "base/arena.h"
#include "base/table.h"

#include <stdint.h>
#include <stdio.h>

enum { TASK_LONGEST = 24 }; /* greatest length of an input */

typedef struct Instance {
    const uint8_t *tokens; /* of the input, numbers of the alphabet */
    uint32_t input;        /* its number among the inputs */
    uint32_t label;        /* number of the task's labels */
    uint8_t length, position;
} Instance;

typedef struct Oracle Oracle; /* the program that says the labels */

typedef struct Task {
    Arena *arena;
    const RaspAtom *alphabet;
    uint32_t symbols;
    bool last;     /* only the last position of each input */
    int32_t first; /* inputs start with this token, or -1 */
    Instance *instances;
    size_t room;
    size_t until[TASK_LONGEST + 1]; /* instances of the lengths 0 to N */
    uint32_t length;                /* all up to this length are there */
    RaspAtom *labels;
    size_t label_count, label_room;
    Table label_index;
    uint32_t inputs, outside, failed; /* all; not of the domain; on which the program fails */
    Oracle *oracle;                   /* NULL: the task is from a file */
} Task;

/* Of an s-op; `where` may be NULL.  Program and alphabet outlive the task. */
Task *task_of_program(Arena *arena, RaspProgram *program, const RaspSop *sop, const RaspSop *where,
                      const RaspAtom *alphabet, uint32_t symbols, int32_t first, bool last);
/* Of a file: lines `input TAB output`, or JSON lines {"input": …, "output": …}.  An output that
 * is
 * a list of the input's length labels each position, any other the last one; null is no instance.
 * NULL and the reason. */
Task *task_of_file(Arena *arena, const char *path, RaspError *error);

/* All instances up to that length.  False: the error of the program or that they are too many. */
bool task_extend(Task *task, uint32_t length, RaspError *error);

/* The task's label at a position of any input, from the program; -1: no instance.  The label may be
 * new. */
int64_t task_ask(Task *task, const uint8_t *tokens, uint32_t length, uint32_t position);

/* The next input of that length in the task's order; false behind the last.  All zero (or the first
 * token in front) is the first one: task_first. */
void task_first(const Task *task, uint8_t *tokens, uint32_t length);
bool task_next(const Task *task, uint8_t *tokens, uint32_t length);

uint32_t task_label(Task *task, RaspAtom label);

static inline uint32_t instance_key(const Task *task, const Instance *x) {
    return (uint32_t)x->position * task->symbols + x->tokens[x->position];
}
static inline uint32_t literal_at(const Task *task, const Instance *x, uint32_t position) {
    return 1 + position * task->symbols + x->tokens[position];
}
/* Numbers of keys and literals for inputs up to a length. */
static inline uint32_t key_count(const Task *task, uint32_t length) {
    return length * task->symbols;
}
static inline uint32_t literal_count(const Task *task, uint32_t length) {
    return 1 + length * task->symbols;
}

/* "aabb", or "[1, 2]" where tokens are not single characters. */
const char *task_input_text(const Task *task, const Instance *x);
const char *task_label_text(const Task *task, uint32_t label);
/* As the comment `# rasp: alphabet=…` takes it; NULL: it cannot hold a token with a blank. */
const char *task_alphabet_text(const Task *task);
const char *task_token_text(const Task *task, uint32_t token);

#endif
