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
        if (node->kind == RASP_CIRCUIT_HEAD) {
            assert_int_equal(c->heads[node->index].node, n);
            assert_true(step->layer == c->heads[node->index].layer && step->sublayer == -1);
        }
        if (node->kind == RASP_CIRCUIT_TABLE) {
            assert_int_equal(c->tables[node->index].node, n);
            assert_int_equal(step->layer, c->tables[node->index].layer);
            assert_int_equal(step->sublayer, c->tables[node->index].sublayer);
        }
        if (node->kind == RASP_CIRCUIT_CLEAR) assert_int_equal(c->clears[node->index].node, n);
        if (node->kind == RASP_CIRCUIT_OUTPUT) assert_int_equal(c->outputs[node->index].node, n);
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

/* --- every weight --------------------------------------------------------------------------- */

/* The column that the dimension holds before the step; RASP_NONE: none that anybody reads. */
static uint32_t column_in(const RaspCircuit *c, uint32_t dim, uint32_t step) {
    for (uint32_t k = 0; k < c->column_count; k++) {
        const RaspCircuitColumn *column = &c->columns[k];
        if (column->dim == dim && column->written < step && column->cleared >= step) return k;
    }
    return RASP_NONE;
}

static bool has_edge(const RaspCircuit *c, uint32_t column, uint32_t to, RaspRole role) {
    for (size_t e = 0; e < c->edge_count; e++)
        if (c->edges[e].column == column && c->edges[e].to == to && c->edges[e].role == role)
            return true;
    return false;
}

static bool row_is_zero(const Tensor *t, size_t row) {
    for (size_t k = 0; k < t->cols; k++)
        if (tensor_get(t, row, k) != 0) return false;
    return true;
}

static bool is_written(const RaspCircuit *c, uint32_t column, uint32_t dim) {
    for (size_t w = 0; w < c->columns[column].write_count; w++)
        if (c->columns[column].writes[w].dim == dim) return true;
    return false;
}

/* What a matrix reads is what the edges of the role say, the constants aside. */
static void check_reading(const RaspCircuit *c, uint32_t node, RaspRole role, const Tensor *t) {
    for (uint32_t dim = 0; dim < c->width; dim++) {
        if (dim == c->one || dim == c->sink) continue;
        uint32_t column = column_in(c, dim, c->nodes[node].step);
        bool claimed = column != RASP_NONE && has_edge(c, column, node, role);
        assert_int_equal(!row_is_zero(t, dim), claimed);
    }
}

static void check_head(const RaspCircuit *c, uint32_t number, const ModelHead *made) {
    static const char *const masks[] = {"none", "causal", "strict_causal", "anticausal",
                                        "strict_anticausal"};
    const RaspCircuitHead *head = &c->heads[number];
    bool known = false;
    for (size_t k = 0; k < 5; k++) known |= strcmp(head->mask, masks[k]) == 0;
    assert_true(known);
    check_reading(c, head->node, RASP_ROLE_QUERY, &made->query);
    check_reading(c, head->node, RASP_ROLE_KEY, &made->key);
    check_reading(c, head->node, RASP_ROLE_VALUE, &made->value);
    for (size_t k = 0; k < made->output.rows; k++)
        for (uint32_t dim = 0; dim < c->width; dim++)
            assert_int_equal(tensor_get(&made->output, k, dim) != 0,
                             k < head->component_count &&
                                 is_written(c, head->components[k].column, dim));
}

/* What the unit reads and writes; `column`: what it reads, or one of a table's form. */
static void check_table(const RaspCircuit *c, const RaspCircuitTable *table, const ModelMlp *mlp) {
    for (size_t u = 0; u < table->unit_count; u++)
        for (uint32_t dim = 0; dim < c->width; dim++) {
            size_t unit = table->first_unit + u;
            uint32_t column = column_in(c, dim, c->nodes[table->node].step);
            bool writes = false,
                 reads = column != RASP_NONE && has_edge(c, column, table->node, RASP_ROLE_INPUT);
            for (size_t f = 0; f < table->function_count; f++)
                writes |= table->functions[f].factors[u] != 0 &&
                          is_written(c, table->functions[f].column, dim);
            if (dim != c->sink) assert_int_equal(tensor_get(&mlp->in, dim, unit) != 0, reads);
            if (!writes) assert_true(tensor_get(&mlp->out, unit, dim) == 0);
        }
}

