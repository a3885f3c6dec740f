#define _GNU_SOURCE /* sched_getaffinity */

#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum { MOST_THREADS = 256 };

typedef struct Loop {
    ParallelWork *work;
    void *context;
    size_t count;
    atomic_size_t next;
} Loop;

typedef struct Member {
    Loop *loop;
    int thread;
    pthread_t id;
} Member;

static void *run_member(void *argument) {
    const Member *m = argument;
    Loop *loop = m->loop;
    for (;;) {
        size_t piece = atomic_fetch_add(&loop->next, 1);
        if (piece >= loop->count) return NULL;
        loop->work(loop->context, piece, m->thread);
    }
}

/* As many of `wanted` as the system gives, with all signals blocked. */
static int start_members(Member *members, int wanted, Loop *loop) {
    sigset_t all, before;
    int started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; started < wanted; started++) {
        Member *m = &members[started];
        *m = (Member){.loop = loop, .thread = started + 1};
        if (pthread_create(&m->id, NULL, run_member, m) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void parallel_for(size_t count, int threads, ParallelWork *work, void *context) {
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > 0 && (size_t)threads > count) threads = (int)count;
    if (threads <= 1) {
        for (size_t piece = 0; piece < count; piece++) work(context, piece, 0);
        return;
    }
    Loop loop = {.work = work, .context = context, .count = count};
    Member members[MOST_THREADS];
    int started = start_members(members, threads - 1, &loop);
    run_member(&(Member){.loop = &loop});
    for (int k = 0; k < started; k++) pthread_join(members[k].id, NULL);
}

typedef struct Ranges {
    ParallelRange *work;
    void *context;
    size_t count;
} Ranges;

enum { RANGE = 1 << 14 };

static void run_range(void *context, size_t piece, int thread) {
    const Ranges *r = context;
    size_t begin = piece * RANGE;
    (void)thread;
    r->work(r->context, begin, r->count - begin < RANGE ? r->count : begin + RANGE);
}

void parallel_ranges(size_t count, int threads, ParallelRange *work, void *context) {
    Ranges ranges = {work, context, count};
    parallel_for((count + RANGE - 1) / RANGE, threads, run_range, &ranges);
}

int parallel_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
    int cores = CPU_COUNT(&set);
    return cores > 0 ? cores : 1;
}
