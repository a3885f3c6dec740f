#include "cli/compare_private.h"

#include "base/clock.h"
#include "base/plural.h"
#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/stop.h"
#include "cli/summary.h"
#include "cli/warnings.h"

#include <stdio.h>
#include <string.h>

typedef struct Comparer {
    const Comparison *what;
    Arena *arena;
    RaspInputs *inputs;
    Findings found;
    RaspStatus stopped; /* of a piece */
    double deadline;    /* of a piece, in CPU seconds; 0: none */
} Comparer;

/* --- one input -------------------------------------------------------------------------- */

static bool same_values(const RaspSequence *a, const RaspSequence *b) {
    for (size_t k = 0; k < rasp_sequence_length(a); k++)
        if (!rasp_atom_same(rasp_sequence_at(a, k), rasp_sequence_at(b, k))) return false;
    return true;
}

static RaspAtom copy_atom(Arena *arena, RaspAtom atom) {
    if (atom.kind == RASP_STRING)
        atom.as.s.text = arena_text(arena, atom.as.s.text, atom.as.s.length);
    return atom;
}

static Answer copy_answer(Arena *arena, const RaspSequence *values, const RaspError *error) {
    if (!values) return (Answer){.failure = arena_text(arena, error->text, strlen(error->text))};
    size_t count = rasp_sequence_length(values);
    RaspAtom *copy = ARENA_ARRAY(arena, count, RaspAtom);
    for (size_t k = 0; k < count; k++) copy[k] = copy_atom(arena, rasp_sequence_at(values, k));
    return (Answer){copy, count, NULL};
}

static bool comes_before(const Difference *a, const Difference *b) {
    return a->length != b->length ? a->length < b->length : a->number < b->number;
}

void findings_keep(Findings *f, const Difference *new) {
    size_t at = f->kept;
    while (at > 0 && comes_before(new, &f->differences[at - 1])) at--;
    if (at >= f->room) return;
    if (f->kept < f->room) f->kept++;
    memmove(&f->differences[at + 1], &f->differences[at],
            (f->kept - at - 1) * sizeof *f->differences);
    f->differences[at] = *new;
}

/* Longer than all that are kept, and there is no room. */
static bool is_wanted(const Findings *f, size_t length) {
    return f->kept < f->room || (f->kept && f->differences[f->kept - 1].length > length);
}

static void keep_difference(Comparer *c, const RaspInput *input, const RaspSequence *const *values,
                            const RaspError *error) {
    Difference new = {.length = input->count, .number = c->found.info.number};
    c->found.differ++;
    if (!is_wanted(&c->found, input->count)) return;
    RaspAtom *tokens = ARENA_ARRAY(c->arena, input->count, RaspAtom);
    for (size_t k = 0; k < input->count; k++) tokens[k] = copy_atom(c->arena, input->tokens[k]);
    new.input = tokens;
    for (int k = 0; k < 2; k++) new.answer[k] = copy_answer(c->arena, values[k], &error[k]);
    findings_keep(&c->found, &new);
}

static bool is_fault(const RaspError *error) {
    return error->status == RASP_FAILED;
}

/* Of a piece: time is up, or a stop that the library has said. */
static bool is_stopped(Comparer *c, const RaspError *error) {
    if (!c->what->check->shards) return false;
    bool late = c->deadline > 0 && clock_cpu_seconds() > c->deadline;
    c->stopped = error->status == RASP_CANCELLED || stop_requested() ? RASP_CANCELLED
                 : late                                              ? RASP_OUT_OF_TIME
                                                                     : RASP_OK;
    return c->stopped != RASP_OK;
}

