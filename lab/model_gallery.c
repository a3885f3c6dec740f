/* Item 24: four heads on tagged words: the previous token, a router by tags, decay with distance, a
 * class of keys. */
#include "lab/model.h"

#include "api/rasp_circuit.h"
#include "lab/engine_head.h"
#include "lab/programs.h"

#include <math.h>
#include <string.h>

/* Tokens are a word and its tag: determiner, adjective, noun, verb, preposition. */
static const char *const words[] = {"the/D",  "a/D",   "old/A",   "big/A", "dog/N", "cat/N",
                                    "park/N", "saw/V", "liked/V", "in/P",  "near/P"};
enum { WORDS = sizeof words / sizeof *words, LONGEST = 12 };
static const char alphabet[] = "[\"the/D\", \"a/D\", \"old/A\", \"big/A\", \"dog/N\", \"cat/N\", "
                               "\"park/N\", \"saw/V\", \"liked/V\", \"in/P\", \"near/P\"]";

/* A verb asks for the nouns before it, in these sentences its subject; a preposition for verbs. */
static const char source[] =
    "tag = {\"the/D\": \"D\", \"a/D\": \"D\", \"old/A\": \"A\", \"big/A\": \"A\", \"dog/N\": "
    "\"N\", "
    "\"cat/N\": \"N\", \"park/N\": \"N\", \"saw/V\": \"V\", \"liked/V\": \"V\", \"in/P\": \"P\", "
    "\"near/P\": \"P\"}[tokens];\n"
    "asks = {\"D\": \"-\", \"A\": \"-\", \"N\": \"-\", \"V\": \"N\", \"P\": \"V\"}[tag];\n"
    "describes = tag in [\"D\", \"A\"];\n"
    "noun = 1 if tag == \"N\" else 0;\n"
    "previous = aggregate(select(indices, indices - 1, ==), tokens, \"-\");\n"
    "routed = aggregate(select(tag, asks, ==) and select(indices, indices, <), indices, -1);\n"
    "class = aggregate(select(describes, True, ==) and select(indices, indices, <=),\n"
    "                  1 if tag == \"D\" else 0, -1);\n";

/* --- sentences -------------------------------------------------------------------------------- */

static size_t draw_word(Rng *rng, char tag) {
    for (;;) {
        size_t k = rng_below(rng, WORDS);
        if (words[k][strlen(words[k]) - 1] == tag) return k;
    }
}

static void draw_phrase(Rng *rng, size_t *sentence, size_t *n) {
    sentence[(*n)++] = draw_word(rng, 'D');
    if (rng_below(rng, 2)) sentence[(*n)++] = draw_word(rng, 'A');
    sentence[(*n)++] = draw_word(rng, 'N');
}

/* Phrase, verb, phrase, and perhaps a preposition with another: 5 to 11 words. */
static size_t draw_sentence(Rng *rng, size_t *sentence) {
    size_t n = 0;
    draw_phrase(rng, sentence, &n);
    sentence[n++] = draw_word(rng, 'V');
    draw_phrase(rng, sentence, &n);
    if (rng_below(rng, 2)) {
        sentence[n++] = draw_word(rng, 'P');
        draw_phrase(rng, sentence, &n);
    }
    return n;
}

static char tag_of(size_t word) {
    return words[word][strlen(words[word]) - 1];
}

static RaspInput input_of(const size_t *sentence, size_t n, RaspAtom *atoms) {
    for (size_t i = 0; i < n; i++) atoms[i] = rasp_string(words[sentence[i]]);
    return (RaspInput){.tokens = atoms, .count = n};
}

/* --- the patterns, from the tags alone ---------------------------------------------------------
 */

typedef enum Exhibit { PREVIOUS, ROUTER, CLASS, SELECTED } Exhibit;
static const struct {
    const char *sop, *title;
} exhibits[SELECTED] = {{"previous", "H1: the previous token"},
                        {"routed", "H2: verb to subject, preposition to verb"},
                        {"class", "H4: determiners and modifiers so far"}};

static bool looks_at(Exhibit exhibit, const size_t *sentence, size_t i, size_t j) {
    char query = tag_of(sentence[i]), key = tag_of(sentence[j]);
    if (exhibit == PREVIOUS) return j + 1 == i;
    if (exhibit == ROUTER)
        return j < i && ((query == 'V' && key == 'N') || (query == 'P' && key == 'V'));
    return j <= i && (key == 'D' || key == 'A');
}

