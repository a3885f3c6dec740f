/* Template: attention where many keys, or many queries, are equal.
 *
 * In a compiled model most queries and keys are one of a few classes: n
 * positions hold one of 26 letters. A query gives the same weight to equal
 * keys, so a group of them is one key, whose value is the sum of theirs and
 * whose weight counts once for each; equal queries read the same. So n² is
 * replaced by groups², exactly (the sums are added in another order). Under a
 * mask, groups fill up from one end to the other while the queries pass: n ×
 * groups; equal queries share their row of weights until another group comes
 * into sight.
 *
 * Columns are compared bit by bit (−0 being 0). NaN is different from
 * everything. */

/* The order in which keys come into sight: the sink if it is seen, then 1..n or
 * n..1. */
typedef struct {
    size_t n;
    bool sink, backwards;
} Order;

static size_t order_size(Order order) {
    return order.n + order.sink;
}

static size_t order_column(Order order, size_t t) {
    if (order.sink && t == 0) return 0;
    size_t i = t - order.sink;
    return order.backwards ? order.n - i : i + 1;
}

typedef struct {
    RealWord *hash;   /* [n + 1], and padding */
    uint32_t *id;     /* [n + 1]: the group of a column */
    uint32_t *column; /* [limit]: the first column of a group */
    uint32_t *table;  /* [table_size] */
    size_t table_size, limit;
    size_t count;
} Groups;

typedef struct {
    Groups keys, queries;
    Real *k, *v, *q, *z, *copies; /* [d, ld], [c, ld], [d, ld], [c, ld], [ld] */
    double *sums;                 /* [c, ld]: v before rounding */
    size_t ld;
    Real *weights;   /* rows of weights that queries share, one after the other */
    uint32_t *fresh; /* [limit]: how many keys a row was made for */
    size_t weights_size;
} Merge;

/* Merging is tried from this many positions on, and given up when there are
 * more groups than a third of them; under a mask, when queries are not merged
 * as well, an eighth. Otherwise tiles are as fast: hashing costs about what ten
 * queries do. */
enum { MERGE_FROM = 96, MERGE_SHARE = 3, MERGE_SHARE_ALONE = 8 };

/* Shared rows take at most this many reals a position: memory stays O(n). */
enum { SHARED_ROWS = 16 };

static void groups_place(Groups *groups, RtCarve *memory, size_t n) {
    size_t limit = n / MERGE_SHARE, size = 2;
    while (size < 2 * limit) size *= 2;
    groups->table_size = size;
    groups->hash = rt_carve(memory, n + 1 + PAD, sizeof *groups->hash);
    groups->id = rt_carve(memory, n + 1, sizeof *groups->id);
    groups->column = rt_carve(memory, limit, sizeof *groups->column);
    groups->table = rt_carve(memory, size, sizeof *groups->table);
}

/* For inputs of up to n tokens and heads of up to d and c features. */
static void merge_place(Merge *merge, RtCarve *memory, size_t n, size_t d, size_t c) {
    if (n < MERGE_FROM) return;
    size_t ld = merge->ld = round_up(n / MERGE_SHARE, PAD);
    groups_place(&merge->keys, memory, n);
    groups_place(&merge->queries, memory, n);
    merge->k = rt_carve(memory, ld, d * sizeof(Real));
    merge->q = rt_carve(memory, ld, d * sizeof(Real));
    merge->v = rt_carve(memory, ld, c * sizeof(Real));
    merge->z = rt_carve(memory, ld, c * sizeof(Real));
    merge->copies = rt_carve(memory, ld, sizeof(Real));
    merge->sums = rt_carve(memory, ld, c * sizeof *merge->sums);
    merge->weights_size = n * SHARED_ROWS;
    merge->weights = rt_carve(memory, merge->weights_size, sizeof(Real));
    merge->fresh = rt_carve(memory, ld, sizeof *merge->fresh);
}

static bool equal_columns(const Real *x, size_t ld, size_t d, size_t a, size_t b) {
    size_t i = 0;
    while (i < d && x[i * ld + a] == x[i * ld + b]) i++;
    return i == d;
}

