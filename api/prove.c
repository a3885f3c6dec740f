/* Claims for weights that make none: found by watching them run, then shown. */
#include "api/prove.h"
#include "api/claims.h"
#include "api/value.h"

#include "compile/check.h"
#include "compile/find.h"

enum { PROVE_ALL = 5000, PROVE_DRAWN = 2000 }; /* inputs on which outputs are compared */

typedef struct ProveCall {
    RaspModel *model;
    RaspProgram *program;
    RaspProveReport *report;
    Target target;
    json_t *former; /* the model's claims, whoever made them; a reference */
    bool holds;
} ProveCall;

/* --- outputs ---------------------------------------------------------------------------- */

static const RaspAtom *atoms_of(const Atom *atoms, size_t count, Arena *arena) {
    RaspAtom *list = ARENA_ARRAY(arena, count, RaspAtom);
    for (size_t k = 0; k < count; k++) list[k] = atom_out(atoms[k]);
    return list;
}

static void example_out(const RaspModel *m, const CheckExample *e, Arena *arena,
                        RaspCheckExample *out) {
    RaspAtom *input = ARENA_ARRAY(arena, e->length, RaspAtom);
    for (uint32_t i = 0; i < e->length; i++) input[i] = m->info.alphabet[e->ids[i]];
    *out = (RaspCheckExample){input,
                              atoms_of(e->expected, e->length, arena),
                              atoms_of(e->found, e->length, arena),
                              e->length,
                              e->output,
                              e->number};
}

static bool compare(Core *core, const ProveCall *call, const Domain *domain) {
    const RaspModel *m = call->model;
    const Target *target = &call->target;
    RaspProveReport *report = call->report;
    NodeId *nodes = ARENA_ARRAY(core->arena, target->output_count, NodeId);
    for (uint32_t k = 0; k < target->output_count; k++) nodes[k] = target->outputs[k].node;
    CheckSubject subject = check_subject(session_graph(call->program->session), domain, m->model,
                                         nodes, target->output_count, core->arena);
    RaspEngineOptions wanted = {.rule = RASP_SOFTMAX};
    RunOptions run;
    if (!engine_options(core, &wanted, &run)) return false;
    CheckOptions options = {
        .inputs = {.exhaustive_limit = PROVE_ALL, .count = PROVE_DRAWN, .seed = 1},
        .runs = &run,
        .run_count = 1,
        .shown = 1};
    CheckReport found;
    RtError reason;
    arena_charge(core->arena, engine_bytes(m));
    if (!check_model(&subject, &options, core->arena, &found, &reason))
        return engine_failed(core, &reason);
    report->compared = found.compared;
    report->differs = found.runs[0].example_count > 0;
    if (report->differs) example_out(m, &found.runs[0].examples[0], core->arena, &report->example);
    return true;
}

/* An s-op for each of the model's outputs, those that say where others have no answer included. */
static const NodeId *all_outputs(Core *core, const ProveCall *call) {
    const Target *target = &call->target;
    const RaspModel *m = call->model;
    Settled settled = {target->outputs, target->output_count, {0}, {0}};
    CompileWays ways;
    bool done = !target->record.options.partial;
    compile_ways(&target->record.options, ways);
    for (int w = 0; !done && ways[w] != VALUES_BY_DOMAIN; w++) {
        LowerError error = {0};
        done = compile_settle(session_graph(call->program->session), target->outputs,
                              target->output_count, &target->record.options, ways[w], core->arena,
                              &settled, &error);
    }
    if (!done || settled.output_count != m->model->output_count) {
        core_fail(core, RASP_WRONG_FILE,
                  "'%s': expected %u outputs, those without an answer told, found %zu", m->name,
                  settled.output_count, m->model->output_count);
        return NULL;
    }
    NodeId *nodes = ARENA_ARRAY(core->arena, settled.output_count, NodeId);
    for (uint32_t k = 0; k < settled.output_count; k++) nodes[k] = settled.outputs[k].node;
    return nodes;
}

/* --- pieces ----------------------------------------------------------------------------- */

static bool speaks_of(const FoundPiece *piece, NodeId node) {
    for (uint32_t k = 0; k < piece->node_count; k++)
        if (piece->nodes[k] == node) return true;
    return false;
}

static bool is_known(const Found *found, NodeId node) {
    bool known = false;
    for (size_t k = 0; k < found->piece_count; k++) known |= speaks_of(&found->pieces[k], node);
    for (uint32_t o = 0; o < found->claims.output_count; o++)
        known |= found->claims.outputs[o].node == node;
    return known;
}

