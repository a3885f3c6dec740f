/* The certificate and the forward pass must have the same tiles in mind: built with another width
 * of tiles, the bound is another.  Its arithmetic of grains and roundings is seen here too. */
#define RT_WIDE_KEYS           4
#define certificate_check      narrow_certificate_check
#define certificate_decide     narrow_certificate_decide
#define certificate_slack      narrow_certificate_slack
#define certificate_weights    narrow_certificate_weights
#define certificate_reach      narrow_certificate_reach
#define certificate_reading    narrow_certificate_reading
#define certificate_share      narrow_certificate_share
#define read_error             narrow_read_error
#define certificate_note_reach narrow_certificate_note_reach
#include "compile/prove/certificate.c"
#include "compile/prove/certificate_kernel.c"
#include "compile/prove/certificate_reading.c"
#undef certificate_check

#include "base/random.h"
#include "tests/unit/compile_fixture.h"

bool certificate_check(const Circuit *circuit, const Model *ideal, const Model *model, Arena *arena,
                       Certificate *certificate);

static void test_bound_follows_the_tiles(void **state) {
    (void)state;
    CompileFixture f;
    fixture_open(&f,
                 "y = aggregate(select(indices, indices, <=), indicator(tokens == \"a\")) > 0.5;",
                 "ab", 12);
    f.options.dtype = COMPILE_F64;
    assert_true(fixture_compile(&f));
    const Compiled *c = &f.compiled;
    Certificate wide, narrow;
    assert_true(certificate_check(c->circuit, c->ideal, c->model, f.arena, &wide));
    assert_true(narrow_certificate_check(c->circuit, c->ideal, c->model, f.arena, &narrow));
    assert_true(wide.tightest == c->certificate->tightest);
    assert_true(narrow.tightest > wide.tightest);
    assert_true(narrow.error >= wide.error);
    fixture_close(&f);
}

/* Three tiles more, one exp of 2 ulp each: 4 units of rounding. */
static void test_weight_error(void **state) {
    (void)state;
    assert_true(rt_weight_units(3) == 12);
    assert_true(rt_weight_units(12) - rt_weight_units(3) == 12);
}

/* The largest power of two that divides a number, by trying; below 2^-60 none is worth keeping. */
static void test_grains(void **state) {
    (void)state;
    static const double numbers[] = {1,    3,    -1,    6,       0.5,     -0.75,       0.1,
                                     1e-3, 1e10, 1e300, 0x1p-60, 0x1p-61, 3 * 0x1p-62, 1 + 0x1p-40};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        double grain = 0x1p1000;
        while (grain >= 0x1p-60 && fmod(numbers[k], grain) != 0) grain /= 2;
        assert_true(grain_of(numbers[k]) == (grain >= 0x1p-60 ? grain : 0));
    }
    assert_true(grain_of(0) == INFINITY && grain_of(-0.0) == INFINITY);
}

/* A sum of products rounds unless all of it is whole grains that the significand can count: each
 * product, and each addition, the one to what is there included. */
static void test_rounding_of_sums(void **state) {
    (void)state;
    Checker k = {.unit = 0x1p-24, .significand = 0x1p24};
    assert_true(sum_rounding(&k, 0, 0, 9) == 0);
    assert_true(sum_rounding(&k, 1e9, INFINITY, 9) == 0); /* of zeros alone */
    assert_true(sum_rounding(&k, 0x1p24, 1, 9) == 0);
    assert_true(sum_rounding(&k, 0x1p14, 0x1p-10, 9) == 0);
    for (int n = 0; n < 100; n++) {
        /* what comes first goes through n + 1 roundings; a few more are charged */
        double least = expm1((n + 1) * log1p(0x1p-24));
        double size[] = {0x1p24 + 2, 5, 0x1p14 + 1}, grain[] = {1, 0, 0x1p-10};
        for (int c = 0; c < 3; c++) {
            double bound = sum_rounding(&k, size[c], grain[c], n);
            assert_true(bound >= size[c] * least && bound <= size[c] * (least + 0x1p-22));
        }
    }
}

/* How far below another a key has weight 0, by trying: weights are ((s - max)/p - t)^p where that
 * base is positive, and add up to 1; p is 1 for sparsemax, 2 for entmax15. */
