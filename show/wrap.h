/* wrap.h: text in columns of characters, as a terminal counts them. */
#ifndef RASP_SHOW_WRAP_H
#define RASP_SHOW_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Columns of a text; control characters count as the escapes that they become (base/safe.h). */
size_t wrap_columns(const char *text);
/* Writes the text in lines of at most `width` columns, each behind `indent` blanks.  A word that is
 * longer has a line of its own. */
void wrap_paragraph(FILE *out, const char *text, size_t indent, size_t width);
/* The same with further lines behind `further` blanks. */
void wrap_hanging(FILE *out, const char *text, size_t indent, size_t further, size_t width);
/* Writes a line of a report, which has its own indentation; where it is too long, further lines
 * begin below what stands behind its label. */
void wrap_line(FILE *out, const char *line, size_t width);
/* Writes "  LABEL   TEXT": the label behind `indent` blanks, the text's lines from `column` on,
 * within `width` columns; 0: in one line. */
void wrap_item(FILE *out, const char *label, const char *text, size_t indent, size_t column,
               size_t width);
/* Writes the text with blanks, before it or behind, that make it so many columns. */
void wrap_right(FILE *out, const char *text, size_t columns);
void wrap_left(FILE *out, const char *text, size_t columns);

#endif
