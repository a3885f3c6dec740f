#include "show/positions.h"

#include <string.h>

/* --- one comparison --------------------------------------------------------------------- */

typedef struct Literal {
    const char *clause;  /* "hit is true", "it comes earlier" */
    const char *before;  /* of those of order, as an adjective: "earlier", or … */
    const char *behind;  /* "up to here" */
    const char *alone;   /* where nothing else is asked: "the position before it"; or NULL */
    bool single, itself; /* at most one position; the position itself is always among them */
    bool matched;        /* see positions.h */
} Literal;

typedef struct Reader {
    const Words *w;
    const Scene *s;
    Arena *arena;
    int left; /* comparisons that there is room for */
} Reader;

static const RaspGraphNode *node_at(const Reader *r, uint32_t k) {
    return &r->s->nodes[k];
}

/* The order of positions; a negated comparison of indices is another one. */
static bool order_literal(const char *op, bool negated, Literal *out) {
    static const struct {
        const char *op, *negated;
        Literal literal;
    } table[] = {
        {"<", ">=", {.clause = "it comes earlier", .before = "earlier"}},
        {">", "<=", {.clause = "it comes later", .before = "later"}},
        {"<=", ">", {.clause = "it does not come later", .behind = "up to here", .itself = true}},
        {">=",
         "<",
         {.clause = "it does not come earlier", .behind = "from here on", .itself = true}},
        {"==",
         "!=",
         {.clause = "it is this very one", .alone = "itself", .single = true, .itself = true}},
        {"!=", "==", {.clause = "it is another one", .before = "other"}},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(op, negated ? table[k].negated : table[k].op) == 0) {
            *out = table[k].literal;
            return true;
        }
    return false;
}

/* The query is the index, so many places on. */
static bool is_offset(const Reader *r, const RaspGraphNode *query, int64_t *offset) {
    if (query->kind != RASP_GRAPH_MAP || query->operand_count != 2) return false;
    bool plus = strcmp(query->op, "+") == 0, minus = strcmp(query->op, "-") == 0;
    const RaspGraphNode *left = node_at(r, query->operand[0]),
                        *right = node_at(r, query->operand[1]);
    bool fits = left->kind == RASP_GRAPH_INDICES && right->kind == RASP_GRAPH_CONSTANT &&
                right->atom.kind == RASP_INT && right->atom.as.i > -1000000 &&
                right->atom.as.i < 1000000;
    if (!fits || (!plus && !minus)) return false;
    *offset = plus ? right->atom.as.i : -right->atom.as.i;
    return *offset != 0;
}

static const char *offset_words(const Reader *r, int64_t offset) {
    if (offset == -1) return "the position before it";
    if (offset == 1) return "the position after it";
    return arena_format(r->arena, "the position %lld places %s it",
                        (long long)(offset < 0 ? -offset : offset),
                        offset < 0 ? "before" : "after");
}

/* Keys are the indices: at most one of them is equal to something. */
static bool index_literal(const Reader *r, const RaspGraphNode *node, bool negated, Literal *out) {
    const RaspGraphNode *key = node_at(r, node->operand[0]), *query = node_at(r, node->operand[1]);
    int64_t offset;
    if (key->kind != RASP_GRAPH_INDICES) return false;
    if (query->kind == RASP_GRAPH_INDICES) return order_literal(node->op, negated, out);
    if (strcmp(node->op, "==") != 0 || negated) return false;
    out->single = true;
    if (is_offset(r, query, &offset)) {
        out->alone = offset_words(r, offset);
        out->clause = arena_format(r->arena, "it is %s", out->alone);
        return true;
    }
    const char *what = words_noun(r->w, node->operand[1]);
    bool constant = query->kind == RASP_GRAPH_CONSTANT;
    if (constant && rasp_atom_same(query->atom, rasp_int(0)))
        out->alone = "the first position";
    else
        out->alone = arena_format(r->arena, "the position whose index is %s%s", what,
                                  constant ? "" : " here");
    out->clause = arena_format(r->arena, "the index is %s%s", what, constant ? "" : " here");
    return true;
}

