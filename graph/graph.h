/* graph.h: what a program computes: a directed acyclic graph of s-ops and selectors.
 *
 * Functions, loops, lists and dicts are gone: evaluation (eval.h) leaves only these nodes.
 *
 *     node        arguments                          value at position i
 *     tokens      a token type                       token i, converted
 *     indices                                        i
 *     constant    an atom                            the atom
 *     map         an operator, 1-3 s-ops             the operator on the arguments at i
 *     lookup      a constant container, an s-op      the entry
 *     select      a comparison, key, query s-ops     row i: which j have key(j) op query(i)
 *     and or not  selectors                          cell by cell
 *     aggregate   selector, s-op, default atom       mean of the values at the selected j
 *     width       selector                           how many j are selected
 *
 * Nodes are hash-consed: structurally equal nodes are one node (constants and defaults by
 * atom_same), so equality of nodes is equality of ids.  Ids count up from 0 and a node's
 * arguments come before it: one pass over the ids is a pass in topological order.  Nodes
 * are immutable but for their name; the graph lives in one arena, with its session.
 */
#ifndef RASP_GRAPH_GRAPH_H
#define RASP_GRAPH_GRAPH_H

#include "graph/lookup.h"
#include "graph/op.h"

typedef uint32_t NodeId;
#define NODE_NONE UINT32_MAX

typedef enum NodeKind {
    NODE_TOKENS,
    NODE_INDICES,
    NODE_CONSTANT,
    NODE_MAP,
    NODE_LOOKUP,
    NODE_SELECT,
    NODE_AND,
    NODE_OR,
    NODE_NOT,
    NODE_AGGREGATE,
    NODE_WIDTH,
} NodeKind;

typedef struct Node {
    NodeKind kind;
    OpId op;                  /* map: the operator; select: the comparison (key op query) */
    TokenType tokens;         /* tokens */
    int arity;                /* number of node arguments */
    NodeId arg[OP_MAX_ARITY]; /* select: key, query; aggregate: selector, values; width: selector */
    Atom atom;                /* constant: the value; aggregate: the default */
    const Lookup *lookup;
    uint32_t depth;  /* attention layers needed, see graph_new */
    Span span;       /* where it was made (the first time), see graph_begin_program */
    const Str *name; /* the first name it was given by an assignment, or NULL */
    bool is_own;     /* ... and the program gave it, not the library */
} Node;

typedef struct Graph Graph;

/* Depth: tokens, indices, constants 0; map and lookup the maximum of their arguments; a
 * select one more than the deeper of key and query, combinations the maximum of their parts;
 * aggregate the larger of (values + 1) and the selector; width that of its selector. */
Graph *graph_new(Arena *arena, Intern *intern);
Intern *graph_intern(const Graph *graph);
Arena *graph_arena(const Graph *graph);
uint32_t graph_count(const Graph *graph);
/* Valid until the next node is added. */
const Node *graph_node(const Graph *graph, NodeId id);

NodeId graph_tokens(Graph *graph, TokenType type, Span span);
NodeId graph_indices(Graph *graph, Span span);
NodeId graph_constant(Graph *graph, Atom atom, Span span);
NodeId graph_map(Graph *graph, OpId op, const NodeId *args, Span span);
NodeId graph_lookup(Graph *graph, const Lookup *lookup, NodeId at, Span span);
NodeId graph_select(Graph *graph, OpId comparison, NodeId key, NodeId query, Span span);
NodeId graph_and(Graph *graph, NodeId a, NodeId b, Span span);
NodeId graph_or(Graph *graph, NodeId a, NodeId b, Span span);
NodeId graph_not(Graph *graph, NodeId a, Span span);
NodeId graph_aggregate(Graph *graph, NodeId selector, NodeId values, Atom fallback, Span span);
NodeId graph_width(Graph *graph, NodeId selector, Span span);

static inline bool node_is_selector(const Node *node) {
    return node->kind >= NODE_SELECT && node->kind <= NODE_NOT;
}

/* Names and places are for reports.  Those of the language's library, which is there first, give
 * way to the program's: a span that begins at `own` or later is the program's. */
void graph_begin_program(Graph *graph, uint32_t own);
/* While `notes`: nodes are a reader's own; whoever makes them later gives them their place. */
void graph_notes(Graph *graph, bool notes);

/* Forgets the nodes from id `count` on, of which nobody may have one any more: the graph is what it
 * was without them. */
void graph_shrink(Graph *graph, uint32_t count);

/* Remembers the first name only.  `at`: of the assignment. */
void graph_name(Graph *graph, NodeId id, const Str *name, Span at);

/* needed[id] for id < graph_count: is the node among the roots or below one?  In `arena`. */
bool *graph_needed(const Graph *graph, const NodeId *roots, size_t count, Arena *arena);

/* The node in source form, `select(tokens, tokens, ==)`; inner nodes that have a name are
 * shown by it, and text beyond about `limit` bytes (0: no limit) is cut with "…", as is a table of
 * more than 64 bytes then.  What is not cut reads back as the same node where these names are
 * known, if the language can write its constants at all (it has no exponents, and no quotes in
 * strings). */
const char *graph_text(const Graph *graph, NodeId id, size_t limit, Arena *arena);

/* What nodes and atoms are called where a text must read back. */
typedef struct GraphNames {
    const char *const *node; /* by id: what stands for it as an operand; NULL: its source form */
    /* Of an atom that the language cannot write; `sop`: of the s-op that is the atom everywhere,
     * which an operator that would compute on an atom is given in its place. */
    const char *(*atom)(void *context, Atom atom, bool sop);
    void *context;
} GraphNames;

/* The node in source form, whole, by these names: where they mean what they do here, it evaluates
 * to this very node.  As deep as the node is between names. */
const char *graph_source(const Graph *graph, NodeId id, const GraphNames *names, Arena *arena);

#endif
