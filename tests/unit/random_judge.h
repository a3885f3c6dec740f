/* random_judge.h: compiles a program text and compares the model with the interpreter on every
 * input, under softmax and under averaging hard attention. */
#ifndef RASP_TESTS_RANDOM_JUDGE_H
#define RASP_TESTS_RANDOM_JUDGE_H

#include "compile/check.h"
#include "compile/compile.h"
#include "compile/describe.h"
#include "compile/prove/judge.h"
#include "interp/eval/session.h"
#include "tests/unit/claims_check.h"
#include "tests/unit/random_program.h"

#include <stdlib.h>

typedef enum Judgement {
    JUDGED_RIGHT,
    JUDGED_NO_INPUT,    /* the interpreter has an error on every input */
    JUDGED_TOO_LARGE,   /* a limit of the compiler, said so */
    JUDGED_ROUNDING,    /* the program tells doubles apart that differ by rounding only: refused */
    JUDGED_AHEAD,       /* causal masks were asked for, and the program looks ahead */
    JUDGED_COARSE,      /* float32 was asked for and cannot hold the bound */
    JUDGED_UNCERTIFIED, /* nor can float64 */
    JUDGED_UNFLAGGED,   /* where it has no answer cannot be told */
    JUDGED_NOT_RASP,    /* the evaluator refuses the program: of the generator, if often */
    JUDGED_REFUSED,     /* another error of the compiler: must hardly happen */
    JUDGED_UNPROVED,    /* right, and not shown by its weights alone: the same */
    JUDGED_INVALID,     /* the model breaks the format */
    JUDGED_WRONG,       /* another answer than the interpreter's */
    JUDGED_BEYOND,      /* a measured error above the certified one */
    JUDGED_LET_PASS,    /* weights were changed, and are shown to be right, and are wrong */
    JUDGED_UNCLAIMED,   /* its claims read back as another circuit */
    JUDGED_CRASHED,
    JUDGED_STOPPED, /* out of memory or of time */
    JUDGEMENT_COUNT
} Judgement;

static const char *const judgement_names[JUDGEMENT_COUNT] = {
    [JUDGED_ROUNDING] = "hang on rounding",
    [JUDGED_AHEAD] = "look ahead",
    [JUDGED_COARSE] = "beyond float32",
    [JUDGED_UNCERTIFIED] = "not certified",
    [JUDGED_RIGHT] = "right",
    [JUDGED_NO_INPUT] = "no input without an error",
    [JUDGED_TOO_LARGE] = "too large",
    [JUDGED_REFUSED] = "refused by the compiler",
    [JUDGED_UNPROVED] = "not proved",
    [JUDGED_UNFLAGGED] = "without a flag",
    [JUDGED_NOT_RASP] = "not RASP",
    [JUDGED_INVALID] = "an invalid model",
    [JUDGED_WRONG] = "wrong",
    [JUDGED_BEYOND] = "beyond the certified error",
    [JUDGED_LET_PASS] = "changed, let pass and wrong",
    [JUDGED_UNCLAIMED] = "claims of another circuit",
    [JUDGED_CRASHED] = "crashed",
    [JUDGED_STOPPED] = "out of memory or time"};

static inline bool judged_bad(Judgement j) {
    return j >= JUDGED_REFUSED;
}

typedef struct Judge {
    const volatile sig_atomic_t *cancel; /* set by a timer: the program is too slow */
    char detail[2048];
    size_t parameters, inputs;
    Answers answers;
    size_t flagged; /* inputs on which a partial model has no answer */
    bool prove;     /* its weights, too */
} Judge;

/* --- messages ------------------------------------------------------------------------- */

static inline void judge_fault(void *context, Session *session, const Fault *fault) {
    Judge *judge = context;
    snprintf(judge->detail, sizeof judge->detail, "%s", fault_text(fault, session_arena(session)));
}

static inline void judge_stopped(void *context, Session *session, const char *message) {
    (void)session;
    Judge *judge = context;
    snprintf(judge->detail, sizeof judge->detail, "%s", message);
}

static inline void judge_syntax(void *context, const SourceMap *map, const Diag *diag) {
    (void)map;
    Judge *judge = context;
    snprintf(judge->detail, sizeof judge->detail, "%s", diag->message);
}

