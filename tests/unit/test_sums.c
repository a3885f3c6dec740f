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

/* Sums that are outputs themselves, with too many values to list: far below and far above 0, of one
 * sign, of floats, in steps, of rows of known keys, and on both sides of where pairs are too many.
 */
static const Case outputs[] = {
    {"v = {\"a\": 0, \"b\": -3, \"c\": 70001}[tokens];\n"
     "result = round(average(v) * length);",
     "abc", 3},
    {"v = {\"a\": -99998, \"b\": -3, \"c\": 100001}[tokens];\n" SO_FAR
     "result = round((indices + 1.0) * aggregate(so_far, v));",
     "abc", 4},
    {"v = {\"a\": -7000000.0, \"b\": -6000000, \"c\": -6999999}[tokens];\n"
     "late = select(indices, indices, >=);\n"
     "result = round(aggregate(late, v) * (length - indices));",
     "abc", 4},
    {"v = {\"a\": 0, \"b\": 1}[tokens] * 2 ^ (4 * indices);\n"
     "result = round(average(v) * length);",
     "ab", 5},
    {"v = {\"a\": -1, \"b\": 1}[tokens] * 3 ^ (2 * indices) * 20;\n" SO_FAR
     "result = round(aggregate(so_far, v) * (indices + 1));",
     "ab", 6},
};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

/* What is made of a sum with many values, which are listed for it. */
static const Case made_of[] = {
    {"v = {\"a\": 0, \"b\": -3, \"c\": 30001}[tokens];\n"
     "result = round(average(v) * length) > 40000;",
     "abc", 3},
    {"v = {\"a\": 0, \"b\": -3, \"c\": 30001}[tokens];\n" SO_FAR
     "result = 1 if round(aggregate(so_far, v) * (indices + 1)) == -6 else indices;",
     "abc", 3},
};
enum { MADE_OF = sizeof made_of / sizeof *made_of };

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

static void test_outputs(void **state) {
    (void)state;
    for (size_t k = 0; k < OUTPUTS; k++) {
        CompileFixture f;
        Verdict v;
        open_sum(&f, &outputs[k]);
        assert_true(f.compiled.model->outputs[0]->decode == RT_DECODE_WHOLE);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        if (!judged(&f, &claims.circuit, f.compiled.model, &v))
            fail_msg("%s: %s%s", outputs[k].text, v.refused, v.certificate.broken);
        must_be_right(&f, &v, outputs[k].text, "what was compiled");
        fixture_close(&f);
    }
}

static void test_made_of(void **state) {
    (void)state;
    for (size_t k = 0; k < MADE_OF; k++) {
        CompileFixture f;
        Verdict v;
        open_sum(&f, &made_of[k]);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        if (!judged(&f, &claims.circuit, f.compiled.model, &v))
            fail_msg("%s: %s%s", made_of[k].text, v.refused, v.certificate.broken);
        must_be_right(&f, &v, made_of[k].text, "what was compiled");
        fixture_close(&f);
    }
}

/* --- other decoders -------------------------------------------------------------------- */

/* The claim and the file say so; its values are changed by these. */
typedef struct Decoded {
    const char *what;
    RtDecode decode;
    int64_t least, greatest, from; /* the start */
    bool shown;
} Decoded;

static const Decoded decoders[] = {
    {"as it is", RT_DECODE_WHOLE, 0, 0, 0, true},
    {"from further below to further above", RT_DECODE_WHOLE, -5, 7, 0, true},
    {"from above the least", RT_DECODE_WHOLE, 1, 0, 0, false},
    {"to below the greatest", RT_DECODE_WHOLE, 0, -1, 0, false},
    {"of another dimension", RT_DECODE_WHOLE, 0, 0, -1, false},
    {"as the nearest of two", RT_DECODE_NEAREST, 0, 0, 0, false},
    {"as the larger of two", RT_DECODE_ARGMAX, 0, 0, -1, false},
};

static void test_decoders(void **state) {
    (void)state;
    CompileFixture f;
    open_sum(&f, &outputs[0]);
    Claims k = claims_of(f.compiled.circuit, f.arena);
    CircuitOutput *claim = &k.outputs[0], old = *claim;
    ModelOutput *file = f.compiled.model->outputs[0];
    RtAtom ends[] = {file->values[0], file->values[1]};
    size_t start = file->start;
    for (size_t d = 0; d < sizeof decoders / sizeof *decoders; d++) {
        const Decoded *c = &decoders[d];
        Verdict v;
        *claim = old;
        bool unlike = judged(&f, &k.circuit, f.compiled.model, &v);
        file->decode = c->decode, file->start = start + (size_t)c->from;
        file->values[0] = rt_int(ends[0].u.i + c->least);
        file->values[1] = rt_int(ends[1].u.i + c->greatest);
        const Atom values[] = {atom_int(file->values[0].u.i), atom_int(file->values[1].u.i)};
        const double place[] = {atom_double(values[0]), atom_double(values[1])};
        if (d) unlike = judged(&f, &k.circuit, f.compiled.model, &v);
        if (unlike != (d == 0)) fail_msg("%s, and claimed otherwise", c->what);
        claim->whole = c->decode == RT_DECODE_WHOLE;
        claim->numeric = c->decode != RT_DECODE_ARGMAX;
        claim->form_count = claim->numeric ? 1 : 2;
        claim->values = values, claim->place = place, claim->start = (uint32_t)file->start;
        bool shown = judged(&f, &k.circuit, f.compiled.model, &v);
        if (shown != c->shown) fail_msg("%s: %s", c->what, shown ? "shown" : v.refused);
        if (shown) must_be_right(&f, &v, outputs[0].text, c->what);
        file->decode = RT_DECODE_WHOLE, file->start = start;
        file->values[0] = ends[0], file->values[1] = ends[1];
    }
    fixture_close(&f);
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
    const Case *const changed[] = {&sums[0], &outputs[1]};
    for (size_t k = 0; k < sizeof changed / sizeof *changed; k++) {
        CompileFixture f;
        open_sum(&f, changed[k]);
        Change c = {&f, changed[k], claims_of(f.compiled.circuit, f.arena), 0, 0};
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
        cmocka_unit_test(test_compiled), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_made_of),  cmocka_unit_test(test_decoders),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
