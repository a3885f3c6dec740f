/* Tasks made by hand for the tests of express/, and the verdict on one. */
#ifndef TESTS_EXPRESS_FIXTURE_H
#define TESTS_EXPRESS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "express/decide.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

static Budget budget;

/* --- tasks made by hand -------------------------------------------------------------------- */

typedef uint32_t Label(void *context, const uint8_t *tokens, uint32_t length, uint32_t position);

UNUSED static Task *task_new(Arena *arena, uint32_t symbols, uint32_t length, bool last,
                             Label *label, void *context) {
    Task *task = ARENA_NEW(arena, Task);
    RaspAtom *alphabet = ARENA_ARRAY(arena, symbols, RaspAtom);
    size_t count = 0;
    for (uint32_t k = 0; k < symbols; k++) alphabet[k] = rasp_int(k);
    *task = (Task){.arena = arena, .alphabet = alphabet, .symbols = symbols, .last = last};
    task->first = -1;
    for (uint32_t n = 1; n <= length; n++) {
        uint8_t tokens[TASK_LONGEST];
        task_first(task, tokens, n);
        do {
            uint8_t *kept = (uint8_t *)arena_text(arena, (const char *)tokens, n);
            for (uint32_t i = last ? n - 1 : 0; i < n; i++) {
                task->instances = arena_grow(arena, task->instances, &task->room, count + 1,
                                             sizeof *task->instances);
                uint32_t value = task_label(task, rasp_int(label(context, kept, n, i)));
                task->instances[count++] = (Instance){.tokens = kept,
                                                      .input = task->inputs,
                                                      .label = value,
                                                      .length = (uint8_t)n,
                                                      .position = (uint8_t)i};
            }
            task->inputs++;
        } while (task_next(task, tokens, n));
        task->until[n] = count;
    }
    task->length = length;
    return task;
}

UNUSED static uint32_t random_label(void *context, const uint8_t *tokens, uint32_t length,
                                    uint32_t position) {
    (void)tokens, (void)length, (void)position;
    return (uint32_t)random_below(context, 2);
}

/* The verdict at the task's greatest length. */
UNUSED static Verdict decide(Arena *arena, Task *task, Query query) {
    Limits limits = {.budget = &budget};
    RaspError error;
    Verdict verdict;
    Decider *decider = decider_new(arena, task, &query, task->length, &limits);
    for (uint32_t n = 1; n <= task->length; n++)
        assert_true(decider_next(decider, 0, &verdict, &error));
    decider_free(decider);
    return verdict;
}

UNUSED static bool possible(const Verdict *v, unsigned heads) {
    return v->answer == ANSWER_YES && v->least <= heads;
}

#endif
