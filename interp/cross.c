#include "interp/cross.h"

#include <string.h>

enum { FROM, TO, BOUNDS };

/* The members at one bit of their ranks, and the rows' slices among them. */
typedef struct Sweep {
    const Term *term;
    const Totals *totals;
    Arena *arena;
    uint32_t *rank, *member, *next_rank, *next_member; /* [members] */
    uint32_t *zeros;                                   /* [members + 1]: ranks before with bit 0 */
    uint32_t *position; /* [members + 1] or NULL: positions, summed over next_member */
    uint64_t *sum;      /* [members + 1][words] or NULL: values, likewise */
    uint32_t *low[BOUNDS], *high[BOUNDS]; /* [rows] */
    int threads;
} Sweep;

static uint32_t *copy(const uint32_t *from, size_t count, Arena *arena) {
    uint32_t *to = ARENA_BLOCK(arena, count, uint32_t);
    memcpy(to, from, count * sizeof *to);
    return to;
}

static Sweep sweep_new(const Term *term, const Totals *totals, Arena *arena, int threads) {
    size_t m = term->members;
    Sweep sweep = {.term = term, .totals = totals, .arena = arena, .threads = threads};
    sweep.rank = copy(term->cross, m, arena);
    sweep.member = ARENA_BLOCK(arena, m, uint32_t);
    for (size_t k = 0; k < m; k++) sweep.member[k] = term->order ? term->order[k] : (uint32_t)k;
    sweep.next_rank = ARENA_BLOCK(arena, m, uint32_t);
    sweep.next_member = ARENA_BLOCK(arena, m, uint32_t);
    sweep.zeros = ARENA_BLOCK(arena, m + 1, uint32_t);
    if (totals->position) sweep.position = ARENA_BLOCK(arena, m + 1, uint32_t);
    if (totals->sum)
        sweep.sum = arena_block(arena, m + 1, totals->scale->words * sizeof *sweep.sum);
    for (int bound = 0; bound < BOUNDS; bound++) {
        sweep.low[bound] = copy(term->low, term->rows, arena);
        sweep.high[bound] = copy(term->high, term->rows, arena);
    }
    return sweep;
}

static void sweep_free(Sweep *sweep) {
    void *const blocks[] = {sweep->rank,   sweep->member,   sweep->next_rank, sweep->next_member,
                            sweep->zeros,  sweep->position, sweep->sum,       sweep->low[0],
                            sweep->low[1], sweep->high[0],  sweep->high[1]};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        arena_release(sweep->arena, blocks[k]);
}

/* Members whose rank has a 0 at the bit first, in order, then the others. */
static void split(Sweep *sweep, uint32_t bit) {
    size_t m = sweep->term->members;
    uint32_t zero = 0;
    for (size_t k = 0; k < m; k++) {
        sweep->zeros[k] = zero;
        zero += !(sweep->rank[k] >> bit & 1);
    }
    sweep->zeros[m] = zero;
    uint32_t one = zero;
    for (size_t k = 0; k < m; k++) {
        uint32_t to = sweep->rank[k] >> bit & 1 ? one++ : sweep->zeros[k];
        sweep->next_rank[to] = sweep->rank[k];
        sweep->next_member[to] = sweep->member[k];
    }
}

/* Running sums over the members with a 0, which are the ones that rows take. */
static void accumulate(Sweep *sweep) {
    uint32_t zero = sweep->zeros[sweep->term->members];
    if (sweep->position) {
        sweep->position[0] = 0;
        for (size_t k = 0; k < zero; k++)
            sweep->position[k + 1] = sweep->position[k] + sweep->next_member[k];
    }
    if (!sweep->sum) return;
    const SumScale *scale = sweep->totals->scale;
    size_t words = scale->words;
    memset(sweep->sum, 0, words * sizeof *sweep->sum);
    for (size_t k = 0; k < zero; k++) {
        uint64_t *next = sweep->sum + (k + 1) * words;
        memcpy(next, next - words, words * sizeof *next);
        sum_add(scale, next, sweep->totals->load + (size_t)sweep->next_member[k] * words);
    }
}

/* Row i takes members low … high - 1 of the zeros, `weight` times. */
static void take(const Sweep *sweep, size_t i, uint32_t low, uint32_t high, int weight) {
    const Totals *totals = sweep->totals;
    if (totals->count) totals->count[i] += (uint32_t)weight * (high - low);
    if (sweep->position)
        totals->position[i] += (uint32_t)weight * (sweep->position[high] - sweep->position[low]);
    if (!sweep->sum || totals->only[i] <= 1) return;
    size_t words = totals->scale->words;
    const uint64_t *above = sweep->sum + (size_t)high * words;
    const uint64_t *below = sweep->sum + (size_t)low * words;
    uint64_t *sum = totals->sum + i * words;
    for (; weight > 0; weight--)
        sum_add(totals->scale, sum, above), sum_subtract(totals->scale, sum, below);
    for (; weight < 0; weight++)
        sum_add(totals->scale, sum, below), sum_subtract(totals->scale, sum, above);
}

/* One bit of a row's bound: where it is 1, all members of the slice with a 0 are less than
 * the bound, and the search goes on among those with a 1; where it is 0, among those with 0. */
static void step_row(const Sweep *sweep, size_t i, int side, uint32_t bit) {
    uint32_t low = sweep->low[side][i], high = sweep->high[side][i];
    if (low == high) return;
    uint32_t bound = side == TO ? sweep->term->to[i] : sweep->term->from[i];
    uint32_t zero_low = sweep->zeros[low], zero_high = sweep->zeros[high];
    if (bound >> bit & 1) {
        int weight = side == TO ? sweep->term->weight : -sweep->term->weight;
        take(sweep, i, zero_low, zero_high, weight);
        uint32_t zero = sweep->zeros[sweep->term->members];
        sweep->low[side][i] = zero + low - zero_low;
        sweep->high[side][i] = zero + high - zero_high;
    } else {
        sweep->low[side][i] = zero_low;
        sweep->high[side][i] = zero_high;
    }
}

static void step_rows(const Sweep *sweep, uint32_t bit) {
    int threads = sweep->threads;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (size_t i = 0; i < sweep->term->rows; i++) {
        step_row(sweep, i, FROM, bit);
        step_row(sweep, i, TO, bit);
    }
}

static void swap(uint32_t **a, uint32_t **b) {
    uint32_t *c = *a;
    *a = *b;
    *b = c;
}

void cross_add(const Term *term, const Totals *totals, Arena *arena, int threads) {
    Sweep sweep = sweep_new(term, totals, arena, threads);
    uint32_t bits = 0; /* as many as the bound cross_ranks, the highest, has */
    while (term->cross_ranks >> bits) bits++;
    for (uint32_t bit = bits; bit-- > 0;) {
        budget_poll(arena_budget(arena));
        split(&sweep, bit);
        accumulate(&sweep);
        step_rows(&sweep, bit);
        swap(&sweep.rank, &sweep.next_rank);
        swap(&sweep.member, &sweep.next_member);
    }
    sweep_free(&sweep);
}
