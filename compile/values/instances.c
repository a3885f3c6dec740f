#include "compile/values/instances.h"

#include <string.h>

InstancesSize instances_size(const Domain *domain) {
    InstancesSize size = {0};
    double inputs = domain->first >= 0 ? 1 : domain->alphabet_size;
    for (uint32_t n = 1; n <= domain->max_length; n++, inputs *= domain->alphabet_size) {
        size.inputs += inputs;
        size.cells += inputs * n;
        size.pairs += inputs * n * n;
    }
    return size;
}

static Instances *new_instances(uint32_t longest, Arena *arena) {
    Instances *instances = ARENA_NEW(arena, Instances);
    instances->longest = longest;
    instances->inputs = ARENA_ARRAY(arena, (size_t)longest + 1, uint32_t);
    instances->first = ARENA_ARRAY(arena, (size_t)longest + 1, uint32_t);
    return instances;
}

/* Numbers the cells, once there are as many inputs of each length as there will be. */
static void number_cells(Instances *instances, Arena *arena) {
    for (uint32_t n = 1; n <= instances->longest; n++) {
        instances->first[n] = instances->cells;
        instances->cells += instances->inputs[n] * n;
        instances->input_count += instances->inputs[n];
    }
    instances->token = ARENA_BLOCK(arena, (size_t)instances->cells + 1, uint32_t);
}

/* The next input of the same length. */
static void advance(const Domain *domain, uint32_t *ids, uint32_t n) {
    uint32_t fixed = domain->first >= 0;
    for (uint32_t i = n; i-- > fixed;) {
        if (++ids[i] < domain->alphabet_size) return;
        ids[i] = 0;
    }
}

Instances *instances_new(const Domain *domain, Arena *arena) {
    Instances *all = new_instances(domain->max_length, arena);
    uint32_t ids[INSTANCES_LONGEST], inputs = domain->first >= 0 ? 1 : domain->alphabet_size;
    for (uint32_t n = 1; n <= all->longest; n++, inputs *= domain->alphabet_size)
        all->inputs[n] = inputs;
    number_cells(all, arena);
    for (uint32_t n = 1; n <= all->longest; n++) {
        memset(ids, 0, sizeof ids);
        if (domain->first >= 0) ids[0] = (uint32_t)domain->first;
        for (uint32_t k = 0; k < all->inputs[n]; k++) {
            memcpy(all->token + all->first[n] + (size_t)k * n, ids, n * sizeof *ids);
            advance(domain, ids, n);
        }
        budget_poll(arena_budget(arena));
    }
    return all;
}

Instances *instances_keep(const Instances *all, const bool *kept, Arena *arena) {
    Instances *some = new_instances(all->longest, arena);
    Instance each = instances_begin(all);
    for (; each.n; instances_next(all, &each)) some->inputs[each.n] += kept[each.number];
    number_cells(some, arena);
    uint32_t *to = some->token;
    for (each = instances_begin(all); each.n; instances_next(all, &each)) {
        if (!kept[each.number]) continue;
        memcpy(to, all->token + each.cell, each.n * sizeof *to);
        to += each.n;
    }
    return some;
}

/* The first input of at least that length. */
static void begin_length(const Instances *instances, Instance *each, uint32_t n) {
    while (n <= instances->longest && !instances->inputs[n]) n++;
    each->n = n <= instances->longest ? n : 0;
    each->left = each->n ? instances->inputs[n] : 0;
}

Instance instances_begin(const Instances *instances) {
    Instance each = {0};
    begin_length(instances, &each, 1);
    return each;
}

void instances_next(const Instances *instances, Instance *each) {
    each->number++;
    each->cell += each->n;
    if (--each->left == 0) begin_length(instances, each, each->n + 1);
}
