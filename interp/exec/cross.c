#include "interp/exec/cross.h"

#include "base/parallel.h"

#include <string.h>

enum {
    FEW = 16,        /* points that are looked at one by one */
    TOP = 6,         /* bits split off before the parts are shared among threads */
    BATCH = 1 << TOP /* at most, parts */
};

/* Points and rows, each in two copies between which a split moves them back and forth. */
typedef struct Points {
    uint32_t *rank;
    uint32_t *member; /* NULL: positions are not wanted */
    uint64_t *load;   /* [][words], NULL: sums are not wanted */
} Points;

/* A row on its way down: the slice it asks for, counted from the part's first point, and
 * what it has found. */
typedef struct Item {
    uint32_t row, bound, low, high;
    uint32_t count, position;
} Item;

typedef struct Items {
    Item *item;
    uint64_t *sum; /* [][words] */
} Items;

/* An item's sum, NULL if sums are not wanted. */
static uint64_t *sum_at(const Items *items, size_t i, size_t words) {
    return words ? items->sum + i * words : NULL;
}

/* One thread's prefix counts and sums over the points with a 0 at the bit. */
typedef struct Scratch {
    uint32_t *zeros;    /* [points + 1]: how many before */
    uint32_t *position; /* [zeros + 1] */
    uint64_t *sum;      /* [zeros + 1][words] */
} Scratch;

/* A part: points and items in buffer `side`; the bits from bit - 1 down are still to split. */
typedef struct Part {
    int side;
    uint32_t bit;
    size_t points, point_end, items, item_end;
} Part;

typedef struct Cross {
    const Term *term;
    const Totals *totals;
    int weight;
    size_t words; /* 0: no sums */
    Points points[2];
    Items items[2];
} Cross;

/* --- leaves ---------------------------------------------------------------------------------- */

static void flush_item(const Cross *cross, const Item *item, const uint64_t *sum) {
    const Totals *totals = cross->totals;
    uint32_t weight = (uint32_t)cross->weight;
    if (totals->count) totals->count[item->row] += weight * item->count;
    if (totals->position) totals->position[item->row] += weight * item->position;
    if (!cross->words) return;
    uint64_t *to = totals->sum + item->row * cross->words;
    for (int k = cross->weight; k > 0; k--) sum_add(totals->scale, to, sum);
    for (int k = cross->weight; k < 0; k++) sum_subtract(totals->scale, to, sum);
}

/* Point by point, those from low to high whose rank is below the bound. */
static void scan_item(const Cross *cross, const Part *part, Item *item, uint64_t *sum) {
    const Points *points = &cross->points[part->side];
    for (size_t k = part->points + item->low; k < part->points + item->high; k++) {
        uint32_t below = points->rank[k] < item->bound;
        item->count += below;
        if (points->member) item->position += below * points->member[k];
        if (cross->words && below)
            sum_add(cross->totals->scale, sum, points->load + k * cross->words);
    }
}

static void finish(const Cross *cross, const Part *part) {
    const Items *items = &cross->items[part->side];
    for (size_t i = part->items; i < part->item_end; i++) {
        uint64_t *sum = sum_at(items, i, cross->words);
        if (part->bit) scan_item(cross, part, &items->item[i], sum);
        flush_item(cross, &items->item[i], sum);
    }
}

/* --- splitting ------------------------------------------------------------------------------- */

static void move_point(const Cross *cross, int side, size_t from, size_t to) {
    const Points *a = &cross->points[side], *b = &cross->points[!side];
    b->rank[to] = a->rank[from];
    if (a->member) b->member[to] = a->member[from];
    if (cross->words)
        memcpy(b->load + to * cross->words, a->load + from * cross->words,
               cross->words * sizeof *b->load);
}

/* Points with a 0 first, both kinds in their order; how many have a 0. */
static uint32_t split_points(const Cross *cross, const Part *part, uint32_t bit,
                             const Scratch *scratch) {
    const uint32_t *rank = cross->points[part->side].rank + part->points;
    size_t count = part->point_end - part->points;
    uint32_t zero = 0;
    for (size_t k = 0; k < count; k++) {
        scratch->zeros[k] = zero;
        zero += !(rank[k] >> bit & 1);
    }
    scratch->zeros[count] = zero;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t before = scratch->zeros[k], one = rank[k] >> bit & 1;
        uint32_t to = one ? zero + k - before : before;
        move_point(cross, part->side, part->points + k, part->points + to);
    }
    return zero;
}

