#include "graph/lookup.h"

#include <string.h>

static const char *const kind_word[] = {[LOOKUP_LIST] = "list",
                                        [LOOKUP_STRING] = "string",
                                        [LOOKUP_DICT] = "dict",
                                        [LOOKUP_SET] = "list"};

static const Atom *copy(Arena *arena, const Atom *atoms, size_t count) {
    if (!atoms) return NULL;
    Atom *to = ARENA_ARRAY(arena, count, Atom);
    if (count) memcpy(to, atoms, count * sizeof *to);
    return to;
}

/* The slot that holds the key, or the free one where it would go. */
static size_t find(const Lookup *lookup, Atom key) {
    const Table *table = &lookup->table;
    size_t at = table_start(table, atom_hash(key));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (atom_equal(lookup->keys[k], key)) break;
    return at;
}

static uint64_t combine(uint64_t hash, const Atom *atoms, size_t count) {
    for (size_t k = 0; atoms && k < count; k++)
        hash = (hash ^ (atom_hash(atoms[k]) + (uint64_t)atoms[k].kind)) * 0x100000001b3u;
    return hash;
}

static const bool *copy_holes(Arena *arena, const bool *holes, size_t count) {
    if (!holes || !memchr(holes, true, count)) return NULL;
    return memcpy(ARENA_ARRAY(arena, count, bool), holes, count * sizeof *holes);
}

const Lookup *lookup_new(Arena *arena, LookupKind kind, const Atom *keys, const Atom *values,
                         size_t count) {
    return lookup_new_holed(arena, kind, keys, values, NULL, count);
}

const Lookup *lookup_new_holed(Arena *arena, LookupKind kind, const Atom *keys, const Atom *values,
                               const bool *holes, size_t count) {
    Lookup *lookup = ARENA_NEW(arena, Lookup);
    lookup->kind = kind;
    lookup->count = (uint32_t)count;
    lookup->keys = copy(arena, keys, count);
    lookup->values = copy(arena, values, count);
    lookup->holes = copy_holes(arena, holes, count);
    lookup->hash =
        combine(combine(0xcbf29ce484222325u + (uint64_t)kind, keys, count), values, count);
    if (keys) {
        lookup->table = table_new(arena, count);
        for (size_t k = 0; k < count; k++) {
            size_t at = find(lookup, keys[k]);
            if (table_entry(&lookup->table, at) == TABLE_NONE) table_put(&lookup->table, at, k);
        }
    }
    return lookup;
}

static bool same_atoms(const Atom *a, const Atom *b, size_t count) {
    if (!a || !b) return a == b;
    for (size_t k = 0; k < count; k++)
        if (!atom_same(a[k], b[k])) return false;
    return true;
}

static bool same_holes(const bool *a, const bool *b, size_t count) {
    if (!a || !b) return a == b;
    return memcmp(a, b, count * sizeof *a) == 0;
}

bool lookup_same(const Lookup *a, const Lookup *b) {
    return a == b ||
           (a->kind == b->kind && a->count == b->count && a->hash == b->hash &&
            same_atoms(a->keys, b->keys, a->count) && same_atoms(a->values, b->values, a->count) &&
            same_holes(a->holes, b->holes, a->count));
}

/* The entry at a place. */
static FaultId entry(const Lookup *lookup, size_t place, Atom *result) {
    if (lookup->holes && lookup->holes[place]) return FAULT_PICKED_NO_ATOM;
    *result = lookup->values[place];
    return FAULT_NONE;
}

static FaultId at_position(const Lookup *lookup, Atom at, Atom *result) {
    if (at.kind == ATOM_STRING) return FAULT_INDEX_STRING;
    if (at.kind == ATOM_FLOAT)
        return lookup->kind == LOOKUP_STRING ? FAULT_INDEX_STRING_NOT_INT : FAULT_INDEX_NOT_INT;
    int64_t i = atom_integer(at), count = lookup->count;
    if (i < -count || i >= count) return FAULT_INDEX_RANGE;
    return entry(lookup, (size_t)(i < 0 ? i + count : i), result);
}

FaultId lookup_eval(const Lookup *lookup, Atom at, Atom *result) {
    if (!lookup->keys && lookup->kind <= LOOKUP_STRING) return at_position(lookup, at, result);
    uint32_t found = lookup->count ? table_entry(&lookup->table, find(lookup, at)) : TABLE_NONE;
    if (lookup->kind == LOOKUP_SET) {
        *result = atom_bool(found != TABLE_NONE);
        return FAULT_NONE;
    }
    if (found == TABLE_NONE) return FAULT_NO_SUCH_KEY;
    return entry(lookup, found, result);
}

Fault lookup_fault(const Lookup *lookup, FaultId id, Atom at, Span span, Arena *arena) {
    Fault fault = {.id = id, .span = span};
    const char *shown = atom_show(at, ATOM_QUOTED, arena);
    bool range = id == FAULT_INDEX_RANGE;
    bool names_entry = range || id == FAULT_NO_SUCH_KEY || id == FAULT_PICKED_NO_ATOM;
    fault.arg[0] = names_entry ? shown : kind_word[lookup->kind];
    fault.arg[1] = range ? kind_word[lookup->kind] : atom_kind_name(at.kind);
    fault.arg[2] = arena_format(arena, "%u", lookup->count);
    return fault;
}