static inline void add_detail(Judge *judge, const char *text) {
    size_t at = strlen(judge->detail);
    snprintf(judge->detail + at, sizeof judge->detail - at, "%s", text);
}

static inline void add_atoms(Judge *judge, const char *label, const Atom *atoms, uint32_t n,
                             Arena *arena) {
    add_detail(judge, label);
    for (uint32_t i = 0; i < n; i++) {
        add_detail(judge, i ? ", " : "[");
        add_detail(judge, atom_show(atoms[i], ATOM_LISTED, arena));
    }
    add_detail(judge, "]");
}

/* --- one program ---------------------------------------------------------------------- */

static inline Session *judge_session(Judge *judge, Budget *budget) {
    SessionOptions options = {.mode = SESSION_BATCH,
                              .budget = budget,

                              .sink = {.context = judge,
                                       .fault = judge_fault,
                                       .stopped = judge_stopped,
                                       .syntax = {judge_syntax, judge}}};
    return session_new(&options);
}

static inline Atom token_atom(const char *literal, unsigned kind, Intern *table) {
    int64_t i;
    double f;
    size_t length = strlen(literal);
    if (*literal == '"') return atom_string(intern(table, literal + 1, length - 2));
    if (kind == BOOLS) return atom_bool(*literal == 'T');
    if (kind == FLOATS && read_float(literal, length, &f)) return atom_float(f);
    return read_int(literal, length, &i) ? atom_int(i) : atom_bool(false);
}

static inline const Atom *alphabet_atoms(const Alphabet *a, Intern *table, Arena *arena) {
    Atom *atoms = ARENA_ARRAY(arena, a->count, Atom);
    for (unsigned k = 0; k < a->count; k++) atoms[k] = token_atom(a->token[k], a->kind, table);
    return atoms;
}

static inline bool judge_where(Session *session, const RandomProgram *p, NodeId *where) {
    Value value;
    if (p->where < 0) return true;
    bool found = session_lookup(session, "fine", &value) && value.kind == VALUE_SOP;
    if (found) *where = value.object->node;
    return found;
}

static inline bool judge_outputs(Session *session, const RandomProgram *p, CompileOutput *outputs) {
    static const char *const name[] = {"first", "result"};
    Value value;
    for (int k = 0; k < p->root_count; k++) {
        const char *label = name[p->root_count == 1 ? 1 : k];
        if (!session_lookup(session, label, &value) || value.kind != VALUE_SOP) return false;
        outputs[k] = (CompileOutput){label, value.object->node};
    }
    return true;
}

/* Is the input one of the domain, and has every output an answer there? */
static inline bool input_is_inside(Exec *exec, const Domain *domain) {
    Fault fault;
    if (domain->where == NODE_NONE) return true;
    const Column *where = exec_column(exec, domain->where, &fault);
    bool inside = where != NULL;
    for (size_t i = 0; where && i < where->length; i++) inside &= atom_truth(column_at(where, i));
    return inside;
}

typedef enum OnInput { INPUT_OUTSIDE, INPUT_FAILS, INPUT_ANSWERED } OnInput;

static inline OnInput run_input(Graph *graph, const Domain *domain, const CompileOutput *outputs,
                                size_t count, const uint32_t *ids, uint32_t n, Arena *parent) {
    Arena *arena = arena_child(parent);
    Atom *tokens = ARENA_ARRAY(arena, n, Atom);
    for (uint32_t i = 0; i < n; i++) tokens[i] = domain->alphabet[ids[i]];
    Input input = {.tokens = tokens, .length = n};
    Exec *exec = exec_new(graph, &input, (ExecOptions){.keep = true, .threads = 1}, arena);
    Fault fault;
    OnInput result = input_is_inside(exec, domain) ? INPUT_ANSWERED : INPUT_OUTSIDE;
    for (size_t k = 0; k < count && result == INPUT_ANSWERED; k++)
        if (!exec_column(exec, outputs[k].node, &fault)) result = INPUT_FAILS;
    exec_free(exec);
    arena_free(arena);
    return result;
}

/* Does the interpreter have an answer for the output on some input of the domain? */
static inline bool has_answer(Graph *graph, const Domain *domain, const CompileOutput *output,
                              Arena *parent) {
    uint32_t ids[32], n;
    Inputs *inputs = inputs_new(domain, (InputPlan){.exhaustive_limit = 5000}, parent);
    while ((n = inputs_next(inputs, ids)) > 0 && n <= inputs_complete_length(inputs))
        if (run_input(graph, domain, output, 1, ids, n, parent) == INPUT_ANSWERED) return true;
    return false;
}

