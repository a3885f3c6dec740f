#include "compile/compile.h"

#include "base/clock.h"
#include "compile/compile_trace.h"
#include "compile/emit/emit.h"
#include "compile/emit/layout.h"
#include "compile/emit/schedule.h"
#include "compile/flags.h"
#include "compile/prove/certificate.h"

#include <stdio.h>
#include <string.h>

/* Inverse temperature for a score gap of 1: e^-64 leaks nothing that a float64 could see. */
static const double BETA = 64;
/* Sparse kernels leave out what is 1 or 2 below (sparsemax, entmax15); the rest is for errors. */
static const double SPARSE_BETA = 4;

CompileOptions compile_options(void) {
    return (CompileOptions){
        .max_length = 16, .first = -1, .where = NODE_NONE, .table_limit = 1 << 20};
}

Domain compile_domain(const CompileOptions *options) {
    return (Domain){options->alphabet, options->alphabet_size, options->max_length, options->first,
                    options->where};
}

/* The steps between a graph and its weights. */
typedef struct Compiler {
    const CompileOptions *options;
    const CompileOutput *outputs;
    uint32_t output_count, depth;
    bool early; /* rather than look for an input without an answer, every one will be run */
    Values *values;
    Lower *lower; /* NULL: not yet */
    OutputPlan *plans;
    Compiled *c;
    LowerError *error;
} Compiler;

static void tell(const Compiler *k, const char *step) {
    const CompileOptions *o = k->options;
    if (!o->progress) return;
    o->progress(o->progress_context, step, k->c->stats.tries);
    budget_poll(arena_budget(k->c->arena)); /* who listens may have cancelled */
}

static void forget_models(Compiled *c) {
    compiled_clear(c);
    model_free(c->model);
    c->model = NULL;
}

static bool lower_outputs(Compiler *k, LowerCare care) {
    Compiled *c = k->c;
    LowerOptions lowering = {k->options->masks, k->options->table_limit, care};
    k->lower = lower_new(k->values, lowering, c->arena);
    k->plans = ARENA_ARRAY(c->arena, k->output_count, OutputPlan);
    c->circuit = NULL;
    for (uint32_t o = 0; o < k->output_count; o++) {
        bool planned = output_plan(k->lower, k->outputs[o].name, k->outputs[o].node, &k->plans[o]);
        if (planned && !lower_error(k->lower)->message[0]) continue;
        *k->error = *lower_error(k->lower);
        return false;
    }
    return true;
}

static bool lower_timed(Compiler *k, LowerCare care) {
    double start = clock_seconds();
    tell(k, "lowering");
    bool lowered = lower_outputs(k, care);
    k->c->stats.lowering += clock_seconds() - start;
    k->c->stats.nodes = graph_count(values_graph(k->values));
    return lowered;
}

/* The ideal weights, those rounded to a type, and what the certificate compares. */
static void charge_models(Compiled *c) {
    enum { MODELS = 2 };
    arena_free(c->tensors);
    c->tensors = NULL;
    c->tensors = arena_child(c->arena);
    arena_charge(c->tensors, MODELS * emit_bytes(c->circuit));
}

/* The circuit with this shape of tables and its exact weights, unless they are there. */
static bool make_circuit(Compiler *k, bool steep) {
    Compiled *c = k->c;
    if (c->circuit && c->ideal && c->circuit->options.steep == steep) return true;
    compiled_clear(c);
    double beta = k->options->kernel == RT_SOFTMAX ? BETA : SPARSE_BETA;
    CircuitOptions options = {beta, steep, k->options->log_length, k->options->kernel};
    c->circuit = circuit_make(k->lower, k->plans, k->output_count, options, k->depth, c->arena);
    charge_models(c);
    return emit_model(c->circuit, RT_F64, c->arena, &c->ideal);
}

/* Weights for one type and shape of tables, with the certificate; false when memory runs
 * out. */
static bool try_weights(Compiler *k, RtDtype dtype, bool steep) {
    Compiled *c = k->c;
    double start = clock_seconds();
    tell(k, "weights");
    c->stats.tries++;
    model_free(c->model);
    c->model = NULL;
    if (!make_circuit(k, steep) || !emit_model(c->circuit, dtype, c->arena, &c->model)) {
        forget_models(c);
        return false;
    }
    model_round(c->model);
    double made = clock_seconds();
    tell(k, "certificate");
    Certificate *certificate = ARENA_NEW(c->arena, Certificate);
    certificate_check(c->circuit, c->ideal, c->model, c->arena, certificate);
    c->certificate = certificate;
    c->stats.weights += made - start;
    c->stats.certificate += clock_seconds() - made;
    return true;
}

