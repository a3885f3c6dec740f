/* The judge of claims on weights that others have changed, and on those of compilers that are
 * wrong.
 *
 * It must let pass what may be done to weights: round them, where they stay right, order them
 * differently, scale dimensions, leave small ones out.  And it must not believe a compiler. */
#include "tests/unit/judge_fixture.h"

/* --- what others do to weights -------------------------------------------------------- */

/* Swaps dimensions a and b, both below the outputs', in weights and claims. */
static void swap_rows(Tensor *t, size_t a, size_t b) {
    for (size_t c = 0; c < t->cols; c++) {
        double x = tensor_get(t, a, c);
        tensor_set(t, a, c, tensor_get(t, b, c));
        tensor_set(t, b, c, x);
    }
}
static void swap_columns(Tensor *t, size_t a, size_t b) {
    for (size_t r = 0; r < t->rows; r++) {
        double x = tensor_get(t, r, a);
        tensor_set(t, r, a, tensor_get(t, r, b));
        tensor_set(t, r, b, x);
    }
}

static void scale_row(Tensor *t, size_t row, double factor) {
    for (size_t c = 0; c < t->cols; c++) tensor_set(t, row, c, factor * tensor_get(t, row, c));
}
static void scale_column(Tensor *t, size_t column, double factor) {
    for (size_t r = 0; r < t->rows; r++)
        tensor_set(t, r, column, factor * tensor_get(t, r, column));
}

/* Calls for each tensor: does it read the stream (rows are dimensions) or write it (columns)? */
typedef void Touch(Tensor *t, bool reads, void *context);
static void each_tensor(Model *m, Touch *touch, void *context) {
    touch(&m->tokens, false, context);
    touch(&m->positions, false, context);
    for (size_t l = 0; l < m->layer_count; l++) {
        for (size_t h = 0; h < m->layers[l]->head_count; h++) {
            ModelHead *head = m->layers[l]->heads[h];
            touch(&head->query, true, context);
            touch(&head->key, true, context);
            touch(&head->value, true, context);
            touch(&head->output, false, context);
        }
        for (size_t k = 0; k < m->layers[l]->mlp_count; k++) {
            ModelMlp *mlp = m->layers[l]->mlps[k];
            touch(&mlp->in, true, context);
            touch(&mlp->out, false, context);
            touch(&mlp->out_bias, false, context);
        }
    }
}

typedef struct Dims {
    uint32_t a, b;
    double factor;
} Dims;

static void touch_swap(Tensor *t, bool reads, void *context) {
    const Dims *d = context;
    (reads ? swap_rows : swap_columns)(t, d->a, d->b);
}
static void touch_scale(Tensor *t, bool reads, void *context) {
    const Dims *d = context;
    if (reads)
        scale_row(t, d->a, 1 / d->factor);
    else
        scale_column(t, d->a, d->factor);
}

static void swap_dim(uint32_t *dim, Dims d) {
    if (*dim == d.a)
        *dim = d.b;
    else if (*dim == d.b)
        *dim = d.a;
}

static void reverse_dimensions(CompileFixture *f, Claims *k) {
    uint32_t last = f->compiled.circuit->outputs[0].start;
    for (uint32_t a = 0; a + 1 < last - a; a++) {
        Dims d = {a, last - 1 - a, 1};
        each_tensor(f->compiled.model, touch_swap, &d);
        for (uint32_t p = 0; p < k->circuit.part_count; p++) swap_dim(&k->parts[p].dim, d);
        for (uint32_t c = 0; c < k->circuit.clear_count; c++) swap_dim(&k->clears[c].dim, d);
        swap_dim(&k->circuit.sink, d);
        swap_dim(&k->circuit.one, d);
    }
}

static bool is_cleared(const Claims *k, uint32_t dim) {
    for (uint32_t c = 0; c < k->circuit.clear_count; c++)
        if (k->clears[c].dim == dim) return true;
    return false;
}

static void scale_dimensions(CompileFixture *f, Claims *k) {
    for (uint32_t d = 0; d < f->compiled.circuit->outputs[0].start; d++) {
        Dims dims = {d, d, d % 2 ? 0.5 : -2};
        if (d == k->circuit.sink || is_cleared(k, d)) continue;
        each_tensor(f->compiled.model, touch_scale, &dims);
    }
}

static void reverse_units(CompileFixture *f, Claims *k) {
    for (uint32_t t = 0; t < k->circuit.table_count; t++) {
        const CircuitTable *table = &k->tables[t];
        ModelMlp *mlp = f->compiled.model->layers[table->layer]->mlps[table->sublayer];
        uint32_t first = table->first_unit, count = table->shape.unit_count;
        for (uint32_t u = 0; u + 1 < count - u; u++) {
            swap_columns(&mlp->in, first + u, first + count - 1 - u);
            swap_columns(&mlp->in_bias, first + u, first + count - 1 - u);
            swap_rows(&mlp->out, first + u, first + count - 1 - u);
        }
    }
}

