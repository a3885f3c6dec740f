#include "cli/runner.h"

#include "cli/columns.h"
#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/lines.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/stop.h"
#include "cli/width.h"
#include "show/wrap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "standard input, line 3", "input 2"; number 0: the only one. */
typedef struct Where {
    const char *source;
    size_t number;
} Where;

/* What an input is about, kept together for the functions below. */
typedef struct Job {
    Runner *runner;
    void *pass; /* of the machine; NULL: the input could not be read */
    RaspInput input;
    Where where;
} Job;

/* --- results ---------------------------------------------------------------------------- */

static void put_result(FILE *out, const RunnerOptions *o, const char *name,
                       const RaspSequence *values, PrintStrings strings) {
    if (o->named) fprintf(out, "%s = ", safe_text(name));
    print_values(out, values, o->precision, strings);
}

/* Folded between values; false: it cannot be. */
static bool print_folded(const RunnerOptions *o, const char *name, const RaspSequence *values,
                         PrintStrings strings) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out) put_result(out, o, name, values, strings);
    bool whole = out && fclose(out) == 0 && strlen(text) == size;
    size_t head = o->named ? wrap_columns(safe_text(name)) + strlen(" = [") : strlen("[");
    if (whole) wrap_hanging(stdout, text, 0, head, width_of_output());
    free(text);
    return whole;
}

/* Numbers go in and strings come out: tokens are strings, and sorted as such. */
static void print_line(const Job *job, const char *name, const RaspSequence *values) {
    const Runner *r = job->runner;
    bool is_string = r->machine->is_string(job->pass, NULL);
    PrintStrings strings = is_string ? STRINGS_BARE : STRINGS_QUOTED;
    if (r->terminal && print_folded(r->options, name, values, strings)) return;
    put_result(stdout, r->options, name, values, strings);
    putchar('\n');
}

/* A string input as the string it was read from, another as a list. */
static void json_input(Json *j, const Job *job) {
    const RaspSequence *tokens;
    if (job->runner->machine->is_string(job->pass, &tokens))
        json_quoted(j, "input", job->input.text, job->input.length);
    else
        json_sequence(j, "input", tokens, -1);
}

static void print_json(const Job *job, size_t k, const RaspSequence *values) {
    const Runner *r = job->runner;
    const Machine *m = r->machine;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "sop", r->names[k]);
    json_input(&j, job);
    json_sequence(&j, "output", values, r->options->precision);
    json_text(&j, "type", rasp_type_name(rasp_sequence_type(values)));
    if (m->json) m->json(m->self, job->pass, k, &j);
    json_end(&j);
}

static void print_result(const Job *job, size_t k, const RaspSequence *values) {
    const Runner *r = job->runner;
    progress_hide();
    if (r->options->json)
        print_json(job, k, values);
    else
        print_line(job, r->names[k], values);
}

/* --- selectors -------------------------------------------------------------------------- */

static bool is_selector(const Runner *r, size_t k) {
    return r->kinds && r->kinds[k] == RASP_VALUE_SELECTOR;
}

static void print_json_selection(const Job *job, size_t k, const bool *cells, size_t count) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "selector", job->runner->names[k]);
    json_input(&j, job);
    json_begin_array(&j, "selects");
    for (size_t row = 0; row < count; row++) {
        json_begin_array(&j, NULL);
        for (size_t key = 0; key < count; key++) json_flag(&j, NULL, cells[row * count + key]);
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
}

static void print_grid(const Job *job, size_t k, const RaspSequence *tokens, const bool *cells) {
    const Runner *r = job->runner;
    size_t count = rasp_sequence_length(tokens);
    Arena *arena = arena_child(command_arena());
    const char **text = ARENA_ARRAY(arena, count, const char *);
    for (size_t i = 0; i < count; i++)
        text[i] = print_cell(arena, rasp_sequence_at(tokens, i), r->options->precision);
    if (r->options->named)
        printf("%s =\n", safe_text(r->names[k]));
    else if (r->inputs > 1)
        putchar('\n');
    columns_print_grid(stdout, text, count, cells, r->options->named ? 2 : 0, width_of_output());
    arena_free(arena);
}

