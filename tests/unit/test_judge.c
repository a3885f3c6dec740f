/* The judge of claims (prove/judge.h), attacked.
 *
 * Of what the compiler made it gets the claims, with every number of the compiler's taken out, and
 * weights.  What it lets pass must be right on every input, and within its bound, whatever was
 * done to the weights; and a claim that is not as good as the right one is refused. */
#include "tests/unit/judge_fixture.h"

#include "compile/inputs.h"
#include "interp/exec/exec.h"

static void test_as_compiled(void **state) {
    (void)state;
    static const ValuesWay ways[] = {VALUES_BY_DOMAIN, VALUES_PRODUCTS};
    for (size_t k = 0; k < 2 * (size_t)CASES; k++) {
        CompileFixture f;
        Verdict v;
        const Case *c = &cases[k / 2];
        fixture_open(&f, c->text, c->alphabet, c->max_length);
        f.options.way = ways[k % 2];
        if (!fixture_compile(&f)) fail_msg("%s: %s", c->text, f.error.message);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        if (!judged(&f, &claims.circuit, f.compiled.model, &v))
            fail_msg("%s: %s%s", cases[k / 2].text, v.refused, v.certificate.broken);
        must_be_right(&f, &v, cases[k / 2].text, "what was compiled");
        fixture_close(&f);
    }
}

/* Right models of odd programs, found by drawing them. */
typedef struct Odd {
    Case program;
    bool partial, log_length;
    CompileDtype dtype;
    const char *why;
} Odd;

static const Odd odd[] = {
    {{"result = tokens_bool and aggregate(select(tokens == \"a\", tokens == \"a\", ==), "
      "tokens == \"a\", True);",
      "ab", 2},
     .partial = true,
     .log_length = true,
     .why = "an aggregate fails where another of the same values does"},
    {{"m = aggregate(select(tokens, tokens, ==), tokens == 3);\n"
      "result = tokens if (tokens_asis == \"a\") > m else tokens;",
      "ab", 4},
     .partial = true,
     .why = "what stands in an embedding does not fail with what it is claimed to be"},
    {{"result = sort(tokens, {\"a\": 2, \"b\": 3, \"c\": 1}[tokens]);", "abc", 4},
     .log_length = true,
     .dtype = COMPILE_F32,
     .why = "two widths add up to a third, each with a rounded factor"},
    {{"k = 9 if indices == 0 else tokens_int;\n"
      "earlier = select(k, k, ==) and select(indices, indices, <);\n"
      "counted = select(k, k, <) or earlier or select(indices, 0, ==);\n"
      "result = round(1 / aggregate(counted, indicator(indices == 0)));",
      "012", 4},
     .why = "a union whose parts have nothing in common, since the first key is the greatest"},
    {{"k = 9 if indices == 0 else tokens_int;\n"
      "counted = (select(k, k, <=) and select(indices, indices, <)) or select(indices, 0, ==);\n"
      "result = round(1 / aggregate(counted, indicator(indices == 0)));",
      "012", 4},
     .why = "three comparisons that no key has together, though any two of them occur"},
    {{"same = has_focus(select(tokens, \"a\", ==) and (select(tokens, tokens, ==) or "
      "select(indices, indices, >)));\nresult = indicator(same);",
      "abc", 4},
     .why = "a union within a conjunction, of which it is asked whether it selects"},
};

static void test_odd_programs(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        CompileFixture f;
        Verdict v;
        fixture_open(&f, odd[k].program.text, odd[k].program.alphabet, odd[k].program.max_length);
        f.options.way = VALUES_PRODUCTS;
        f.options.partial = odd[k].partial;
        f.options.log_length = odd[k].log_length;
        f.options.dtype = odd[k].dtype;
        if (!fixture_compile(&f)) fail_msg("%s: %s", odd[k].why, f.error.message);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        if (!judged(&f, &claims.circuit, f.compiled.model, &v))
            fail_msg("%s: %s%s", odd[k].why, v.refused, v.certificate.broken);
        fixture_close(&f);
    }
}

