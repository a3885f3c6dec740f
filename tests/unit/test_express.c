/* express/: verdicts against brute force over all layers, against one another, and closed forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/express_fixture.h"

/* --- brute force ----------------------------------------------------------------------------- */

static uint32_t literals_mask(const Task *task, const Instance *x) {
    uint32_t mask = 1;
    for (uint32_t i = 0; i < x->length; i++) mask |= 1u << literal_at(task, x, i);
    return mask;
}

/* Does selecting `sel`, with these values, tell apart all instances of the key? */
static bool selection_works(const Task *task, uint32_t key, uint32_t sel, uint32_t val) {
    struct {
        int ones, zeros;
        uint32_t label;
    } seen[64];
    int count = 0;
    for (size_t e = 0; e < task->until[task->length]; e++) {
        const Instance *x = &task->instances[e];
        if (instance_key(task, x) != key) continue;
        uint32_t chosen = sel & literals_mask(task, x);
        int ones = __builtin_popcount(chosen & val), zeros = __builtin_popcount(chosen & ~val);
        for (int k = 0; k < count; k++) {
            bool none = !ones && !zeros, other = !seen[k].ones && !seen[k].zeros;
            bool same =
                none || other ? none && other : ones * seen[k].zeros == seen[k].ones * zeros;
            if (same && seen[k].label != x->label) return false;
        }
        seen[count].ones = ones;
        seen[count].zeros = zeros;
        seen[count++].label = x->label;
    }
    return true;
}

static bool one_average_head(const Task *task) {
    uint32_t literals = literal_count(task, task->length), keys = key_count(task, task->length);
    for (uint32_t val = 0; val < 1u << literals; val++) {
        uint32_t key = 0;
        for (; key < keys; key++) {
            uint32_t sel = 0;
            while (sel < 1u << literals && !selection_works(task, key, sel, val)) sel++;
            if (sel == 1u << literals) break;
        }
        if (key == keys) return true;
    }
    return false;
}

/* What each order of literals picks for the instances of a key; few different ones. */
typedef struct Picks {
    uint8_t row[400][16];
    size_t rows, instances;
    uint32_t labels[16];
} Picks;

static void add_picks(Picks *p, const Task *task, uint32_t key, const uint32_t *order,
                      uint32_t count) {
    uint8_t row[16] = {0};
    size_t at = 0;
    for (size_t e = 0; e < task->until[task->length]; e++) {
        const Instance *x = &task->instances[e];
        if (instance_key(task, x) != key) continue;
        uint32_t mask = literals_mask(task, x);
        for (uint32_t k = 0; k < count; k++)
            if (mask >> order[k] & 1) {
                row[at] = (uint8_t)order[k];
                break;
            }
        p->labels[at++] = x->label;
    }
    p->instances = at;
    for (size_t k = 0; k < p->rows; k++)
        if (memcmp(p->row[k], row, sizeof row) == 0) return;
    assert_true(p->rows < 400);
    memcpy(p->row[p->rows++], row, sizeof row);
}

static void permute(Picks *p, const Task *task, uint32_t key, uint32_t *order, uint32_t fixed,
                    uint32_t count) {
    if (fixed == count) {
        add_picks(p, task, key, order, count);
        return;
    }
    for (uint32_t k = fixed; k < count; k++) {
        uint32_t swap = order[fixed];
        order[fixed] = order[k], order[k] = swap;
        permute(p, task, key, order, fixed + 1, count);
        swap = order[fixed];
        order[fixed] = order[k], order[k] = swap;
    }
}

static bool rows_work(const Picks *p, size_t a, size_t b) {
    for (size_t x = 0; x < p->instances; x++)
        for (size_t y = x + 1; y < p->instances; y++)
            if (p->labels[x] != p->labels[y] && p->row[a][x] == p->row[a][y] &&
                p->row[b][x] == p->row[b][y])
                return false;
    return true;
}

static unsigned unique_heads_needed(const Task *task) {
    unsigned needed = 1;
    for (uint32_t key = 0; key < key_count(task, task->length); key++) {
        Picks p = {0};
        uint32_t order[16], count = literal_count(task, task->length), heads = 3;
        for (uint32_t k = 0; k < count; k++) order[k] = k;
        permute(&p, task, key, order, 0, count);
        for (size_t a = 0; a < p.rows && heads > 1; a++)
            for (size_t b = 0; b < p.rows && heads > 1; b++)
                if (rows_work(&p, a, b)) heads = a == b ? 1 : 2;
        if (heads > needed) needed = heads;
    }
    return needed;
}