/* Numbers the different columns of x[d, ·] in `order`; false when there are
 * more than the limit. */
static bool group_columns(const Kernels *kernels, Groups *groups, const Real *x, size_t ld,
                          size_t d, Order order) {
    kernels->hash_columns(x, ld, d, order.n + 1, groups->hash);
    memset(groups->table, 0xFF, groups->table_size * sizeof *groups->table);
    groups->count = 0;
    size_t mask = groups->table_size - 1;
    for (size_t t = 0; t < order_size(order); t++) {
        size_t j = order_column(order, t);
        size_t slot = (size_t)groups->hash[j] & mask;
        uint32_t g;
        while ((g = groups->table[slot]) != UINT32_MAX &&
               !equal_columns(x, ld, d, groups->column[g], j))
            slot = (slot + 1) & mask;
        if (g == UINT32_MAX) {
            if (groups->count == groups->limit) return false;
            g = (uint32_t)groups->count++;
            groups->table[slot] = g;
            groups->column[g] = (uint32_t)j;
        }
        groups->id[j] = g;
    }
    return true;
}

/* to[d, count] = the columns of x that stand for the groups */
static void gather(const Groups *groups, const Real *x, size_t ld, size_t d, Real *to,
                   size_t ldto) {
    for (size_t i = 0; i < d; i++) {
        for (size_t g = 0; g < groups->count; g++) to[i * ldto + g] = x[i * ld + groups->column[g]];
    }
}

static void merge_clear_sums(Merge *merge, size_t c) {
    size_t groups = merge->keys.count;
    for (size_t g = 0; g < groups; g++) merge->copies[g] = 0;
    for (size_t i = 0; i < c; i++) {
        for (size_t g = 0; g < groups; g++) merge->sums[i * merge->ld + g] = 0;
    }
}

/* Column j joins its group. */
static void merge_add(Merge *merge, const Attention *at, size_t j) {
    size_t g = merge->keys.id[j];
    merge->copies[g] += 1;
    for (size_t i = 0; i < at->c; i++) {
        double *sum = &merge->sums[i * merge->ld + g];
        *sum += (double)at->v[i * at->ldv + j];
        merge->v[i * merge->ld + g] = (Real)*sum;
    }
}

/* The head's attention with groups for keys: without a mask, all that are
 * there. */
static Attention merged(const Merge *merge, const Attention *at) {
    Attention view = *at;
    view.k = merge->k;
    view.v = merge->v;
    view.ldk = view.ldv = merge->ld;
    view.copies = merge->copies;
    view.mask = RT_MASK_NONE;
    view.sink = true; /* the sink is a group, or part of one, if it is seen at all */
    view.keys = merge->keys.count;
    return view;
}

static void attend_merged(const Kernels *kernels, RtRule rule, const Attention *at, size_t n,
                          Merge *merge, const Tiles *tiles) {
    Order keys = {n, at->sink, false}, queries = {n, false, false};
    for (size_t t = 0; t < order_size(keys); t++) merge_add(merge, at, order_column(keys, t));
    Attention view = merged(merge, at);
    if (!group_columns(kernels, &merge->queries, at->q, at->ldq, at->d, queries)) {
        attend(kernels, rule, &view, 1, n + 1, tiles);
        return;
    }
    gather(&merge->queries, at->q, at->ldq, at->d, merge->q, merge->ld);
    view.q = merge->q;
    view.out = merge->z;
    view.ldq = view.ldout = merge->ld;
    attend(kernels, rule, &view, 0, merge->queries.count, tiles);
    for (size_t i = 0; i < at->c; i++) {
        for (size_t j = 1; j <= n; j++)
            at->out[i * at->ldout + j] = merge->z[i * merge->ld + merge->queries.id[j]];
    }
}

/* Column j joins its group, which may be new to the queries after it. */
static void merge_join(Merge *merge, const Attention *at, size_t j, Attention *view) {
    size_t group = merge->keys.id[j];
    merge_add(merge, at, j);
    if (group >= view->keys) view->keys = group + 1;
}

