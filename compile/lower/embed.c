/* Functions of one variable: columns of the embeddings. */
#include "compile/lower/rules.h"

/* Joint rows of a variable and a function of it: both functions of the cut, if there is one. */
static bool function_rows(Lower *lower, NodeId variable, NodeId node, const Cover *cut,
                          Rows *rows) {
    NodeId nodes[2] = {variable, node};
    bool done = cut ? values_rows_over(lower->values, cut->cut, cut->cut_count, nodes, 2, rows)
                    : values_rows(lower->values, nodes, 2, UINT32_MAX, rows);
    return done || lower_fail_values(lower);
}

static bool function_of_rows(Lower *lower, NodeId variable, NodeId node, const Rows *rows,
                             double **vector, bool *complete) {
    const NodeValues *x = values_of(lower->values, variable), *f = values_of(lower->values, node);
    Arena *arena = lower->arena;
    bool *seen = ARENA_ARRAY(arena, x->count, bool), function = true;
    *vector = ARENA_ARRAY(arena, x->count, double);
    uint32_t count = 0;
    for (size_t r = 0; r < rows->row_count && function; r++) {
        uint32_t at = rows->level[2 * r];
        double value = feature_number(f->levels[rows->level[2 * r + 1]]);
        function = !seen[at] || value == (*vector)[at];
        count += !seen[at];
        if (!seen[at]) (*vector)[at] = value;
        seen[at] = true;
    }
    *complete = count == x->count;
    return function;
}

bool function_of_cover(Lower *lower, const Cover *cover, NodeId node, Rows *rows, double **vector,
                       bool *complete) {
    return function_rows(lower, cover->x, node, cover, rows) &&
           function_of_rows(lower, cover->x, node, rows, vector, complete);
}

bool function_vector(Lower *lower, NodeId variable, NodeId node, double **vector, bool *complete) {
    Rows rows;
    return function_rows(lower, variable, node, NULL, &rows) &&
           function_of_rows(lower, variable, node, &rows, vector, complete);
}

/* A column of an embedding, unless the columns there are already express the function. */
static Form embed(Lower *lower, Space *space, Origin origin, NodeId node, const double *vector) {
    Form form;
    if (space_solve(space, vector, &form)) return form;
    uint32_t part = add_part(lower, (Part){.origin = origin, .node = node, .vector = vector});
    form = form_part(part, lower->arena);
    space_add(space, vector, form);
    return form;
}

bool embed_token(Lower *lower, NodeId node, NodeId tokens, Form *form) {
    double *vector;
    bool complete;
    if (!function_vector(lower, tokens, node, &vector, &complete)) return false;
    *form = embed(lower, lower->token_space, FROM_TOKEN, node, vector);
    return true;
}

bool embed_position(Lower *lower, NodeId node, Form *form) {
    const NodeValues *v = values_of(lower->values, node);
    uint32_t longest = values_domain(lower->values)->max_length;
    double *vector = ARENA_ARRAY(lower->arena, longest, double);
    for (uint32_t i = 0; i < longest; i++)
        for (uint32_t n = i + 1; n <= longest; n++) {
            uint32_t count;
            const uint32_t *member = values_set(lower->values, v->sets[context_of(n, i)], &count);
            if (count) vector[i] = feature_number(v->levels[member[0]]);
        }
    *form = embed(lower, lower->position_space, FROM_POSITION, node, vector);
    return true;
}
