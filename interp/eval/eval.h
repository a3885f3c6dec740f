/* eval.h: the evaluator's inside: what the files eval*.c, example.c, load.c and session.c
 * share.  Nothing outside interp/ includes this, but for its tests.
 *
 * Evaluation is a recursion over the tree with an explicit stack of values: an expression
 * pushes its value, an operator pops its operands.  So everything that is alive is known at
 * a safe point (eval_safe_point), where garbage may be collected: a value that must outlive
 * the evaluation of something else belongs on the stack or in a scope.
 *
 * A fault jumps to the innermost EvalCatch, which restores the stacks; running out of memory
 * jumps to the budget's guard at the same place (session_run).
 */
#ifndef RASP_INTERP_EVAL_EVAL_H
#define RASP_INTERP_EVAL_EVAL_H

#include "interp/eval/env.h"
#include "interp/eval/session.h"
#include "interp/eval/value_text.h"

#include <setjmp.h>

/* A running example, or the input of an application: what has been computed on it. */
typedef struct Example {
    Value value;
    Input input;
    Arena *arena; /* of input and exec; NULL until asked for */
    Exec *exec;
    uint8_t *tried; /* by node: does it run? */
    size_t tried_room;
} Example;

/* The input of an application whose function part is being evaluated. */
typedef struct Trial {
    struct Trial *below, *active; /* below it on the stack; the one active before it */
    Example example;
    bool is_input; /* a non-empty string or list of atoms */
} Trial;

/* A call that is running. */
typedef struct Frame {
    FaultCall call;
    Scope *caller;
    struct Frame *outer;
} Frame;

/* A file that is being loaded. */
typedef struct LoadFrame {
    struct LoadFrame *outer;
    Scope *caller;
    const char *path;
    unsigned depth;
} LoadFrame;

typedef struct EvalCatch {
    jmp_buf jump;
    struct EvalCatch *outer;
    size_t top, spine_top;
    Scope *scope;
    Frame *frames;
    Trial *trials, *trial;
    LoadFrame *loads;
    bool show_sops, show_selectors;
} EvalCatch;

/* A result on its way to the sink; a load keeps its own until its end. */
typedef struct Pending {
    enum { PENDING_NAMED, PENDING_APPLIED, PENDING_DRAWN, PENDING_EXAMPLE, PENDING_FAULT } kind;
    const Str *name;
    Value value, input;
    Exec *exec;
    AstTarget which;
    bool show;
    Fault fault;
    bool superseded; /* a later result has the same name */
} Pending;

struct Session {
    SessionOptions options;
    Budget *budget;
    Arena *arena, *scratch; /* scratch: until the next statement of the console */
    Intern *intern;
    Graph *graph;
    Heap *heap;
    SourceMap *sources;

    Value *stack;
    size_t top, room;
    const Ast **spine; /* left operands still to be joined with their right ones */
    size_t spine_top, spine_room;
    uintptr_t floor; /* the C stack must not grow below */

    Scope *builtins, *start, *console, *program, *notes, *scope;
    Scope *pool; /* scopes of calls that are over, chained by `outer` */
    Frame *frames;
    EvalCatch *catch;
    Fault fault;
    uint64_t order;
    const Str *out;
    const Str **reserved;
    size_t reserved_count;

    bool trying; /* try every result on the example (REPL, but not while starting) */
    bool show_sops, show_selectors, full_display;
    Example sop_example, selector_example;
    Trial *trials, *trial, *trial_pool; /* all; the active one; for use again */

    LoadFrame *loads;
    Pending *pending; /* in scratch */
    size_t pending_count, pending_room;
    bool cancelled;        /* by Ctrl-C: loads end too */
    bool failed;           /* batch: a mistake has been reported */
    bool loads_whole;      /* session_load_whole */
    bool silent_undefined; /* batch: a load failed, so any name may be missing */
    Scope *missing;        /* batch: names that a failed statement would have set */
    const Str *undefined;  /* the name of the last such fault */
    unsigned mistakes;     /* batch: reported so far */
    const Source *program_source;
    uint32_t library_end; /* spans below are the library's */
    Value last_sop;       /* batch: the last s-op that was a statement of its own */
    bool has_last_sop;

    Value *pinned; /* handed out by session_evaluate */
    size_t pinned_count, pinned_room;
};

/* --- eval.c: stacks, faults, expressions ------------------------------------------------ */

/* Evaluates an expression and pushes its value. */
void eval(Session *s, const Ast *ast);
void eval_push(Session *s, Value value);
/* Replaces the topmost `count` values by one. */
void eval_reduce(Session *s, size_t count, Value value);
static inline Value eval_top(const Session *s, size_t below) {
    return s->stack[s->top - 1 - below];
}

/* Where a node comes from, for reports: within the library, the call that led there. */
Span eval_span(const Session *s, const Ast *at);

