/* utf8.h: code points in UTF-8 text.  Elements of a string input are code points. */
#ifndef RASP_BASE_UTF8_H
#define RASP_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length in bytes of the well-formed code point at text[0..length), 0 if there is none
 * (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
size_t utf8_step(const char *text, size_t length);

/* The code point at a place where utf8_step succeeded. */
uint32_t utf8_decode(const char *text);

/* The offset of the first byte that is not well-formed UTF-8, or `length`. */
size_t utf8_valid_prefix(const char *text, size_t length);

/* The number of code points in well-formed text. */
size_t utf8_count(const char *text, size_t length);

/* Terminal columns of one code point: 0, 1 or 2. */
int utf8_width(uint32_t code_point);

#endif