/* `hit == True`. */
static bool truth_literal(const Reader *r, const RaspGraphNode *node, bool negated, Literal *out) {
    const RaspGraphNode *query = node_at(r, node->operand[1]);
    bool truth = query->kind == RASP_GRAPH_CONSTANT && query->atom.kind == RASP_BOOL &&
                 r->w->type[node->operand[0]] == WORDS_BOOL && strcmp(node->op, "==") == 0;
    if (!truth) return false;
    const RaspGraphNode *key = node_at(r, node->operand[0]);
    bool wanted = query->atom.as.b != negated;
    if (wanted)
        out->clause = words_condition(r->w, node->operand[0]);
    else if (key->name)
        out->clause = arena_format(r->arena, "%s is false", words_noun(r->w, node->operand[0]));
    else
        out->clause = arena_format(r->arena, "not (%s)", words_condition(r->w, node->operand[0]));
    return true;
}

static const char *same_words(const char *op, bool negated) {
    static const struct {
        const char *op, *words, *negated;
    } table[] = {
        {"==", "the same as", "not the same as"},  {"!=", "not the same as", "the same as"},
        {"<", "less than", "not less than"},       {"<=", "at most", "not at most"},
        {">", "greater than", "not greater than"}, {">=", "at least", "not at least"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(op, table[k].op) == 0) return negated ? table[k].negated : table[k].words;
    return op;
}

static void plain_literal(const Reader *r, const RaspGraphNode *node, bool negated, Literal *out) {
    uint32_t key = node->operand[0], query = node->operand[1];
    const char *left = words_noun(r->w, key), *right = words_noun(r->w, query);
    const char *words = same_words(node->op, negated);
    bool constant = node_at(r, query)->kind == RASP_GRAPH_CONSTANT;
    bool equal = strncmp(words, "the same", 8) == 0 || strncmp(words, "not the same", 12) == 0;
    out->matched = equal && *words == 't' && !constant && key != query;
    if (key == query) { /* NaN is not the same as itself */
        bool number = r->w->type[key] == WORDS_NUMBER || r->w->type[key] == WORDS_UNKNOWN;
        out->clause = arena_format(r->arena, "%s is %s here", left, words);
        out->itself = !negated && !number && strchr(node->op, '=') && *node->op != '!';
        return;
    }
    if (equal && constant)
        out->clause =
            arena_format(r->arena, "%s is %s%s", left, *words == 'n' ? "not " : "", right);
    else if (equal)
        out->clause = arena_format(r->arena, "%s %s %s here", left,
                                   *words == 'n' ? "differs from" : "equals", right);
    else
        out->clause =
            arena_format(r->arena, "%s is %s %s%s", left, words, right, constant ? "" : " here");
}

/* Both sides constants: all or none. */
static bool constant_literal(const Reader *r, const RaspGraphNode *node, bool negated,
                             Literal *out) {
    bool constants = node_at(r, node->operand[0])->kind == RASP_GRAPH_CONSTANT &&
                     node_at(r, node->operand[1])->kind == RASP_GRAPH_CONSTANT;
    if (!constants) return false;
    bool all = node->everything != negated;
    *out = all ? (Literal){.clause = "it is any", .alone = "every position", .itself = true}
               : (Literal){.clause = "it is none", .alone = "no position", .single = true};
    return true;
}

static Literal literal_of(const Reader *r, const RaspGraphNode *node, bool negated) {
    Literal out = {0};
    if (constant_literal(r, node, negated, &out) || index_literal(r, node, negated, &out) ||
        truth_literal(r, node, negated, &out))
        return out;
    plain_literal(r, node, negated, &out);
    return out;
}

/* --- combinations ----------------------------------------------------------------------- */

enum { COMPARISONS_MOST = 7, PARTS_MOST = 16 };

/* Is the node an `and` where it stands, or an `or` under a `not`? */
static bool joins(const RaspGraphNode *node, bool negated, bool *conjunction) {
    if (node->kind != RASP_GRAPH_AND && node->kind != RASP_GRAPH_OR) return false;
    *conjunction = (node->kind == RASP_GRAPH_AND) != negated;
    return true;
}

typedef struct Part {
    uint32_t node;
    bool negated;
} Part;

/* Through `not`, whose meaning moves to the comparisons. */
static Part through_not(const Reader *r, Part part) {
    while (node_at(r, part.node)->kind == RASP_GRAPH_NOT)
        part = (Part){node_at(r, part.node)->operand[0], !part.negated};
    return part;
}

/* The parts of nested joints of one kind, in order; false: too many. */
static bool list_parts(const Reader *r, Part whole, bool conjunction, Part *parts, size_t *count) {
    Part pending[PARTS_MOST + 1];
    size_t waiting = 1;
    pending[0] = whole;
    *count = 0;
    while (waiting) {
        Part part = through_not(r, pending[--waiting]);
        const RaspGraphNode *node = node_at(r, part.node);
        bool kind;
        if (joins(node, part.negated, &kind) && kind == conjunction) {
            if (waiting + 2 > PARTS_MOST) return false;
            pending[waiting++] = (Part){node->operand[1], part.negated};
            pending[waiting++] = (Part){node->operand[0], part.negated};
            continue;
        }
        if (*count == PARTS_MOST) return false;
        parts[(*count)++] = part;
    }
    return true;
}

static const char *join(Arena *arena, const char *text, const char *word, const char *next) {
    return text ? arena_format(arena, "%s %s %s", text, word, next) : next;
}

/* A combination as a clause; NULL: too long. */
static const char *clause_of(Reader *r, Part part, bool nested) {
    Part parts[PARTS_MOST];
    size_t count;
    bool conjunction;
    part = through_not(r, part);
    const RaspGraphNode *node = node_at(r, part.node);
    if (!joins(node, part.negated, &conjunction))
        return r->left-- > 0 ? literal_of(r, node, part.negated).clause : NULL;
    if (!list_parts(r, part, conjunction, parts, &count)) return NULL;
    const char *text = NULL;
    for (size_t k = 0; k < count; k++) {
        const char *next = clause_of(r, parts[k], true);
        if (!next) return NULL;
        text = join(r->arena, text, conjunction ? "and" : "or", next);
    }
    return nested ? arena_format(r->arena, "(%s)", text) : text;
}

typedef struct Noun {
    const char *before, *behind, *clauses;
    const char *alone; /* of the only literal */
    bool single, itself, matched;
    size_t count;
} Noun;

static void take_literal(Noun *n, const Literal *literal, Arena *arena) {
    n->single |= literal->single;
    n->matched |= literal->matched;
    n->itself &= literal->itself;
    n->alone = n->count++ ? NULL : literal->alone;
    if (literal->before && !n->before)
        n->before = literal->before;
    else if (literal->behind && !n->behind)
        n->behind = literal->behind;
    else
        n->clauses = join(arena, n->clauses, "and", literal->clause);
}

/* A conjunction as a noun: "the earlier positions where …". */
static bool conjunction_of(Reader *r, Part whole, Positions *out) {
    Part parts[PARTS_MOST];
    size_t count;
    Noun n = {.itself = true};
    if (!list_parts(r, whole, true, parts, &count)) return false;
    for (size_t k = 0; k < count; k++) {
        bool conjunction;
        const RaspGraphNode *node = node_at(r, parts[k].node);
        Literal literal = {0};
        if (joins(node, parts[k].negated, &conjunction))
            literal.clause = clause_of(r, parts[k], true);
        else if (r->left-- > 0)
            literal = literal_of(r, node, parts[k].negated);
        if (!literal.clause) return false;
        take_literal(&n, &literal, r->arena);
    }
    out->single = n.single, out->found = n.itself, out->matched = n.matched;
    out->text = n.alone ? n.alone
                        : arena_format(r->arena, "the %s%s%s%s%s%s%s", n.before ? n.before : "",
                                       n.before ? " " : "", n.single ? "position" : "positions",
                                       n.behind ? " " : "", n.behind ? n.behind : "",
                                       n.clauses ? " where " : "", n.clauses ? n.clauses : "");
    return true;
}

static bool describe(Reader *r, Part whole, Positions *out) {
    Part parts[PARTS_MOST];
    size_t count;
    bool conjunction = true;
    whole = through_not(r, whole);
    if (!joins(node_at(r, whole.node), whole.negated, &conjunction) || conjunction)
        return conjunction_of(r, whole, out);
    if (!list_parts(r, whole, false, parts, &count)) return false;
    *out = (Positions){0};
    for (size_t k = 0; k < count; k++) {
        Positions one;
        if (!conjunction_of(r, parts[k], &one)) return false;
        out->found |= one.found;
        out->text = out->text ? arena_format(r->arena, "%s%s and to %s", out->text,
                                             k + 1 < count ? "," : ",", one.text)
                              : one.text;
    }
    return true;
}

Positions positions_of(const Words *w, uint32_t selector) {
    Reader r = {w, w->scene, w->scene->arena, COMPARISONS_MOST};
    Positions out;
    if (selector == RASP_NO_NODE) return (Positions){.text = "every position", .found = true};
    if (describe(&r, (Part){selector, false}, &out)) return out;
    const char *text = w->scene->nodes[selector].text;
    return (Positions){.text = arena_format(r.arena, "the positions that %s selects", text)};
}

/* --- what is brought -------------------------------------------------------------------- */

/* "their token", "its nth", "step there". */
static const char *of_them(const Words *w, uint32_t values, bool single) {
    const RaspGraphNode *node = &w->scene->nodes[values];
    const char *noun = words_noun(w, values), *whose = single ? "its" : "their";
    Arena *arena = w->scene->arena;
    if (strncmp(noun, "the token", 9) == 0 || strncmp(noun, "the index", 9) == 0)
        if (node->kind == RASP_GRAPH_TOKENS || node->kind == RASP_GRAPH_INDICES)
            return arena_format(arena, "%s %s", whose, noun + 4);
    if (node->name) return arena_format(arena, "%s %s", whose, noun);
    return arena_format(arena, "%s there", words_inner(w, values));
}

/* `indicator(b)`, or a bool: what is shared out. */
static bool is_share(const Words *w, uint32_t values, uint32_t *of) {
    const RaspGraphNode *node = &w->scene->nodes[values];
    bool indicator = node->kind == RASP_GRAPH_MAP && strcmp(node->op, "indicator") == 0;
    *of = indicator && !node->name ? node->operand[0] : values;
    return (indicator && !node->name) || w->type[values] == WORDS_BOOL;
}

static const char *what_is_brought(const Words *w, uint32_t values, const Positions *from) {
    bool single = from->single;
    const RaspGraphNode *node = &w->scene->nodes[values];
    Arena *arena = w->scene->arena;
    uint32_t of;
    if (node->kind == RASP_GRAPH_CONSTANT)
        return arena_format(arena, "gives %s", words_atom(w, node->atom));
    if (single || w->type[values] == WORDS_STRING)
        return arena_format(arena, "brings %s", of_them(w, values, single));
    if (is_share(w, values, &of) && from->matched)
        return arena_format(arena, "brings whether %s there (if several, the share)",
                            words_condition(w, of));
    if (is_share(w, values, &of))
        return arena_format(arena, "takes the share of them where %s", words_condition(w, of));
    bool mean = w->type[values] == WORDS_NUMBER && !from->matched;
    bool named = node->name || node->kind == RASP_GRAPH_TOKENS || node->kind == RASP_GRAPH_INDICES;
    if (mean && named)
        return arena_format(arena, "takes the mean of %s", of_them(w, values, false));
    if (mean) return arena_format(arena, "takes the mean over them of %s", words_inner(w, values));
    return arena_format(arena, "brings %s (if several, the mean)", of_them(w, values, false));
}

const char *positions_brought(const Words *w, uint32_t aggregate, const Positions *from,
                              const char *name) {
    Arena *arena = w->scene->arena;
    const RaspGraphNode *node = &w->scene->nodes[aggregate];
    const char *text = what_is_brought(w, node->operand[1], from);
    if (name) text = arena_format(arena, "%s as %s", text, name);
    if (from->found) return text;
    return arena_format(arena, "%s, or %s if there %s none", text, words_atom(w, node->atom),
                        from->single ? "is" : "are");
}
