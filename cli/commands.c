/* The table of subcommands, and what exit statuses mean: for --help, manual pages, completion. */
#include "cli/command.h"

#include "cli/lab_command.h"

const Command commands[] = {
    {"run", cmd_run, false, "run a program on inputs", NULL},
    {"compile", cmd_compile, true, "compile a program to the weights of a transformer", NULL},
    {"check", cmd_check, true, "compare the transformer with the interpreter", NULL},
    {"info", cmd_info, true, "what is inside a weights file", NULL},
    {"verify", cmd_verify, true, "show that a weights file computes its program", NULL},
    {"prove", cmd_prove, true, "find what weights compute, and prove it", NULL},
    {"layers", cmd_layers, true, "the attention layers and heads a program needs", NULL},
    {"explain", cmd_explain, true, "what a program does, in plain words", NULL},
    {"draw", cmd_draw, false, "how a program computes its result on an input, as a picture", NULL},
    {"view", cmd_view, false, "a page that shows program and transformer at work", NULL},
    {"generate", cmd_generate, false, "random programs with their transformers", NULL},
    {"merge", cmd_merge, true, "the pieces of a check, made by several machines, as one", NULL},
    {"express", cmd_express, true, "what one layer can do of a program, decided", NULL},
    {"lab", cmd_lab, true, "claims about attention, measured", lab_commands},
    {"test", cmd_test, true, "run the examples in programs' comments", NULL},
    {"list", cmd_list, true, "the bundled programs, a line each", NULL},
    {"show", cmd_show, false, "the text of a program", NULL},
    {"help", cmd_help, true, "what a function, operator, command or program is", NULL},
    {"repl", cmd_repl, false, "read, execute and show statements (also: rasp alone)", NULL},
};

const size_t command_count = sizeof commands / sizeof *commands;

const StatusMeaning status_meanings[] = {
    {EXIT_FINE, "fine"},
    {EXIT_DISAGREE, "engines disagree"},
    {EXIT_WRONG_USE, "wrong use"},
    {EXIT_WRONG_PROGRAM, "the program is wrong"},
    {EXIT_NO_FILE, "no such file"},
    {EXIT_FAILED, "it failed while running"},
};

const size_t status_meaning_count = sizeof status_meanings / sizeof *status_meanings;