static void test_reach_of_sparse_kernels(void **state) {
    (void)state;
    static const RtRule rules[] = {RT_SPARSEMAX, RT_ENTMAX15};
    for (int p = 1; p <= 2; p++) {
        double gap = 0; /* with t where the lower key's base is 0, the other has too little */
        while (pow(gap / p, p) < 1) gap += 1.0 / 64;
        assert_true(certificate_reach(rules[p - 1]) == gap);
    }
    assert_true(certificate_reach(RT_SOFTMAX) == 0);
}

/* --- linear maps -------------------------------------------------------------------------------
 */

enum { MOST_DIMS = 4 };

static double some(Random *random, int most) {
    return (double)random_below(random, 2 * (uint64_t)most + 1) - most;
}

/* Two of a number's 24 bits, or all; and what is near to it in floats. */
static float some_weight(Random *random) {
    float sign = random_below(random, 2) ? 1 : -1;
    if (random_below(random, 2)) return sign * (float)(1 + random_below(random, 3)) / 2;
    return sign * ldexpf((float)(0x800000 + random_below(random, 0x800000)), -23);
}

/* A product of a row of floats and a column: weights that are not what they should be, numbers that
 * are off by as much as they may, floats added one after another. */
static void check_column(Random *random, Tensor *ideal, Tensor *actual, size_t *exact) {
    Checker k = {.unit = 0x1p-24, .significand = 0x1p24, .largest = INFINITY, .width = MOST_DIMS};
    Certificate certificate = {.holds = true};
    Bound h[MOST_DIMS];
    bool changed = random_below(random, 3) == 0, strays = random_below(random, 2);
    k.c = &certificate;
    for (uint32_t d = 0; d < MOST_DIMS; d++) {
        float w = random_below(random, 3) ? some_weight(random) : 0;
        tensor_set(ideal, d, 0, (double)w);
        tensor_set(actual, d, 0, changed ? (double)nextafterf(w, 9) : (double)w);
        h[d] = (Bound){.size = random_below(random, 4) ? 0x1p16 : 1,
                       .error = strays ? 0x1p-6 : 0,
                       .grain = 0x1p-4};
        if (random_below(random, 4) == 0) h[d].error = 0;
    }
    Bound bound = column_bound(&k, h, ideal, actual, 0);
    *exact += bound.error == 0;
    for (int round = 0; round < 40; round++) {
        double meant = 0;
        float found = 0;
        for (uint32_t d = 0; d < MOST_DIMS; d++) {
            double x = h[d].grain * some(random, (int)(h[d].size / h[d].grain));
            double w = tensor_get(ideal, d, 0), a = tensor_get(actual, d, 0);
            meant += w * x; /* exact: less than 53 bits */
            found += (float)a * (float)(x + (random_below(random, 2) ? 1 : -1) * h[d].error);
        }
        assert_true(fabs(meant) <= bound.size);
        assert_true(fabs((double)found - meant) <= bound.error);
        assert_true(bound.grain == 0 || bound.grain == INFINITY || fmod(meant, bound.grain) == 0);
    }
}

static void test_columns(void **state) {
    (void)state;
    Random random = {4};
    Tensor ideal = tensor_new(MOST_DIMS, 1), actual = tensor_new(MOST_DIMS, 1);
    size_t exact = 0;
    assert_true(ideal.data && actual.data);
    for (int round = 0; round < 3000; round++) check_column(&random, &ideal, &actual, &exact);
    assert_true(exact > 100);
    tensor_free(&ideal);
    tensor_free(&actual);
}

enum { MOST_WRITERS = 2 };

static const Bound stream[] = {{.grain = INFINITY},
                               {.size = 1, .grain = 0x1p-4},
                               {.size = 0x1p16, .grain = 0x1p-4},
                               {.size = 0x1p13, .error = 0x1.4p-8, .grain = 0x1p-4}};

/* What heads write into one dimension: their products, added, and added to what is there, if
 * anything is. */