/* Is it an input without an answer, and is there no shorter one, if that is claimed? */
static inline bool is_shortest(Graph *graph, const Domain *domain, const CompileOutput *outputs,
                               size_t count, const NoAnswer *none, Arena *parent) {
    uint32_t ids[32], n;
    Inputs *inputs = inputs_new(domain, (InputPlan){.exhaustive_limit = 5000}, parent);
    if (run_input(graph, domain, outputs, count, none->ids, none->length, parent) != INPUT_FAILS)
        return false;
    while (none->shortest && (n = inputs_next(inputs, ids)) > 0 && n < none->length)
        if (run_input(graph, domain, outputs, count, ids, n, parent) == INPUT_FAILS) return false;
    return true;
}

/* A claim that there is nothing to compile. */
static inline Judgement judge_emptiness(const CompileOutput *outputs, int count, Graph *graph,
                                        const Domain *domain, Arena *arena) {
    for (int k = 0; k < count; k++)
        if (!has_answer(graph, domain, &outputs[k], arena)) return JUDGED_NO_INPUT;
    return JUDGED_REFUSED;
}

static inline Judgement judge_error(Judge *judge, const LowerError *error, Graph *graph,
                                    Arena *arena) {
    const char *node = error->node == NODE_NONE ? "" : graph_text(graph, error->node, 200, arena);
    snprintf(judge->detail, sizeof judge->detail, "%s [%s]", error->message, node);
    if (strstr(error->message, "fails on every input")) return JUDGED_NO_INPUT;
    if (strstr(error->message, "holds on no input")) return JUDGED_NO_INPUT;
    if (strstr(error->message, "where it fails (--partial)")) return JUDGED_UNFLAGGED;
    if (strstr(error->message, "rounding")) return JUDGED_ROUNDING;
    if (strstr(error->message, "--mask causal")) return JUDGED_AHEAD;
    if (strstr(error->message, "in f32")) return JUDGED_COARSE;
    if (strstr(error->message, "in f64")) return JUDGED_UNCERTIFIED;
    if (strstr(error->message, "beyond 2^53")) return JUDGED_TOO_LARGE;
    return strstr(error->message, "too many") ? JUDGED_TOO_LARGE : JUDGED_REFUSED;
}

static inline void describe_wrong(Judge *judge, const CheckExample *e, const char *rule,
                                  const Compiled *compiled, Arena *arena) {
    Atom tokens[16];
    for (uint32_t i = 0; i < e->length; i++)
        tokens[i] = compiled->circuit->domain.alphabet[e->ids[i]];
    snprintf(judge->detail, sizeof judge->detail, "%s, output %u", rule, e->output);
    add_atoms(judge, ", input ", tokens, e->length, arena);
    add_atoms(judge, "\n    expected ", e->expected, e->length, arena);
    add_atoms(judge, "\n    found    ", e->found, e->length, arena);
}

static inline Judgement judge_model(Judge *judge, Graph *graph, const Compiled *compiled,
                                    const CompileOutput *outputs, size_t count, Arena *arena) {
    RunOptions runs[2] = {run_options(), run_options()};
    runs[1].rule = RT_AVERAGE;
    runs[0].threads = runs[1].threads = 1;
    NodeId nodes[MAX_ROOTS];
    for (size_t k = 0; k < count; k++) nodes[k] = outputs[k].node;
    CheckSubject subject =
        check_subject(graph, &compiled->circuit->domain, compiled->model, nodes, count, arena);
    CheckOptions options = {.inputs = {.exhaustive_limit = 5000, .count = 5000},
                            .runs = runs,
                            .run_count = 2,
                            .shown = 1};
    CheckReport report;
    RtError error;
    if (!model_check(compiled->model, &error) ||
        !check_model(&subject, &options, arena, &report, &error)) {
        snprintf(judge->detail, sizeof judge->detail, "%s", error.text);
        return JUDGED_INVALID;
    }
    judge->inputs = report.compared;
    for (size_t r = 0; r < 2; r++) {
        if (report.runs[r].agreed == report.compared) continue;
        describe_wrong(judge, &report.runs[r].examples[0], rt_rules[runs[r].rule].name, compiled,
                       arena);
        return JUDGED_WRONG;
    }
    if (compiled->answers.kind != ANSWERS_NOT_SHOWN && report.left_out > 0) {
        snprintf(judge->detail, sizeof judge->detail,
                 "no answer on %zu inputs, of which nothing is said (%s)", report.left_out,
                 answers_words[compiled->answers.kind]);
        return JUDGED_WRONG;
    }
    if (compiled->answers.kind == ANSWERS_PARTIAL) judge->flagged = report.faulted;
    double measured = report.runs[0].largest_error, bound = compiled->certificate->error;
    bound += compiled->certificate->joined_absolute; /* the answer may be the other float */
    if (measured > bound) {
        snprintf(judge->detail, sizeof judge->detail, "measured %g, certified %g", measured, bound);
        return JUDGED_BEYOND;
    }
    return report.compared ? JUDGED_RIGHT : JUDGED_NO_INPUT;
}

