/* Whole sums of means that nobody lists: what is compiled of them, certified and judged, against
 * all inputs.
 *
 * Three values that are far apart make as many sums as a long input would, so that few inputs are
 * all there are. */
#include "tests/unit/judge_fixture.h"

#include "compile/values/sums.h"

#define VALUES "v = {\"a\": 0, \"b\": -3, \"c\": 7001}[tokens];\n"
#define SO_FAR "so_far = select(indices, indices, <=);\n"

static const Case sums[] = {
    {VALUES SO_FAR "result = round(aggregate(so_far, v) * (indices + 1)) > 7000;", "abc", 3},
    {VALUES "result = round(length * average(v)) % 2 == 1;", "abc", 3},
    {VALUES SO_FAR "s = round((indices + 1.0) * aggregate(so_far, v));\n"
                   "result = s >= 0 and s != 7001;",
     "abc", 3},
    {"v = {\"a\": 0.0, \"b\": -0.0, \"c\": 3501}[tokens];\n"
     "w = v * 2 + indices;\n"
     "result = round(average(w) * length) <= 7002;",
     "abc", 3},
    {VALUES "late = select(indices, indices, >=);\n"
            "result = round(aggregate(late, v) * (length - indices)) < 1;",
     "abc", 3},
};
enum { SUMS = sizeof sums / sizeof *sums };

static void open_sum(CompileFixture *f, const Case *c) {
    fixture_open(f, c->text, c->alphabet, c->max_length);
    f->options.way = VALUES_PRODUCTS;
    if (!fixture_compile(f)) fail_msg("%s: %s", c->text, f->error.message);
}

/* Some table's output is known as straight lines. */
static bool has_lines(const Circuit *c) {
    bool found = false;
    for (uint32_t t = 0; t < c->table_count; t++)
        for (uint32_t o = 0; o < c->tables[t].output_count; o++)
            found |= c->tables[t].outputs[o].step != 0;
    return found;
}

static bool certified(CompileFixture *f, double *bound) {
    Certificate certificate;
    bool holds = certificate_check(f->compiled.circuit, f->compiled.ideal, f->compiled.model,
                                   f->arena, &certificate);
    *bound = certificate.error;
    return holds;
}

static void test_compiled(void **state) {
    (void)state;
    for (size_t k = 0; k < SUMS; k++) {
        CompileFixture f;
        Verdict v;
        open_sum(&f, &sums[k]);
        assert_true(has_lines(f.compiled.circuit));
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        if (!judged(&f, &claims.circuit, f.compiled.model, &v))
            fail_msg("%s: %s%s", sums[k].text, v.refused, v.certificate.broken);
        must_be_right(&f, &v, sums[k].text, "what was compiled");
        fixture_close(&f);
    }
}

/* --- changed weights ------------------------------------------------------------------- */

typedef struct Change {
    CompileFixture *f;
    const Case *sum;
    Claims claims;
    size_t held, refused;
} Change;

static const double changes[] = {1 + 0x1p-30, 0.99};

static void try_change(Change *c, double *weight, double to) {
    double was = *weight, bound;
    Verdict v = {.holds = false};
    *weight = to;
    if (*weight != was) {
        Arena *arena = c->f->arena, *scratch = arena_child(arena);
        c->f->arena = scratch;
        bool holds = certified(c->f, &bound);
        bool shown = judged(c->f, &c->claims.circuit, c->f->compiled.model, &v);
        if (shown) must_be_right(c->f, &v, c->sum->text, "a changed weight");
        v.certificate = (Certificate){.error = bound};
        if (holds) must_be_right(c->f, &v, c->sum->text, "a changed weight, certified");
        c->held += holds || shown, c->refused += !holds && !shown;
        c->f->arena = arena;
        arena_free(scratch);
    }
    *weight = was;
}

static void change_tensor(Change *c, Tensor *t) {
    for (size_t k = 0; k < tensor_size(t); k++)
        for (size_t m = 0; t->data[k] != 0 && m < sizeof changes / sizeof *changes; m++)
            try_change(c, &t->data[k], changes[m] * t->data[k]);
}

static void test_changed(void **state) {
    (void)state;
    for (size_t k = 0; k < 1; k++) {
        CompileFixture f;
        open_sum(&f, &sums[k]);
        Change c = {&f, &sums[k], claims_of(f.compiled.circuit, f.arena), 0, 0};
        for (size_t l = 0; l < f.compiled.model->layer_count; l++) {
            ModelLayer *layer = f.compiled.model->layers[l];
            for (size_t h = 0; h < layer->head_count; h++) {
                change_tensor(&c, &layer->heads[h]->value);
                change_tensor(&c, &layer->heads[h]->output);
            }
            for (size_t m = 0; m < layer->mlp_count && m < 1; m++) {
                change_tensor(&c, &layer->mlps[m]->in);
                change_tensor(&c, &layer->mlps[m]->in_bias);
                change_tensor(&c, &layer->mlps[m]->out_bias);
                change_tensor(&c, &layer->mlps[m]->out);
            }
        }
        assert_true(c.held > 0 && c.refused > 0);
        fixture_close(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