static void scale_units(CompileFixture *f, Claims *k) {
    for (uint32_t t = 0; t < k->circuit.table_count; t++) {
        const CircuitTable *table = &k->tables[t];
        ModelMlp *mlp = f->compiled.model->layers[table->layer]->mlps[table->sublayer];
        for (uint32_t u = 0; u < table->shape.unit_count; u++) {
            double factor = u % 2 ? 4 : 0.5;
            scale_column(&mlp->in, table->first_unit + u, factor);
            scale_column(&mlp->in_bias, table->first_unit + u, factor);
            scale_row(&mlp->out, table->first_unit + u, 1 / factor);
        }
    }
}

/* Of each layer the first and the last head change places, of each head the columns. */
static void reverse_heads(CompileFixture *f, Claims *k) {
    Model *m = f->compiled.model;
    for (size_t l = 0; l < m->layer_count; l++) {
        ModelLayer *layer = m->layers[l];
        for (size_t h = 0; h < layer->head_count / 2; h++) {
            ModelHead *x = layer->heads[h];
            layer->heads[h] = layer->heads[layer->head_count - 1 - h];
            layer->heads[layer->head_count - 1 - h] = x;
        }
        for (uint32_t h = 0; h < k->circuit.head_count; h++)
            if (k->heads[h].layer == l)
                k->heads[h].index = (uint32_t)layer->head_count - 1 - k->heads[h].index;
        for (size_t h = 0; h < layer->head_count; h++) {
            Tensor *query = &layer->heads[h]->query, *key = &layer->heads[h]->key;
            for (size_t c = 0; c + 1 < query->cols - c; c++) {
                swap_columns(query, c, query->cols - 1 - c);
                swap_columns(key, c, query->cols - 1 - c);
            }
        }
    }
    for (uint32_t h = 0; h < k->circuit.head_count; h++) {
        CircuitHead *head = &k->heads[h];
        CircuitComponent *part = (CircuitComponent *)head->components;
        ModelHead *weights = m->layers[head->layer]->heads[head->index];
        for (uint32_t c = 0; c + 1 < head->component_count - c; c++) {
            uint32_t d = head->component_count - 1 - c;
            CircuitComponent x = part[c];
            part[c] = part[d], part[d] = x;
            swap_columns(&weights->value, c, d);
            swap_rows(&weights->output, c, d);
        }
    }
}

static void scale_heads(CompileFixture *f, Claims *k) {
    (void)k;
    for (size_t l = 0; l < f->compiled.model->layer_count; l++)
        for (size_t h = 0; h < f->compiled.model->layers[l]->head_count; h++) {
            ModelHead *head = f->compiled.model->layers[l]->heads[h];
            for (size_t c = 0; c < head->query.cols; c++) {
                scale_column(&head->query, c, -4);
                scale_column(&head->key, c, -0.25);
            }
            for (size_t c = 0; c < head->value.cols; c++) {
                scale_column(&head->value, c, 8);
                scale_row(&head->output, c, 0.125);
            }
        }
}

/* A head and a unit that write nothing. */
static void add_idle(CompileFixture *f, Claims *k) {
    (void)k;
    ModelLayer *layer = f->compiled.model->layers[f->compiled.model->layer_count - 1];
    ModelHead *head = layer_add_head(layer, 1, 1);
    assert_non_null(head);
    head->sink = false;
    tensor_set(&head->value, 0, 0, 5);
}

static bool drop_small(const char *name, Tensor *t, void *context) {
    (void)name, (void)context;
    for (size_t k = 0; k < tensor_size(t); k++)
        if (fabs(t->data[k]) < 1e-6) t->data[k] = 0;
    return true;
}
static void prune(CompileFixture *f, Claims *k) {
    (void)k;
    model_visit(f->compiled.model, drop_small, NULL);
}

static void test_changes_that_do_no_harm(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*apply)(CompileFixture *f, Claims *k);
    } changes[] = {{"dimensions in reverse", reverse_dimensions},
                   {"dimensions scaled", scale_dimensions},
                   {"units in reverse", reverse_units},
                   {"units scaled", scale_units},
                   {"heads in reverse", reverse_heads},
                   {"heads scaled", scale_heads},
                   {"an idle head", add_idle},
                   {"small weights dropped", prune}};
    for (size_t k = 0; k < CASES; k++)
        for (size_t m = 0; m < sizeof changes / sizeof *changes; m++) {
            CompileFixture f;
            Verdict v;
            open_case(&f, &cases[k]);
            Claims claims = claims_of(f.compiled.circuit, f.arena);
            changes[m].apply(&f, &claims);
            if (!judged(&f, &claims.circuit, f.compiled.model, &v))
                fail_msg("%s: %s: %s%s", cases[k].text, changes[m].name, v.refused,
                         v.certificate.broken);
            must_be_right(&f, &v, cases[k].text, changes[m].name);
            fixture_close(&f);
        }
}

