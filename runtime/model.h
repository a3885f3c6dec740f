/* A transformer's weights as plain data: what a weights file holds.
 *
 * Built by hand (or by the compiler), checked by model_check, written and read by safetensors.h,
 * run by forward.h. docs/weights.md is the format.
 *
 *   embeddings ─▶ layer 0: heads, then feed-forward sublayers ─▶ layer 1 … ─▶ outputs
 *
 * W is the residual width, V the alphabet's size, N the maximum length. Row 0 of both embeddings
 * is the sink, a position before the first. Tensors are row-major doubles whatever the dtype; they
 * are rounded to the dtype when saved or run, so to see what runs, round them first
 * (model_round). A model owns everything below it, strings and JSON included; layers, heads and
 * sublayers stay where they are in memory when others are added. Functions that allocate return
 * NULL or false when memory runs out, or a size overflows, and leave the model as it was. */
#ifndef RUNTIME_MODEL_H
#define RUNTIME_MODEL_H

#include "runtime/atom.h"
#include "runtime/bias.h"
#include "runtime/error.h"
#include "runtime/weight_rule.h"

#include <jansson.h>
#include <stddef.h>

typedef enum { RT_F32, RT_F64, RT_DTYPE_COUNT } RtDtype;

/* Which keys j a query i sees. Masks speak of program positions, never of the sink. */
typedef enum {
    RT_MASK_NONE,
    RT_MASK_CAUSAL,            /* j ≤ i */
    RT_MASK_STRICT_CAUSAL,     /* j < i */
    RT_MASK_ANTICAUSAL,        /* j ≥ i */
    RT_MASK_STRICT_ANTICAUSAL, /* j > i */
    RT_MASK_COUNT
} RtMask;

/* What scores are multiplied by when the model runs on n tokens: 1, or ln(n+1). */
typedef enum { RT_SCALE_ONE, RT_SCALE_LOG_LENGTH, RT_SCALE_COUNT } RtScale;

typedef enum {
    RT_DECODE_ARGMAX,  /* values[k], k the lowest index of the maximum of h[start .. start+count) */
    RT_DECODE_NEAREST, /* the value that stands closest to h[start], the lower on a tie */
    RT_DECODE_NUMBER,  /* h[start] itself; F64 models only; no values */
    RT_DECODE_WHOLE,   /* the whole number from values[0] to values[1] that is closest to h[start],
                          the lower on a tie */
    RT_DECODE_COUNT
} RtDecode;

/* The spellings used in a weights file, by enumerator. */
extern const char *const rt_dtype_names[RT_DTYPE_COUNT];
extern const char *const rt_mask_names[RT_MASK_COUNT];
extern const char *const rt_scale_names[RT_SCALE_COUNT];
extern const char *const rt_decode_names[RT_DECODE_COUNT];

/* rows × cols doubles, row-major, zero when new. A bias is [1, cols]. */
typedef struct {
    size_t rows, cols;
    double *data;
} Tensor;

typedef struct {
    Tensor query;  /* [W, D], inverse temperature multiplied in */
    Tensor key;    /* [W, D] */
    Tensor value;  /* [W, C] */
    Tensor output; /* [C, W] */
    RtMask mask;
    bool sink; /* whether rows 1..n see the sink; it must be true for a strict mask */
    RtScale scale;
    double gap;    /* score difference, before scale, of selected and not selected; > 0 */
    HeadBias bias; /* what position adds to scores; head_set_bias */
    json_t *extra; /* object: further keys of the head, kept as they are; never NULL */
} ModelHead;

typedef struct {
    Tensor in;       /* [W, U] */
    Tensor in_bias;  /* [1, U] */
    Tensor out;      /* [U, W] */
    Tensor out_bias; /* [1, W] */
    json_t *extra;   /* object: kept as it is (file: layers[L].sublayers[M]); never NULL */
} ModelMlp;

typedef struct {
    size_t width; /* the model's W */
    size_t head_count, mlp_count;
    ModelHead **heads; /* all read the same residual stream; their results are added */
    ModelMlp **mlps;   /* after the heads, one after the other */
    json_t *extra;     /* object: further keys of the layer; never NULL */
} ModelLayer;