/* [n, 1 + n]: column 0 is the sink, which has what selects nothing. */
static Matrix pattern(Arena *arena, Exhibit exhibit, const size_t *sentence, size_t n) {
    Matrix a = matrix_new(arena, n, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t count = 0;
        for (size_t j = 0; j < n; j++) count += looks_at(exhibit, sentence, i, j);
        *matrix_at(a, i, 0) = count == 0;
        for (size_t j = 0; j < n; j++)
            if (looks_at(exhibit, sentence, i, j)) *matrix_at(a, i, 1 + j) = 1 / (double)count;
    }
    return a;
}

/* --- the same of compiled heads ----------------------------------------------------------------
 */

typedef struct Watch {
    uint32_t layer, head;
    Matrix weights; /* [n, n+1] */
    bool seen;
} Watch;

static void keep_weights(void *context, size_t layer, size_t head, size_t n, const double *scores,
                         const double *weights, size_t width, const double *result) {
    Watch *w = context;
    (void)scores, (void)width, (void)result;
    if (layer != w->layer || head != w->head || n != w->weights.rows) return;
    memcpy(w->weights.x, weights + n + 1, n * (n + 1) * sizeof *weights);
    w->seen = true;
}

/* The head that fetches values; others count what is selected. */
static bool find_head(const LabProgram *p, Watch *w, RaspError *error) {
    const RaspCircuit *circuit = rasp_model_circuit(p->model, error);
    for (size_t h = 0; circuit && h < circuit->head_count; h++)
        if (strcmp(circuit->heads[h].result, "count") != 0) {
            w->layer = circuit->heads[h].layer;
            w->head = circuit->heads[h].head;
            return true;
        }
    return false;
}

typedef struct Gallery {
    LabProgram programs[SELECTED];
    RaspEngine *hard[SELECTED], *soft[SELECTED];
    Watch watch[SELECTED];
} Gallery;

static bool open_gallery(Lab *lab, Page *page, Gallery *g) {
    RaspTarget target = {.alphabet = alphabet, .max_length = LONGEST, .dtype = RASP_F64};
    RaspError error = {.text = "no head that fetches values"};
    for (Exhibit e = 0; e < SELECTED; e++) {
        LabProgram *p = &g->programs[e];
        if (!lab_compile_for(lab, page, source, exhibits[e].sop, &target, p)) return false;
        g->hard[e] = lab_engine(lab, page, p, RASP_AVERAGE, 1);
        g->soft[e] = lab_engine(lab, page, p, RASP_SOFTMAX, 1);
        if (!g->hard[e] || !g->soft[e]) return false;
        if (find_head(p, &g->watch[e], &error)) continue;
        page_note(page, "%s: %s", exhibits[e].sop, error.text);
        check_none(page, "programs without such a head", 1);
        return false;
    }
    return true;
}

static Matrix watch_head(Lab *lab, Page *page, Watch *w, RaspEngine *engine,
                         const RaspInput *input) {
    RaspTap tap = {.context = w, .head = keep_weights};
    RaspError error = {.text = "the head was not seen"};
    w->weights = matrix_new(lab->arena, input->count, input->count + 1);
    w->seen = false;
    RaspForward *f = rasp_trace(engine, input, &tap, &error);
    rasp_forward_free(f);
    if (!f || !w->seen) {
        page_note(page, "%s", error.text);
        check_none(page, "passes that failed", 1);
    }
    return w->weights;
}

static void draw_picture(Page *page, const char *title, Matrix a, const size_t *sentence) {
    const char *rows[LONGEST], *columns[LONGEST + 1] = {"sink"};
    bool sink = a.cols > a.rows;
    for (size_t i = 0; i < a.rows; i++) {
        rows[i] = words[sentence[i]];
        columns[sink + i] = strchr(rows[i], '/') + 1;
    }
    page_plot(page, plot_matrix(page->arena, title, "key, by its tag", "query", a.rows, a.cols, a.x,
                                rows, columns));
}

/* --- H3: decay ---------------------------------------------------------------------------------
 */

/* Weights ½^(i−j), normalised, on 0/1 values: RASP selects or does not, so in RASP it is a sum of
 * as many heads as there are distances. */
static const char *decay_source(Arena *arena) {
    const char *above = "noun", *below = "1";
    for (int t = 1; t < LONGEST; t++) {
        double factor = ldexp(1, -t);
        above = arena_format(arena,
                             "%s + %.17g * aggregate(select(indices, indices - %d, ==), noun, 0)",
                             above, factor, t);
        below = arena_format(arena, "%s + %.17g * (1 if indices >= %d else 0)", below, factor, t);
    }
    return arena_format(arena, "(%s) / (%s)", above, below);
}

