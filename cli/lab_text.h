/* lab_text.h: text fitted to columns: cells, paragraphs, tables and pictures of characters. */
#ifndef RASP_CLI_LAB_TEXT_H
#define RASP_CLI_LAB_TEXT_H

#include "lab/lab.h"

/* Columns that a text takes. */
int lab_columns(const char *text);

/* Exactly `width` columns: padded, or cut with '…' at the end. */
void lab_put_left(const char *text, int width);
/* At least `width` columns, the text at the right. */
void lab_put_right(const char *text, int width);

/* Broken at spaces; lines after the first stand below the text, not below the label. */
void lab_put_paragraph(const char *label, const char *text, int width);

/* After an empty line: the title, then columns as wide as what is in them, numbers at the right. */
void lab_put_table(const PageTable *table);

/* After an empty line: bars, curves in a grid of characters, or shades of a matrix. */
void lab_put_plot(const Plot *plot, int width);

#endif
