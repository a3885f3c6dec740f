/* What is checked and what was found, written exactly; and found again, added up. */
#include "cli/check_piece.h"

#include "base/random.h"
#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/merge.h"
#include "cli/report.h"

#include <math.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------- */

/* By it weights are known to be the same. */
static const char *weights_hash(const RaspModel *model) {
    unsigned char *bytes;
    size_t size;
    RaspError error;
    uint64_t hash = 0;
    if (!rasp_model_bytes(model, &bytes, &size, &error)) return "";
    for (size_t k = 0; k < size; k++) hash = random_mix(hash + bytes[k] + 1);
    rasp_free(bytes);
    return arena_format(command_arena(), "%016llx", (unsigned long long)hash);
}

static void put_model(Json *j, const CheckView *v) {
    const RaspModelInfo *m = v->model;
    json_text(j, "program", v->program);
    json_begin_array(j, "outputs");
    for (size_t k = 0; k < m->output_count; k++) json_text(j, NULL, m->outputs[k].name);
    json_end(j);
    piece_atoms(j, "alphabet", m->alphabet, m->alphabet_size);
    json_count(j, "max_length", m->max_length);
    if (m->first >= 0) piece_atoms(j, "first", &m->alphabet[m->first], 1);
    if (m->where) json_text(j, "where", m->where);
    json_text(j, "dtype", rasp_dtype_name((int)m->dtype));
    json_text(j, "kernel", rasp_rule_name((int)m->kernel));
    json_number(j, "certified", "%.17g", m->certified);
    json_flag(j, "from_file", v->from_file);
    json_text(j, "weights_hash", weights_hash(v->handle));
}

static void put_options(Json *j, const CheckView *v, const RaspCheckOptions *o) {
    json_text(j, "weights", rasp_rule_name((int)o->rule));
    json_number(j, "parameter", "%.17g", o->parameter);
    json_begin_array(j, "temperatures");
    for (size_t k = 0; k < v->report->run_count; k++)
        json_number(j, NULL, "%.17g", v->report->runs[k].temperature);
    json_end(j);
    piece_put_seed(j, o->seed);
    json_count(j, "count", o->count);
    json_count(j, "exhaustive_limit", o->exhaustive_limit);
    json_count(j, "show", o->shown);
}

static void put_example(Json *j, const RaspCheckExample *e) {
    json_begin_object(j, NULL);
    json_count(j, "number", e->number);
    json_count(j, "output", e->output);
    piece_atoms(j, "input", e->input, e->length);
    piece_atoms(j, "expected", e->expected, e->length);
    piece_atoms(j, "found", e->found, e->length);
    json_end(j);
}

static void put_run(Json *j, const RaspCheckRun *run) {
    json_begin_object(j, NULL);
    json_count(j, "agreed", run->agreed);
    json_count(j, "right", run->right);
    json_number(j, "largest_error", "%.17g", run->largest_error);
    json_number(j, "least_margin", "%.17g", run->least_margin);
    json_begin_array(j, "disagreements");
    for (size_t e = 0; e < run->example_count; e++) put_example(j, &run->examples[e]);
    json_end(j);
    json_end(j);
}

void check_print_piece(const CheckView *v, const RaspCheckOptions *o) {
    const RaspCheckReport *r = v->report;
    PieceHead head = {"check", {o->shard - 1, o->shards}, r->stopped, r->tried, v->seconds};
    Json j = {.out = stdout};
    piece_begin(&j, &head);
    put_model(&j, v);
    put_options(&j, v, o);
    piece_result(&j);
    json_flag(&j, "exhaustive", r->exhaustive);
    json_count(&j, "complete_length", r->complete_length);
    json_count(&j, "compared", r->compared);
    json_count(&j, "positions", r->positions);
    json_count(&j, "faulted", r->faulted);
    json_count(&j, "left_out", r->left_out);
    json_count(&j, "outside", r->outside);
    json_begin_array(&j, "runs");
    for (size_t k = 0; k < r->run_count; k++) put_run(&j, &r->runs[k]);
    json_end(&j);
    piece_end(&j);
}

/* Is there a disagreement, whatever is missing? */
static bool disagrees(const RaspCheckReport *r) {
    for (size_t k = 0; k < r->run_count; k++)
        if (r->runs[k].agreed < r->compared) return true;
    return false;
}

int check_piece_status(const RaspCheckReport *r) {
    return disagrees(r) ? EXIT_DISAGREE : piece_status(r->stopped);
}

/* --- adding up -------------------------------------------------------------------------- */

static RaspCheckExample read_example(const json_t *object) {
    RaspCheckExample e = {.output = piece_count(object, "output"),
                          .number = piece_count(object, "number")};
    size_t expected, found;
    e.input = piece_read_atoms(json_object_get(object, "input"), &e.length);
    e.expected = piece_read_atoms(json_object_get(object, "expected"), &expected);
    e.found = piece_read_atoms(json_object_get(object, "found"), &found);
    if (expected < e.length) e.length = expected;
    if (found < e.length) e.length = found;
    return e;
}

