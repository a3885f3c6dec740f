#include "interp/exec/bitrows.h"

#include "base/parallel.h"
#include "interp/exec/group.h"

#include <string.h>

enum {
    BLOCK = 64,  /* rows, the bits of a word */
    CHUNK = 1024 /* keys at a time, a multiple of 64: registers stay in the cache */
};

/* A key column against a query column. */
typedef struct BitPair {
    NodeId key, query;
    const KeyIndex *index;
    uint32_t *codes; /* [length] */
} BitPair;

typedef enum BitKind {
    BIT_PAIR,
    BIT_KEY,
    BIT_QUERY,
    BIT_CONSTANT,
    BIT_AND,
    BIT_OR,
    BIT_NOT
} BitKind;

/* One step, from registers to a register; registers hold a word for each key of a chunk. */
typedef struct BitPart {
    BitKind kind;
    uint32_t to, a, b;
    size_t pair;   /* pair */
    unsigned mask; /* pair: outcomes that select */
    size_t table;  /* pair: where its table begins in a worker's tables */
    bool *holds;   /* key, query: [length]; constant: one value */
} BitPart;

struct BitRows {
    size_t length;
    BitPair *pair;
    size_t pair_count;
    BitPart *part;
    size_t part_count;
    uint32_t registers;
    size_t table_words; /* of all tables */
    uint32_t *class_of; /* [length]: rows with the same queries are one class */
    uint32_t *row_of;   /* [classes]: a row of the class */
    uint32_t class_count;
};

/* --- building ----------------------------------------------------------------------------- */

static size_t add_pair(BitRows *rows, Exec *exec, const FormulaStep *step) {
    for (size_t p = 0; p < rows->pair_count; p++)
        if (rows->pair[p].key == step->key && rows->pair[p].query == step->query) return p;
    BitPair *pair = &rows->pair[rows->pair_count];
    *pair = (BitPair){.key = step->key, .query = step->query};
    pair->index = exec_key_index(exec, step->key, true);
    pair->codes = ARENA_BLOCK(exec->arena, rows->length, uint32_t);
    key_codes(pair->index, step->keys, step->queries, pair->codes, exec_threads(exec));
    return rows->pair_count++;
}

static BitPart make_part(BitRows *rows, Exec *exec, Formula *formula, size_t k) {
    static const BitKind joined[] = {
        [NODE_AND] = BIT_AND, [NODE_OR] = BIT_OR, [NODE_NOT] = BIT_NOT};
    const FormulaStep *step = &formula->steps[k];
    BitPart part = {.kind = BIT_CONSTANT};
    if (step->reach != (REACH_KEY | REACH_QUERY)) {
        if (step->reach) part.kind = step->reach == REACH_KEY ? BIT_KEY : BIT_QUERY;
        part.holds = formula_predicate(exec, formula, k);
    } else if (step->kind == NODE_SELECT) {
        part.kind = BIT_PAIR;
        part.pair = add_pair(rows, exec, step);
        part.mask = ops[step->op].holds;
        part.table = rows->table_words;
        rows->table_words += (size_t)rows->pair[part.pair].index->distinct + 1;
    } else
        part.kind = joined[step->kind];
    return part;
}

/* Which steps are run: from the last one down to those that depend on one side alone.
 * last[k]: the last step that reads step k. */
static bool *live_steps(const Formula *formula, uint32_t *last, Arena *arena) {
    bool *live = ARENA_BLOCK(arena, formula->count, bool);
    memset(live, 0, formula->count * sizeof *live);
    live[formula->count - 1] = true;
    for (size_t k = formula->count; k-- > 0;) {
        const FormulaStep *step = &formula->steps[k];
        if (!live[k] || step->kind == NODE_SELECT || step->reach != (REACH_KEY | REACH_QUERY))
            continue;
        const uint32_t read[2] = {step->a, step->b};
        for (int r = 0; r < 2; r++) {
            if (!live[read[r]]) last[read[r]] = (uint32_t)k;
            live[read[r]] = true;
        }
    }
    return live;
}

/* Registers by liveness: a chain of a million steps needs two. */
typedef struct Registers {
    uint32_t *spare, spare_count, used;
} Registers;

static uint32_t take_register(Registers *registers) {
    return registers->spare_count ? registers->spare[--registers->spare_count] : registers->used++;
}

