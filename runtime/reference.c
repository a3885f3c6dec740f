#include "runtime/reference.h"

#include "runtime/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* x[a, b] @ m -> out[a, m.cols], added to what is there. */
static void multiply_add(const double *x, size_t rows, const Tensor *m, double *out) {
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < m->rows; k++) {
            for (size_t j = 0; j < m->cols; j++)
                out[i * m->cols + j] += x[i * m->rows + k] * tensor_get(m, k, j);
        }
    }
}

/* x[rows, m.rows] @ m, in fresh memory. */
static double *multiply(const double *x, size_t rows, const Tensor *m) {
    double *out = rt_calloc(rows * m->cols, sizeof *out);
    if (out) multiply_add(x, rows, m, out);
    return out;
}

/* Row and column 0 are the sink. */
static bool sees(const ModelHead *head, size_t q, size_t k) {
    if (q == 0) return k == 0;
    if (k == 0) return head->sink;
    switch (head->mask) {
    case RT_MASK_CAUSAL:
        return k <= q;
    case RT_MASK_STRICT_CAUSAL:
        return k < q;
    case RT_MASK_ANTICAUSAL:
        return k >= q;
    case RT_MASK_STRICT_ANTICAUSAL:
        return k > q;
    default:
        return true;
    }
}

static double row_max(const double *s, size_t n) {
    double m = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        if (s[k] > m) m = s[k];
    }
    return m;
}

static void softmax_row(double *s, size_t n) {
    double m = row_max(s, n), sum = 0;
    for (size_t k = 0; k < n; k++) sum += s[k] = exp(s[k] - m);
    for (size_t k = 0; k < n; k++) s[k] /= sum;
}

/* a = (z − t)₊^power, z = (s − max)/power; t, at which they add up to 1, by bisection. */
static void sparse_row(double *s, size_t n, double power) {
    double m = row_max(s, n), low = -1, high = 0, sum = 0;
    for (int step = 0; step < 100; step++) {
        double t = (low + high) / 2;
        sum = 0;
        for (size_t k = 0; k < n; k++) sum += pow(fmax((s[k] - m) / power - t, 0), power);
        if (sum >= 1) low = t;
        if (sum <= 1) high = t;
    }
    sum = 0;
    for (size_t k = 0; k < n; k++) sum += s[k] = pow(fmax((s[k] - m) / power - low, 0), power);
    for (size_t k = 0; k < n; k++) s[k] /= sum;
}

/* Softmax of those that have fewer than k before them: larger ones, and equal ones on their left.
 * `a` comes as a copy of the scores. */
static void top_row(const double *s, double *a, size_t n, double k) {
    for (size_t i = 0; i < n; i++) {
        double before = 0;
        for (size_t j = 0; j < n; j++) before += s[j] > s[i] || (s[j] == s[i] && j < i);
        if (!(before < k)) a[i] = -INFINITY;
    }
    softmax_row(a, n);
}

/* The three hard rules differ in which of the selected keys count. */
static void hard_row(double *s, size_t n, double window, RtRule rule) {
    double least = row_max(s, n) - window;
    size_t first = n, last = 0, count = 0;
    for (size_t k = 0; k < n; k++) {
        if (!(s[k] >= least)) continue;
        if (first == n) first = k;
        last = k;
        count++;
    }
    for (size_t k = 0; k < n; k++) {
        bool selected = s[k] >= least;
        if (rule == RT_AVERAGE) s[k] = selected ? 1.0 / (double)count : 0;
        if (rule == RT_HARD_LEFT) s[k] = k == first;
        if (rule == RT_HARD_RIGHT) s[k] = k == last;
    }
}

/* Where in the model a pass is. */
typedef struct {
    const ReferenceOptions *options;
    size_t layer, n;
} Pass;

/* s[n1, n1]: the scores of a head, divided by the temperature where the rule has one, and what
 * position adds. */
