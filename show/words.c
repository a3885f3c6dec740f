#include "show/words.h"

#include <string.h>

enum { NODES_MOST = 40 }; /* in one phrase */

static const RaspGraphNode *node_at(const Words *w, uint32_t k) {
    return &w->scene->nodes[k];
}

static bool is_op(const RaspGraphNode *node, const char *op) {
    return node->kind == RASP_GRAPH_MAP && strcmp(node->op, op) == 0;
}

static bool is_comparison(const char *op) {
    static const char *const all[] = {"==", "!=", "<", "<=", ">", ">="};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(op, all[k]) == 0) return true;
    return false;
}

static bool is_constant(const RaspGraphNode *node, RaspAtom atom) {
    return node->kind == RASP_GRAPH_CONSTANT && rasp_atom_same(node->atom, atom);
}

/* --- types ------------------------------------------------------------------------------ */

static WordsType type_of_atom(RaspAtom atom) {
    return atom.kind == RASP_STRING ? WORDS_STRING
           : atom.kind == RASP_BOOL ? WORDS_BOOL
                                    : WORDS_NUMBER;
}

static WordsType both(WordsType a, WordsType b) {
    return a == b ? a : WORDS_UNKNOWN;
}

static WordsType type_of_tokens(const char *op) {
    static const struct {
        const char *op;
        WordsType type;
    } types[] = {{"tokens", WORDS_STRING},
                 {"tokens_int", WORDS_NUMBER},
                 {"tokens_float", WORDS_NUMBER},
                 {"tokens_bool", WORDS_BOOL}};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strcmp(op, types[k].op) == 0) return types[k].type;
    return WORDS_UNKNOWN;
}

static WordsType type_of_lookup(const RaspGraphNode *node) {
    if (!node->entries) return WORDS_BOOL;
    WordsType type = node->entry_count ? type_of_atom(node->entries[0]) : WORDS_UNKNOWN;
    for (size_t k = 1; k < node->entry_count; k++)
        type = both(type, type_of_atom(node->entries[k]));
    return type;
}

static WordsType type_of_map(const RaspGraphNode *node, const WordsType *type) {
    const uint32_t *a = node->operand;
    if (strcmp(node->op, "if") == 0) return both(type[a[1]], type[a[2]]);
    if (is_comparison(node->op) || is_op(node, "and") || is_op(node, "or") || is_op(node, "not"))
        return WORDS_BOOL;
    bool joins = node->operand_count == 2 && (is_op(node, "+") || is_op(node, "*"));
    if (!joins) return WORDS_NUMBER;
    bool strings = type[a[0]] == WORDS_STRING || type[a[1]] == WORDS_STRING;
    bool unknown = type[a[0]] == WORDS_UNKNOWN || type[a[1]] == WORDS_UNKNOWN;
    return strings ? WORDS_STRING : unknown ? WORDS_UNKNOWN : WORDS_NUMBER;
}

static WordsType type_of(const RaspGraphNode *node, const WordsType *type) {
    switch (node->kind) {
    case RASP_GRAPH_TOKENS:
        return type_of_tokens(node->op);
    case RASP_GRAPH_CONSTANT:
        return type_of_atom(node->atom);
    case RASP_GRAPH_LOOKUP:
        return type_of_lookup(node);
    case RASP_GRAPH_MAP:
        return type_of_map(node, type);
    case RASP_GRAPH_AGGREGATE: /* the mean of bools is a number, one alone stays a bool */
        return type[node->operand[1]] == WORDS_BOOL
                   ? WORDS_UNKNOWN
                   : both(type[node->operand[1]], type_of_atom(node->atom));
    case RASP_GRAPH_INDICES:
    case RASP_GRAPH_WIDTH:
        return WORDS_NUMBER;
    default:
        return WORDS_UNKNOWN;
    }
}

