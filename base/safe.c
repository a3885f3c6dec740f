#include "base/safe.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static const struct {
    uint32_t from, to;
} unsafe[] = {
    {0x0, 0x1f},      {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},   {0x2028, 0x202e},
    {0x2066, 0x2069}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

bool safe_character(uint32_t code_point) {
    for (size_t k = 0; k < sizeof unsafe / sizeof *unsafe; k++)
        if (code_point >= unsafe[k].from && code_point <= unsafe[k].to) return false;
    return true;
}

static void put_escape(char escape[SAFE_MOST], uint32_t c) {
    static const char named[] = "\n\r\t", letters[] = "nrt";
    const char *name = c ? strchr(named, (int)(c < 0x80 ? c : 0x7f)) : NULL;
    if (name)
        snprintf(escape, SAFE_MOST, "\\%c", letters[name - named]);
    else if (c < 0x100)
        snprintf(escape, SAFE_MOST, "\\x%02x", c & 0xff);
    else if (c < 0x10000)
        snprintf(escape, SAFE_MOST, "\\u%04x", c & 0xffff);
    else
        memcpy(escape, "\xef\xbf\xbd", 4); /* U+FFFD */
}

size_t safe_step(const char *text, size_t length, char escape[SAFE_MOST]) {
    size_t step = utf8_step(text, length);
    uint32_t c = step ? utf8_decode(text) : (unsigned char)*text;
    *escape = '\0';
    if (!step || !safe_character(c)) put_escape(escape, c);
    return step ? step : 1;
}

bool safe_all(const char *text, size_t length) {
    char escape[SAFE_MOST];
    for (size_t at = 0; at < length;) {
        at += safe_step(text + at, length - at, escape);
        if (*escape) return false;
    }
    return true;
}