static void score(const Pass *p, const ModelHead *head, const double *q, const double *k,
                  double *s) {
    const ReferenceOptions *options = p->options;
    size_t n1 = p->n + 1;
    double scale = head->scale == RT_SCALE_LOG_LENGTH ? log((double)n1) : 1;
    size_t d = head->query.cols;
    for (size_t i = 0; i < n1; i++) {
        for (size_t j = 0; j < n1; j++) {
            double dot = 0;
            for (size_t x = 0; x < d; x++) dot += q[i * d + x] * k[j * d + x];
            double *cell = &s[i * n1 + j];
            *cell = sees(head, i, j) ? scale * dot : -INFINITY;
            if (rt_rules[options->rule].temperature) *cell /= options->temperature;
            if (i > 0 && j > 0) *cell += rt_bias_at(&head->bias, (ptrdiff_t)i - (ptrdiff_t)j);
        }
    }
}

/* s[n1, n1] -> a[n1, n1], which comes as a copy of it: scores become weights. */
static void weigh(const ModelHead *head, const ReferenceOptions *options, size_t n1,
                  const double *s, double *a) {
    double scale = head->scale == RT_SCALE_LOG_LENGTH ? log((double)n1) : 1;
    for (size_t i = 0; i < n1; i++, s += n1, a += n1) {
        switch (options->rule) {
        case RT_SOFTMAX:
            softmax_row(a, n1);
            break;
        case RT_SPARSEMAX:
            sparse_row(a, n1, 1);
            break;
        case RT_ENTMAX15:
            sparse_row(a, n1, 2);
            break;
        case RT_ENTMAX:
            sparse_row(a, n1, 1 / (options->parameter - 1));
            break;
        case RT_TOP_K:
            top_row(s, a, n1, options->parameter);
            break;
        default:
            hard_row(a, n1, head->gap / 4 * scale, options->rule);
        }
    }
}

/* h[n1, W] @ m for one reader, who may be shown something else than h. */
static double *read_stream(const Pass *p, size_t piece, ReferenceReader reader, const double *h,
                           const Tensor *m) {
    const ReferencePatch *patch = &p->options->patch;
    size_t n1 = p->n + 1, size = n1 * m->rows;
    if (!patch->read) return multiply(h, n1, m);
    double *copy = rt_calloc(size, sizeof *copy), *out = NULL;
    if (copy) {
        memcpy(copy, h, size * sizeof *copy);
        patch->read(patch->context, p->layer, piece, (int)reader, p->n, m->rows, copy);
        out = multiply(copy, n1, m);
    }
    free(copy);
    return out;
}

/* r[n1, W] += softmax(scores) (h value) output */
static bool add_head(const Pass *p, size_t number, const ModelHead *head, const double *h,
                     double *r) {
    size_t n1 = p->n + 1, width = head->output.cols;
    const ReferenceTap *tap = &p->options->tap;
    const ReferencePatch *patch = &p->options->patch;
    double *q = read_stream(p, number, REFERENCE_QUERY, h, &head->query);
    double *k = read_stream(p, number, REFERENCE_KEY, h, &head->key);
    double *v = read_stream(p, number, REFERENCE_VALUE, h, &head->value);
    double *s = rt_calloc(n1 * n1, sizeof *s);
    double *a = rt_calloc(n1 * n1, sizeof *a), *z = NULL, *result = NULL;
    bool ok = q && k && v && s && a;
    if (ok) {
        score(p, head, q, k, s);
        memcpy(a, s, n1 * n1 * sizeof *a);
        weigh(head, p->options, n1, s, a);
        if (patch->weights) patch->weights(patch->context, p->layer, number, p->n, a);
        z = multiply(a, n1, &(Tensor){n1, head->value.cols, v});
        result = z ? multiply(z, n1, &head->output) : NULL;
        ok = result != NULL;
    }
    if (ok && patch->head) patch->head(patch->context, p->layer, number, p->n, width, result);
    for (size_t i = 0; ok && i < n1 * width; i++) r[i] += result[i];
    if (ok && tap->head) tap->head(tap->context, p->layer, number, p->n, s, a, width, result);
    free(q), free(k), free(v), free(s), free(a), free(z), free(result);
    return ok;
}

static bool add_heads(const Pass *p, const ModelLayer *layer, double *h) {
    size_t size = (p->n + 1) * layer->width;
    double *r = rt_calloc(size, sizeof *r);
    bool ok = r != NULL;
    for (size_t i = 0; ok && i < layer->head_count; i++) ok = add_head(p, i, layer->heads[i], h, r);
    for (size_t i = 0; ok && i < size; i++) h[i] += r[i];
    free(r);
    return ok;
}

