#include "cli/line_edit.h"

#include "cli/history.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/width.h"

#include <histedit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REMEMBERED = 2000, OFFERS = 400, ESCAPE = 1 /* marks colour in the prompt */ };

struct LineEdit {
    EditLine *editor;
    History *history;
    HistoryFile file;
    char prompt[128];
    bool colour;
    bool dropped; /* Ctrl-C was typed */
    LineCompleter *complete;
    void *context;
    char *line; /* malloc'd: the last line without its newline */
    /* what a completion has found so far */
    char *offer[OFFERS];
    size_t offers;
};

static LineEdit *owner(EditLine *editor) {
    LineEdit *edit = NULL;
    el_get(editor, EL_CLIENTDATA, &edit);
    return edit;
}

/* --- keys ------------------------------------------------------------------------------- */

static char *prompt(EditLine *editor) {
    return owner(editor)->prompt;
}

static unsigned char drop_line(EditLine *editor, int key) {
    (void)key;
    owner(editor)->dropped = true;
    return CC_NEWLINE;
}

/* Without the terminal's signals Ctrl-Z is a key, too. */
static unsigned char suspend(EditLine *editor, int key) {
    (void)key;
    el_set(editor, EL_PREP_TERM, 0);
    kill(0, SIGTSTP);
    el_set(editor, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
}

/* Ctrl-D deletes a character, and on an empty line ends the input. */
static unsigned char end_or_delete(EditLine *editor, int key) {
    (void)key;
    const LineInfo *info = el_line(editor);
    if (info->lastchar == info->buffer) return CC_EOF;
    if (info->cursor == info->lastchar) return CC_CURSOR;
    el_deletestr1(editor, (int)(info->cursor - info->buffer),
                  (int)(info->cursor - info->buffer) + 1);
    return CC_REFRESH;
}

/* --- completion ------------------------------------------------------------------------- */

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Where the word before the cursor begins: behind the quote of an open string. */
static const char *word_begin(const LineInfo *info) {
    const char *begin = info->cursor, *quote = NULL;
    for (const char *at = info->buffer; at < info->cursor; at++)
        if (*at == '"') quote = quote ? NULL : at;
    if (quote) return quote + 1;
    while (begin > info->buffer && is_word(begin[-1])) begin--;
    return begin;
}

static void collect(void *to, const char *word) {
    LineEdit *edit = to;
    for (size_t k = 0; k < edit->offers; k++)
        if (strcmp(edit->offer[k], word) == 0) return;
    if (edit->offers < OFFERS && (edit->offer[edit->offers] = strdup(word))) edit->offers++;
}

/* How many bytes all offers begin with in common. */
static size_t common_length(const LineEdit *edit) {
    size_t common = strlen(edit->offer[0]);
    for (size_t k = 1; k < edit->offers; k++) {
        size_t same = 0;
        while (same < common && edit->offer[k][same] == edit->offer[0][same]) same++;
        common = same;
    }
    return common;
}

static int compare_offers(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_offers(LineEdit *edit) {
    size_t widest = 0, columns, width = width_of_output();
    qsort(edit->offer, edit->offers, sizeof *edit->offer, compare_offers);
    for (size_t k = 0; k < edit->offers; k++)
        if (strlen(edit->offer[k]) > widest) widest = strlen(edit->offer[k]);
    columns = width > widest + 2 ? (width - 1) / (widest + 2) : 1;
    for (size_t k = 0; k < edit->offers; k++)
        printf("%s%-*s", k % columns ? "" : "\n", (int)widest + 2, edit->offer[k]);
    putchar('\n');
    fflush(stdout);
}

static unsigned char complete_word(EditLine *editor, int key) {
    (void)key;
    LineEdit *edit = owner(editor);
    const LineInfo *info = el_line(editor);
    const char *begin = word_begin(info);
    size_t length = (size_t)(info->cursor - begin), at = (size_t)(begin - info->buffer);
    char *line = strndup(info->buffer, (size_t)(info->cursor - info->buffer));
    unsigned char result = CC_ERROR;
    edit->offers = 0;
    if (line && edit->complete) edit->complete(edit->context, line, at, line + at, collect, edit);
    if (edit->offers) {
        size_t common = common_length(edit);
        if (common > length) {
            edit->offer[0][common] = '\0';
            el_insertstr(editor, edit->offer[0] + length);
            result = CC_REFRESH;
        } else if (edit->offers > 1) {
            list_offers(edit);
            result = CC_REDISPLAY;
        }
    }
    for (size_t k = 0; k < edit->offers; k++) free(edit->offer[k]);
    free(line);
    return result;
}

/* --- setting up ------------------------------------------------------------------------- */

static void remember(void *context, const char *line) {
    HistEvent event;
    history(((LineEdit *)context)->history, &event, H_ENTER, line);
}

static void open_history(LineEdit *edit) {
    HistEvent event;
    history(edit->history, &event, H_SETSIZE, REMEMBERED);
    history(edit->history, &event, H_SETUNIQUE, 1);
    el_set(edit->editor, EL_HIST, history, edit->history);
    history_open(&edit->file, remember, edit);
}

static const struct {
    const char *name, *help, *key;
    unsigned char (*run)(EditLine *editor, int key);
} keys[] = {
    {"rasp-drop", "forget the statement", "^C", drop_line},
    {"rasp-end", "delete a character or leave", "^D", end_or_delete},
    {"rasp-suspend", "stop until continued", "^Z", suspend},
    {"rasp-complete", "complete a name", "^I", complete_word},
};

static void bind_keys(EditLine *editor) {
    el_set(editor, EL_EDITOR, "emacs");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        el_set(editor, EL_ADDFN, keys[k].name, keys[k].help, keys[k].run);
        el_set(editor, EL_BIND, keys[k].key, keys[k].name, NULL);
    }
    el_set(editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
    /* While a line is edited Ctrl-C is a key; while a statement runs it is a signal. */
    el_set(editor, EL_SETTY, "-d", "-isig", NULL);
}

LineEdit *line_edit_new(LineCompleter *complete, void *context) {
    LineEdit *edit = calloc(1, sizeof *edit);
    if (!edit) return NULL;
    edit->editor = el_init("rasp", stdin, safe_terminal(), stderr);
    edit->history = history_init();
    edit->complete = complete;
    edit->context = context;
    edit->colour = report_colour(STDOUT_FILENO);
    if (!edit->editor || !edit->history) {
        line_edit_free(edit);
        return NULL;
    }
    el_set(edit->editor, EL_CLIENTDATA, edit);
    el_set(edit->editor, EL_PROMPT_ESC, prompt, ESCAPE);
    open_history(edit);
    bind_keys(edit->editor);
    el_source(edit->editor, NULL); /* the user's ~/.editrc has the last word */
    return edit;
}

void line_edit_free(LineEdit *edit) {
    if (!edit) return;
    if (edit->editor) el_end(edit->editor);
    if (edit->history) history_end(edit->history);
    history_close(&edit->file);
    free(edit->line);
    free(edit);
}

/* --- reading ---------------------------------------------------------------------------- */

/* The colour ends in front of the blanks: libedit loses an escape that no character follows. */
static void set_prompt(LineEdit *edit, const char *text) {
    int marks = (int)strcspn(text, " ");
    if (edit->colour)
        snprintf(edit->prompt, sizeof edit->prompt, "%c\33[1;34m%c%.*s%c\33[0m%c%s", ESCAPE, ESCAPE,
                 marks, text, ESCAPE, ESCAPE, text + marks);
    else
        snprintf(edit->prompt, sizeof edit->prompt, "%s", text);
}

static void keep_in_history(LineEdit *edit, size_t length) {
    if (strspn(edit->line, " \t") == length) return;
    remember(edit, edit->line);
    history_add(&edit->file, edit->line, length);
}

LineStatus line_edit_read(LineEdit *edit, const char *text, const char **line, size_t *length) {
    int count = 0;
    set_prompt(edit, text);
    edit->dropped = false;
    fflush(stdout);
    const char *got = el_gets(edit->editor, &count);
    if (edit->dropped) {
        puts("^C");
        return LINE_DROPPED;
    }
    if (!got || count <= 0) return LINE_END;
    size_t size = (size_t)count;
    if (got[size - 1] == '\n') size--;
    free(edit->line);
    edit->line = strndup(got, size);
    if (!edit->line) return LINE_END;
    keep_in_history(edit, size);
    *line = edit->line;
    *length = size;
    return LINE_READ;
}
