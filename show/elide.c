#include "show/elide.h"

#include <stdbool.h>
#include <string.h>

/* Behind the string that begins here. */
static const char *behind_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* The bracket that closes the table that begins here, or NULL if it is none: there is another
 * bracket inside.  `end`: the last comma of its first `table` bytes. */
static const char *table_close(const char *open, size_t table, const char **end) {
    const char *at = open + 1;
    *end = NULL;
    while (*at && !strchr("[]{}", *at)) {
        if (*at == ',' && (size_t)(at - open) <= table) *end = at;
        at = *at == '"' ? behind_string(at) : at + 1;
    }
    return *at == ']' || *at == '}' ? at : NULL;
}

/* A bracket behind an operand begins an index. */
static bool begins_table(const char *text, const char *at) {
    return *at == '{' || (*at == '[' && (at == text || strchr(" ([", at[-1])));
}

/* Not within a character. */
static int cut_at(const char *text, size_t at) {
    while (at && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    return (int)at;
}

const char *elide(const char *text, size_t table, size_t most, Arena *arena) {
    const char *made = "", *from = text, *end, *at = text;
    while (*at && (size_t)(at - from) + strlen(made) <= most) {
        const char *close = begins_table(text, at) ? table_close(at, table, &end) : NULL;
        if (close && end && (size_t)(close - at) > table + strlen(", …")) {
            made = arena_format(arena, "%s%.*s, …", made, (int)(end - from), from);
            at = from = close;
        }
        at = *at == '"' ? behind_string(at) : at + 1;
    }
    made = arena_format(arena, "%s%.*s", made, (int)(at - from), from);
    size_t length = strlen(made);
    if (!*at && length <= most) return made;
    return arena_format(arena, "%.*s…", cut_at(made, length < most ? length : most), made);
}
