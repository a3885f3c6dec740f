/* Item 51: in a deeper model all but the last attention layer are fixed, and what it reads are
 * votes. */
#include "lab/oracle.h"

#include "lab/choice.h"
#include "lab/matrix.h"
#include "lab/simplex.h"
#include "lab/vote_case.h"

#include <math.h>

enum { WIDTH = 6, TOKENS = 9, SYMBOLS = 16 };

/* An attention-only stack with one head a layer, and, if asked, an elementwise step behind a layer.
 */
typedef struct Stack {
    size_t layers;
    bool bent[2]; /* h ← h + max(h, 0) behind layer l */
    Matrix scores[2], values[2], unembed;
} Stack;

static Stack draw_stack(Lab *lab, size_t layers) {
    Stack s = {.layers = layers, .unembed = matrix_normal(lab->arena, lab->rng, WIDTH, SYMBOLS, 1)};
    for (size_t l = 0; l < layers; l++) {
        s.scores[l] = matrix_normal(lab->arena, lab->rng, WIDTH, WIDTH, 0.5);
        s.values[l] = matrix_normal(lab->arena, lab->rng, WIDTH, WIDTH, 0.5);
    }
    return s;
}

/* Softmax weights of the last row over all rows before it and itself. */
static void weigh(Lab *lab, Matrix h, Matrix scores, size_t row, double *weights) {
    Matrix keys = matrix_product(lab->arena, h, matrix_transpose(lab->arena, scores));
    for (size_t j = 0; j <= row; j++)
        weights[j] = dot(matrix_row(h, row), matrix_row(keys, j), WIDTH);
    softmax(weights, row + 1, 1, weights);
}

static Matrix layer(Lab *lab, const Stack *s, size_t l, Matrix h) {
    Matrix values = matrix_product(lab->arena, h, s->values[l]), out = matrix_copy(lab->arena, h);
    for (size_t i = 0; i < h.rows; i++) {
        double a[TOKENS];
        weigh(lab, h, s->scores[l], i, a);
        for (size_t j = 0; j <= i; j++)
            for (size_t c = 0; c < WIDTH; c++)
                *matrix_at(out, i, c) += a[j] * *matrix_at(values, j, c);
    }
    for (size_t k = 0; k < out.rows * WIDTH && s->bent[l]; k++) out.x[k] += fmax(out.x[k], 0);
    return out;
}

/* The last position's logits as votes of the rows that enter the last layer; with the model's
 * weights. False when something that is not linear stands behind that layer: its logits are no sum
 * of votes. */
static bool last_layer_votes(Lab *lab, const Stack *s, Matrix x, VoteCase *c) {
    if (s->bent[s->layers - 1]) return false;
    for (size_t l = 0; l + 1 < s->layers; l++) x = layer(lab, s, l, x);
    Matrix votes = matrix_product(
        lab->arena, matrix_product(lab->arena, x, s->values[s->layers - 1]), s->unembed);
    Matrix direct = matrix_product(lab->arena, x, s->unembed);
    c->votes = (Votes){1, x.rows, SYMBOLS, matrix_row(direct, x.rows - 1), votes.x};
    c->weights = ARENA_ARRAY(lab->arena, x.rows, double);
    weigh(lab, x, s->scores[s->layers - 1], x.rows - 1, c->weights);
    return true;
}

void oracle_last_layer(Lab *lab, Page *page) {
    size_t cases = lab->quick ? 20 : 200, refused = 0;
    double sum = 0, above = -INFINITY, one = 0;
    for (size_t k = 0; k < cases; k++) {
        lab_progress(lab, (double)k / (double)cases);
        Stack s = draw_stack(lab, 1 + k % 2);
        s.bent[0] = s.layers == 2 && k % 4 == 1; /* before the last layer anything may stand */
        Matrix x = matrix_normal(lab->arena, lab->rng, TOKENS, WIDTH, 1), h = x;
        VoteCase c;
        double law[SYMBOLS], z[SYMBOLS], best[TOKENS];
        last_layer_votes(lab, &s, x, &c);
        for (size_t l = 0; l < s.layers; l++) h = layer(lab, &s, l, h);
        Matrix logits = matrix_product(lab->arena, h, s.unembed);
        votes_logits(&c.votes, c.weights, z);
        sum = fmax(sum, max_difference(z, matrix_row(logits, TOKENS - 1), SYMBOLS));
        rng_normals(lab->rng, law, SYMBOLS, 2);
        softmax(law, SYMBOLS, 1, law);
        double model = cross_entropy(law, matrix_row(logits, TOKENS - 1), SYMBOLS);
        Descent oracle = choice_best(&c.votes, law, 1e-8, best, lab->arena);
        above = fmax(above, oracle.value - oracle.gap - model);
        if (s.layers == 1) { /* the votes of item 40: embeddings through W_V W_U */
            Matrix w = matrix_product(lab->arena, s.values[0], s.unembed);
            Matrix plain = matrix_product(lab->arena, x, w);
            Votes same = {1, TOKENS, SYMBOLS, c.votes.direct, plain.x};
            one = fmax(one,
                       fabs(choice_best(&same, law, 1e-8, best, lab->arena).value - oracle.value) -
                           2e-8);
        }
        s.bent[s.layers - 1] = true;
        refused += !last_layer_votes(lab, &s, x, &c);
    }
    check_near(page, IDENTITY, "largest |votes of the last layer − the stack's logits|", sum, 0,
               1e-10);
    check_most(page, IDENTITY, "largest oracle loss − the model's loss", above, 1e-10);
    check_most(page, IDENTITY, "one layer: difference from item 40's oracle beyond the gaps", one,
               0);
    check_none(page, "stacks bent behind the last attention that were not refused",
               cases - refused);
}
