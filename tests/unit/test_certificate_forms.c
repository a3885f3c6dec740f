/* What is off before any weight is changed, the certificate must count: a form stands for an s-op
 * within its slack, and the sink's row holds what rounding made of it.  In compiled programs both
 * are off by less than rounding, and it shows nowhere.  So each form of a circuit in turn is put
 * off by as much as its slack then says, by its constant or by a factor, and weights are made of
 * it; and each column that the sink's row is read by.  Wherever the certificate holds, every part
 * of the residual stream must stay within its bound. */
#include "tests/unit/certificate_probe.h"

static const struct {
    const char *name, *alphabet, *text;
    uint32_t length;
} programs[] = {
    {"table of a sum", "abc", "y = \"x\" if indices + length in [3, 5, 6] else tokens;", 4},
    {"count", "abc", "y = selector_width(select(tokens, tokens, ==)) * indices;", 4},
    {"mean", "ab",
     "m = aggregate(select(indices, indices, <=), 1.0 if tokens == \"a\" else -1.0);"
     "y = m + indices if m > 0 else -m;",
     4},
    {"default", "ab", "y = aggregate(select(tokens, \"a\", ==), indices, -3.0) * 2 - indices;", 3},
    {"numbers compared", "ab",
     "n = selector_width(select(tokens, tokens, ==));"
     "y = aggregate(select(n, n, ==), 1.0 if tokens == \"a\" else -1.0) == 1;",
     4},
    {"one-hots", "abc",
     "y = aggregate(select(indices, 1 if tokens == \"a\" else 2, <), 1.0 * indices) - length;", 4},
};
enum { PROGRAM_COUNT = sizeof programs / sizeof *programs };

static const double OFF = 0x1p-16;

static void open_program(CompileFixture *f, size_t k) {
    fixture_open(f, programs[k].text, programs[k].alphabet, programs[k].length);
    f->options.dtype = COMPILE_F64;
    if (!fixture_compile(f)) fail_msg("%s: %s", programs[k].name, f->error.message);
}

static void *copy(Arena *arena, const void *from, size_t size) {
    void *to = arena_alloc(arena, size + 1);
    return size ? memcpy(to, from, size) : to;
}

/* Form number *which of a head, or NULL and *which less that many. */
static Form *form_of_head(CircuitHead *head, size_t *which, Arena *arena) {
    CircuitComponent *components =
        copy(arena, head->components, head->component_count * sizeof *components);
    ScorePair *pairs = copy(arena, head->score.pairs, head->score.pair_count * sizeof *pairs);
    head->components = components;
    head->score.pairs = pairs;
    for (uint32_t c = 0; c < head->component_count; c++)
        if ((*which)-- == 0) return &components[c].value;
    for (uint32_t p = 0; p < 2 * head->score.pair_count; p++)
        if ((*which)-- == 0) return p % 2 ? &pairs[p / 2].key : &pairs[p / 2].query;
    if ((*which)-- == 0) return &head->score.key_only;
    if ((*which)-- == 0) return &head->score.query_only;
    return NULL;
}

/* A copy of the circuit, and that form in it; NULL: it has not so many. */
static Circuit *copy_circuit(const Circuit *from, size_t which, Form **form, Arena *arena) {
    Circuit *c = copy(arena, from, sizeof *from);
    CircuitHead *heads = copy(arena, c->heads, c->head_count * sizeof *heads);
    CircuitTable *tables = copy(arena, c->tables, c->table_count * sizeof *tables);
    c->heads = heads;
    c->tables = tables;
    for (uint32_t h = 0; h < c->head_count; h++)
        if ((*form = form_of_head(&heads[h], &which, arena))) return c;
    for (uint32_t t = 0; t < c->table_count; t++)
        if (which-- == 0) {
            *form = &tables[t].form;
            return c;
        }
    return NULL;
}

/* By its constant, or by the factor of a term; false: there is none to put off. */
static bool put_off(const Circuit *c, Form *form, size_t term, double off, Arena *arena) {
    if (term > form->count || (term == form->count && (c->one == DIM_NONE || term == 0)))
        return false;
    if (term == form->count) {
        form->constant += off;
        form->slack += fabs(off);
        return true;
    }
    FormTerm *terms = copy(arena, form->terms, form->count * sizeof *terms);
    terms[term].factor += off;
    terms[term].error += fabs(off);
    form->terms = terms;
    return true;
}

static void test_forms_that_are_off(void **state) {
    (void)state;
    size_t held = 0, all = 0;
    for (size_t k = 0; k < PROGRAM_COUNT; k++) {
        CompileFixture f;
        Form *form;
        open_program(&f, k);
        const Circuit *compiled = f.compiled.circuit;
        for (size_t which = 0; copy_circuit(compiled, which, &form, f.arena); which++)
            for (size_t way = 0; way < 2 * ((size_t)form->count + 1); way++) {
                Circuit *c = copy_circuit(compiled, which, &form, f.arena);
                double off = way % 2 ? OFF : -OFF;
                if (!put_off(c, form, way / 2, off, f.arena)) break;
                all++;
                if (!remake(&f, c)) continue;
                held++;
                probe_program(&f, programs[k].name, 40);
                check_outputs(&f, programs[k].name);
            }
        fixture_close(&f);
    }
    assert_true(held > 50 && held < all);
}

/* Adds `off` to the sink's weight of one column of key or value, of the ideal weights too; false:
 * the heads with a sink have not so many. */
static bool put_sink_off(CompileFixture *f, size_t which, double off) {
    const Circuit *c = f->compiled.circuit;
    for (uint32_t h = 0; h < c->head_count; h++) {
        const CircuitHead *head = &c->heads[h];
        if (head->kind == HEAD_PLAIN) continue;
        ModelHead *of[] = {f->compiled.ideal->layers[head->layer]->heads[head->index],
                           f->compiled.model->layers[head->layer]->heads[head->index]};
        size_t keys = of[0]->key.cols, columns = keys + of[0]->value.cols;
        for (int m = 0; which < columns && m < 2; m++)
            tensor_add(which < keys ? &of[m]->key : &of[m]->value, c->sink,
                       which < keys ? which : which - keys, off);
        if (which < columns) return true;
        which -= columns;
    }
    return false;
}

static void test_sinks_that_are_off(void **state) {
    (void)state;
    size_t held = 0, all = 0;
    for (size_t k = 0; k < PROGRAM_COUNT; k++) {
        CompileFixture f;
        open_program(&f, k);
        const Circuit *c = f.compiled.circuit;
        for (size_t which = 0; remake(&f, c); which++) {
            if (!put_sink_off(&f, which / 2, which % 2 ? OFF : -OFF)) break;
            all++;
            Certificate *certificate = ARENA_NEW(f.arena, Certificate);
            f.compiled.certificate = certificate;
            if (!certificate_check(c, f.compiled.ideal, f.compiled.model, f.arena, certificate))
                continue;
            held++;
            probe_program(&f, programs[k].name, 40);
            check_outputs(&f, programs[k].name);
        }
        fixture_close(&f);
    }
    assert_true(held > 10 && held < all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_that_are_off),
                                       cmocka_unit_test(test_sinks_that_are_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
