/* Sequences as text: a loop a form, as most of a long run's time may go into printing. */
#include "api/value.h"

#include <string.h>

/* Bytes of a separator and of a number, at most. */
enum { NUMBER_ROOM = 66 };

typedef struct Text {
    char *at, *end;
} Text;

static char *put_separator(char *to, size_t position) {
    if (position == 0) return to;
    *to++ = ',';
    *to++ = ' ';
    return to;
}

static char *put_int(char *to, int64_t value) {
    if (value >= 0 && value < 10) {
        *to++ = (char)('0' + value);
        return to;
    }
    char reversed[24];
    int count = 0;
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do reversed[count++] = (char)('0' + size % 10);
    while (size /= 10);
    if (value < 0) *to++ = '-';
    while (count > 0) *to++ = reversed[--count];
    return to;
}

/* Each gives the first position that it did not write. */
static size_t put_ints(Text *text, const int64_t *ints, size_t position, size_t length) {
    for (; position < length && text->end - text->at >= NUMBER_ROOM; position++)
        text->at = put_int(put_separator(text->at, position), ints[position]);
    return position;
}

static size_t put_strings(Text *text, const Str *const *strings, size_t position, size_t length) {
    for (; position < length; position++) {
        const Str *s = strings[position];
        if ((size_t)(text->end - text->at) < 2 + (size_t)s->length) break;
        char *to = put_separator(text->at, position);
        if (s->length == 1)
            *to = s->text[0];
        else
            memcpy(to, s->text, s->length);
        text->at = to + s->length;
    }
    return position;
}

static size_t put_atoms(Text *text, const RaspSequence *s, size_t position) {
    for (; position < s->length && text->end - text->at >= NUMBER_ROOM; position++) {
        RaspAtom atom = rasp_sequence_at(s, position);
        size_t room = (size_t)(text->end - text->at) - 2;
        if (atom.kind == RASP_STRING && atom.as.s.length >= room) break;
        char *to = put_separator(text->at, position);
        text->at = to + rasp_atom_text(atom, RASP_CELL, to, room);
    }
    return position;
}

size_t rasp_sequence_text(const RaspSequence *s, size_t *position, char *text, size_t size) {
    const Column *column = s->column && !s->column->constant ? s->column : NULL;
    Text out = {text, text + size};
    if (column && column->form == COLUMN_INT)
        *position = put_ints(&out, column->ints + s->first, *position, s->length);
    else if (column && column->form == COLUMN_STRING)
        *position =
            put_strings(&out, (const Str *const *)column->strings + s->first, *position, s->length);
    else
        *position = put_atoms(&out, s, *position);
    return (size_t)(out.at - text);
}