/* --- by its weights alone ------------------------------------------------------------- */

typedef struct Spoilt {
    uint64_t at; /* which weight; counted down */
    uint64_t other;
    int how; /* SPOIL_… */
    double factor, add;
    Tensor *tensor;
} Spoilt;

enum { SPOIL_WEIGHT, SPOIL_ROWS, SPOIL_COLUMNS, SPOIL_COUNT };

/* Changes a weight, or exchanges its row or its column with another one; a second time, back. */
static inline void spoil_tensor(Spoilt *s, size_t at) {
    Tensor *t = s->tensor;
    size_t row = at / t->cols, column = at % t->cols;
    if (s->how == SPOIL_WEIGHT) t->data[at] = t->data[at] * s->factor + s->add;
    size_t count = s->how == SPOIL_ROWS ? t->cols : s->how == SPOIL_COLUMNS ? t->rows : 0;
    for (size_t k = 0; k < count; k++) {
        size_t x = s->how == SPOIL_ROWS ? row * t->cols + k : k * t->cols + column;
        size_t y = s->how == SPOIL_ROWS ? s->other % t->rows * t->cols + k
                                        : k * t->cols + s->other % t->cols;
        double kept = t->data[x];
        t->data[x] = t->data[y];
        t->data[y] = kept;
    }
}

static inline bool spoil(const char *name, Tensor *tensor, void *context) {
    Spoilt *s = context;
    size_t size = tensor_size(tensor);
    (void)name;
    if (s->at >= size) {
        s->at -= size;
        return true;
    }
    s->tensor = tensor;
    return false;
}

static inline Spoilt draw_spoilt(const Model *model, uint64_t *random) {
    static const double factor[] = {1, 1, 1, -1, 1.5, 0, 2, 1.01};
    static const double add[] = {1, -1, 0.25, 0, 0, 0, 0, 0};
    *random = *random * 0xd1342543de82ef95u + 1;
    Spoilt s = {.at = (*random >> 16) % model_parameters(model),
                .other = *random >> 40,
                .how = (int)((*random >> 8) % SPOIL_COUNT),
                .factor = factor[*random >> 61],
                .add = add[*random >> 61]};
    (void)model_visit(model, spoil, &s);
    return s;
}

/* Changes weights, one at a time or a line of them: what is still shown must still be right. */
static inline bool judge_spoilt(Judge *judge, Graph *graph, const Compiled *compiled,
                                const CompileOutput *outputs, size_t count,
                                const CompileOptions *options, Arena *parent) {
    uint64_t random = 0x9e3779b97f4a7c15u + model_parameters(compiled->model);
    bool right = true;
    for (int k = 0; k < 6 && right; k++) {
        Arena *arena = arena_child(parent);
        Verdict verdict;
        Spoilt s = draw_spoilt(compiled->model, &random);
        double old = s.tensor->data[s.at];
        spoil_tensor(&s, s.at);
        if (judge_claims(compiled->circuit, graph, options->way, options->table_limit,
                         compiled->model, arena, &verdict)) {
            Compiled changed = *compiled;
            changed.certificate = &verdict.certificate;
            right = judge_model(judge, graph, &changed, outputs, count, arena) == JUDGED_RIGHT;
        }
        if (s.how == SPOIL_WEIGHT)
            s.tensor->data[s.at] = old;
        else
            spoil_tensor(&s, s.at);
        arena_free(arena);
    }
    return right;
}

