#include "interp/eval/env.h"

#include <string.h>

enum { FEW = 8, FIRST_ROOM = 8 };

/* --- tracing ---------------------------------------------------------------------------- */

void heap_mark_value(Heap *heap, Value value) {
    /* All pointers of the union are to cells, which begin with their head. */
    if (value.kind != VALUE_ATOM) heap_mark(heap, &value.list->cell);
}

static void trace_list(Heap *heap, Cell *cell) {
    List *list = (List *)(void *)cell;
    for (size_t k = 0; list->items && k < list->count; k++) heap_mark_value(heap, list->items[k]);
}

static void trace_dict(Heap *heap, Cell *cell) {
    Dict *dict = (Dict *)(void *)cell;
    for (size_t k = 0; k < dict->count; k++) heap_mark_value(heap, dict->values[k]);
}

static void mark_scope(Heap *heap, Scope *scope) {
    if (scope) heap_mark(heap, &scope->cell);
}

static void trace_function(Heap *heap, Cell *cell) {
    mark_scope(heap, ((Function *)(void *)cell)->scope);
}

static void trace_object(Heap *heap, Cell *cell) {
    (void)heap, (void)cell;
}

static void trace_scope(Heap *heap, Cell *cell) {
    Scope *scope = (Scope *)(void *)cell;
    mark_scope(heap, scope->outer);
    mark_scope(heap, scope->exports);
    if (scope->has_out) heap_mark_value(heap, scope->out);
    for (uint32_t k = 0; k < scope->count; k++) heap_mark_value(heap, scope->slots[k].value);
}

static void drop_scope(Heap *heap, Cell *cell) {
    Scope *scope = (Scope *)(void *)cell;
    heap_release(heap, scope->slots, scope->capacity * sizeof(Variable));
    heap_release(heap, scope->index.slots, scope->index.size * sizeof(uint32_t));
}

const HeapClass value_classes[] = {
    [CELL_LIST] = {trace_list, NULL},         [CELL_DICT] = {trace_dict, NULL},
    [CELL_FUNCTION] = {trace_function, NULL}, [CELL_OBJECT] = {trace_object, NULL},
    [CELL_SCOPE] = {trace_scope, drop_scope},
};

/* --- scopes ----------------------------------------------------------------------------- */

Scope *scope_new(Heap *heap, Scope *outer, const Str *label, uint32_t primes) {
    Scope *scope = heap_cell(heap, CELL_SCOPE, sizeof *scope);
    scope->outer = outer;
    scope->label = label;
    scope->primes = primes;
    return scope;
}

void scope_reset(Scope *scope, Scope *outer) {
    scope->outer = outer;
    scope->count = 0;
    scope->has_out = false;
    if (scope->index.slots) memset(scope->index.slots, 0, scope->index.size * sizeof(uint32_t));
}

/* The place in the index that holds the name, or the free one where it would go. */
static size_t find(const Scope *scope, const Str *name) {
    const Table *index = &scope->index;
    size_t at = table_start(index, name->hash);
    for (uint32_t k; (k = table_entry(index, at)) != TABLE_NONE; at = table_next(index, at))
        if (scope->slots[k].name == name) break;
    return at;
}

Variable *scope_find(const Scope *scope, const Str *name) {
    if (scope->index.slots) {
        uint32_t entry = table_entry(&scope->index, find(scope, name));
        return entry != TABLE_NONE ? &scope->slots[entry] : NULL;
    }
    for (uint32_t k = 0; k < scope->count; k++)
        if (scope->slots[k].name == name) return &scope->slots[k];
    return NULL;
}

const Value *scope_lookup(const Scope *scope, const Str *name) {
    for (; scope; scope = scope->outer) {
        Variable *slot = scope_find(scope, name);
        if (slot) return &slot->value;
    }
    return NULL;
}

static void enlarge_index(Heap *heap, Scope *scope) {
    Table old = scope->index;
    size_t size = old.size ? 2 * old.size : 8 * FEW;
    scope->index = (Table){heap_alloc(heap, size * sizeof *old.slots), size};
    heap_release(heap, old.slots, old.size * sizeof *old.slots);
    for (uint32_t k = 0; k < scope->count; k++)
        table_put(&scope->index, find(scope, scope->slots[k].name), k);
}

static void enlarge_slots(Heap *heap, Scope *scope) {
    uint32_t capacity = scope->capacity ? scope->capacity * 2 : FIRST_ROOM;
    Variable *slots = heap_alloc(heap, capacity * sizeof *slots);
    if (scope->count) memcpy(slots, scope->slots, scope->count * sizeof *slots);
    heap_release(heap, scope->slots, scope->capacity * sizeof *slots);
    scope->slots = slots;
    scope->capacity = capacity;
}

Variable *scope_set(Heap *heap, Scope *scope, const Str *name, Value value) {
    Variable *slot = scope_find(scope, name);
    if (!slot) {
        if (scope->count == scope->capacity) enlarge_slots(heap, scope);
        if (scope->count >= FEW && table_full(&scope->index, scope->count))
            enlarge_index(heap, scope);
        slot = &scope->slots[scope->count];
        *slot = (Variable){.name = name};
        if (scope->index.slots) table_put(&scope->index, find(scope, name), scope->count);
        scope->count++;
    }
    slot->value = value;
    return slot;
}

/* --- functions -------------------------------------------------------------------------- */

Function *function_new(Heap *heap, const Ast *def, Scope *scope) {
    Function *function = heap_cell(heap, CELL_FUNCTION, sizeof *function);
    function->name = def->text;
    function->def = def;
    function->scope = scope;
    function->arity = def->child[0]->count;
    scope->is_captured = true;
    return function;
}

Function *function_native(Heap *heap, NativeId native, const Str *name, uint32_t arity,
                          Scope *scope) {
    Function *function = heap_cell(heap, CELL_FUNCTION, sizeof *function);
    function->name = name;
    function->native = native;
    function->scope = scope;
    function->arity = arity;
    return function;
}

const Str *function_parameter(const Function *function, uint32_t k) {
    return function->def->child[0]->child[k]->text;
}