/* What is tried, in order, until the certificate holds: the smaller type first; tables with
 * flat parts where errors would pile up; digits of what is compared, then careful lowering, where
 * they would be magnified. */
static const struct Try {
    LowerCare care;
    bool steep;
    RtDtype dtype;
} tries[] = {{LOWER_PLAIN, false, RT_F32},  {LOWER_PLAIN, false, RT_F64},
             {LOWER_PLAIN, true, RT_F32},   {LOWER_PLAIN, true, RT_F64},
             {LOWER_DIGITS, true, RT_F32},  {LOWER_DIGITS, true, RT_F64},
             {LOWER_CAREFUL, true, RT_F32}, {LOWER_CAREFUL, true, RT_F64}};

static void explain(const Compiled *c, const CompileOptions *options, LowerError *error) {
    bool f32 = options->dtype == COMPILE_F32;
    *error = (LowerError){.node = NODE_NONE, .message = "out of memory for the weights"};
    if (!c->model || !c->ideal) return;
    const Certificate *certificate = c->certificate;
    if (certificate->holds)
        snprintf(error->message, sizeof error->message,
                 "the certified error is %.3g, the tolerance %.3g (--tolerance, --dtype)",
                 certificate->error, options->tolerance);
    else
        snprintf(error->message, sizeof error->message, "cannot certify the model in %s: %s (%s)",
                 f32 ? "f32" : "f64", certificate->broken,
                 f32 ? "--dtype f64 is finer" : "a smaller --max-length or fewer steps are easier");
}

/* The same with lowering, if need be; false when it cannot be made. */
static bool run_try(Compiler *k, const struct Try *t) {
    bool lowered = k->lower && lower_options(k->lower).care == t->care;
    return (lowered || lower_timed(k, t->care)) && try_weights(k, t->dtype, t->steep);
}

static bool is_certified(const Compiler *k) {
    const Certificate *certificate = k->c->certificate;
    double tolerance = k->options->tolerance;
    return certificate->holds && (tolerance == 0 || certificate->error <= tolerance);
}

/* A bound that only just holds in the finer type does not hold for whoever sees a little less:
 * steps are looked at as well, and kept if they are clearer. */
static bool choose_weights(Compiler *k) {
    static const double CLEAR = 0.5;
    const CompileOptions *options = k->options;
    Compiled *c = k->c;
    const struct Try *kept = NULL, *end = tries + sizeof tries / sizeof *tries, *t;
    *k->error = (LowerError){.node = NODE_NONE};
    for (t = tries; t < end && !(kept && t->care != LOWER_PLAIN); t++) {
        bool f32 = t->dtype == RT_F32;
        if (options->dtype != COMPILE_AUTO && (options->dtype == COMPILE_F32) != f32) continue;
        if (t->care == LOWER_DIGITS && !lower_has_digits(k->lower)) continue;
        if (!run_try(k, t)) break;
        if (!is_certified(k)) continue;
        if (f32 || c->certificate->tightest < CLEAR) return true;
        if (!kept) kept = t;
    }
    if (kept && run_try(k, kept)) return true;
    if (!k->error->message[0]) explain(c, options, k->error);
    forget_models(c);
    return false;
}

/* False: it certainly does not. */
static bool holds_somewhere(Values *values) {
    const NodeValues *v = values_of(values, values_domain(values)->where);
    bool some = false, all;
    if (values_exact(values)) return v->count > 0;
    for (uint32_t k = 0; k < v->count; k++) some |= atom_truth(v->levels[k]);
    if (!some) return false;
    Arena *arena = arena_child(graph_arena(values_graph(values)));
    bool holds = answers_where_holds(values_graph(values), values_domain(values), arena, &all);
    arena_free(arena);
    return holds || !all;
}