static void make_parts(BitRows *rows, Exec *exec, Formula *formula) {
    uint32_t *last = ARENA_BLOCK(exec->arena, formula->count, uint32_t);
    uint32_t *reg = ARENA_BLOCK(exec->arena, formula->count, uint32_t);
    bool *live = live_steps(formula, last, exec->arena);
    Registers registers = {.spare = ARENA_BLOCK(exec->arena, formula->count, uint32_t)};
    for (size_t k = 0; k < formula->count; k++) {
        if (!live[k]) continue;
        exec_poll(exec);
        BitPart part = make_part(rows, exec, formula, k);
        if (part.kind >= BIT_AND) {
            const FormulaStep *step = &formula->steps[k];
            part.a = reg[step->a];
            part.b = reg[step->b];
            if (last[step->a] == k) registers.spare[registers.spare_count++] = part.a;
            if (last[step->b] == k && step->b != step->a)
                registers.spare[registers.spare_count++] = part.b;
        }
        part.to = reg[k] = take_register(&registers);
        rows->part[rows->part_count++] = part;
    }
    rows->registers = registers.used;
    arena_release(exec->arena, last);
    arena_release(exec->arena, reg);
    arena_release(exec->arena, live);
    arena_release(exec->arena, registers.spare);
}

/* Rows whose queries have the same codes and predicates are one class. */
static void make_classes(BitRows *rows, Arena *arena) {
    size_t n = rows->length;
    rows->class_of = ARENA_BLOCK(arena, n, uint32_t);
    memset(rows->class_of, 0, n * sizeof *rows->class_of);
    rows->class_count = 1;
    for (size_t p = 0; p < rows->pair_count; p++)
        rows->class_count = number_pairs(rows->class_of, rows->pair[p].codes, n, arena);
    uint32_t *truth = ARENA_BLOCK(arena, n, uint32_t);
    for (size_t k = 0; k < rows->part_count; k++) {
        if (rows->part[k].kind != BIT_QUERY) continue;
        for (size_t i = 0; i < n; i++) truth[i] = rows->part[k].holds[i];
        rows->class_count = number_pairs(rows->class_of, truth, n, arena);
    }
    arena_release(arena, truth);
    rows->row_of = ARENA_BLOCK(arena, rows->class_count, uint32_t);
    for (size_t i = n; i-- > 0;) rows->row_of[rows->class_of[i]] = (uint32_t)i;
}

BitRows *bitrows_new(Exec *exec, Formula *formula) {
    BitRows *rows = ARENA_NEW(exec->arena, BitRows);
    rows->length = exec->input.length;
    rows->pair = ARENA_BLOCK(exec->arena, formula->count, BitPair);
    rows->part = ARENA_BLOCK(exec->arena, formula->count, BitPart);
    make_parts(rows, exec, formula);
    make_classes(rows, exec->arena);
    return rows;
}

void bitrows_free(BitRows *rows, Arena *arena) {
    if (!rows) return;
    for (size_t p = 0; p < rows->pair_count; p++) arena_release(arena, rows->pair[p].codes);
    for (size_t k = 0; k < rows->part_count; k++) arena_release(arena, rows->part[k].holds);
    arena_release(arena, rows->pair);
    arena_release(arena, rows->part);
    arena_release(arena, rows->class_of);
    arena_release(arena, rows->row_of);
    *rows = (BitRows){0};
}

/* --- a block of rows ---------------------------------------------------------------------- */

/* What one thread works in. */
typedef struct Worker {
    uint64_t *tables;    /* [table_words] */
    uint64_t *registers; /* [registers][CHUNK] */
} Worker;

/* Up to 64 classes, from `first` on. */
typedef struct Block {
    const BitRows *rows;
    const Totals *totals; /* by class */
    Worker worker;
    uint32_t first, count;
} Block;

static uint32_t block_row(const Block *block, uint32_t bit) {
    return block->rows->row_of[block->first + bit];
}

/* table[rank]: the rows that select a key of that rank; table[distinct]: a key that is NaN.
 * A row changes its mind where the ranks pass from less to equal and from equal to greater. */
