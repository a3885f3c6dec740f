/* The public circuit: that it is well-formed, that every weight of the model is in it, and that a
 * file's is the one that its program was compiled to. */
#include "tests/unit/api_fixture.h"

#include "api/model.h"
#include "api/rasp_circuit.h"

#include <math.h>

static const struct {
    const char *text;
    RaspTarget target;
} cases[] = {
    {"y = tokens;", {.alphabet = "ab", .max_length = 3}},
    {histogram, {.alphabet = "abc", .max_length = 8}},
    {histogram, {.alphabet = "abc", .max_length = 8, .layout = RASP_STANDARD}},
    {before, {.alphabet = "abc", .max_length = 5, .masks = RASP_MASKS_NONE}},
    {"y = sort(tokens, tokens);", {.alphabet = "abcdefgh", .max_length = 12}},
    {"y = sort(tokens, tokens);",
     {.alphabet = "abcdefgh", .max_length = 12, .layout = RASP_STANDARD}},
    {"n = selector_width(select(tokens, tokens, ==));"
     "m = selector_width(select(n, n, ==) and select(indices, indices, <));"
     "y = [5, 1, 4, 2, 0, 3][m] if n > 1 else m * n;",
     {.alphabet = "abc", .max_length = 5}},
    {"n = selector_width(select(tokens, tokens, ==));"
     "m = selector_width(select(n, n, ==) and select(indices, indices, <));"
     "y = [5, 1, 4, 2, 0, 3][m] if n > 1 else m * n;",
     {.alphabet = "abc", .max_length = 5, .layout = RASP_STANDARD}},
    {"y = aggregate(select(tokens, \"a\", ==) and select(indices, indices, <), indices, 0.5);",
     {.alphabet = "ab", .max_length = 6}},
    {"y = 10 / (indices - 2);", {.alphabet = "ab", .max_length = 4, .partial = true}},
};
enum { CASES = sizeof cases / sizeof *cases };

static const RaspCircuit *circuit_of(RaspModel *model) {
    RaspError error;
    const RaspCircuit *circuit = rasp_model_circuit(model, &error);
    if (!circuit) fail_msg("%s", error.text);
    assert_ptr_equal(rasp_model_circuit(model, &error), circuit);
    return circuit;
}

/* --- well-formed ---------------------------------------------------------------------------- */

static void check_columns(const RaspCircuit *c) {
    for (uint32_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        const RaspCircuitNode *node = &c->nodes[column->node];
        assert_int_equal(node->columns[column->index], k);
        assert_int_equal(node->step, column->written);
        assert_false(c->sops[column->sop].selector);
        assert_true(column->read >= column->written && column->read < c->step_count);
        assert_true(column->cleared == RASP_NONE ||
                    (column->cleared >= column->read && column->cleared < c->step_count));
        assert_true(column->write_count > 0);
        assert_true(column->least <= column->most);
        for (size_t w = 0; w < column->write_count; w++)
            assert_true(column->writes[w].dim < c->width);
        if (column->dim == RASP_NONE)
            assert_int_equal(column->read, column->written);
        else
            assert_true(column->writes[0].dim == column->dim && column->writes[0].factor == 1);
    }
}

/* No dimension holds two columns at once. */
static void check_lives(const RaspCircuit *c) {
    for (size_t a = 0; a < c->column_count; a++)
        for (size_t b = 0; b < c->column_count; b++) {
            const RaspCircuitColumn *x = &c->columns[a], *y = &c->columns[b];
            if (a == b || x->dim == RASP_NONE || x->dim != y->dim || x->written > y->written)
                continue;
            assert_true(x->cleared < y->written);
        }
}

static void check_sops(const RaspCircuit *c) {
    size_t columns = 0;
    for (size_t k = 0; k < c->sop_count; k++) {
        const RaspCircuitSop *sop = &c->sops[k];
        assert_non_null(sop->text);
        columns += sop->column_count;
        for (size_t j = 0; j < sop->column_count; j++)
            assert_int_equal(c->columns[sop->columns[j]].sop, k);
        if (sop->selector) assert_true(sop->type == -1 && sop->column_count == 0);
    }
    assert_int_equal(columns, c->column_count);
}

static void check_nodes(const RaspCircuit *c) {
    size_t columns = 0;
    for (uint32_t n = 0; n < c->node_count; n++) {
        const RaspCircuitNode *node = &c->nodes[n];
        const RaspCircuitStep *step = &c->steps[node->step];
        columns += node->column_count;
        if (n) assert_true(c->nodes[n - 1].step <= node->step);
        if (node->kind == RASP_NODE_HEAD) {
            assert_int_equal(c->heads[node->index].node, n);
            assert_true(step->layer == c->heads[node->index].layer && step->sublayer == -1);
        }
        if (node->kind == RASP_NODE_TABLE) {
            assert_int_equal(c->tables[node->index].node, n);
            assert_int_equal(step->layer, c->tables[node->index].layer);
            assert_int_equal(step->sublayer, c->tables[node->index].sublayer);
        }
        if (node->kind == RASP_NODE_CLEAR) assert_int_equal(c->clears[node->index].node, n);
        if (node->kind == RASP_NODE_OUTPUT) assert_int_equal(c->outputs[node->index].node, n);
    }
    assert_int_equal(columns, c->column_count);
}

