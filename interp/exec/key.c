#include "interp/exec/key.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* --- numbers as unsigned integers in the same order -------------------------------------- */

#define SIGN ((uint64_t)1 << 63)

static uint64_t order_int(int64_t value) {
    return (uint64_t)value ^ SIGN;
}

/* Not for NaN. */
static uint64_t order_float(double value) {
    double unsigned_zero = value + 0.0;
    uint64_t bits;
    memcpy(&bits, &unsigned_zero, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static bool float_as_int(double value, int64_t *number) {
    if (!(value >= -0x1p63 && value < 0x1p63) || value != trunc(value)) return false;
    *number = (int64_t)value;
    return true;
}

static bool as_int(Atom value, int64_t *number) {
    if (value.kind == ATOM_STRING) return false;
    if (value.kind == ATOM_FLOAT) return float_as_int(value.f, number);
    *number = atom_integer(value);
    return true;
}

/* All keys as ints, if they are (floats without a fraction too). */
static bool all_ints(const Column *keys, int64_t *ints) {
    for (size_t j = 0; j < keys->length; j++)
        if (!as_int(column_at(keys, j), &ints[j])) return false;
    return true;
}

static bool is_exact_float(int64_t value) {
    return value >= -(1ll << 53) && value <= 1ll << 53;
}

#define ORDER_NAN UINT64_MAX /* above every float's order */

/* All keys as doubles, if that is exact. */
static bool all_floats(const Column *keys, uint64_t *floats) {
    for (size_t j = 0; j < keys->length; j++) {
        Atom key = column_at(keys, j);
        if (key.kind == ATOM_STRING) return false;
        if (key.kind != ATOM_FLOAT && !is_exact_float(atom_integer(key))) return false;
        double value = atom_double(key);
        floats[j] = isnan(value) ? ORDER_NAN : order_float(value);
    }
    return true;
}

/* --- building ----------------------------------------------------------------------------- */

static bool is_identity(const int64_t *ints, size_t count) {
    for (size_t j = 0; j < count; j++)
        if (ints[j] != (int64_t)j) return false;
    return true;
}

/* The width of the values' range, or 0 if it is too wide for a table. */
static uint64_t narrow_span(const int64_t *ints, size_t count, int64_t *low) {
    int64_t least = ints[0], greatest = ints[0];
    for (size_t j = 1; j < count; j++) {
        if (ints[j] < least) least = ints[j];
        if (ints[j] > greatest) greatest = ints[j];
    }
    *low = least;
    uint64_t span = (uint64_t)greatest - (uint64_t)least;
    return span < 4 * (uint64_t)count + 1024 ? span + 1 : 0;
}

static void build_dense(KeyIndex *index, const int64_t *ints, Arena *arena) {
    uint32_t *below = ARENA_BLOCK(arena, index->span + 1, uint32_t);
    uint32_t *rank = ARENA_BLOCK(arena, index->length, uint32_t);
    memset(below, 0, (index->span + 1) * sizeof *below);
    for (size_t j = 0; j < index->length; j++) below[(uint64_t)ints[j] - (uint64_t)index->low] = 1;
    uint32_t sum = 0;
    for (uint64_t k = 0; k <= index->span; k++) {
        uint32_t present = below[k];
        below[k] = sum;
        sum += present;
    }
    for (size_t j = 0; j < index->length; j++)
        rank[j] = below[(uint64_t)ints[j] - (uint64_t)index->low];
    index->distinct = sum;
    index->below = below;
    index->rank = rank;
}

/* items: (order, position) of every key. */
static void build_sorted(KeyIndex *index, RadixItem *items, Arena *arena) {
    radix_sort(items, index->length, arena);
    uint32_t *rank = ARENA_BLOCK(arena, index->length, uint32_t);
    uint64_t *sorted = ARENA_BLOCK(arena, index->length, uint64_t);
    uint32_t distinct = 0;
    for (size_t k = 0; k < index->length; k++) {
        uint64_t value = items[k].value;
        if (value == ORDER_NAN && index->lookup == KEY_FLOATS) {
            rank[items[k].index] = RANK_NONE;
            index->nan = true;
            continue;
        }
        if (!distinct || sorted[distinct - 1] != value) sorted[distinct++] = value;
        rank[items[k].index] = distinct - 1;
    }
    index->distinct = distinct;
    index->sorted = sorted;
    index->rank = rank;
}

static void build_ints(KeyIndex *index, const int64_t *ints, Arena *arena) {
    if (is_identity(ints, index->length)) {
        index->lookup = KEY_IDENTITY;
        index->distinct = (uint32_t)index->length;
        return;
    }
    index->span = narrow_span(ints, index->length, &index->low);
    if (index->span) {
        index->lookup = KEY_DENSE;
        build_dense(index, ints, arena);
        return;
    }
    index->lookup = KEY_INTS;
    RadixItem *items = ARENA_BLOCK(arena, index->length, RadixItem);
    for (size_t j = 0; j < index->length; j++)
        items[j] = (RadixItem){.value = order_int(ints[j]), .index = (uint32_t)j};
    build_sorted(index, items, arena);
    arena_release(arena, items);
}

static void build_floats(KeyIndex *index, const uint64_t *floats, Arena *arena) {
    index->lookup = KEY_FLOATS;
    RadixItem *items = ARENA_BLOCK(arena, index->length, RadixItem);
    for (size_t j = 0; j < index->length; j++)
        items[j] = (RadixItem){.value = floats[j], .index = (uint32_t)j};
    build_sorted(index, items, arena);
    arena_release(arena, items);
}

/* --- atoms: hashed ------------------------------------------------------------------------ */

/* A growing set of atoms, numbered as they come. */
typedef struct AtomSet {
    Arena *arena;
    Atom *atoms; /* room for half the table's size */
    size_t count;
    Table table;
} AtomSet;

static bool is_nan(Atom value) {
    return value.kind == ATOM_FLOAT && isnan(value.f);
}

/* The slot of the atom, or the free one where it would go. */
static size_t find(const Atom *atoms, const Table *table, Atom value) {
    size_t at = table_start(table, atom_hash(value));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (atom_equal(atoms[k], value)) break;
    return at;
}

static uint64_t entry_hash(const void *entries, uint32_t k) {
    return atom_hash(((const Atom *)entries)[k]);
}

static AtomSet set_new(Arena *arena, size_t room) {
    AtomSet set = {.arena = arena, .table = table_new(arena, room)};
    set.atoms = ARENA_BLOCK(arena, set.table.size / 2, Atom);
    return set;
}

static void set_grow(AtomSet *set) {
    table_grow(&set->table, set->arena, set->count, entry_hash, set->atoms);
    Atom *atoms = ARENA_BLOCK(set->arena, set->table.size / 2, Atom);
    memcpy(atoms, set->atoms, set->count * sizeof *atoms);
    arena_release(set->arena, set->atoms);
    set->atoms = atoms;
}

static uint32_t set_add(AtomSet *set, Atom value) {
    if (table_full(&set->table, set->count)) set_grow(set);
    size_t at = find(set->atoms, &set->table, value);
    if (table_entry(&set->table, at) == TABLE_NONE) {
        set->atoms[set->count] = value;
        table_put(&set->table, at, set->count++);
    }
    return table_entry(&set->table, at);
}

static int compare_atoms(const void *context, uint32_t a, uint32_t b) {
    const Atom *atoms = context;
    AtomOrder order = atom_order(atoms[a], atoms[b]);
    return order == ATOM_LESS ? -1 : order == ATOM_GREATER;
}

/* Renumbers the set's atoms in ascending order; to[old number] = new one. */
static void set_sort(AtomSet *set, uint32_t *to) {
    uint32_t *order = ARENA_BLOCK(set->arena, set->count, uint32_t);
    Atom *sorted = ARENA_BLOCK(set->arena, set->table.size / 2, Atom);
    for (uint32_t k = 0; k < set->count; k++) order[k] = k;
    merge_sort(order, set->count, compare_atoms, set->atoms, set->arena);
    for (uint32_t k = 0; k < set->count; k++) {
        to[order[k]] = k;
        sorted[k] = set->atoms[order[k]];
    }
    for (size_t at = 0; at < set->table.size; at++) {
        uint32_t k = table_entry(&set->table, at);
        if (k != TABLE_NONE) table_put(&set->table, at, to[k]);
    }
    arena_release(set->arena, set->atoms);
    arena_release(set->arena, order);
    set->atoms = sorted;
}

/* Most columns of strings hold few: those met lately are not hashed again. */
static void add_strings(AtomSet *set, const Column *keys, uint32_t *rank) {
    enum { LATELY = 256 };
    struct {
        const Str *string;
        uint32_t rank;
    } met[LATELY] = {{0}};
    for (size_t j = 0; j < keys->length; j++) {
        const Str *string = keys->strings[j];
        size_t at = string->hash % LATELY;
        if (met[at].string != string) {
            met[at].string = string;
            met[at].rank = set_add(set, atom_string(string));
        }
        rank[j] = met[at].rank;
    }
}

static void build_atoms(KeyIndex *index, const Column *keys, bool ordered, Arena *arena) {
    index->lookup = KEY_ATOMS;
    index->ordered = ordered;
    AtomSet set = set_new(arena, 128);
    uint32_t *rank = ARENA_BLOCK(arena, index->length, uint32_t);
    if (keys->form == COLUMN_STRING && !keys->constant)
        add_strings(&set, keys, rank);
    else
        for (size_t j = 0; j < index->length; j++) {
            Atom key = column_at(keys, j);
            index->nan = index->nan || is_nan(key);
            rank[j] = is_nan(key) ? RANK_NONE : set_add(&set, key);
        }
    if (ordered) {
        uint32_t *to = ARENA_BLOCK(arena, set.count, uint32_t);
        set_sort(&set, to);
        for (size_t j = 0; j < index->length; j++)
            if (rank[j] != RANK_NONE) rank[j] = to[rank[j]];
        arena_release(arena, to);
    }
    index->distinct = (uint32_t)set.count;
    index->rank = rank;
    index->atoms = set.atoms;
    index->table = set.table;
}

KeyIndex *key_index_new(const Column *keys, bool ordered, Arena *arena) {
    KeyIndex *index = ARENA_NEW(arena, KeyIndex);
    *index = (KeyIndex){.ordered = true, .length = keys->length};
    if (keys->form == COLUMN_INT && !keys->constant) {
        build_ints(index, keys->ints, arena);
        return index;
    }
    uint64_t *scratch = ARENA_BLOCK(arena, keys->length, uint64_t);
    if (all_ints(keys, (int64_t *)scratch))
        build_ints(index, (const int64_t *)scratch, arena);
    else if (all_floats(keys, scratch))
        build_floats(index, scratch, arena);
    else
        build_atoms(index, keys, ordered, arena);
    arena_release(arena, scratch);
    return index;
}

void key_index_free(KeyIndex *index, Arena *arena) {
    if (!index) return;
    const void *const blocks[] = {index->rank, index->below, index->sorted, index->atoms};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        arena_release(arena, (void *)blocks[k]);
    table_free(&index->table, arena);
    *index = (KeyIndex){0};
}

/* --- codes -------------------------------------------------------------------------------- */

/* The code next to this one, below or above, of a query that equals no key. */
static uint32_t just_below(uint32_t code) {
    return code & ~1u;
}
static uint32_t just_above(uint32_t code) {
    return code + (code & 1);
}

static uint32_t search(const KeyIndex *index, uint64_t value) {
    uint32_t low = 0, count = index->distinct;
    while (count) {
        uint32_t half = count / 2;
        bool right = index->sorted[low + half] < value;
        low += right ? half + 1 : 0;
        count = right ? count - half - 1 : half;
    }
    return 2 * low + (low < index->distinct && index->sorted[low] == value);
}

static uint32_t code_int(const KeyIndex *index, int64_t value) {
    if (index->lookup == KEY_INTS) return search(index, order_int(value));
    if (index->lookup == KEY_IDENTITY)
        return value < 0                           ? 0
               : value >= (int64_t)index->distinct ? 2 * index->distinct
                                                   : 2 * (uint32_t)value + 1;
    if (value < index->low) return 0;
    uint64_t at = (uint64_t)value - (uint64_t)index->low;
    if (at >= index->span) return 2 * index->distinct;
    return 2 * index->below[at] + (index->below[at + 1] - index->below[at]);
}

static uint32_t code_float_among_ints(const KeyIndex *index, double value) {
    if (value >= 0x1p63) return 2 * index->distinct;
    if (value < -0x1p63) return 0;
    double whole = trunc(value);
    uint32_t code = code_int(index, (int64_t)whole);
    return value < whole ? just_below(code) : value > whole ? just_above(code) : code;
}

static uint32_t code_int_among_floats(const KeyIndex *index, int64_t value) {
    double near = (double)value;
    uint32_t code = search(index, order_float(near));
    AtomOrder order = atom_order(atom_int(value), atom_float(near));
    return order == ATOM_LESS ? just_below(code) : order == ATOM_GREATER ? just_above(code) : code;
}

static uint32_t code_atom(const KeyIndex *index, Atom query) {
    uint32_t rank = table_entry(&index->table, find(index->atoms, &index->table, query));
    if (rank != TABLE_NONE) return 2 * rank + 1;
    if (!index->ordered) return 0;
    uint32_t low = 0, high = index->distinct;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (atom_order(index->atoms[middle], query) == ATOM_LESS)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * low;
}

static uint32_t code_of(const KeyIndex *index, Atom query) {
    if (is_nan(query)) return CODE_NAN;
    if (index->lookup == KEY_ATOMS) return code_atom(index, query);
    if (index->lookup == KEY_FLOATS)
        return query.kind == ATOM_FLOAT ? search(index, order_float(query.f))
                                        : code_int_among_floats(index, atom_integer(query));
    return query.kind == ATOM_FLOAT ? code_float_among_ints(index, query.f)
                                    : code_int(index, atom_integer(query));
}

/* Queries that are the keys themselves equal their own rank. */
static void own_codes(const KeyIndex *index, uint32_t *codes) {
    for (size_t i = 0; i < index->length; i++) {
        uint32_t rank = index->rank ? index->rank[i] : (uint32_t)i;
        codes[i] = rank == RANK_NONE ? CODE_NAN : 2 * rank + 1;
    }
}

typedef struct Coding {
    const KeyIndex *index;
    const Column *queries;
    uint32_t *codes;
} Coding;

static void code_range(void *context, size_t begin, size_t end) {
    const Coding *c = context;
    bool ints = c->queries->form == COLUMN_INT && c->index->lookup <= KEY_INTS;
    if (ints && !c->queries->constant)
        for (size_t i = begin; i < end; i++) c->codes[i] = code_int(c->index, c->queries->ints[i]);
    else
        for (size_t i = begin; i < end; i++)
            c->codes[i] = code_of(c->index, column_at(c->queries, i));
}

void key_codes(const KeyIndex *index, const Column *keys, const Column *queries, uint32_t *codes,
               int threads) {
    if (queries == keys) {
        own_codes(index, codes);
        return;
    }
    Coding coding = {index, queries, codes};
    parallel_ranges(queries->length, threads, code_range, &coding);
}
