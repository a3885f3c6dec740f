/* A weights file's claims, against its program or another. */
#include "api/claims.h"
#include "api/prove.h"

#include <stdio.h>

bool rasp_model_claims(const RaspModel *m) {
    return claims_of(m->model) != NULL;
}

typedef struct ClaimsCall {
    RaspModel *model;
    RaspProgram *program;
    RaspClaimsReport *report;
} ClaimsCall;

void claims_report_out(const ClaimsReport *r, RaspClaimsReport *out) {
    static const RaspAnswers answers[] = {[ANSWERS_PROVED] = RASP_ANSWERS_PROVED,
                                          [ANSWERS_RUN] = RASP_ANSWERS_RUN,
                                          [ANSWERS_NOT_SHOWN] = RASP_ANSWERS_NOT_SHOWN,
                                          [ANSWERS_PARTIAL] = RASP_ANSWERS_PARTIAL};
    const Circuit *circuit = r->verdict.circuit;
    *out = (RaspClaimsReport){.holds = r->holds,
                              .certificate = certificate_out(&r->verdict.certificate,
                                                             circuit ? circuit->options.beta : 0),
                              .claimed = r->claimed,
                              .answers = answers[r->answers.kind],
                              .answers_tried = r->answers.tried};
    snprintf(out->refused, sizeof out->refused, "%s", r->refused);
}

bool claims_target(RaspModel *m, RaspProgram *program, Target *target) {
    if (program != m->program) return target_of_model(program, m->model, &m->info, target);
    *target = m->target;
    return true;
}

bool claims_verify(Core *core, RaspModel *m, RaspProgram *program, const Target *target,
                   ClaimsReport *report) {
    Graph *graph = session_graph(program->session);
    ClaimsReader reader = {program->session, core};
    Circuit *claims = ARENA_NEW(core->arena, Circuit);
    RtError wrong;
    const CompileOptions *options = &target->record.options;
    Domain domain = compile_domain(options);
    ClaimsLanguage language = claims_language(&reader);
    if (!claims_read(claims_of(m->model), m->model, &domain, graph, &language, core->arena, claims,
                     &wrong))
        return *wrong.text ? core_fail(core, RASP_WRONG_FILE, "'%s': %s", m->name, wrong.text)
                           : false;
    verify_claims(claims, graph, target->outputs, target->output_count, options, m->model,
                  core->arena, report);
    return true;
}

static bool verify(Core *core, void *context) {
    ClaimsCall *call = context;
    Target *target = ARENA_NEW(core->arena, Target);
    ClaimsReport *report = ARENA_NEW(core->arena, ClaimsReport); /* its texts are handed out */
    if (!claims_target(call->model, call->program, target) ||
        !claims_verify(core, call->model, call->program, target, report))
        return false;
    claims_report_out(report, call->report);
    return true;
}

bool rasp_verify_claims(RaspModel *m, RaspProgram *program, RaspClaimsReport *report,
                        RaspError *error) {
    ClaimsCall call = {.model = m, .report = report};
    if (!claims_of(m->model))
        return error_set(error, RASP_WRONG_FILE, "'%s' makes no claims that could be shown",
                         m->name);
    call.program = program ? program : rasp_model_program(m, error);
    if (!call.program) return false;
    /* Claims are read as s-ops of the program's graph, which has to be what it was. */
    SessionMark mark = session_mark(call.program->session);
    bool done = core_call(&call.program->core, error, RASP_WRONG_FILE, verify, &call);
    session_rewind(call.program->session, mark);
    return done;
}
