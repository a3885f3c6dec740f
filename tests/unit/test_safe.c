/* What reaches a terminal: nothing that it obeys, and all the rest as it is. */
#include "base/safe.h"
#include "base/utf8.h"
#include "graph/atom.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *shown;
} rows[] = {
    {"a", ""},
    {"~", ""},
    {" ", ""},
    {"é", ""},
    {"汉", ""},
    {"\U0001F600", ""},
    {"\n", "\\n"},
    {"\t", "\\t"},
    {"\r", "\\r"},
    {"\x1b[2J", "\\x1b"},
    {"\x7f", "\\x7f"},
    {"\xc2\x9b", "\\x9b"},                /* CSI as one character */
    {"\x9b", "\\x9b"},                    /* as one byte */
    {"\xc2", "\\xc2"},                    /* cut short */
    {"\xe2\x80\xae", "\\u202e"},          /* right-to-left override */
    {"\xe2\x81\xa6", "\\u2066"},          /* isolate */
    {"\xe2\x80\xa8", "\\u2028"},          /* line separator */
    {"\xef\xbb\xbf", "\\ufeff"},          /* byte order mark */
    {"\xed\xa0\x80", "\\xed"},            /* a surrogate is no UTF-8 */
    {"\xf3\xa0\x81\x81", "\xef\xbf\xbd"}, /* a tag that no terminal shows */
};

static void test_rows(void **state) {
    (void)state;
    char escape[SAFE_MOST];
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        size_t length = strlen(rows[k].text), step = safe_step(rows[k].text, length, escape);
        assert_in_range(step, 1, length);
        assert_string_equal(escape, rows[k].shown);
        assert_int_equal(safe_all(rows[k].text, step), !*escape);
    }
    assert_int_equal(safe_step("\0", 1, escape), 1);
    assert_string_equal(escape, "\\x00");
}

/* Escapes are safe themselves, for every byte and every pair of bytes. */
static void test_every_pair(void **state) {
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            char text[2] = {(char)a, (char)b}, escape[SAFE_MOST];
            size_t step = safe_step(text, 2, escape);
            assert_in_range(step, 1, 2);
            assert_true(strlen(escape) < SAFE_MOST && safe_all(escape, strlen(escape)));
            if (!*escape) assert_int_equal(utf8_valid_prefix(text, step), step);
        }
}

/* Terminal columns, as Unicode's East Asian Width and its zero-width characters have them. */
static void test_widths(void **state) {
    static const struct {
        uint32_t code;
        int width;
    } widths[] = {{'a', 1},    {0xe9, 1},   {0x2ff, 1},   {0x300, 0},   {0x36f, 0},  {0x370, 1},
                  {0x200a, 1}, {0x200b, 0}, {0x200d, 0},  {0x200e, 1},  {0xfdff, 1}, {0xfe00, 0},
                  {0xfe0f, 0}, {0x10ff, 1}, {0x1100, 2},  {0x4e00, 2},  {0xac00, 2}, {0xd7a3, 2},
                  {0xff01, 2}, {0xff61, 1}, {0x1f600, 2}, {0x20000, 2}, {0x3fffe, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        assert_int_equal(utf8_width(widths[k].code), widths[k].width);
}

/* The bytes of a code point. */
static size_t encode(uint32_t code, char *text) {
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t k = length; k-- > 1; code >>= 6) text[k] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)(lead[length] | code);
    return length;
}

/* The edges of what lists show as an escape, as str.isprintable of Python 3.11 tells them. */
static void test_shown_and_escaped(void **state) {
    (void)state;
    static const uint32_t shown[] = {
        0x20,   0x7e,   0xa1,   0xac,   0xae,    0x606,   0x61b,   0x61e,   0x6dc,  0x6de,
        0x70d,  0x710,  0x1681, 0x180d, 0x1ffe,  0x2010,  0x2027,  0x2030,  0x205e, 0x2070,
        0x3001, 0xf900, 0xff01, 0xfffc, 0x110be, 0x1d172, 0x1d17b, 0xe0100, 0x1f600};
    static const uint32_t escaped[] = {
        0x1f,    0x7f,    0xa0,    0xad,    0x600,   0x605,   0x61c,   0x6dd,
        0x70f,   0x1680,  0x180e,  0x2000,  0x200f,  0x2028,  0x202f,  0x205f,
        0x2060,  0x206f,  0x3000,  0xe000,  0xf8ff,  0xfeff,  0xfff9,  0xfffb,
        0x110bd, 0x1d173, 0x1d17a, 0xe0001, 0xe007f, 0xf0000, 0x10fffd};
    enum { SHOWN = sizeof shown / sizeof *shown, ESCAPED = sizeof escaped / sizeof *escaped };
    for (size_t k = 0; k < SHOWN + ESCAPED; k++) {
        char bytes[4], text[32];
        uint32_t code = k < SHOWN ? shown[k] : escaped[k - SHOWN];
        size_t length = encode(code, bytes);
        assert_int_equal(utf8_step(bytes, length), length);
        string_text(bytes, length, ATOM_LISTED, text, sizeof text);
        bool as_it_is = strlen(text) == length + 2 && memcmp(text + 1, bytes, length) == 0;
        if (as_it_is != (k < SHOWN)) fail_msg("U+%04X is listed as %s", code, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_every_pair),
        cmocka_unit_test(test_widths), cmocka_unit_test(test_shown_and_escaped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
