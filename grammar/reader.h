/* reader.h: collects lines until they form one statement (language.md section 3).
 *
 * The REPL and the loading of files feed a Reader one line at a time; it scans and parses
 * each line once, as it comes.  A statement is complete as soon as its last token is there;
 * a REPL command, which has no terminator, when the line ends.
 *
 *     source = source_add(map, "console", line, length);
 *     result = reader_line(reader, source, 0, source->length);
 *
 * A file that is loaded is one Source, and its lines are pieces of it.
 */
#ifndef RASP_GRAMMAR_READER_H
#define RASP_GRAMMAR_READER_H

#include "grammar/parse.h"

typedef enum ReaderStatus {
    READER_MORE,    /* unfinished: the next line goes on */
    READER_UNIT,    /* one statement */
    READER_SEVERAL, /* several statements in one unit; the reference runs none of them */
    READER_ERROR,   /* a syntax error; the unit is dropped */
} ReaderStatus;

typedef struct ReaderResult {
    ReaderStatus status;
    Ast *unit;           /* READER_UNIT: the statement; READER_SEVERAL: a block of them */
    const char *message; /* READER_ERROR: one line, in the arena */
    Span span;           /* READER_ERROR: where */
    bool again;          /* READER_ERROR of what stood on earlier lines, which the line does not
                            continue: it may be taken once more, on its own */
} ReaderResult;

typedef struct Reader Reader;

/* The context's sink is not used: the first mistake of a unit is the result. */
Reader *reader_new(const ParseContext *context);
void reader_free(Reader *reader); /* NULL is fine */

/* For people who type, beyond the reference: a blank line begins nothing, and ends a statement that
 * lacks no more than its ';'; a ';' behind a command is fine; where one is missing and the next
 * line does not continue the statement, it is read as if it was there.  Warnings go to `sink`. */
void reader_relax(Reader *reader, const DiagSink *sink);

/* The bytes [at, at + length) of the source are the next line, with or without its newline.
 * May jump to the budget's guard; the unit is then dropped. */
ReaderResult reader_line(Reader *reader, const Source *source, uint32_t at, uint32_t length);

/* Forgets an unfinished statement (Ctrl-C). */
void reader_drop(Reader *reader);

/* For the prompt: is the next line the first of a unit (">> ", else ".. ")?  How many words
 * `def` does the unit hold so far (two blanks each)? */
bool reader_is_fresh(const Reader *reader);
unsigned reader_def_words(const Reader *reader);

#endif
