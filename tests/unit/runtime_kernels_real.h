/* Template: the checks of test_runtime_kernels.c in one real type. */
#include "runtime/real.h"

#if REAL_BITS == 32
#define EPSILON  0x1p-23
#define SMALLEST 0x1p-149
#else
#define EPSILON  0x1p-52
#define SMALLEST 0x1p-1074
#endif

/* What the array holds after its end is NaN: a kernel that lets it through is found out. */
static Real *REAL(numbers)(Random *random, size_t n) {
    Real *x = aligned_alloc(64, (n + GUARD) * sizeof *x / 64 * 64 + 64);
    for (size_t i = 0; i < n; i++) x[i] = (Real)random_unit(random);
    for (size_t i = n; i < n + GUARD; i++) x[i] = (Real)NAN;
    return x;
}

/* The distance between two results in units of the last place of the exact one. */
static long double REAL(ulps)(Real found, long double exact) {
    int exponent;
    frexpl(exact, &exponent); /* exact = m · 2^exponent, ½ ≤ m < 1 */
    long double ulp = ldexpl((long double)EPSILON, exponent - 1);
    if (ulp < (long double)SMALLEST) ulp = (long double)SMALLEST;
    return fabsl((long double)found - exact) / ulp;
}

/* Below 2 ulp down to the smallest normal number, then 0: a walk over all orders of magnitude. */
static void REAL(check_exp)(const REAL(Kernels) * kernels) {
    long double worst = 0;
    Real least = REAL(exp_least), x[66 + GUARD];
    Random random = {11};
    for (size_t round = 0; round < 20000; round++) {
        size_t n = 1 + random_below(&random, 66);
        Real top = (Real)random_unit(&random) * 8, copy[66];
        for (size_t i = 0; i < n; i++) {
            Real size = (Real)ldexp(1.0, -(int)random_below(&random, REAL_BITS == 32 ? 24 : 50));
            x[i] = top + least * (Real)1.01 * size * (Real)fabs(random_unit(&random));
            if (random_below(&random, 20) == 0) x[i] = top;
            if (x[i] > top) x[i] = top;
            copy[i] = x[i] - top; /* as the kernel computes it */
        }
        Real sum = kernels->exp_row(x, n, top);
        long double total = 0;
        for (size_t i = 0; i < n; i++) {
            if (copy[i] >= least)
                worst = fmaxl(worst, REAL(ulps)(x[i], expl((long double)copy[i])));
            else
                assert_true(x[i] == 0);
            if (copy[i] == 0) assert_true(x[i] == 1);
            total += (long double)x[i];
        }
        assert_true(fabsl((long double)sum - total) <= 4 * (long double)EPSILON * total);
    }
    print_message("exp, %d bits: worst error %.3Lf ulp\n", REAL_BITS, worst);
    assert_true(worst < 2);
    Real special[GUARD] = {-(Real)INFINITY, (Real)NAN, -1e30f, 0};
    kernels->exp_row(special, 4, 0);
    assert_true(special[0] == 0 && isnan(special[1]) && special[2] == 0 && special[3] == 1);
}

static void REAL(check_max)(const REAL(Kernels) * kernels) {
    Random random = {12};
    assert_true(kernels->max_row(NULL, 0) == -(Real)INFINITY);
    for (size_t n = 1; n < 150; n++) {
        Real *x = REAL(numbers)(&random, n);
        if (n > 3) x[random_below(&random, n - 1)] = -(Real)INFINITY;
        Real expected = -(Real)INFINITY;
        for (size_t i = 0; i < n; i++) {
            if (x[i] > expected) expected = x[i];
        }
        assert_true(kernels->max_row(x, n) == expected);
        x[random_below(&random, n)] = (Real)NAN;
        assert_true(isnan(kernels->max_row(x, n)));
        free(x);
    }
}

static void REAL(check_near)(Real found, long double expected, size_t terms) {
    long double allowed = 4 * (long double)(terms + 1) * (long double)EPSILON;
    if (!(fabsl((long double)found - expected) <= allowed))
        fail_msg("expected %.17Lg, found %.17g", expected, (double)found);
}

static void REAL(check_scores)(const REAL(Kernels) * kernels) {
    Random random = {13};
    for (size_t round = 0; round < 300; round++) {
        size_t rows = 1 + random_below(&random, 9), n = 1 + random_below(&random, 130);
        size_t d = 1 + random_below(&random, 20), ldk = n + random_below(&random, 5),
               ldq = rows + 1;
        size_t lds = (n + GUARD) / GUARD * GUARD;
        Real *q = REAL(numbers)(&random, d * ldq), *k = REAL(numbers)(&random, d * ldk);
        Real *s = REAL(numbers)(&random, rows * lds);
        kernels->scores(q, ldq, rows, k, ldk, n, d, (Real)1.5, s, lds);
        for (size_t r = 0; r < rows; r++) {
            for (size_t j = 0; j < n; j++) {
                long double sum = 0;
                for (size_t i = 0; i < d; i++)
                    sum += (long double)q[i * ldq + r] * (long double)k[i * ldk + j];
                REAL(check_near)(s[r * lds + j], 1.5L * sum, d);
            }
        }
        free(q), free(k), free(s);
    }
}