/* --- rounded -------------------------------------------------------------------------- */

static bool round_to(const char *name, Tensor *t, void *context) {
    (void)name;
    int bits = *(const int *)context;
    for (size_t k = 0; k < tensor_size(t); k++) {
        int exponent;
        double significand = frexp(t->data[k], &exponent);
        t->data[k] = ldexp(rint(ldexp(significand, bits)), exponent - bits);
    }
    return true;
}

/* As bfloat16 and float16 do (but for their range, which is not left): what is shown is right;
 * where everything is right it is mostly shown. */
static void test_rounded(void **state) {
    (void)state;
    static const int significand[] = {8, 11};
    size_t right = 0, shown = 0;
    for (size_t k = 0; k < 2 * (size_t)CASES; k++) {
        CompileFixture f;
        Verdict v;
        open_case(&f, &cases[k / 2]);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        model_visit(f.compiled.model, round_to, (void *)&significand[k % 2]);
        bool held = judged(&f, &claims.circuit, f.compiled.model, &v);
        if (held) must_be_right(&f, &v, cases[k / 2].text, "rounded weights");
        CheckReport report = fixture_check(&f, f.compiled.model);
        right += report.runs[0].agreed == report.compared;
        shown += held;
        if (!held)
            print_message("%d bits, %s: %s%s%s\n", significand[k % 2], cases[k / 2].text,
                          report.runs[0].agreed == report.compared ? "right; " : "wrong; ",
                          v.refused, v.certificate.broken);
        fixture_close(&f);
    }
    print_message("%zu of %d right, %zu shown\n", right, 2 * CASES, shown);
    assert_true(shown * 4 >= right * 3);
}

/* --- compilers that are wrong --------------------------------------------------------- */

/* What a compiler makes that takes the program for another one: all of `wrong`, under the claims of
 * `right`. */
typedef struct Planted {
    const char *fault, *right, *wrong, *alphabet;
    uint32_t max_length;
} Planted;