Words words_new(const Scene *scene) {
    Words w = {.scene = scene, .type = ARENA_ARRAY(scene->arena, scene->count + 1, WordsType)};
    for (size_t k = 0; k < scene->count; k++) w.type[k] = type_of(&scene->nodes[k], w.type);
    return w;
}

/* --- nouns and conditions --------------------------------------------------------------- */

/* A phrase in the making: how many nodes it may still take in. */
typedef struct Phrase {
    const Words *w;
    Arena *arena;
    int left;
} Phrase;

static const char *noun(Phrase *p, uint32_t k, bool nested);
static const char *condition(Phrase *p, uint32_t k, bool nested);
static const char *own_condition(Phrase *p, uint32_t k, bool nested);

const char *words_atom(const Words *w, RaspAtom atom) {
    size_t length = rasp_atom_text(atom, RASP_JSON, NULL, 0);
    char *text = arena_alloc(w->scene->arena, length + 1);
    if (atom.kind == RASP_BOOL) return atom.as.b ? "true" : "false";
    rasp_atom_text(atom, RASP_JSON, text, length + 1);
    return text;
}

static const char *ordinal(Arena *arena, size_t k) {
    static const char *const words[] = {"first", "second", "third", "fourth"};
    return k < sizeof words / sizeof *words ? words[k] : arena_format(arena, "number %zu", k + 1);
}

/* Of nameless results of one kind and head, which one it is, in the order of rows; "" if there is
 * no other. */
static const char *which_of_them(Phrase *p, uint32_t k) {
    const Scene *s = p->w->scene;
    size_t before = 0, all = 0;
    for (size_t r = 0; r < s->row_count; r++) {
        const RaspGraphNode *node = &s->nodes[k], *other = &s->nodes[s->rows[r].node];
        if (other->kind != node->kind || other->head != node->head || other->name) continue;
        before += r < s->row_of[k];
        all++;
    }
    return all < 2 ? "" : ordinal(p->arena, before);
}

/* Where it comes from: "", " of head 2", " of layer 1", " of head 2 of layer 1". */
static const char *origin(Phrase *p, const RaspGraphNode *node) {
    size_t heads, first = 0, in_layer = 0;
    const RaspGraphHead *head = rasp_graph_heads(p->w->scene->graph, &heads);
    for (size_t h = 0; h < heads; h++) {
        first += head[h].layer < node->layer;
        in_layer += head[h].layer == node->layer;
    }
    const char *text =
        in_layer < 2 ? "" : arena_format(p->arena, " of head %zu", node->head - first + 1);
    if (node->layer == p->w->layer) return text;
    return arena_format(p->arena, "%s of layer %u", text, node->layer);
}

/* What has no name and comes from a head: "the count", "what head 2 brings". */
static const char *result_noun(Phrase *p, uint32_t k) {
    const RaspGraphNode *node = node_at(p->w, k);
    const char *of = origin(p, node), *which = which_of_them(p, k);
    if (node->kind == RASP_GRAPH_WIDTH)
        return arena_format(p->arena, "the %s%scount%s", which, *which ? " " : "", of);
    bool numbered = strncmp(of, " of head", 8) == 0;
    return arena_format(p->arena, "what %s%s brings%s%s", numbered ? "" : "the head",
                        numbered ? of + strlen(" of ") : of, *which ? " " : "", which);
}

static const char *leaf_noun(Phrase *p, uint32_t k) {
    const RaspGraphNode *node = node_at(p->w, k);
    if (node->kind == RASP_GRAPH_TOKENS)
        return strcmp(node->op, "tokens") == 0 || strcmp(node->op, "tokens_asis") == 0
                   ? "the token"
                   : arena_format(p->arena, "the token as %s",
                                  strcmp(node->op, "tokens_int") == 0     ? "an int"
                                  : strcmp(node->op, "tokens_float") == 0 ? "a float"
                                                                          : "a truth value");
    if (node->kind == RASP_GRAPH_INDICES) return "the index";
    if (node->kind == RASP_GRAPH_CONSTANT) return words_atom(p->w, node->atom);
    if (node->name) return scene_label(p->w->scene, k);
    bool result = node->kind == RASP_GRAPH_WIDTH || node->kind == RASP_GRAPH_AGGREGATE;
    return result ? result_noun(p, k) : NULL;
}

