/* A random program: sketches are drawn until one is what was asked for, and does something. */
#include "api/rasp_generate.h"

#include "api/rasp_check.h"
#include "api/target.h"
#include "base/plural.h"
#include "base/random.h"
#include "generate/sketch.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_TRIES = 2000,
    LOOKED_AT = 48,    /* inputs on which all steps are looked at */
    SAMPLE = 400,      /* inputs by which programs are told apart, if there are more than */
    EXHAUSTIVE = 1500, /* these */
    LENGTHS = 1024     /* as far as it is asked whether outputs depend on the tokens */
};

typedef struct Drawn {
    const RaspRandomOptions *options;
    RaspTarget target;
    RaspConfig quiet; /* candidates may be wrong */
    RaspProgram *base, *candidate;
    RaspRandomInfo info;
    char *text;
    RaspError error; /* of the candidate */
} Drawn;

/* --- the alphabet ----------------------------------------------------------------------- */

/* May it stand between quotes, where there are no escapes? */
static bool is_literal(const char *text) {
    for (const char *at = text; *at; at++)
        if (*at == '"' || (unsigned char)*at < ' ' || *at == 0x7f) return false;
    return true;
}

static bool is_int(const char *text) {
    size_t digits = strspn(text + (*text == '-'), "0123456789");
    return digits > 0 && digits < 7 && !text[digits + (*text == '-')];
}

static SketchPlan plan_of(const RaspRandomOptions *o, const CompileOptions *c, Arena *arena) {
    enum { MOST_IN_DICT = 8 };
    const char **tokens = ARENA_ARRAY(arena, c->alphabet_size, const char *);
    SketchPlan plan = {
        .layers = o->layers ? o->layers : 2, .heads = o->heads, .tokens = tokens, .digits = true};
    plan.steps = o->steps ? o->steps : 4 + 4 * plan.layers;
    for (uint32_t k = 0; k < c->alphabet_size; k++) {
        const char *text = atom_show(c->alphabet[k], ATOM_PLAIN, arena);
        if (is_literal(text)) tokens[plan.token_count++] = text;
        plan.digits &= is_int(text);
    }
    plan.closed = plan.token_count == c->alphabet_size && plan.token_count <= MOST_IN_DICT;
    return plan;
}

/* The setting of a magic comment; NULL: it cannot be one. */
static const char *alphabet_setting(const CompileOptions *c, Arena *arena) {
    const char *plain = "", *list = "[";
    bool letters = true;
    for (uint32_t k = 0; k < c->alphabet_size; k++) {
        Atom token = c->alphabet[k];
        letters &=
            token.kind == ATOM_STRING && token.s->chars == 1 && !strchr("[]@#\"", *token.s->text);
        plain = arena_format(arena, "%s%s", plain, atom_show(token, ATOM_PLAIN, arena));
        list =
            arena_format(arena, "%s%s%s", list, k ? "," : "", atom_show(token, ATOM_JSON, arena));
    }
    const char *text = letters ? plain : arena_format(arena, "%s]", list);
    return strpbrk(text, " \t\r\n#") ? NULL : text;
}

/* --- behaviour -------------------------------------------------------------------------- */

static uint64_t atom_bits(RaspAtom atom) {
    uint64_t hash = (uint64_t)atom.kind + 1, bits = 0;
    if (atom.kind == RASP_STRING) {
        for (size_t k = 0; k < atom.as.s.length; k++)
            hash = random_mix(hash + (unsigned char)atom.as.s.text[k] + 1);
        return hash;
    }
    if (atom.kind == RASP_FLOAT)
        memcpy(&bits, &atom.as.f, sizeof bits);
    else
        bits = atom.kind == RASP_INT ? (uint64_t)atom.as.i : atom.as.b;
    return random_mix(random_mix(hash) + bits);
}

static uint64_t sequence_bits(const RaspSequence *s) {
    uint64_t hash = rasp_sequence_length(s);
    for (size_t k = 0; k < rasp_sequence_length(s); k++)
        hash = random_mix(hash + atom_bits(rasp_sequence_at(s, k)));
    return hash;
}

/* What is known of one s-op so far. */
typedef struct Watched {
    uint64_t hash;  /* of all its values */
    uint64_t first; /* the first of them */
    bool begun, varies;
} Watched;