/* An exit status: what is no fault of a program ends the comparison. */
static int compare_input(Comparer *c, const RaspInput *input) {
    static const RaspRunOptions options = {RASP_PLAN_AUTO, 1, false};
    RaspRun *run[2] = {NULL};
    const RaspSequence *values[2] = {NULL};
    RaspError error[2];
    int status = EXIT_FINE;
    for (int k = 0; k < 2 && status == EXIT_FINE; k++) {
        run[k] = rasp_run_new(c->what->program[k]->handle, input, &c->what->sop[k], 1, &options,
                              &error[k]);
        if (run[k]) values[k] = rasp_run_sequence(run[k], 0, &error[k]);
        if (values[k] || is_fault(&error[k])) continue;
        if (is_stopped(c, &error[k])) {
            status = EXIT_INTERRUPTED;
            continue;
        }
        report_silence(false);
        error[k].reported = false;
        status = report_failure(&error[k]);
    }
    if (status == EXIT_FINE) {
        c->found.compared++;
        if (!values[0] && !values[1])
            c->found.both_fail++;
        else if (!values[0] || !values[1] || !same_values(values[0], values[1]))
            keep_difference(c, input, values, error);
    }
    for (int k = 0; k < 2; k++) rasp_run_free(run[k]);
    return status;
}

/* --- all of them ------------------------------------------------------------------------ */

static bool has_settings(const Program *p) {
    const char *key, *value;
    return rasp_program_setting(p->handle, 0, &key, &value);
}

static int compare_inputs(Comparer *c) {
    RaspError error = {0};
    RaspInput input;
    int status = EXIT_FINE;
    report_silence(true);
    progress_start();
    while (status == EXIT_FINE && !is_stopped(c, &error) &&
           rasp_inputs_next(c->inputs, &input, &error)) {
        if (c->found.compared % 256 == 0) progress_input(c->found.compared);
        c->found.info = rasp_inputs_info(c->inputs);
        status = compare_input(c, &input);
    }
    c->found.info = rasp_inputs_info(c->inputs);
    progress_end();
    report_silence(false);
    error.reported = false;
    if (c->stopped != RASP_OK) return EXIT_FINE;
    return error.status == RASP_OK || is_stopped(c, &error) ? status : report_failure(&error);
}

/* --- text ------------------------------------------------------------------------------- */

static const char *inputs_text(const Findings *c) {
    Arena *arena = command_arena();
    RaspInputsInfo info = c->info;
    const char *count = grouped(c->compared), *s = plural(c->compared);
    unsigned most = info.max_length;
    if (c->pieces && c->pieces->lack)
        return arena_format(arena, "%s input%s, and not all: %s", count, s, c->pieces->lack);
    if (info.exhaustive)
        return arena_format(arena, "all %s input%s of length at most %u%s", count, s, most,
                            info.outside ? " of the domain" : "");
    const char *all = info.complete_length
                          ? arena_format(arena, ": all of length at most %u, others up to %u",
                                         info.complete_length, most)
                          : arena_format(arena, " of length at most %u", most);
    return arena_format(arena, "%s input%s%s (seed %llu)", count, s, all,
                        (unsigned long long)info.seed);
}

static void print_atoms(const RaspAtom *atoms, size_t count) {
    putchar('[');
    for (size_t k = 0; k < count; k++) {
        if (k) fputs(", ", stdout);
        print_value(stdout, atoms[k], -1);
    }
    puts("]");
}

static void print_difference(const Findings *c, const Difference *d) {
    int width = 12;
    for (int k = 0; k < 2; k++)
        if ((int)strlen(c->name[k]) > width) width = (int)strlen(c->name[k]);
    printf("  %-*s ", width, "input");
    print_atoms(d->input, d->length);
    for (int k = 0; k < 2; k++) {
        printf("  %-*s ", width, c->name[k]);
        if (d->answer[k].failure)
            printf("error: %s\n", d->answer[k].failure);
        else
            print_atoms(d->answer[k].values, d->answer[k].count);
    }
}