/* --- one weight changed --------------------------------------------------------------- */

typedef struct Tamper {
    char name[80];
    size_t at; /* which nonzero (or, beyond them, which zero) weight */
    double factor, add;
    double *changed, old;
} Tamper;

static bool tamper(const char *name, Tensor *tensor, void *context) {
    Tamper *t = context;
    snprintf(t->name, sizeof t->name, "%s", name);
    for (size_t k = 0; k < tensor_size(tensor); k++) {
        if ((tensor->data[k] != 0) != (t->factor != 0)) continue;
        if (t->at-- != 0) continue;
        t->changed = &tensor->data[k];
        t->old = tensor->data[k];
        tensor->data[k] = t->old * t->factor + t->add;
        return false;
    }
    return true;
}

static void tamper_with(CompileFixture *f, const Case *c, const Circuit *claims, Tamper change,
                        size_t *passed, size_t *refused) {
    for (size_t at = 0;; at++) {
        Tamper t = change;
        Verdict v;
        t.at = at;
        if (model_visit(f->compiled.model, tamper, &t)) return; /* no such weight */
        Arena *kept = f->arena;
        f->arena = arena_child(kept);
        bool held = judged(f, claims, f->compiled.model, &v);
        *(held ? passed : refused) += 1;
        if (held) must_be_right(f, &v, c->text, t.name);
        arena_free(f->arena);
        f->arena = kept;
        *t.changed = t.old;
    }
}

static void test_weights_changed(void **state) {
    (void)state;
    static const Tamper changes[] = {{.factor = 1 + 1e-9}, {.factor = 1.001}, {.factor = 1.5},
                                     {.factor = -1},       {.factor = 1e-9},  {.add = 1e-12},
                                     {.add = 0.5},         {.add = -64}};
    size_t passed = 0, refused = 0;
    for (size_t k = 0; k < CASES; k++) {
        CompileFixture f;
        open_case(&f, &cases[k]);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        for (size_t m = 0; m < sizeof changes / sizeof *changes; m++)
            tamper_with(&f, &cases[k], &claims.circuit, changes[m], &passed, &refused);
        fixture_close(&f);
    }
    print_message("%zu changes let pass, %zu refused\n", passed, refused);
    assert_true(passed > 100 && refused > 100);
}

/* --- one claim changed ---------------------------------------------------------------- */

/* Is one s-op an affine image of the other, or constant, on all inputs on which neither fails?
 * Then a claim of one is as true as that of the other.  By the interpreter. */
static bool as_good(CompileFixture *f, NodeId a, NodeId b) {
    const Domain *domain = &f->compiled.circuit->domain;
    Graph *graph = session_graph(f->session);
    Arena *arena = arena_child(f->arena);
    Inputs *inputs = inputs_new(domain, (InputPlan){.exhaustive_limit = 4000}, arena);
    uint32_t ids[16], n;
    double x0 = NAN, y0 = NAN, x1 = NAN, y1 = NAN;
    bool good = true;
    while (good && (n = inputs_next(inputs, ids)) > 0 && n <= domain->max_length) {
        Atom tokens[16];
        for (uint32_t i = 0; i < n; i++) tokens[i] = domain->alphabet[ids[i]];
        Input input = {.tokens = tokens, .length = n};
        Exec *exec = exec_new(graph, &input, (ExecOptions){.keep = true, .threads = 1}, arena);
        Fault fault;
        const Column *p = exec_column(exec, a, &fault), *q = exec_column(exec, b, &fault);
        for (size_t i = 0; p && q && i < n && good; i++) {
            Atom u = column_at(p, i), w = column_at(q, i);
            if (!atom_is_number(u) || !atom_is_number(w)) {
                good = atom_equal(u, w);
                continue;
            }
            double x = atom_double(u), y = atom_double(w);
            if (isnan(x0))
                x0 = x, y0 = y;
            else if (isnan(x1) && x != x0)
                x1 = x, y1 = y;
            if (x == x0)
                good = fabs(y - y0) < 1e-9;
            else if (!isnan(x1))
                good = fabs((y - y0) * (x1 - x0) - (x - x0) * (y1 - y0)) < 1e-9;
        }
        exec_free(exec);
    }
    arena_free(arena);
    return good;
}

