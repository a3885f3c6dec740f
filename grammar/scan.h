/* scan.h: the scanner's actions that need more than a line; for rasp.l alone.
 *
 * Those that give a value report a literal that is out of range and go on with 0.  Those
 * that give a token report a mistake and return the error token.
 */
#ifndef RASP_GRAMMAR_SCAN_H
#define RASP_GRAMMAR_SCAN_H

#include "grammar/parser.h"

const Str *scan_name(Parser *p, const char *text, size_t length);
int64_t scan_int(Parser *p, const char *text, Span span);
double scan_float(Parser *p, const char *text, Span span);

int scan_unclosed(Parser *p, Span span);
int scan_single_quoted(Parser *p, const char *text, size_t length, Span span);
int scan_bad_number(Parser *p, const char *text, Span span);
int scan_foreign(Parser *p, const char *text, Span span);
int scan_unknown(Parser *p, const char *text, size_t length, Span span);

_Noreturn void scan_out_of_memory(Parser *p);

#endif