static void check_clear(const RaspCircuit *c, const RaspCircuitClear *clear, const ModelMlp *mlp) {
    uint32_t cleared = c->columns[clear->column].dim;
    for (uint32_t dim = 0; dim < c->width; dim++) {
        if (dim != c->sink) assert_true(tensor_get(&mlp->in, dim, clear->unit) == (dim == cleared));
        assert_true(tensor_get(&mlp->out, clear->unit, dim) == (dim == cleared ? -1 : 0));
    }
}

/* Pieces by layer; what none of them is, is padding. */
static size_t check_weights(const RaspCircuit *c, const Model *model) {
    size_t heads = 0, units = 0;
    for (size_t l = 0; l < model->layer_count; l++)
        for (size_t h = 0; h < model->layers[l]->head_count; h++) {
            const ModelHead *made = model->layers[l]->heads[h];
            uint32_t number = 0;
            while (number < c->head_count &&
                   (c->heads[number].layer != l || c->heads[number].head != h))
                number++;
            if (number < c->head_count) check_head(c, number, made), heads++;
            for (size_t k = 0; number == c->head_count && k < made->output.rows; k++)
                assert_true(row_is_zero(&made->output, k));
        }
    assert_int_equal(heads, c->head_count);
    for (size_t k = 0; k < c->table_count; k++) {
        const RaspCircuitTable *table = &c->tables[k];
        check_table(c, table, model->layers[table->layer]->mlps[table->sublayer]);
        units += table->unit_count;
    }
    for (size_t k = 0; k < c->clear_count; k++) {
        const RaspCircuitClear *clear = &c->clears[k];
        check_clear(c, clear, model->layers[clear->layer]->mlps[clear->sublayer]);
    }
    return heads + units;
}

static void every_weight(void **state) {
    (void)state;
    size_t pieces = 0;
    for (size_t k = 0; k < CASES; k++) {
        RaspModel *model = model_of(cases[k].text, &cases[k].target);
        pieces += check_weights(circuit_of(model), model->model);
        rasp_model_free(model);
    }
    assert_true(pieces > 60);
}

/* --- downstream ----------------------------------------------------------------------------- */

static void downstream(void **state) {
    RaspModel *model = model_of("n = selector_width(select(tokens, tokens, ==));"
                                "b = aggregate(select(indices, indices - 1, ==), n, 0);"
                                "y = b > 1;",
                                &(RaspTarget){.alphabet = "abc", .max_length = 4});
    const RaspCircuit *c = circuit_of(model);
    bool columns[16], outputs[1];
    (void)state;
    assert_true(c->column_count <= 16 && c->output_count == 1);
    for (uint32_t k = 0; k < c->column_count; k++) {
        memset(columns, 0, sizeof columns);
        outputs[0] = false;
        columns[k] = true;
        rasp_circuit_downstream(c, false, columns, outputs);
        /* The token reaches everything behind the first head, the position no count. */
        bool early = c->nodes[c->columns[k].node].kind == RASP_CIRCUIT_POSITIONS;
        assert_true(outputs[0]);
        for (uint32_t j = 0; j < c->column_count; j++)
            if (j != k && columns[j]) assert_true(c->columns[j].written > c->columns[k].written);
        for (uint32_t j = 0; early && j < c->column_count; j++)
            if (strcmp(c->sops[c->columns[j].sop].text, "1 / (n + 1)") == 0)
                assert_false(columns[j]);
    }
    rasp_model_free(model);
}

/* --- patches -------------------------------------------------------------------------------- */

typedef struct Counted {
    size_t reads[RASP_ROLE_INPUT + 1], weights, heads, sublayers, residuals;
    double shown; /* by the tap, of what a patch has set */
} Counted;

static void count_read(void *context, size_t layer, size_t piece, int role, size_t n, size_t width,
                       double *stream) {
    (void)layer, (void)piece;
    for (size_t k = width; k < (n + 1) * width; k++) stream[k] = 0; /* nobody else sees that */
    ((Counted *)context)->reads[role]++;
}

static void count_weights(void *context, size_t layer, size_t head, size_t n, double *weights) {
    (void)layer, (void)head;
    for (size_t k = 0; k < (n + 1) * (n + 1); k++) weights[k] = 0.25;
    ((Counted *)context)->weights++;
}