static void print_report(const Findings *c) {
    RaspInputsInfo info = c->info;
    printf("%s against %s: %s\n", c->name[0], c->name[1], inputs_text(c));
    if (info.outside)
        printf("  outside      %s input%s that the domain excludes\n", grouped(info.outside),
               plural(info.outside));
    if (c->compared == 0)
        puts("  disagree     nothing was compared: the domain has no input");
    else if (c->differ == 0)
        printf("  agree        %s\n", c->pieces && c->pieces->lack
                                          ? "on these; nothing is said of what is missing"
                                          : "on every one");
    else
        printf("  disagree     on %s of them%s\n", grouped(c->differ),
               !c->kept       ? ""
               : c->kept == 1 ? "; the shortest:"
                              : "; the shortest ones:");
    for (size_t k = 0; k < c->kept; k++) print_difference(c, &c->differences[k]);
    if (c->both_fail)
        printf("  both fail    on %s of them, which counts as agreement\n", grouped(c->both_fail));
}

/* --- JSON ------------------------------------------------------------------------------- */

static void json_difference(Json *j, const Difference *d) {
    static const char *const values[] = {"found", "expected"},
                             *failures[] = {"found_error", "expected_error"};
    json_begin_object(j, NULL);
    json_atoms(j, "input", d->input, d->length);
    for (int k = 0; k < 2; k++)
        if (d->answer[k].failure)
            json_text(j, failures[k], d->answer[k].failure);
        else
            json_atoms(j, values[k], d->answer[k].values, d->answer[k].count);
    json_end(j);
}

static void print_json(const Findings *c) {
    RaspInputsInfo info = c->info;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "program", c->name[0]);
    json_text(&j, "against", c->name[1]);
    json_flag(&j, "agree", c->compared && !c->differ && !(c->pieces && c->pieces->lack));
    json_flag(&j, "exhaustive", info.exhaustive);
    json_count(&j, "complete_length", info.complete_length);
    json_count(&j, "max_length", info.max_length);
    json_count(&j, "seed", info.seed);
    json_count(&j, "compared", c->compared);
    json_count(&j, "differ", c->differ);
    json_count(&j, "both_fail", c->both_fail);
    json_count(&j, "outside", info.outside);
    json_begin_array(&j, "differences");
    for (size_t k = 0; k < c->kept; k++) json_difference(&j, &c->differences[k]);
    json_end(&j);
    if (c->pieces) pieces_json_lack(c->pieces, &j);
    warnings_json(&j);
    json_end(&j);
}

void findings_print(const Findings *found, bool json) {
    (json ? print_json : print_report)(found);
}

/* --- the whole -------------------------------------------------------------------------- */

/* Each program by its name, or, if both have one name, by its path. */
static const char *name_of(const Comparison *what, int k) {
    const Program *const *p = what->program;
    return safe_text(strcmp(p[0]->shown, p[1]->shown) ? p[k]->shown : p[k]->path);
}

static int finish(const Comparer *c, const Program *domain, double seconds) {
    const Comparison *what = c->what;
    const Findings *f = &c->found;
    if (what->check->shards) {
        findings_print_piece(f, what, domain, c->stopped, seconds);
        return f->differ ? EXIT_DISAGREE : piece_status(c->stopped);
    }
    findings_print(f, what->json);
    return f->compared && !f->differ ? EXIT_FINE : EXIT_DISAGREE;
}

int compare_programs(const Comparison *what) {
    RaspError error;
    double start = clock_seconds();
    Comparer c = {
        .what = what,
        .arena = command_arena(),
        .found = {.name = {name_of(what, 0), name_of(what, 1)}, .room = what->check->shown}};
    const Program *domain =
        what->program[!has_settings(what->program[1]) && has_settings(what->program[0]) ? 0 : 1];
    if (what->check->seconds > 0) c.deadline = clock_cpu_seconds() + what->check->seconds;
    c.found.differences = ARENA_ARRAY(c.arena, c.found.room + 1, Difference);
    c.inputs = rasp_inputs_new(domain->handle, what->target, what->check, &error);
    if (!c.inputs) return report_failure(&error);
    int status = compare_inputs(&c);
    if (status == EXIT_FINE) status = finish(&c, domain, clock_seconds() - start);
    rasp_inputs_free(c.inputs);
    return status;
}
