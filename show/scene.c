#define _GNU_SOURCE /* stpcpy */
#include "show/scene.h"

#include "show/elide.h"

#include <stdlib.h>
#include <string.h>

enum { LABEL_LIMIT = 48, TABLE_LIMIT = 16 }; /* bytes */

static bool attends(const RaspGraphNode *node) {
    return node->kind == RASP_GRAPH_AGGREGATE || node->kind == RASP_GRAPH_WIDTH;
}

static bool selects(const RaspGraphNode *node) {
    return node->kind >= RASP_GRAPH_SELECT && node->kind <= RASP_GRAPH_NOT;
}

static bool is_elementwise(const RaspGraphNode *node) {
    return node->kind == RASP_GRAPH_MAP || node->kind == RASP_GRAPH_LOOKUP;
}

/* --- which rows there are --------------------------------------------------------------- */

typedef struct Use {
    uint32_t users;
    bool elementary; /* all of them are elementwise */
} Use;

static Use *count_users(const Scene *s) {
    Use *uses = ARENA_ARRAY(s->arena, s->count + 1, Use);
    for (size_t k = 0; k < s->count; k++) uses[k].elementary = true;
    for (size_t k = 0; k < s->count; k++) {
        const RaspGraphNode *node = &s->nodes[k];
        for (uint32_t a = 0; a < node->operand_count; a++) {
            Use *use = &uses[node->operand[a]];
            use->users++;
            use->elementary &= is_elementwise(node);
        }
    }
    return uses;
}

static bool is_shown(const Scene *s, const Use *uses, uint32_t k, const bool *root) {
    const RaspGraphNode *node = &s->nodes[k];
    if (root[k]) return true;
    if (selects(node) || node->kind == RASP_GRAPH_CONSTANT) return false;
    return !(is_elementwise(node) && !node->name && uses[k].users == 1 && uses[k].elementary);
}

static bool *find_roots(const Scene *s, size_t count) {
    bool *root = ARENA_ARRAY(s->arena, s->count + 1, bool);
    for (size_t k = 0; k < count; k++) root[rasp_graph_root(s->graph, k)] = true;
    return root;
}

/* Results of heads before what is made of them; otherwise in order of computing. */
static void list_rows(Scene *s, const bool *root) {
    const Use *uses = count_users(s);
    uint32_t deepest = 0;
    s->row_of = ARENA_ARRAY(s->arena, s->count + 1, uint32_t);
    s->rows = ARENA_ARRAY(s->arena, s->count + 1, SceneRow);
    for (size_t k = 0; k < s->count; k++) {
        s->row_of[k] = RASP_NO_NODE;
        if (s->nodes[k].layer > deepest) deepest = s->nodes[k].layer;
    }
    s->layer_count = (size_t)deepest + 1;
    s->layers = ARENA_ARRAY(s->arena, s->layer_count, SceneLayer);
    for (uint32_t layer = 0; layer <= deepest; layer++) {
        s->layers[layer].first_row = s->row_count;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t k = 0; k < s->count; k++) {
                const RaspGraphNode *node = &s->nodes[k];
                if (node->layer != layer || attends(node) != (pass == 0)) continue;
                if (!is_shown(s, uses, k, root)) continue;
                s->row_of[k] = (uint32_t)s->row_count;
                s->rows[s->row_count++] =
                    (SceneRow){.node = k, .answer = root[k], .panel = SCENE_NOWHERE};
            }
        s->layers[layer].row_count = s->row_count - s->layers[layer].first_row;
    }
}

/* --- names ------------------------------------------------------------------------------ */

static const char *own_label(const Scene *s, uint32_t k) {
    const RaspGraphNode *node = &s->nodes[k];
    if (node->name) return node->name;
    const char *label = elide(node->text, TABLE_LIMIT, LABEL_LIMIT, s->arena);
    return strcmp(label, node->text) == 0 ? node->text : label;
}