static Matrix decay_head(Lab *lab, Page *page, size_t n, Matrix values) {
    EngineHead head = {RT_SOFTMAX, 1, RT_MASK_CAUSAL, RT_F64, 0, NULL, 0};
    Matrix q = matrix_new(lab->arena, n, 1), k = matrix_new(lab->arena, n, 1);
    for (size_t i = 0; i < n; i++) q.x[i] = 1, k.x[i] = log(2) * (double)i;
    return engine_attend(lab, page, &head, q, k, values);
}

/* (1 − λ) λ^t / (1 − λ^(i+1)), λ = ½. */
static double geometric_error(Matrix a) {
    double worst = 0;
    for (size_t i = 0; i < a.rows; i++)
        for (size_t j = 0; j < a.rows; j++) {
            double law = j > i ? 0 : 0.5 * ldexp(1, (int)j - (int)i) / (1 - ldexp(1, -1 - (int)i));
            worst = fmax(worst, fabs(*matrix_at(a, i, j) - law));
        }
    return worst;
}

/* The engine's head against the interpreter on the sum of heads. */
static double decay_error(Lab *lab, Page *page, RaspProgram *program, const RaspSop *sop,
                          const size_t *sentence, size_t n, double *out) {
    RaspAtom atoms[LONGEST];
    RaspInput input = input_of(sentence, n, atoms);
    RaspError error = {.text = ""};
    Matrix nouns = matrix_new(lab->arena, n, 1);
    double worst = 0;
    for (size_t i = 0; i < n; i++) nouns.x[i] = tag_of(sentence[i]) == 'N';
    Matrix found = decay_head(lab, page, n, nouns);
    RaspRun *run = rasp_run_new(program, &input, sop, 1, NULL, &error);
    const RaspSequence *expected = run ? rasp_run_sequence(run, 0, &error) : NULL;
    if (!expected) page_note(page, "%s", error.text);
    for (size_t i = 0; i < n; i++) {
        double by = expected ? lab_number(rasp_sequence_at(expected, i)) : NAN;
        worst = fmax(worst, isfinite(by) ? fabs(found.x[i] - by) : INFINITY);
        out[i] = found.x[i];
    }
    rasp_run_free(run);
    return worst;
}

/* --- all of them as one model ------------------------------------------------------------------
 */

static void free_model(void *model) {
    rasp_model_free(model);
}

/* H1, H2 and H4 as outputs of one model, side by side in its residual stream. */
static RaspEngine *concatenate(Lab *lab, Page *page, LabProgram *p, RaspSop sops[SELECTED]) {
    RaspTarget target = {.alphabet = alphabet, .max_length = LONGEST};
    RaspError error;
    LabProgram all = *p;
    bool ok = true;
    for (Exhibit e = 0; ok && e < SELECTED; e++)
        ok = rasp_program_sop(p->program, exhibits[e].sop, &sops[e], &error);
    all.model = ok ? rasp_compile(p->program, sops, SELECTED, &target, &error) : NULL;
    if (!all.model) {
        lab_poll(lab);
        page_note(page, "%s", error.text);
        check_none(page, "programs that could not be compiled", 1);
        return NULL;
    }
    lab_defer(lab, free_model, all.model);
    return lab_engine(lab, page, &all, RASP_SOFTMAX, 1);
}

/* Values of the outputs that the interpreter does not give. */
static size_t apart(RaspProgram *program, RaspEngine *engine, const RaspSop *sops,
                    const RaspInput *input, size_t *values) {
    RaspError error;
    size_t wrong = 0;
    RaspForward *f = rasp_forward(engine, input, &error);
    RaspRun *run = rasp_run_new(program, input, sops, SELECTED, NULL, &error);
    for (size_t e = 0; e < SELECTED; e++) {
        const RaspSequence *found = f ? rasp_forward_sequence(f, e) : NULL;
        const RaspSequence *expected = run ? rasp_run_sequence(run, e, &error) : NULL;
        for (size_t i = 0; i < input->count; i++, ++*values)
            wrong += !found || !expected ||
                     !rasp_atom_equal(rasp_sequence_at(found, i), rasp_sequence_at(expected, i));
    }
    rasp_forward_free(f);
    rasp_run_free(run);
    return wrong;
}

