/* Tasks from files: lines `input TAB output`, or JSON lines {"input": …, "output": …}. */
#include "express/task.h"

#include "base/file.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct Line {
    RaspAtom *tokens, *labels; /* labels: one, or one a position */
    bool *none;                /* [label] no instance */
    size_t length, label_count;
    const uint8_t *numbers; /* of the tokens in the alphabet */
    size_t number;          /* in the file, from 1 */
} Line;

enum { LONGEST_LINE = 1 << 20 };

typedef struct Reader {
    Arena *arena;
    const char *path;
    size_t number; /* of the line; 0: the whole file */
    RaspError *error;
    Line *lines;
    size_t count, room;
    RaspAtom *alphabet;
    size_t symbols, alphabet_room;
} Reader;

__attribute__((format(printf, 2, 3))) static bool refuse(Reader *r, const char *format, ...) {
    va_list args;
    *r->error = (RaspError){.status = RASP_WRONG_PROGRAM, .line = (uint32_t)r->number};
    const char *place = r->number ? arena_format(r->arena, ":%zu", r->number) : "";
    int used = snprintf(r->error->text, sizeof r->error->text, "%.512s%s: ", r->path, place);
    va_start(args, format);
    vsnprintf(r->error->text + used, sizeof r->error->text - (size_t)used, format, args);
    va_end(args);
    return false;
}

static RaspAtom keep(Arena *arena, RaspAtom atom) {
    if (atom.kind == RASP_STRING)
        atom.as.s.text = arena_text(arena, atom.as.s.text, atom.as.s.length);
    return atom;
}

/* --- values ---------------------------------------------------------------------------------- */

static bool read_text(Reader *r, const char *text, size_t length, RaspForm form, RaspAtom **atoms,
                      size_t *count) {
    RaspError error;
    RaspInput input = {.text = text, .length = length, .form = form};
    RaspAtom *read = rasp_input_read(&input, NULL, count, &error);
    if (!read) return refuse(r, "%s", error.text);
    *atoms = ARENA_ARRAY(r->arena, *count + 1, RaspAtom);
    for (size_t k = 0; k < *count; k++) (*atoms)[k] = keep(r->arena, read[k]);
    rasp_free(read);
    return true;
}

/* 3, 0.5, true, "text" as in a list; anything else is a text. */
static RaspAtom read_label(Reader *r, const char *text, size_t length) {
    RaspError error;
    size_t count;
    const char *list = arena_format(r->arena, "[%.*s]", (int)length, text);
    RaspInput input = {.text = list, .length = strlen(list), .form = RASP_AS_LIST};
    RaspAtom *read = length ? rasp_input_read(&input, NULL, &count, &error) : NULL;
    RaspAtom label = {.kind = RASP_STRING, .as.s = {arena_text(r->arena, text, length), length}};
    if (read && count == 1) label = keep(r->arena, read[0]);
    rasp_free(read);
    return label;
}

static void one_label(Reader *r, Line *line, RaspAtom label, bool none) {
    line->labels = ARENA_ARRAY(r->arena, 1, RaspAtom);
    line->none = ARENA_ARRAY(r->arena, 1, bool);
    line->labels[0] = label;
    line->none[0] = none;
    line->label_count = 1;
}

static bool json_atom(const json_t *value, Arena *arena, RaspAtom *atom) {
    switch (json_typeof(value)) {
    case JSON_STRING:
        *atom = (RaspAtom){.kind = RASP_STRING};
        atom->as.s.length = json_string_length(value);
        atom->as.s.text = arena_text(arena, json_string_value(value), atom->as.s.length);
        return true;
    case JSON_INTEGER:
        *atom = rasp_int(json_integer_value(value));
        return true;
    case JSON_REAL:
        *atom = rasp_float(json_real_value(value));
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        *atom = rasp_bool(json_is_true(value));
        return true;
    default:
        return false;
    }
}

