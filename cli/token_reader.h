/* token_reader.h: tokens from bytes as they come, for `rasp run --stream`.
 *
 * A line is a sequence.  Each of its characters is a token, or each element of the list that it is,
 * [3, 1, 2], as soon as the comma or bracket behind it is there.  A line is a list if it begins
 * with
 * '[', unless that is one of the tokens; the forms of an input (rasp.h) may say otherwise. */
#ifndef RASP_CLI_TOKEN_READER_H
#define RASP_CLI_TOKEN_READER_H

#include "api/rasp.h"

typedef struct TokenReader {
    RaspForm form;
    bool bracket_is_token;
    void *context;
    void (*token)(void *context, RaspAtom token);      /* valid during the call */
    void (*wrong)(void *context, const char *message); /* the rest of the line is skipped */
    void (*end)(void *context);                        /* of the line */
    /* The reader's own, zero at first: */
    enum { READER_FRESH, READER_CHARACTERS, READER_LIST, READER_CLOSED, READER_SKIPPING } state;
    bool quoted, escaped; /* within an element */
    char *kept;           /* malloc'd: of an element or a character that is not complete */
    size_t length, room;
} TokenReader;

void token_reader_take(TokenReader *reader, const char *bytes, size_t length);
/* The end of the input; frees what was kept. */
void token_reader_end(TokenReader *reader);

#endif