static void must_refuse(CompileFixture *f, const Circuit *claims, const char *text,
                        const char *what) {
    Verdict v;
    Arena *kept = f->arena;
    f->arena = arena_child(kept);
    if (judged(f, claims, f->compiled.model, &v)) fail_msg("%s: %s is let pass", text, what);
    arena_free(f->arena);
    f->arena = kept;
}

/* Every s-op that is claimed of something. */
static size_t claimed_nodes(const Circuit *c, NodeId *nodes, size_t most) {
    size_t count = 0;
    for (uint32_t p = 0; p < c->part_count && count < most; p++) nodes[count++] = c->parts[p].node;
    for (uint32_t t = 0; t < c->table_count && count < most; t++) nodes[count++] = c->tables[t].x;
    return count;
}

/* Puts each other s-op in the place of one. */
static size_t change_node(CompileFixture *f, const Case *c, const Circuit *claims, NodeId *place,
                          NodeId *twin, const char *what) {
    NodeId nodes[64], old = *place;
    size_t count = claimed_nodes(f->compiled.circuit, nodes, 64), tried = 0;
    for (size_t k = 0; k < count; k++) {
        if (nodes[k] == old || as_good(f, old, nodes[k])) continue;
        *place = nodes[k];
        if (twin) *twin = nodes[k];
        must_refuse(f, claims, c->text, what);
        tried++;
    }
    *place = old;
    if (twin) *twin = old;
    return tried;
}

static size_t change_selectors(CompileFixture *f, const Case *c, Claims *k) {
    const Graph *graph = session_graph(f->session);
    size_t tried = 0;
    for (uint32_t h = 0; h < k->circuit.head_count; h++) {
        CircuitHead *head = &k->heads[h], old = *head;
        for (uint32_t m = 0; m < k->circuit.head_count; m++)
            if (k->heads[m].selector != old.selector) {
                head->selector = k->heads[m].selector;
                must_refuse(f, &k->circuit, c->text, "another selector");
                tried++;
            }
        head->selector = old.selector;
        for (int mask = MASK_NONE; mask <= MASK_STRICT_ANTICAUSAL; mask++)
            if (mask != (int)old.score.mask) {
                head->score.mask = (ScoreMask)mask;
                must_refuse(f, &k->circuit, c->text, "another mask");
                tried++;
            }
        head->score = old.score;
        for (int kind = HEAD_PLAIN; kind <= HEAD_COUNT; kind++)
            if (kind != (int)old.kind) {
                head->kind = (HeadKind)kind;
                must_refuse(f, &k->circuit, c->text, "another kind of head");
                tried++;
            }
        *head = old;
        for (uint32_t m = 0; m < head->component_count; m++) {
            CircuitComponent *part = (CircuitComponent *)&head->components[m], was = *part;
            Node n = *graph_node(graph, part->node);
            if (n.kind != NODE_AGGREGATE || head->kind != HEAD_DEFAULT) continue;
            part->node = graph_aggregate(session_graph(f->session), n.arg[0], n.arg[1],
                                         atom_int(77), SPAN_NONE);
            must_refuse(f, &k->circuit, c->text, "another default");
            *part = was;
            tried++;
        }
    }
    return tried;
}

static size_t change_places(CompileFixture *f, const Case *c, Claims *k) {
    size_t tried = 0;
    for (uint32_t p = 0; p < k->circuit.part_count; p++) {
        CircuitPart *part = &k->parts[p], old = *part;
        if (part->dim == DIM_NONE) continue;
        for (uint32_t q = 0; q < k->circuit.part_count; q++) {
            uint32_t dim = k->parts[q].dim;
            if (dim == DIM_NONE || dim == old.dim || as_good(f, old.node, k->parts[q].node))
                continue;
            part->dim = dim;
            must_refuse(f, &k->circuit, c->text, "another dimension");
            tried++;
        }
        *part = old;
    }
    for (uint32_t t = 0; t < k->circuit.table_count; t++) {
        CircuitTable *table = &k->tables[t], old = *table;
        table->shape.unit_count--;
        must_refuse(f, &k->circuit, c->text, "a unit less");
        table->shape.unit_count += 2;
        must_refuse(f, &k->circuit, c->text, "a unit more");
        *table = old;
        tried += 2;
    }
    return tried;
}

