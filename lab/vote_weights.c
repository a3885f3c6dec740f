#include "lab/vote_weights.h"

#include "lab/drawn.h"
#include "runtime/safetensors.h"

#include <stdlib.h>

/* Where the residual stream holds what. */
typedef struct Places {
    size_t token, position, logits, width;
} Places;

static Places places_of(const VoteModel *m) {
    return (Places){0, m->symbols, m->symbols + m->context, 2 * m->symbols + m->context};
}

static void fill_embeddings(const VoteModel *m, Model *model) {
    Places at = places_of(m);
    size_t v = m->symbols;
    for (size_t x = 0; x < v; x++) {
        tensor_set(&model->tokens, x + 1, at.token + x, 1);
        for (size_t y = 0; y < v; y++)
            tensor_set(&model->tokens, x + 1, at.logits + y, vote_model_direct(m)[x * v + y]);
    }
    for (size_t i = 0; i < m->context; i++)
        tensor_set(&model->positions, i + 1, at.position + i, 1);
}

static void fill_head(const VoteModel *m, size_t head, ModelHead *h) {
    Places at = places_of(m);
    size_t v = m->symbols, t = m->context;
    const double *scores = vote_model_scores(m, head), *votes = vote_model_votes(m, head);
    h->mask = RT_MASK_CAUSAL;
    h->sink = false;
    h->gap = 1e-6; /* hard rules: only equal scores are ties */
    for (size_t k = 0; k < v + t; k++) tensor_set(&h->key, k, k, 1);
    for (size_t x = 0; x < v; x++) {
        tensor_set(&h->value, at.token + x, x, 1);
        for (size_t y = 0; y < v; y++) {
            tensor_set(&h->query, at.token + x, y, scores[x * v + y]);
            tensor_set(&h->output, x, at.logits + y, votes[x * v + y]);
        }
    }
    for (size_t i = 0; i < t; i++)
        for (size_t j = 0; j <= i; j++)
            tensor_set(&h->query, at.position + i, v + j, vote_model_distances(m, head)[i - j]);
}

static bool fill(const VoteModel *m, const RtAtom *tokens, Model *model) {
    ModelLayer *layer = model_add_layer(model);
    if (!layer) return false;
    fill_embeddings(m, model);
    for (size_t h = 0; h < m->heads; h++) {
        ModelHead *head = layer_add_head(layer, m->symbols + m->context, m->symbols);
        if (!head) return false;
        fill_head(m, h, head);
    }
    return model_add_output(model, "next", RT_DECODE_ARGMAX, places_of(m).logits, tokens,
                            m->symbols);
}

Model *vote_weights(const VoteModel *m, const char *alphabet, Arena *arena) {
    RtAtom *tokens = ARENA_ARRAY(arena, m->symbols, RtAtom);
    for (size_t x = 0; x < m->symbols; x++)
        tokens[x] = alphabet ? rt_string(alphabet + x, 1) : rt_int((int64_t)x);
    Model *model = model_new(RT_F64, alphabet ? RT_STRING : RT_INT, tokens, m->symbols, m->context,
                             places_of(m).width);
    if (model && fill(m, tokens, model)) return model;
    model_free(model);
    return NULL;
}

void vote_weights_keep(Lab *lab, Page *page, const VoteModel *m, const char *alphabet,
                       const char *name) {
    RtError err;
    unsigned char *bytes;
    size_t size;
    if (!lab->keep) return;
    Model *model = keep_model(lab, page, vote_weights(m, alphabet, lab->arena));
    if (!model) return;
    if (!model_save_bytes(model, &bytes, &size, &err)) {
        page_note(page, "the weights of %s cannot be kept: %s", name, err.text);
        return;
    }
    lab_defer(lab, free, bytes); /* the page may not have the room */
    page_weights(page, name, bytes, size);
}
