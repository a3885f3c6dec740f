/* Programs to models, and what is known of the result. */
#include "api/claims.h"
#include "api/model.h"
#include "base/clock.h"
#include "base/utf8.h"

#include "compile/complete.h"
#include "compile/plan_dump.h"
#include "compile/remarks.h"

#include <stdlib.h>
#include <string.h>

/* --- compiling -------------------------------------------------------------------------- */

typedef struct CompileCall {
    RaspModel *model;
    const RaspSop *outputs;
    size_t count;
    const RaspTarget *target;
} CompileCall;

/* Tokens as `rasp run` reads them: "ab" or [1, 2]. */
static const char *tokens_text(const uint32_t *ids, uint32_t count, const Atom *alphabet,
                               Arena *arena) {
    bool characters = true;
    for (uint32_t i = 0; i < count; i++) {
        Atom token = alphabet[ids[i]];
        characters &= token.kind == ATOM_STRING &&
                      token.s->length == utf8_step(token.s->text, token.s->length);
    }
    const char *text = characters ? "" : "[";
    for (uint32_t i = 0; i < count; i++)
        text =
            arena_format(arena, "%s%s%s", text, i && !characters ? ", " : "",
                         atom_show(alphabet[ids[i]], characters ? ATOM_PLAIN : ATOM_JSON, arena));
    return arena_format(arena, characters ? "\"%s\"" : "%s]", text);
}

static const char *input_text(const NoAnswer *none, const Atom *alphabet, Arena *arena) {
    enum { SHOWN = 60 };
    bool all = none->length <= SHOWN;
    const char *text = tokens_text(none->ids, all ? none->length : SHOWN, alphabet, arena);
    return all ? text : arena_format(arena, "%s ... of %u tokens", text, none->length);
}

/* Which inputs are meant, and who says so: the first thing that a newcomer must hear. */
static Diag note_domain(const RaspModel *m, Core *core) {
    enum { SHOWN = 40 };
    const CompileOptions *o = &m->target.record.options;
    Arena *arena = core->arena;
    uint32_t shown = o->alphabet_size < SHOWN ? o->alphabet_size : SHOWN;
    uint32_t *ids = ARENA_ARRAY(arena, shown, uint32_t);
    for (uint32_t k = 0; k < shown; k++) ids[k] = k;
    const char *tokens = tokens_text(ids, shown, o->alphabet, arena);
    return (Diag){
        .severity = DIAG_NOTE,
        .span = SPAN_NONE,
        .message = arena_format(
            arena,
            "inputs are 1 to %u tokens of the alphabet %s%s; --alphabet and --max-length, "
            "or a comment '# rasp: alphabet=abc max-length=8' in the program, set that",
            o->max_length, tokens, shown < o->alphabet_size ? " and more" : "")};
}

static void report_refusal(const RaspModel *m, Core *core, Span span, const char *text) {
    DiagSink sink = core_sink(core);
    Diag note = note_domain(m, core);
    Diag diag = {
        .severity = DIAG_ERROR, .span = span, .message = text, .notes = &note, .note_count = 1};
    diag_report(&sink, session_sources(m->program->session), &diag);
}

static bool fail_answers(const RaspModel *m, Core *core, const NoAnswer *none) {
    const Target *target = &m->target;
    const char *what =
        fault_run_text(&none->fault, session_sources(m->program->session), core->arena);
    const char *text = arena_format(
        core->arena,
        "'%s' has no answer on the input %s%s: %s (give a default, exclude such inputs by --where "
        "or --first, or compile with --partial)",
        target->outputs[none->sop].name,
        input_text(none, target->record.options.alphabet, core->arena),
        none->shortest ? "" : " (there may be shorter ones)", what);
    report_refusal(m, core, none->fault.span, text);
    return false;
}

