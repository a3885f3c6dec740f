#include "compile/lower/window.h"

#include <math.h>

enum { MOST_COLOURS = 16, WORTH = 2 }; /* classes that select anything, for each colour */
static const double MOST_CODE = 1e5;   /* whose squares leave scores exact enough */

/* The matrix from either side. */
typedef struct Sides {
    const unsigned char *entry;
    uint32_t near, far;
    size_t near_step, far_step;
} Sides;

static bool selects(const Sides *s, uint32_t near, uint32_t far) {
    return s->entry[near * s->near_step + far * s->far_step] == 1;
}

/* Each class the first colour that no far class would select twice.  False: there are not so
 * many. */
static bool colour(const Sides *s, uint32_t *colour, uint32_t *count, Arena *arena) {
    uint32_t *used = ARENA_ARRAY(arena, s->far, uint32_t); /* by far class: colours, as bits */
    *count = 0;
    for (uint32_t x = 0; x < s->near; x++) {
        uint32_t taken = 0;
        colour[x] = 0;
        for (uint32_t y = 0; y < s->far; y++)
            if (selects(s, x, y)) taken |= used[y];
        while (taken >> colour[x] & 1) colour[x]++;
        if (colour[x] == MOST_COLOURS) return false;
        if (colour[x] == *count) ++*count;
        for (uint32_t y = 0; y < s->far; y++)
            if (selects(s, x, y)) used[y] |= 1u << colour[x];
    }
    return true;
}

/* What a class asks for of a colour that it selects nothing of, near what it asks of the others,
 * `mean`: beyond all codes, or between two. */
static double no_code(double mean, double size) {
    if (!(mean > 0)) return -2;
    return mean >= 2 * (size - 1) ? 2 * size : 2 * floor(mean / 2) + 1;
}

static void ask(const Sides *s, Window *c, const double *size, double *asked) {
    for (uint32_t y = 0; y < s->far; y++) {
        double sum = 0, selected = 0, *row = asked + (size_t)y * c->count;
        for (uint32_t k = 0; k < c->count; k++) row[k] = NAN;
        for (uint32_t x = 0; x < s->near; x++) {
            if (!selects(s, x, y)) continue;
            row[c->colour[x]] = c->code[x];
            sum += c->code[x], selected++;
        }
        for (uint32_t k = 0; k < c->count; k++)
            if (isnan(row[k])) row[k] = no_code(selected > 0 ? sum / selected : 0, size[k]);
    }
}

static bool in_colours(const Sides *s, Arena *arena, Window *w) {
    uint32_t *of = ARENA_ARRAY(arena, s->near, uint32_t);
    double size[MOST_COLOURS] = {0};
    if (!colour(s, of, &w->count, arena)) return false;
    double *code = ARENA_ARRAY(arena, s->near, double);
    double *asked = ARENA_ARRAY(arena, (size_t)s->far * w->count, double);
    for (uint32_t x = 0; x < s->near; x++) code[x] = 2 * size[of[x]]++;
    w->colour = of;
    w->code = code;
    ask(s, w, size, asked);
    w->asked = asked;
    return true;
}

/* What the class asks for: one of the near side, half-way between two neighbours, or below all. */
static bool middle(const Sides *s, uint32_t far, double *asked) {
    uint32_t first = 0, count = 0;
    *asked = -1;
    for (uint32_t x = 0; x < s->near; x++) {
        if (!selects(s, x, far)) continue;
        if (count == 0) first = x;
        if (x > first + 1) return false;
        count++;
    }
    if (count) *asked = first + (count - 1) / 2.0;
    return true;
}

static bool in_neighbours(const Sides *s, Arena *arena, Window *w) {
    double *code = ARENA_ARRAY(arena, s->near, double);
    double *asked = ARENA_ARRAY(arena, s->far, double);
    for (uint32_t y = 0; y < s->far; y++)
        if (!middle(s, y, &asked[y])) return false;
    for (uint32_t x = 0; x < s->near; x++) code[x] = x;
    w->count = 1;
    w->colour = ARENA_ARRAY(arena, s->near, uint32_t);
    w->code = code;
    w->asked = asked;
    return true;
}

/* Classes of a side that select anything: what one-hots would take. */
static uint32_t selecting(const Sides *s) {
    uint32_t count = 0;
    for (uint32_t x = 0; x < s->near; x++) {
        uint32_t y = 0;
        while (y < s->far && !selects(s, x, y)) y++;
        count += y < s->far;
    }
    return count;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

double window_square(double asked) {
    return floor(asked * asked);
}

bool window_find(const unsigned char *entry, uint32_t key_classes, uint32_t query_classes,
                 Arena *arena, Window *window) {
    const Sides by_key = {entry, key_classes, query_classes, query_classes, 1};
    const Sides by_query = {entry, query_classes, key_classes, 1, query_classes};
    uint32_t one_hots = least(selecting(&by_key), selecting(&by_query));
    *window = (Window){.by_key = true};
    if (2 * fmax(key_classes, query_classes) > MOST_CODE || one_hots < WORTH) return false;
    if (in_neighbours(&by_key, arena, window)) return true;
    window->by_key = false;
    if (in_neighbours(&by_query, arena, window)) return true;
    Window key = {.by_key = true, .count = UINT32_MAX}, query = {.count = UINT32_MAX};
    if (!in_colours(&by_key, arena, &key)) key.count = UINT32_MAX;
    if (!in_colours(&by_query, arena, &query)) query.count = UINT32_MAX;
    *window = key.count <= query.count ? key : query;
    return window->count <= one_hots / WORTH;
}
