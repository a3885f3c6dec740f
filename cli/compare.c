#include "cli/compare.h"

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

/* What a program gives on an input: values, or the text of its error. */
typedef struct Answer {
    const RaspAtom *values;
    size_t count;
    const char *failure; /* NULL: none */
} Answer;

typedef struct Difference {
    const RaspAtom *input;
    size_t length;
    Answer answer[2];
} Difference;

typedef struct Comparer {
    const Comparison *what;
    Arena *arena;
    RaspInputs *inputs;
    size_t compared, differ, both_fail;
    Difference *differences; /* the shortest ones, what->check->shown at most */
    size_t kept;
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

/* Where a difference of this length goes; `shown`: nowhere.  Of one length the first stays first.
 */
static size_t rank_of(const Comparer *c, size_t length) {
    size_t k = c->kept;
    while (k > 0 && c->differences[k - 1].length > length) k--;
    return k;
}

static void keep_difference(Comparer *c, const RaspInput *input, const RaspSequence *const *values,
                            const RaspError *error) {
    size_t shown = c->what->check->shown, at = rank_of(c, input->count);
    c->differ++;
    if (at >= shown) return;
    if (c->kept < shown) c->kept++;
    memmove(&c->differences[at + 1], &c->differences[at],
            (c->kept - at - 1) * sizeof *c->differences);
    RaspAtom *tokens = ARENA_ARRAY(c->arena, input->count, RaspAtom);
    for (size_t k = 0; k < input->count; k++) tokens[k] = copy_atom(c->arena, input->tokens[k]);
    c->differences[at] = (Difference){tokens, input->count, {{0}}};
    for (int k = 0; k < 2; k++)
        c->differences[at].answer[k] = copy_answer(c->arena, values[k], &error[k]);
}

static bool is_fault(const RaspError *error) {
    return error->status == RASP_FAILED;
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
        report_silence(false);
        error[k].reported = false;
        status = report_failure(&error[k]);
    }
    if (status == EXIT_FINE) {
        c->compared++;
        if (!values[0] && !values[1])
            c->both_fail++;
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
    while (status == EXIT_FINE && rasp_inputs_next(c->inputs, &input, &error)) {
        if (c->compared % 256 == 0) progress_input(c->compared);
        status = compare_input(c, &input);
    }
    progress_end();
    report_silence(false);
    error.reported = false;
    return error.status == RASP_OK ? status : report_failure(&error);
}

/* --- text ------------------------------------------------------------------------------- */

static const char *inputs_text(const Comparer *c) {
    Arena *arena = c->arena;
    RaspInputsInfo info = rasp_inputs_info(c->inputs);
    const char *count = grouped(c->compared), *s = plural(c->compared);
    unsigned most = info.max_length;
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

/* Each program by its name, or, if both have one name, by its path. */
static const char *name_of(const Comparer *c, int k) {
    const Program *const *p = c->what->program;
    return safe_text(strcmp(p[0]->shown, p[1]->shown) ? p[k]->shown : p[k]->path);
}

static void print_difference(const Comparer *c, const Difference *d) {
    int width = 12;
    for (int k = 0; k < 2; k++)
        if ((int)strlen(name_of(c, k)) > width) width = (int)strlen(name_of(c, k));
    printf("  %-*s ", width, "input");
    print_atoms(d->input, d->length);
    for (int k = 0; k < 2; k++) {
        printf("  %-*s ", width, name_of(c, k));
        if (d->answer[k].failure)
            printf("error: %s\n", d->answer[k].failure);
        else
            print_atoms(d->answer[k].values, d->answer[k].count);
    }
}

static void print_report(const Comparer *c) {
    RaspInputsInfo info = rasp_inputs_info(c->inputs);
    printf("%s against %s: %s\n", name_of(c, 0), name_of(c, 1), inputs_text(c));
    if (info.outside)
        printf("  outside      %s input%s that the domain excludes\n", grouped(info.outside),
               plural(info.outside));
    if (c->compared == 0)
        puts("  disagree     nothing was compared: the domain has no input");
    else if (c->differ == 0)
        puts("  agree        on every one");
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

static void print_json(const Comparer *c) {
    RaspInputsInfo info = rasp_inputs_info(c->inputs);
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "program", name_of(c, 0));
    json_text(&j, "against", name_of(c, 1));
    json_flag(&j, "agree", c->compared && !c->differ);
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
    warnings_json(&j);
    json_end(&j);
}

int compare_programs(const Comparison *what) {
    RaspError error;
    Comparer c = {.what = what, .arena = command_arena()};
    const Program *domain =
        what->program[!has_settings(what->program[1]) && has_settings(what->program[0]) ? 0 : 1];
    c.differences = ARENA_ARRAY(c.arena, what->check->shown + 1, Difference);
    c.inputs = rasp_inputs_new(domain->handle, what->target, what->check, &error);
    if (!c.inputs) return report_failure(&error);
    int status = compare_inputs(&c);
    if (status == EXIT_FINE) {
        (what->json ? print_json : print_report)(&c);
        status = c.compared && !c.differ ? EXIT_FINE : EXIT_DISAGREE;
    }
    rasp_inputs_free(c.inputs);
    return status;
}