static void fill_table(const Block *block, const BitPart *part) {
    const BitPair *pair = &block->rows->pair[part->pair];
    uint64_t *table = block->worker.tables + part->table, nan = 0;
    uint32_t distinct = pair->index->distinct;
    bool less = part->mask & OUTCOME_LESS, equal = part->mask & OUTCOME_EQUAL;
    bool greater = part->mask & OUTCOME_GREATER, unordered = part->mask & OUTCOME_UNORDERED;
    memset(table, 0, ((size_t)distinct + 1) * sizeof *table);
    for (uint32_t bit = 0; bit < block->count; bit++) {
        uint32_t code = pair->codes[block_row(block, bit)];
        uint64_t one = (uint64_t)1 << bit;
        if (unordered) nan |= one;
        if (code == CODE_NAN) {
            if (unordered) table[0] ^= one;
            continue;
        }
        if (less) table[0] ^= one;
        if (less != equal) table[code_below(code)] ^= one;
        if (equal != greater) table[code_through(code)] ^= one;
    }
    for (uint32_t r = 1; r < distinct; r++) table[r] ^= table[r - 1];
    table[distinct] = nan;
}

static void fill(uint64_t *to, size_t count, uint64_t word) {
    for (size_t k = 0; k < count; k++) to[k] = word;
}

static uint64_t query_word(const Block *block, const bool *holds) {
    uint64_t word = 0;
    for (uint32_t bit = 0; bit < block->count; bit++)
        word |= (uint64_t)holds[block_row(block, bit)] << bit;
    return word;
}

static void run_pair(const Block *block, const BitPart *part, size_t base, size_t count,
                     uint64_t *to) {
    const KeyIndex *index = block->rows->pair[part->pair].index;
    const uint64_t *table = block->worker.tables + part->table;
    for (size_t k = 0; k < count; k++) {
        uint32_t rank = index->rank ? index->rank[base + k] : (uint32_t)(base + k);
        to[k] = table[rank < index->distinct ? rank : index->distinct];
    }
}

static void run_part(const Block *block, const BitPart *part, size_t base, size_t count) {
    uint64_t *registers = block->worker.registers, *to = registers + (size_t)part->to * CHUNK;
    const uint64_t *a = registers + (size_t)part->a * CHUNK;
    const uint64_t *b = registers + (size_t)part->b * CHUNK;
    switch (part->kind) {
    case BIT_PAIR:
        run_pair(block, part, base, count, to);
        break;
    case BIT_KEY:
        for (size_t k = 0; k < count; k++) to[k] = part->holds[base + k] ? UINT64_MAX : 0;
        break;
    case BIT_QUERY:
        fill(to, count, query_word(block, part->holds));
        break;
    case BIT_CONSTANT:
        fill(to, count, part->holds[0] ? UINT64_MAX : 0);
        break;
    case BIT_AND:
        for (size_t k = 0; k < count; k++) to[k] = a[k] & b[k];
        break;
    case BIT_OR:
        for (size_t k = 0; k < count; k++) to[k] = a[k] | b[k];
        break;
    case BIT_NOT:
        for (size_t k = 0; k < count; k++) to[k] = ~a[k];
        break;
    }
}

/* word[k] bit r becomes word[r] bit k (Warren, Hacker's Delight, 7-3). */
static void transpose(uint64_t word[64]) {
    uint64_t mask = 0x00000000ffffffffu;
    for (unsigned j = 32; j; j >>= 1, mask ^= mask << j)
        for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            uint64_t swap = ((word[k] >> j) ^ word[k | j]) & mask;
            word[k] ^= swap << j;
            word[k | j] ^= swap;
        }
}