/* h += relu(h in + in_bias) out + out_bias */
static bool add_mlp(const Pass *p, size_t number, const ModelMlp *mlp, double *h) {
    size_t u = mlp->in.cols, n1 = p->n + 1, width = mlp->out.cols;
    const ReferenceTap *tap = &p->options->tap;
    const ReferencePatch *patch = &p->options->patch;
    double *hidden = read_stream(p, number, REFERENCE_INPUT, h, &mlp->in);
    if (!hidden) return false;
    for (size_t i = 0; i < n1 * u; i++) {
        double x = hidden[i] + mlp->in_bias.data[i % u];
        hidden[i] = x > 0 ? x : 0;
    }
    if (patch->sublayer) patch->sublayer(patch->context, p->layer, number, p->n, u, hidden);
    multiply_add(hidden, n1, &mlp->out, h);
    for (size_t i = 0; i < n1 * width; i++) h[i] += mlp->out_bias.data[i % width];
    if (tap->sublayer) tap->sublayer(tap->context, p->layer, number, p->n, u, hidden);
    free(hidden);
    return true;
}

static void show(const Pass *p, int sublayer, double *h, size_t width) {
    const ReferenceTap *tap = &p->options->tap;
    const ReferencePatch *patch = &p->options->patch;
    if (patch->residual) patch->residual(patch->context, p->layer, sublayer, p->n, width, h);
    if (tap->residual) tap->residual(tap->context, p->layer, sublayer, p->n, width, h);
}

static bool stopped(const ReferenceOptions *options) {
    return options->stop && *options->stop;
}

static bool run_layers(const Model *model, const ReferenceOptions *options, size_t n, double *h) {
    ReferenceOptions own = *options;
    own.rule = rt_rule_of(options->rule, model->kernel);
    Pass p = {&own, 0, n};
    show(&p, -2, h, model->width);
    for (; p.layer < model->layer_count; p.layer++) {
        const ModelLayer *layer = model->layers[p.layer];
        if (stopped(options) || !add_heads(&p, layer, h)) return false;
        show(&p, -1, h, model->width);
        for (size_t m = 0; m < layer->mlp_count; m++) {
            if (stopped(options) || !add_mlp(&p, m, layer->mlps[m], h)) return false;
            show(&p, (int)m, h, model->width);
        }
    }
    return true;
}

double *reference_run(const Model *model, const ReferenceOptions *options, const size_t *ids,
                      size_t n, RtError *err) {
    size_t width = model->width;
    if (n == 0 || n > model->max_length) {
        rt_error(err, "expected 1 to %zu tokens, found %zu", model->max_length, n);
        return NULL;
    }
    double *h = rt_calloc((n + 1) * width, sizeof *h);
    for (size_t i = 0; h && i <= n; i++) {
        size_t row = i ? ids[i - 1] + 1 : 0;
        if (row > model->alphabet_size) {
            rt_error(err, "token %zu: no such id: %zu", i - 1, ids[i - 1]);
            free(h);
            return NULL;
        }
        for (size_t w = 0; w < width; w++)
            h[i * width + w] =
                tensor_get(&model->tokens, row, w) + tensor_get(&model->positions, i, w);
    }
    if (h && run_layers(model, options, n, h)) return h;
    free(h);
    if (stopped(options))
        rt_error(err, "interrupted");
    else
        rt_error(err, "out of memory for %zu tokens", n);
    return NULL;
}

ptrdiff_t reference_decode(const ModelOutput *output, const double *row) {
    const double *x = row + output->start;
    size_t best = 0;
    if (output->decode == RT_DECODE_NUMBER || output->decode == RT_DECODE_WHOLE) return -1;
    for (size_t k = 1; k < output->value_count; k++) {
        if (output->decode == RT_DECODE_ARGMAX) {
            if (x[k] > x[best]) best = k;
            continue;
        }
        double v = output_place(output, k), b = output_place(output, best);
        double dv = fabs(*x - v), db = fabs(*x - b);
        if (dv < db || (dv == db && v < b)) best = k;
    }
    return (ptrdiff_t)best;
}
