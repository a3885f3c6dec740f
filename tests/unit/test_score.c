/* Score sheets of compiled programs: they are XML, no stem or bar crosses a name, no text lies on
 * another, nothing reaches out; each node that reads or writes a line has its stem. */
#include "show/score.h"
#include "tests/unit/api_fixture.h"
#include "tests/unit/picture_checker.h"

static const char *const line_class[] = {"stem ", "live ", "stay ", NULL};

static void check(const char *text, const RaspTarget *target) {
    RaspError error;
    Budget budget;
    char *svg = NULL;
    size_t size;
    budget_init(&budget, 0);
    Arena *arena = arena_new(&budget);
    RaspModel *model = model_of(text, target);
    const RaspCircuit *circuit = rasp_model_circuit(model, &error);
    if (!circuit) fail_msg("%s", error.text);
    FILE *out = open_memstream(&svg, &size);
    score_svg(out, circuit, "t", arena);
    fclose(out);
    Picture p = read_picture(text, svg, line_class, true);
    for (size_t k = 0; k < circuit->head_count; k++) {
        char name[32];
        snprintf(name, sizeof name, "head %u.%u", circuit->heads[k].layer + 1,
                 circuit->heads[k].head + 1);
        assert_true(has_text(&p, name));
    }
    const char *name = circuit->outputs[0].name;
    assert_true(strlen(name) > 20 || has_text(&p, name));
    free_picture(&p);
    free(svg);
    arena_free(arena);
    rasp_model_free(model);
}

static void sheets(void **state) {
    (void)state;
    static const char *const programs[] = {
        histogram,
        before,
        "y = indices;",
        "y = tokens;",
        "y = tokens == \"zz\";",
        "s = sort(tokens, tokens);",
        "a = select(tokens, tokens, ==);\ny = selector_width(a) % 2 == 0 and "
        "aggregate(a, indices) < 2;",
        "step = 1 if tokens == \"a\" else -1;\n"
        "balance = aggregate(select(indices, indices, <=), step);\n"
        "failed = has_focus(select(balance, 0, <) and select(indices, indices, <=));\n"
        "y = \"F\" if failed else (\"T\" if balance == 0 else \"P\");",
        "long_name_of_an_s_op_that_is_longer_than_a_label = count(tokens, \"a\") + length;",
    };
    static const RaspTarget targets[] = {
        {.alphabet = "ab", .max_length = 3},
        {.alphabet = "[\"<\", \"a\", \"&\"]", .max_length = 2, .layout = RASP_STANDARD},
        {.alphabet = "ab", .max_length = 2, .masks = RASP_MASKS_NONE},
    };
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            check(programs[k], &targets[t]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sheets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
