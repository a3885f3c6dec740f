/* What compiles and is hardly what was meant, against a table. */
#include "compile/remarks.h"
#include "tests/unit/compile_fixture.h"

enum { MOST_REMARKS = 2 };

static const struct {
    const char *program, *remarks[MOST_REMARKS]; /* over "ab" and up to 3 tokens */
} cases[] = {
    /* outputs that never change, of each kind, one made of what does change */
    {"y = indices * 0 + 7;", {"'y' is 7 on every input"}},
    {"y = 2.5 if indices < 9 else 1.0;", {"'y' is 2.5 on every input"}},
    {"y = \"z\" if tokens in [\"a\", \"b\"] else tokens;", {"'y' is \"z\" on every input"}},
    {"y = length > 0;", {"'y' is True on every input"}},
    {"y = length > 3;", {"'y' is False on every input"}},
    {"y = aggregate(select(indices, indices, ==), indices) - indices;",
     {"'y' is 0 on every input"}},
    {"y = length;", {NULL}},
    /* tokens that never come */
    {"y = tokens == \"c\";",
     {"\"c\" is used, but no token of the alphabet is \"c\"", "'y' is False on every input"}},
    {"y = \"c\" != tokens if indices > 0 else tokens == \"a\";",
     {"\"c\" is used, but no token of the alphabet is \"c\""}},
    {"y = selector_width(select(tokens, \"c\", ==)) + indices;",
     {"\"c\" is used, but no token of the alphabet is \"c\""}},
    {"y = 1 if tokens == \"b\" else 2;", {NULL}},
    {"y = indices if tokens in [\"c\", \"d\"] else length;",
     {"no token of the alphabet is in this list"}},
    {"y = indices if tokens in [\"c\", \"b\"] else length;", {NULL}},
};

static void test_remarks(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CompileFixture f;
        size_t count, expected = 0;
        fixture_open(&f, cases[k].program, "ab", 3);
        if (!fixture_compile(&f)) fail_msg("%s: %s", cases[k].program, f.error.message);
        const Remark *found = remarks_find(&f.compiled, &f.output, 1, &count, f.arena);
        while (expected < MOST_REMARKS && cases[k].remarks[expected]) expected++;
        if (count != expected) fail_msg("%s: %zu remarks", cases[k].program, count);
        for (size_t r = 0; r < count; r++) {
            if (strcmp(found[r].text, cases[k].remarks[r]) != 0)
                fail_msg("%s: %s", cases[k].program, found[r].text);
            assert_true(found[r].span.begin < found[r].span.end);
        }
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_remarks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