static void check_edges(const RaspCircuit *c) {
    for (size_t e = 0; e < c->edge_count; e++) {
        const RaspCircuitEdge *edge = &c->edges[e], *last = edge - 1;
        const RaspCircuitColumn *column = &c->columns[edge->column];
        assert_int_equal(edge->from, column->node);
        assert_true(edge->from < edge->to);
        assert_true(edge->role == RASP_ROLE_OUTPUT ? edge->change_count == 0
                                                   : edge->change_count > 0);
        if (edge->role < RASP_ROLE_CLEAR) assert_true(c->nodes[edge->to].step <= column->read);
        for (size_t k = 0; k < edge->change_count; k++)
            assert_true(c->columns[edge->changes[k]].written >= c->nodes[edge->to].step);
        if (e)
            assert_true(last->to < edge->to ||
                        (last->to == edge->to &&
                         (last->role < edge->role ||
                          (last->role == edge->role && last->column < edge->column))));
    }
}

static void well_formed(void **state) {
    (void)state;
    size_t clears = 0;
    for (size_t k = 0; k < CASES; k++) {
        RaspModel *model = model_of(cases[k].text, &cases[k].target);
        const RaspCircuit *circuit = circuit_of(model);
        check_columns(circuit);
        check_lives(circuit);
        check_sops(circuit);
        check_nodes(circuit);
        check_edges(circuit);
        clears += circuit->clear_count;
        rasp_model_free(model);
    }
    assert_true(clears > 0);
}

/* --- of a file ------------------------------------------------------------------------------ */

static RaspModel *through_bytes(const RaspModel *model) {
    RaspError error;
    unsigned char *bytes;
    size_t size;
    if (!rasp_model_bytes(model, &bytes, &size, &error)) fail_msg("%s", error.text);
    RaspModel *loaded = rasp_model_from_bytes(bytes, size, "w.bin", NULL, &error);
    if (!loaded) fail_msg("%s", error.text);
    rasp_free(bytes);
    return loaded;
}

static void assert_same_edges(const RaspCircuit *a, const RaspCircuit *b) {
    assert_int_equal(a->edge_count, b->edge_count);
    for (size_t e = 0; e < a->edge_count; e++) {
        const RaspCircuitEdge *x = &a->edges[e], *y = &b->edges[e];
        assert_true(x->from == y->from && x->to == y->to && x->column == y->column &&
                    x->role == y->role && x->change_count == y->change_count);
        assert_memory_equal(x->changes, y->changes, x->change_count * sizeof *x->changes);
    }
}

static void assert_same_columns(const RaspCircuit *a, const RaspCircuit *b) {
    assert_int_equal(a->column_count, b->column_count);
    for (size_t k = 0; k < a->column_count; k++) {
        const RaspCircuitColumn *x = &a->columns[k], *y = &b->columns[k];
        const RaspCircuitSop *of_x = &a->sops[x->sop], *of_y = &b->sops[y->sop];
        assert_true(x->dim == y->dim && x->written == y->written && x->read == y->read &&
                    x->cleared == y->cleared && x->value_count == y->value_count);
        assert_string_equal(of_x->text, of_y->text);
        assert_true(of_x->place.line == of_y->place.line && of_x->type == of_y->type);
    }
}

static void of_a_file(void **state) {
    (void)state;
    for (size_t k = 0; k < CASES; k++) {
        RaspModel *model = model_of(cases[k].text, &cases[k].target);
        RaspModel *loaded = through_bytes(model);
        assert_same_columns(circuit_of(model), circuit_of(loaded));
        assert_same_edges(circuit_of(model), circuit_of(loaded));
        rasp_model_free(model);
        rasp_model_free(loaded);
    }
}

/* A weights file whose program is another one's. */
static void of_another_program(void **state) {
    RaspError error;
    RaspTarget target = {.alphabet = "abc", .max_length = 3};
    RaspModel *model = model_of("y = indices + 1; z = 5;", &target);
    RaspModel *other = model_of("y = indices;     z = y;", &target);
    (void)state;
    assert_int_equal(json_object_set(model->model->extra, "source",
                                     json_object_get(other->model->extra, "source")),
                     0);
    RaspModel *loaded = through_bytes(model);
    for (int again = 0; again < 2; again++) {
        assert_null(rasp_model_circuit(loaded, &error));
        assert_int_equal(error.status, RASP_WRONG_FILE);
    }
    rasp_model_free(loaded);
    rasp_model_free(model);
    rasp_model_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed),
        cmocka_unit_test(of_a_file),
        cmocka_unit_test(of_another_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