static void test_average_against_all_layers(void **state) {
    (void)state;
    Random random = {1};
    unsigned yes = 0, tries = 60;
    for (unsigned k = 0; k < tries + 1500; k++) {
        Arena *arena = arena_new(&budget);
        bool longer = k < tries;
        Task *task = task_new(arena, 2, longer ? 3 : 2, longer || k % 2, random_label, &random);
        Verdict v = decide(arena, task, (Query){.kind = CLASS_AVERAGE, .most = 1, .values = 1});
        assert_int_equal(possible(&v, 1), one_average_head(task));
        yes += possible(&v, 1);
        arena_free(arena);
    }
    assert_true(yes > 100);
}

static void test_unique_against_all_layers(void **state) {
    (void)state;
    Random random = {2};
    unsigned met[4] = {0};
    for (unsigned k = 0; k < 1200; k++) {
        Arena *arena = arena_new(&budget);
        bool longer = k % 40 == 0;
        Task *task = task_new(arena, 2, longer ? 3 : 2, k % 3 != 0, random_label, &random);
        Verdict v = decide(arena, task, (Query){.kind = CLASS_UNIQUE, .most = 3, .values = 1});
        unsigned needed = unique_heads_needed(task);
        if (needed < 3)
            assert_int_equal(v.least, needed);
        else
            assert_true(v.least >= 3 || v.answer == ANSWER_NO);
        met[needed]++;
        arena_free(arena);
    }
    assert_true(met[1] > 10 && met[2] > 10);
}

/* --- methods against one another -------------------------------------------------------------- */

static void test_decision_list_against_satisfiability(void **state) {
    (void)state;
    Random random = {3};
    unsigned answers[3] = {0};
    for (unsigned k = 0; k < 400; k++) {
        Arena *arena = arena_new(&budget);
        Limits limits = {.budget = &budget};
        uint32_t members[64], *stuck;
        size_t count = 0, stuck_count;
        Order by_list, by_solver[1];
        Pairs pairs = {0};
        Task *task = task_new(arena, 2, 3 + k % 2, false, random_label, &random);
        for (uint32_t e = 0; e < task->until[task->length]; e++)
            if (instance_key(task, &task->instances[e]) == k % 4 && random_below(&random, 3))
                members[count++] = e;
        if (count) {
            Answer list =
                decision_list(arena, task, members, count, &by_list, &stuck, &stuck_count);
            Answer solver =
                unique_search(arena, task, members, count, 1, &limits, by_solver, &pairs);
            assert_int_equal(list, solver);
            answers[list]++;
        }
        arena_free(arena);
    }
    assert_true(answers[ANSWER_YES] > 20 && answers[ANSWER_NO] > 20);
}

static void test_more_is_easier(void **state) {
    (void)state;
    Random random = {4};
    for (unsigned k = 0; k < 60; k++) {
        Arena *arena = arena_new(&budget);
        Task *task = task_new(arena, 2, 3, k % 2, random_label, &random);
        Limits limits = {.budget = &budget};
        bool before = false;
        for (unsigned heads = 1; heads <= 3; heads++) {
            Layer *layer;
            AverageSearch *s = average_search_new(arena, task, heads, 1, 3, &limits);
            bool yes = average_search(s, 3, &layer) == ANSWER_YES;
            average_search_free(s);
            assert_true(yes || !before);
            before = yes;
        }
        Verdict heads = decide(arena, task, (Query){.kind = CLASS_AVERAGE, .most = 4, .values = 1});
        Verdict values =
            decide(arena, task,
                   (Query){.kind = CLASS_AVERAGE, .most = 4, .heads = 1, .vary_values = true});
        /* Several values of one head are no more than as many heads. */
        assert_true(values.answer == ANSWER_YES && heads.least <= values.least);
        arena_free(arena);
    }
}

/* --- layers that are there are found ------------------------------------------------------------
 */

static uint32_t signature_label(void *context, const uint8_t *tokens, uint32_t length,
                                uint32_t position) {
    Layer *layer = context;
    Task task = {.symbols = 2};
    Instance x = {.tokens = tokens, .length = (uint8_t)length, .position = (uint8_t)position};
    uint8_t signature[64];
    uint32_t label = 7;
    layer_signature(layer, &task, &x, signature);
    for (size_t k = 0; k < layer_signature_size(layer); k++) label = label * 31 + signature[k];
    return label % 100003;
}

