#include "cli/stop.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t requested, broke_off;

static void on_interrupt(int number) {
    broke_off = 1;
    if (requested) {
        signal(number, SIG_DFL);
        raise(number);
    }
    requested = 1;
}

static void handle(int number) {
    struct sigaction action = {.sa_handler = on_interrupt}; /* no SA_RESTART: reads end */
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

volatile sig_atomic_t *stop_catch(void) {
    handle(SIGINT);
    return &requested;
}

void stop_catch_termination(void) {
    handle(SIGTERM);
}

bool stop_requested(void) {
    return requested != 0;
}

void stop_clear(void) {
    requested = 0;
}

bool stop_broke_off(void) {
    bool was = broke_off != 0;
    broke_off = 0;
    return was;
}

/* --- progress --------------------------------------------------------------------------- */

static volatile sig_atomic_t seconds, visible, running;
static atomic_size_t input_number, item_number, seconds_left;

/* Async-signal-safe: no printf. */
static char *put_number(char *to, size_t value) {
    char digits[24];
    int count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) {
        *to++ = digits[--count];
        if (count && count % 3 == 0) *to++ = ',';
    }
    return to;
}

static char *put_text(char *to, const char *text) {
    while (*text) *to++ = *text++;
    return to;
}

static void on_timer(int number) {
    (void)number;
    char line[96], *to = line;
    size_t input = atomic_load(&input_number), item = atomic_load(&item_number);
    size_t left = atomic_load(&seconds_left);
    seconds = seconds + 1;
    to = put_text(to, "\r\33[K");
    if (input) to = put_number(put_text(to, "input "), input), to = put_text(to, ", ");
    if (item) to = put_number(put_text(to, "item "), item), to = put_text(to, ", ");
    to = put_text(put_number(to, (size_t)seconds), " s");
    if (left) to = put_text(put_number(put_text(to, ", about "), left), " s left");
    visible = 1;
    (void)!write(STDERR_FILENO, line, (size_t)(to - line));
}

void progress_start(void) {
    if (!isatty(STDERR_FILENO)) return;
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    struct itimerval every = {{1, 0}, {1, 0}};
    setitimer(ITIMER_REAL, &every, NULL);
    running = 1;
}

void progress_input(size_t number) {
    atomic_store_explicit(&input_number, number, memory_order_relaxed);
}

void progress_item(size_t number, size_t left) {
    atomic_store(&item_number, number);
    atomic_store(&seconds_left, left);
}

void progress_hide(void) {
    if (!visible) return;
    visible = 0;
    (void)!write(STDERR_FILENO, "\r\33[K", 4);
}

void progress_end(void) {
    if (!running) return;
    struct itimerval never = {0};
    setitimer(ITIMER_REAL, &never, NULL);
    progress_hide();
}