static void check_spread(Random *random, Tensor *ideal, Tensor *actual, size_t *exact) {
    Checker k = {.unit = 0x1p-24, .significand = 0x1p24, .width = 1};
    Bound before = stream[random_below(random, 4)], after = before, in[MOST_WRITERS];
    size_t writers = 1 + random_below(random, MOST_WRITERS);
    for (size_t m = 0; m < writers; m++) {
        float w = random_below(random, 2) ? 1 : some_weight(random);
        bool changed = random_below(random, 3) == 0;
        in[m] = stream[1 + random_below(random, 3)];
        tensor_set(ideal, m, 0, (double)w);
        tensor_set(actual, m, 0, changed ? (double)nextafterf(w, 9) : (double)w);
        spread(&k, &after, in[m], ideal, actual, m);
    }
    *exact += after.error == 0;
    for (int round = 0; round < 40; round++) {
        double way = random_below(random, 2) ? 1 : -1; /* all errors at their worst */
        double meant = some(random, (int)(before.size * 16)) / 16;
        float found = (float)(meant + way * before.error), sum = 0;
        for (size_t m = 0; m < writers; m++) {
            double y = some(random, (int)(in[m].size * 16)) / 16, w = tensor_get(ideal, m, 0);
            meant += w * y;
            sum += (float)tensor_get(actual, m, 0) * (float)(y + copysign(in[m].error, way * w));
        }
        found += sum;
        assert_true(fabs(meant) <= after.size);
        assert_true(fabs((double)found - meant) <= after.error);
        assert_true(after.grain == 0 || after.grain == INFINITY || fmod(meant, after.grain) == 0);
    }
}

static void test_spread(void **state) {
    (void)state;
    Random random = {9};
    Tensor ideal = tensor_new(MOST_WRITERS, 1), actual = tensor_new(MOST_WRITERS, 1);
    size_t exact = 0;
    assert_true(ideal.data && actual.data);
    for (int round = 0; round < 3000; round++) check_spread(&random, &ideal, &actual, &exact);
    assert_true(exact > 100);
    tensor_free(&ideal);
    tensor_free(&actual);
}

/* A bias is added to every row, and to row 0, which nobody else rounds. */
static void check_bias_of(Random *random, ModelMlp *ideal, ModelMlp *actual, size_t *exact) {
    Certificate certificate = {.holds = true};
    double value = random_below(random, 4) ? 3.5 : 0.1f, nominal = value;
    bool strays = random_below(random, 2), changed = random_below(random, 3) == 0;
    Bound row0 = {.size = value, .error = strays ? 0x1p-9 : 0, .grain = value == 3.5 ? 0.5 : 0};
    Bound after = {.size = 5, .error = 0.25};
    Checker k = {
        .unit = 0x1p-24, .significand = 0x1p24, .width = 1, .row0 = &row0, .value0 = &nominal};
    float w = random_below(random, 4) ? some_weight(random) : 0, a = w;
    k.c = &certificate;
    if (changed) a = w != 0 ? nextafterf(w, 9) : 0x1p-12f + 0x3p-29f;
    tensor_set(&ideal->out_bias, 0, 0, (double)w);
    tensor_set(&actual->out_bias, 0, 0, (double)a);
    float low = (float)(value - row0.error) + a, high = (float)(value + row0.error) + a;
    check_bias(&k, ideal, actual, &after);
    assert_true(nominal == value + (double)w && fabs(nominal) <= row0.size);
    assert_true(fabs((double)low - nominal) <= row0.error);
    assert_true(fabs((double)high - nominal) <= row0.error);
    assert_true(row0.error <= 2 * 0x1p-9 + 2 * fabs((double)(a - w)) + 0x1p-19);
    assert_true(row0.grain == 0 || fmod(nominal, row0.grain) == 0);
    assert_true(after.error == 0.25 + fabs((double)(a - w)) && after.size == 5);
    if (w == 0 && a == 0) assert_true(row0.error == (strays ? 0x1p-9 : 0));
    *exact += w != 0 && row0.error == 0;
}

static void test_biases(void **state) {
    (void)state;
    Random random = {8};
    ModelMlp ideal = {.out_bias = tensor_new(1, 1)}, actual = {.out_bias = tensor_new(1, 1)};
    size_t exact = 0;
    assert_true(ideal.out_bias.data && actual.out_bias.data);
    for (int round = 0; round < 3000; round++) check_bias_of(&random, &ideal, &actual, &exact);
    assert_true(exact > 100);
    tensor_free(&ideal.out_bias);
    tensor_free(&actual.out_bias);
}

