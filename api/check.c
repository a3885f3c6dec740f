/* The model against the interpreter, and against its own program compiled again. */
#include "api/claims.h"
#include "api/model.h"
#include "api/rasp_check.h"
#include "api/value.h"

#include "compile/check.h"
#include "compile/verify.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Report {
    RaspCheckReport public; /* first: the handle is this */
    Core core;
    RaspModel *model;
} Report;

/* --- checking --------------------------------------------------------------------------- */

/* NULL after a message. */
static const RunOptions *make_runs(Report *r, const RaspCheckOptions *o, size_t count) {
    RunOptions *runs = ARENA_ARRAY(r->core.arena, count, RunOptions);
    for (size_t k = 0; k < count; k++) {
        RaspEngineOptions wanted = {
            .rule = o->rule, .parameter = o->parameter, .threads = o->threads};
        if (o->temperatures && o->temperature_count) wanted.temperature = o->temperatures[k];
        if (!engine_options(&r->core, &wanted, &runs[k])) return NULL;
    }
    return runs;
}

static CheckSubject subject_of(const RaspModel *m, const Domain *domain, Arena *arena) {
    const Target *target = &m->target;
    NodeId *nodes = ARENA_ARRAY(arena, target->output_count, NodeId);
    for (uint32_t k = 0; k < target->output_count; k++) nodes[k] = target->outputs[k].node;
    return check_subject(session_graph(m->program->session), domain, m->model, nodes,
                         target->output_count, arena);
}

static const RaspAtom *atoms_of(const Atom *atoms, size_t count, Arena *arena) {
    RaspAtom *list = ARENA_ARRAY(arena, count + 1, RaspAtom);
    for (size_t k = 0; k < count; k++) list[k] = atom_out(atoms[k]);
    return list;
}

static RaspCheckExample example_out(const Report *r, const CheckExample *e) {
    Arena *arena = r->core.arena;
    RaspAtom *input = ARENA_ARRAY(arena, e->length, RaspAtom);
    for (uint32_t i = 0; i < e->length; i++) input[i] = r->model->info.alphabet[e->ids[i]];
    return (RaspCheckExample){input,
                              atoms_of(e->expected, e->length, arena),
                              atoms_of(e->found, e->length, arena),
                              e->length,
                              e->output,
                              e->number};
}

static RaspCheckRun run_out(const Report *r, const CheckRun *run, double temperature) {
    RaspCheckExample *examples =
        ARENA_ARRAY(r->core.arena, run->example_count + 1, RaspCheckExample);
    for (uint32_t k = 0; k < run->example_count; k++)
        examples[k] = example_out(r, &run->examples[k]);
    return (RaspCheckRun){temperature,       run->agreed, run->right,        run->largest_error,
                          run->least_margin, examples,    run->example_count};
}

static void fill(Report *r, const CheckReport *report, const RunOptions *runs, size_t count) {
    RaspCheckRun *list = ARENA_ARRAY(r->core.arena, count, RaspCheckRun);
    RaspCheckReport *public = &r->public;
    public->agree = report->compared > 0;
    for (size_t k = 0; k < count; k++) {
        list[k] = run_out(r, &report->runs[k], runs[k].temperature);
        if (list[k].agreed < report->compared) public->agree = false;
    }
    public->exhaustive = report->exhaustive;
    public->complete_length = report->complete_length;
    public->compared = report->compared;
    public->positions = report->positions;
    public->faulted = report->faulted;
    public->left_out = report->left_out;
    public->outside = report->outside;
    public->tried = report->tried;
    public->stopped = stop_status(report->stopped);
    public->runs = list;
    public->run_count = count;
}

typedef struct CheckCall {
    Report *report;
    const RaspCheckOptions *options;
} CheckCall;

static bool check(Core *core, void *context) {
    const CheckCall *call = context;
    const RaspCheckOptions *o = call->options;
    Report *r = call->report;
    const RaspModel *m = r->model;
    const CompileOptions *c = &m->target.record.options;
    Domain domain = {c->alphabet, c->alphabet_size, c->max_length, c->first, c->where};
    CheckSubject subject = subject_of(m, &domain, core->arena);
    size_t count = o->temperatures && o->temperature_count ? o->temperature_count : 1;
    const RunOptions *runs = make_runs(r, o, count);
    r->public.seed = o->seed;
    if (!runs) return false;
    CheckOptions options = {.inputs = {.exhaustive_limit = o->exhaustive_limit,
                                       .count = o->count,
                                       .seed = o->seed,
                                       .shard = {o->shard - 1, o->shards}},
                            .runs = runs,
                            .run_count = count,
                            .shown = o->shown,
                            .keep = o->keep,
                            .progress = o->progress,
                            .progress_context = o->progress_context};
    CheckReport report;
    RtError reason;
    arena_charge(core->arena, count * engine_bytes(m));
    if (o->seconds > 0) budget_time(core->budget, o->seconds);
    if (!check_model(&subject, &options, core->arena, &report, &reason))
        return engine_failed(core, &reason);
    fill(r, &report, runs, count);
    return true;
}