static void test_planted_layers_are_found(void **state) {
    (void)state;
    Random random = {5};
    for (unsigned k = 0; k < 60; k++) {
        Arena *arena = arena_new(&budget);
        ClassKind kind = k % 2 ? CLASS_AVERAGE : CLASS_UNIQUE;
        unsigned heads = 1 + k % 3 / 2;
        Layer *layer = layer_new(arena, kind, heads, 1, 8, 9);
        for (size_t b = 0; layer->selects && b < (size_t)heads * 8 * 9; b++)
            layer->selects[b] = random_below(&random, 2);
        for (size_t b = 0; layer->value && b < (size_t)heads * 9; b++)
            layer->value[b] = random_below(&random, 2);
        for (size_t c = 0; layer->orders && c < (size_t)heads * 8; c++) {
            uint32_t *order = ARENA_ARRAY(arena, 9, uint32_t);
            for (uint32_t l = 0; l < 9; l++) {
                uint32_t at = (uint32_t)random_below(&random, l + 1);
                order[l] = order[at];
                order[at] = l;
            }
            layer->orders[c] = (Order){order, 9};
        }
        Task *task = task_new(arena, 2, 4, k % 4 < 2, signature_label, layer);
        Verdict v = decide(arena, task, (Query){.kind = kind, .most = heads, .values = 1});
        assert_true(possible(&v, heads));
        arena_free(arena);
    }
}

/* --- closed forms
 * --------------------------------------------------------------------------------- */

/* Are the halves of the input equal?  (Only of odd lengths: the query is the last token.) */
static uint32_t equal_halves(void *context, const uint8_t *tokens, uint32_t length,
                             uint32_t position) {
    (void)context, (void)position;
    uint32_t half = (length - 1) / 2;
    return length % 2 && memcmp(tokens, tokens + half, half) == 0;
}

static void test_equality_has_a_row_for_each_half(void **state) {
    (void)state;
    Arena *arena = arena_new(&budget);
    for (uint32_t half = 1; half <= 4; half++) {
        Task *task = task_new(arena, 2, 2 * half + 1, true, equal_halves, NULL);
        Verdict v = decide(arena, task, (Query){.kind = CLASS_BITS});
        assert_int_equal(v.row_count, 1u << half);
        assert_int_equal(v.bits, half);
        /* One averaging head brings (m+1)(m+2)/2 pairs: 2^m > that from m = 4 on. */
        assert_int_equal(v.average_heads, half >= 4 ? 2 : 1);
    }
    arena_free(arena);
}

static uint32_t parity(void *context, const uint8_t *tokens, uint32_t length, uint32_t position) {
    (void)context, (void)position;
    uint32_t ones = 0;
    for (uint32_t i = 0; i < length; i++) ones += tokens[i];
    return ones % 2;
}

static uint32_t last_one(void *context, const uint8_t *tokens, uint32_t length, uint32_t position) {
    (void)context, (void)position;
    for (uint32_t i = length; i-- > 0;)
        if (tokens[i] == 1) return i + 1;
    return 0;
}

static void test_bounds_of_known_tasks(void **state) {
    (void)state;
    Arena *arena = arena_new(&budget);
    Task *task = task_new(arena, 2, 6, true, parity, NULL);
    Verdict v = decide(arena, task, (Query){.kind = CLASS_NO_POSITIONS});
    assert_false(v.impossible);
    v = decide(arena, task, (Query){.kind = CLASS_WINDOW, .distance = 1});
    assert_false(v.impossible); /* counts are enough */
    task = task_new(arena, 2, 6, true, last_one, NULL);
    v = decide(arena, task, (Query){.kind = CLASS_NO_POSITIONS});
    assert_true(v.impossible);
    v = decide(arena, task, (Query){.kind = CLASS_WINDOW, .distance = 5});
    assert_false(v.impossible); /* the window is all there is */
    arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_average_against_all_layers),
        cmocka_unit_test(test_unique_against_all_layers),
        cmocka_unit_test(test_decision_list_against_satisfiability),
        cmocka_unit_test(test_more_is_easier),
        cmocka_unit_test(test_planted_layers_are_found),
        cmocka_unit_test(test_equality_has_a_row_for_each_half),
        cmocka_unit_test(test_bounds_of_known_tasks),
    };
    budget_init(&budget, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