/* --- tables ------------------------------------------------------------------------------------
 */

enum { MOST_UNITS = 6, MOST_POINTS = 5 };

/* One output of a table of whole numbers, read at whole numbers, and meant to be something near to
 * what it is there; errors of what is read and of each unit. */
typedef struct SomeOutput {
    TableUnit unit[MOST_UNITS];
    double base, factor[MOST_UNITS];
    UnitBound bound[MOST_UNITS];
    double x[MOST_POINTS], value[MOST_POINTS], x_error;
    TableOutput output;
    CircuitTable table;
} SomeOutput;

static void some_output(SomeOutput *s, Random *random) {
    *s = (SomeOutput){.base = some(random, 9), .x_error = fabs(some(random, 3))};
    uint32_t units = (uint32_t)random_below(random, MOST_UNITS + 1);
    for (uint32_t u = 0; u < units; u++) {
        s->unit[u] = (TableUnit){some(random, 1) + 3 * u, random_below(random, 2) ? 1 : -1};
        s->factor[u] = some(random, 9);
        s->bound[u] = (UnitBound){.noise = fabs(some(random, 9)) / 1024, .size = 64};
    }
    s->table.shape =
        (TableShape){.units = s->unit, .unit_count = units, .base = &s->base, .factor = s->factor};
    s->table.output_count = 1;
    s->output.points = 1 + (uint32_t)random_below(random, MOST_POINTS);
    for (uint32_t p = 0; p < s->output.points; p++) {
        s->x[p] = 4 * p + 0.5;
        s->value[p] = table_value(&s->table, 0, s->x[p]) + some(random, 1) / 64;
    }
    s->output.x = s->x, s->output.value = s->value;
    s->table.outputs = &s->output;
}

/* The most that the output is wrong for x near to a point, unit by unit at its worst; the bound is
 * that, or what the steepest slope there would make of it. */
static void test_outputs_of_tables(void **state) {
    (void)state;
    Budget budget;
    budget_init(&budget, 0);
    Checker k = {.unit = 0x1p-53, .significand = 0x1p53, .arena = arena_new(&budget)};
    Random random = {3};
    for (int round = 0; round < 5000; round++) {
        SomeOutput s;
        some_output(&s, &random);
        double worst = 0, steepest = 0, noise = 0, reach;
        for (uint32_t u = 0; u < s.table.shape.unit_count; u++)
            noise += fabs(s.factor[u]) * s.bound[u].noise;
        for (uint32_t p = 0; p < s.output.points; p++) {
            double off = fabs(table_value(&s.table, 0, s.x[p]) - s.value[p]), slope = 0;
            for (double d = -s.x_error; d <= s.x_error; d += 0.25) {
                double found = table_value(&s.table, 0, s.x[p] + d);
                worst = fmax(worst, fabs(found - s.value[p]));
                if (d + 0.25 <= s.x_error)
                    slope =
                        fmax(slope, 4 * fabs(table_value(&s.table, 0, s.x[p] + d + 0.25) - found));
            }
            steepest = fmax(steepest, slope * s.x_error + off);
        }
        Units units = {.unit = s.bound};
        ReadBound read = {.error = s.x_error, .share = INFINITY};
        Bound bound = output_bound(&k, &s.table, 0, &read, &units, &reach);
        assert_true(bound.error >= worst + noise);
        assert_true(bound.error <= steepest + noise + 1e-9);
    }
    arena_free(k.arena);
}

/* A counting head's row: the sink, w keys and some that are not selected, scores as far off as they
 * may be, one way or the other, and values too.  What it gives is 1/(1+w) but for the share. */
