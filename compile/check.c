#include "compile/check.h"

#include "compile/atoms.h"
#include "compile/flags.h"
#include "compile/record.h"
#include "compile/values/numbers.h"
#include "compile/values/values.h"
#include "interp/exec/exec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Inputs run together; fewer of a check that may be stopped, which loses a chunk then. */
enum { CHUNK = 2048, CHUNK_KEPT = 64 };

/* One input with what the interpreter says. */
typedef struct Trial {
    const uint32_t *ids;
    uint64_t number;
    uint32_t length;
    const Atom **expected; /* by output; NULL: an error, or not compared */
} Trial;

/* The values of an output that is decoded as the nearest number, equal ones in
 * one run: what is between two runs is where an answer changes. */
typedef struct Levels {
    double *low, *high;       /* of run k, ascending */
    size_t count;             /* 0: another kind of output */
    bool whole;               /* of all whole numbers */
    double shift[KIND_COUNT]; /* by kind: how far from themselves numbers stand */
} Levels;

typedef struct Checker {
    const CheckSubject *subject;
    const CheckOptions *options;
    CheckReport *report;
    Arena *arena;
    const Atom **values; /* by output and index: what the model says */
    Levels *levels;      /* by output */
    CheckJoin joined;
    Engine **engines; /* by run */
    Inputs *inputs;
    uint32_t *ids;         /* scratch: the next input */
    size_t tried, counted; /* inputs taken from `inputs`, also of others; with something to compare
                            */
    /* The report as it was when the last chunk was done. */
    CheckReport done;
    CheckRun *done_runs;
    /* The chunk. */
    Arena *chunk;
    Trial *trials;
    RunInput *batch;
    RunResult *results;
    size_t trial_count, result_count;
} Checker;

/* --- values -------------------------------------------------------------------------------- */

bool check_same(Atom a, Atom b, CheckJoin joined) {
    if (atom_same(a, b)) return true;
    if (a.kind != ATOM_FLOAT || b.kind != ATOM_FLOAT) return false;
    double apart = fabs(a.f - b.f);
    /* Divided as the certificate does, which states the quotient of the two that are furthest
     * apart: rounded alike, those of others are no greater. */
    return apart <= joined.absolute && apart / fmin(fabs(a.f), fabs(b.f)) <= joined.relative;
}

/* A stranger's file may say anything; the compiler joins nothing that is further apart. */
CheckJoin check_join(const Model *model) {
    const json_t *joined = json_object_get(json_object_get(model->extra, "certificate"), "joined");
    return (CheckJoin){
        json_number_value(json_object_get(joined, "absolute")),
        fmin(json_number_value(json_object_get(joined, "relative")), 2 * NUMBERS_NEAR)};
}

static const Atom *output_values(const ModelOutput *output, Intern *table, Arena *arena) {
    Atom *values = ARENA_ARRAY(arena, output->value_count + 1, Atom);
    for (size_t k = 0; k < output->value_count; k++)
        values[k] = atom_from_file(&output->values[k], table);
    return values;
}

static int kind_index(Atom value) {
    return __builtin_ctz(kind_bit(value));
}

static Levels find_levels(const ModelOutput *output, Intern *table, Arena *arena) {
    Levels levels = {0};
    levels.whole = output->decode == RT_DECODE_WHOLE;
    if (output->decode != RT_DECODE_NEAREST) return levels;
    size_t n = output->value_count;
    double *number = ARENA_ARRAY(arena, n, double);
    for (size_t k = 0; k < n; k++) {
        number[k] = output_place(output, k);
        Atom value = atom_from_file(&output->values[k], table);
        if (output->places && atom_is_number(value))
            levels.shift[kind_index(value)] = number[k] - atom_double(value);
    }
    qsort(number, n, sizeof *number, number_order);
    levels.low = ARENA_ARRAY(arena, n, double);
    levels.high = ARENA_ARRAY(arena, n, double);
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || number[k - 1] != number[k]) levels.low[levels.count++] = number[k];
        levels.high[levels.count - 1] = number[k];
    }
    return levels;
}

/* How far x is from where another value than the expected one would be read. */
static double level_margin(const Levels *levels, double x, double expected) {
    double margin = INFINITY;
    size_t k = 0;
    while (k + 1 < levels->count && levels->low[k + 1] <= expected) k++;
    if (k > 0) margin = x - (levels->high[k - 1] + levels->low[k]) / 2;
    if (k + 1 < levels->count)
        margin = fmin(margin, (levels->high[k] + levels->low[k + 1]) / 2 - x);
    return margin;
}