static void REAL(check_mix)(const REAL(Kernels) * kernels) {
    Random random = {14};
    for (size_t round = 0; round < 300; round++) {
        size_t rows = 1 + random_below(&random, 9), n = 1 + random_below(&random, 130);
        size_t c = 1 + random_below(&random, 7);
        /* Rows end where they end: the next one, or NaN, follows at once. */
        Real *a = REAL(numbers)(&random, rows * n), *v = REAL(numbers)(&random, c * n);
        Real *z = REAL(numbers)(&random, rows * c), *before = REAL(numbers)(&random, rows * c);
        memcpy(before, z, rows * c * sizeof *z);
        kernels->mix(a, n, rows, v, n, n, c, z, c);
        for (size_t r = 0; r < rows; r++) {
            for (size_t i = 0; i < c; i++) {
                long double sum = (long double)before[r * c + i];
                for (size_t j = 0; j < n; j++)
                    sum += (long double)a[r * n + j] * (long double)v[i * n + j];
                REAL(check_near)(z[r * c + i], sum, n);
            }
        }
        free(a), free(v), free(z), free(before);
    }
}

/* What lane `lane` of one query reads, feature i, from the definition. */
static long double REAL(abreast_lane)(const REAL(Abreast) * at, size_t lanes, size_t lane,
                                      size_t i) {
    long double sum = 0, mixed = 0, top = -INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t p = 0; p < at->end; p++) {
            if (p == 0 ? !at->sink : p < at->from) continue;
            long double score = 0;
            for (size_t f = 0; f < at->d; f++)
                score += (long double)at->q[f * at->ldq + lane] *
                         (long double)at->k[(p * at->d + f) * lanes + lane];
            score = score * (long double)at->factor + (at->bias && p ? at->bias[-(ptrdiff_t)p] : 0);
            if (pass == 0) top = score > top ? score : top;
            if (pass == 0) continue;
            sum += expl(score - top);
            mixed += expl(score - top) * (long double)at->v[(p * at->c + i) * lanes + lane];
        }
    return mixed / sum;
}

static void REAL(check_abreast)(const REAL(Kernels) * kernels) {
    Random random = {16};
    size_t lanes = kernels->lanes;
    for (size_t round = 0; round < 200; round++) {
        size_t keys = 2 + random_below(&random, 40), d = 1 + random_below(&random, 6);
        size_t c = 1 + random_below(&random, 4), from = 1 + random_below(&random, keys - 1);
        Real *q = REAL(numbers)(&random, d * lanes), *k = REAL(numbers)(&random, keys * d * lanes);
        Real *v = REAL(numbers)(&random, keys * c * lanes), *bias = REAL(numbers)(&random, keys);
        Real *s = REAL(numbers)(&random, keys * lanes), *out = REAL(numbers)(&random, c * lanes);
        uint32_t *kept = calloc(keys, sizeof *kept);
        REAL(Abreast)
        at = {q, lanes, k, v, d, c, round % 3 > 0, from,
              from + 1 + random_below(&random, keys - from),
              /* a large factor: most weights are exactly 0 */
              round % 2 ? 1 : 300, round % 5 ? NULL : bias + keys, s, kept, out, lanes};
        kernels->abreast(&at);
        for (size_t lane = 0; lane < lanes; lane++)
            for (size_t i = 0; i < c; i++) REAL(check_near)
        (out[i * lanes + lane], REAL(abreast_lane)(&at, lanes, lane, i), 300 * keys);
        free(q), free(k), free(v), free(bias), free(s), free(out), free(kept);
    }
}

/* What lane `lane` of a strip reads of `keys` keys, feature i, from the definition; NaN: it sees
 * none. */
static long double REAL(strip_lane)(const REAL(Strip) * at, size_t lanes, size_t keys, size_t lane,
                                    size_t i) {
    long double sum = 0, mixed = 0, top = -INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (size_t p = 0; p < keys; p++) {
            ptrdiff_t apart = (ptrdiff_t)(at->first + lane) - (ptrdiff_t)p;
            if (p && (apart < at->least || apart > at->most)) continue;
            long double score = 0;
            for (size_t f = 0; f < at->d; f++)
                score += (long double)at->q[f * lanes + lane] * (long double)at->k[f * at->ldk + p];
            score = score * (long double)at->factor + (at->bias && p ? at->bias[apart] : 0);
            if (pass == 0) top = score > top ? score : top;
            if (pass == 0) continue;
            long double weight = expl(score - top) * (at->copies ? at->copies[p] : 1);
            sum += weight;
            mixed += expl(score - top) * (long double)at->v[i * at->ldv + p];
        }
    return mixed / sum;
}