static void test_shares(void **state) {
    (void)state;
    Circuit circuit = {.options = {.kernel = RT_SOFTMAX}};
    Random random = {12};
    double tightest = 0;
    for (int round = 0; round < 5000; round++) {
        Checker k = {.unit = 0x1p-53,
                     .circuit = &circuit,
                     .longest = 1 + (uint32_t)random_below(&random, 300)};
        double e = ldexp(1, -(int)random_below(&random, 40) - 4);
        double gap = (double)random_below(&random, 64);
        Bound out = {.size = 1}, key = {.error = fabs(some(&random, 9)) * 0x1p-20};
        Bound sink = {.size = 1, .error = fabs(some(&random, 9)) * 0x1p-20};
        ScoreBound score = certificate_weights(&k, e, gap);
        certificate_share(&k, &out, score.ratio, &key, &sink, 1, 0);
        if (!out.shared) continue;
        double w = (double)random_below(&random, k.longest + 1), others = k.longest - w;
        for (int way = -1; way <= 1; way += 2) {
            double of_sink = exp(-way * e), of_keys = exp(way * e), leaks = way > 0;
            double of_others = leaks * exp(e - gap), sum = of_sink + w * of_keys;
            sum += others * of_others;
            double value = of_sink * (1 - way * sink.error) / sum;
            value -= way * key.error * (1 - of_sink / sum);
            double off = fabs(value - 1 / (1 + w)), bound = out.share / (1 + w) + out.floor;
            assert_true(off <= bound);
            tightest = fmax(tightest, off / bound);
        }
    }
    assert_true(tightest > 0.5);
}

/* The share is lost where anything else comes into the dimension. */
static void test_shares_alone(void **state) {
    (void)state;
    Tensor one = tensor_new(1, 1);
    Checker k = {.unit = 0x1p-53, .significand = 0x1p53, .width = 1};
    Bound in = {.size = 1, .error = 0x1p-40, .shared = true, .share = 0x1p-40}, row = {0};
    assert_true(one.data);
    tensor_set(&one, 0, 0, 1);
    spread(&k, &row, in, &one, &one, 0);
    CircuitPart part = {0};
    CircuitTable table = {.form = {.terms = &(FormTerm){0, 1, 0}, .count = 1}};
    Circuit circuit = {.parts = &part, .part_count = 1};
    k.circuit = &circuit, k.row = &row;
    ReadBound read = certificate_reading(&k, &table);
    assert_true(read_error(&read, 1.0 / 256) < 0x1p-47);
    row.error += 0x1p-50;
    read = certificate_reading(&k, &table);
    assert_true(read_error(&read, 1.0 / 256) == row.error);
    row = (Bound){0};
    spread(&k, &row, in, &one, &one, 0);
    spread(&k, &row, in, &one, &one, 0);
    read = certificate_reading(&k, &table);
    assert_true(read_error(&read, 1.0 / 256) >= 0x1p-40);
    tensor_free(&one);
}

/* A table of whole numbers in one dimension that is whole grains, finer than them: what floats make
 * of it, unit by unit, at each point.  Nothing is counted only where nothing is rounded. */
static void test_grains_of_units(void **state) {
    (void)state;
    Budget budget;
    budget_init(&budget, 0);
    Arena *arena = arena_new(&budget);
    Random random = {5};
    size_t exact = 0, rounded = 0;
    ModelMlp mlp = {.in = tensor_new(1, MOST_UNITS),
                    .in_bias = tensor_new(1, MOST_UNITS),
                    .out = tensor_new(MOST_UNITS, 1),
                    .out_bias = tensor_new(1, 1)};
    assert_true(mlp.in.data && mlp.in_bias.data && mlp.out.data);
    for (int round = 0; round < 5000; round++) {
        SomeOutput s;
        some_output(&s, &random);
        double grain = ldexp(1, -(int)random_below(&random, 24)), reach;
        Bound row = {.size = 64, .grain = grain};
        CircuitPart part = {.dim = 0};
        FormTerm term = {.part = 0, .factor = 1};
        Circuit circuit = {.parts = &part, .part_count = 1};
        Certificate certificate = {.holds = false};
        Checker k = {.circuit = &circuit,
                     .arena = arena,
                     .c = &certificate,
                     .unit = 0x1p-24,
                     .significand = 0x1p24,
                     .largest = 0x1p100,
                     .width = 1,
                     .row = &row};
        s.table.form = (Form){.terms = &term, .count = 1};
        for (uint32_t p = 0; p < s.output.points; p++) {
            s.x[p] = (float)(8 * p + grain * (double)random_below(&random, (uint64_t)(4 / grain)));
            s.value[p] = table_value(&s.table, 0, s.x[p]);
        }
        for (uint32_t u = 0; u < s.table.shape.unit_count; u++) {
            tensor_set(&mlp.in, 0, u, s.unit[u].sign);
            tensor_set(&mlp.in_bias, 0, u, -s.unit[u].sign * s.unit[u].at);
        }
        Units units = certificate_units(&k, &s.table, 0, &mlp, &mlp);
        ReadBound read = {.share = INFINITY};
        Bound bound = output_bound(&k, &s.table, 0, &read, &units, &reach);
        for (uint32_t p = 0; p < s.output.points; p++) {
            float sum = (float)s.base, x = (float)s.x[p];
            for (uint32_t u = 0; u < s.table.shape.unit_count; u++) {
                float a = (float)s.unit[u].sign * x + (float)(-s.unit[u].sign * s.unit[u].at);
                if (a > 0) sum += (float)s.factor[u] * a;
            }
            assert_true(fabs((double)sum - s.value[p]) <= bound.error);
            rounded += (double)sum != s.value[p];
        }
        exact += bound.error == 0 && s.table.shape.unit_count > 0;
    }
    assert_true(exact > 100 && rounded > 100);
    tensor_free(&mlp.in);
    tensor_free(&mlp.in_bias);
    tensor_free(&mlp.out);
    tensor_free(&mlp.out_bias);
    arena_free(arena);
}

