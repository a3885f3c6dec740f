#include "compile/values/classes.h"

#include "compile/values/context_parts.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_LOOKED_AT = 16 };

/* Levels of more than one kind, more than two, …: a set's variants are its members and those that
 * it has of each. */
static const SetId *several_kinds(const Values *values, NodeId node) {
    Entry *entry = values->entry[node];
    if (entry->several) return entry->several;
    SetId *several = ARENA_ARRAY(values->arena, KIND_COUNT, SetId);
    Arena *scratch = arena_child(values->arena);
    uint32_t *member = ARENA_ARRAY(scratch, entry->values.count, uint32_t);
    for (int kinds = 1; kinds < KIND_COUNT; kinds++) {
        uint32_t count = 0;
        for (uint32_t level = 0; level < entry->values.count; level++)
            if (__builtin_popcount(entry->kinds[level]) > kinds) member[count++] = level;
        several[kinds - 1] = sets_add(values->sets, member, count);
    }
    arena_free(scratch);
    return entry->several = several;
}

uint32_t values_variants(const Values *values, NodeId node, SetId set) {
    uint32_t total = sets_count(values->sets, set);
    if (values->entry[node]->single_kinds) return total;
    const SetId *several = several_kinds(values, node);
    for (int kinds = 1; kinds < KIND_COUNT; kinds++)
        total += sets_common(values->sets, several[kinds - 1], set);
    return total;
}

/* --- classes ---------------------------------------------------------------------------- */

/* Contexts by the s-op's set, and the variants of each. */
static const ContextParts *parts_of(Values *values, NodeId node) {
    Entry *entry = values->entry[node];
    if (entry->parts) return entry->parts;
    const ContextParts *parts = context_parts_by(values->partitions, entry->sets);
    uint32_t *variants = ARENA_ARRAY(values->arena, parts->count, uint32_t);
    for (uint32_t k = 0; k < parts->count; k++)
        variants[k] = values_variants(values, node, entry->sets[parts->first[k]]);
    entry->part_variants = variants;
    return entry->parts = parts;
}

/* Contexts by their tuples of sets. */
static void find_classes(Values *values, Classes *c) {
    const ContextParts *all = NULL;
    if (!values->partitions)
        values->partitions = context_partitions_new(domain_contexts(values->domain), values->arena);
    for (uint32_t k = 0; k < c->width; k++) {
        const ContextParts *own = parts_of(values, c->nodes[k]);
        all = all ? context_parts_join(values->partitions, all, own) : own;
    }
    if (!all) all = context_parts_join(values->partitions, NULL, NULL);
    c->count = all->count, c->of = all->of, c->context = all->first;
}

static double class_size(const Values *values, const Classes *c, uint32_t class) {
    double size = 1;
    for (uint32_t k = 0; k < c->width; k++) {
        const Entry *entry = values->entry[c->nodes[k]];
        size *= entry->part_variants[entry->parts->of[c->context[class]]];
    }
    return size;
}

void values_class_sets(const Values *values, const Classes *c, uint32_t class, SetId *set) {
    for (uint32_t k = 0; k < c->width; k++)
        set[k] = values->entry[c->nodes[k]]->sets[c->context[class]];
}

static bool class_within(const Values *values, const Classes *c, uint32_t a, uint32_t b) {
    for (uint32_t k = 0; k < c->width; k++) {
        const SetId *sets = values->entry[c->nodes[k]]->sets;
        if (!sets_within(values->sets, sets[c->context[a]], sets[c->context[b]])) return false;
    }
    return true;
}

/* For each class the largest of those of neighbouring contexts that lie within it. */
void values_classes_within(Values *values, Classes *c) {
    if (c->within) return;
    uint32_t *within = ARENA_ARRAY(values->arena, c->count, uint32_t);
    for (uint32_t n = 1; n <= values->domain->max_length; n++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = context_of(n, i), class = c->of[at], near[3], count = 0;
            if (c->context[class] != at) continue;
            within[class] = NO_CLASS;
            if (i + 1 < n) near[count++] = c->of[context_of(n - 1, i)];
            if (i > 0) near[count++] = c->of[context_of(n, i - 1)];
            if (i > 0) near[count++] = c->of[context_of(n - 1, i - 1)];
            double best = 0;
            for (uint32_t k = 0; k < count; k++) {
                double size = class_size(values, c, near[k]);
                if (size > best && class_within(values, c, near[k], class)) {
                    within[class] = near[k];
                    best = size;
                }
            }
            c->added += class_size(values, c, class) - best;
        }
    c->within = within;
}

/* --- boxes ------------------------------------------------------------------------------ */

/* Combinations of a tuple of sets. */
static double tuple_size(const Values *values, const Classes *c, const SetId *set) {
    double size = 1;
    for (uint32_t k = 0; k < c->width; k++) size *= values_variants(values, c->nodes[k], set[k]);
    return size;
}

static bool tuple_within(const Values *values, const Classes *c, const SetId *a, const SetId *b) {
    for (uint32_t k = 0; k < c->width; k++)
        if (!sets_within(values->sets, a[k], b[k])) return false;
    return true;
}

typedef struct Boxes {
    SetId *set; /* [count, width] */
    uint32_t count;
} Boxes;

