/* Layers and heads against the tables of language.md section 15 (tests/conformance).  Depth is the
 * reference's; heads are never more: selectors that are equal in structure are one, and the
 * library's widths take one head where the reference takes two.  Runs in the project's root. */
#include "graph/analysis.h"
#include "interp/eval/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct Fixture {
    Budget budget;
    Session *session;
} Fixture;

static void open_fixture(Fixture *f) {
    budget_init(&f->budget, (size_t)1 << 30);
    SessionOptions options = {
        .mode = SESSION_BATCH,
        .budget = &f->budget,

    };
    f->session = session_new(&options);
    assert_non_null(f->session);
}

static void close_fixture(Fixture *f) {
    session_free(f->session);
    assert_int_equal(f->budget.used, 0);
}

static size_t heads_of(const Layers *layers, uint32_t layer) {
    size_t count = 0;
    for (size_t k = 0; k < layers->head_count; k++) count += layers->heads[k].layer == layer;
    return count;
}

/* "2/1": the heads of each layer. */
static void describe(const Layers *layers, char *text, size_t size) {
    text[0] = '\0';
    for (uint32_t layer = 1; layer <= layers->count; layer++) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%zu", layer > 1 ? "/" : "",
                 heads_of(layers, layer));
    }
}

/* Every aggregate or width of the path stands in its layer. */
static void check_path(const Graph *graph, const Layers *layers) {
    for (uint32_t layer = 1; layer <= layers->count; layer++) {
        const Node *node = graph_node(graph, layers->path[layer - 1]);
        assert_true(node->kind == NODE_AGGREGATE || node->kind == NODE_WIDTH);
        assert_int_equal(node->depth, layer);
    }
}

static Layers analyse(Fixture *f, Value value, char *text, size_t size) {
    assert_int_equal(value.kind, VALUE_SOP);
    const Graph *graph = session_graph(f->session);
    Layers layers = analyse_layers(graph, &value.object->node, 1, session_arena(f->session));
    check_path(graph, &layers);
    describe(&layers, text, size);
    return layers;
}

/* The same number of layers, none with more heads? */
static bool is_at_most(const char *found, const char *most) {
    while (*found && *most) {
        char *found_end, *most_end;
        if (strtol(found, &found_end, 10) > strtol(most, &most_end, 10)) return false;
        found = found_end + (*found_end == '/');
        most = most_end + (*most_end == '/');
    }
    return *found == *most;
}

/* --- expressions ------------------------------------------------------------------------ */

static const struct {
    const char *text, *reference;
    const char *ours; /* NULL: the same */
} expressions[] = {
    {"indices+1", "", NULL},
    {"max(indices,2)", "", NULL},
    {"tokens in [\"a\"]", "", NULL},
    {"{\"a\": 1}[tokens]", "", NULL},
    {"length", "1", NULL},
    {"average(indices)", "1", NULL},
    {"count(tokens,\"a\")", "1", NULL},
    {"contains(tokens,\"a\")", "1", NULL},
    {"has_focus(select(indices,indices,<))", "1", NULL},
    {"shift(tokens,1,\"-\")", "1", NULL},
    {"load_from_location(tokens,1)", "1", NULL},
    {"mark_last_instance(tokens,\"l\")", "1", NULL},
    {"tokens[0]", "1", NULL},
    {"selector_width(select(tokens,tokens,==))", "2", "1"},
    {"selector_width(full_s)+selector_width(full_s)", "4", "1"},
    {"count(tokens,\"a\")+count(tokens,\"b\")", "1", NULL},
    {"aggregate(full_s,indices)+average(indices)", "1", NULL},
    {"(\"a\" in tokens) or (\"b\" in tokens)", "1", NULL},
    {"aggregate(full_s,1)+aggregate(select(1,1,==),1)", "2", "1"},
    {"load_from_location(tokens,length-1)", "1/1", NULL},
    {"tokens[-1]", "1/1", NULL},
    {"aggregate(select_from_last(tokens,\"l\"),indices)", "1/1", NULL},
    {"aggregate(full_s,aggregate(full_s,indices))", "1/1", NULL},
    {"aggregate(select(tokens,tokens,==) and select(length,length,==),1)", "1/1", NULL},
    {"sort(tokens,tokens)", "2/1", "1/1"},
    {"aggregate(select_next_identical(tokens),indices)", "2/1", "1/1"},
    /* beyond the table: widths with constant queries beside an aggregate of their selector */
    {"aggregate(select(indices,0,==),tokens) if has_focus(select(indices,0,==)) else \"-\"", "1",
     NULL},
    {"selector_width(select(indices,0,==)) + length", "3", "1"},
    {"selector_width(select(0,indices,==)) + length", "3", "2"},
    {"selector_width(not select(tokens,\"a\",==)) + average(indices)", "3", "1"},
};

