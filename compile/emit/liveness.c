#include "compile/emit/liveness.h"

#include "compile/values/sums.h"

#include <math.h>

/* When a part is written and last read; stages in order, heads of a layer at step 0. */
typedef struct Life {
    bool needed;
    Stage born, last;
} Life;

typedef struct Finder {
    Lower *lower;
    Arena *arena;
    Liveness *live;
    Life *life; /* by part */
    bool one, sink;
    double dim_gain, unit_cost; /* parameters that a dimension saves, a unit costs */
} Finder;

static void read_form(Finder *f, Form form, Stage when, bool constant_by_one) {
    for (uint32_t k = 0; k < form.count; k++) {
        Life *life = &f->life[form.terms[k].part];
        if (!life->needed || stage_before(life->last, when)) life->last = when;
        life->needed = true;
    }
    if (constant_by_one && form.constant != 0) f->one = true;
}

static void read_head(Finder *f, const HeadPlan *head) {
    Stage when = {head->layer, 0};
    bool sink = head->kind != HEAD_PLAIN;
    for (uint32_t k = 0; k < head->score->pair_count; k++) {
        read_form(f, head->score->pairs[k].key, when, true);
        read_form(f, head->score->pairs[k].query, when, true);
    }
    if (sink || head->score->key_only.count) {
        f->one = true; /* the query of the key-only column */
        read_form(f, head->score->key_only, when, true);
    }
    if (sink) read_form(f, head->score->query_only, when, true);
    for (size_t c = 0; c < head->component_count; c++)
        read_form(f, head->components[c].value, when, true);
    f->sink |= sink;
}

static void read_all(Finder *f) {
    for (uint32_t h = 0; h < lower_head_count(f->lower); h++) read_head(f, lower_head(f->lower, h));
    for (uint32_t s = 0; s < lower_scan_count(f->lower); s++) {
        const ScanPlan *scan = lower_scan(f->lower, s);
        read_form(f, scan->form, scan->stage, false);
    }
    for (uint32_t p = 0; p < lower_part_count(f->lower); p++)
        f->life[p].born = lower_part(f->lower, p)->stage;
}

static bool embedded(const Finder *f, uint32_t part) {
    Origin origin = lower_part(f->lower, part)->origin;
    return origin == FROM_TOKEN || origin == FROM_POSITION;
}

/* --- what a dimension and a unit are worth ---------------------------------------------- */

static void estimate(Finder *f, const OutputPlan *outputs, uint32_t output_count) {
    const Domain *domain = values_domain(lower_values(f->lower));
    double width = 2, gain = domain->alphabet_size + domain->max_length + 2.0;
    for (uint32_t p = 0; p < lower_part_count(f->lower); p++) width += f->life[p].needed;
    for (uint32_t o = 0; o < output_count; o++) width += outputs[o].form_count;
    for (uint32_t h = 0; h < lower_head_count(f->lower); h++) {
        const HeadPlan *head = lower_head(f->lower, h);
        gain += 2 * (head->score->pair_count + 2.0 + (double)head->component_count);
    }
    for (uint32_t s = 0; s < lower_scan_count(f->lower); s++) {
        const ScanPlan *scan = lower_scan(f->lower, s);
        uint32_t points = 0; /* about as many units as points, or two a change */
        for (size_t o = 0; o < scan->output_count; o++) {
            const TableOutput *output = &scan->outputs[o];
            uint32_t changes = 0;
            for (uint32_t k = 0; k + 1 < output->points; k++)
                changes += output->value[k] != output->value[k + 1];
            if (changes > points) points = changes;
        }
        gain += 2.0 * points;
    }
    f->dim_gain = gain;
    f->unit_cost = 2 * width + 2;
}

/* --- allocation ------------------------------------------------------------------------- */

/* The first sublayer at or after the part's last reader and before `until`, if there is one. */
static bool clearing_stage(const Finder *f, const Life *life, Stage until, Stage *stage) {
    bool found = false;
    for (uint32_t s = 0; s < lower_scan_count(f->lower); s++) {
        Stage at = lower_scan(f->lower, s)->stage;
        if (stage_before(at, life->last) || stage_before(at, life->born) ||
            !stage_before(at, until))
            continue;
        if (!found || stage_before(at, *stage)) *stage = at;
        found = true;
    }
    return found;
}

static double least_value(const Finder *f, uint32_t part) {
    NodeId node = lower_part(f->lower, part)->node;
    double least, most;
    if (values_unlisted(lower_values(f->lower), node, &least, &most)) return least;
    const NodeValues *v = values_of(lower_values(f->lower), node);
    least = INFINITY;
    for (uint32_t k = 0; k < v->count; k++) least = fmin(least, feature_number(v->levels[k]));
    return least;
}

/* A dead part's dimension for the part, cleared on the way. */
static bool reuse_dimension(Finder *f, uint32_t part, bool *taken) {
    Stage stage;
    for (uint32_t p = 0; p < lower_part_count(f->lower); p++) {
        if (!f->life[p].needed || taken[p] || f->live->part_dim[p] == DIM_NONE || p == part)
            continue;
        if (!clearing_stage(f, &f->life[p], f->life[part].born, &stage)) continue;
        taken[p] = true;
        uint32_t dim = f->live->part_dim[part] = f->live->part_dim[p];
        f->live->clears[f->live->clear_count++] = (Clear){p, dim, stage, least_value(f, p)};
        return true;
    }
    return false;
}

static void allocate(Finder *f, bool reuse) {
    uint32_t count = lower_part_count(f->lower);
    bool *taken = ARENA_ARRAY(f->arena, count + 1, bool); /* its dimension has a new part */
    bool *done = ARENA_ARRAY(f->arena, count + 1, bool);
    reuse = reuse && f->dim_gain > f->unit_cost;
    for (uint32_t round = 0; round < count; round++) { /* in order of birth */
        uint32_t next = count;
        for (uint32_t p = 0; p < count; p++) {
            if (done[p]) continue;
            if (next == count || stage_before(f->life[p].born, f->life[next].born)) next = p;
        }
        done[next] = true;
        if (!f->life[next].needed) continue;
        if (!reuse || embedded(f, next) || !reuse_dimension(f, next, taken))
            f->live->part_dim[next] = f->live->used++;
    }
}

void liveness_find(Lower *lower, const OutputPlan *outputs, uint32_t output_count, bool reuse,
                   Arena *arena, Liveness *live) {
    uint32_t count = lower_part_count(lower);
    *live = (Liveness){.part_dim = ARENA_ARRAY(arena, count + 1, uint32_t),
                       .clears = ARENA_ARRAY(arena, count + 1, Clear)};
    Finder f = {
        .lower = lower, .arena = arena, .live = live, .life = ARENA_ARRAY(arena, count + 1, Life)};
    for (uint32_t p = 0; p < count; p++) live->part_dim[p] = DIM_NONE;
    read_all(&f);
    live->sink = f.sink ? live->used++ : DIM_NONE;
    live->one = f.one ? live->used++ : DIM_NONE;
    estimate(&f, outputs, output_count);
    allocate(&f, reuse);
    live->last = ARENA_ARRAY(arena, count + 1, Stage);
    for (uint32_t p = 0; p < count; p++) live->last[p] = f.life[p].last;
}