static bool json_labels(Reader *r, Line *line, const json_t *list) {
    line->label_count = json_array_size(list);
    line->labels = ARENA_ARRAY(r->arena, line->label_count, RaspAtom);
    line->none = ARENA_ARRAY(r->arena, line->label_count, bool);
    for (size_t k = 0; k < line->label_count; k++) {
        const json_t *value = json_array_get(list, k);
        line->none[k] = json_is_null(value);
        if (!line->none[k] && !json_atom(value, r->arena, &line->labels[k]))
            return refuse(r, "expected labels that are texts, numbers, booleans or null");
    }
    return true;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* An output that is a list of the input's length labels each position. */
static bool labels_of_text(Reader *r, Line *line, const char *text, size_t length) {
    size_t count = 0;
    bool is_none = length == 4 && memcmp(text, "null", 4) == 0;
    if (length > 1 && text[0] == '[' && text[length - 1] == ']') {
        json_t *list = json_loadb(text, length, JSON_DECODE_ANY, NULL);
        count = list ? json_array_size(list) : 0;
        bool each = json_is_array(list) && count == line->length;
        bool fine = !each || json_labels(r, line, list);
        json_decref(list);
        if (each) return fine;
    }
    one_label(r, line, is_none ? rasp_bool(false) : read_label(r, text, length), is_none);
    return true;
}

static bool read_tabbed(Reader *r, Line *line, const char *text, size_t length) {
    const char *tab = memchr(text, '\t', length);
    if (!tab) return refuse(r, "expected an input, a tab and an output");
    size_t before = (size_t)(tab - text);
    return read_text(r, text, before, RASP_AUTO, &line->tokens, &line->length) &&
           labels_of_text(r, line, tab + 1, length - before - 1);
}

static bool json_tokens(Reader *r, Line *line, const json_t *input) {
    if (json_is_string(input))
        return read_text(r, json_string_value(input), json_string_length(input), RASP_AS_STRING,
                         &line->tokens, &line->length);
    if (!json_is_array(input)) return refuse(r, "expected an \"input\" that is a text or a list");
    line->length = json_array_size(input);
    line->tokens = ARENA_ARRAY(r->arena, line->length + 1, RaspAtom);
    for (size_t k = 0; k < line->length; k++)
        if (!json_atom(json_array_get(input, k), r->arena, &line->tokens[k]))
            return refuse(r, "expected tokens that are texts, numbers or booleans");
    return true;
}

static bool read_object(Reader *r, Line *line, const json_t *object) {
    const json_t *output = json_object_get(object, "output");
    RaspAtom label;
    if (!output) return refuse(r, "expected an object with \"input\" and \"output\"");
    if (!json_tokens(r, line, json_object_get(object, "input"))) return false;
    if (json_is_array(output) && json_array_size(output) == line->length)
        return json_labels(r, line, output);
    if (json_is_null(output)) return one_label(r, line, rasp_bool(false), true), true;
    if (!json_atom(output, r->arena, &label)) { /* a list of another length: its text */
        char *text = json_dumps(output, JSON_ENCODE_ANY);
        label = (RaspAtom){.kind = RASP_STRING};
        label.as.s.length = text ? strlen(text) : 0;
        label.as.s.text = arena_text(r->arena, text ? text : "", label.as.s.length);
        free(text);
    }
    return one_label(r, line, label, false), true;
}

static bool read_json(Reader *r, Line *line, const char *text, size_t length) {
    json_error_t at;
    json_t *object = json_loadb(text, length, 0, &at);
    if (!object) return refuse(r, "expected a JSON object: %s", at.text);
    bool fine = read_object(r, line, object);
    json_decref(object);
    return fine;
}

static bool number_tokens(Reader *r, Line *line) {
    uint8_t *numbers = arena_alloc(r->arena, line->length + 1);
    for (size_t i = 0; i < line->length; i++) {
        size_t k = 0;
        while (k < r->symbols && !rasp_atom_same(r->alphabet[k], line->tokens[i])) k++;
        if (k == r->symbols) {
            if (k == 255) return refuse(r, "expected at most 255 different tokens");
            r->alphabet =
                arena_grow(r->arena, r->alphabet, &r->alphabet_room, k + 1, sizeof *r->alphabet);
            r->alphabet[r->symbols++] = line->tokens[i];
        }
        numbers[i] = (uint8_t)k;
    }
    line->numbers = numbers;
    return true;
}

static bool read_line(Reader *r, const char *text, size_t length) {
    Line line = {.number = r->number};
    bool fine =
        text[0] == '{' ? read_json(r, &line, text, length) : read_tabbed(r, &line, text, length);
    if (!fine) return false;
    if (line.length == 0) return refuse(r, "expected an input of at least one token");
    if (line.length > TASK_LONGEST)
        return refuse(r, "expected an input of at most %d tokens, found %zu", TASK_LONGEST,
                      line.length);
    if (!number_tokens(r, &line)) return false;
    r->lines = arena_grow(r->arena, r->lines, &r->room, r->count + 1, sizeof *r->lines);
    r->lines[r->count++] = line;
    return true;
}

/* --- the task --------------------------------------------------------------------------------- */

static int by_input(const void *a, const void *b) {
    const Line *p = a, *q = b;
    if (p->length != q->length) return p->length < q->length ? -1 : 1;
    return memcmp(p->numbers, q->numbers, p->length);
}

static int by_token(const void *a, const void *b) {
    const RaspAtom *p = a, *q = b;
    if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
    switch (p->kind) {
    case RASP_STRING:
        return strcmp(p->as.s.text, q->as.s.text);
    case RASP_INT:
        return (p->as.i > q->as.i) - (p->as.i < q->as.i);
    case RASP_FLOAT:
        return (p->as.f > q->as.f) - (p->as.f < q->as.f);
    default:
        return p->as.b - q->as.b;
    }
}

/* Tokens in their own order, whatever the order of the lines. */
static bool sort_lines(Reader *r) {
    qsort(r->alphabet, r->symbols, sizeof *r->alphabet, by_token);
    size_t most = r->symbols;
    for (size_t k = 0; k < r->count; k++)
        if (!number_tokens(r, &r->lines[k])) return false;
    qsort(r->lines, r->count, sizeof *r->lines, by_input);
    for (size_t k = 1; k < r->count; k++) {
        size_t a = r->lines[k - 1].number, b = r->lines[k].number;
        r->number = a < b ? b : a;
        if (by_input(&r->lines[k - 1], &r->lines[k]) == 0)
            return refuse(r, "expected each input once, found that of line %zu again",
                          a < b ? a : b);
    }
    return most == r->symbols;
}

static void add_line(Task *task, const Line *line, size_t *count) {
    for (size_t k = 0; k < line->label_count; k++) {
        size_t position = line->label_count == 1 ? line->length - 1 : k;
        if (line->none[k]) continue;
        if (position != line->length - 1) task->last = false;
        task->instances = arena_grow(task->arena, task->instances, &task->room, *count + 1,
                                     sizeof *task->instances);
        task->instances[(*count)++] = (Instance){.tokens = line->numbers,
                                                 .input = task->inputs,
                                                 .label = task_label(task, line->labels[k]),
                                                 .length = (uint8_t)line->length,
                                                 .position = (uint8_t)position};
    }
    task->inputs++;
}

static Task *task_of_lines(Reader *r) {
    Task *task = ARENA_NEW(r->arena, Task);
    *task = (Task){.arena = r->arena,
                   .alphabet = r->alphabet,
                   .symbols = (uint32_t)r->symbols,
                   .last = true,
                   .first = -1};
    size_t count = 0, k = 0;
    task->length = (uint32_t)r->lines[r->count - 1].length;
    for (uint32_t n = 1; n <= task->length; n++) {
        for (; k < r->count && r->lines[k].length == n; k++) add_line(task, &r->lines[k], &count);
        task->until[n] = count;
    }
    return task;
}

/* One line without its end; false: there is none.  LONGEST_LINE + 1 bytes of one that is too long.
 */
static bool next_line(FILE *in, char *text, size_t *length) {
    int c = getc(in);
    if (c == EOF) return false;
    for (*length = 0; c != EOF && c != '\n' && *length <= LONGEST_LINE; c = getc(in))
        text[(*length)++] = (char)c;
    if (*length && *length <= LONGEST_LINE && text[*length - 1] == '\r') --*length;
    text[*length] = '\0';
    return true;
}

static bool read_lines(Reader *r, FILE *in) {
    char *whole = arena_alloc(r->arena, LONGEST_LINE + 2);
    size_t length;
    bool fine = true;
    while (fine && next_line(in, whole, &length)) {
        char *text = whole;
        if (++r->number == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, length -= 3;
        if (length > LONGEST_LINE)
            fine = refuse(r, "expected lines of at most %d bytes", LONGEST_LINE);
        else if (length)
            fine = read_line(r, text, length);
    }
    r->number = fine ? 0 : r->number;
    if (fine && ferror(in)) return refuse(r, "cannot read it: %s", strerror(errno));
    if (fine && r->count == 0) return refuse(r, "expected lines `input TAB output`, found none");
    return fine && sort_lines(r);
}

Task *task_of_file(Arena *arena, const char *path, RaspError *error) {
    Reader r = {.arena = arena, .path = path, .error = error};
    FILE *in = file_open(path);
    if (!in) {
        *error = (RaspError){.status = RASP_NO_FILE};
        snprintf(error->text, sizeof error->text, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    bool fine = read_lines(&r, in);
    fclose(in);
    return fine ? task_of_lines(&r) : NULL;
}