static inline Judgement judge_proof(Judge *judge, Graph *graph, const Compiled *compiled,
                                    const CompileOutput *outputs, size_t count,
                                    const CompileOptions *options, Arena *arena) {
    Verdict verdict;
    if (!judge_claims(compiled->circuit, graph, options->way, options->table_limit, compiled->model,
                      arena, &verdict)) {
        snprintf(judge->detail, sizeof judge->detail, "%s%s", verdict.refused,
                 verdict.certificate.broken);
        return JUDGED_UNPROVED;
    }
    return judge_spoilt(judge, graph, compiled, outputs, count, options, arena) ? JUDGED_RIGHT
                                                                                : JUDGED_LET_PASS;
}

static inline Judgement judge_session_program(Judge *judge, Session *session,
                                              const RandomProgram *p, const char *text,
                                              CompileOptions options, Compiled *compiled) {
    CompileOutput outputs[MAX_ROOTS];
    LowerError error = {0};
    if (!session_load_text(session, "random.rasp", text, strlen(text))) return JUDGED_NOT_RASP;
    if (!judge_outputs(session, p, outputs) || !judge_where(session, p, &options.where))
        return JUDGED_NOT_RASP;
    Arena *arena = arena_child(session_arena(session));
    Graph *graph = session_graph(session);
    options.alphabet = alphabet_atoms(&p->alphabet, session_intern(session), arena);
    options.alphabet_size = p->alphabet.count;
    options.max_length = p->max_length;
    Domain domain = compile_domain(&options);
    size_t count = (size_t)p->root_count;
    bool done = compile_graph(graph, outputs, (uint32_t)count, &options, arena, compiled, &error);
    if (!done && compiled->none.ids) {
        if (!is_shortest(graph, &domain, outputs, count, &compiled->none, arena)) {
            snprintf(judge->detail, sizeof judge->detail, "not the shortest without an answer: %s",
                     fault_text(&compiled->none.fault, arena));
            return JUDGED_WRONG;
        }
        options.partial = true;
        done = compile_graph(graph, outputs, (uint32_t)count, &options, arena, compiled, &error);
    }
    if (!done) {
        Judgement judgement = judge_error(judge, &error, graph, arena);
        return judgement == JUDGED_NO_INPUT
                   ? judge_emptiness(outputs, (int)count, graph, &domain, arena)
                   : judgement;
    }
    /* Which floats are joined is read from the file, as `rasp check` does. */
    if (!describe_certificate(compiled->circuit, compiled->certificate, session_sources(session),
                              compiled->model, arena))
        return JUDGED_STOPPED;
    claims_check(session, compiled->circuit, compiled->model, false, arena, judge->detail,
                 sizeof judge->detail);
    if (*judge->detail) return JUDGED_UNCLAIMED;
    judge->answers = compiled->answers;
    judge->parameters = model_parameters(compiled->model);
    Judgement judgement = judge_model(judge, graph, compiled, outputs, count, arena);
    return judge->prove && judgement == JUDGED_RIGHT
               ? judge_proof(judge, graph, compiled, outputs, count, &options, arena)
               : judgement;
}

/* Judges the program's text; judge->detail says what is wrong. */
static inline Judgement judge_program(Judge *judge, const RandomProgram *p, const char *text,
                                      CompileOptions options) {
    static Compiled compiled; /* survives the jump to the guard */
    Budget budget;
    BudgetGuard guard;
    volatile Judgement result = JUDGED_STOPPED;
    Session *volatile session = NULL;
    judge->detail[0] = '\0';
    judge->parameters = judge->inputs = judge->flagged = 0;
    judge->answers = (Answers){.kind = ANSWERS_NOT_SHOWN};
    compiled.model = compiled.ideal = NULL;
    budget_init(&budget, (size_t)1 << 30);
    budget.cancel = judge->cancel;
    session = judge_session(judge, &budget);
    if (!session) return JUDGED_NOT_RASP;
    if (BUDGET_ENTER(&budget, &guard)) {
        result = judge_session_program(judge, session, p, text, options, &compiled);
        budget_leave(&budget, &guard);
    } else {
        budget_message(&budget, judge->detail, sizeof judge->detail);
    }
    compiled_clear(&compiled);
    model_free(compiled.model);
    session_free(session);
    return result;
}

#endif