static uint32_t popcount(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

/* selected: a bit for each key from `base` on. */
static void total_row(const Block *block, uint32_t bit, uint64_t selected, size_t base) {
    const Totals *totals = block->totals;
    size_t class = block->first + bit;
    if (!selected) return;
    if (totals->count) totals->count[class] += popcount(selected);
    if (totals->position)
        totals->position[class] = (uint32_t)base + (uint32_t)__builtin_ctzll(selected);
    if (!totals->sum || totals->only[block_row(block, bit)] <= 1) return;
    size_t words = totals->scale->words;
    for (; selected; selected &= selected - 1)
        sum_add(totals->scale, totals->sum + class * words,
                totals->load + (base + (size_t)__builtin_ctzll(selected)) * words);
}

/* The result's words for keys base … base + count - 1. */
static void total_chunk(const Block *block, const uint64_t *words, size_t base, size_t count) {
    for (size_t at = 0; at < count; at += 64) {
        uint64_t square[64] = {0};
        memcpy(square, words + at, (count - at < 64 ? count - at : 64) * sizeof *square);
        transpose(square);
        for (uint32_t bit = 0; bit < block->count; bit++)
            total_row(block, bit, square[bit], base + at);
    }
}

static void run_block(const Block *block) {
    const BitRows *rows = block->rows;
    for (size_t k = 0; k < rows->part_count; k++)
        if (rows->part[k].kind == BIT_PAIR) fill_table(block, &rows->part[k]);
    size_t result = (size_t)rows->part[rows->part_count - 1].to * CHUNK;
    for (size_t base = 0; base < rows->length; base += CHUNK) {
        size_t count = rows->length - base < CHUNK ? rows->length - base : CHUNK;
        for (size_t k = 0; k < rows->part_count; k++) run_part(block, &rows->part[k], base, count);
        total_chunk(block, block->worker.registers + result, base, count);
    }
}

/* --- all rows ----------------------------------------------------------------------------- */

/* Blocks run between two polls: about a hundred million words of work. */
static uint32_t batch_blocks(const BitRows *rows, int threads) {
    size_t work = rows->length * (rows->part_count + 8) + 1, blocks = 100000000 / work;
    size_t least = (size_t)threads;
    return (uint32_t)(blocks < least ? least : blocks > 4096 ? 4096 : blocks);
}

/* Blocks that threads share, each with a worker of its own. */
typedef struct Batch {
    const BitRows *rows;
    const Totals *totals;
    const Worker *workers;
    uint32_t begin;
} Batch;

static void run_one(void *context, size_t piece, int thread) {
    const Batch *b = context;
    uint32_t first = (b->begin + (uint32_t)piece) * BLOCK, rest = b->rows->class_count - first;
    run_block(&(Block){.rows = b->rows,
                       .totals = b->totals,
                       .worker = b->workers[thread],
                       .first = first,
                       .count = rest < BLOCK ? rest : BLOCK});
}

static void run_blocks(Exec *exec, const BitRows *rows, const Totals *totals, Worker *workers) {
    int threads = exec_threads(exec);
    uint32_t blocks = (rows->class_count + BLOCK - 1) / BLOCK, batch = batch_blocks(rows, threads);
    for (uint32_t begin = 0; begin < blocks; begin += batch) {
        uint32_t end = blocks - begin < batch ? blocks : begin + batch;
        exec_progress(exec, (double)begin / blocks);
        Batch share = {rows, totals, workers, begin};
        parallel_for(end - begin, threads, run_one, &share);
    }
}

static void *zeroed(Arena *arena, size_t count, size_t size) {
    return memset(arena_block(arena, count, size), 0, count * size);
}

/* The classes' totals, handed to their rows. */
static void spread(const BitRows *rows, const Totals *classes, const Totals *totals) {
    for (size_t i = 0; i < rows->length; i++) {
        size_t class = rows->class_of[i];
        if (totals->count) totals->count[i] += classes->count[class];
        if (totals->position) totals->position[i] += classes->position[class];
        if (!totals->sum || totals->only[i] <= 1) continue;
        size_t words = totals->scale->words;
        sum_add(totals->scale, totals->sum + i * words, classes->sum + class * words);
    }
}

size_t bitrows_classes(const BitRows *rows) {
    return rows->class_count;
}

void bitrows_add(Exec *exec, const BitRows *rows, const Totals *totals) {
    Arena *arena = exec->arena;
    int threads = exec_threads(exec);
    Worker *workers = ARENA_BLOCK(arena, (size_t)threads, Worker);
    for (int t = 0; t < threads; t++) {
        workers[t].tables = ARENA_BLOCK(arena, rows->table_words, uint64_t);
        workers[t].registers = ARENA_BLOCK(arena, (size_t)rows->registers * CHUNK, uint64_t);
    }
    Totals classes = {.scale = totals->scale, .load = totals->load, .only = totals->only};
    size_t count = rows->class_count;
    if (totals->count) classes.count = zeroed(arena, count, sizeof *classes.count);
    if (totals->position) classes.position = zeroed(arena, count, sizeof *classes.position);
    if (totals->sum) classes.sum = zeroed(arena, count, totals->scale->words * sizeof *classes.sum);
    run_blocks(exec, rows, &classes, workers);
    spread(rows, &classes, totals);
    for (int t = 0; t < threads; t++) {
        arena_release(arena, workers[t].tables);
        arena_release(arena, workers[t].registers);
    }
    arena_release(arena, workers);
    arena_release(arena, classes.count);
    arena_release(arena, classes.position);
    arena_release(arena, classes.sum);
}
