/* What reaches a terminal: nothing that it obeys, and all the rest as it is. */
#include "base/safe.h"
#include "base/utf8.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_every_pair),
                                       cmocka_unit_test(test_widths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
