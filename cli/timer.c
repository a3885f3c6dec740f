#include "cli/timer.h"

#include "cli/stop.h"

#include <math.h>
#include <signal.h>
#include <time.h>

static volatile sig_atomic_t out_of_time;
static timer_t timer;
static bool running;

double timer_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void on_time(int number) {
    (void)number;
    out_of_time = 1;
    raise(SIGINT); /* whose handler asks the budget to stop */
}

void timer_start(double seconds) {
    out_of_time = 0;
    progress_start();
    if (!(seconds > 0)) return;
    struct sigaction action = {.sa_handler = on_time, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    running = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    double whole = floor(fmin(seconds, 1e9));
    struct itimerspec when = {
        .it_value = {(time_t)whole, (long)((fmin(seconds, 1e9) - whole) * 1e9)}};
    if (running) timer_settime(timer, 0, &when, NULL);
}

bool timer_stop(void) {
    if (running) timer_delete(timer);
    running = false;
    progress_end();
    bool late = out_of_time;
    if (late) stop_clear();
    out_of_time = 0;
    return late;
}