/* Running sums over the points with a 0, which are the ones that items take. */
static void accumulate(const Cross *cross, const Part *part, uint32_t zero,
                       const Scratch *scratch) {
    const Points *points = &cross->points[!part->side];
    if (points->member) {
        scratch->position[0] = 0;
        for (size_t k = 0; k < zero; k++)
            scratch->position[k + 1] = scratch->position[k] + points->member[part->points + k];
    }
    size_t words = cross->words;
    if (!words) return;
    memset(scratch->sum, 0, words * sizeof *scratch->sum);
    for (size_t k = 0; k < zero; k++) {
        uint64_t *next = scratch->sum + (k + 1) * words;
        memcpy(next, next - words, words * sizeof *next);
        sum_add(cross->totals->scale, next, points->load + (part->points + k) * words);
    }
}

/* Points low … high - 1 of the zeros, once or not at all (without a branch that nobody could
 * predict). */
static void take(const Cross *cross, const Scratch *scratch, uint32_t low, uint32_t high,
                 uint32_t times, Item *item, uint64_t *sum) {
    item->count += times * (high - low);
    if (scratch->position)
        item->position += times * (scratch->position[high] - scratch->position[low]);
    if (!cross->words || !times) return;
    sum_add(cross->totals->scale, sum, scratch->sum + high * cross->words);
    sum_subtract(cross->totals->scale, sum, scratch->sum + low * cross->words);
}

/* An item whose bound has a 1 takes the zeros of its slice and goes on among the ones; with a
 * 0 it goes on among the zeros.  Those end in front, the others behind, from the end back;
 * an item whose slice is empty is done.  Where the two kinds have come to. */
typedef struct Ends {
    size_t front, back;
} Ends;

static Ends split_items(const Cross *cross, const Part *part, uint32_t bit,
                        const Scratch *scratch) {
    const Items *from = &cross->items[part->side], *to = &cross->items[!part->side];
    Ends ends = {part->items, part->item_end};
    size_t words = cross->words;
    for (size_t i = part->items; i < part->item_end; i++) {
        Item item = from->item[i];
        uint64_t *sum = sum_at(from, i, words);
        uint32_t low = scratch->zeros[item.low], high = scratch->zeros[item.high];
        uint32_t one = item.bound >> bit & 1;
        take(cross, scratch, low, high, one, &item, sum);
        item.low = one ? item.low - low : low;
        item.high = one ? item.high - high : high;
        if (item.low == item.high) {
            flush_item(cross, &item, sum);
            continue;
        }
        ends.back -= one;
        size_t place = one ? ends.back : ends.front;
        ends.front += 1 - one;
        to->item[place] = item;
        if (words) memcpy(to->sum + place * words, sum, words * sizeof *sum);
    }
    return ends;
}

/* What is left to do of the splits of a part, when they stop at `stop`. */
typedef struct Parts {
    Part part[BATCH];
    size_t count;
} Parts;

static void run_part(const Cross *cross, const Part *part, const Scratch *scratch, uint32_t stop,
                     Parts *rest) {
    if (part->items == part->item_end) return;
    if (part->bit == 0 || part->point_end - part->points <= FEW) {
        finish(cross, part);
        return;
    }
    if (part->bit == stop) {
        rest->part[rest->count++] = *part;
        return;
    }
    uint32_t bit = part->bit - 1, zero = split_points(cross, part, bit, scratch);
    accumulate(cross, part, zero, scratch);
    Ends ends = split_items(cross, part, bit, scratch);
    Part half = {.side = !part->side, .bit = bit};
    half.points = part->points, half.point_end = part->points + zero;
    half.items = part->items, half.item_end = ends.front;
    run_part(cross, &half, scratch, stop, rest);
    half.points = part->points + zero, half.point_end = part->point_end;
    half.items = ends.back, half.item_end = part->item_end;
    run_part(cross, &half, scratch, stop, rest);
}

/* --- memory ---------------------------------------------------------------------------------- */

static Scratch scratch_new(const Cross *cross, size_t points, Arena *arena) {
    Scratch scratch = {.zeros = ARENA_BLOCK(arena, points + 1, uint32_t)};
    if (cross->points[0].member) scratch.position = ARENA_BLOCK(arena, points + 1, uint32_t);
    if (cross->words)
        scratch.sum = arena_block(arena, points + 1, cross->words * sizeof *scratch.sum);
    return scratch;
}

static void scratch_free(Scratch *scratch, Arena *arena) {
    arena_release(arena, scratch->zeros);
    arena_release(arena, scratch->position);
    arena_release(arena, scratch->sum);
}

