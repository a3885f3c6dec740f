/* Every item of the lab, at its smaller size and for two seeds: it ends, its identities hold, and
 * its statistical checks are not all beyond four standard errors by mistake. RASP_ITEM=38 runs one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "lab/lab.h"

#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 1 };
#else
enum { SEEDS = 2 };
#endif

static void judge(const Outcome *o, unsigned number, uint64_t seed) {
    const Check *head = page_headline(o->page);
    if (o->ending != ENDED || !head)
        fail_msg("item %u, seed %llu: %s", number, (unsigned long long)seed, outcome_verdict(o));
    for (const Check *c = o->page->checks; c; c = c->next)
        if (c->kind != MEASUREMENT && !c->holds)
            fail_msg("item %u, seed %llu: %s: measured %.10g, expected %.10g within %g", number,
                     (unsigned long long)seed, c->what, c->measured, c->expected, c->tolerance);
}

static void test_items(void **state) {
    (void)state;
    const char *only = getenv("RASP_ITEM");
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (size_t g = 0; g < item_group_count; g++)
            for (size_t k = 0; k < item_groups[g]->count; k++) {
                const Item *item = &item_groups[g]->items[k];
                if (only && (unsigned)atoi(only) != item->number) continue;
                Budget budget;
                budget_init(&budget, BUDGET_DEFAULT_LIMIT);
                Notebook *notebook =
                    notebook_new(&budget, &(NotebookOptions){.seed = seed, .quick = true});
                judge(notebook_measure(notebook, item), item->number, seed);
                notebook_free(notebook);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_items)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
