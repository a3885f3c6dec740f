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

/* a[n1, n1]: the attention weights of a head. */
static void attend(const ModelHead *head, const ReferenceOptions *options, size_t n1,
                   const double *q, const double *k, double *a) {
    double scale = head->scale == RT_SCALE_LOG_LENGTH ? log((double)n1) : 1;
    size_t d = head->query.cols;
    for (size_t i = 0; i < n1; i++) {
        double *s = a + i * n1;
        for (size_t j = 0; j < n1; j++) {
            double dot = 0;
            for (size_t x = 0; x < d; x++) dot += q[i * d + x] * k[j * d + x];
            s[j] = sees(head, i, j) ? scale * dot : -INFINITY;
            if (options->rule == RT_SOFTMAX) s[j] /= options->temperature;
        }
        if (options->rule == RT_SOFTMAX)
            softmax_row(s, n1);
        else
            hard_row(s, n1, head->gap / 4 * scale, options->rule);
    }
}

/* r[n1, W] += softmax(scores) (h value) output */
static bool add_head(const ModelHead *head, const ReferenceOptions *options, size_t n1,
                     const double *h, double *r) {
    double *q = multiply(h, n1, &head->query), *k = multiply(h, n1, &head->key);
    double *v = multiply(h, n1, &head->value), *a = rt_calloc(n1 * n1, sizeof *a), *z = NULL;
    bool ok = q && k && v && a;
    if (ok) {
        attend(head, options, n1, q, k, a);
        z = multiply(a, n1, &(Tensor){n1, head->value.cols, v});
        ok = z != NULL;
    }
    if (ok) multiply_add(z, n1, &head->output, r);
    free(q), free(k), free(v), free(a), free(z);
    return ok;
}

static bool add_heads(const ModelLayer *layer, const ReferenceOptions *options, size_t n1,
                      double *h) {
    double *r = rt_calloc(n1 * layer->width, sizeof *r);
    bool ok = r != NULL;
    for (size_t i = 0; ok && i < layer->head_count; i++)
        ok = add_head(layer->heads[i], options, n1, h, r);
    for (size_t i = 0; ok && i < n1 * layer->width; i++) h[i] += r[i];
    free(r);
    return ok;
}

/* h += relu(h in + in_bias) out + out_bias */
static bool add_mlp(const ModelMlp *mlp, size_t n1, size_t width, double *h) {
    size_t u = mlp->in.cols;
    double *hidden = multiply(h, n1, &mlp->in);
    if (!hidden) return false;
    for (size_t i = 0; i < n1 * u; i++) {
        double x = hidden[i] + mlp->in_bias.data[i % u];
        hidden[i] = x > 0 ? x : 0;
    }
    multiply_add(hidden, n1, &mlp->out, h);
    for (size_t i = 0; i < n1 * width; i++) h[i] += mlp->out_bias.data[i % width];
    free(hidden);
    return true;
}

static void tap(const ReferenceOptions *options, size_t layer, int sublayer, const double *h,
                size_t n, size_t width) {
    if (options->tap) options->tap(options->tap_context, layer, sublayer, h, n, width);
}

static bool run_layers(const Model *model, const ReferenceOptions *options, size_t n, double *h) {
    size_t width = model->width;
    tap(options, 0, -2, h, n, width);
    for (size_t l = 0; l < model->layer_count; l++) {
        const ModelLayer *layer = model->layers[l];
        if (!add_heads(layer, options, n + 1, h)) return false;
        tap(options, l, -1, h, n, width);
        for (size_t m = 0; m < layer->mlp_count; m++) {
            if (!add_mlp(layer->mlps[m], n + 1, width, h)) return false;
            tap(options, l, (int)m, h, n, width);
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
    rt_error(err, "out of memory for %zu tokens", n);
    return NULL;
}

ptrdiff_t reference_decode(const ModelOutput *output, const double *row) {
    const double *x = row + output->start;
    size_t best = 0;
    if (output->decode == RT_DECODE_NUMBER) return -1;
    for (size_t k = 1; k < output->value_count; k++) {
        if (output->decode == RT_DECODE_ARGMAX) {
            if (x[k] > x[best]) best = k;
            continue;
        }
        double v = rt_atom_number(&output->values[k]), b = rt_atom_number(&output->values[best]);
        double dv = fabs(*x - v), db = fabs(*x - b);
        if (dv < db || (dv == db && v < b)) best = k;
    }
    return (ptrdiff_t)best;
}