/* Values of what stands for several positions are sums, so they are not multiplied. */
static void REAL(check_strip)(const REAL(Kernels) * kernels) {
    Random random = {17};
    size_t lanes = kernels->strip_lanes;
    for (size_t round = 0; round < 60; round++) {
        size_t keys = 2 + random_below(&random, 300), d = 1 + random_below(&random, 20);
        size_t c = 1 + random_below(&random, 20), ld = keys + random_below(&random, 5);
        size_t first = random_below(&random, keys);
        Real *q = REAL(numbers)(&random, d * lanes), *k = REAL(numbers)(&random, d * ld);
        Real *v = REAL(numbers)(&random, c * ld), *s = REAL(numbers)(&random, keys * lanes);
        Real *copies = REAL(numbers)(&random, keys), *m = REAL(numbers)(&random, lanes);
        Real *bias = REAL(numbers)(&random, 2 * keys + lanes), *l = calloc(lanes, sizeof *l);
        Real *z = calloc(c * lanes, sizeof *z);
        for (size_t j = 0; j < keys; j++) copies[j] = (Real)(1 + random_below(&random, 3));
        for (size_t r = 0; r < lanes; r++) m[r] = -(Real)INFINITY;
        REAL(Strip) at = {.q = q, .k = k, .v = v, .ldk = ld, .ldv = ld, .d = d, .c = c, .s = s};
        at.copies = round % 4 ? NULL : copies, at.bias = round % 3 ? NULL : bias + keys;
        at.m = m, at.l = l, at.z = z, at.first = first, at.factor = round % 5 ? 1 : 40;
        at.least = round % 2 ? -(ptrdiff_t)keys - 1 : (ptrdiff_t)random_below(&random, 9) - 4;
        at.most = round % 3 ? (ptrdiff_t)(keys + lanes) : at.least + 30;
        for (size_t p = 0, end; p < keys; p = end) {
            end = p + 1 + random_below(&random, keys - p);
            kernels->strip(&at, p, end);
        }
        kernels->strip_end(&at);
        for (size_t lane = 0; lane < lanes; lane++)
            for (size_t i = 0; i < c; i++) REAL(check_near)
        (z[i * lanes + lane], REAL(strip_lane)(&at, lanes, keys, lane, i), 300 * keys);
        free(q), free(k), free(v), free(s), free(copies), free(m), free(bias), free(l), free(z);
    }
}

/* A random matrix with its compressed rows, some of them empty. */
static REAL(Compressed)
    REAL(random_compressed)(Random *random, size_t outs, size_t ins, Real *dense) {
    REAL(Compressed)
    m = {outs, ins, calloc(outs + 1, sizeof(size_t)), calloc(outs * ins, sizeof(uint32_t)),
         calloc(outs * ins, sizeof(Real))};
    size_t e = 0;
    for (size_t o = 0; o < outs; o++) {
        m.start[o] = e;
        for (size_t i = 0; i < ins; i++) {
            dense[o * ins + i] = 0;
            if (o % 3 == 0 || random_below(random, 3)) continue;
            dense[o * ins + i] = m.value[e] = (Real)random_unit(random);
            m.index[e++] = (uint32_t)i;
        }
    }
    m.start[outs] = e;
    return m;
}

/* What product number `which` should give for one element that had the value `before`. */
static long double REAL(expected_product)(int which, long double sum, long double before,
                                          long double bias) {
    if (which == 0 || which == 3) return sum;
    if (which == 1 || which == 4) return before + sum;
    return fmaxl(0, sum + bias);
}

