#include "cli/lab_text.h"

#include "base/utf8.h"
#include "cli/lab_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WITHOUT_TERMINAL = 100, NARROWEST = 40 };

int lab_width(void) {
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WITHOUT_TERMINAL;
    return size.ws_col < NARROWEST ? NARROWEST : size.ws_col;
}

int lab_columns(const char *text) {
    int columns = 0;
    for (size_t step; *text; text += step) {
        step = utf8_step(text, strlen(text));
        columns += step ? utf8_width(utf8_decode(text)) : 1;
        if (!step) step = 1;
    }
    return columns;
}

/* Bytes of the longest beginning of a text that fits. */
static size_t fitting(const char *text, int width) {
    size_t bytes = 0;
    for (int columns = 0; text[bytes];) {
        size_t step = utf8_step(text + bytes, strlen(text + bytes));
        columns += step ? utf8_width(utf8_decode(text + bytes)) : 1;
        if (columns > width) break;
        bytes += step ? step : 1;
    }
    return bytes;
}

void lab_put_left(const char *text, int width) {
    int columns = lab_columns(text);
    if (columns <= width) {
        printf("%s%*s", text, width - columns, "");
        return;
    }
    size_t bytes = fitting(text, width - 1);
    while (bytes && text[bytes - 1] == ' ') bytes--;
    printf("%.*s…", (int)bytes, text);
    char cut[256];
    snprintf(cut, sizeof cut, "%.*s", (int)bytes, text);
    for (int k = lab_columns(cut) + 1; k < width; k++) putchar(' ');
}

void lab_put_right(const char *text, int width) {
    int pad = width - lab_columns(text);
    printf("%*s%s", pad > 0 ? pad : 0, "", text);
}

void lab_put_paragraph(const char *label, const char *text, int width) {
    int indent = 2 + lab_columns(label), column = indent;
    bool first = true;
    printf("  %s", label);
    while (*text) {
        size_t length = strcspn(text, " \n");
        char word[256];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        int columns = lab_columns(word);
        if (!first && column + 1 + columns > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            putchar(' ');
            column++;
        }
        fwrite(text, 1, length, stdout);
        column += columns;
        first = false;
        text += length;
        text += strspn(text, " \n");
    }
    putchar('\n');
}

/* --- tables --------------------------------------------------------------------------------- */

static int column_width(const PageTable *t, size_t column) {
    int width = lab_columns(t->columns[column]);
    for (size_t k = column; k < t->cell_count; k += t->column_count) {
        int columns = lab_columns(t->cells[k]);
        if (columns > width) width = columns;
    }
    return width;
}

static void put_cell(const PageTable *t, size_t column, const char *text, bool right) {
    int width = column_width(t, column);
    fputs("  ", stdout);
    if (right)
        lab_put_right(text, width);
    else if (column + 1 < t->column_count)
        lab_put_left(text, width);
    else
        fputs(text, stdout);
}

void lab_put_table(const PageTable *t) {
    printf("\n%s\n", t->title);
    for (size_t k = 0; k < t->column_count; k++)
        put_cell(t, k, t->columns[k], t->cell_count > k && t->numeric[k]);
    putchar('\n');
    if (!t->cell_count) puts("  (none)");
    for (size_t k = 0; k < t->cell_count; k++) {
        put_cell(t, k % t->column_count, t->cells[k], t->numeric[k]);
        if ((k + 1) % t->column_count == 0) putchar('\n');
    }
}
