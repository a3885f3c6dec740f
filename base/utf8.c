#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t utf8_step(const char *text, size_t length) {
    const unsigned char *t = (const unsigned char *)text;
    if (length == 0) return 0;
    if (t[0] < 0x80) return 1;
    size_t size = t[0] >= 0xf0 ? 4 : t[0] >= 0xe0 ? 3 : 2;
    if (t[0] < 0xc2 || t[0] > 0xf4 || size > length) return 0;
    for (size_t k = 1; k < size; k++)
        if ((t[k] & 0xc0) != 0x80) return 0;
    if (t[0] == 0xe0 && t[1] < 0xa0) return 0;
    if (t[0] == 0xed && t[1] > 0x9f) return 0;
    if (t[0] == 0xf0 && t[1] < 0x90) return 0;
    if (t[0] == 0xf4 && t[1] > 0x8f) return 0;
    return size;
}

uint32_t utf8_decode(const char *text) {
    const unsigned char *t = (const unsigned char *)text;
    if (t[0] < 0x80) return t[0];
    if (t[0] < 0xe0) return (t[0] & 0x1fu) << 6 | (t[1] & 0x3fu);
    if (t[0] < 0xf0) return (t[0] & 0x0fu) << 12 | (t[1] & 0x3fu) << 6 | (t[2] & 0x3fu);
    return (t[0] & 0x07u) << 18 | (t[1] & 0x3fu) << 12 | (t[2] & 0x3fu) << 6 | (t[3] & 0x3fu);
}

/* Whether eight bytes are ASCII. */
static bool eight_ascii(const char *text) {
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    return (bytes & UINT64_C(0x8080808080808080)) == 0;
}

size_t utf8_valid_prefix(const char *text, size_t length) {
    size_t at = 0;
    while (at < length) {
        while (length - at >= 8 && eight_ascii(text + at)) at += 8;
        if (at == length) break;
        size_t step = utf8_step(text + at, length - at);
        if (!step) break;
        at += step;
    }
    return at;
}

size_t utf8_count(const char *text, size_t length) {
    size_t count = 0;
    for (size_t k = 0; k < length; k++) count += ((unsigned char)text[k] & 0xc0) != 0x80;
    return count;
}

/* Wide ranges of Unicode's EastAsianWidth (W and F), coarse: enough to line up a caret. */
static const struct {
    uint32_t from, to;
} wide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

int utf8_width(uint32_t code_point) {
    if (code_point >= 0x300 && code_point <= 0x36f) return 0; /* combining marks */
    if (code_point == 0x200b || code_point == 0x200d ||
        (code_point >= 0xfe00 && code_point <= 0xfe0f))
        return 0;
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        if (code_point >= wide[k].from && code_point <= wide[k].to) return 2;
    return 1;
}
