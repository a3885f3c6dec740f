/* Programs to models, and what is known of the result. */
#include "api/model.h"
#include "base/clock.h"

#include "compile/complete.h"
#include "compile/plan_dump.h"

#include <stdlib.h>
#include <string.h>

/* --- compiling -------------------------------------------------------------------------- */

typedef struct CompileCall {
    const RaspSop *outputs;
    size_t count;
    const RaspTarget *target;
} CompileCall;

static bool fail_lowering(RaspModel *m, const LowerError *error) {
    RaspProgram *p = m->program;
    const Graph *graph = session_graph(p->session);
    const Node *node = error->node == NODE_NONE ? NULL : graph_node(graph, error->node);
    const char *text = node ? graph_text(graph, error->node, 100, m->core.arena) : "the program";
    DiagSink sink = core_sink(&m->core);
    if (node && node->name) text = node->name->text;
    diag_error(&sink, session_sources(p->session), node ? node->span : SPAN_NONE,
               node ? "cannot compile '%s': %s" : "cannot compile %s: %s", text, error->message);
    return false;
}

bool model_compile(RaspModel *m, Compiled *compiled) {
    const Target *target = &m->target;
    LowerError error = {0};
    return compile_graph(session_graph(m->program->session), target->outputs, target->output_count,
                         &target->record.options, m->core.arena, compiled, &error) ||
           fail_lowering(m, &error);
}

static void note_stats(RaspModel *m, double seconds) {
    const CompileStats *s = &m->compiled.stats;
    m->stats = (RaspCompileStats){seconds,
                                  s->lowering,
                                  s->weights,
                                  s->certificate,
                                  s->tries,
                                  s->nodes,
                                  m->compiled.circuit->depth};
}

typedef struct Choosing {
    RaspModel *model;
    const CompileCall *call;
} Choosing;

static bool choose(Core *core, void *context) {
    const Choosing *c = context;
    (void)core;
    return target_choose(c->model->program, c->call->outputs, c->call->count, c->call->target,
                         &c->model->target);
}

static bool compile(Core *core, void *context) {
    RaspModel *m = (RaspModel *)core;
    const CompileCall *call = context;
    double start = clock_seconds();
    if (call->target->time_limit > 0) budget_time(core->budget, call->target->time_limit);
    bool done = model_compile(m, &m->compiled);
    if (done &&
        !complete_model(&m->compiled, &m->target.record, session_sources(m->program->session)))
        done = core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the model's description");
    m->model = m->compiled.model;
    if (!done) return false;
    note_stats(m, clock_seconds() - start);
    return m->is_compiled = model_inform(m);
}

static void explain_time(const RaspTarget *target, RaspError *error) {
    if (target->time_limit > 0)
        error_set(error, RASP_OUT_OF_TIME,
                  "not compiled within the time limit of %g s (--time-limit raises it; a smaller "
                  "alphabet or --max-length needs less)",
                  target->time_limit);
}

RaspModel *rasp_compile(RaspProgram *program, const RaspSop *outputs, size_t count,
                        const RaspTarget *target, RaspError *error) {
    static const RaspTarget usual;
    CompileCall call = {outputs, count, target ? target : &usual};
    RaspModel *m = calloc(1, sizeof *m);
    if (!m) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a model");
        return NULL;
    }
    atomic_init(&m->keepers, 1);
    m->program = program_keep(program);
    if (core_call(&program->core, error, RASP_WRONG_PROGRAM, choose, &(Choosing){m, &call}) &&
        core_share(&m->core, &program->core, error) &&
        core_call(&m->core, error, RASP_FAILED, compile, &call))
        return m;
    if (error && error->status == RASP_OUT_OF_TIME) explain_time(call.target, error);
    rasp_model_free(m);
    return NULL;
}

/* --- what is known of it ---------------------------------------------------------------- */

RaspCertificate certificate_out(const Certificate *c, double beta) {
    return (RaspCertificate){c->holds, c->error,  c->tightest,        c->where,          c->layer,
                             beta,     c->broken, c->joined_absolute, c->joined_relative};
}

bool rasp_model_certificate(const RaspModel *m, RaspCertificate *certificate) {
    if (!m->is_compiled) return false;
    *certificate = certificate_out(m->compiled.certificate, m->compiled.circuit->options.beta);
    return true;
}

bool rasp_model_compile_stats(const RaspModel *m, RaspCompileStats *stats) {
    if (m->is_compiled) *stats = m->stats;
    return m->is_compiled;
}

typedef struct Dumping {
    PlanDump *dump;
    const RaspModel *model;
    char *text;
} Dumping;

static void write_dump(FILE *out, void *context) {
    const Dumping *d = context;
    d->dump(out, &d->model->compiled);
}

static bool dump(Core *core, void *context) {
    Dumping *d = context;
    return (d->text = core_text(core, write_dump, d)) != NULL;
}

char *rasp_model_dump(RaspModel *m, const char *what, RaspError *error) {
    Dumping d = {plan_dump_find(what), m, NULL};
    if (!d.dump)
        error_set(error, RASP_WRONG_USE, "expected a dump of %s, found '%s'", plan_dump_names,
                  what);
    else if (!m->is_compiled)
        error_set(error, RASP_WRONG_USE, "only a model that was just compiled can be dumped");
    else
        core_call(&m->core, error, RASP_FAILED, dump, &d);
    return d.text;
}

const char *rasp_dump_name(int k) {
    return plan_dump_name(k);
}