static Atom found_value(const Checker *c, size_t output, const Reading *reading) {
    if (c->levels[output].whole)
        return atom_int(output_whole(c->subject->model->outputs[output], reading->number));
    return reading->index < 0 ? atom_float(reading->number) : c->values[output][reading->index];
}

/* --- the interpreter ----------------------------------------------------------------------- */

static bool holds_everywhere(const Column *column) {
    for (size_t i = 0; i < column->length; i++)
        if (!atom_truth(column_at(column, i))) return false;
    return true;
}

static const Atom *same_everywhere(Atom value, uint32_t length, Arena *arena) {
    Atom *atoms = ARENA_BLOCK(arena, length, Atom);
    for (uint32_t i = 0; i < length; i++) atoms[i] = value;
    return atoms;
}

static const Atom *copy_column(const Column *column, Arena *arena) {
    Atom *atoms = ARENA_BLOCK(arena, column->length, Atom);
    for (size_t i = 0; i < column->length; i++) atoms[i] = column_at(column, i);
    return atoms;
}

static bool is_flagged(const CheckSubject *s, NodeId node) {
    for (size_t k = 0; k < s->model->output_count; k++)
        if (s->flags[k] && s->nodes[k] == node) return true;
    return false;
}

static bool is_outside(const Checker *c, Exec *exec) {
    Fault fault;
    if (c->subject->domain->where == NODE_NONE) return false;
    const Column *where = exec_column(exec, c->subject->domain->where, &fault);
    return !where || !holds_everywhere(where);
}

/* What the outputs are on the input; false if none is comparable or it is outside the domain. */
static bool interpret(Checker *c, Exec *exec, Trial *trial) {
    const CheckSubject *s = c->subject;
    CheckReport unwanted = {0}; /* of inputs of other pieces */
    CheckReport *report = inputs_own(c->inputs) ? c->report : &unwanted;
    Fault fault;
    report->tried++;
    if (is_outside(c, exec)) return report->outside++, false;
    trial->expected = ARENA_ARRAY(c->chunk, s->model->output_count, const Atom *);
    bool any = false, faulted = false, left_out = false;
    for (size_t k = 0; k < s->model->output_count; k++) {
        if (s->nodes[k] == NODE_NONE) continue;
        const Column *column = exec_column(exec, s->nodes[k], &fault);
        if (s->flags[k])
            trial->expected[k] = same_everywhere(atom_bool(!column), trial->length, c->chunk);
        else if (column)
            trial->expected[k] = copy_column(column, c->chunk);
        any |= trial->expected[k] != NULL;
        faulted |= !column;
        left_out |= !column && !is_flagged(s, s->nodes[k]);
    }
    report->faulted += faulted;
    report->left_out += left_out;
    c->counted += any;
    return any;
}

static Exec *start(const Checker *c, const Atom *tokens, size_t length, Arena *arena) {
    const CheckSubject *s = c->subject;
    Input input = {.tokens = tokens, .length = length};
    Exec *exec = exec_new(s->graph, &input, (ExecOptions){.threads = 1}, arena);
    NodeId *wanted = ARENA_ARRAY(arena, s->model->output_count + 1, NodeId);
    size_t count = 0;
    for (size_t k = 0; k < s->model->output_count; k++)
        if (s->nodes[k] != NODE_NONE) wanted[count++] = s->nodes[k];
    if (s->domain->where != NODE_NONE) wanted[count++] = s->domain->where;
    exec_want(exec, wanted, count);
    return exec;
}

/* Adds the input to the chunk unless there is nothing to compare on it. */
static void add_trial(Checker *c, uint32_t length) {
    Arena *arena = arena_child(c->chunk);
    Atom *tokens = ARENA_ARRAY(arena, length, Atom);
    for (uint32_t i = 0; i < length; i++) tokens[i] = c->subject->domain->alphabet[c->ids[i]];
    Exec *exec = start(c, tokens, length, arena);
    Trial *trial = &c->trials[c->trial_count];
    *trial = (Trial){.number = inputs_number(c->inputs), .length = length};
    if (interpret(c, exec, trial) && inputs_own(c->inputs)) {
        uint32_t *ids = ARENA_BLOCK(c->chunk, length, uint32_t);
        size_t *wide = ARENA_BLOCK(c->chunk, length, size_t);
        for (uint32_t i = 0; i < length; i++) wide[i] = ids[i] = c->ids[i];
        trial->ids = ids;
        c->batch[c->trial_count++] = (RunInput){wide, length};
    }
    exec_free(exec);
    arena_free(arena);
}