static void test_expressions(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    for (size_t k = 0; k < COUNT(expressions); k++) {
        Value value;
        char found[64];
        assert_true(session_evaluate(f.session, "test", expressions[k].text, &value));
        analyse(&f, value, found, sizeof found);
        const char *ours = expressions[k].ours ? expressions[k].ours : expressions[k].reference;
        if (strcmp(found, ours) != 0)
            fail_msg("%s: expected %s, found %s", expressions[k].text, ours, found);
        assert_true(is_at_most(ours, expressions[k].reference));
    }
    close_fixture(&f);
}

/* --- programs --------------------------------------------------------------------------- */

/* Of tests/conformance/semantics/program-NAME.in: the reference's heads of each layer. */
static const struct {
    const char *program, *sops, *reference;
} corpus[] = {
    {"anagram", "bar side", "1"},
    {"anagram", "diff unequal", "1/4"},
    {"anagram", "anagram", "1/4/1"},
    {"balanced-brackets", "level", "1"},
    {"balanced-brackets", "ever_negative", "1/1"},
    {"balanced-brackets", "verdict", "2/2"},
    {"balanced-two-kinds", "is_open is_close", ""},
    {"balanced-two-kinds", "after level", "1"},
    {"balanced-two-kinds", "order", "1/2"},
    {"balanced-two-kinds", "nearest expected wrong", "1/2/1"},
    {"balanced-two-kinds", "broken", "1/3/1/1"},
    {"balanced-two-kinds", "check", "2/4/1/1"},
    {"bits-to-number", "bit", ""},
    {"bits-to-number", "place_value", "1"},
    {"bits-to-number", "total value_so_far", "1/1"},
    {"compact-distinct", "fresh", "1"},
    {"compact-distinct", "slot", "1/2"},
    {"compact-distinct", "compact", "1/2/1"},
    {"count-distinct", "seen_before fresh", "1"},
    {"count-distinct", "distinct", "2/1"},
    {"count-distinct", "so_far", "1/1"},
    {"cumulative-sum", "c", "1"},
    {"dict-of-sops-one-hot", "score", ""},
    {"digit-sum", "d", ""},
    {"digit-sum", "s divisible", "1"},
    {"digit-sum", "even", "1/1"},
    {"double-histogram", "hh", "3/2"},
    {"first-repeat", "again", "1"},
    {"first-repeat", "first_again", "1/1"},
    {"first-repeat", "answer where", "1/1/1"},
    {"for-loop-classifier", "kind", ""},
    {"histogram", "hist rarest", "2"},
    {"induction-copy", "prev", "1"},
    {"induction-copy", "how_many age", "1/2"},
    {"induction-copy", "guess has_guess", "1/4/1"},
    {"interleave-halves", "half src back", "1"},
    {"interleave-halves", "weave", "1/1"},
    {"inverse-permutation", "p fixed", ""},
    {"inverse-permutation", "inverse", "1"},
    {"inverse-permutation", "compose", "1/1"},
    {"kth-largest", "second", "2/1"},
    {"long-addition-fixed-width", "val", ""},
    {"long-addition-fixed-width", "plus top", "1"},
    {"long-addition-fixed-width", "bottom raw makes stops", "1/1"},
    {"long-addition-fixed-width", "stop_rank own_rank", "1/1/2"},
    {"long-addition-fixed-width", "carry answer", "1/1/4/1"},
    {"long-input-histogram", "freq", "2"},
    {"long-input-histogram", "last_seen", "1"},
    {"long-input-prefix", "frac n", "1"},
    {"majority-vote", "share winner agree", "1"},
    {"mean-and-variance", "x", ""},
    {"mean-and-variance", "mu dev", "1"},
    {"mean-and-variance", "var std z", "1/1"},
    {"median", "sorted", "2/1"},
    {"median", "mid", "1"},
    {"median", "median low", "3/1/1"},
    {"most-frequent-token", "m", "2/1/1"},
    {"moving-average", "x", ""},
    {"moving-average", "smooth", "1"},
    {"next-occurrence-gap", "nxt gap has_next", "2/1"},
    {"ngrams-by-comprehension", "tri", "3"},
    {"ngrams-by-comprehension", "seen", "3/1"},
    {"palindrome", "mirror agrees", "1/1"},
    {"palindrome", "palin misses", "1/1/1"},
    {"position-of-max", "v", ""},
    {"position-of-max", "bigger peak", "1"},
    {"position-of-max", "first_peak", "1/1"},
    {"position-of-max", "where top", "1/1/1"},
    {"prefix-parity", "one", ""},
    {"prefix-parity", "ones parity", "1"},
    {"prefix-parity", "final", "2/1"},
    {"previous-token", "prev bigram doubled", "1"},
    {"previous-token", "repeats", "1/2"},
    {"reverse-variants", "back tail", "1/1"},
    {"reverse-variants", "w", "1/5"},
    {"run-length-positions", "starts", "1"},
    {"run-length-positions", "run_id", "1/1"},
    {"run-length-positions", "within run_len", "1/1/2"},
    {"run-length-positions", "longest", "1/1/2/2/1/1"},
    {"running-max", "v", ""},
    {"running-max", "best record", "4"},
    {"sort-by-key", "key", ""},
    {"sort-by-key", "pos", "2"},
    {"swap-pairs", "buddy", "1"},
    {"swap-pairs", "swapped", "1/1"},
    {"unicode-text", "plain is_plain", ""},
    {"word-positions", "sep", ""},
    {"word-positions", "word", "1"},
    {"word-positions", "place size head", "1/2"},
};

