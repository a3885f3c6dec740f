/* Joint values of s-ops, and of a form beside an s-op: the common ground of all that is tried. */
#include "compile/prove/judge_private.h"

#include <string.h>

enum { MOST_JOINT = 48 };

/* --- joint values --------------------------------------------------------------------- */

typedef struct Cut {
    Judge *j;
    bool *inside; /* by node: the target, or below it */
    bool *seen;
    NodeId *node;
    uint32_t count;
} Cut;

static void mark_inside(Cut *c, NodeId node) {
    if (c->inside[node]) return;
    c->inside[node] = true;
    const Node *n = graph_node(c->j->graph, node);
    for (int k = 0; k < n->arity && is_elementwise(c->j, node); k++) mark_inside(c, n->arg[k]);
}

/* Adds what the node is made of: the target's own parts, where it meets them. */
static void add_cut(Cut *c, NodeId node, bool to_sources) {
    const Node *n = graph_node(c->j->graph, node);
    if (c->seen[node] || n->kind == NODE_CONSTANT) return;
    c->seen[node] = true;
    if ((c->inside[node] && !to_sources) || !is_elementwise(c->j, node)) {
        c->node[c->count++] = node;
        return;
    }
    for (int k = 0; k < n->arity; k++) add_cut(c, n->arg[k], to_sources);
}

bool joint_rows(Judge *j, const NodeId *nodes, uint32_t count, Rows *rows) {
    NodeId target = nodes[count - 1];
    if (count > MOST_JOINT) return false;
    for (uint32_t k = 0; k < count; k++)
        if (!values_of(j->values, nodes[k])) return false;
    if (values_exact(j->values)) return values_rows(j->values, nodes, count, UINT32_MAX, rows);
    Arena *scratch = arena_child(j->arena);
    size_t total = graph_count(j->graph);
    Cut c = {j, ARENA_ARRAY(scratch, total, bool), ARENA_ARRAY(scratch, total, bool),
             ARENA_ARRAY(scratch, 2 * total, NodeId), 0};
    mark_inside(&c, target);
    for (uint32_t k = 0; k + 1 < count; k++) add_cut(&c, nodes[k], false);
    for (uint32_t k = 0; k < count; k++)
        if (!node_follows(j, nodes[k], c.node, c.count)) {
            memset(c.seen, 0, total * sizeof *c.seen);
            add_cut(&c, nodes[k], true);
        }
    bool done = true;
    for (uint32_t k = 0; k < c.count && done; k++) done = values_of(j->values, c.node[k]) != NULL;
    if (c.count == 0) c.node[c.count++] = target;
    done = done && c.count <= MOST_JOINT &&
           values_rows_over(j->values, c.node, c.count, nodes, count, rows);
    arena_free(scratch);
    return done;
}

/* --- of a form ------------------------------------------------------------------------ */

bool form_rows(Judge *j, const Linear *l, NodeId node, FormRows *rows) {
    Rows joint;
    NodeId nodes[MOST_JOINT + 1];
    const NodeValues *v[MOST_JOINT + 1];
    double number[MOST_JOINT], lost;
    uint32_t count = l->count;
    if (count > MOST_JOINT) return false;
    for (uint32_t k = 0; k < l->count; k++) nodes[k] = l->term[k].node;
    if (node != NODE_NONE) nodes[count++] = node;
    if (!joint_rows(j, nodes, count, &joint)) return false;
    for (uint32_t k = 0; k < count; k++) v[k] = values_of(j->values, nodes[k]);
    *rows = (FormRows){.count = joint.row_count,
                       .form = ARENA_ARRAY(j->arena, joint.row_count, double),
                       .node = ARENA_ARRAY(j->arena, joint.row_count, double)};
    for (size_t r = 0; r < joint.row_count; r++) {
        const uint32_t *level = joint.level + r * joint.width;
        for (uint32_t k = 0; k < l->count; k++) number[k] = level_number(v[k], level[k]);
        rows->form[r] = linear_at(l, number, &lost);
        rows->node[r] = node == NODE_NONE ? 0 : level_number(v[l->count], level[l->count]);
        rows->lost = worse(rows->lost, lost);
    }
    return true;
}