RaspCheckOptions rasp_check_options(void) {
    return (RaspCheckOptions){
        .seed = 1, .count = 20000, .exhaustive_limit = 200000, .rule = RASP_SOFTMAX, .shown = 3};
}

RaspCheckReport *rasp_check(RaspModel *model, const RaspCheckOptions *options, RaspError *error) {
    RaspCheckOptions usual = rasp_check_options();
    Report *r = calloc(1, sizeof *r);
    if (!r) {
        error_set(error, RASP_OUT_OF_MEMORY, "out of memory for a report");
        return NULL;
    }
    r->model = model_own(model);
    CheckCall call = {r, options ? options : &usual};
    if (rasp_model_program(model, error) && core_share(&r->core, &model->program->core, error) &&
        core_call(&r->core, error, RASP_FAILED, check, &call))
        return &r->public;
    rasp_check_free(&r->public);
    return NULL;
}

void rasp_check_free(RaspCheckReport *report) {
    Report *r = (Report *)report;
    if (!r) return;
    core_clear(&r->core);
    rasp_model_free(r->model);
    free(r);
}

/* --- verifying -------------------------------------------------------------------------- */

typedef struct VerifyCall {
    RaspModel *model;
    RaspVerifyReport *report;
    Compiled fresh; /* cleared at the end, whatever a stop has jumped over */
} VerifyCall;

_Static_assert((int)RASP_VERIFY_SHOWN == (int)DOCUMENT_SHOWN, "one number, written twice");

static void verify_out(const VerifyReport *r, double beta, RaspVerifyReport *out) {
    *out = (RaspVerifyReport){.holds = r->holds,
                              .same_structure = r->difference.same_shape,
                              .weights = r->difference.weights,
                              .changed = r->difference.changed,
                              .largest = r->difference.largest,
                              .certificate = certificate_out(&r->certificate, beta),
                              .claimed = r->claimed,
                              .claims_too_much = r->claims_too_little,
                              .false_claims = r->document.difference_count,
                              .unknown_keys = r->document.unknown_count};
    for (size_t k = 0; k < RASP_VERIFY_SHOWN; k++) {
        out->claims[k] = r->document.differences[k];
        out->unknown[k] = r->document.unknown[k];
    }
    snprintf(out->difference, sizeof out->difference, "%s", r->difference.shape);
    snprintf(out->where, sizeof out->where, "%s", r->difference.where);
}

/* What the file says of answers is what was found now. */
static void verify_answers(const RaspModel *m, const Answers *fresh, RaspVerifyReport *out) {
    Answers said;
    bool says = record_load_answers(m->model, &said);
    if (says && said.kind == fresh->kind && said.tried == fresh->tried) return;
    out->holds = out->same_structure = false;
    snprintf(out->difference, sizeof out->difference,
             "answers: expected \"%s\", %llu tried, found %s%s", answers_words[fresh->kind],
             (unsigned long long)fresh->tried, says ? answers_words[said.kind] : "nothing",
             says && said.kind == fresh->kind ? " of another number" : "");
}

static bool verify(Core *core, void *context) {
    VerifyCall *call = context;
    RaspModel *m = call->model;
    VerifyReport *report = ARENA_NEW(core->arena, VerifyReport); /* its texts are handed out */
    if (!model_compile(m, core, &call->fresh)) return false;
    ProgramNames names = claims_names(m->program->session, core->arena);
    if (!verify_weights(&call->fresh, &m->target.record, session_sources(m->program->session),
                        &names, m->model, core->arena, report))
        return core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for the model's description");
    verify_out(report, call->fresh.circuit->options.beta, call->report);
    verify_answers(m, &call->fresh.answers, call->report);
    return true;
}

bool rasp_verify(RaspModel *model, RaspVerifyReport *report, RaspError *error) {
    VerifyCall call = {.model = model, .report = report};
    bool done = rasp_model_program(model, error) &&
                core_call(&model->program->core, error, RASP_FAILED, verify, &call);
    compiled_clear(&call.fresh);
    model_free(call.fresh.model);
    return done;
}