/* Takes inputs until the chunk is full; false when that was the last chunk. */
static bool fill_chunk(Checker *c) {
    const InputPlan *plan = &c->options->inputs;
    bool all = inputs_exhaustive(c->inputs);
    size_t room = c->options->keep ? CHUNK_KEPT : CHUNK;
    c->chunk = arena_child(c->arena);
    c->trial_count = 0;
    while (c->trial_count < room) {
        if (!all && (c->counted >= plan->count || c->tried >= plan->count * INPUTS_OUTSIDE))
            return false;
        uint32_t length = inputs_next(c->inputs, c->ids);
        if (length == 0) return false;
        c->tried++;
        budget_poll(arena_budget(c->arena));
        add_trial(c, length);
    }
    return true;
}

/* --- comparing ----------------------------------------------------------------------------- */

static void keep_example(Checker *c, CheckRun *run, const Trial *trial, uint32_t output,
                         const RunResult *result) {
    uint32_t n = trial->length, *ids = ARENA_ARRAY(c->arena, n, uint32_t);
    Atom *expected = ARENA_ARRAY(c->arena, n, Atom), *found = ARENA_ARRAY(c->arena, n, Atom);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = trial->ids[i];
        expected[i] = trial->expected[output][i];
        found[i] = found_value(c, output, run_reading(result, output, i));
    }
    run->examples[run->example_count++] = (CheckExample){.ids = ids,
                                                         .number = trial->number,
                                                         .length = n,
                                                         .output = output,
                                                         .expected = expected,
                                                         .found = found};
}

static void compare_reading(const Checker *c, CheckRun *run, size_t output, Atom expected,
                            const Reading *reading) {
    const Levels *levels = &c->levels[output];
    if (levels->whole && atom_is_number(expected)) {
        double error = fabs(reading->number - atom_double(expected));
        run->least_margin = fmin(run->least_margin, 0.5 - error);
        run->largest_error = fmax(run->largest_error, error);
    } else if (levels->count == 0) {
        run->least_margin = fmin(run->least_margin, reading->margin);
    } else if (atom_is_number(expected)) {
        double x = reading->number;
        double value = atom_double(expected) + levels->shift[kind_index(expected)];
        run->least_margin = fmin(run->least_margin, level_margin(levels, x, value));
        run->largest_error = fmax(run->largest_error, fabs(x - value));
    }
}

/* Positions at which one output is right. */
static size_t compare_output(const Checker *c, CheckRun *run, const Trial *trial, size_t output,
                             const RunResult *result) {
    size_t right = 0;
    for (uint32_t i = 0; i < trial->length; i++) {
        const Reading *reading = run_reading(result, output, i);
        Atom expected = trial->expected[output][i];
        right += check_same(expected, found_value(c, output, reading), c->joined);
        compare_reading(c, run, output, expected, reading);
    }
    return right;
}

static void compare_trial(Checker *c, CheckRun *run, const Trial *trial, const RunResult *result) {
    bool agreed = true;
    for (uint32_t k = 0; k < c->subject->model->output_count; k++) {
        if (!trial->expected[k]) continue;
        size_t right = compare_output(c, run, trial, k, result);
        run->right += right;
        if (right < trial->length && agreed && run->example_count < c->options->shown)
            keep_example(c, run, trial, k, result);
        agreed &= right == trial->length;
    }
    run->agreed += agreed;
}

static void clear_results(Checker *c) {
    for (size_t k = 0; k < c->result_count; k++) run_result_clear(&c->results[k]);
    c->result_count = 0;
}

static bool run_chunk(Checker *c, RtError *error) {
    CheckReport *report = c->report;
    for (size_t r = 0; r < c->options->run_count; r++) {
        if (!engine_run_batch(c->engines[r], c->batch, c->trial_count, c->results, error))
            return false;
        c->result_count = c->trial_count;
        for (size_t t = 0; t < c->trial_count; t++)
            compare_trial(c, &report->runs[r], &c->trials[t], &c->results[t]);
        clear_results(c);
    }
    report->compared += c->trial_count;
    for (size_t t = 0; t < c->trial_count; t++)
        for (size_t k = 0; k < c->subject->model->output_count; k++)
            if (c->trials[t].expected[k]) report->positions += c->trials[t].length;
    if (c->options->progress) c->options->progress(c->options->progress_context, report->compared);
    return true;
}

CheckSubject check_subject(Graph *graph, const Domain *domain, const Model *model,
                           const NodeId *sops, size_t count, Arena *arena) {
    NodeId *nodes = ARENA_ARRAY(arena, model->output_count, NodeId);
    bool *flags = ARENA_ARRAY(arena, model->output_count, bool);
    for (size_t k = 0; k < model->output_count; k++) {
        size_t of = 0;
        while (k >= count && of < count &&
               !flags_is_name(model->outputs[k]->name, model->outputs[of]->name))
            of++;
        flags[k] = k >= count && of < count;
        nodes[k] = k < count ? sops[k] : flags[k] ? sops[of] : NODE_NONE;
    }
    return (CheckSubject){graph, domain, model, nodes, flags};
}

