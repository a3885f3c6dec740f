/* show/svg.h and show/palette.h: what is written is XML, texts fit, colours can be told apart. */
#include "show/elide.h"
#include "show/palette.h"
#include "show/svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Drawn {
    Svg svg;
    FILE *out;
    char *text;
    size_t size;
} Drawn;

static void begin(Drawn *d) {
    d->out = open_memstream(&d->text, &d->size);
    d->svg = (Svg){.out = d->out};
}

static void expect(Drawn *d, const char *expected) {
    fclose(d->out);
    assert_int_equal(d->svg.depth, 0);
    assert_string_equal(d->text, expected);
    free(d->text);
}

static void elements(void **state) {
    (void)state;
    Drawn d;
    begin(&d);
    svg_group(&d.svg, "a");
    svg_tip(&d.svg, "x & y");
    svg_rect(&d.svg, "b", 1, 2.5, 3.004, -0.001, 0);
    svg_circle(&d.svg, "c", 1e6, 0.125, 2);
    svg_close(&d.svg);
    expect(&d, "<g class=\"a\"><title>x &amp; y</title>\n"
               "<rect class=\"b\" x=\"1\" y=\"2.5\" width=\"3\" height=\"0\"/>\n"
               "<circle class=\"c\" cx=\"1000000\" cy=\"0.12\" r=\"2\"/>\n</g>\n");
}

static void texts(void **state) {
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"a < b && \"c\" > 'd'", "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;"},
        {"]]>", "]]&gt;"},
        {"\x01\x1b[31m\n\t\x7f", "\\x01\\x1b[31m\\n\\t\\x7f"},
        {"\xc2\x85\xe2\x80\xae", "\\x85\\u202e"},
        {"\xff\xc3", "\\xff\\xc3"},
        {"\xef\xbf\xbe\xef\xbf\xbf", "\\ufffe\\uffff"},
        {"日本 é", "日本 é"},
        {"", ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Drawn d;
        char expected[256];
        begin(&d);
        svg_text(&d.svg, SVG_CODE, 10, SVG_MIDDLE, "f", 0, 0, cases[k].text);
        snprintf(expected, sizeof expected,
                 "<text class=\"code f\" x=\"0\" y=\"0\" font-size=\"10\" "
                 "text-anchor=\"middle\">%s</text>\n",
                 cases[k].written);
        expect(&d, expected);
        begin(&d);
        svg_open(&d.svg, "a");
        svg_attribute(&d.svg, "b", cases[k].text);
        svg_close(&d.svg);
        snprintf(expected, sizeof expected, "<a b=\"%s\"/>\n", cases[k].written);
        expect(&d, expected);
    }
}

/* Corners are cut, but never by more than half of what meets there. */
static void routes(void **state) {
    (void)state;
    Drawn d;
    begin(&d);
    svg_route(&d.svg, "r", (SvgPoint[]){{0, 0}, {10, 0}, {10, 20}}, 3, 4);
    svg_route(&d.svg, "r", (SvgPoint[]){{0, 0}, {2, 0}, {2, 20}}, 3, 4);
    svg_route(&d.svg, "r", (SvgPoint[]){{0, 0}, {0, 0}, {5, 0}}, 3, 4);
    expect(&d, "<path class=\"r\" fill=\"none\" d=\"M0 0L6 0Q10 0 10 4L10 20\"/>\n"
               "<path class=\"r\" fill=\"none\" d=\"M0 0L1 0Q2 0 2 1L2 20\"/>\n"
               "<path class=\"r\" fill=\"none\" d=\"M0 0L0 0Q0 0 0 0L5 0\"/>\n");
}

/* cmocka compares floats, of which these have too few digits. */
static void expect_width(double found, double expected) {
    assert_true(fabs(found - expected) < 1e-9);
}

static void widths(void **state) {
    (void)state;
    expect_width(svg_width(SVG_CODE, 10, "abc"), 3 * 6.02);
    expect_width(svg_width(SVG_CODE, 10, "日"), 10);
    expect_width(svg_width(SVG_CODE, 10, "e\xcc\x81"), 6.02); /* a combining accent */
    expect_width(svg_width(SVG_CODE, 10, "\n"), 2 * 6.02);    /* its escape */
    expect_width(svg_width(SVG_PROSE, 10, "iW"), 2.78 + 9.89);
}

static void fitting(void **state) {
    (void)state;
    Budget budget;
    budget_init(&budget, 0);
    Arena *arena = arena_new(&budget);
    assert_string_equal(svg_fit(SVG_CODE, 10, "abcdef", 6 * 6.02 + 0.01, arena), "abcdef");
    assert_string_equal(svg_fit(SVG_CODE, 10, "abcdef", 5 * 6.02 + 0.01, arena), "abcd…");
    assert_string_equal(svg_fit(SVG_CODE, 10, "日本語", 26.1, arena), "日本…");
    assert_string_equal(svg_fit(SVG_CODE, 10, "abc", 0, arena), "…");
    for (double room = 7; room < 200; room += 1) {
        const char *text = "a <\x02\xe6\x97\xa5&iiiWWW e\xcc\x81 end";
        assert_true(svg_width(SVG_PROSE, 11, svg_fit(SVG_PROSE, 11, text, room + 11, arena)) <=
                    room + 11);
        assert_true(svg_width(SVG_CODE, 11, svg_fit(SVG_CODE, 11, text, room, arena)) <= room);
    }
    arena_free(arena);
}