static bool run_selector(const Job *job, size_t k, RaspError *error) {
    const Runner *r = job->runner;
    const RaspSequence *tokens;
    const bool *cells = r->machine->selection(r->machine->self, job->pass, k, error);
    if (!cells) return false;
    r->machine->is_string(job->pass, &tokens);
    progress_hide();
    if (r->options->json)
        print_json_selection(job, k, cells, rasp_sequence_length(tokens));
    else
        print_grid(job, k, tokens, cells);
    return true;
}

/* With --json every input has its line, so that lines can be matched with inputs. */
static void print_json_error(const Job *job, size_t k, const char *error) {
    Json j = {.out = stdout};
    if (!job->runner->options->json) return;
    json_begin_object(&j, NULL);
    json_text(&j, is_selector(job->runner, k) ? "selector" : "sop", job->runner->names[k]);
    if (job->pass)
        json_input(&j, job);
    else
        json_bytes(&j, "input", job->input.text, job->input.length);
    json_text(&j, "error", error);
    json_end(&j);
}

/* --- messages --------------------------------------------------------------------------- */

enum { SHOWN = 60 }; /* bytes of an input in a message */

static const char *where_text(Where where) {
    return arena_format(command_arena(), "%s %zu", where.source, where.number);
}

static void note_input(const Job *job) {
    const char *text = job->input.text, *where = job->where.number ? where_text(job->where) : NULL;
    size_t length = job->input.length, shown = length < SHOWN ? length : SHOWN;
    while (shown && shown < length && ((unsigned char)text[shown] & 0xc0) == 0x80) shown--;
    char copy[SHOWN + 1];
    for (size_t k = 0; k < shown; k++) copy[k] = (unsigned char)text[k] < 0x20 ? ' ' : text[k];
    copy[shown] = '\0';
    report_note("on the input \"%s\"%s%s%s%s", copy, shown < length ? "..." : "", where ? " (" : "",
                where ? where : "", where ? ")" : "");
}

/* Ctrl-C ends everything, whatever was running. */
static bool is_interruption(Runner *r, const RaspError *error) {
    if (error->status != RASP_CANCELLED) return false;
    r->interrupted = true;
    report_failure(error);
    return true;
}

/* A message about the program's text has been reported with its place. */
static void fail(const Job *job, const RaspError *error) {
    Runner *r = job->runner;
    r->failed = true;
    progress_hide();
    if (!error->reported)
        report_error("%s: %s", job->where.number ? where_text(job->where) : "the input",
                     error->text);
    if (job->pass || error->status == RASP_OUT_OF_MEMORY) note_input(job);
}

/* --- one input -------------------------------------------------------------------------- */

static bool run_values(const Job *job, size_t k, RaspError *error) {
    const Runner *r = job->runner;
    const RaspSequence *values = r->machine->values(r->machine->self, job->pass, k, error);
    if (values) print_result(job, k, values);
    return values != NULL;
}

static bool run_sop(const Job *job, size_t k) {
    RaspError error;
    Runner *r = job->runner;
    if ((is_selector(r, k) ? run_selector : run_values)(job, k, &error)) return true;
    if (is_interruption(r, &error)) return false;
    fail(job, &error);
    print_json_error(job, k, error.text);
    return false;
}

static void run_job(Job *job) {
    RaspError error;
    Runner *r = job->runner;
    job->pass = r->machine->begin(r->machine->self, &job->input, &error);
    if (!job->pass) {
        if (is_interruption(r, &error)) return;
        fail(job, &error);
        for (size_t k = 0; k < r->count; k++) print_json_error(job, k, error.text);
        return;
    }
    if (r->options->named && !r->options->json && r->inputs > 1) putchar('\n');
    bool fine = true;
    for (size_t k = 0; k < r->count && !report_output_failed() && !r->interrupted; k++)
        fine &= run_sop(job, k);
    if (fine && r->machine->show) r->machine->show(r->machine->self, &job->input);
    if (r->options->stats && r->machine->stats) r->machine->stats(job->pass);
    r->machine->end(job->pass);
}