static void REAL(check_product)(const REAL(Kernels) * kernels, Random *random, int which) {
    size_t outs = 1 + random_below(random, 20), ins = 1 + random_below(random, 20);
    size_t cols = kernels->lanes * (1 + random_below(random, 6)), ldx = cols + 3, ldy = cols + 5;
    Real *dense = REAL(numbers)(random, outs * ins), *x = REAL(numbers)(random, ins * ldx);
    Real *y = REAL(numbers)(random, outs * ldy), *before = REAL(numbers)(random, outs * ldy);
    Real *bias = REAL(numbers)(random, outs);
    unsigned char live[20], live_out[20];
    for (size_t i = 0; i < ins; i++) {
        if (random_below(random, 3) == 0) memset(x + i * ldx, 0, cols * sizeof *x);
    }
    kernels->find_live(x, ldx, ins, cols, live);
    for (size_t i = 0; i < ins; i++) assert_int_equal(live[i], x[i * ldx] != 0);
    memcpy(before, y, outs * ldy * sizeof *y);
    REAL(Compressed) m = REAL(random_compressed)(random, outs, ins, dense);
    if (which == 0) kernels->multiply(&m, x, ldx, live, y, ldy, cols);
    if (which == 1) kernels->multiply_add(&m, x, ldx, live, y, ldy, cols);
    if (which >= 3) kernels->multiply_dense(dense, outs, ins, x, ldx, which == 4, y, ldy, cols);
    if (which == 2) kernels->multiply_relu(&m, bias, x, ldx, live, y, ldy, live_out, cols);
    for (size_t o = 0; o < outs; o++) {
        bool some = false;
        for (size_t j = 0; j < cols; j++) {
            long double sum = 0;
            for (size_t i = 0; i < ins; i++)
                sum += (long double)dense[o * ins + i] * (long double)x[i * ldx + j];
            REAL(check_near)
            (y[o * ldy + j],
             REAL(expected_product)(which, sum, (long double)before[o * ldy + j],
                                    (long double)bias[o]),
             ins);
            some |= y[o * ldy + j] != 0;
        }
        if (which == 2) assert_int_equal(live_out[o], some);
    }
    free(dense), free(x), free(y), free(before), free(bias);
    free(m.start), free(m.index), free(m.value);
}

static void REAL(check_products)(const REAL(Kernels) * kernels) {
    Random random = {15};
    for (size_t round = 0; round < 200; round++) {
        for (int which = 0; which < 5; which++) REAL(check_product)(kernels, &random, which);
    }
    Real y[2 * GUARD], bias[] = {(Real)-0.5, (Real)0.25};
    for (size_t j = 0; j < 2 * GUARD; j++) y[j] = j % 2 ? 1 : -1;
    kernels->bias_relu(bias, y, GUARD, 2, GUARD);
    for (size_t j = 0; j < 2 * GUARD; j++)
        assert_true(y[j] == (j % 2 ? 1 + bias[j / GUARD] : (Real)0));
}

/* Equal columns have equal hashes, and others mostly not. */
static void REAL(check_hash)(const REAL(Kernels) * kernels) {
    enum { COLS = 200, ROWS = 9 };
    Random random = {18};
    Real *x = REAL(numbers)(&random, ROWS * COLS);
    RealWord hash[COLS + GUARD];
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = i % COLS < COLS / 2 ? x[i] : x[i - COLS / 2];
    for (size_t j = 0; j < COLS; j += 20) x[4 * COLS + j] = j < COLS / 2 ? 0 : -(Real)0;
    kernels->hash_columns(x, COLS, ROWS, COLS, hash);
    size_t equal = 0;
    for (size_t a = 0; a < COLS / 2; a++) {
        assert_true(hash[a] == hash[a + COLS / 2]);
        for (size_t b = 0; b < a; b++) equal += hash[a] == hash[b];
    }
    assert_true(equal < 3);
    free(x);
}

/* The first of the largest, and the largest of the others; ties and infinities among them. */
static void REAL(check_argmax)(const REAL(Kernels) * kernels) {
    enum { COLS = 2 * GUARD, ROWS = 9 };
    Random random = {19};
    for (size_t round = 0; round < 200; round++) {
        size_t rows = 1 + random_below(&random, ROWS);
        Real *x = REAL(numbers)(&random, ROWS * COLS), best[COLS], second[COLS];
        RealBits index[COLS];
        for (size_t e = 0; round % 2 && e < rows * COLS; e++)
            x[e] = (Real)random_below(&random, 3) - 1;
        assert_true(kernels->argmax(x, COLS, rows, COLS, index, best, second));
        for (size_t j = 0; j < COLS; j++) {
            size_t at = 0;
            Real next = -(Real)INFINITY;
            for (size_t i = 1; i < rows; i++)
                if (x[i * COLS + j] > x[at * COLS + j]) at = i;
            for (size_t i = 0; i < rows; i++)
                if (i != at && x[i * COLS + j] > next) next = x[i * COLS + j];
            assert_true((size_t)index[j] == at && best[j] == x[at * COLS + j]);
            assert_true(second[j] == next);
        }
        static const Real bad[] = {(Real)NAN, (Real)INFINITY, -(Real)INFINITY};
        x[random_below(&random, rows * COLS)] = bad[round % 3];
        assert_false(kernels->argmax(x, COLS, rows, COLS, index, best, second));
        free(x);
    }
}

#undef EPSILON
#undef SMALLEST
