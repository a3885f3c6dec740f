#include "cli/token_reader.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(TokenReader *r, const char *message) {
    r->state = READER_SKIPPING;
    r->length = 0;
    r->wrong(r->context, message);
}

static bool keep(TokenReader *r, char c) {
    enum { PIECE = 64 };
    if (r->length + 1 >= r->room) {
        char *larger = realloc(r->kept, 2 * r->room + PIECE);
        if (!larger) {
            fail(r, "out of memory for a token");
            return false;
        }
        r->kept = larger;
        r->room = 2 * r->room + PIECE;
    }
    r->kept[r->length++] = c;
    return true;
}

/* --- characters ------------------------------------------------------------------------- */

static size_t expected_length(char first) {
    unsigned char c = (unsigned char)first;
    return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

static void take_character(TokenReader *r, char c) {
    char message[64];
    if (!keep(r, c) || r->length < expected_length(r->kept[0])) return;
    if (utf8_step(r->kept, r->length) == r->length) {
        r->token(r->context, (RaspAtom){RASP_STRING, {.s = {r->kept, r->length}}});
        if (r->state == READER_CHARACTERS) r->length = 0;
        return;
    }
    snprintf(message, sizeof message, "expected UTF-8 text, found the byte 0x%02x",
             (unsigned char)r->kept[0]);
    fail(r, message);
}

/* --- elements --------------------------------------------------------------------------- */

/* What was kept is "[ELEMENT". */
static void finish_element(TokenReader *r) {
    RaspError error;
    size_t count;
    char message[160];
    if (!keep(r, ']')) return;
    RaspInput input = {.text = r->kept, .length = r->length, .form = RASP_AS_LIST};
    RaspAtom *atoms = rasp_input_read(&input, NULL, &count, &error);
    if (atoms) {
        r->token(r->context, atoms[0]);
    } else {
        snprintf(message, sizeof message,
                 "expected a number, a string in double quotes, True or False, found '%.*s'",
                 r->length - 2 > 60 ? 60 : (int)r->length - 2, r->kept + 1);
        fail(r, message);
    }
    rasp_free(atoms);
    r->length = 0;
    if (r->state == READER_LIST) keep(r, '[');
}

static void take_in_list(TokenReader *r, char c) {
    bool ends = !r->quoted && (c == ',' || c == ']');
    if (ends) {
        finish_element(r);
        if (c == ']' && r->state == READER_LIST) r->state = READER_CLOSED, r->length = 0;
        return;
    }
    if (r->quoted && !r->escaped && c == '\\')
        r->escaped = true;
    else if (c == '"' && !r->escaped)
        r->quoted = !r->quoted;
    else
        r->escaped = false;
    keep(r, c);
}

/* --- lines ------------------------------------------------------------------------------ */

static void begin_line(TokenReader *r, char c) {
    bool list =
        r->form == RASP_AS_LIST || (r->form == RASP_AUTO && c == '[' && !r->bracket_is_token);
    r->state = list ? READER_LIST : READER_CHARACTERS;
    r->quoted = r->escaped = false;
    r->length = 0;
    if (!list)
        take_character(r, c);
    else if (c == '[')
        keep(r, c);
    else
        fail(r, "expected a list, [1, 2] or [\"a\", \"b\"]");
}

static void end_line(TokenReader *r) {
    if (r->state == READER_LIST) fail(r, "expected ',' or ']', found the end of the line");
    if (r->state == READER_CHARACTERS && r->length) fail(r, "the line ends within a character");
    r->state = READER_FRESH;
    r->length = 0;
    r->end(r->context);
}

static void take_byte(TokenReader *r, char c) {
    if (c == '\n') {
        end_line(r);
        return;
    }
    switch (r->state) {
    case READER_FRESH:
        begin_line(r, c);
        break;
    case READER_CHARACTERS:
        take_character(r, c);
        break;
    case READER_LIST:
        take_in_list(r, c);
        break;
    case READER_CLOSED:
        if (!strchr(" \t\r", c)) fail(r, "expected the end of the line behind ']'");
        break;
    case READER_SKIPPING:
        break;
    }
}

void token_reader_take(TokenReader *r, const char *bytes, size_t length) {
    for (size_t k = 0; k < length; k++) take_byte(r, bytes[k]);
}

void token_reader_end(TokenReader *r) {
    if (r->state != READER_FRESH) end_line(r);
    free(r->kept);
    r->kept = NULL;
    r->length = r->room = 0;
}