static size_t change_outputs(CompileFixture *f, const Case *c, Claims *k) {
    CircuitOutput *output = &k->outputs[0], old = *output;
    Atom *values = ARENA_ARRAY(f->arena, old.value_count, Atom);
    memcpy(values, old.values, old.value_count * sizeof *values);
    if (old.value_count < 2) return 0;
    /* In the file too: then nothing but the weights says that it is wrong. */
    ModelOutput *file = f->compiled.model->outputs[0];
    RtAtom first = file->values[0];
    values[0] = old.values[1], values[1] = old.values[0];
    output->values = values;
    must_refuse(f, &k->circuit, c->text, "other values");
    file->values[0] = file->values[1], file->values[1] = first;
    must_refuse(f, &k->circuit, c->text, "other values, in the file too");
    file->values[1] = file->values[0], file->values[0] = first;
    *output = old;
    output->start++;
    must_refuse(f, &k->circuit, c->text, "another place");
    *output = old;
    return 3;
}

static void test_claims_changed(void **state) {
    (void)state;
    size_t tried = 0;
    for (size_t k = 0; k < CASES; k++) {
        CompileFixture f;
        open_case(&f, &cases[k]);
        Claims claims = claims_of(f.compiled.circuit, f.arena);
        Circuit *c = &claims.circuit;
        for (uint32_t h = 0; h < c->head_count; h++)
            for (uint32_t m = 0; m < claims.heads[h].component_count; m++) {
                CircuitComponent *part = (CircuitComponent *)&claims.heads[h].components[m];
                tried += change_node(&f, &cases[k], c, &part->node, &claims.parts[part->part].node,
                                     "another component");
            }
        for (uint32_t t = 0; t < c->table_count; t++) {
            tried += change_node(&f, &cases[k], c, &claims.tables[t].x, NULL, "another input");
            for (uint32_t o = 0; o < claims.tables[t].output_count; o++) {
                TableOutput *output = (TableOutput *)&claims.tables[t].outputs[o];
                tried += change_node(&f, &cases[k], c, &output->node,
                                     &claims.parts[output->part].node, "another output");
            }
        }
        for (uint32_t p = 0; p < c->part_count; p++)
            if (claims.parts[p].dim != DIM_NONE)
                tried += change_node(&f, &cases[k], c, &claims.parts[p].node, NULL,
                                     "another s-op in a dimension");
        tried += change_selectors(&f, &cases[k], &claims) + change_places(&f, &cases[k], &claims) +
                 change_outputs(&f, &cases[k], &claims);
        fixture_close(&f);
    }
    print_message("%zu claims changed\n", tried);
    assert_true(tried > 200);
}

/* A table may claim more outputs than it has. */
static void test_many_outputs(void **state) {
    (void)state;
    enum { MANY = 300 };
    CompileFixture f;
    Verdict v;
    open_case(&f, &cases[0]);
    Claims claims = claims_of(f.compiled.circuit, f.arena);
    TableOutput *outputs = ARENA_ARRAY(f.arena, MANY, TableOutput);
    assert_true(claims.circuit.table_count > 0);
    for (uint32_t o = 0; o < MANY; o++) outputs[o] = claims.tables[0].outputs[0];
    claims.tables[0].outputs = outputs;
    claims.tables[0].output_count = MANY;
    assert_true(judged(&f, &claims.circuit, f.compiled.model, &v));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_compiled),     cmocka_unit_test(test_odd_programs),
        cmocka_unit_test(test_weights_changed), cmocka_unit_test(test_claims_changed),
        cmocka_unit_test(test_many_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