typedef struct Named {
    const char *label;
    size_t row;
} Named;

static int compare_named(const void *a, const void *b) {
    const Named *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Rows of one label are told apart by numbers, in their order. */
static void number_labels(Scene *s) {
    Named *named = ARENA_ARRAY(s->arena, s->row_count + 1, Named);
    for (size_t r = 0; r < s->row_count; r++) named[r] = (Named){s->rows[r].label, r};
    if (s->row_count) qsort(named, s->row_count, sizeof *named, compare_named);
    for (size_t k = 0, end; k < s->row_count; k = end) {
        for (end = k + 1; end < s->row_count; end++)
            if (strcmp(named[end].label, named[k].label) != 0) break;
        for (size_t m = k; end > k + 1 && m < end; m++)
            s->rows[named[m].row].label =
                arena_format(s->arena, "%s (%zu)", named[m].label, m - k + 1);
    }
}

static void label_rows(Scene *s, const char *const *names, size_t count) {
    for (size_t r = 0; r < s->row_count; r++) {
        SceneRow *row = &s->rows[r];
        const RaspGraphNode *node = &s->nodes[row->node];
        row->label = own_label(s, row->node);
        bool made = attends(node) || is_elementwise(node);
        if (made && (node->name || row->label != node->text)) row->formula = node->text;
    }
    for (size_t k = 0; names && k < count; k++) {
        SceneRow *row = &s->rows[s->row_of[rasp_graph_root(s->graph, k)]];
        if (names[k]) row->label = names[k], row->formula = s->nodes[row->node].text;
    }
    number_labels(s);
}

const char *scene_label(const Scene *s, uint32_t node) {
    uint32_t row = s->row_of[node];
    return row == RASP_NO_NODE ? own_label(s, node) : s->rows[row].label;
}

/* --- where rows come from --------------------------------------------------------------- */

typedef struct Sources {
    uint32_t *rows;
    size_t count, capacity;
} Sources;

/* Nodes to look at, the next one last: graphs may be deeper than the C stack. */
typedef struct Pending {
    uint32_t *nodes;
    size_t count, capacity;
} Pending;

static void push_operands(const Scene *s, Pending *pending, uint32_t k) {
    const RaspGraphNode *node = &s->nodes[k];
    size_t need = pending->count + node->operand_count;
    pending->nodes =
        arena_grow(s->arena, pending->nodes, &pending->capacity, need + 1, sizeof(uint32_t));
    for (uint32_t a = node->operand_count; a-- > 0;)
        pending->nodes[pending->count++] = node->operand[a];
}

/* The rows that an elementwise node reads, through what is not shown.  Each once. */
static void find_sources(const Scene *s, uint32_t k, Sources *sources) {
    Pending pending = {0};
    push_operands(s, &pending, k);
    while (pending.count) {
        uint32_t node = pending.nodes[--pending.count], row = s->row_of[node];
        if (row == RASP_NO_NODE) {
            push_operands(s, &pending, node);
            continue;
        }
        bool known = false;
        for (size_t m = 0; m < sources->count; m++) known |= sources->rows[m] == row;
        if (known) continue;
        sources->rows = arena_grow(s->arena, sources->rows, &sources->capacity, sources->count + 1,
                                   sizeof(uint32_t));
        sources->rows[sources->count++] = row;
    }
}

static void link_rows(Scene *s) {
    for (size_t r = 0; r < s->row_count; r++) {
        SceneRow *row = &s->rows[r];
        Sources sources = {0};
        if (is_elementwise(&s->nodes[row->node])) find_sources(s, row->node, &sources);
        row->sources = sources.rows;
        row->source_count = sources.count;
    }
}

/* --- panels ----------------------------------------------------------------------------- */

static void add_node(uint32_t *list, size_t *count, uint32_t node) {
    for (size_t k = 0; k < *count; k++)
        if (list[k] == node) return;
    list[(*count)++] = node;
}

/* The keys and queries of the comparisons that a selector is made of, the first few. */
static void find_leaves(const Scene *s, ScenePanel *panel) {
    Pending pending = {0};
    size_t leaves = 0;
    uint32_t at = panel->selector;
    for (;;) {
        const RaspGraphNode *node = &s->nodes[at];
        if (node->kind == RASP_GRAPH_SELECT) {
            add_node(panel->keys, &panel->key_count, node->operand[0]);
            add_node(panel->queries, &panel->query_count, node->operand[1]);
            leaves++;
        } else {
            push_operands(s, &pending, at);
        }
        panel->more = leaves == SCENE_LEAVES && pending.count > 0;
        if (!pending.count || leaves == SCENE_LEAVES) return;
        at = pending.nodes[--pending.count];
    }
}

static size_t find_panel(Scene *s, const SceneLayer *layer, uint32_t selector) {
    for (size_t p = layer->first_panel; p < s->panel_count; p++)
        if (s->panels[p].selector == selector) return p;
    const RaspGraphNode *node = &s->nodes[selector];
    const char *title =
        node->name ? arena_format(s->arena, "%s = %s", node->name, node->text) : node->text;
    s->panels[s->panel_count] = (ScenePanel){.selector = selector, .title = title};
    find_leaves(s, &s->panels[s->panel_count]);
    return s->panel_count++;
}

static void list_panels(Scene *s) {
    s->panels = ARENA_ARRAY(s->arena, s->row_count + 1, ScenePanel);
    for (size_t l = 0; l < s->layer_count; l++) {
        SceneLayer *layer = &s->layers[l];
        layer->first_panel = s->panel_count;
        for (size_t r = layer->first_row; r < layer->first_row + layer->row_count; r++) {
            const RaspGraphNode *node = &s->nodes[s->rows[r].node];
            if (attends(node)) s->rows[r].panel = find_panel(s, layer, node->operand[0]);
        }
        layer->panel_count = s->panel_count - layer->first_panel;
    }
}

/* What each panel moves and gives. */
static void fill_panel(Scene *s, size_t p) {
    ScenePanel *panel = &s->panels[p];
    size_t results = 0, values = 0;
    for (size_t r = 0; r < s->row_count; r++) results += s->rows[r].panel == p;
    uint32_t *rows = ARENA_ARRAY(s->arena, results + 1, uint32_t);
    uint32_t *moved = ARENA_ARRAY(s->arena, results + 1, uint32_t);
    results = 0;
    for (size_t r = 0; r < s->row_count; r++) {
        if (s->rows[r].panel != p) continue;
        const RaspGraphNode *node = &s->nodes[s->rows[r].node];
        rows[results++] = (uint32_t)r;
        if (node->kind == RASP_GRAPH_AGGREGATE) add_node(moved, &values, node->operand[1]);
    }
    panel->results = rows, panel->result_count = results;
    panel->values = moved, panel->value_count = values;
}

/* Rows in the order of their panels, so that wires from panels do not cross. */
static int compare_panels(const void *a, const void *b) {
    const SceneRow *x = a, *y = b;
    if (x->panel != y->panel) return x->panel < y->panel ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void order_rows(Scene *s) {
    for (size_t l = 0; l < s->layer_count; l++)
        if (s->layers[l].row_count)
            qsort(s->rows + s->layers[l].first_row, s->layers[l].row_count, sizeof *s->rows,
                  compare_panels);
    for (size_t r = 0; r < s->row_count; r++) s->row_of[s->rows[r].node] = (uint32_t)r;
}

/* --- values ----------------------------------------------------------------------------- */

const RaspSequence *scene_values(const Scene *s, uint32_t node) {
    return rasp_graph_values(s->graph, node, NULL);
}

/* All that is shown is computed before anything is written. */
static bool compute(Scene *s, RaspError *error) {
    for (size_t r = 0; r < s->row_count; r++)
        if (!(s->rows[r].values = rasp_graph_values(s->graph, s->rows[r].node, error)))
            return false;
    for (size_t p = 0; p < s->panel_count; p++) {
        ScenePanel *panel = &s->panels[p];
        if (!(panel->cells = rasp_graph_selection(s->graph, panel->selector, error))) return false;
        for (size_t k = 0; k < panel->key_count; k++)
            if (!rasp_graph_values(s->graph, panel->keys[k], error)) return false;
        for (size_t k = 0; k < panel->query_count; k++)
            if (!rasp_graph_values(s->graph, panel->queries[k], error)) return false;
        for (size_t k = 0; k < panel->value_count; k++)
            if (!rasp_graph_values(s->graph, panel->values[k], error)) return false;
    }
    return true;
}

static RaspAtom value_at(const Scene *s, const RaspSequence *values, size_t k) {
    return rasp_sequence_at(values, k * s->bin);
}

/* NUL bytes end a text: they become a sign for them. */
static const char *without_nul(const char *text, size_t length, Arena *arena) {
    static const char sign[] = "␀";
    size_t used = 0;
    char *copy = arena_alloc(arena, length * strlen(sign) + 1);
    for (size_t k = 0; k < length; k++)
        if (text[k])
            copy[used++] = text[k];
        else
            used = (size_t)(stpcpy(copy + used, sign) - copy);
    return copy;
}

const char *scene_value(const Scene *s, const RaspSequence *values, size_t k) {
    RaspAtom atom = value_at(s, values, k);
    if (atom.kind == RASP_STRING && atom.as.s.length == 0) return "\"\"";
    if (atom.kind == RASP_STRING && atom.as.s.length == 1 && *atom.as.s.text == ' ') return "␣";
    if (atom.kind == RASP_FLOAT) atom.as.f = rasp_round(atom.as.f, 3);
    size_t length = rasp_atom_text(atom, RASP_CELL, NULL, 0);
    char *text = arena_alloc(s->arena, length + 1);
    rasp_atom_text(atom, RASP_CELL, text, length + 1);
    return strlen(text) == length ? text : without_nul(text, length, s->arena);
}

bool scene_true(const Scene *s, const RaspSequence *values, size_t k) {
    RaspAtom atom = value_at(s, values, k);
    return atom.kind == RASP_BOOL && atom.as.b;
}

double scene_cell(const Scene *s, const ScenePanel *panel, size_t i, size_t j) {
    size_t selected = 0, n = s->length;
    size_t rows = i * s->bin + s->bin < n ? s->bin : n - i * s->bin;
    size_t keys = j * s->bin + s->bin < n ? s->bin : n - j * s->bin;
    for (size_t a = i * s->bin; a < i * s->bin + rows; a++)
        for (size_t b = j * s->bin; b < j * s->bin + keys; b++) selected += panel->cells[a * n + b];
    return (double)selected / (double)(rows * keys);
}

bool scene_new(RaspGraph *graph, const char *const *names, size_t count, Arena *arena, Scene *scene,
               RaspError *error) {
    Scene *s = scene;
    *s = (Scene){.graph = graph, .arena = arena};
    s->nodes = rasp_graph_nodes(graph, &s->count);
    const RaspSequence *tokens = rasp_graph_input(graph, NULL);
    s->length = tokens ? rasp_sequence_length(tokens) : 0;
    s->bin = tokens ? (s->length + SCENE_POSITIONS - 1) / SCENE_POSITIONS : 1;
    s->shown = (s->length + s->bin - 1) / s->bin;
    const bool *root = find_roots(s, count);
    list_rows(s, root);
    list_panels(s);
    order_rows(s);
    for (size_t p = 0; p < s->panel_count; p++) fill_panel(s, p);
    label_rows(s, names, count);
    link_rows(s);
    return !tokens || compute(s, error);
}

void scene_crop(Scene *s, size_t positions) {
    s->bin = 1;
    s->shown = s->length < positions ? s->length : positions;
}