/* The judge goes as pieces do, outputs last, and stops at the first claim that it does not show:
 * the pieces before the first that speaks of the same s-op are shown.  Where it names none of
 * theirs, nobody knows. */
static size_t shown_pieces(const Found *found, const ClaimsReport *report) {
    const Verdict *v = &report->verdict;
    size_t count = 0;
    if (report->holds || v->circuit) return found->piece_count;
    if (!v->refused[0] || v->node == NODE_NONE || !is_known(found, v->node)) return 0;
    while (count < found->piece_count && found->pieces[count].found &&
           !speaks_of(&found->pieces[count], v->node))
        count++;
    return count;
}

static void pieces_out(const Found *found, const ClaimsReport *r, Arena *arena,
                       RaspProveReport *out) {
    RaspProvePiece *list = ARENA_ARRAY(arena, found->piece_count, RaspProvePiece);
    size_t shown = shown_pieces(found, r);
    for (size_t k = 0; k < found->piece_count; k++)
        list[k] = (RaspProvePiece){found->pieces[k].place, found->pieces[k].text,
                                   !found->pieces[k].found ? RASP_STANDING_NOT_FOUND
                                   : k < shown             ? RASP_STANDING_SHOWN
                                                           : RASP_STANDING_MEASURED};
    out->pieces = list;
    out->piece_count = found->piece_count;
    out->measured = found->inputs;
    claims_report_out(r, &out->claims);
}

static bool all_found(const RaspProveReport *report) {
    for (size_t k = 0; k < report->piece_count; k++)
        if (report->pieces[k].standing == RASP_STANDING_NOT_FOUND) return false;
    return true;
}

/* --- proving ---------------------------------------------------------------------------- */

static bool attempt(Core *core, ProveCall *call, const Domain *domain, const NodeId *outputs,
                    FindTaste taste) {
    RaspModel *m = call->model;
    Session *session = call->program->session;
    Graph *graph = session_graph(session);
    Found *found = ARENA_NEW(core->arena, Found);
    ClaimsReport *report = ARENA_NEW(core->arena, ClaimsReport);
    uint32_t limit = call->target.record.options.table_limit;
    find_claims(m->model, graph, domain, outputs, limit, taste, core->arena, found);
    if (found->none) return core_fail(core, RASP_WRONG_FILE, "'%s': %s", m->name, found->none);
    ProgramNames names = claims_names(session, core->arena);
    if (!claims_write(&found->claims, &names, false, m->model, core->arena))
        return core_fail(core, RASP_OUT_OF_MEMORY, "out of memory for claims");
    if (!claims_verify(core, m, call->program, &call->target, report)) return false;
    call->holds = report->holds;
    if (call->holds || !call->report->pieces) pieces_out(found, report, core->arena, call->report);
    return true;
}

static bool prove(Core *core, void *context) {
    static const FindTaste tastes[] = {{false, FIND_FIRST},        {false, FIND_LAST},
                                       {false, FIND_LAST_OF_SOPS}, {true, FIND_FIRST},
                                       {true, FIND_LAST},          {true, FIND_LAST_OF_SOPS}};
    ProveCall *call = context;
    if (!claims_target(call->model, call->program, &call->target)) return false;
    Domain domain = compile_domain(&call->target.record.options);
    if (!compare(core, call, &domain)) return false;
    const NodeId *outputs = all_outputs(core, call);
    bool done = outputs != NULL;
    for (size_t k = 0; done && !call->holds && k < sizeof tastes / sizeof *tastes; k++) {
        done = attempt(core, call, &domain, outputs, tastes[k]);
        if (done && (call->report->differs || !all_found(call->report))) break;
    }
    return done;
}

bool rasp_prove(RaspModel *m, RaspProgram *program, RaspProveReport *report, RaspError *error) {
    ProveCall call = {.model = m, .report = report};
    *report = (RaspProveReport){0};
    call.program = program ? program : rasp_model_program(m, error);
    if (!call.program) return false;
    call.former = json_incref(json_object_get(m->model->extra, "claims"));
    SessionMark mark = session_mark(call.program->session);
    bool done = core_call(&call.program->core, error, RASP_WRONG_FILE, prove, &call);
    session_rewind(call.program->session, mark);
    if (!call.holds && call.former)
        json_object_set(m->model->extra, "claims", call.former);
    else if (!call.holds)
        json_object_del(m->model->extra, "claims");
    json_decref(call.former);
    return done;
}
