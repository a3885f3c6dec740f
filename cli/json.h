/* json.h: writing JSON (RFC 8259) as it comes, without building it first.
 *
 *     Json j = {.out = stdout};
 *     json_begin_object(&j, NULL);
 *     json_text(&j, "sop", name);
 *     json_begin_array(&j, "heads");
 *     for (...) json_count(&j, NULL, heads[k]);
 *     json_end(&j);
 *     json_end(&j);
 *
 * writes {"sop": "sort", "heads": [1, 2]} and a newline.  Each call takes the key that the value
 * has in an object, NULL in an array and for the outermost value.  Commas come by themselves;
 * json_end closes what was begun last, and the end of the outermost one ends the line.
 *
 * To write into memory, give it the stream of open_memstream.  A key that is missing, or one
 * too many, is a bug of the caller (assert).
 */
#ifndef RASP_CLI_JSON_H
#define RASP_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { JSON_DEPTH = 16 };

/* Only the first two are the caller's. */
typedef struct Json {
    FILE *out;
    bool lines;            /* entries of the outermost value begin a line, and objects and lists
                              within them */
    bool more;             /* the next entry is not the first one */
    unsigned depth;        /* what is open: */
    char open[JSON_DEPTH]; /* '{' or '[' */
} Json;

/* Has a value been begun on standard output? */
bool json_has_begun(void);
void json_forget(void); /* that one has */

void json_begin_object(Json *json, const char *key);
void json_begin_array(Json *json, const char *key);
void json_end(Json *json);

/* Strings are UTF-8. */
void json_text(Json *json, const char *key, const char *text);
void json_quoted(Json *json, const char *key, const char *text, size_t length);
/* Of bytes that need not be UTF-8: what is not becomes U+FFFD. */
void json_bytes(Json *json, const char *key, const char *bytes, size_t length);

void json_flag(Json *json, const char *key, bool value);
void json_count(Json *json, const char *key, size_t value);
/* A number in the format of printf; null for infinities and NaN, which JSON has not. */
void json_number(Json *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value that is JSON already. */
void json_ready(Json *json, const char *key, const char *text);

#endif
