#include "show/explain.h"

#include "base/plural.h"
#include "show/lines.h"
#include "show/positions.h"
#include "show/wrap.h"

#include <string.h>

enum { INDENT = 4 }; /* of what is told of one input */

typedef struct Explainer {
    FILE *out;
    const Scene *s;
    Arena *arena;
    Words w;
    size_t width;
    const RaspGraphHead *heads;
    size_t head_count;
} Explainer;

static const RaspGraphNode *node_of(const Explainer *e, size_t row) {
    return &e->s->nodes[e->s->rows[row].node];
}

static bool attends(const RaspGraphNode *node) {
    return node->kind == RASP_GRAPH_AGGREGATE || node->kind == RASP_GRAPH_WIDTH;
}

static const char *number(Arena *arena, size_t count) {
    static const char *const words[] = {"no",   "one", "two",   "three", "four",
                                        "five", "six", "seven", "eight", "nine"};
    return count < sizeof words / sizeof *words ? words[count] : arena_format(arena, "%zu", count);
}

/* "a", "a and b", "a, b and c". */
static const char *enumerate(Arena *arena, const char *const *items, size_t count,
                             const char *before_last) {
    const char *text = count ? items[0] : "";
    for (size_t k = 1; k < count; k++)
        text = arena_format(arena, "%s%s%s", text, k + 1 == count ? before_last : ", ", items[k]);
    return text;
}

/* A row's name; NULL: it has none of its own. */
static const char *name_of(const Explainer *e, size_t row) {
    if (node_of(e, row)->name) return e->s->rows[row].label;
    return e->s->rows[row].answer ? "the result" : NULL;
}

/* --- the whole -------------------------------------------------------------------------- */

static const char *answers(const Explainer *e) {
    size_t count = 0;
    const char **names = ARENA_ARRAY(e->arena, e->s->row_count + 1, const char *);
    for (size_t r = 0; r < e->s->row_count; r++)
        if (e->s->rows[r].answer) names[count++] = e->s->rows[r].label;
    return enumerate(e->arena, names, count, " and ");
}

static const char *what_is_read(const Explainer *e) {
    const char *parts[8];
    size_t count = 0;
    for (size_t k = 0; k < e->s->count && count < 8; k++) {
        RaspGraphKind kind = e->s->nodes[k].kind;
        if (kind == RASP_GRAPH_TOKENS || kind == RASP_GRAPH_INDICES)
            parts[count++] = arena_format(e->arena, "its %s", words_noun(&e->w, (uint32_t)k) + 4);
    }
    if (!count) return "";
    return arena_format(e->arena, " Each position starts with %s.",
                        enumerate(e->arena, parts, count, " and "));
}

static void put_whole(const Explainer *e) {
    size_t layers = e->s->layer_count - 1, results = 0;
    for (size_t r = 0; r < e->s->row_count; r++) results += e->s->rows[r].answer;
    const char *need = results == 1 ? "needs" : "need", *text;
    if (!layers)
        text = arena_format(e->arena, "%s %s no attention: each position is computed by itself.%s",
                            answers(e), need, what_is_read(e));
    else
        text =
            arena_format(e->arena, "%s %s %s layer%s of attention with %s head%s.%s", answers(e),
                         need, number(e->arena, layers), plural(layers),
                         number(e->arena, e->head_count), plural(e->head_count), what_is_read(e));
    wrap_paragraph(e->out, text, 0, e->width);
}

/* --- heads ------------------------------------------------------------------------------ */

static const char *counting(const Explainer *e, size_t row, const Positions *from, bool own) {
    const char *name = name_of(e, row), *what = from->single ? "it" : "them";
    if (!own) {
        Positions others = positions_of(&e->w, node_of(e, row)->operand[0]);
        what = others.text;
    }
    return name ? arena_format(e->arena, "counts %s as %s", what, name)
                : arena_format(e->arena, "counts %s", what);
}

/* Is the result's selector the one that its head is for? */
static bool is_own(const Explainer *e, const RaspGraphNode *node, uint32_t selector) {
    const RaspGraphNode *used = &e->s->nodes[node->operand[0]];
    return node->operand[0] == selector || used->everything;
}

