/* The pass on some inputs, every number of it. */
#include "compile/find_private.h"

#include "compile/inputs.h"
#include "interp/exec/exec.h"
#include "runtime/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_INPUTS = 240,
    MOST_TRIED = 2000,
    MOST_CELLS = 3000,
    MOST_NUMBERS = 1 << 23, /* of the residual stream, kept */
    MOST_PAIRS = 1 << 17
};

/* --- inputs ---------------------------------------------------------------------------- */

static bool has_values(const Graph *graph, const Domain *domain, const NodeId *outputs,
                       size_t count, const Atom *tokens, uint32_t length, Arena *arena) {
    Arena *run = arena_child(arena);
    Input input = {.tokens = tokens, .length = length};
    Exec *exec = exec_new(graph, &input, (ExecOptions){.keep = true, .threads = 1}, run);
    Fault fault;
    bool fine = true;
    for (size_t o = 0; fine && o < count; o++) fine = exec_column(exec, outputs[o], &fault) != NULL;
    const Column *where = NULL;
    if (fine && domain->where != NODE_NONE) {
        where = exec_column(exec, domain->where, &fault);
        fine = where != NULL;
    }
    for (size_t i = 0; fine && where && i < length; i++) fine = atom_truth(column_at(where, i));
    exec_free(exec);
    arena_free(run);
    return fine;
}

static void add_input(Sample *s, const Domain *domain, const uint32_t *ids, uint32_t length,
                      Arena *arena) {
    Atom *tokens = ARENA_ARRAY(arena, length, Atom);
    size_t *wide = ARENA_ARRAY(arena, length, size_t);
    for (uint32_t i = 0; i < length; i++) {
        tokens[i] = domain->alphabet[ids[i]];
        wide[i] = ids[i];
    }
    s->inputs[s->count++] = (SampleInput){tokens, wide, length, s->cells, s->pairs};
    s->cells += length;
    s->pairs += (size_t)length * length;
}

static void draw_inputs(Sample *s, const Graph *graph, const Domain *domain, const NodeId *outputs,
                        Arena *arena) {
    InputPlan plan = {.exhaustive_limit = MOST_INPUTS, .count = MOST_INPUTS, .seed = 1};
    Inputs *inputs = inputs_new(domain, plan, arena);
    uint32_t *ids = ARENA_ARRAY(arena, domain->max_length, uint32_t), length;
    size_t kept = (size_t)s->times * s->model->width;
    s->inputs = ARENA_ARRAY(arena, MOST_INPUTS, SampleInput);
    for (uint32_t k = 0; k < MOST_TRIED && s->count < MOST_INPUTS; k++) {
        if ((length = inputs_next(inputs, ids)) == 0) break;
        size_t square = (size_t)length * length;
        if (s->count && ((s->cells + length) * kept > MOST_NUMBERS || s->cells > MOST_CELLS ||
                         s->pairs + square > MOST_PAIRS))
            continue;
        Atom *tokens = ARENA_ARRAY(arena, length, Atom);
        for (uint32_t i = 0; i < length; i++) tokens[i] = domain->alphabet[ids[i]];
        if (has_values(graph, domain, outputs, s->model->output_count, tokens, length, arena))
            add_input(s, domain, ids, length, arena);
    }
}

/* --- the pass -------------------------------------------------------------------------- */

typedef struct Watch {
    Sample *sample;
    const SampleInput *input;
} Watch;

static void see_residual(void *context, size_t layer, int sublayer, size_t n, size_t width,
                         const double *h) {
    const Watch *w = context;
    Sample *s = w->sample;
    size_t time = sublayer == -2 ? 0 : s->layer_time[layer] + (size_t)(sublayer + 1);
    memcpy(s->h[time] + w->input->cell * width, h + width, n * width * sizeof *h);
    memcpy(s->row0[time], h, width * sizeof *h);
}

/* A key is selected that has at least half of the greatest weight. */
static void see_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                     const double *weights, size_t width, const double *result) {
    const Watch *w = context;
    HeadSeen *seen = &w->sample->heads[w->sample->layer_head[layer] + head];
    bool *selected = seen->selected + w->input->pair;
    (void)scores, (void)width, (void)result;
    for (size_t q = 1; q <= n; q++) {
        const double *row = weights + q * (n + 1);
        double most = 0, sink = row[0];
        for (size_t k = 1; k <= n; k++) most = fmax(most, row[k]);
        bool any = most > 0 && most >= sink / 2;
        for (size_t k = 1; k <= n; k++) selected[(q - 1) * n + k - 1] = any && row[k] >= most / 2;
        seen->counted += any && sink >= most / 2;
        seen->defaulted += any && sink < most / 2;
    }
}

static void lay_out(Sample *s, Arena *arena) {
    const Model *m = s->model;
    uint32_t heads = 0;
    s->layer_time = ARENA_ARRAY(arena, m->layer_count, uint32_t);
    s->layer_head = ARENA_ARRAY(arena, m->layer_count, uint32_t);
    s->times = 1;
    for (size_t l = 0; l < m->layer_count; l++) {
        s->layer_time[l] = s->times;
        s->layer_head[l] = heads;
        s->times += 1 + (uint32_t)m->layers[l]->mlp_count;
        heads += (uint32_t)m->layers[l]->head_count;
    }
    s->heads = ARENA_ARRAY(arena, heads, HeadSeen);
}

static void make_room(Sample *s, Arena *arena) {
    const Model *m = s->model;
    s->h = ARENA_ARRAY(arena, s->times, double *);
    s->row0 = ARENA_ARRAY(arena, s->times, double *);
    for (uint32_t t = 0; t < s->times; t++) {
        s->h[t] = ARENA_ARRAY(arena, s->cells * m->width, double);
        s->row0[t] = ARENA_ARRAY(arena, m->width, double);
    }
    for (size_t l = 0; l < m->layer_count; l++)
        for (size_t k = 0; k < m->layers[l]->head_count; k++)
            s->heads[s->layer_head[l] + k].selected = ARENA_ARRAY(arena, s->pairs, bool);
}

bool sample_make(Sample *s, const Model *model, const Graph *graph, const Domain *domain,
                 const NodeId *outputs, Arena *arena) {
    *s = (Sample){.model = model};
    lay_out(s, arena);
    draw_inputs(s, graph, domain, outputs, arena);
    make_room(s, arena);
    for (uint32_t k = 0; k < s->count; k++) {
        Watch watch = {s, &s->inputs[k]};
        ReferenceOptions options = {
            .temperature = 1,
            .tap = {.context = &watch, .head = see_head, .residual = see_residual}};
        RtError error;
        double *h = reference_run(model, &options, s->inputs[k].ids, s->inputs[k].length, &error);
        if (!h) return false;
        free(h);
    }
    return s->count > 0;
}