/* What query j reads, from the row of weights it shares with its equals. */
static void read_shared(const Kernels *kernels, RtRule rule, const Attention *view, size_t j,
                        const Merge *merge, Real *z) {
    size_t g = merge->queries.id[j], ld = round_up(merge->keys.count, PAD);
    Real *row = merge->weights + g * ld;
    if (merge->fresh[g] != view->keys) {
        kernels->scores(view->q + j, view->ldq, 1, view->k, view->ldk, view->keys, view->d,
                        view->factor, row, ld);
        Real top = kernels->max_row(row, view->keys);
        rules[rule](&(Scores){row, view->keys, top, view->window, view->parameter, kernels});
        merge->fresh[g] = (uint32_t)view->keys;
    }
    Real sum = 0;
    memset(z, 0, view->c * sizeof *z);
    kernels->mix(row, ld, 1, merge->copies, 0, view->keys, 1, &sum, 1);
    kernels->mix(row, ld, 1, view->v, view->ldv, view->keys, view->c, z, view->c);
    for (size_t i = 0; i < view->c; i++) view->out[i * view->ldout + j] = z[i] / sum;
}

/* Groups are numbered as they come into sight, so those a query sees are the
 * first ones. */
static void attend_running(const Kernels *kernels, RtRule rule, const Attention *at, Order order,
                           bool shared, Merge *merge, const Tiles *tiles) {
    bool strict = at->mask == RT_MASK_STRICT_CAUSAL || at->mask == RT_MASK_STRICT_ANTICAUSAL;
    Attention view = merged(merge, at);
    view.keys = 0;
    for (size_t t = 0; t < order_size(order); t++) {
        size_t j = order_column(order, t);
        if (!strict || j == 0) merge_join(merge, at, j, &view);
        if (j && shared) read_shared(kernels, rule, &view, j, merge, tiles->z);
        if (j && !shared) attend(kernels, rule, &view, j, j + 1, tiles);
        if (strict && j) merge_join(merge, at, j, &view);
    }
}

/* Whether equal queries of the head share rows: few enough of them for the
 * memory there is. */
static bool share_rows(const Kernels *kernels, const Attention *at, size_t n, Merge *merge) {
    Order queries = {n, false, false};
    size_t ld = round_up(merge->keys.count, PAD);
    merge->queries.limit = merge->weights_size / ld;
    if (merge->queries.limit > n / MERGE_SHARE) merge->queries.limit = n / MERGE_SHARE;
    if (!group_columns(kernels, &merge->queries, at->q, at->ldq, at->d, queries)) return false;
    memset(merge->fresh, 0, merge->queries.count * sizeof *merge->fresh);
    return true;
}

/* Queries 1..n of a head over its keys 0..n; false, with nothing done, when
 * equal keys are few. */
static bool try_merging(const Kernels *kernels, RtRule rule, const Attention *at, size_t n,
                        Merge *merge, const Tiles *tiles) {
    if (!rt_rules[rule].merges || n < MERGE_FROM) return false;
    bool anti = at->mask == RT_MASK_ANTICAUSAL || at->mask == RT_MASK_STRICT_ANTICAUSAL;
    bool masked = at->mask != RT_MASK_NONE;
    Order order = {n, at->sink, anti};
    merge->keys.limit = merge->queries.limit = n / MERGE_SHARE;
    if (!group_columns(kernels, &merge->keys, at->k, at->ldk, at->d, order)) return false;
    bool shared = masked && share_rows(kernels, at, n, merge);
    if (masked && !shared && merge->keys.count > n / MERGE_SHARE_ALONE) return false;
    gather(&merge->keys, at->k, at->ldk, at->d, merge->k, merge->ld);
    merge_clear_sums(merge, at->c);
    if (masked)
        attend_running(kernels, rule, at, order, shared, merge, tiles);
    else
        attend_merged(kernels, rule, at, n, merge, tiles);
    return true;
}
