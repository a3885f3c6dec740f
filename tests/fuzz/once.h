/* once.h: the language's library is loaded once a process.
 *
 * Nearly all that a session of a small program costs is loading the library.  So the linker sends
 * session_new here (--wrap): the first session's memory is kept as it was just after loading, and
 * every later one is that memory again, bit by bit, with the words that point to the first one's
 * budget pointing to its own.  No input sees what another has done, and a crash needs no more
 * than its own input to be seen again.
 *
 * The memory of the template lies in one region, its pieces apart; what a session frees of it is
 * poisoned until the next begins.  All else that sessions allocate comes from malloc as ever.
 * A second session beside the first, or one with too little memory, is made the usual way.
 */
#ifndef RASP_TESTS_FUZZ_ONCE_H
#define RASP_TESTS_FUZZ_ONCE_H

#include "interp/eval/eval.h"

#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONCE_ROOM = 16 << 20, ONCE_GAP = 16 };

static struct Once {
    char *region, *copy;
    size_t used;
    uint32_t *owned; /* the words, in the region, that point to the budget */
    size_t owned_count;
    Budget budget;
    Session *session;
    enum { ONCE_EMPTY, ONCE_LOADING, ONCE_IDLE, ONCE_TAKEN } state;
} once;

Session *__real_session_new(const SessionOptions *options);
void __real_session_free(Session *session);
void *__real_budget_alloc(Budget *budget, size_t size);
void __real_budget_free(Budget *budget, void *memory, size_t size);
Session *__wrap_session_new(const SessionOptions *options);
void __wrap_session_free(Session *session);
void *__wrap_budget_alloc(Budget *budget, size_t size);
void __wrap_budget_free(Budget *budget, void *memory, size_t size);

/* --- memory ----------------------------------------------------------------------------- */

void *__wrap_budget_alloc(Budget *budget, size_t size) {
    if (once.state != ONCE_LOADING) return __real_budget_alloc(budget, size);
    char *memory = once.region + once.used + ONCE_GAP;
    size_t room = (size + ONCE_GAP - 1) / ONCE_GAP * ONCE_GAP + ONCE_GAP;
    if (once.used + room > ONCE_ROOM) abort();
    once.used += room;
    budget->used += size;
    ASAN_POISON_MEMORY_REGION(memory + size, room - ONCE_GAP - size);
    return memory;
}

void __wrap_budget_free(Budget *budget, void *memory, size_t size) {
    uintptr_t at = (uintptr_t)memory - (uintptr_t)once.region;
    if (!once.region || !memory || at >= once.used) {
        __real_budget_free(budget, memory, size);
        return;
    }
    (void)*(volatile char *)memory; /* reported, if it was freed before */
    ASAN_POISON_MEMORY_REGION(memory, size);
    budget->used -= size;
}

/* --- the template ----------------------------------------------------------------------- */

static void once_find_owned(void) {
    size_t words = once.used / sizeof(uintptr_t);
    once.owned = malloc(words * sizeof *once.owned);
    if (!once.owned) abort();
    for (size_t k = 0; k < words; k++)
        if (((uintptr_t *)(void *)once.copy)[k] == (uintptr_t)&once.budget)
            once.owned[once.owned_count++] = (uint32_t)k;
}

static void once_load(void) {
    budget_init(&once.budget, SIZE_MAX);
    once.region = aligned_alloc(ONCE_GAP, ONCE_ROOM);
    if (!once.region) abort();
    once.state = ONCE_LOADING;
    once.session = __real_session_new(&(SessionOptions){.budget = &once.budget});
    once.state = ONCE_IDLE;
    once.copy = malloc(once.used);
    if (!once.session || !once.copy) abort();
    ASAN_UNPOISON_MEMORY_REGION(once.region, once.used);
    memcpy(once.copy, once.region, once.used);
    once_find_owned();
}

Session *__wrap_session_new(const SessionOptions *options) {
    if (once.state == ONCE_EMPTY) once_load();
    Budget *budget = options->budget;
    if (once.state != ONCE_IDLE || budget->limit - budget->used < once.budget.used)
        return __real_session_new(options);
    ASAN_UNPOISON_MEMORY_REGION(once.region, once.used);
    memcpy(once.region, once.copy, once.used);
    for (size_t k = 0; k < once.owned_count; k++)
        ((uintptr_t *)(void *)once.region)[once.owned[k]] = (uintptr_t)budget;
    once.state = ONCE_TAKEN;
    budget->used += once.budget.used;
    if (budget->used > budget->peak) budget->peak = budget->used;
    once.session->options = *options;
    once.session->trying = options->mode == SESSION_REPL;
    return once.session;
}

void __wrap_session_free(Session *session) {
    __real_session_free(session);
    if (session && session == once.session) once.state = ONCE_IDLE;
}

#endif
