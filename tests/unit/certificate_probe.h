/* certificate_probe.h: is what a certificate says of a compiled circuit true?  Every part of the
 * residual stream and every output is compared with the interpreter's values, input by input. */
#ifndef RASP_TESTS_CERTIFICATE_PROBE_H
#define RASP_TESTS_CERTIFICATE_PROBE_H

#include "tests/unit/compile_fixture.h"

#include "compile/emit/emit.h"
#include "runtime/reference.h"

#include <math.h>
#include <stdlib.h>

/* One input, the interpreter on it, and the parts of the stream that a tap compares. */
typedef struct Probe {
    CompileFixture *f;
    Exec *exec;
    size_t compared; /* values */
    double worst;    /* largest error / bound */
    uint32_t worst_part;
} Probe;

/* What the part should hold where its s-op has this value. */
static inline double nominal(const Probe *p, const CircuitPart *part, uint32_t number, size_t i) {
    Fault fault;
    if (part->origin != FROM_TABLE)
        return feature_number(column_at(exec_column(p->exec, part->node, &fault), i));
    const CircuitTable *scan = &p->f->compiled.circuit->tables[part->owner];
    double x = feature_number(column_at(exec_column(p->exec, scan->x, &fault), i));
    for (uint32_t k = 0; k < scan->output_count; k++) {
        const TableOutput *output = &scan->outputs[k];
        for (uint32_t q = 0; output->part == number && q < output->points; q++)
            if (fabs(output->x[q] - x) <= 1e-9 * (1 + fabs(x))) return output->value[q];
    }
    fail_msg("no point of the table at %g", x);
    return 0;
}

static inline void compare_part(Probe *p, uint32_t number, const double *h, size_t n,
                                size_t width) {
    const Compiled *c = &p->f->compiled;
    const CircuitPart *part = &c->circuit->parts[number];
    uint32_t dim = part->dim;
    for (size_t i = 0; dim != DIM_NONE && i < n; i++) {
        double value = nominal(p, part, number, i);
        double error = fabs(h[(1 + i) * width + dim] - value);
        double bound = c->certificate->part_error[number] + 1e-15 * fabs(value);
        p->compared++;
        if (error <= p->worst * bound || error == 0) continue;
        p->worst = error / bound;
        p->worst_part = number;
    }
}

/* The parts that this sublayer writes. */
static inline void tap(void *context, size_t layer, int sublayer, size_t n, size_t width,
                       const double *h) {
    Probe *p = context;
    const Circuit *c = p->f->compiled.circuit;
    for (uint32_t k = 0; k < c->part_count; k++) {
        const CircuitPart *part = &c->parts[k];
        if (circuit_embedded(part)) continue;
        if (part->born.layer != layer + c->first_layer) continue;
        if ((int)part->born.step - 1 == sublayer) compare_part(p, k, h, n, width);
    }
}

static inline void probe_input(Probe *p, const uint32_t *ids, uint32_t n) {
    CompileFixture *f = p->f;
    Arena *arena = arena_child(f->arena);
    Atom *tokens = ARENA_ARRAY(arena, n, Atom);
    size_t *wide = ARENA_ARRAY(arena, n, size_t);
    for (uint32_t i = 0; i < n; i++) tokens[i] = f->options.alphabet[wide[i] = ids[i]];
    Input input = {.tokens = tokens, .length = n};
    p->exec = exec_new(session_graph(f->session), &input, (ExecOptions){.keep = true, .threads = 1},
                       arena);
    ReferenceOptions options = {
        .rule = RT_SOFTMAX, .temperature = 1, .tap = {.context = p, .residual = tap}};
    RtError error = {""};
    double *h = reference_run(f->compiled.model, &options, wide, n, &error);
    if (!h) fail_msg("%s", error.text);
    free(h);
    exec_free(p->exec);
    arena_free(arena);
}

/* Every intermediate on every input, or on `most` of them; how many values were compared. */
static inline size_t probe_program(CompileFixture *f, const char *name, uint32_t most) {
    Probe p = {.f = f};
    uint32_t ids[16], n;
    InputPlan plan = {.exhaustive_limit = most, .count = most, .seed = 1};
    Inputs *inputs = inputs_new(&f->compiled.circuit->domain, plan, f->arena);
    for (uint32_t tried = 0; tried < most && (n = inputs_next(inputs, ids)); tried++)
        probe_input(&p, ids, n);
    if (p.worst > 1)
        fail_msg("%s, beta %g: part %u strays %g times its bound", name,
                 f->compiled.circuit->options.beta, p.worst_part, p.worst);
    return p.compared;
}

/* Every output on every input, too; the largest error as a share of the bound. */
static inline double check_outputs(CompileFixture *f, const char *name) {
    CheckReport report = fixture_check(f, f->compiled.model);
    double error = report.runs[0].largest_error, bound = f->compiled.certificate->error;
    assert_int_equal(report.runs[0].agreed, report.compared);
    if (error > bound) fail_msg("%s: error %g, bound %g", name, error, bound);
    return error / bound;
}

/* Another circuit for the program, with its weights and their certificate: does it hold? */
static inline bool remake(CompileFixture *f, const Circuit *circuit) {
    Compiled *c = &f->compiled;
    Certificate *certificate = ARENA_NEW(f->arena, Certificate);
    model_free(c->model);
    model_free(c->ideal);
    c->circuit = circuit;
    c->certificate = certificate;
    assert_true(emit_model(circuit, RT_F64, f->arena, &c->ideal));
    assert_true(emit_model(circuit, RT_F64, f->arena, &c->model));
    model_round(c->model);
    return certificate_check(circuit, c->ideal, c->model, f->arena, certificate);
}

#endif