static void make_buffers(Cross *cross, size_t rows, Arena *arena) {
    size_t m = cross->term->members, row = cross->words * sizeof(uint64_t);
    for (int side = 0; side < 2; side++) {
        Points *points = &cross->points[side];
        points->rank = ARENA_BLOCK(arena, m, uint32_t);
        if (cross->totals->position) points->member = ARENA_BLOCK(arena, m, uint32_t);
        if (cross->words) points->load = arena_block(arena, m, row);
        cross->items[side].item = ARENA_BLOCK(arena, rows, Item);
        if (cross->words) cross->items[side].sum = arena_block(arena, rows, row);
    }
}

static void free_buffers(Cross *cross, Arena *arena) {
    for (int side = 0; side < 2; side++) {
        arena_release(arena, cross->points[side].rank);
        arena_release(arena, cross->points[side].member);
        arena_release(arena, cross->points[side].load);
        arena_release(arena, cross->items[side].item);
        arena_release(arena, cross->items[side].sum);
    }
}

static void fill_points(const Cross *cross) {
    const Term *term = cross->term;
    const Points *points = &cross->points[0];
    size_t words = cross->words;
    memcpy(points->rank, term->cross, term->members * sizeof *points->rank);
    for (size_t k = 0; k < term->members; k++) {
        uint32_t member = term->order ? term->order[k] : (uint32_t)k;
        if (points->member) points->member[k] = member;
        if (words)
            memcpy(points->load + k * words, cross->totals->load + member * words,
                   words * sizeof *points->load);
    }
}

/* The rows that can find anything; how many. */
static size_t fill_items(const Cross *cross, const uint32_t *bound) {
    const Term *term = cross->term;
    const Items *items = &cross->items[0];
    size_t count = 0;
    for (size_t i = 0; i < term->rows; i++) {
        if (bound[i] == 0 || term->low[i] == term->high[i]) continue;
        if (cross->words && cross->totals->only[i] <= 1) continue;
        items->item[count++] = (Item){
            .row = (uint32_t)i, .bound = bound[i], .low = term->low[i], .high = term->high[i]};
    }
    if (cross->words) memset(items->sum, 0, count * cross->words * sizeof *items->sum);
    return count;
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Parts that threads share, each with scratch of its own. */
typedef struct Batch {
    const Cross *cross;
    const Part *parts;
    Scratch *scratch;
} Batch;

static void run_one(void *context, size_t piece, int thread) {
    const Batch *b = context;
    run_part(b->cross, &b->parts[piece], &b->scratch[thread], UINT32_MAX, NULL);
}

static void run_rest(const Cross *cross, const Parts *rest, Arena *arena, int threads) {
    size_t most = 0;
    for (size_t k = 0; k < rest->count; k++) {
        size_t points = rest->part[k].point_end - rest->part[k].points;
        if (points > most) most = points;
    }
    Scratch *scratch = ARENA_BLOCK(arena, (size_t)threads, Scratch);
    for (int t = 0; t < threads; t++) scratch[t] = scratch_new(cross, most, arena);
    size_t batch = 4 * (size_t)threads;
    for (size_t begin = 0; begin < rest->count; begin += batch) {
        size_t end = rest->count - begin < batch ? rest->count : begin + batch;
        budget_poll(arena_budget(arena));
        Batch share = {cross, rest->part + begin, scratch};
        parallel_for(end - begin, threads, run_one, &share);
    }
    for (int t = 0; t < threads; t++) scratch_free(&scratch[t], arena);
    arena_release(arena, scratch);
}

/* Adds, weighted, for each row what lies in its slice below its bound. */
static void add_below(Cross *cross, const uint32_t *bound, Arena *arena, int threads) {
    fill_points(cross);
    Part all = {.point_end = cross->term->members, .item_end = fill_items(cross, bound)};
    while (cross->term->cross_ranks >> all.bit) all.bit++; /* bounds go up to cross_ranks */
    uint32_t stop = all.bit > TOP ? all.bit - TOP : 0;
    Scratch scratch = scratch_new(cross, cross->term->members, arena);
    Parts rest = {.count = 0};
    run_part(cross, &all, &scratch, stop, &rest);
    scratch_free(&scratch, arena);
    run_rest(cross, &rest, arena, threads);
}

void cross_add(const Term *term, const Totals *totals, Arena *arena, int threads) {
    Cross cross = {.term = term, .totals = totals};
    if (totals->sum) cross.words = totals->scale->words;
    make_buffers(&cross, term->rows, arena);
    cross.weight = term->cross_weight;
    add_below(&cross, term->to, arena, threads);
    cross.weight = -term->cross_weight;
    if (term->from) add_below(&cross, term->from, arena, threads);
    free_buffers(&cross, arena);
}
