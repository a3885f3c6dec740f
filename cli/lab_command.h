/* lab_command.h: the subcommands of `rasp lab`, each a row of the table in cmd_lab.c; argv[0] is
 * "rasp lab NAME". */
#ifndef RASP_CLI_LAB_COMMAND_H
#define RASP_CLI_LAB_COMMAND_H

#include "cli/command.h"

extern const OwnCommand lab_commands[];

int lab_kernel(int argc, char **argv);
int lab_smooth(int argc, char **argv);

/* Of compiled programs: lab_model.c. */
int lab_temperature(int argc, char **argv);
int lab_noise(int argc, char **argv);
int lab_collapse(int argc, char **argv);
int lab_kv(int argc, char **argv);
int lab_hull(int argc, char **argv);

#endif
