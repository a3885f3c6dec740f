#include "compile/verify_claims.h"

#include "compile/record.h"

#include <string.h>

static bool refuse(ClaimsReport *r, const char *why) {
    r->refused = why;
    return false;
}

static const char *node_text(const Graph *graph, NodeId node, Arena *arena) {
    const Str *name = graph_node(graph, node)->name;
    return name ? name->text : graph_text(graph, node, 60, arena);
}

/* Are the claimed outputs those? */
static bool same_outputs(const Circuit *claims, const Settled *settled, Arena *arena,
                         ClaimsReport *r) {
    if (claims->output_count != settled->output_count)
        return refuse(r, arena_format(arena,
                                      "expected %u outputs, those without an answer told, "
                                      "found %u",
                                      settled->output_count, claims->output_count));
    for (uint32_t o = 0; o < claims->output_count; o++) {
        const CircuitOutput *found = &claims->outputs[o];
        const CompileOutput *output = &settled->outputs[o];
        if (strcmp(found->name, output->name) != 0)
            return refuse(r, arena_format(arena, "expected the output '%.60s', found '%.60s'",
                                          output->name, found->name));
        if (found->node != output->node)
            return refuse(r, arena_format(arena,
                                          "the output '%.60s' is claimed to be %s, the "
                                          "program has %s",
                                          found->name, node_text(claims->graph, found->node, arena),
                                          graph_text(claims->graph, output->node, 60, arena)));
    }
    return true;
}

/* Is what the file says of answers what was found? */
static bool same_answers(const Model *model, const Answers *found, Arena *arena, ClaimsReport *r) {
    Answers said;
    if (!record_load_answers(model, &said)) return true;
    if (said.kind == found->kind && said.tried == found->tried) return true;
    return refuse(r, arena_format(arena,
                                  "it says of answers \"%s\", %llu tried; expected \"%s\", "
                                  "%llu",
                                  answers_words[said.kind], (unsigned long long)said.tried,
                                  answers_words[found->kind], (unsigned long long)found->tried));
}

static bool settles(const Circuit *claims, Graph *graph, const CompileOutput *outputs,
                    uint32_t count, const CompileOptions *options, ValuesWay way,
                    const Model *model, Arena *arena, ClaimsReport *r) {
    LowerError error = {0};
    Settled settled;
    if (!compile_settle(graph, outputs, count, options, way, arena, &settled, &error)) {
        if (settled.none.ids)
            return refuse(r, arena_format(arena, "'%s' has no answer on some inputs: %s",
                                          outputs[settled.none.sop].name,
                                          fault_text(&settled.none.fault, arena)));
        return refuse(r, *error.message ? arena_text(arena, error.message, strlen(error.message))
                                        : "whether it has an answer everywhere is not shown");
    }
    r->answers = settled.answers;
    return same_outputs(claims, &settled, arena, r) &&
           same_answers(model, &settled.answers, arena, r);
}

static double stated_error(const Model *model) {
    const json_t *certificate = json_object_get(model->extra, "certificate");
    const json_t *error = json_object_get(certificate, "error");
    return json_is_number(error) ? json_number_value(error) : -1;
}

void verify_claims(const Circuit *claims, Graph *graph, const CompileOutput *outputs,
                   uint32_t count, const CompileOptions *options, const Model *model, Arena *arena,
                   ClaimsReport *r) {
    CompileWays ways;
    bool settled = false;
    *r = (ClaimsReport){.refused = "", .claimed = stated_error(model)};
    compile_ways(options, ways);
    for (int w = 0; !settled && ways[w] != VALUES_BY_DOMAIN; w++)
        settled = settles(claims, graph, outputs, count, options, ways[w], model, arena, r);
    if (!settled) return;
    r->refused = "";
    if (!judge_claims(claims, graph, VALUES_BY_DOMAIN, options->table_limit, model, arena,
                      &r->verdict)) {
        const Verdict *v = &r->verdict;
        refuse(r, v->refused[0] ? v->refused : v->certificate.broken);
        return;
    }
    r->holds = true;
}
