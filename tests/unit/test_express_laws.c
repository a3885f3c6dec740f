/* express/: what must hold between verdicts: more is never harder, independent methods agree,
 * layers of a grammar are found again, bounds are those of a loop over all pairs. */
#include "tests/unit/express_fixture.h"

/* --- monotonicity ----------------------------------------------------------------------------- */

/* The least number of averaging heads (or values of one head) up to a length, with nothing known
 * from shorter ones; 5: more than 4. */
static unsigned average_least(Arena *arena, const Task *task, uint32_t length, bool values) {
    Limits limits = {.budget = &budget};
    for (unsigned k = 1; k <= 4; k++) {
        Layer *layer;
        AverageSearch *s =
            average_search_new(arena, task, values ? 1 : k, values ? k : 1, task->length, &limits);
        Answer answer = average_search(s, length, &layer);
        average_search_free(s);
        assert_int_not_equal(answer, ANSWER_UNDECIDED);
        if (answer == ANSWER_YES) return k;
    }
    return 5;
}

static unsigned unique_least(Arena *arena, const Task *task, uint32_t length) {
    Limits limits = {.budget = &budget};
    unsigned least = 1;
    for (uint32_t key = 0; key < key_count(task, length); key++) {
        uint32_t members[400];
        size_t count = 0;
        Order orders[4];
        for (uint32_t e = 0; e < task->until[length]; e++)
            if (instance_key(task, &task->instances[e]) == key) members[count++] = e;
        for (bool done = count == 0; !done && least <= 4; least += !done) {
            Pairs pairs = {0};
            done = unique_search(arena, task, members, count, least, &limits, orders, &pairs) ==
                   ANSWER_YES;
        }
    }
    return least;
}

/* A copy without some instances, which stay grouped by length. */
static Task *thinned(Arena *arena, const Task *task, Random *random) {
    Task *thin = ARENA_NEW(arena, Task);
    size_t count = 0;
    *thin = *task;
    thin->instances = ARENA_ARRAY(arena, task->until[task->length] + 1, Instance);
    for (uint32_t n = 1; n <= task->length; n++) {
        for (size_t e = task->until[n - 1]; e < task->until[n]; e++)
            if (random_below(random, 4)) thin->instances[count++] = task->instances[e];
        thin->until[n] = count;
    }
    return thin;
}

static void test_longer_inputs_are_never_easier(void **state) {
    (void)state;
    Random random = {11};
    unsigned grew = 0;
    for (unsigned k = 0; k < 60; k++) {
        Arena *arena = arena_new(&budget);
        Task *task = task_new(arena, 2, 4, true, random_label, &random);
        unsigned before[3] = {0};
        for (uint32_t n = 1; n <= task->length; n++) {
            unsigned now[3] = {average_least(arena, task, n, false),
                               average_least(arena, task, n, true), unique_least(arena, task, n)};
            for (int c = 0; c < 3; c++) {
                assert_true(now[c] >= before[c]);
                grew += before[c] && now[c] > before[c];
                before[c] = now[c];
            }
        }
        /* The decider goes on from shorter inputs and says the same. */
        Verdict v = decide(arena, task, (Query){.kind = CLASS_AVERAGE, .most = 4, .values = 1});
        assert_int_equal(v.answer == ANSWER_YES ? v.least : 5, before[0]);
        v = decide(arena, task, (Query){.kind = CLASS_UNIQUE, .most = 4, .values = 1});
        assert_int_equal(v.answer == ANSWER_YES ? v.least : 5, before[2]);
        arena_free(arena);
    }
    assert_true(grew > 40);
}

static void test_fewer_instances_are_never_harder(void **state) {
    (void)state;
    static const ClassKind kinds[] = {CLASS_AVERAGE, CLASS_UNIQUE, CLASS_RELATIVE, CLASS_ABSOLUTE};
    Random random = {12};
    unsigned fell = 0;
    for (unsigned k = 0; k < 60; k++) {
        Arena *arena = arena_new(&budget);
        Task *task = task_new(arena, 2, 3, k % 2, random_label, &random);
        Task *thin = thinned(arena, task, &random);
        for (size_t c = 0; c < sizeof kinds / sizeof *kinds; c++) {
            Query query = {.kind = kinds[c], .most = 3, .values = 1};
            Verdict all = decide(arena, task, query), some = decide(arena, thin, query);
            assert_true(all.answer != ANSWER_YES || possible(&some, all.least));
            assert_true(!some.impossible || all.impossible);
            fell += all.answer == ANSWER_YES ? some.least < all.least : some.answer == ANSWER_YES;
        }
        Query bits = {.kind = CLASS_BITS};
        assert_true(decide(arena, thin, bits).bits <= decide(arena, task, bits).bits);
        arena_free(arena);
    }
    assert_true(fell > 20);
}

/* --- methods against one another -------------------------------------------------------------- */

static uint32_t many_labels(void *context, const uint8_t *tokens, uint32_t length,
                            uint32_t position) {
    (void)tokens, (void)length, (void)position;
    return (uint32_t)random_below(context, 100);
}

/* A layer of a grammar with values 0 and 1 is one of averaging heads; what a cover can do,
 * satisfiability finds, and what bits exclude, it does not. */
