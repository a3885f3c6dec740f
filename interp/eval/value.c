#include "interp/eval/value.h"

#include "base/utf8.h"

#include <string.h>

/* --- lists ------------------------------------------------------------------------------ */

static uint32_t nesting(const Value *items, size_t count) {
    uint32_t most = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t inner = items[k].kind == VALUE_LIST   ? items[k].list->nesting
                         : items[k].kind == VALUE_DICT ? items[k].dict->nesting
                                                       : 0;
        if (inner > most) most = inner;
    }
    return most + 1;
}

/* Room for `count` items behind the list itself. */
static List *list_room(Heap *heap, size_t count) {
    size_t bytes;
    if (__builtin_mul_overflow(count, sizeof(Value), &bytes) || bytes > SIZE_MAX / 2) {
        heap_budget(heap)->wanted = SIZE_MAX;
        budget_stop(heap_budget(heap), BUDGET_OUT_OF_MEMORY);
    }
    List *list = heap_cell(heap, CELL_LIST, sizeof(List) + bytes);
    list->count = count;
    list->nesting = 1;
    list->items = (Value *)(list + 1);
    return list;
}

List *list_new(Heap *heap, const Value *items, size_t count) {
    uint32_t depth = nesting(items, count);
    if (depth > VALUE_NESTING) return NULL;
    List *list = list_room(heap, count);
    if (count) memcpy(list->items, items, count * sizeof *items);
    list->nesting = depth;
    return list;
}

List *list_range(Heap *heap, int64_t start, int64_t step, size_t count) {
    List *list = heap_cell(heap, CELL_LIST, sizeof(List));
    list->count = count;
    list->nesting = 1;
    list->start = start;
    list->step = step;
    return list;
}

Value list_at(const List *list, size_t k) {
    if (list->items) return list->items[k];
    /* Within range by construction, but k * step alone need not be. */
    return value_atom(
        atom_int((int64_t)((uint64_t)list->start + (uint64_t)k * (uint64_t)list->step)));
}

static void copy_items(Value *to, const List *list) {
    for (size_t k = 0; k < list->count; k++) to[k] = list_at(list, k);
}

List *list_concat(Heap *heap, const List *a, const List *b) {
    List *list = list_room(heap, a->count + b->count);
    copy_items(list->items, a);
    copy_items(list->items + a->count, b);
    list->nesting = a->nesting > b->nesting ? a->nesting : b->nesting;
    return list;
}

List *list_repeat(Heap *heap, const List *from, size_t times) {
    size_t count;
    if (__builtin_mul_overflow(from->count, times, &count)) count = SIZE_MAX;
    List *list = list_room(heap, count);
    for (size_t k = 0; from->count && k < times; k++)
        copy_items(list->items + k * from->count, from);
    list->nesting = from->nesting;
    return list;
}

/* --- dicts ------------------------------------------------------------------------------ */

/* The slot that holds the key, or the free one where it would go. */
static size_t find(const Dict *dict, Atom key) {
    const Table *table = &dict->table;
    size_t at = table_start(table, atom_hash(key));
    for (uint32_t k; (k = table_entry(table, at)) != TABLE_NONE; at = table_next(table, at))
        if (atom_equal(dict->keys[k], key)) break;
    return at;
}

Dict *dict_new(Heap *heap, const Value *pairs, size_t count) {
    size_t slots = table_size(count);
    size_t bytes = count * (sizeof(Value) + sizeof(Atom)) + slots * sizeof(uint32_t);
    Dict *dict = heap_cell(heap, CELL_DICT, sizeof(Dict) + bytes);
    dict->values = (Value *)(dict + 1);
    dict->keys = (Atom *)(dict->values + count);
    dict->table = (Table){(uint32_t *)(dict->keys + count), slots};
    for (size_t k = 0; k < count; k++) {
        size_t at = find(dict, pairs[2 * k].atom);
        if (table_entry(&dict->table, at) == TABLE_NONE) {
            dict->keys[dict->count] = pairs[2 * k].atom;
            table_put(&dict->table, at, dict->count++);
        }
        dict->values[table_entry(&dict->table, at)] = pairs[2 * k + 1];
    }
    dict->nesting = nesting(dict->values, dict->count);
    return dict->nesting > VALUE_NESTING ? NULL : dict;
}

