/* value_text.h: values as text, in the reference's three ways of writing them
 * (language.md 6, 13.4, 14.1), and the builder that collects such text. */
#ifndef RASP_INTERP_EVAL_VALUE_TEXT_H
#define RASP_INTERP_EVAL_VALUE_TEXT_H

#include "interp/eval/value.h"

/* Text that grows in an arena; or, for display names, in a buffer of the caller's, cut after
 * `limit` code points (`chars` is then larger). */
typedef struct Text {
    Arena *arena; /* NULL: `bytes` is the caller's */
    char *bytes;  /* NUL behind it */
    size_t length, capacity, chars, limit;
} Text;

Text text_new(Arena *arena);
/* `size` of at least 4 * limit + 8 bytes, limit at most 48. */
Text text_cut(char *buffer, size_t size, size_t limit);
static inline bool text_is_cut(const Text *text) {
    return text->chars > text->limit;
}
void text_put(Text *text, const char *words);
void text_put_str(Text *text, const Str *s);

typedef enum TextStyle {
    TEXT_PLAIN,  /* strings as they are; lists and dicts as below */
    TEXT_LISTED, /* inside a printed list: 'a', [1, 'b'], {'k': 1} */
    TEXT_QUOTED, /* strings in double quotes, inside lists and dicts too */
} TextStyle;

/* S-ops and selectors by display name, functions as `console function: f(x)`. */
void text_put_value(Text *text, Value value, TextStyle style);

const char *value_show(Value value, TextStyle style, Arena *arena);

/* The values as a printed tuple, "(0, 'h', 'e')". */
void text_put_tuple(Text *text, const Value *values, size_t count);

#endif