static const char *listed(Phrase *p, const RaspAtom *atoms, size_t count) {
    enum { SHOWN = 8 };
    const char *text = "";
    for (size_t k = 0; k < count && k < SHOWN; k++)
        text = arena_format(p->arena, "%s%s%s", text,
                            k == 0           ? ""
                            : k + 1 == count ? " or "
                                             : ", ",
                            words_atom(p->w, atoms[k]));
    return count > SHOWN ? arena_format(p->arena, "%s, … (%zu in all)", text, count) : text;
}

enum { TABLE_SHOWN = 4 };

static const char *entries(Phrase *p, const RaspGraphNode *node) {
    const char *text = "";
    for (size_t k = 0; k < node->entry_count; k++)
        text = arena_format(p->arena, "%s%s%s: %s", text, k ? ", " : "",
                            words_atom(p->w, node->keys[k]), words_atom(p->w, node->entries[k]));
    return text;
}

static const char *lookup_noun(Phrase *p, const RaspGraphNode *node) {
    const char *at = noun(p, node->operand[0], true);
    if (strcmp(node->op, "dict") == 0 && node->entry_count <= TABLE_SHOWN)
        return arena_format(p->arena, "the entry of %s in {%s}", at, entries(p, node));
    if (strcmp(node->op, "dict") == 0)
        return arena_format(p->arena, "what %s stands for in a table of %zu entries", at,
                            node->entry_count);
    if (strcmp(node->op, "string") == 0)
        return arena_format(p->arena, "character number %s of a string of %zu", at,
                            node->entry_count);
    return arena_format(p->arena, "entry number %s of a list of %zu", at, node->entry_count);
}

static const char *choice(Phrase *p, const char *then, const char *when, const char *otherwise) {
    return arena_format(p->arena, "%s if %s, otherwise %s", then, when, otherwise);
}

static const char *in_brackets(Phrase *p, const char *text, bool nested) {
    return nested ? arena_format(p->arena, "(%s)", text) : text;
}

static bool is_boolean_map(const RaspGraphNode *node) {
    return node->kind == RASP_GRAPH_MAP && (is_comparison(node->op) || is_op(node, "and") ||
                                            is_op(node, "or") || is_op(node, "not"));
}

/* Does the operand of a sum or product need brackets?  Readers know that products come first. */
static bool needs_brackets(const RaspGraphNode *node, const RaspGraphNode *operand, bool left) {
    bool sum = is_op(node, "+") || is_op(node, "-");
    bool same = is_op(operand, "+") || is_op(operand, "-");
    bool product = is_op(operand, "*") || is_op(operand, "/");
    if (operand->kind != RASP_GRAPH_MAP || operand->operand_count != 2) return true;
    return !(sum && (product || (same && left)));
}

/* "a + b"; a constant below 0 is taken away. */
static const char *arithmetic(Phrase *p, const RaspGraphNode *node) {
    const RaspGraphNode *left = node_at(p->w, node->operand[0]);
    const RaspGraphNode *right = node_at(p->w, node->operand[1]);
    const char *a = noun(p, node->operand[0], needs_brackets(node, left, true));
    bool below = right->kind == RASP_GRAPH_CONSTANT && right->atom.kind == RASP_INT &&
                 right->atom.as.i < 0 && right->atom.as.i > INT64_MIN;
    if (below && (is_op(node, "+") || is_op(node, "-")))
        return arena_format(p->arena, "%s %s %lld", a, is_op(node, "+") ? "-" : "+",
                            -(long long)right->atom.as.i);
    return arena_format(p->arena, "%s %s %s", a, node->op,
                        noun(p, node->operand[1], needs_brackets(node, right, false)));
}