/* In memory of their own, whatever the caller does with the options. */
static const Domain *keep_domain(const CompileOptions *options, Arena *arena) {
    Domain *domain = ARENA_NEW(arena, Domain);
    Atom *alphabet = ARENA_ARRAY(arena, options->alphabet_size, Atom);
    memcpy(alphabet, options->alphabet, options->alphabet_size * sizeof *alphabet);
    *domain = compile_domain(options);
    domain->alphabet = alphabet;
    return domain;
}

static bool check_where(Values *values, NodeId where, LowerError *error) {
    if (where == NODE_NONE) return true;
    *error = (LowerError){.node = where};
    const char *message = NULL;
    if (!values_of(values, where))
        message = "too many values to say on which inputs this is true";
    else if (!holds_somewhere(values))
        message = "holds on no input of the domain (--where)";
    if (message) snprintf(error->message, sizeof error->message, "%s", message);
    return !message;
}

_Static_assert((uint64_t)COMPILE_LONGEST *(COMPILE_LONGEST + 1) / 2 <= INT32_MAX,
               "contexts are numbered in 32 bits");

static bool check_options(const CompileOptions *o, LowerError *error) {
    if (o->max_length >= 1 && o->max_length <= COMPILE_LONGEST && o->alphabet_size >= 1 &&
        o->alphabet_size <= COMPILE_MOST_TOKENS)
        return true;
    *error = (LowerError){.node = NODE_NONE};
    snprintf(error->message, sizeof error->message,
             "expected a length from 1 to %d and from 1 to %d tokens, found %u and %u",
             COMPILE_LONGEST, COMPILE_MOST_TOKENS, o->max_length, o->alphabet_size);
    return false;
}

static bool is_always_true(Values *values, NodeId node) {
    const NodeValues *v = values_of(values, node);
    return v && v->count == 1 && atom_truth(v->levels[0]);
}

/* Safe outputs for those that may fail, and their flags behind them. */
static bool add_flags(Compiler *k, Total *total, const NodeId *sops) {
    FlagsError error;
    uint32_t count = k->output_count;
    Arena *arena = k->c->arena;
    Flagged *flagged = ARENA_ARRAY(arena, count, Flagged);
    CompileOutput *outputs = ARENA_ARRAY(arena, 2 * (size_t)count, CompileOutput);
    if (!flags_make(total, sops, count, arena, flagged, &error)) {
        *k->error = (LowerError){.node = error.node};
        snprintf(k->error->message, sizeof k->error->message,
                 "cannot make out where it fails (--partial): %s", error.message);
        return false;
    }
    for (uint32_t o = 0; o < count; o++) {
        const char *name = k->outputs[o].name;
        outputs[o] = (CompileOutput){name, flagged[o].safe};
        if (flagged[o].flag == NODE_NONE) continue;
        outputs[k->output_count++] = (CompileOutput){flags_name(name, arena), flagged[o].flag};
        if (!is_always_true(k->values, flagged[o].flag)) continue;
        *k->error = (LowerError){.node = sops[o], .message = "fails on every input of the domain"};
        return false;
    }
    k->c->answers.kind = k->output_count > count ? ANSWERS_PARTIAL : ANSWERS_PROVED;
    k->outputs = outputs;
    return true;
}

/* Is there an answer on every input, or is it told where there is none? */
static bool settle_answers(Compiler *k) {
    Compiled *c = k->c;
    uint32_t count = k->output_count;
    tell(k, "answers");
    NodeId *sops = ARENA_ARRAY(c->arena, count, NodeId);
    Total *total = total_new(k->values, c->arena);
    for (uint32_t o = 0; o < count; o++) sops[o] = k->outputs[o].node;
    c->answers.kind = ANSWERS_PROVED;
    if (answers_proved(total, sops, count, c->arena)) return true;
    if (k->early) return false;
    if (k->options->partial) return add_flags(k, total, sops);
    c->answers = answers_try(values_graph(k->values), values_domain(k->values), sops, count,
                             c->arena, &c->none);
    return !c->none.ids;
}

/* Before anything is asked. */
static Values *make_values(Graph *graph, const CompileOptions *options, const Domain *domain,
                           ValuesWay way, Arena *arena) {
    Values *values = values_new(graph, domain, options->table_limit,
                                values_row_limit(options->table_limit), arena);
    if (way == VALUES_RUN) (void)values_run(values); /* what it cannot, check_where tells */
    if (way == VALUES_PRODUCTS_FIRST) values_limit_work(values, values_way_work(domain));
    return values;
}

