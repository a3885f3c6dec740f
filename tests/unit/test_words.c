/* The tables of words: what their columns must agree on. */
#include "tests/unit/exec_fixture.h"

#include "base/near.h"

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* The scanner looks at four signs at most, and `+` before an operand needs a row of its own. */
static void spellings(void **state) {
    (void)state;
    for (OpId op = 0; op < OP_COUNT; op++) {
        const char *spelling = op_spelling(op);
        assert_string_equal(ops[op].spelling, spelling);
        assert_true(is_letter(*spelling) || strlen(spelling) <= 4);
        if (op_class(op) != OP_CLASS_SUM) continue;
        assert_int_equal(op_class(op_sign(op)), OP_CLASS_SIGN);
        assert_string_equal(op_spelling(op_sign(op)), spelling);
    }
}

static unsigned mirrored(unsigned outcomes) {
    unsigned rest = outcomes & (OUTCOME_EQUAL | OUTCOME_UNORDERED);
    return rest | (outcomes & OUTCOME_LESS ? OUTCOME_GREATER : 0) |
           (outcomes & OUTCOME_GREATER ? OUTCOME_LESS : 0);
}

static void comparisons(void **state) {
    (void)state;
    const unsigned ordered = OUTCOME_LESS | OUTCOME_EQUAL | OUTCOME_GREATER;
    for (OpId id = 0; id < OP_COUNT; id++) {
        const Op *op = &ops[id];
        assert_int_equal(op->class == OP_CLASS_COMPARISON, (op->flags & OP_COMPARES) != 0);
        if (op->class != OP_CLASS_COMPARISON) {
            assert_int_equal(op->holds, 0);
            assert_true(op->mirrored == id && op->negated == id);
            continue;
        }
        assert_int_equal(ops[op->mirrored].holds, mirrored(op->holds));
        assert_int_equal((ops[op->negated].holds ^ op->holds) & ordered, ordered);
    }
}

static void words(void **state) {
    (void)state;
    for (size_t k = 0; k < word_count(); k++) {
        const Word *word = word_at(k);
        assert_true(word->name && *word->name && word->category < WORD_CATEGORIES);
        assert_int_equal(word->usage != NULL, word->help != NULL);
        assert_int_equal(word->category == WORD_OPERATOR && word->level == 0,
                         strcmp(word->name, "in") == 0 || strcmp(word->name, "else") == 0 ||
                             (strcmp(word->name, "if") == 0 && !word->usage));
        if (word->completion) /* begins with the word, or nobody would be offered it */
            assert_int_equal(strncmp(word->completion, word->name, strlen(word->name)), 0);
    }
    assert_string_equal(word_example(WORD_STATEMENT, 0), "x = e;");
    assert_null(word_example(WORD_OTHER, 0));
    const WordFollow *follow;
    for (size_t k = 0; (follow = word_follow(k)); k++) assert_true(follow->line && *follow->text);
}

static void edits(void **state) {
    (void)state;
    char longest[NEAR_FAR + 1] = "";
    memset(longest, 'a', NEAR_FAR);
    assert_int_equal(near_edits("", ""), 0);
    assert_int_equal(near_edits("sort", ""), 4);
    assert_int_equal(near_edits("sort", "sort"), 0);
    assert_int_equal(near_edits("sort", "srot"), 1);
    assert_int_equal(near_edits("lenght", "length"), 1);
    assert_int_equal(near_edits("kitten", "sitting"), 3);
    assert_int_equal(near_edits(longest, "a"), NEAR_FAR);
    assert_int_equal(near_edits(longest + 1, "a"), NEAR_FAR - 2);
}

/* Abbreviations before misspellings, those before parts; the nearest of a kind first. */
static void near_misses(void **state) {
    (void)state;
    static const char *const words[] = {"histogram-bos", "first", "shift",    "histogram",
                                        "sort",          "mask",  "mask_out", "n"};
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"hist", ", did you mean 'histogram' or 'histogram-bos'?"},
        {"histgram", ", did you mean 'histogram'?"},
        {"srot", ", did you mean 'sort'?"},
        {"mask_o", ", did you mean 'mask_out'?"},
        {"mask_in", ", did you mean 'mask'?"},
        {"resorting", ", did you mean 'sort'?"},
        {"m", ", did you mean 'n'?"},
        {"zebra", ""},
    };
    Budget budget;
    budget_init(&budget, 1 << 20);
    Arena *arena = arena_new(&budget);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_string_equal(near_words(arena, cases[k].word, words, sizeof words / sizeof *words),
                            cases[k].expected);
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spellings), cmocka_unit_test(comparisons), cmocka_unit_test(words),
        cmocka_unit_test(edits),     cmocka_unit_test(near_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