static const char *head_text(const Explainer *e, size_t h) {
    uint32_t selector = e->heads[h].selector;
    Positions from = positions_of(&e->w, selector);
    const char **acts = ARENA_ARRAY(e->arena, e->s->row_count + 1, const char *);
    size_t count = 0;
    for (size_t r = 0; r < e->s->row_count; r++) {
        const RaspGraphNode *node = node_of(e, r);
        if (!attends(node) || node->head != h) continue;
        acts[count++] = node->kind == RASP_GRAPH_WIDTH
                            ? counting(e, r, &from, is_own(e, node, selector))
                            : positions_brought(&e->w, e->s->rows[r].node, &from, name_of(e, r));
    }
    const char *name = selector == RASP_NO_NODE ? NULL : e->s->nodes[selector].name;
    const char *named = name ? arena_format(e->arena, " (%s)", name) : "";
    const char *last = " and ";
    for (size_t k = 0; k < count; k++)
        if (strchr(acts[k], ',')) last = ", and ";
    return arena_format(e->arena, "each position attends to %s%s, and %s.", from.text, named,
                        enumerate(e->arena, acts, count, last));
}

static const char *capital(Arena *arena, const char *text) {
    char *copy = arena_text(arena, text, strlen(text));
    if (*copy >= 'a' && *copy <= 'z') *copy = (char)(*copy - 'a' + 'A');
    return copy;
}

static const char *heads_text(const Explainer *e, uint32_t layer) {
    size_t count = 0, before = 0;
    const char *text = "";
    for (size_t h = 0; h < e->head_count; h++) {
        count += e->heads[h].layer == layer;
        before += e->heads[h].layer < layer;
    }
    text = arena_format(e->arena, "Layer %u, %s head%s.", layer, number(e->arena, count),
                        plural(count));
    for (size_t h = before; h < before + count; h++)
        text =
            count == 1
                ? arena_format(e->arena, "%s %s", text, capital(e->arena, head_text(e, h)))
                : arena_format(e->arena, "%s Head %zu: %s", text, h - before + 1, head_text(e, h));
    return text;
}

/* --- elementwise steps ------------------------------------------------------------------ */

/* What has a name is told; what has none is told where it is used. */
static const char *steps_text(const Explainer *e, const SceneLayer *layer) {
    const char **steps = ARENA_ARRAY(e->arena, layer->row_count + 1, const char *);
    size_t count = 0;
    for (size_t r = layer->first_row; r < layer->first_row + layer->row_count; r++) {
        const RaspGraphNode *node = node_of(e, r);
        bool made = node->kind == RASP_GRAPH_MAP || node->kind == RASP_GRAPH_LOOKUP ||
                    node->kind == RASP_GRAPH_CONSTANT;
        if (made && name_of(e, r))
            steps[count++] = words_step(&e->w, e->s->rows[r].node, name_of(e, r));
    }
    const char *text = "";
    for (size_t k = 0; k < count; k++)
        text = arena_format(e->arena, "%s%s%s", text, k ? "; " : "", steps[k]);
    return count ? text : NULL;
}

static const char *answer_text(const Explainer *e, const SceneLayer *layer) {
    size_t count = 0, all = 0;
    const char **names = ARENA_ARRAY(e->arena, layer->row_count + 1, const char *);
    for (size_t r = 0; r < e->s->row_count; r++) all += e->s->rows[r].answer;
    for (size_t r = layer->first_row; r < layer->first_row + layer->row_count; r++)
        if (e->s->rows[r].answer && node_of(e, r)->name) names[count++] = e->s->rows[r].label;
    if (!count) return "";
    return arena_format(e->arena, " %s %s.", enumerate(e->arena, names, count, " and "),
                        count == 1 ? all == 1 ? "is the result" : "is a result" : "are results");
}

/* --- one input -------------------------------------------------------------------------- */

/* The position to tell of: the first that selects some but not all, else the first that selects. */
static size_t telling(const Scene *s, const ScenePanel *panel) {
    size_t n = s->length, any = n;
    for (size_t i = 0; i < n; i++) {
        size_t count = 0;
        for (size_t j = 0; j < n; j++) count += panel->cells[i * n + j];
        if (count && count < n) return i;
        if (count && any == n) any = i;
    }
    return any;
}