static const Planted planted[] = {
    {"a comparison flipped", "selector_width(select(tokens, tokens, <))",
     "selector_width(select(tokens, tokens, >))", "abc", 4},
    {"a comparison flipped among others",
     "selector_width(select(tokens, tokens, <) and select(indices, indices, <))",
     "selector_width(select(tokens, tokens, <=) and select(indices, indices, <))", "abc", 4},
    {"another neighbour", "aggregate(select(indices, indices - 1, ==), tokens, \"-\")",
     "aggregate(select(indices, indices + 1, ==), tokens, \"-\")", "abc", 4},
    {"a default forgotten", "aggregate(select(tokens, \"a\", ==), indices, -1)",
     "aggregate(select(tokens, \"a\", ==), indices, 0)", "abc", 4},
    {"a default by the wrong code",
     "{\"a\": 1, \"b\": 2, \"c\": 3, \"-\": 0}"
     "[aggregate(select(indices, indices - 1, ==), tokens, \"-\")]",
     "{\"a\": 1, \"b\": 2, \"c\": 3, \"-\": 3}"
     "[aggregate(select(indices, indices - 1, ==), tokens, \"-\")]",
     "abc", 4},
    {"a wrong function of what is moved",
     "{\"a\": 1, \"b\": 2, \"c\": 4}[aggregate(select(indices, length - 1 - indices, ==), tokens)]",
     "{\"a\": 2, \"b\": 1, \"c\": 4}[aggregate(select(indices, length - 1 - indices, ==), tokens)]",
     "abc", 4},
    {"a wrong code in a table", "selector_width(select(tokens, tokens, ==)) == 2",
     "selector_width(select(tokens, tokens, ==)) == 3", "ab", 4},
    {"a bound taken in",
     "aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0.5",
     "aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) >= 0.5", "ab", 4},
    {"the overlap of a union counted twice",
     "selector_width(select(tokens, tokens, ==) or select(indices, indices, <))",
     "selector_width(select(tokens, tokens, ==)) + selector_width(select(indices, indices, <))",
     "ab", 4},
    {"the first position counted twice",
     "round(1 / aggregate(select(tokens_int, tokens_int, <) or select(indices, 0, ==), "
     "indicator(indices == 0)))",
     "selector_width(select(tokens_int, tokens_int, <)) + 1", "012", 4},
    {"a first position that is less, and was to be the greatest",
     "round(1 / aggregate(select(9 if indices == 0 else tokens_int, 9 if indices == 0 else "
     "tokens_int, <) or select(indices, 0, ==), indicator(indices == 0)))",
     "round(1 / aggregate(select(0 if indices == 0 else tokens_int, 0 if indices == 0 else "
     "tokens_int, <) or select(indices, 0, ==), indicator(indices == 0)))",
     "012", 4},
    {"an average for a sum", "aggregate(select(tokens, tokens, ==), indices)",
     "aggregate(select(tokens, tokens, ==), indices + 1)", "ab", 4},
    {"`and` for `or`",
     "has_focus(select(tokens, \"a\", ==)) or has_focus(select(tokens, \"b\", ==))",
     "has_focus(select(tokens, \"a\", ==)) and has_focus(select(tokens, \"b\", ==))", "abc", 3},
    {"ties broken the other way",
     "selector_width(select(tokens_int + indices / 1024, tokens_int + indices / 1024, <))",
     "selector_width(select(tokens_int - indices / 1024, tokens_int - indices / 1024, <))", "012",
     4},
    {"ties that are not broken",
     "selector_width(select(tokens_int + indices / 1024, tokens_int + indices / 1024, >=))",
     "selector_width(select(tokens_int, tokens_int, >=))", "012", 4},
    {"more than a tie-break",
     "selector_width(select(tokens_int + indices / 2, tokens_int + indices / 2, <))",
     "selector_width(select(tokens_int + indices / 1024, tokens_int + indices / 1024, <))", "012",
     4},
    {"ties broken by what is moved last",
     "aggregate(select(selector_width(select(tokens_int - indices / 64, tokens_int - indices / 64, "
     "<)), indices, ==), indices)",
     "aggregate(select(selector_width(select(tokens_int + indices / 64, tokens_int + indices / 64, "
     "<)), indices, ==), indices)",
     "012", 4},
    {"an order of many values that takes in what is equal",
     "has_focus(select(4 * tokens_int + indices, 3 * tokens_int + 2 * indices, <))",
     "has_focus(select(4 * tokens_int + indices, 3 * tokens_int + 2 * indices, <=))", "012", 4},
    {"what else is asked for, beside an order of many values",
     "has_focus(select(4 * tokens_int + indices, 3 * tokens_int, <) and select(tokens, \"1\", ==))",
     "has_focus(select(4 * tokens_int + indices, 3 * tokens_int, <) and select(tokens, \"2\", ==))",
     "012", 4},
    {"the half of a pair",
     "selector_width(select(shift(tokens, 1, \"-\") + tokens, shift(tokens, 1, \"-\") + tokens, "
     "==))",
     "selector_width(select(tokens, tokens, ==))", "abcdefghijk", 3},
    {"branches exchanged", "1 if tokens == \"a\" else 2", "2 if tokens == \"a\" else 1", "ab", 3},
};

/* The claims of one compilation, where they have a place in another's weights. */
static void test_planted_faults(void **state) {
    (void)state;
    size_t alike = 0;
    for (size_t k = 0; k < sizeof planted / sizeof *planted; k++) {
        const Planted *p = &planted[k];
        CompileFixture f;
        Compiled wrong;
        Verdict v;
        char text[600];
        snprintf(text, sizeof text, "other = %s;\nresult = %s;", p->wrong, p->right);
        fixture_open(&f, text, p->alphabet, p->max_length);
        if (!fixture_compile(&f)) fail_msg("%s: %s", text, f.error.message);
        Value value;
        assert_true(session_lookup(f.session, "other", &value));
        CompileOutput output = {"result", value.object->node};
        assert_true(compile_graph(session_graph(f.session), &output, 1, &f.options, f.arena, &wrong,
                                  &f.error));
        CheckReport report = fixture_check(&f, wrong.model);
        assert_true(report.runs[0].agreed < report.compared); /* it is a fault */
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        assert_true(judged(&f, &claims.circuit, f.compiled.model, &v));
        if (judged(&f, &claims.circuit, wrong.model, &v)) fail_msg("%s: let pass", p->fault);
        alike += v.node != NODE_NONE || v.certificate.broken[0];
        /* What it is believed to compute is claimed of the output alone. */
        Claims own = claims_of(wrong.circuit, f.arena);
        own.outputs[0].node = f.output.node;
        if (judged(&f, &own.circuit, wrong.model, &v)) fail_msg("%s: let pass so", p->fault);
        compiled_clear(&wrong);
        model_free(wrong.model);
        fixture_close(&f);
    }
    assert_true(alike * 2 > sizeof planted / sizeof *planted); /* seen in weights, not in shapes */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes_that_do_no_harm),
        cmocka_unit_test(test_rounded),
        cmocka_unit_test(test_planted_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