static void show_sentence(Page *page, RaspEngine *engine, const size_t *sentence, size_t n,
                          const double *decayed) {
    PageTable *table =
        page_table(page, "what the four heads say",
                   (const char *const[]){"token", "H1", "H2: position", "H3: nouns, decayed",
                                         "H4: share of determiners", NULL});
    RaspAtom atoms[LONGEST];
    RaspError error;
    RaspInput input = input_of(sentence, n, atoms);
    RaspForward *f = rasp_forward(engine, &input, &error);
    for (size_t i = 0; f && i < n; i++) {
        char previous[24];
        RaspAtom said[SELECTED];
        for (size_t e = 0; e < SELECTED; e++)
            said[e] = rasp_sequence_at(rasp_forward_sequence(f, e), i);
        rasp_atom_text(said[PREVIOUS], RASP_PLAIN, previous, sizeof previous);
        table_text(table, words[sentence[i]]);
        table_text(table, previous);
        table_number(table, lab_number(said[ROUTER]), 4);
        table_number(table, decayed[i], 4);
        table_number(table, lab_number(said[CLASS]), 4);
    }
    rasp_forward_free(f);
}

/* "the old dog saw a cat in the park" */
static const size_t shipped[] = {0, 2, 4, 7, 1, 5, 9, 0, 6};
enum { SHIPPED = sizeof shipped / sizeof *shipped };

typedef struct Findings {
    double hard, soft, decay, geometric;
    size_t wrong, values;
} Findings;

static void look(Lab *lab, Page *page, Gallery *g, const size_t *sentence, size_t n, bool show,
                 Findings *f) {
    RaspAtom atoms[LONGEST];
    RaspInput input = input_of(sentence, n, atoms);
    for (Exhibit e = 0; e < SELECTED; e++) {
        Matrix expected = pattern(lab->arena, e, sentence, n);
        Matrix a = watch_head(lab, page, &g->watch[e], g->hard[e], &input);
        f->hard = fmax(f->hard, matrix_difference(a, expected));
        if (show) draw_picture(page, exhibits[e].title, a, sentence);
        a = watch_head(lab, page, &g->watch[e], g->soft[e], &input);
        f->soft = fmax(f->soft, matrix_difference(a, expected));
    }
    Matrix a = decay_head(lab, page, n, matrix_identity(lab->arena, n));
    f->geometric = fmax(f->geometric, geometric_error(a));
    if (show) draw_picture(page, "H3: weight ½ to the distance", a, sentence);
}

void model_gallery(Lab *lab, Page *page) {
    Gallery g = {.hard = {NULL}};
    Findings f = {0};
    RaspSop sops[SELECTED], decay;
    RaspError error;
    double decayed[LONGEST];
    if (!open_gallery(lab, page, &g)) return;
    LabProgram *p = &g.programs[0];
    RaspEngine *engine = concatenate(lab, page, p, sops);
    if (!engine) return;
    if (!rasp_program_expression(p->program, decay_source(lab->arena), &decay, &error)) {
        page_note(page, "%s", error.text);
        check_none(page, "programs that could not be read", 1);
        return;
    }
    size_t cases = lab->quick ? 20 : 400;
    for (size_t c = 0; c < cases; c++) {
        RaspAtom atoms[LONGEST];
        size_t sentence[LONGEST], n = SHIPPED;
        lab_progress(lab, (double)c / (double)cases);
        memcpy(sentence, shipped, sizeof shipped);
        if (c > 0) n = draw_sentence(lab->rng, sentence);
        RaspInput input = input_of(sentence, n, atoms);
        look(lab, page, &g, sentence, n, c == 0, &f);
        f.wrong += apart(p->program, engine, sops, &input, &f.values);
        double off = decay_error(lab, page, p->program, &decay, sentence, n, decayed);
        f.decay = fmax(f.decay, off);
        if (c == 0) show_sentence(page, engine, sentence, n, decayed);
    }
    check_near(page, IDENTITY, "matrices of H1, H2, H4, averaging, − patterns of the tags: largest",
               f.hard, 0, 0);
    check_near(page, IDENTITY, "the same with softmax", f.soft, 0, 1e-12);
    check_near(page, IDENTITY, "matrix of H3 − (1 − λ) λ^t / (1 − λ^(i+1)), λ = ½: largest",
               f.geometric, 0, 1e-12);
    check_none(page,
               arena_format(page->arena,
                            "of %zu values of the three heads in one model, not the interpreter's",
                            f.values),
               f.wrong);
    check_near(page, IDENTITY, "H3 − the interpreter on a sum of 12 heads, largest", f.decay, 0,
               1e-12);
}
