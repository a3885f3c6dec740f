/* scan.h: the scanner's actions that need more than a line; for rasp.l alone.
 *
 * Those that give a value report a literal that is out of range and go on with 0.  Those
 * that give a token report a mistake and return the error token.
 */
#ifndef RASP_GRAMMAR_SCAN_H
#define RASP_GRAMMAR_SCAN_H

#include "grammar/parser.h"

#include "grammar/rasp_parse.h"

/* A word with the `(` behind it, if there is one; signs in a row.  `length` becomes how much of
 * the text the token takes. */
int scan_word(Parser *p, const char *text, size_t *length, RASP_STYPE *value);
int scan_signs(Parser *p, const char *text, size_t *length, RASP_STYPE *value, Span span);

const Str *scan_name(Parser *p, const char *text, size_t length);
int64_t scan_int(Parser *p, const char *text, Span span);
double scan_float(Parser *p, const char *text, Span span);

int scan_unclosed(Parser *p, Span span);
int scan_single_quoted(Parser *p, const char *text, size_t length, Span span);
int scan_bad_number(Parser *p, const char *text, Span span);
int scan_unknown(Parser *p, const char *text, size_t length, Span span);

_Noreturn void scan_out_of_memory(Parser *p);

#endif