typedef struct {
    char *name;
    RtDecode decode;
    size_t start;       /* first residual dimension it reads */
    size_t value_count; /* may hold the same value more than once (argmax) */
    RtAtom *values;
    double *places; /* nearest: where each value stands; NULL: numbers at themselves */
    json_t *extra;  /* object: further keys of the output; never NULL */
} ModelOutput;

typedef struct {
    RtDtype dtype;
    size_t alphabet_size, max_length, width; /* V, N, W: all ≥ 1 */
    RtRule kernel; /* what stands for softmax when the model runs: one that may (RtRuleInfo) */
    RtKind token_type;
    RtAtom *alphabet; /* V atoms of kind token_type, all different */
    Tensor tokens;    /* [V+1, W]: row 1+k for token k */
    Tensor positions; /* [N+1, W]: row 1+i for index i */
    size_t layer_count, output_count;
    ModelLayer **layers;
    ModelOutput **outputs; /* the last one is the default; names differ */
    json_t *extra;         /* object: the other keys of the JSON document `model`; never NULL */
    json_t *metadata;      /* object: the other strings of `__metadata__`; never NULL */
} Model;

/* A model without layers, with softmax for kernel; all weights are zero. `alphabet` (V atoms) is
 * copied, strings too. */
Model *model_new(RtDtype dtype, RtKind token_type, const RtAtom *alphabet, size_t alphabet_size,
                 size_t max_length, size_t width);
void model_free(Model *model);

/* Append; the result is the model's. layer_add_head sets mask none, sink true, scale one, gap 64
 * and key and query of width D, value of width C. layer_add_mlp makes U hidden units. */
ModelLayer *model_add_layer(Model *model);
ModelHead *layer_add_head(ModelLayer *layer, size_t d, size_t c);
ModelMlp *layer_add_mlp(ModelLayer *layer, size_t u);
ModelOutput *model_add_output(Model *model, const char *name, RtDecode decode, size_t start,
                              const RtAtom *values, size_t value_count);
/* Copies the numbers of a bias, which takes the place of the head's.  False when memory runs out.
 */
bool head_set_bias(ModelHead *head, RtBiasForm form, ptrdiff_t from, const double *values,
                   size_t count);
/* The first head that has one: its layer and number; false: none has. */
bool model_find_bias(const Model *model, size_t *layer, size_t *head);
/* Copies `places`, one a value.  False when memory runs out. */
bool output_set_places(ModelOutput *output, const double *places);
/* What h[start] is close to when the value with that number is meant (decode nearest). */
double output_place(const ModelOutput *output, size_t value);
/* What h[start] says (decode whole): the ends are within 2^53. */
int64_t output_whole(const ModelOutput *output, double x);
/* The whole number closest to x from one end to the other, the lower on a tie.  Of the distances to
 * the two beside x, the lesser is exact, so that no rounding turns one into the other. */
double rt_whole(double x, double low, double high);

/* Checks every shape and invariant above and of docs/weights.md; says which is broken and where.
 * Non-finite weights, and weights that do not fit the dtype, are refused here too. */
bool model_check(const Model *model, RtError *err);

/* Rounds every weight to the model's dtype: what the file will hold and the forward pass uses. */
void model_round(Model *model);

/* All weights in file order: f(name, tensor, context); stops at and returns the first false.
 * Names are those of the file ("layers.0.heads.1.query"). f may change elements, never shapes, if
 * the caller may change the model. */
typedef bool ModelVisit(const char *name, Tensor *tensor, void *context);
bool model_visit(const Model *model, ModelVisit *f, void *context);

/* Elements of all tensors, and those that are not zero. */
size_t model_parameters(const Model *model);
size_t model_nonzeros(const Model *model);

/* [rows, cols] zeros; data is NULL when there is no memory or rows × cols is too large. */
Tensor tensor_new(size_t rows, size_t cols);
void tensor_free(Tensor *tensor);
size_t tensor_size(const Tensor *tensor);

static inline double tensor_get(const Tensor *t, size_t row, size_t col) {
    return t->data[row * t->cols + col];
}
static inline void tensor_set(Tensor *t, size_t row, size_t col, double x) {
    t->data[row * t->cols + col] = x;
}
static inline void tensor_add(Tensor *t, size_t row, size_t col, double x) {
    t->data[row * t->cols + col] += x;
}

#endif
