/* lab_command.h: the subcommands of `rasp lab`, each a row of the table in cmd_lab.c and a file
 * lab_NAME.c; argv[0] is "rasp lab NAME". */
#ifndef RASP_CLI_LAB_COMMAND_H
#define RASP_CLI_LAB_COMMAND_H

int lab_kernel(int argc, char **argv);
int lab_smooth(int argc, char **argv);

#endif
