#include "generate/sketch.h"

#include "generate/step.h"

#include <string.h>

enum { FUEL = 40 }; /* steps made on the way to one */

/* --- what there is ---------------------------------------------------------------------- */

static bool accepts(char wanted, char given) {
    return given == wanted || (wanted == 'x' && given == 'y') || (wanted == 'w' && given == 'x') ||
           (wanted == 'c' && given == 'i') || (wanted == 'v' && (given == 'i' || given == 'n'));
}

/* May the step stand where a `type` is wanted that has from `least` to `most` layers? */
static bool fits(const Step *step, char type, uint32_t least, uint32_t most) {
    if (type == 'c' && strcmp(step->text, "indices") == 0) return false;
    return accepts(type, step->type) && step->layers >= least && step->layers <= most;
}

/* What nobody reads yet comes first, then what is deep. */
static unsigned attraction(const Step *step, uint32_t most) {
    unsigned weight = step->idiom ? 2 : 1;
    if (step->idiom && !step->uses) weight *= 8;
    return step->layers == most && most ? 3 * weight : weight;
}

static int find(Drawing *d, char type, uint32_t least, uint32_t most) {
    unsigned total = 0;
    for (uint32_t k = 0; k < d->count; k++)
        if (fits(&d->steps[k], type, least, most)) total += attraction(&d->steps[k], most);
    if (!total) return -1;
    unsigned at = drawing_choose(d, total);
    for (uint32_t k = 0; k < d->count; k++) {
        if (!fits(&d->steps[k], type, least, most)) continue;
        unsigned weight = attraction(&d->steps[k], most);
        if (at < weight) return (int)k;
        at -= weight;
    }
    return -1;
}

/* --- making a step ---------------------------------------------------------------------- */

static bool is_selector(char type) {
    return type == 'x' || type == 'y';
}

/* Attention where it is asked for; selectors with a layer of their own where there is room. */
static bool idiom_fits(const Drawing *d, const Idiom *idiom, char type, uint32_t least,
                       uint32_t most, bool attends) {
    bool attention = idiom->layers && !is_selector(idiom->gives);
    if (attention != attends || idiom->layers > most || !accepts(type, idiom->gives)) return false;
    if (strstr(idiom->text, "#d") && !d->plan->closed) return false;
    if (strstr(idiom->text, "#u") && d->plan->token_count < 2) return false;
    return *idiom->takes || idiom->layers >= least;
}

static const Idiom *pick(Drawing *d, char type, uint32_t least, uint32_t most, bool attends) {
    unsigned total = 0;
    for (uint32_t k = 0; k < idiom_count; k++)
        if (idiom_fits(d, &idioms[k], type, least, most, attends)) total += idioms[k].weight;
    if (!total) return NULL;
    unsigned at = drawing_choose(d, total);
    for (uint32_t k = 0; k < idiom_count; k++) {
        if (!idiom_fits(d, &idioms[k], type, least, most, attends)) continue;
        if (at < idioms[k].weight) return &idioms[k];
        at -= idioms[k].weight;
    }
    return NULL;
}

static int make(Drawing *d, char type, uint32_t least, uint32_t most, bool attends);

/* One that is there, or a new one. */
static int want(Drawing *d, char type, uint32_t least, uint32_t most) {
    int found = drawing_choose(d, 6) ? find(d, type, least, most) : -1;
    if (found < 0) found = make(d, type, least, most, false);
    return found < 0 ? find(d, type, least, most) : found;
}

/* One of the arguments has the layers that are wanted below. */
static int make(Drawing *d, char type, uint32_t least, uint32_t most, bool attends) {
    if (!d->fuel) return -1;
    d->fuel--;
    const Idiom *idiom = pick(d, type, least, most, attends);
    if (!idiom) return -1;
    uint32_t arg[MOST_ARGUMENTS] = {0}, count = (uint32_t)strlen(idiom->takes);
    uint32_t deep = count ? drawing_choose(d, count) : 0;
    uint32_t below = least > idiom->layers ? least - idiom->layers : 0;
    for (uint32_t k = 0; k < count; k++) {
        int found = want(d, idiom->takes[k], k == deep ? below : 0, most - idiom->layers);
        if (found < 0) return -1;
        for (uint32_t j = 0; j < k; j++)
            if (arg[j] == (uint32_t)found) return -1; /* x - x, x and x */
        arg[k] = (uint32_t)found;
    }
    return drawing_add(d, idiom, arg);
}

/* --- the whole -------------------------------------------------------------------------- */

/* Some tries at a step of any type; what comes of nothing is taken back. */
static bool try_step(Drawing *d, int tries, uint32_t least, uint32_t most, bool attends) {
    static const char types[] = "iibssn";
    uint32_t mark = d->count;
    for (; tries; tries--) {
        d->fuel = FUEL;
        if (make(d, types[drawing_choose(d, sizeof types - 1)], least, most, attends) >= 0)
            return true;
        drawing_rewind(d, mark);
    }
    return false;
}

/* The first head needs all the layers before; now and then something is made of what came of it. */
static bool draw_layer(Drawing *d, uint32_t layer, uint32_t heads) {
    for (uint32_t h = 0; h < heads; h++) {
        if (!try_step(d, 20, h ? 1 : layer, layer, true)) return false;
        if (drawing_choose(d, 2)) (void)try_step(d, 1, layer, layer, false);
    }
    return true;
}

static uint32_t unread(const Drawing *d) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < d->count; k++)
        count += d->steps[k].idiom && !d->steps[k].uses && !is_selector(d->steps[k].type);
    return count;
}

/* What is left over is read by further steps, until there is one result. */
static int draw_result(Drawing *d, uint32_t layers) {
    static const char types[] = "ibsr";
    for (int tries = 0; tries < 60 && unread(d) > 1; tries++) {
        uint32_t before = unread(d), mark = d->count;
        d->fuel = 1;
        (void)make(d, types[drawing_choose(d, sizeof types - 1)], 0, layers, false);
        /* One that reads only one of them is for its type, now and then. */
        if (unread(d) >= before && drawing_choose(d, 8)) drawing_rewind(d, mark);
    }
    int result = -1;
    for (uint32_t k = 0; k < d->count; k++)
        if (d->steps[k].layers == layers && !d->steps[k].uses && !is_selector(d->steps[k].type))
            result = (int)k;
    return result;
}

static uint32_t heads_of_layer(Drawing *d, uint32_t layer, uint32_t *left) {
    uint32_t layers_left = d->plan->layers - layer;
    if (!d->plan->heads) return 1 + drawing_choose(d, 2);
    uint32_t most = *left - layers_left;
    uint32_t heads = layers_left ? 1 + drawing_choose(d, most) : *left;
    *left -= heads;
    return heads;
}

bool sketch_draw(const SketchPlan *plan, Random *random, Arena *arena, Sketch *sketch) {
    Drawing *d = ARENA_NEW(arena, Drawing);
    uint32_t left = plan->heads;
    *d = (Drawing){.plan = plan, .random = random, .arena = arena};
    if (plan->heads && plan->heads < plan->layers) return false;
    drawing_begin(d);
    for (uint32_t layer = 1; layer <= plan->layers; layer++)
        if (!draw_layer(d, layer, heads_of_layer(d, layer, &left))) return false;
    int result = draw_result(d, plan->layers);
    if (result < 0) return false;
    drawing_finish(d, (uint32_t)result, sketch);
    return sketch->layers == plan->layers && sketch->steps <= plan->steps &&
           (!plan->heads || sketch->heads == plan->heads);
}