/* A slice without an end has one that no string reaches. */
static const char *slice_noun(Phrase *p, const RaspGraphNode *node) {
    const char *from = noun(p, node->operand[1], false), *to = noun(p, node->operand[2], false);
    bool whole = is_constant(node_at(p->w, node->operand[2]), rasp_int(INT32_MAX));
    return arena_format(p->arena, "the part [%s:%s] of %s", from, whole ? "" : to,
                        noun(p, node->operand[0], true));
}

static const char *map_noun(Phrase *p, const RaspGraphNode *node, bool nested) {
    const uint32_t *a = node->operand;
    const char *text;
    if (is_op(node, "if"))
        text = choice(p, noun(p, a[1], true), condition(p, a[0], false),
                      noun(p, a[2], !is_op(node_at(p->w, a[2]), "if")));
    else if (is_op(node, "indicator"))
        text = choice(p, "1", condition(p, a[0], false), "0");
    else if (is_op(node, "round"))
        return arena_format(p->arena, "round(%s)", noun(p, a[0], false));
    else if (is_op(node, "len"))
        return arena_format(p->arena, "the length of %s", noun(p, a[0], true));
    else if (is_op(node, "[:]"))
        return slice_noun(p, node);
    else if (node->operand_count == 1)
        return arena_format(p->arena, "%s%s", node->op, noun(p, a[0], true));
    else
        text = arithmetic(p, node);
    return in_brackets(p, text, nested);
}

static bool is_condition(const RaspGraphNode *node) {
    return is_boolean_map(node) || (node->kind == RASP_GRAPH_LOOKUP && !node->entries);
}

/* What an elementwise node makes, by its operands. */
static const char *own_noun(Phrase *p, uint32_t k, bool nested) {
    const RaspGraphNode *node = node_at(p->w, k);
    if (p->left-- <= 0) return node->text;
    if (is_condition(node))
        return arena_format(p->arena, nested ? "(whether %s)" : "whether %s",
                            own_condition(p, k, false));
    if (node->kind == RASP_GRAPH_LOOKUP) return in_brackets(p, lookup_noun(p, node), nested);
    return map_noun(p, node, nested);
}

/* A value; `nested`: within a larger one, so that brackets keep it together. */
static const char *noun(Phrase *p, uint32_t k, bool nested) {
    const char *leaf = leaf_noun(p, k);
    return leaf ? leaf : own_noun(p, k, nested);
}

/* The words between the sides of a comparison; with a constant behind, or a noun. */
static const char *comparing(const char *op, bool negated, bool constant) {
    static const struct {
        const char *op, *words, *negated;
    } table[] = {
        {"<", "is less than", "is not less than"},
        {"<=", "is at most", "is not at most"},
        {">", "is greater than", "is not greater than"},
        {">=", "is at least", "is not at least"},
    };
    bool equal = strcmp(op, "==") == 0, differs = strcmp(op, "!=") == 0;
    if (equal != negated && (equal || differs)) return constant ? "is" : "equals";
    if (equal || differs) return constant ? "is not" : "differs from";
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(op, table[k].op) == 0) return negated ? table[k].negated : table[k].words;
    return op;
}

/* A side of a comparison: what is a clause or a choice itself needs brackets. */
static const char *side(Phrase *p, uint32_t k) {
    const RaspGraphNode *node = node_at(p->w, k);
    bool chooses = node->kind == RASP_GRAPH_MAP && (is_op(node, "if") || is_op(node, "indicator"));
    return noun(p, k, chooses || is_condition(node));
}

static const char *negation(Phrase *p, uint32_t k);

