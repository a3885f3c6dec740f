/* value.h: what a name can hold: an atom, a list, a dict, a function, an s-op, a selector.
 *
 * Values are small and copied freely.  What they point at is immutable (but for the display
 * name of an s-op or selector) and lives in the session's heap (heap.h), which frees what no
 * name, call or pending result can reach; a Value held across the execution of further
 * statements must be reachable that way.
 *
 * An s-op or selector is an object of its own, a node of the graph with a display name:
 * names belong to the object (language.md 13.6) and not to the hash-consed node.
 */
#ifndef RASP_INTERP_EVAL_VALUE_H
#define RASP_INTERP_EVAL_VALUE_H

#include "base/table.h"
#include "graph/graph.h"
#include "interp/eval/heap.h"

typedef enum ValueKind {
    VALUE_ATOM,
    VALUE_LIST,
    VALUE_DICT,
    VALUE_FUNCTION,
    VALUE_SOP,
    VALUE_SELECTOR
} ValueKind;

typedef struct List List;
typedef struct Dict Dict;
typedef struct Function Function; /* env.h */

typedef struct Object {
    Cell cell;
    NodeId node;
    const Str *name;
} Object;

typedef struct Value {
    ValueKind kind;
    union {
        Atom atom;
        List *list;
        Dict *dict;
        Function *function;
        Object *object; /* s-op, selector */
    };
} Value;

/* How deep lists and dicts may be nested, so that code may recurse into them. */
enum { VALUE_NESTING = 1000 };

/* A list of items, or (items NULL) the ints start, start + step, …, as range( makes it. */
struct List {
    Cell cell;
    uint32_t nesting; /* 1 + the deepest element's */
    size_t count;
    Value *items;
    int64_t start, step;
    const Lookup *lookup, *set; /* made when an s-op first asks; else NULL */
};

/* Entries in the order of their first insertion; keys distinct by atom_equal. */
struct Dict {
    Cell cell;
    uint32_t nesting;
    size_t count;
    Atom *keys;
    Value *values;
    Table table; /* over keys, by atom_hash */
    const Lookup *lookup;
};

static inline Value value_atom(Atom atom) {
    return (Value){.kind = VALUE_ATOM, .atom = atom};
}
static inline Value value_list(List *list) {
    return (Value){.kind = VALUE_LIST, .list = list};
}
static inline Value value_dict(Dict *dict) {
    return (Value){.kind = VALUE_DICT, .dict = dict};
}
static inline Value value_function(Function *function) {
    return (Value){.kind = VALUE_FUNCTION, .function = function};
}

static inline bool value_is_graph(Value value) {
    return value.kind == VALUE_SOP || value.kind == VALUE_SELECTOR;
}
static inline bool value_is_string(Value value) {
    return value.kind == VALUE_ATOM && value.atom.kind == ATOM_STRING;
}
static inline bool value_is_integral(Value value) {
    return value.kind == VALUE_ATOM && atom_is_integral(value.atom);
}

/* NULL if an element is nested too deep. */
List *list_new(Heap *heap, const Value *items, size_t count);
List *list_range(Heap *heap, int64_t start, int64_t step, size_t count);
List *list_concat(Heap *heap, const List *a, const List *b);
List *list_repeat(Heap *heap, const List *list, size_t times);
Value list_at(const List *list, size_t k);

/* From count pairs key, value; a key that comes again keeps its place and takes the new
 * value.  NULL if a value is nested too deep. */
Dict *dict_new(Heap *heap, const Value *pairs, size_t count);
const Value *dict_find(const Dict *dict, Atom key);

Value value_object(Heap *heap, ValueKind kind, NodeId node, const Str *name);

bool value_truth(Value value);
/* Numbers by value, containers element by element, functions and s-ops by identity.  Polls the
 * budget: containers that share their parts can have very many pairs. */
bool value_equal(Budget *budget, Value a, Value b);

/* The number of elements of what can be unpacked: a list, a dict (its keys), a string (its
 * characters); false for anything else.  value_element is one of them. */
bool value_count(Value value, size_t *count);
Value value_element(Value value, size_t k, Intern *intern);

/* "int", "list", "UnfinishedSequence": the reference's names in messages. */
const char *value_kind_name(Value value);

#endif
