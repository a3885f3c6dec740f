/* stop.h: Ctrl-C and the progress line. */
#ifndef RASP_CLI_STOP_H
#define RASP_CLI_STOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* From here on the first Ctrl-C (SIGINT) sets the flag, which is for Budget.cancel; a second one,
 * before stop_clear, ends the process at once. */
volatile sig_atomic_t *stop_catch(void);
/* SIGTERM as well, where there is something to write before the end. */
void stop_catch_termination(void);
bool stop_requested(void);
void stop_clear(void);
/* Has there been a Ctrl-C since this was last asked?  It ends a write that waits, too. */
bool stop_broke_off(void);

/* On a terminal, a line on standard error with the seconds that have passed, once they are
 * more than one, and with the number of the input that is being run.  It works while the
 * process computes (a timer's signal writes it).  Hide it before writing anything else. */
void progress_start(void);
void progress_input(size_t number);
/* The same for items, and about how many seconds are left; 0: nothing is known. */
void progress_item(size_t number, size_t left);
void progress_hide(void);
void progress_end(void);

#endif
