/* clock.h: seconds that only go forward, for measuring how long something takes. */
#ifndef RASP_BASE_CLOCK_H
#define RASP_BASE_CLOCK_H

/* Since some moment of this machine's run; changes of the date do not touch it. */
double clock_seconds(void);
/* CPU time of this thread. */
double clock_cpu_seconds(void);

#endif