/* Joins boxes that are alike but for one s-op. */
static void merge_along(Values *values, const Classes *c, uint32_t along, Boxes *boxes,
                        Arena *scratch) {
    TupleMap *map = tuple_map_new(scratch, c->width);
    uint32_t *group = ARENA_ARRAY(scratch, boxes->count, uint32_t);
    SetId *key = ARENA_ARRAY(scratch, c->width, SetId);
    for (uint32_t b = 0; b < boxes->count; b++) {
        memcpy(key, boxes->set + (size_t)b * c->width, c->width * sizeof *key);
        key[along] = 0;
        bool found;
        uint32_t *at = tuple_map_at(map, key, &found);
        if (!found) *at = tuple_map_count(map) - 1;
        group[b] = *at;
    }
    uint32_t groups = tuple_map_count(map);
    if (groups == boxes->count) return;
    uint32_t *start = ARENA_ARRAY(scratch, (size_t)groups + 2, uint32_t);
    uint32_t *member = ARENA_ARRAY(scratch, boxes->count, uint32_t);
    for (uint32_t b = 0; b < boxes->count; b++) start[group[b] + 2]++;
    for (uint32_t g = 0; g < groups; g++) start[g + 2] += start[g + 1];
    for (uint32_t b = 0; b < boxes->count; b++) member[start[group[b] + 1]++] = b;
    SetId *joined = ARENA_ARRAY(scratch, boxes->count, SetId);
    for (uint32_t g = 0; g < groups; g++) {
        SetId *set = boxes->set + (size_t)g * c->width;
        uint32_t count = start[g + 1] - start[g];
        for (uint32_t m = 0; m < count; m++)
            joined[m] = boxes->set[(size_t)member[start[g] + m] * c->width + along];
        memcpy(key, boxes->set + (size_t)member[start[g]] * c->width, c->width * sizeof *key);
        key[along] = sets_union(values->sets, joined, count);
        memcpy(set, key, c->width * sizeof *set); /* its first box comes no earlier than g */
    }
    boxes->count = groups;
}

typedef struct Sized {
    double size;
    uint32_t box;
} Sized;

static int by_size(const void *a, const void *b) {
    const Sized *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->box > y->box) - (x->box < y->box);
}

/* Drops boxes within one of the largest or of those just kept. */
static void drop_contained(Values *values, Classes *c, const Boxes *boxes, Arena *scratch) {
    Sized *sized = ARENA_ARRAY(scratch, boxes->count, Sized);
    SetId *kept = ARENA_ARRAY(scratch, (size_t)boxes->count * c->width, SetId);
    for (uint32_t b = 0; b < boxes->count; b++)
        sized[b] = (Sized){tuple_size(values, c, boxes->set + (size_t)b * c->width), b};
    qsort(sized, boxes->count, sizeof *sized, by_size);
    for (uint32_t b = 0; b < boxes->count; b++) {
        const SetId *set = boxes->set + (size_t)sized[b].box * c->width;
        bool contained = sized[b].size == 0;
        for (uint32_t k = 0; k < c->boxes && !contained; k++) {
            if (k == KEPT_LOOKED_AT && c->boxes > 2 * KEPT_LOOKED_AT) k = c->boxes - KEPT_LOOKED_AT;
            contained = tuple_within(values, c, set, kept + (size_t)k * c->width);
        }
        if (contained) continue;
        memcpy(kept + (size_t)c->boxes++ * c->width, set, c->width * sizeof *kept);
        c->apart += sized[b].size;
    }
    SetId *box = ARENA_ARRAY(values->arena, (size_t)c->boxes * c->width, SetId);
    if (c->boxes && c->width) memcpy(box, kept, (size_t)c->boxes * c->width * sizeof *box);
    c->box = box;
}

void values_classes_boxes(Values *values, Classes *c) {
    if (c->box) return;
    Arena *scratch = arena_child(values->arena);
    Boxes boxes = {ARENA_ARRAY(scratch, (size_t)c->count * c->width, SetId), c->count};
    for (uint32_t class = 0; class < c->count; class ++)
        values_class_sets(values, c, class, boxes.set + (size_t) class * c->width);
    for (uint32_t k = 0; k < c->width; k++) merge_along(values, c, k, &boxes, scratch);
    drop_contained(values, c, &boxes, scratch);
    arena_free(scratch);
}

/* --- kept ------------------------------------------------------------------------------- */

static Classes *known_classes(const Values *values, const NodeId *nodes, uint32_t count) {
    for (size_t k = values->class_count; k-- > 0;) {
        Classes *c = values->classes[k];
        if (c->width == count && memcmp(c->nodes, nodes, count * sizeof *nodes) == 0) return c;
    }
    return NULL;
}

Classes *values_classes(Values *values, const NodeId *nodes, uint32_t count) {
    Classes *known = known_classes(values, nodes, count);
    if (known) return known;
    Classes *c = ARENA_NEW(values->arena, Classes);
    NodeId *kept = ARENA_ARRAY(values->arena, count, NodeId);
    memcpy(kept, nodes, count * sizeof *kept);
    *c = (Classes){.nodes = kept, .width = count};
    find_classes(values, c);
    for (uint32_t class = 0; class < c->count; class ++) c->size += class_size(values, c, class);
    values->classes = arena_grow(values->arena, values->classes, &values->class_capacity,
                                 values->class_count + 1, sizeof *values->classes);
    return values->classes[values->class_count++] = c;
}