/* False: stop (Ctrl-C, or the output cannot be written). */
static bool run_input(Runner *r, const RaspInput *input, Where where) {
    progress_input(++r->inputs);
    run_job(&(Job){r, NULL, *input, where});
    return !r->interrupted && !report_output_failed();
}

/* --- standard input --------------------------------------------------------------------- */

/* Whoever waits for a line has the results of the lines before it. */
static void flush_output(void) {
    progress_hide();
    fflush(stdout);
}

static bool end_of_lines(Runner *r, LinesStatus status) {
    switch (status) {
    case LINES_READ:
    case LINES_END:
        return true;
    case LINES_INTERRUPTED:
        r->interrupted = true;
        report_error("interrupted");
        return false;
    case LINES_TOO_LONG:
        report_error("standard input: a line is longer than the memory limit "
                     "(--max-memory raises it)");
        break;
    case LINES_ERROR:
        report_error("cannot read standard input: %s", strerror(errno));
        break;
    }
    r->failed = true;
    return false;
}

/* Lines that are there, and are handed to the machine together. */
typedef struct Ahead {
    RaspInput inputs[MACHINE_AHEAD];
    size_t count, before; /* before: lines that were run */
} Ahead;

static bool run_ahead(Runner *r, Ahead *ahead) {
    const Machine *m = r->machine;
    bool going = true;
    if (m->ahead) m->ahead(m->self, ahead->inputs, ahead->count);
    for (size_t k = 0; going && k < ahead->count; k++)
        going =
            run_input(r, &ahead->inputs[k], (Where){"standard input, line", ahead->before + k + 1});
    if (m->ahead) m->ahead(m->self, NULL, 0);
    ahead->before += ahead->count;
    ahead->count = 0;
    return going;
}

static RaspInput input_of(const Runner *r, const char *text, size_t length) {
    return (RaspInput){.text = text, .length = length, .form = r->options->form};
}

static bool run_lines(Runner *r) {
    Lines lines = {.fd = STDIN_FILENO, .limit = r->line_limit, .before_waiting = flush_output};
    if (isatty(STDIN_FILENO)) report_note("reading inputs, one a line; Ctrl-D ends");
    LinesStatus status;
    Ahead ahead = {.count = 0, .before = 0};
    const char *line;
    size_t length;
    bool going = true;
    while (going) {
        while ((status = lines_next(&lines, &line, &length)) == LINES_INTERRUPTED)
            if (stop_requested()) break;
        if (status != LINES_READ) break;
        if (length && line[length - 1] == '\r') length--;
        ahead.inputs[ahead.count++] = input_of(r, line, length);
        if (ahead.count == MACHINE_AHEAD || !lines_ready(&lines)) going = run_ahead(r, &ahead);
    }
    if (going) going = end_of_lines(r, status);
    lines_close(&lines);
    return going;
}

size_t runner_line_limit(size_t memory) {
    enum { DEFAULT_GIB = 4 };
    return (memory ? memory : (size_t)DEFAULT_GIB << 30) / 2;
}

/* --- the command line's inputs ---------------------------------------------------------- */

int runner_run_all(Runner *r, char **inputs, int count) {
    bool going = true;
    r->terminal = isatty(STDOUT_FILENO);
    progress_start();
    for (int k = 0; going && k < count; k++) {
        const char *text = inputs[k];
        RaspInput input = input_of(r, text, strlen(text));
        if (strcmp(text, "-") == 0)
            going = run_lines(r);
        else
            going = run_input(r, &input, (Where){"input", count > 1 ? (size_t)k + 1 : 0});
    }
    if (count == 0) run_lines(r);
    progress_end();
    if (r->interrupted) return EXIT_INTERRUPTED;
    return r->failed ? EXIT_FAILED : EXIT_FINE;
}