/* --- all of it ----------------------------------------------------------------------------- */

static bool make_engines(Checker *c, RtError *error) {
    for (size_t r = 0; r < c->options->run_count; r++) {
        c->engines[r] = engine_new(c->subject->model, &c->options->runs[r], error);
        if (!c->engines[r]) return false;
    }
    return true;
}

static void copy_report(CheckReport *to, CheckRun *runs, const CheckReport *from, size_t count) {
    memcpy(runs, from->runs, count * sizeof *runs);
    *to = *from;
    to->runs = runs;
}

static bool run_chunks(Checker *c, RtError *error) {
    if (!make_engines(c, error)) return false;
    copy_report(&c->done, c->done_runs, c->report, c->options->run_count);
    for (bool more = true, good = true; more;) {
        more = fill_chunk(c);
        good = c->trial_count == 0 || run_chunk(c, error);
        arena_free(c->chunk);
        c->chunk = NULL;
        if (!good) budget_poll(arena_budget(c->arena)); /* an engine may have seen Ctrl-C first */
        if (!good) return false;
        copy_report(&c->done, c->done_runs, c->report, c->options->run_count);
    }
    return true;
}

/* What the arena does not own. */
static void release(Checker *c) {
    clear_results(c);
    for (size_t r = 0; r < c->options->run_count; r++) engine_free(c->engines[r]);
}

static Checker *prepare(const CheckSubject *subject, const CheckOptions *options, Arena *arena,
                        CheckReport *report) {
    Checker *c = ARENA_NEW(arena, Checker);
    const Model *model = subject->model;
    *c = (Checker){.subject = subject, .options = options, .report = report, .arena = arena};
    c->joined = check_join(model);
    c->inputs = inputs_new(subject->domain, options->inputs, arena);
    c->values = ARENA_ARRAY(arena, model->output_count + 1, const Atom *);
    c->levels = ARENA_ARRAY(arena, model->output_count + 1, Levels);
    for (size_t k = 0; k < model->output_count; k++)
        c->levels[k] = find_levels(model->outputs[k], graph_intern(subject->graph), arena);
    for (size_t k = 0; k < model->output_count; k++)
        c->values[k] = output_values(model->outputs[k], graph_intern(subject->graph), arena);
    c->engines = ARENA_ARRAY(arena, options->run_count + 1, Engine *);
    c->ids = ARENA_ARRAY(arena, subject->domain->max_length, uint32_t);
    c->trials = ARENA_ARRAY(arena, CHUNK, Trial);
    c->batch = ARENA_ARRAY(arena, CHUNK, RunInput);
    c->results = ARENA_ARRAY(arena, CHUNK, RunResult);
    *report = (CheckReport){.exhaustive = inputs_exhaustive(c->inputs),
                            .complete_length = inputs_complete_length(c->inputs),
                            .runs = ARENA_ARRAY(arena, options->run_count + 1, CheckRun)};
    c->done_runs = ARENA_ARRAY(arena, options->run_count + 1, CheckRun);
    for (size_t r = 0; r < options->run_count; r++)
        report->runs[r] = (CheckRun){.least_margin = INFINITY,
                                     .largest_error = -1,
                                     .examples = ARENA_ARRAY(arena, options->shown, CheckExample)};
    return c;
}

/* What was done when the budget stopped, to a caller who may go on. */
static void keep_what_is_done(Checker *c) {
    Budget *budget = arena_budget(c->arena);
    budget_time(budget, 0);
    copy_report(c->report, c->report->runs, &c->done, c->options->run_count);
    c->report->stopped = budget->stop;
    arena_free(c->chunk);
}

bool check_model(const CheckSubject *subject, const CheckOptions *options, Arena *arena,
                 CheckReport *report, RtError *error) {
    Budget *budget = arena_budget(arena);
    Checker *c = prepare(subject, options, arena, report);
    BudgetGuard guard;
    bool good = false;
    if (BUDGET_ENTER(budget, &guard)) {
        good = run_chunks(c, error);
        budget_leave(budget, &guard);
    } else {
        release(c);
        bool kept = options->keep && budget->stop != BUDGET_OUT_OF_MEMORY && c->done.runs;
        if (!kept) budget_stop(budget, budget->stop);
        keep_what_is_done(c);
        return true;
    }
    release(c);
    return good;
}