/* What the compiler asks of any input, where no program says `tokens_asis`, is called `tokens`. */
static const char *node_text(const Graph *graph, NodeId id, Arena *arena) {
    const Node *node = graph_node(graph, id);
    bool own = node->kind == NODE_TOKENS && node->span.begin == node->span.end;
    if (node->name) return node->name->text;
    return own ? "tokens" : graph_text(graph, id, 100, arena);
}

static bool fail_lowering(const RaspModel *m, Core *core, const LowerError *error) {
    RaspProgram *p = m->program;
    const Graph *graph = session_graph(p->session);
    const Node *node = error->node == NODE_NONE ? NULL : graph_node(graph, error->node);
    const char *text = node ? node_text(graph, error->node, core->arena) : "the program";
    report_refusal(m, core, node ? node->span : SPAN_NONE,
                   node ? arena_format(core->arena, "cannot compile '%s': %s", text, error->message)
                        : arena_format(core->arena, "cannot compile %s: %s", text, error->message));
    return false;
}

bool model_compile(RaspModel *m, Core *core, Compiled *compiled) {
    const Target *target = &m->target;
    LowerError error = {0};
    return compile_graph(session_graph(m->program->session), target->outputs, target->output_count,
                         &target->record.options, core->arena, compiled, &error) ||
           (compiled->none.ids ? fail_answers(m, core, &compiled->none)
                               : fail_lowering(m, core, &error));
}

static void report_remarks(const RaspModel *m, Core *core) {
    size_t count;
    const Remark *remarks =
        remarks_find(&m->compiled, m->target.outputs, m->target.output_count, &count, core->arena);
    DiagSink sink = core_sink(core);
    for (size_t k = 0; k < count; k++) {
        Diag diag = {.severity = DIAG_WARNING, .span = remarks[k].span, .message = remarks[k].text};
        diag_report(&sink, session_sources(m->program->session), &diag);
    }
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

static bool choose(Core *core, void *context) {
    const CompileCall *c = context;
    (void)core;
    return target_choose(c->model->program, c->outputs, c->count, c->target, &c->model->target);
}

static bool inform(Core *core, void *context) {
    (void)context;
    return model_inform((RaspModel *)core);
}

static bool complete(RaspModel *m, Core *core) {
    ProgramNames names = claims_names(m->program->session, core->arena);
    return complete_model(&m->compiled, &m->target.record, session_sources(m->program->session),
                          &names);
}

static bool compile(Core *core, void *context) {
    const CompileCall *call = context;
    RaspModel *m = call->model;
    double start = clock_seconds();
    if (call->target->time_limit > 0) budget_time(core->budget, call->target->time_limit);
    CompileOptions *options = &m->target.record.options;
    options->progress = call->target->progress;
    options->progress_context = call->target->progress_context;
    bool done = model_compile(m, core, &m->compiled);
    if (done && options->progress) {
        options->progress(options->progress_context, "description", m->compiled.stats.tries);
        budget_poll(core->budget);
    }
    options->progress = NULL; /* the model outlives whoever listens */
    if (done && !complete(m, core))
        done = core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the model's description");
    m->model = m->compiled.model;
    if (!done) return false;
    report_remarks(m, core);
    note_stats(m, clock_seconds() - start);
    return m->is_compiled = core_call(&m->core, core->error, RASP_FAILED, inform, NULL);
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
    RaspModel *m = model_blank();
    CompileCall call = {m, outputs, count, target ? target : &usual};
    if (!m) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a model");
        return NULL;
    }
    m->program = program_keep(program);
    if (core_call(&program->core, error, RASP_WRONG_PROGRAM, choose, &call) &&
        core_init(&m->core, &program->core.config, error) &&
        core_share(&m->compiling, &program->core, error) &&
        core_call(&m->compiling, error, RASP_FAILED, compile, &call))
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
        core_call(&m->compiling, error, RASP_FAILED, dump, &d);
    return d.text;
}

const char *rasp_dump_name(int k) {
    return plan_dump_name(k);
}