/* Raise a fault, at `at`; the texts are copied. */
_Noreturn void eval_fail(Session *s, FaultId id, const Ast *at, const char *const arg[FAULT_ARGS]);
_Noreturn void eval_raise(Session *s, const Fault *fault);
#define EVAL_FAIL(s, id, at, ...)                                                                  \
    eval_fail(s, FAULT_##id, at, (const char *const[FAULT_ARGS]){__VA_ARGS__})

/* Values in messages; in batch mode long ones are cut. */
const char *eval_plain(Session *s, Value value);
const char *eval_quoted(Session *s, Value value);
const char *eval_number(Session *s, size_t number);

/* Faults if the C stack is used up. */
void eval_check_stack(Session *s, const Ast *at);
/* Between two statements or turns: collects garbage when it is time, and lets Ctrl-C in. */
void eval_safe_point(Session *s);
void eval_collect(Session *s);

void eval_catch(Session *s, EvalCatch *catch);
void eval_restore(Session *s, EvalCatch *catch);

/* A fresh scope over `outer`, and its return. */
Scope *eval_open_scope(Session *s, Scope *outer, const Str *label, uint32_t primes);
void eval_close_scope(Session *s, Scope *scope);

/* Sets a name, with the checks of language.md 11.1, and where the scope exports to. */
void eval_set(Session *s, Scope *scope, const Str *name, Value value, const Ast *at, bool assigned);

/* --- eval_list.c: lists, dicts, comprehensions ------------------------------------------ */

typedef void EvalFunction(Session *s, const Ast *ast);
EvalFunction eval_list, eval_dict, eval_list_comprehension, eval_dict_comprehension;

/* The values from `base` on become a list. */
void eval_push_list(Session *s, size_t base, const Ast *at);
/* Binds loop names to one element. */
/* Can `for` run over it?  Its elements are those of value_element. */
bool eval_iterates(const Session *s, Value value);
void eval_bind(Session *s, const Ast *names, Value element, const Ast *at);

/* --- eval_operator.c, eval_graph.c, eval_index.c: operators and what makes nodes -------- */

EvalFunction eval_unary, eval_binary, eval_ternary, eval_select, eval_aggregate, eval_index,
    eval_slice, eval_in;
/* The map of an operator over the topmost values, of which one is an s-op, in their place. */
void eval_map(Session *s, OpId op, const Value *operands, const Ast *at);
/* Pushes an s-op or selector in place of the topmost `count` values. */
void eval_object(Session *s, size_t count, ValueKind kind, NodeId node, const Str *name);

/* The node of an operand: an s-op's own, an atom's constant; faults for anything else. */
NodeId eval_operand(Session *s, Value value, const Ast *at);

/* --- name.c: display names (language.md 13.6) ------------------------------------------- */

enum { NAME_LIMIT = 30, NAME_ROOM = 4 * NAME_LIMIT + 8 };

/* The text as a name, or the stand-in for one that is too long. */
const Str *name_finish(Session *s, const Text *text, ValueKind kind);
const Str *name_operation(Session *s, OpId op, const Value *operands);
const Str *name_assigned(Session *s, const Str *name, ValueKind kind);
const Str *name_call(Session *s, const Function *function, const Value *args, ValueKind kind);

/* --- builtin.c: base/builtin.def, and the library's intrinsic --------------------------- */

EvalFunction eval_builtin;
/* Into the start-up environment: the names that have a value, and which are reserved. */
void builtin_define(Session *s);
Value eval_native(Session *s, const Function *function, const Value *args, const Ast *at);

/* --- eval_call.c ------------------------------------------------------------------------ */

EvalFunction eval_call;
/* A call as a statement: true if it was the application of an s-op or selector; then
 * [input, applied value] are on the stack and (REPL) the input is the active trial, which the
 * caller pops; else the result is on the stack. */
bool eval_call_statement(Session *s, const Ast *ast);

/* --- eval_statement.c ------------------------------------------------------------------- */

/* Executes a statement; `top`: results are wanted.  False: it was `exit`. */
bool eval_statement(Session *s, const Ast *ast, bool top);

/* --- example.c: running examples -------------------------------------------------------- */

/* FAULT_NONE, or why the value is no input. */
FaultId example_check(Value value);
void example_set(Example *example, Value value);
void example_clear(Example *example);
/* NULL and the fault if the example is no input. */
Exec *example_exec(Session *s, Example *example, Fault *fault);
/* Does the s-op or selector run on it? */
bool example_runs(Session *s, Example *example, Value value, Fault *fault);
/* Tries a result (language.md 7.5) and raises the fault if it fails. */
void example_try(Session *s, Value value, const Ast *at);
/* The example that results are being tried on. */
Example *example_current(Session *s);
Trial *trial_push(Session *s, Value input);
void trial_pop(Session *s);

/* --- load.c ----------------------------------------------------------------------------- */

/* The statement `load "path";`. */
void eval_load(Session *s, const Ast *ast);
/* Reads a file into the source map; NULL and the fault. */
const Source *load_source(Session *s, const char *path, Fault *fault);
/* Parses a text whole and executes it in a scope of its own (the start-up library, programs in
 * batch mode); false if it has mistakes. */
bool load_whole(Session *s, Scope *scope, const Source *source);

/* --- run.c: one statement, and where its results go ------------------------------------- */

/* One statement under guard and catch. */
SessionOutcome session_run(Session *s, const Ast *ast);
/* Batch: have so many mistakes been reported that the rest had better wait? */
bool session_gives_up(const Session *s);
/* Runs a function under guard and catch, for an entry from outside: forgets the last statement's
 * scratch and measures the C stack first.  False if the function says so, if a fault was raised
 * or if it was stopped; the sink is told of the last two. */
bool session_enter(Session *s, bool (*run)(Session *s, void *context), void *context);

void session_emit_named(Session *s, const Str *name, Value value);
void session_emit_applied(Session *s, Value value, Value input);
void session_emit_drawn(Session *s, Value value, Value input, bool top);
void session_emit_example(Session *s, AstTarget which);
void session_emit_fault(Session *s, const Fault *fault);
/* Sends what a load has kept (language.md 13.7). */
void session_emit_pending(Session *s);

#endif
