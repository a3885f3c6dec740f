/* env.h: scopes, and the functions that are closed over them.
 *
 * The start-up environment is a chain of two scopes: the built-in constants, and over it the
 * public names of the library.  The console and every loaded file are scopes over those; a
 * call of a function is a scope over the one where the function was defined.  A loaded file
 * `exports`: what it assigns, private names aside, is at once also assigned in the scope that
 * loads it.
 *
 * Scopes are cells of the heap.  One whose call has ended without a `def` in it has been
 * captured by nothing and is used again by the next call.
 */
#ifndef RASP_INTERP_EVAL_ENV_H
#define RASP_INTERP_EVAL_ENV_H

#include "grammar/ast.h"
#include "interp/eval/value.h"

typedef struct Variable {
    const Str *name;
    Value value;
    uint64_t order;    /* when it was last set: larger is later */
    bool assigned;     /* by an assignment (not as a loop variable or parameter) */
    bool is_protected; /* start-up scope: the console may not set it */
} Variable;

typedef struct Scope {
    Cell cell;
    struct Scope *outer;
    struct Scope *exports; /* while its file is being loaded, else NULL */
    const Str *label;      /* "console", or the path that was loaded */
    uint32_t primes;       /* levels of calls, shown as ' behind the label */
    bool is_console, is_captured, has_out;
    Value out; /* the value of the last statement */
    Variable *slots;
    uint32_t count, capacity;
    Table index; /* over many slots, by name; without memory for few */
} Scope;

typedef enum NativeId { NATIVE_NONE, NATIVE_WIDTH } NativeId;

struct Function {
    Cell cell;
    const Str *name;
    Scope *scope;   /* where it was defined */
    const Ast *def; /* NULL: native */
    NativeId native;
    uint32_t arity;
};

/* The classes of all cells, for heap_new. */
extern const HeapClass value_classes[];
void heap_mark_value(Heap *heap, Value value);

Scope *scope_new(Heap *heap, Scope *outer, const Str *label, uint32_t primes);
/* Forgets all names, so that the scope can serve again. */
void scope_reset(Scope *scope, Scope *outer);

/* A name of this very scope, or NULL. */
Variable *scope_find(const Scope *scope, const Str *name);
/* A name of this scope or an outer one, or NULL. */
const Value *scope_lookup(const Scope *scope, const Str *name);
/* Sets a name of this very scope, reserved or not. */
Variable *scope_set(Heap *heap, Scope *scope, const Str *name, Value value);

Function *function_new(Heap *heap, const Ast *def, Scope *scope);
Function *function_native(Heap *heap, NativeId native, const Str *name, uint32_t arity,
                          Scope *scope);
const Str *function_parameter(const Function *function, uint32_t k);

#endif