/* Products added one by one, as floats, to what a dimension holds, which has no error of its own;
 * some of them whole grains. */
static void test_sums_into_the_stream(void **state) {
    (void)state;
    enum { UNITS = 40 };
    Random random = {7};
    size_t exact = 0, rounded = 0;
    ModelMlp mlp = {.out = tensor_new(UNITS, 1), .out_bias = tensor_new(1, 1)};
    assert_true(mlp.out.data && mlp.out_bias.data);
    for (int round = 0; round < 20000; round++) {
        UnitBound hidden[UNITS];
        double grain = ldexp(1, -(int)random_below(&random, 20)), unrounded;
        bool whole = random_below(&random, 2) == 0;
        float h = (float)(grain * (double)random_below(&random, 1u << random_below(&random, 24)));
        float sum = h, fused = h;
        unrounded = h;
        for (size_t u = 0; u < UNITS; u++) {
            double most = 1 << random_below(&random, 12);
            float a = (float)(grain * floor((double)random_below(&random, 1000) * most));
            float w = (float)some(&random, 8);
            if (!whole) a /= 3, w /= 7;
            tensor_set(&mlp.out, u, 0, w);
            hidden[u] = (UnitBound){.noise = whole ? 0 : 1e-30, .size = a, .grain = grain};
            unrounded += (double)w * a; /* of 48 bits: hardly rounded */
            sum += w * a;
            fused = fmaf(w, a, fused);
        }
        uint32_t writers = 2;
        Bound row = {.size = h, .grain = grain_of(h)}, after = {0};
        Checker k = {.unit = 0x1p-24,
                     .significand = 0x1p24,
                     .width = 1,
                     .row = &row,
                     .hidden = hidden,
                     .writers = &writers};
        certificate_add_up(&k, &mlp, &after);
        assert_true(fabs((double)sum - unrounded) <= after.error + fabs(unrounded) * 1e-14);
        assert_true(fabs((double)fused - unrounded) <= after.error + fabs(unrounded) * 1e-14);
        exact += after.error == 0;
        rounded += (double)sum != unrounded;
    }
    assert_true(exact > 100 && rounded > 1000);
    tensor_free(&mlp.out);
    tensor_free(&mlp.out_bias);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bound_follows_the_tiles),
                                       cmocka_unit_test(test_weight_error),
                                       cmocka_unit_test(test_grains),
                                       cmocka_unit_test(test_rounding_of_sums),
                                       cmocka_unit_test(test_reach_of_sparse_kernels),
                                       cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_spread),
                                       cmocka_unit_test(test_biases),
                                       cmocka_unit_test(test_outputs_of_tables),
                                       cmocka_unit_test(test_shares),
                                       cmocka_unit_test(test_shares_alone),
                                       cmocka_unit_test(test_grains_of_units),
                                       cmocka_unit_test(test_sums_into_the_stream)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
