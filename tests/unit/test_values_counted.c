/* Which means are one over their selector's width, and that what is made of them is right on every
 * input. */
#include "tests/unit/compile_fixture.h"

#include "compile/compile_trace.h"

static const struct {
    const char *selector, *value;
    bool counted;
} means[] = {
    {"same or select(indices, 0, ==)", "indicator(indices == 0)", true},
    {"same or select(indices, 0, ==)", "1 - indicator(indices > 0)", true},
    {"same or select(indices, indices, <=)", "indicator(indices == 0)", true},
    {"not (same and select(indices, 0, !=))", "indicator(indices == 0)", true},
    {"same or select(tokens, \"a\", ==) or select(indices, 0, ==)", "indicator(indices == 0)",
     true},
    {"same", "indicator(indices == 0)", false},
    {"same or select(indices, 1, ==)", "indicator(indices == 0)", false},
    {"same or select(indices, length - 1, ==)", "indicator(indices == 0)", false},
    {"same and select(indices, 0, ==)", "indicator(indices == 0)", false},
    {"not (same or select(indices, 0, !=))", "indicator(indices == 0)", false},
    {"same or select(indices, 0, ==)", "indicator(indices == 1)", false},
    {"same or select(indices, 0, ==)", "indicator(indices < 2)", false},
    {"same or select(indices, 0, ==)", "indicator(indices == length - 1)", false},
    {"same or select(indices, 0, ==)", "indicator(indices == 0) * 2", false},
    {"same or select(indices, 0, ==)", "indicator(tokens == \"a\")", false},
};

static void test_means(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof means / sizeof *means; k++)
        for (int way = 0; way < 2; way++) {
            CompileFixture f;
            char text[300];
            snprintf(text, sizeof text,
                     "same = select(tokens, tokens, ==); "
                     "m = aggregate(%s, %s);",
                     means[k].selector, means[k].value);
            fixture_open(&f, text, "ab", 6);
            f.options.way = way ? VALUES_RUN : VALUES_PRODUCTS;
            if (!fixture_compile(&f)) fail_msg("%s: %s", text, f.error.message);
            if (values_counted(f.compiled.trace->values, f.output.node) != means[k].counted)
                fail_msg("%s: said to be %s", text, means[k].counted ? "mixed" : "counted");
            CheckReport report = fixture_check(&f, f.compiled.model);
            assert_int_equal(report.compared, 126); /* all of them */
            assert_int_equal(report.runs[0].agreed, report.compared);
            fixture_close(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_means)};
    return cmocka_run_group_tests_name("values_counted", tests, NULL, NULL);
}