/* Of programs/paper, after the table of the paper's repository. */
static const struct {
    const char *program, *sop, *reference;
} paper[] = {
    {"histogram-bos", "histogram", "1"},
    {"histogram", "histogram", "2"},
    {"reverse", "reverse", "1/1"},
    {"sort-bos", "sorted", "1/1"},
    {"double-histogram-bos", "double_histogram", "2/1"},
    {"most-freq", "most_freq", "2/1/1"},
    {"dyck", "dyck", "1/1"},
    {"long-addition", "long_addition", "2/1/1/1/1"},
};

static void check_sop(Fixture *f, const char *program, const char *name, const char *reference) {
    Value value;
    char found[64];
    if (!session_lookup(f->session, name, &value)) fail_msg("%s: no '%s'", program, name);
    analyse(f, value, found, sizeof found);
    if (!is_at_most(found, reference))
        fail_msg("%s, %s: expected at most %s, found %s", program, name, reference, found);
}

static void test_corpus(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(corpus); k++) {
        Fixture f;
        char path[128], names[128], *rest = names;
        open_fixture(&f);
        snprintf(path, sizeof path, "tests/conformance/semantics/program-%s.in", corpus[k].program);
        if (!session_load(f.session, path)) fail_msg("%s does not load", path);
        snprintf(names, sizeof names, "%s", corpus[k].sops);
        for (char *name; (name = strtok_r(rest, " ", &rest));)
            check_sop(&f, corpus[k].program, name, corpus[k].reference);
        close_fixture(&f);
    }
}

static void test_paper(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(paper); k++) {
        Fixture f;
        char path[128];
        open_fixture(&f);
        snprintf(path, sizeof path, "programs/paper/%s.rasp", paper[k].program);
        if (!session_load(f.session, path)) fail_msg("%s does not load", path);
        check_sop(&f, paper[k].program, paper[k].sop, paper[k].reference);
        close_fixture(&f);
    }
}

/* --- several roots ---------------------------------------------------------------------- */

static void test_several_roots(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    Value a, b;
    assert_true(session_evaluate(f.session, "t", "selector_width(select(tokens,tokens,==))", &a));
    assert_true(session_evaluate(f.session, "t",
                                 "aggregate(select(tokens,tokens,==),average(indices))", &b));
    NodeId roots[] = {a.object->node, b.object->node};
    const Graph *graph = session_graph(f.session);
    Layers layers = analyse_layers(graph, roots, 2, session_arena(f.session));
    char text[64];
    describe(&layers, text, sizeof text);
    assert_string_equal(text, "2/1"); /* the selector counts in both layers, full_s in one */
    layers = analyse_layers(graph, NULL, 0, session_arena(f.session));
    assert_int_equal(layers.count, 0);
    assert_int_equal(layers.head_count, 0);
    close_fixture(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_several_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
