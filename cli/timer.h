/* timer.h: a limit on time, and the clock. */
#ifndef RASP_CLI_TIMER_H
#define RASP_CLI_TIMER_H

#include <stdbool.h>

/* Seconds since some moment. */
double timer_now(void);

/* After so many seconds (0: never) what runs is stopped as by Ctrl-C (stop.h), and the progress
 * line is shown meanwhile. */
void timer_start(double seconds);
/* Ends both.  True if it was the time that stopped what ran; the request to stop is then
 * withdrawn. */
bool timer_stop(void);

#endif