/* Into the first `room` by the numbers of their inputs. */
static void add_example(RaspCheckRun *run, RaspCheckExample *examples, size_t room,
                        RaspCheckExample new) {
    size_t at = run->example_count;
    while (at > 0 && examples[at - 1].number > new.number) at--;
    if (at == room) return;
    if (run->example_count < room) run->example_count++;
    memmove(&examples[at + 1], &examples[at], (run->example_count - at - 1) * sizeof *examples);
    examples[at] = new;
}

/* Into a run with room for so many examples, of a model with so many outputs. */
static void add_run(RaspCheckRun *run, RaspCheckExample *examples, size_t room, size_t outputs,
                    const json_t *piece) {
    const json_t *example;
    size_t k;
    run->agreed += piece_count(piece, "agreed");
    run->right += piece_count(piece, "right");
    run->largest_error = fmax(run->largest_error, piece_number(piece, "largest_error", -1));
    run->least_margin = fmin(run->least_margin, piece_number(piece, "least_margin", INFINITY));
    json_array_foreach(json_object_get(piece, "disagreements"), k,
                       example) if (piece_count(example, "output") < outputs)
        add_example(run, examples, room, read_example(example));
}

static void add_counts(RaspCheckReport *r, const json_t *piece) {
    r->exhaustive = json_is_true(json_object_get(piece, "exhaustive"));
    r->complete_length = (uint32_t)piece_count(piece, "complete_length");
    r->compared += piece_count(piece, "compared");
    r->positions += piece_count(piece, "positions");
    r->faulted += piece_count(piece, "faulted");
    r->left_out += piece_count(piece, "left_out");
    r->outside += piece_count(piece, "outside");
}

/* Examples of one temperature that are kept: as many as were asked for, if there are so many. */
static size_t room_for_examples(const Pieces *p) {
    size_t wanted = piece_count(p->run, "show"), there = 0, r;
    const json_t *run;
    for (uint32_t k = 0; k < p->of; k++)
        json_array_foreach(json_object_get(piece_found(p, k), "runs"), r, run) there +=
            json_array_size(json_object_get(run, "disagreements"));
    return wanted < there ? wanted : there;
}

static RaspCheckReport add_up(const Pieces *p) {
    const json_t *temperatures = json_object_get(p->run, "temperatures");
    size_t room = room_for_examples(p), count = json_array_size(temperatures);
    size_t outputs = json_array_size(json_object_get(p->run, "outputs"));
    RaspCheckRun *runs = ARENA_ARRAY(command_arena(), count + 1, RaspCheckRun);
    RaspCheckReport r = {.seed = piece_seed(p->run), .runs = runs, .run_count = count};
    for (uint32_t k = 0; k < p->of; k++)
        if (piece_found(p, k)) add_counts(&r, piece_found(p, k));
    r.agree = r.compared > 0 && !p->lack;
    for (size_t t = 0; t < count; t++) {
        RaspCheckExample *examples = ARENA_ARRAY(command_arena(), room + 1, RaspCheckExample);
        runs[t] = (RaspCheckRun){.temperature = json_number_value(json_array_get(temperatures, t)),
                                 .largest_error = -1,
                                 .least_margin = INFINITY,
                                 .examples = examples};
        for (uint32_t k = 0; k < p->of; k++)
            add_run(&runs[t], examples, room, outputs,
                    json_array_get(json_object_get(piece_found(p, k), "runs"), t));
        r.agree &= runs[t].agreed == r.compared;
    }
    return r;
}

static RaspRule rule_named(const char *name) {
    for (int k = 0; rasp_rule_name(k); k++)
        if (strcmp(rasp_rule_name(k), name) == 0) return (RaspRule)k;
    return RASP_SOFTMAX;
}

/* What reports say of a model. */
static RaspModelInfo read_model(const json_t *run) {
    const json_t *names = json_object_get(run, "outputs"), *name;
    size_t k;
    RaspOutput *outputs = ARENA_ARRAY(command_arena(), json_array_size(names) + 1, RaspOutput);
    json_array_foreach(names, k, name) outputs[k].name =
        json_is_string(name) ? json_string_value(name) : "";
    return (RaspModelInfo){.max_length = piece_count(run, "max_length"),
                           .certified = piece_number(run, "certified", -1),
                           .kernel = rule_named(piece_text(run, "kernel")),
                           .outputs = outputs,
                           .output_count = json_array_size(names)};
}

int merge_check(const Pieces *p, const MergeOptions *merge) {
    RaspCheckOptions options = {.rule = rule_named(piece_text(p->run, "weights")),
                                .parameter = piece_number(p->run, "parameter", 0)};
    RaspModelInfo model = read_model(p->run);
    RaspCheckReport report = add_up(p);
    CheckView view = {.program = piece_text(p->run, "program"),
                      .model = &model,
                      .report = &report,
                      .options = &options,
                      .seconds = p->seconds,
                      .from_file = json_is_true(json_object_get(p->run, "from_file")),
                      .pieces = p};
    (merge->json ? check_print_json : check_print)(&view);
    if (p->lack) return disagrees(&report) ? EXIT_DISAGREE : EXIT_FAILED;
    return report.agree ? EXIT_FINE : EXIT_DISAGREE;
}