static void test_covers_and_bits_against_satisfiability(void **state) {
    (void)state;
    Random random = {13};
    unsigned compared = 0, bound = 0;
    for (unsigned k = 0; k < 150; k++) {
        Arena *arena = arena_new(&budget);
        Limits limits = {.budget = &budget};
        Task *task =
            task_new(arena, 2, k % 3 ? 3 : 4, true, k % 3 ? random_label : many_labels, &random);
        Query query = {.kind = CLASS_AVERAGE, .most = 4, .values = 1};
        Verdict average = decide(arena, task, query);
        query.kind = CLASS_UNIQUE;
        Verdict unique = decide(arena, task, query);
        Verdict bits = decide(arena, task, (Query){.kind = CLASS_BITS});
        for (int absolute = 0; absolute < 2; absolute++) {
            Cover cover;
            cover_decide(arena, task, task->length, absolute, true, 3, &limits, &cover);
            if (!cover.least) continue;
            assert_true(possible(&average, cover.least));
            compared++;
        }
        assert_true(average.answer != ANSWER_YES || average.least >= bits.average_heads);
        assert_true(unique.answer != ANSWER_YES || unique.least >= bits.unique_heads);
        bound += bits.unique_heads > 1;
        arena_free(arena);
    }
    assert_true(compared > 50 && bound > 20);
}

/* Counts, or a window and counts, by a loop over all pairs. */
static bool alike(const Task *task, const Instance *x, const Instance *y, int window) {
    int difference[3] = {0}, whole[3] = {0};
    if (instance_key(task, x) != instance_key(task, y)) return false;
    for (int j = 0; j <= x->position; j++) {
        if (window >= 0 && j + window >= x->position) {
            if (x->tokens[j] != y->tokens[j]) return false;
            continue;
        }
        difference[x->tokens[j]]++;
        difference[y->tokens[j]]--;
    }
    for (int j = 0; j < x->length; j++) whole[x->tokens[j]]++;
    for (int j = 0; j < y->length; j++) whole[y->tokens[j]]--;
    for (int t = 0; t < 3; t++)
        if (difference[t] || (window < 0 && whole[t])) return false;
    return true;
}

static bool some_alike(const Task *task, int window) {
    size_t count = task->until[task->length];
    for (size_t x = 0; x < count; x++)
        for (size_t y = 0; y < x; y++)
            if (task->instances[x].label != task->instances[y].label &&
                alike(task, &task->instances[x], &task->instances[y], window))
                return true;
    return false;
}

/* Mostly a function of the counts, so that both answers come up. */
static uint32_t count_label(void *context, const uint8_t *tokens, uint32_t length,
                            uint32_t position) {
    uint32_t ones = 0;
    for (uint32_t j = 0; j <= position; j++) ones += tokens[j];
    return (ones + length + (random_below(context, 60) == 0)) % 2;
}

static void test_bounds_against_all_pairs(void **state) {
    (void)state;
    Random random = {14};
    unsigned excluded = 0, cases = 0;
    for (unsigned k = 0; k < 200; k++) {
        Arena *arena = arena_new(&budget);
        Task *task = task_new(arena, 2 + k % 2, 3 + k % 2, k % 3 == 0, count_label, &random);
        for (int window = -1; window < 3; window++) {
            Query query = {.kind = window < 0 ? CLASS_NO_POSITIONS : CLASS_WINDOW,
                           .distance = window < 0 ? 0 : (unsigned)window};
            Verdict v = decide(arena, task, query);
            assert_int_equal(v.impossible, some_alike(task, window));
            excluded += v.impossible;
            cases++;
        }
        arena_free(arena);
    }
    assert_true(excluded > 100 && cases - excluded > 100);
}

/* --- layers of a grammar are found again ---------------------------------------------------------
 */

typedef struct Planted {
    const Task *like; /* symbols */
    Aggregate aggregates[2];
    unsigned heads;
} Planted;

static uint32_t planted_label(void *context, const uint8_t *tokens, uint32_t length,
                              uint32_t position) {
    const Planted *p = context;
    Instance x = {.tokens = tokens, .length = (uint8_t)length, .position = (uint8_t)position};
    uint32_t label = 7;
    for (unsigned h = 0; h < p->heads; h++)
        label = label * 31 + aggregate_value(&p->aggregates[h], p->like, &x);
    return label % 100003;
}

static void test_planted_aggregates_are_found(void **state) {
    (void)state;
    Random random = {15};
    for (unsigned k = 0; k < 120; k++) {
        Arena *arena = arena_new(&budget);
        bool absolute = k % 2;
        RaspAtom alphabet[2] = {rasp_int(0), rasp_int(1)};
        Task like = {.arena = arena, .alphabet = alphabet, .symbols = 2};
        Planted planted = {.like = &like, .heads = 1 + k % 4 / 2};
        GrammarAtom *atoms;
        GrammarValue *values;
        size_t atom_count = grammar_list_atoms(arena, &like, 4, absolute, &atoms);
        size_t value_count = grammar_list_values(arena, &like, absolute, &values);
        for (unsigned h = 0; h < planted.heads; h++) {
            Aggregate *a = &planted.aggregates[h];
            a->selector.join = (unsigned)random_below(&random, 3);
            for (int side = 0; side < 2; side++)
                a->selector.atoms[side] = atoms[random_below(&random, atom_count)];
            a->value = values[random_below(&random, value_count)];
        }
        Task *task = task_new(arena, 2, 4, k % 3 == 0, planted_label, &planted);
        ClassKind kind = absolute ? CLASS_ABSOLUTE : CLASS_RELATIVE;
        Verdict v = decide(arena, task, (Query){.kind = kind, .most = 3});
        assert_true(possible(&v, planted.heads));
        arena_free(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longer_inputs_are_never_easier),
        cmocka_unit_test(test_fewer_instances_are_never_harder),
        cmocka_unit_test(test_covers_and_bits_against_satisfiability),
        cmocka_unit_test(test_bounds_against_all_pairs),
        cmocka_unit_test(test_planted_aggregates_are_found),
    };
    budget_init(&budget, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