static void count_head(void *context, size_t layer, size_t head, size_t n, size_t width,
                       double *result) {
    (void)layer, (void)head, (void)n, (void)width;
    result[width] = 7;
    ((Counted *)context)->heads++;
}

static void count_sublayer(void *context, size_t layer, size_t sublayer, size_t n, size_t units,
                           double *hidden) {
    (void)layer, (void)sublayer, (void)n, (void)units, (void)hidden;
    ((Counted *)context)->sublayers++;
}

static void count_residual(void *context, size_t layer, int sublayer, size_t n, size_t width,
                           double *stream) {
    (void)layer, (void)sublayer, (void)n, (void)width, (void)stream;
    ((Counted *)context)->residuals++;
}

static void show_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                      const double *weights, size_t width, const double *result) {
    Counted *counted = context;
    (void)layer, (void)head, (void)n, (void)scores;
    assert_true(weights[0] == 0.25);
    counted->shown = result[width];
}

/* Every hook is called as often as there are pieces, and the tap is shown what they set. */
static void patch_hooks(void **state) {
    RaspModel *model = model_of(histogram, &(RaspTarget){.alphabet = "abc", .max_length = 4});
    RaspEngine *engine = engine_of(model);
    RaspInput input = input_of("abca");
    RaspError error;
    Counted n = {0};
    RaspPatch patch = {&n, count_read, count_weights, count_head, count_sublayer, count_residual};
    RaspTap tap = {.context = &n, .head = show_head};
    (void)state;
    RaspForward *forward = rasp_patch(engine, &input, &patch, &tap, &error);
    if (!forward) fail_msg("%s", error.text);
    for (int role = 0; role <= RASP_ROLE_INPUT; role++) assert_int_equal(n.reads[role], 1);
    assert_true(n.weights == 1 && n.heads == 1 && n.sublayers == 1 && n.residuals == 3);
    assert_true(n.shown == 7);
    rasp_forward_free(forward);
    rasp_engine_free(engine);
    rasp_model_free(model);
}

/* Patches that change nothing, and none at all, give what a trace does. */
static void patch_nothing(void **state) {
    static const RaspPatch none;
    RaspModel *model = model_of(histogram, &(RaspTarget){.alphabet = "abc", .max_length = 4});
    RaspEngine *engine = engine_of(model);
    RaspInput input = input_of("abca"), wrong = input_of("abd");
    RaspError error;
    (void)state;
    RaspForward *forward = rasp_patch(engine, &input, &none, NULL, &error);
    assert_non_null(forward);
    assert_string_equal(text_of(rasp_forward_sequence(forward, 0)), "2 1 1 2");
    rasp_forward_free(forward);
    assert_null(rasp_patch(engine, &wrong, &none, NULL, &error));
    assert_int_equal(error.status, RASP_FAILED);
    rasp_engine_free(engine);
    rasp_model_free(model);
}

static void drop_all(void *context, size_t layer, int sublayer, size_t n, size_t width,
                     double *stream) {
    (void)context, (void)layer, (void)sublayer;
    for (size_t k = width; k < (n + 1) * width; k++) stream[k] = 0;
}

/* What a patched model says of having no answer is for the caller to judge. */
static void patch_partial(void **state) {
    RaspModel *model = model_of("y = 10 / (indices - 2);", &cases[CASES - 1].target);
    RaspEngine *engine = engine_of(model);
    RaspInput input = input_of("aaaa");
    RaspPatch patch = {.residual = drop_all};
    RaspTap tap = {0};
    RaspError error;
    (void)state;
    assert_null(rasp_trace(engine, &input, &tap, &error));
    RaspForward *forward = rasp_patch(engine, &input, &patch, NULL, &error);
    if (!forward) fail_msg("%s", error.text);
    rasp_forward_reading(forward, 0, 3);
    rasp_forward_free(forward);
    rasp_engine_free(engine);
    rasp_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed),        cmocka_unit_test(of_a_file),
        cmocka_unit_test(of_another_program), cmocka_unit_test(every_weight),
        cmocka_unit_test(downstream),         cmocka_unit_test(patch_hooks),
        cmocka_unit_test(patch_nothing),      cmocka_unit_test(patch_partial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