/* Values, found in one way, and the outputs. */
static bool settle(Graph *graph, Compiler *k, const Domain *domain, ValuesWay way) {
    k->early = way == VALUES_PRODUCTS_FIRST && values_way_shows(domain);
    k->values = make_values(graph, k->options, domain, way, k->c->arena);
    k->c->trace->values = k->values;
    return check_where(k->values, k->options->where, k->error) && settle_answers(k);
}

/* From value sets to weights, with values found in one way. */
static bool compile_by(Graph *graph, Compiler k, const Domain *domain, ValuesWay way) {
    if (!settle(graph, &k, domain, way)) return false;
    for (uint32_t o = 0; o < k.output_count; o++)
        if (graph_node(graph, k.outputs[o].node)->depth > k.depth)
            k.depth = graph_node(graph, k.outputs[o].node)->depth;
    if (choose_weights(&k) && !values_spent(k.values)) return true;
    forget_models(k.c);
    return false;
}

static ValuesWay way_of(const CompileOptions *options, const Domain *domain) {
    return options->way == VALUES_BY_DOMAIN ? values_way(domain) : options->way;
}

void compile_ways(const CompileOptions *options, CompileWays ways) {
    Domain domain = compile_domain(options);
    ValuesWay first = way_of(options, &domain);
    bool others = first == VALUES_PRODUCTS_FIRST;
    const CompileWays all = {first, others ? VALUES_RUN : VALUES_BY_DOMAIN, VALUES_PRODUCTS,
                             VALUES_BY_DOMAIN};
    memcpy(ways, all, sizeof all);
}

bool compile_settle(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                    const CompileOptions *options, ValuesWay way, Arena *arena, Settled *settled,
                    LowerError *error) {
    Compiled c = {.arena = arena, .trace = ARENA_NEW(arena, CompileTrace)};
    if (!check_options(options, error)) return false;
    Compiler k = {.options = options,
                  .outputs = outputs,
                  .output_count = output_count,
                  .c = &c,
                  .error = error};
    bool done = settle(graph, &k, keep_domain(options, arena), way);
    *settled = (Settled){k.outputs, k.output_count, c.answers, c.none};
    return done;
}

bool compile_graph(Graph *graph, const CompileOutput *outputs, uint32_t output_count,
                   const CompileOptions *options, Arena *arena, Compiled *c, LowerError *error) {
    *c = (Compiled){.arena = arena};
    if (!check_options(options, error)) return false;
    Compiler k = {.options = options,
                  .outputs = outputs,
                  .output_count = output_count,
                  .c = c,
                  .error = error};
    const Domain *domain = keep_domain(options, arena);
    ValuesWay way = way_of(options, domain);
    c->trace = ARENA_NEW(arena, CompileTrace);
    if (compile_by(graph, k, domain, way)) return true;
    if (way != VALUES_PRODUCTS_FIRST || c->none.ids) return false;
    if (compile_by(graph, k, domain, VALUES_RUN)) return true;
    return !c->none.ids && compile_by(graph, k, domain, VALUES_PRODUCTS);
}

bool compile_facts(Graph *graph, NodeId sop, const CompileOptions *options, Arena *arena,
                   Facts *facts, LowerError *error) {
    if (!check_options(options, error)) return false;
    const Domain *domain = keep_domain(options, arena);
    ValuesWay way = way_of(options, domain) == VALUES_RUN ? VALUES_RUN : VALUES_PRODUCTS;
    Values *values = make_values(graph, options, domain, way, arena);
    if (!check_where(values, options->where, error)) return false;
    const NodeValues *v = values_of(values, sop);
    if (v && v->count == 0) {
        *error = (LowerError){.node = sop, .message = "fails on every input of the domain"};
        return false;
    }
    *facts = facts_find(values, sop, arena);
    return true;
}

bool compiled_lay_out(Compiled *compiled, const CompileOptions *options) {
    if (options->layout == LAYOUT_COMPACT) return true;
    arena_charge(compiled->tensors, layout_bytes(compiled->model));
    Model *standard = layout_standard(compiled->model);
    if (!standard) return false;
    model_free(compiled->model);
    compiled->model = standard;
    return true;
}

void compiled_clear(Compiled *compiled) {
    model_free(compiled->ideal);
    compiled->ideal = NULL;
}