static const char *comparison(Phrase *p, const RaspGraphNode *node, bool negated) {
    const RaspGraphNode *left = node_at(p->w, node->operand[0]);
    const RaspGraphNode *right = node_at(p->w, node->operand[1]);
    bool equal = strcmp(node->op, "==") == 0;
    bool truth = is_constant(right, rasp_bool(true)) && p->w->type[node->operand[0]] == WORDS_BOOL;
    bool untruth =
        is_constant(right, rasp_bool(false)) && p->w->type[node->operand[0]] == WORDS_BOOL;
    if (equal && (truth || untruth) && !left->name)
        return truth != negated ? condition(p, node->operand[0], false)
                                : negation(p, node->operand[0]);
    if (left->kind == RASP_GRAPH_WIDTH && negated && strcmp(node->op, ">") == 0 &&
        is_constant(right, rasp_int(0))) /* there are never fewer */
        return arena_format(p->arena, "%s is 0", noun(p, node->operand[0], true));
    return arena_format(p->arena, "%s %s %s", side(p, node->operand[0]),
                        comparing(node->op, negated, right->kind == RASP_GRAPH_CONSTANT),
                        side(p, node->operand[1]));
}

static const char *negation(Phrase *p, uint32_t k) {
    const RaspGraphNode *node = node_at(p->w, k);
    if (node->kind == RASP_GRAPH_MAP && !node->name && is_comparison(node->op))
        return comparison(p, node, true);
    if (leaf_noun(p, k))
        return arena_format(p->arena, "%s is %s", leaf_noun(p, k),
                            p->w->type[k] == WORDS_NUMBER ? "0" : "false");
    return arena_format(p->arena, "not (%s)", condition(p, k, false));
}

static const char *truth_of(const Phrase *p, uint32_t k, const char *what) {
    bool number = p->w->type[k] == WORDS_NUMBER;
    return arena_format(p->arena, number ? "%s is not 0" : "%s is true", what);
}

static const char *own_condition(Phrase *p, uint32_t k, bool nested) {
    const RaspGraphNode *node = node_at(p->w, k);
    if (p->left-- <= 0) return node->text;
    if (!is_condition(node)) return truth_of(p, k, own_noun(p, k, true));
    if (node->kind == RASP_GRAPH_LOOKUP)
        return arena_format(p->arena, "%s is %s", noun(p, node->operand[0], true),
                            listed(p, node->keys, node->entry_count));
    if (is_op(node, "not")) return negation(p, node->operand[0]);
    if (is_comparison(node->op)) return comparison(p, node, false);
    const char *sides[2];
    for (int a = 0; a < 2; a++) /* brackets only where `and` and `or` meet */
        sides[a] =
            condition(p, node->operand[a], !is_op(node_at(p->w, node->operand[a]), node->op));
    const char *text = arena_format(p->arena, "%s %s %s", sides[0], node->op, sides[1]);
    return in_brackets(p, text, nested);
}

/* A clause that is true or false at a position. */
static const char *condition(Phrase *p, uint32_t k, bool nested) {
    const char *leaf = leaf_noun(p, k);
    return leaf ? truth_of(p, k, leaf) : own_condition(p, k, nested);
}

/* --- for others ------------------------------------------------------------------------- */

const char *words_noun(const Words *w, uint32_t node) {
    return noun(&(Phrase){w, w->scene->arena, NODES_MOST}, node, false);
}

const char *words_inner(const Words *w, uint32_t node) {
    Phrase p = {w, w->scene->arena, NODES_MOST};
    const char *text = noun(&p, node, false);
    return node_at(w, node)->name ? text : in_brackets(&p, text, strstr(text, " if ") != NULL);
}

const char *words_condition(const Words *w, uint32_t node) {
    return condition(&(Phrase){w, w->scene->arena, NODES_MOST}, node, true);
}

const char *words_step(const Words *w, uint32_t k, const char *name) {
    Phrase p = {w, w->scene->arena, NODES_MOST};
    const RaspGraphNode *node = node_at(w, k);
    if (is_condition(node))
        return arena_format(p.arena, "%s tells whether %s", name, own_condition(&p, k, false));
    bool made = node->kind == RASP_GRAPH_MAP || node->kind == RASP_GRAPH_LOOKUP;
    return arena_format(p.arena, "%s is %s", name,
                        made ? own_noun(&p, k, false) : words_noun(w, k));
}
