#include "compile/values/classes.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_LOOKED_AT = 16 };

uint32_t values_variants(const Values *values, NodeId node, SetId set) {
    const unsigned char *kinds = values->entry[node]->kinds;
    uint32_t count, total = 0;
    const uint32_t *member = sets_get(values->sets, set, &count);
    if (values->entry[node]->single_kinds) return count;
    for (uint32_t m = 0; m < count; m++) total += (uint32_t)__builtin_popcount(kinds[member[m]]);
    return total;
}

/* --- classes ---------------------------------------------------------------------------- */

/* Contexts by their tuples of sets. */
static void find_classes(Values *values, Classes *c, Arena *scratch) {
    uint32_t contexts = domain_contexts(values->domain);
    uint32_t *of = ARENA_BLOCK(values->arena, contexts, uint32_t);
    uint32_t *first = ARENA_ARRAY(scratch, contexts, uint32_t);
    SetId *key = ARENA_ARRAY(scratch, (size_t)c->width + 1, SetId);
    TupleMap *map = tuple_map_new(scratch, c->width);
    for (uint32_t at = 0; at < contexts; at++) {
        for (uint32_t k = 0; k < c->width; k++) key[k] = values->entry[c->nodes[k]]->sets[at];
        bool found;
        uint32_t *class = tuple_map_at(map, key, &found);
        if (!found) {
            *class = c->count++;
            first[*class] = at;
        }
        of[at] = *class;
    }
    size_t cells = (size_t)c->count * c->width;
    SetId *set = ARENA_ARRAY(values->arena, cells, SetId);
    uint32_t *context = ARENA_ARRAY(values->arena, c->count, uint32_t);
    if (cells) memcpy(set, tuple_map_key(map, 0), cells * sizeof *set);
    memcpy(context, first, c->count * sizeof *context);
    c->set = set, c->of = of, c->context = context;
    for (size_t k = 0; k < values->class_count; k++) { /* often they are those of other s-ops */
        const Classes *known = values->classes[k];
        if (known->count != c->count || memcmp(known->of, of, contexts * sizeof *of) != 0) continue;
        c->of = known->of;
        arena_release(values->arena, of);
        return;
    }
}

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

/* For each class the largest of those of neighbouring contexts that lie within it. */
static void find_within(Values *values, Classes *c, const double *size) {
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
            for (uint32_t k = 0; k < count; k++)
                if (size[near[k]] > best &&
                    tuple_within(values, c, c->set + (size_t)near[k] * c->width,
                                 c->set + (size_t) class * c->width)) {
                    within[class] = near[k];
                    best = size[near[k]];
                }
            c->added += size[class] - best;
        }
    c->within = within;
}

/* --- boxes ------------------------------------------------------------------------------ */

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

static void find_boxes(Values *values, Classes *c, Arena *scratch) {
    size_t cells = (size_t)c->count * c->width;
    Boxes boxes = {ARENA_ARRAY(scratch, cells, SetId), c->count};
    if (cells) memcpy(boxes.set, c->set, cells * sizeof *boxes.set);
    for (uint32_t k = 0; k < c->width; k++) merge_along(values, c, k, &boxes, scratch);
    drop_contained(values, c, &boxes, scratch);
}

/* --- kept ------------------------------------------------------------------------------- */

static const Classes *known_classes(const Values *values, const NodeId *nodes, uint32_t count) {
    for (size_t k = values->class_count; k-- > 0;) {
        const Classes *c = values->classes[k];
        if (c->width == count && memcmp(c->nodes, nodes, count * sizeof *nodes) == 0) return c;
    }
    return NULL;
}

const Classes *values_classes(Values *values, const NodeId *nodes, uint32_t count) {
    const Classes *known = known_classes(values, nodes, count);
    if (known) return known;
    Arena *scratch = arena_child(values->arena);
    Classes *c = ARENA_NEW(values->arena, Classes);
    NodeId *kept = ARENA_ARRAY(values->arena, count, NodeId);
    memcpy(kept, nodes, count * sizeof *kept);
    *c = (Classes){.nodes = kept, .width = count};
    find_classes(values, c, scratch);
    double *size = ARENA_ARRAY(scratch, c->count, double);
    for (uint32_t k = 0; k < c->count; k++)
        c->size += size[k] = tuple_size(values, c, c->set + (size_t)k * c->width);
    find_within(values, c, size);
    find_boxes(values, c, scratch);
    arena_free(scratch);
    values->classes = arena_grow(values->arena, values->classes, &values->class_capacity,
                                 values->class_count + 1, sizeof *values->classes);
    return values->classes[values->class_count++] = c;
}