static void watch(Watched *w, const RaspSequence *s) {
    for (size_t k = 0; k < rasp_sequence_length(s); k++) {
        uint64_t bits = atom_bits(rasp_sequence_at(s, k));
        w->varies |= w->begun && bits != w->first;
        if (!w->begun) w->first = bits;
        w->begun = true;
    }
    w->hash = random_mix(w->hash + sequence_bits(s));
}

static bool watch_run(Drawn *d, const RaspInput *input, const RaspSop *sops, size_t count,
                      Watched *watched) {
    static const RaspRunOptions one = {.threads = 1};
    RaspRun *run = rasp_run_new(d->candidate, input, sops, count, &one, &d->error);
    bool fine = run != NULL;
    for (size_t k = 0; fine && k < count; k++) {
        const RaspSequence *values = rasp_run_sequence(run, k, &d->error);
        fine = values != NULL;
        if (fine) watch(&watched[k], values);
    }
    rasp_run_free(run);
    return fine;
}

/* Is each step more than a constant, and none another's equal? */
static bool steps_differ(const Watched *w, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (!w[k].varies) return false;
        for (size_t j = 0; j < k; j++)
            if (w[j].hash == w[k].hash) return false;
    }
    return true;
}

/* The result's values on the inputs: their hash, and do they depend on the tokens? */
static bool watch_inputs(Drawn *d, RaspInputs *inputs, const RaspSop *sops, size_t count,
                         Watched *all, Arena *arena) {
    uint64_t *seen = ARENA_ARRAY(arena, LENGTHS, uint64_t); /* by length, the first; 0: none */
    bool depends = false;
    RaspInput input;
    Watched *result = &all[count - 1];
    while (rasp_inputs_next(inputs, &input, &d->error)) {
        bool looked = rasp_inputs_info(inputs).given <= LOOKED_AT;
        Watched here = {0};
        if (looked && !watch_run(d, &input, sops, count, all)) return false;
        if (!watch_run(d, &input, &sops[count - 1], 1, &here)) return false;
        if (!looked) result->hash = random_mix(result->hash + here.hash);
        uint64_t *first = &seen[input.count % LENGTHS];
        depends |= *first && *first != here.hash;
        if (!*first) *first = here.hash;
        if (rasp_inputs_info(inputs).given == LOOKED_AT && !steps_differ(all, count)) return false;
    }
    d->info.behaviour = result->hash;
    return d->error.status == RASP_OK && depends && steps_differ(all, count);
}

/* The program's s-ops, the result last, behind those that are there and are no step. */
static const RaspSop *steps_of(Drawn *d, size_t *count, Arena *arena) {
    static const char *const inputs[] = {"tokens", "indices"};
    enum { INPUTS = 2 };
    size_t own;
    const RaspSop *sops = rasp_program_sops(d->candidate, &own, &d->error);
    RaspSop *all = sops ? ARENA_ARRAY(arena, own + INPUTS, RaspSop) : NULL;
    for (size_t k = 0; all && k < INPUTS; k++)
        if (!rasp_program_expression(d->candidate, inputs[k], &all[k], &d->error)) return NULL;
    for (size_t k = 0; all && k < own; k++) all[INPUTS + k] = sops[k];
    *count = own + INPUTS;
    return all;
}

static bool does_something(Drawn *d, Arena *arena) {
    RaspCheckOptions sample = {.seed = 1, .count = SAMPLE, .exhaustive_limit = EXHAUSTIVE};
    size_t count;
    const RaspSop *sops = steps_of(d, &count, arena);
    RaspInputs *inputs =
        sops ? rasp_inputs_new(d->candidate, &d->target, &sample, &d->error) : NULL;
    if (!inputs) return false;
    bool fine = watch_inputs(d, inputs, sops, count, ARENA_ARRAY(arena, count, Watched), arena);
    rasp_inputs_free(inputs);
    return fine;
}

/* --- a candidate ------------------------------------------------------------------------ */

static bool has_shape(Drawn *d, const SketchPlan *plan) {
    RaspSop sop;
    if (!rasp_program_sop(d->candidate, NULL, &sop, &d->error)) return false;
    const RaspLayers *layers = rasp_program_layers(d->candidate, &sop, &d->error);
    if (!layers || layers->count != plan->layers) return false;
    d->info.layers = layers->count;
    d->info.heads = (uint32_t)layers->head_count;
    return !plan->heads || plan->heads == layers->head_count;
}

static bool try_text(Drawn *d, const SketchPlan *plan, const char *text, Arena *arena) {
    RaspSource source = {.path = "random program", .text = text, .length = strlen(text)};
    d->error = (RaspError){0};
    d->candidate = rasp_program_load(&source, &d->quiet, &d->error);
    bool fine = d->candidate && has_shape(d, plan) && does_something(d, arena);
    rasp_program_free(d->candidate);
    d->candidate = NULL;
    return fine;
}

