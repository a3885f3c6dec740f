/* What a file says of itself beside its weights and claims, changed: inputs, kernel, heads' words,
 * decoders.  It is verified only if what it says then is right on every input, and where a change
 * makes it wrong for certain, it is not. */
#include "tests/unit/claims_fixture.h"

#include <math.h>

static const Subject subjects[] = {
    {"y = sort(tokens, tokens);", {.alphabet = "abc", .max_length = 4}},
    {"y = selector_width(select(tokens, tokens, ==));", {.alphabet = "abc", .max_length = 4}},
    {"y = aggregate(select(tokens, \"a\", ==), indices, -1);",
     {.alphabet = "ab", .max_length = 4, .kernel = RASP_SPARSEMAX}},
    {"y = has_focus(select(tokens, tokens, ==) and select(indices, indices, <));",
     {.alphabet = "ab", .max_length = 4, .kernel = RASP_ENTMAX15}},
    {"y = aggregate(select(tokens, tokens, ==), tokens_int);",
     {.alphabet = "12", .max_length = 3, .log_length = true}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* --- changes ------------------------------------------------------------------------------- */

/* The heads that take part, one by one. */
typedef bool ChangeHead(ModelHead *head);
static bool each_head(Model *m, ChangeHead *change) {
    bool any = false;
    for (size_t l = 0; l < m->layer_count; l++)
        for (size_t h = 0; h < m->layers[l]->head_count; h++) any |= change(m->layers[l]->heads[h]);
    return any;
}

static bool no_kernel(Model *m) {
    bool sparse = m->kernel != RT_SOFTMAX;
    m->kernel = RT_SOFTMAX;
    return sparse;
}
static bool sparser(Model *m) {
    m->kernel = m->kernel == RT_SPARSEMAX ? RT_ENTMAX15 : RT_SPARSEMAX;
    return true;
}
static bool head_masked(ModelHead *head) {
    head->mask = head->mask == RT_MASK_NONE ? RT_MASK_CAUSAL : RT_MASK_NONE;
    return true;
}
static bool masked(Model *m) {
    return each_head(m, head_masked);
}
static bool head_without_sink(ModelHead *head) {
    bool had = head->sink && head->mask == RT_MASK_NONE;
    if (had) head->sink = false;
    return had;
}
static bool without_sink(Model *m) {
    return each_head(m, head_without_sink);
}
static bool head_with_sink(ModelHead *head) {
    bool had = head->sink;
    head->sink = true;
    return !had;
}
static bool with_sink(Model *m) {
    return each_head(m, head_with_sink);
}
static bool head_scaled(ModelHead *head) {
    head->scale = head->scale == RT_SCALE_ONE ? RT_SCALE_LOG_LENGTH : RT_SCALE_ONE;
    return true;
}
static bool scaled(Model *m) {
    return each_head(m, head_scaled);
}
static bool head_gap_less(ModelHead *head) {
    head->gap /= 2;
    return true;
}
static bool gap_less(Model *m) {
    return each_head(m, head_gap_less);
}
static bool head_gap_more(ModelHead *head) {
    head->gap *= 4;
    return true;
}
static bool gap_more(Model *m) {
    return each_head(m, head_gap_more);
}
static bool head_biased(ModelHead *head) {
    const double slope = 100;
    return head_set_bias(head, RT_BIAS_ALIBI, 0, &slope, 1);
}
static bool biased(Model *m) {
    return each_head(m, head_biased);
}

static void swap_atoms(RtAtom *a, RtAtom *b) {
    RtAtom kept = *a;
    *a = *b, *b = kept;
}
static bool tokens_swapped(Model *m) {
    swap_atoms(&m->alphabet[0], &m->alphabet[1]);
    return true;
}
static bool rows_swapped(Model *m) {
    for (size_t d = 0; d < m->width; d++) {
        double *a = &m->tokens.data[m->width + d], *b = &m->tokens.data[2 * m->width + d];
        double kept = *a;
        *a = *b, *b = kept;
    }
    return true;
}
static bool both_swapped(Model *m) {
    return tokens_swapped(m) && rows_swapped(m);
}
static bool shorter(Model *m) {
    m->max_length--, m->positions.rows--;
    return true;
}
static bool shorter_alone(Model *m) {
    m->max_length--;
    return true;
}
static bool values_swapped(Model *m) {
    ModelOutput *o = m->outputs[0];
    if (o->decode != RT_DECODE_ARGMAX) return false;
    swap_atoms(&o->values[0], &o->values[1]);
    return true;
}
static bool a_value_more(Model *m) { /* where it is a number */
    ModelOutput *o = m->outputs[0];
    RtAtom *last = &o->values[o->value_count - 1];
    if (last->kind == RT_INT) return last->u.i++, true;
    if (last->kind == RT_FLOAT) return last->u.f++, true;
    return false;
}
static bool a_kind_changed(Model *m) {
    RtAtom *first = &m->outputs[0]->values[0];
    if (first->kind == RT_INT) return *first = rt_float((double)first->u.i), true;
    if (first->kind == RT_FLOAT) return *first = rt_int((int64_t)first->u.f), true;
    if (first->kind == RT_BOOL) return *first = rt_int(first->u.b), true;
    return false;
}
static bool a_value_less(Model *m) { /* the last one; its text is lost with it */
    ModelOutput *o = m->outputs[0];
    if (o->values[o->value_count - 1].kind == RT_STRING) return false;
    o->value_count--;
    return true;
}
static bool read_beside(Model *m) {
    ModelOutput *o = m->outputs[0];
    o->start = o->start > 0 ? o->start - 1 : 1;
    return true;
}
static bool places_moved(Model *m) {
    ModelOutput *o = m->outputs[0];
    if (o->decode != RT_DECODE_NEAREST) return false;
    double places[64];
    for (size_t k = 0; k < o->value_count; k++) places[k] = output_place(o, k) + 0.75;
    return output_set_places(o, places);
}
static bool decoded_otherwise(Model *m) {
    ModelOutput *o = m->outputs[0];
    bool nearest = o->decode == RT_DECODE_NEAREST && !o->places;
    if (nearest) o->decode = RT_DECODE_ARGMAX;
    return nearest;
}
static bool renamed(Model *m) {
    m->outputs[0]->name[0] = 'z';
    return true;
}
static bool error_less(Model *m) { /* what the file states is nobody's proof */
    json_t *certificate = json_object_get(m->extra, "certificate");
    return json_object_set_new(certificate, "error", json_real(0)) == 0 &&
           json_object_set_new(certificate, "beta", json_real(1e6)) == 0;
}
static bool infinite(Model *m) {
    m->tokens.data[m->width] = INFINITY;
    return true;
}
static bool subnormal(Model *m) {
    for (size_t k = 0; k < tensor_size(&m->tokens); k++)
        if (m->tokens.data[k] == 0) m->tokens.data[k] = 1e-42;
    return true;
}

typedef enum Then { WRONG, MAYBE, RIGHT } Then;

static const struct Change {
    const char *name;
    bool (*change)(Model *m); /* false: there is nothing to change */
    Then then;
} changes[] = {
    {"nothing", NULL, RIGHT},
    {"softmax for a sparse kernel", no_kernel, MAYBE},
    {"a sparse kernel", sparser, MAYBE},
    {"masks", masked, WRONG},
    {"heads without sinks", without_sink, MAYBE},
    {"heads with sinks", with_sink, MAYBE},
    {"the scale of scores", scaled, MAYBE},
    {"a smaller gap", gap_less, MAYBE},
    {"a greater gap", gap_more, WRONG},
    {"position biases", biased, WRONG},
    {"two tokens", tokens_swapped, MAYBE}, /* for some programs all tokens are alike */
    {"two tokens' rows", rows_swapped, MAYBE},
    {"two tokens and their rows", both_swapped, MAYBE},
    {"the longest input", shorter, MAYBE},
    {"the longest input, and not the rows", shorter_alone, WRONG},
    {"two values", values_swapped, WRONG},
    {"a greater value", a_value_more, WRONG},
    {"a value's kind", a_kind_changed, WRONG},
    {"a value less", a_value_less, WRONG},
    {"where an output is read", read_beside, WRONG},
    {"where values stand", places_moved, WRONG},
    {"how an output is decoded", decoded_otherwise, WRONG},
    {"an output's name", renamed, WRONG},
    {"the stated error", error_less, RIGHT},
    {"an infinite weight", infinite, WRONG},
    {"subnormal weights", subnormal, MAYBE},
};

/* --- judged -------------------------------------------------------------------------------- */

static Model *compiled(const Subject *s) {
    Bytes b = compile(s);
    Model *model = load(b);
    rasp_free(b.bytes);
    return model;
}

static void must_agree(RaspModel *m, const char *text, const char *change) {
    RaspError error = {0};
    RaspCheckReport *check = rasp_check(m, NULL, &error);
    if (!check) fail_msg("%s: %s changed: %s", text, change, error.text);
    if (!check->exhaustive || !check->agree)
        fail_msg("%s: %s changed, verified, and wrong", text, change);
    rasp_check_free(check);
}

static bool verified(const Model *model, const char *text, const char *change) {
    RaspError error = {0};
    RaspClaimsReport report;
    RtError reason;
    unsigned char *bytes;
    size_t size;
    if (!model_save_bytes(model, &bytes, &size, &reason)) return false;
    RaspModel *m = rasp_model_from_bytes(bytes, size, "w.bin", &config, &error);
    bool holds = m && rasp_verify_claims(m, NULL, &report, &error) && report.holds;
    if (holds) must_agree(m, text, change);
    rasp_model_free(m);
    free(bytes);
    return holds;
}

static void test_frame(void **state) {
    (void)state;
    size_t shown = 0, refused = 0;
    for (size_t s = 0; s < SUBJECTS; s++)
        for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
            const struct Change *c = &changes[k];
            Model *model = compiled(&subjects[s]);
            if (!c->change || c->change(model)) {
                bool holds = verified(model, subjects[s].text, c->name);
                if (holds && c->then == WRONG)
                    fail_msg("%s: %s changed, and verified", subjects[s].text, c->name);
                if (!holds && c->then == RIGHT)
                    fail_msg("%s: %s changed, and refused", subjects[s].text, c->name);
                holds ? shown++ : refused++;
            }
            if (c->change == shorter) model->positions.rows++;
            model_free(model);
        }
    print_message("%zu shown, %zu refused\n", shown, refused);
    assert_true(refused > 60 && shown > 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
