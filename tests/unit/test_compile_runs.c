/* Programs that products of value sets refuse or blow up, and that running every input compiles:
 * into few parameters, right on every input.  And which domain is dealt with in which way. */
#include "tests/unit/compile_fixture.h"

#include "compile/describe.h"

static const struct {
    const char *name, *text, *alphabet;
    uint32_t max_length;
    size_t parameters; /* at most */
    bool refused;      /* by products */
} programs[] = {
    {"a mean of a computed mean",
     "x = 1 if tokens == \"a\" else 0;\n"
     "y = aggregate(select(tokens, tokens, ==), x + indices);\n"
     "z = aggregate(select(1, 1, ==), y);",
     "ab", 5, 1000, false},
    {"variance, run at once",
     "all = select(1, 1, ==); mu = aggregate(all, tokens_int);\n"
     "v = aggregate(all, (tokens_int - mu) * (tokens_int - mu));",
     "01", 9, 1500, false},
    {"variance, run after products",
     "all = select(1, 1, ==); mu = aggregate(all, tokens_int);\n"
     "v = aggregate(all, (tokens_int - mu) * (tokens_int - mu));",
     "01", 12, 2000, true},
    {"ranks of means",
     "m = aggregate(select(tokens, tokens, ==), indices);\n"
     "w = selector_width(select(m, m, <));",
     "abc", 5, 2000, false},
    {"rank by a composite score",
     "score = selector_width(select(tokens, tokens, ==)) * 10 + indices;\n"
     "rank = selector_width(select(score, score, <));\n"
     "sorted_by = aggregate(select(rank, indices, ==), tokens);",
     "abc", 5, 20000, false},
    {"a division that is never by 0",
     "c = selector_width(select(tokens, tokens, ==));\n"
     "d = 1 / (c - selector_width(select(tokens, tokens, !=)) - 0.5);",
     "abc", 4, 2000, false},
};

static void test_programs(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        CompileFixture f;
        fixture_open(&f, programs[k].text, programs[k].alphabet, programs[k].max_length);
        if (!fixture_compile(&f)) fail_msg("%s: %s", programs[k].name, f.error.message);
        assert_int_equal(f.compiled.answers.kind, ANSWERS_PROVED);
        if (model_parameters(f.compiled.model) > programs[k].parameters)
            fail_msg("%s: %zu parameters", programs[k].name,
                     (size_t)model_parameters(f.compiled.model));
        /* Which floats are joined is read from the file. */
        assert_true(describe_certificate(f.compiled.circuit, f.compiled.certificate,
                                         session_sources(f.session), f.compiled.model, f.arena));
        CheckReport report = fixture_check(&f, f.compiled.model);
        assert_true(report.compared > 50);
        assert_int_equal(report.runs[0].agreed, report.compared);
        fixture_close(&f);
        if (!programs[k].refused) continue;
        fixture_open(&f, programs[k].text, programs[k].alphabet, programs[k].max_length);
        f.options.way = VALUES_PRODUCTS;
        assert_false(fixture_compile(&f));
        fixture_close(&f);
    }
}

static const struct {
    uint32_t tokens, max_length;
    int32_t first;
    ValuesWay way;
} domains[] = {
    {2, 10, -1, VALUES_RUN},
    {2, 11, -1, VALUES_PRODUCTS_FIRST},
    {2, 16, -1, VALUES_PRODUCTS_FIRST},
    {2, 17, -1, VALUES_PRODUCTS},
    {2, 11, 0, VALUES_RUN}, /* half as many */
    {26, 3, -1, VALUES_RUN},
    {1000000, 1, -1, VALUES_PRODUCTS_FIRST},
    {1, 64, -1, VALUES_RUN},
    {1, 65, -1, VALUES_PRODUCTS}, /* longer than a word */
    {1000000, 50000, -1, VALUES_PRODUCTS},
};

static void test_ways(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof domains / sizeof *domains; k++) {
        Domain domain = {NULL, domains[k].tokens, domains[k].max_length, domains[k].first,
                         NODE_NONE};
        assert_int_equal(values_way(&domain), domains[k].way);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_programs),
                                       cmocka_unit_test(test_ways)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