const Value *dict_find(const Dict *dict, Atom key) {
    uint32_t entry = table_entry(&dict->table, find(dict, key));
    return entry != TABLE_NONE ? &dict->values[entry] : NULL;
}

/* --- any value -------------------------------------------------------------------------- */

Value value_object(Heap *heap, ValueKind kind, NodeId node, const Str *name) {
    Object *object = heap_cell(heap, CELL_OBJECT, sizeof *object);
    object->node = node;
    object->name = name;
    return (Value){.kind = kind, .object = object};
}

bool value_truth(Value value) {
    if (value.kind == VALUE_ATOM) return atom_truth(value.atom);
    if (value.kind == VALUE_LIST) return value.list->count > 0;
    if (value.kind == VALUE_DICT) return value.dict->count > 0;
    return true;
}

static bool lists_equal(Budget *budget, const List *a, const List *b) {
    if (a == b) return true;
    budget_poll(budget);
    if (a->count != b->count) return false;
    for (size_t k = 0; k < a->count; k++)
        if (!value_equal(budget, list_at(a, k), list_at(b, k))) return false;
    return true;
}

/* Without regard to order. */
static bool dicts_equal(Budget *budget, const Dict *a, const Dict *b) {
    if (a == b) return true;
    budget_poll(budget);
    if (a->count != b->count) return false;
    for (size_t k = 0; k < a->count; k++) {
        const Value *other = dict_find(b, a->keys[k]);
        if (!other || !value_equal(budget, a->values[k], *other)) return false;
    }
    return true;
}

bool value_equal(Budget *budget, Value a, Value b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case VALUE_ATOM:
        return atom_equal(a.atom, b.atom);
    case VALUE_LIST:
        return lists_equal(budget, a.list, b.list);
    case VALUE_DICT:
        return dicts_equal(budget, a.dict, b.dict);
    case VALUE_FUNCTION:
        return a.function == b.function;
    case VALUE_SOP:
    case VALUE_SELECTOR:
        break;
    }
    return a.object->node == b.object->node;
}

bool value_count(Value value, size_t *count) {
    if (value_is_string(value))
        *count = value.atom.s->chars;
    else if (value.kind == VALUE_LIST)
        *count = value.list->count;
    else if (value.kind == VALUE_DICT)
        *count = value.dict->count;
    else
        return false;
    return true;
}

/* Element k of a string by code points, without building the others. */
static Atom string_at(const Str *s, size_t k, Intern *intern_table) {
    const char *at = s->text, *end = s->text + s->length;
    if (s->chars == s->length)
        at += k;
    else
        while (k--) at += utf8_step(at, (size_t)(end - at));
    return atom_string(intern(intern_table, at, utf8_step(at, (size_t)(end - at))));
}

Value value_element(Value value, size_t k, Intern *intern_table) {
    if (value.kind == VALUE_LIST) return list_at(value.list, k);
    if (value.kind == VALUE_DICT) return value_atom(value.dict->keys[k]);
    return value_atom(string_at(value.atom.s, k, intern_table));
}

const char *value_kind_name(Value value) {
    static const char *const name[] = {[VALUE_LIST] = "list",
                                       [VALUE_DICT] = "dict",
                                       [VALUE_FUNCTION] = "RASPFunction",
                                       [VALUE_SOP] = "UnfinishedSequence",
                                       [VALUE_SELECTOR] = "UnfinishedSelect"};
    return value.kind == VALUE_ATOM ? atom_kind_name(value.atom.kind) : name[value.kind];
}
