/* line_edit.h: one line from a terminal, by libedit; the terminal side of line.h. */
#ifndef RASP_CLI_LINE_EDIT_H
#define RASP_CLI_LINE_EDIT_H

#include "cli/line.h"

typedef struct LineEdit LineEdit;

/* NULL: out of memory, or the terminal cannot do it. */
LineEdit *line_edit_new(LineCompleter *complete, void *context);
void line_edit_free(LineEdit *edit); /* NULL is fine */

LineStatus line_edit_read(LineEdit *edit, const char *prompt, const char **line, size_t *length);

#endif
