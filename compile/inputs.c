#include "compile/inputs.h"

#include "base/random.h"

#include <math.h>

struct Inputs {
    const Domain *domain;
    uint32_t complete; /* lengths up to here are enumerated */
    uint32_t n;        /* length of the last input that was enumerated; 0 before the first */
    uint32_t *current;
    Random random;
    uint64_t drawn, given; /* given: own and others' */
    Shard shard;
    bool exhaustive, drawing; /* drawing: all short ones have been given out */
};

/* --- numbers ------------------------------------------------------------------------------- */

static uint32_t below(Inputs *inputs, uint32_t bound) {
    return (uint32_t)random_below(&inputs->random, bound);
}

/* How many inputs there are of at most this length, as a double: it may be a large number. */
static double total_inputs(const Domain *domain, uint32_t length) {
    double total = 0, size = domain->first >= 0 ? 1 : domain->alphabet_size;
    for (uint32_t n = 1; n <= length; n++, size *= domain->alphabet_size) total += size;
    return total;
}

Inputs *inputs_new(const Domain *domain, InputPlan plan, Arena *arena) {
    Inputs *inputs = ARENA_NEW(arena, Inputs);
    uint32_t longest = domain->max_length;
    *inputs = (Inputs){.domain = domain,
                       .random = {plan.seed},
                       .shard = plan.shard,
                       .current = ARENA_ARRAY(arena, longest, uint32_t)};
    inputs->exhaustive = total_inputs(domain, longest) <= (double)plan.exhaustive_limit;
    double most = inputs->exhaustive ? INFINITY : (double)(plan.count / 2);
    while (inputs->complete < longest && total_inputs(domain, inputs->complete + 1) <= most)
        inputs->complete++;
    return inputs;
}

bool inputs_exhaustive(const Inputs *inputs) {
    return inputs->exhaustive;
}

uint32_t inputs_complete_length(const Inputs *inputs) {
    return inputs->complete;
}

/* --- all of them, in order ----------------------------------------------------------------- */

static void begin_length(Inputs *inputs) {
    const Domain *domain = inputs->domain;
    inputs->n++;
    for (uint32_t i = 0; i < inputs->n; i++) inputs->current[i] = 0;
    if (domain->first >= 0) inputs->current[0] = (uint32_t)domain->first;
}

/* The next one of the same length, the last token turning fastest. */
static bool advance(Inputs *inputs) {
    uint32_t fixed = inputs->domain->first >= 0;
    for (uint32_t i = inputs->n; i-- > fixed;) {
        if (++inputs->current[i] < inputs->domain->alphabet_size) return true;
        inputs->current[i] = 0;
    }
    return false;
}

static bool enumerate(Inputs *inputs) {
    if (inputs->n > 0 && advance(inputs)) return true;
    inputs->drawing = inputs->n >= inputs->complete;
    if (!inputs->drawing) begin_length(inputs);
    return !inputs->drawing;
}

/* --- shapes -------------------------------------------------------------------------------- */

typedef void Shape(Inputs *inputs, uint32_t *ids, uint32_t n);

static void uniform(Inputs *inputs, uint32_t *ids, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) ids[i] = below(inputs, inputs->domain->alphabet_size);
}

static void all_equal(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uint32_t token = below(inputs, inputs->domain->alphabet_size);
    for (uint32_t i = 0; i < n; i++) ids[i] = token;
}

/* A shuffled alphabet over and over: all different as long as it lasts. */
static void all_distinct(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uint32_t size = inputs->domain->alphabet_size;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t within = i % size, start = i - within, other = start + below(inputs, within + 1);
        ids[i] = within;
        if (other == i) continue;
        ids[i] = ids[other];
        ids[other] = within;
    }
}

static void sorted(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uniform(inputs, ids, n);
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && ids[k - 1] > ids[k]; k--) {
            uint32_t token = ids[k];
            ids[k] = ids[k - 1];
            ids[k - 1] = token;
        }
}

static void reverse(uint32_t *ids, uint32_t n) {
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t token = ids[i];
        ids[i] = ids[n - 1 - i];
        ids[n - 1 - i] = token;
    }
}

static void reversed(Inputs *inputs, uint32_t *ids, uint32_t n) {
    sorted(inputs, ids, n);
    reverse(ids, n);
}

static void blocks(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uint32_t length = 1 + below(inputs, n);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = i % length ? ids[i - 1] : below(inputs, inputs->domain->alphabet_size);
}

static void mirrored(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uniform(inputs, ids, n);
    for (uint32_t i = 0; i < n / 2; i++) ids[n - 1 - i] = ids[i];
}

/* A pair of brackets opens and closes like this, if the alphabet lists it as a pair. */
static void mirrored_pairs(Inputs *inputs, uint32_t *ids, uint32_t n) {
    mirrored(inputs, ids, n);
    for (uint32_t i = n - n / 2; i < n; i++)
        if ((ids[i] ^ 1) < inputs->domain->alphabet_size) ids[i] ^= 1;
}

static void one_different(Inputs *inputs, uint32_t *ids, uint32_t n) {
    all_equal(inputs, ids, n);
    ids[below(inputs, n)] = below(inputs, inputs->domain->alphabet_size);
}

static void repeated(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uint32_t period = 1 + below(inputs, n);
    uniform(inputs, ids, period);
    for (uint32_t i = period; i < n; i++) ids[i] = ids[i - period];
}

static void two_tokens(Inputs *inputs, uint32_t *ids, uint32_t n) {
    uint32_t token[2];
    uniform(inputs, token, 2);
    for (uint32_t i = 0; i < n; i++) ids[i] = token[below(inputs, 2)];
}

static Shape *const shapes[] = {
    uniform, all_equal, uniform,        all_distinct,  sorted,   reversed,
    blocks,  mirrored,  mirrored_pairs, one_different, repeated, two_tokens,
};

enum { SHAPE_COUNT = sizeof shapes / sizeof *shapes };

/* One in four is of the greatest length, where the most can go wrong. */
static uint32_t draw(Inputs *inputs, uint32_t *ids) {
    uint32_t longest = inputs->domain->max_length, shortest = inputs->complete + 1;
    uint32_t n = below(inputs, 4) ? shortest + below(inputs, longest - shortest + 1) : longest;
    shapes[inputs->drawn++ % SHAPE_COUNT](inputs, ids, n);
    if (inputs->domain->first >= 0) ids[0] = (uint32_t)inputs->domain->first;
    return n;
}

uint64_t inputs_number(const Inputs *inputs) {
    return inputs->given - 1;
}

bool inputs_own(const Inputs *inputs) {
    return shard_has(inputs->shard, inputs_number(inputs), INPUTS_BLOCK);
}

/* The next short one that is wanted. */
static bool enumerate_own(Inputs *inputs) {
    while (enumerate(inputs)) {
        inputs->given++;
        if (!inputs->exhaustive || inputs_own(inputs)) return true;
    }
    return false;
}

uint32_t inputs_next(Inputs *inputs, uint32_t *ids) {
    if (!inputs->drawing && enumerate_own(inputs)) {
        for (uint32_t i = 0; i < inputs->n; i++) ids[i] = inputs->current[i];
        return inputs->n;
    }
    if (inputs->complete == inputs->domain->max_length) return 0;
    inputs->given++;
    return draw(inputs, ids);
}