/* What ends the search and is no fault of the candidate. */
static bool is_stop(RaspStatus status) {
    return status == RASP_CANCELLED || status == RASP_OUT_OF_MEMORY || status == RASP_OUT_OF_TIME ||
           status == RASP_WRONG_USE;
}

static const char *comment_of(const RaspTarget *t, const CompileOptions *c, Arena *arena) {
    const char *alphabet = alphabet_setting(c, arena);
    const char *first = t->first && !strpbrk(t->first, " \t#") ? t->first : NULL;
    if (!alphabet) return arena_format(arena, "# rasp: max-length=%u\n", c->max_length);
    return arena_format(arena, "# rasp: alphabet=%s max-length=%u%s%s\n", alphabet, c->max_length,
                        first ? " first=" : "", first ? first : "");
}

static bool none_found(Core *core, const SketchPlan *p) {
    const char *heads =
        p->heads ? arena_format(core->arena, " and %u head%s", p->heads, plural(p->heads)) : "";
    return core_fail(core, RASP_FAILED,
                     "no program of %u layer%s%s within %u step%s among %d that were drawn",
                     p->layers, plural(p->layers), heads, p->steps, plural(p->steps), MOST_TRIES);
}

static bool search(Core *core, void *context) {
    Drawn *d = context;
    Record record = {.options = compile_options()};
    if (!target_domain(d->base, &d->target, &record)) return false;
    SketchPlan plan = plan_of(d->options, &record.options, core->arena);
    if (plan.token_count == 0)
        return core_fail(core, RASP_WRONG_USE, "no token of the alphabet can stand in a program");
    const char *comment = comment_of(&d->target, &record.options, core->arena);
    Random random = {random_mix(d->options->seed + 1)};
    for (uint32_t tries = 0; tries < MOST_TRIES; tries++) {
        Arena *arena = arena_child(core->arena);
        Sketch sketch;
        budget_poll(core->budget);
        if (sketch_draw(&plan, &random, arena, &sketch)) {
            const char *text = arena_format(arena, "%s%s", comment, sketch.text);
            if (try_text(d, &plan, text, arena)) d->text = strdup(text);
            if (is_stop(d->error.status))
                return core_fail(core, d->error.status, "%s", d->error.text);
            d->info.steps = sketch.steps;
            d->info.tries = tries;
            if (d->text) return true;
        }
        arena_free(arena);
    }
    return none_found(core, &plan);
}

/* --- the call --------------------------------------------------------------------------- */

static bool options_fit(const RaspRandomOptions *o, RaspError *error) {
    uint32_t layers = o->layers ? o->layers : 2;
    if (layers > RASP_RANDOM_LAYERS)
        return error_set(error, RASP_WRONG_USE, "layers: expected at most %d, found %u",
                         RASP_RANDOM_LAYERS, layers);
    if (o->heads > RASP_RANDOM_HEADS || (o->heads && o->heads < layers))
        return error_set(error, RASP_WRONG_USE,
                         "heads: expected from %u (one a layer) to %d, found %u", layers,
                         RASP_RANDOM_HEADS, o->heads);
    if (o->steps && o->steps < layers)
        return error_set(error, RASP_WRONG_USE,
                         "steps: expected at least %u (one a layer), found %u", layers, o->steps);
    return true;
}

_Static_assert((int)RASP_RANDOM_LAYERS == (int)SKETCH_MOST_LAYERS, "one limit, written twice");

char *rasp_random_program(const RaspRandomOptions *options, const RaspConfig *config,
                          RaspRandomInfo *info, RaspError *error) {
    Drawn d = {.options = options, .target = options->target};
    RaspSource nothing = {.path = "random program", .text = ""};
    if (!d.target.alphabet && !d.target.tokens) d.target.alphabet = "abcd";
    if (!d.target.max_length) d.target.max_length = 8;
    if (config) d.quiet = *config;
    d.quiet.report = NULL;
    if (!options_fit(options, error)) return NULL;
    d.base = rasp_program_load(&nothing, config, error);
    if (d.base) core_call(&d.base->core, error, RASP_WRONG_PROGRAM, search, &d);
    rasp_program_free(d.candidate);
    rasp_program_free(d.base);
    if (d.text && info) *info = d.info;
    return d.text;
}