/* --- colours ---------------------------------------------------------------------------- */

static double channel(const char *colour, int k) {
    char digits[3] = {colour[1 + 2 * k], colour[2 + 2 * k], 0};
    double c = (double)strtol(digits, NULL, 16) / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* WCAG 2: relative luminance, contrast ratio. */
static double luminance(const char *colour) {
    return 0.2126 * channel(colour, 0) + 0.7152 * channel(colour, 1) + 0.0722 * channel(colour, 2);
}

static double contrast(const char *a, const char *b) {
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static const char *shade(PaletteRole role, bool dark) {
    return dark ? palette[role].dark : palette[role].light;
}

static void colours(void **state) {
    (void)state;
    static const PaletteRole ground[] = {PALETTE_PAPER, PALETTE_BAND, PALETTE_CARD};
    for (int dark = 0; dark < 2; dark++) {
        for (size_t g = 0; g < 3; g++) {
            const char *on = shade(ground[g], dark);
            assert_true(contrast(shade(PALETTE_INK, dark), on) >= 7);
            assert_true(contrast(shade(PALETTE_FAINT, dark), on) >= 4.5);
            assert_true(contrast(shade(PALETTE_MARK, dark), on) >= 4.5);
            for (int w = 0; w < PALETTE_WIRES; w++)
                assert_true(contrast(shade(PALETTE_WIRE_1 + (PaletteRole)w, dark), on) >= 4.5);
        }
        assert_true(contrast(shade(PALETTE_INK, dark), shade(PALETTE_ANSWER, dark)) >= 7);
        assert_true(contrast(shade(PALETTE_INK, dark), shade(PALETTE_TRUE, dark)) >= 7);
    }
    assert_int_equal(PALETTE_WIRE_6 - PALETTE_WIRE_1, PALETTE_WIRES - 1);
}

static void pictures(void **state) {
    (void)state;
    Drawn d;
    begin(&d);
    svg_begin(&d.svg, d.out, 99.5, 20, "a<b", ".x{y:z}");
    svg_end(&d.svg);
    fclose(d.out);
    assert_int_equal(strncmp(d.text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\"", 50),
                     0);
    assert_non_null(strstr(d.text, "<title>a&lt;b</title>"));
    assert_non_null(strstr(d.text, ".x{y:z}"));
    assert_non_null(strstr(d.text, "prefers-color-scheme:dark"));
    assert_non_null(strstr(d.text, palette[PALETTE_INK].dark));
    free(d.text);
}

/* Tables have their beginning, texts too; never half a character. */
static void elided(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t table, most;
        const char *shown;
    } rows[] = {
        {"", 8, 20, ""},
        {"[1, 2][indices]", 8, 20, "[1, 2][indices]"},
        {"[1, 2, 3, 4, 5, 6][indices]", 8, 40, "[1, 2, 3, …][indices]"},
        {"{1: 2, 3: 4, 5: 6}[x] + [1, 2, 3, 4, 5][y]", 8, 80, "{1: 2, …}[x] + [1, 2, 3, …][y]"},
        {"x in [1, 2, 3, 4, 5]", 7, 40, "x in [1, 2, …]"},
        {"[\"a, b]\", 2, 3, 4, 5][x]", 8, 40, "[\"a, b]\", …][x]"},
        {"[\"abcdefghijkl\"][x]", 8, 40, "[\"abcdefghijkl\"][x]"},
        {"[1, 2, 3, 4, …][x]", 6, 40, "[1, 2, …][x]"},
        {"[1, 2, 3][x]", 4, 40, "[1, 2, 3][x]"},
        {"[[1, 2, 3, 4, 5][x]][y]", 7, 40, "[[1, 2, …][x]][y]"},
        {"[1, 2][f(a, b, c, d, e)]", 7, 40, "[1, 2][f(a, b, c, d, e)]"},
        {"x[f(a, b, c, d, e)]", 7, 40, "x[f(a, b, c, d, e)]"},
        {"f([1, 2, 3, 4, 5][x], y)", 7, 40, "f([1, 2, …][x], y)"},
        {"abcdefghij", 8, 10, "abcdefghij"},
        {"abcdefghijk", 8, 10, "abcdefghij…"},
        {"abcdefghi\u00e9\u00e9", 8, 10, "abcdefghi…"},
        {"[1, 2, 3", 4, 40, "[1, 2, 3"},
        {"\"[1, 2, 3, 4, 5]\"[x]", 8, 40, "\"[1, 2, 3, 4, 5]\"[x]"},
    };
    Budget budget;
    budget_init(&budget, BUDGET_DEFAULT_LIMIT);
    Arena *arena = arena_new(&budget);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_string_equal(elide(rows[k].text, rows[k].table, rows[k].most, arena), rows[k].shown);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements), cmocka_unit_test(elided),   cmocka_unit_test(texts),
        cmocka_unit_test(routes),   cmocka_unit_test(widths),   cmocka_unit_test(fitting),
        cmocka_unit_test(colours),  cmocka_unit_test(pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