static const char *position(const Explainer *e, size_t i) {
    const RaspSequence *tokens = rasp_graph_input(e->s->graph, NULL);
    bool string = rasp_sequence_at(tokens, i).kind == RASP_STRING;
    return arena_format(e->arena, string ? "%zu (\"%s\")" : "%zu (%s)", i,
                        scene_value(e->s, tokens, i));
}

static const char *selected(const Explainer *e, const ScenePanel *panel, size_t i) {
    enum { TOLD = 6 };
    const char *items[TOLD + 1];
    size_t n = e->s->length, count = 0;
    for (size_t j = 0; j < n; j++) {
        if (!panel->cells[i * n + j]) continue;
        if (count < TOLD) items[count] = position(e, j);
        count++;
    }
    if (count == n && n > 1) return arena_format(e->arena, "all %zu positions", n);
    if (count > TOLD)
        return arena_format(e->arena, "%zu positions, among them %s", count,
                            enumerate(e->arena, items, TOLD, " and "));
    return arena_format(e->arena, "position%s %s", plural(count),
                        enumerate(e->arena, items, count, " and "));
}

/* "position 0 (c) attends to positions 1 (a) and 2 (b), so before is 2" */
static const char *instance(const Explainer *e, const ScenePanel *panel) {
    const Scene *s = e->s;
    size_t i = telling(s, panel), count = 0;
    if (i == s->length) return NULL;
    const char **results = ARENA_ARRAY(e->arena, panel->result_count + 1, const char *);
    for (size_t k = 0; k < panel->result_count; k++) {
        const SceneRow *row = &s->rows[panel->results[k]];
        results[count++] = arena_format(e->arena, "%s is %s", words_noun(&e->w, row->node),
                                        scene_value(s, row->values, i));
    }
    return arena_format(e->arena, "position %s attends to %s, so %s", position(e, i),
                        selected(e, panel, i), enumerate(e->arena, results, count, " and "));
}

static const char *instances(const Explainer *e, const SceneLayer *layer) {
    const char *text = NULL;
    for (size_t p = layer->first_panel; p < layer->first_panel + layer->panel_count; p++) {
        const char *next = instance(e, &e->s->panels[p]);
        if (next) text = text ? arena_format(e->arena, "%s; %s", text, next) : next;
    }
    return text ? text : "no position attends to anything";
}

static void put_values(const Explainer *e, const SceneLayer *layer) {
    if (layer->panel_count) {
        fputc('\n', e->out);
        wrap_paragraph(e->out, arena_format(e->arena, "On this input %s.", instances(e, layer)),
                       INDENT, e->width);
    }
    fputc('\n', e->out);
    lines_rows(e->out, e->s, layer, INDENT);
}

/* What does not fit into a line. */
static void put_crop(const Explainer *e) {
    if (e->s->shown == e->s->length) return;
    fputc('\n', e->out);
    wrap_paragraph(
        e->out,
        arena_format(e->arena, "(the first %zu of %zu positions)", e->s->shown, e->s->length), 0,
        e->width);
}

/* --- layers ----------------------------------------------------------------------------- */

static void put_layer(Explainer *e, uint32_t k) {
    e->w.layer = k;
    const SceneLayer *layer = &e->s->layers[k];
    const char *text = k ? heads_text(e, k) : NULL, *steps = steps_text(e, layer);
    if (!layer->row_count) return;
    if (steps && k)
        text = arena_format(e->arena, "%s Then, at each position, %s.", text, steps);
    else if (steps)
        text = e->s->layer_count > 1
                   ? arena_format(e->arena, "Before attention, at each position, %s.", steps)
                   : arena_format(e->arena, "At each position, %s.", steps);
    if (text) {
        fputc('\n', e->out);
        wrap_paragraph(e->out, arena_format(e->arena, "%s%s", text, answer_text(e, layer)), 0,
                       e->width);
    }
    if (e->s->length) put_values(e, layer);
}

void explain(FILE *out, const Scene *scene, size_t width) {
    Explainer e = {
        .out = out, .s = scene, .arena = scene->arena, .w = words_new(scene), .width = width};
    e.heads = rasp_graph_heads(scene->graph, &e.head_count);
    put_whole(&e);
    for (uint32_t k = 0; k < scene->layer_count; k++) put_layer(&e, k);
    put_crop(&e);
}
