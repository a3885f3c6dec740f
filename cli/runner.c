#include "cli/runner.h"

#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/lines.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/stats.h"
#include "cli/stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a line is about, kept together for the functions below. */
typedef struct Job {
    Runner *runner;
    Arena *arena; /* of this input */
    const char *text;
    size_t length;
    const char *where;
} Job;

/* --- results ---------------------------------------------------------------------------- */

static void print_text(const RunnerOptions *o, const Sop *sop, const Column *column) {
    if (o->named) printf("%s = ", sop->name);
    print_values(stdout, column, (PrintOptions){.precision = o->precision});
    putchar('\n');
}

/* A string input as the string it was read from, another as a list. */
static void json_input(Json *j, const Job *job, const Input *input) {
    if (input->is_string)
        json_quoted(j, "input", job->text, job->length);
    else
        json_atoms(j, "input", input->tokens, input->length);
}

static void print_json(const Job *job, size_t k, const Input *input, const Column *column) {
    const Runner *r = job->runner;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "sop", r->sops[k].name);
    json_input(&j, job, input);
    json_column(&j, "output", column, r->options->precision);
    json_text(&j, "type", sequence_type_name(column->type));
    if (r->machine) r->machine->json(r->machine->self, k, &j);
    json_end(&j);
}

static void print_result(const Job *job, size_t k, const Input *input, const Column *column) {
    const Runner *r = job->runner;
    if (r->options->json)
        print_json(job, k, input, column);
    else
        print_text(r->options, &r->sops[k], column);
}

/* With --json every input has its line, so that lines can be matched with inputs.  `input` is
 * NULL if the text could not be read. */
static void print_json_error(const Job *job, const char *sop, const Input *input,
                             const char *error) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "sop", sop);
    if (input)
        json_input(&j, job, input);
    else
        json_bytes(&j, "input", job->text, job->length);
    json_text(&j, "error", error);
    json_end(&j);
}

/* --- messages --------------------------------------------------------------------------- */

enum { SHOWN = 60 }; /* bytes of an input in a message */

static void note_input(const char *text, size_t length, const char *where) {
    size_t shown = length < SHOWN ? length : SHOWN;
    while (shown && shown < length && ((unsigned char)text[shown] & 0xc0) == 0x80) shown--;
    char copy[SHOWN + 1];
    for (size_t k = 0; k < shown; k++) copy[k] = (unsigned char)text[k] < 0x20 ? ' ' : text[k];
    copy[shown] = '\0';
    report_note("on the input \"%s\"%s%s%s%s", copy, shown < length ? "..." : "", where ? " (" : "",
                where ? where : "", where ? ")" : "");
}

static void fail_input(const Job *job, const char *error) {
    Runner *r = job->runner;
    r->failed = true;
    report_error("%s: %s", job->where ? job->where : "the input", error);
    for (size_t k = 0; r->options->json && k < r->sop_count; k++)
        print_json_error(job, r->sops[k].name, NULL, error);
}

/* --- one input -------------------------------------------------------------------------- */

/* `tokens_int` and its like are made before any text is read: their faults are shown where the
 * s-op first uses them. */
static Span fault_span(const Job *job, const Sop *sop, const Fault *fault) {
    const Graph *graph = session_graph(job->runner->program->session);
    if (fault->span.end > fault->span.begin) return fault->span;
    const bool *needed = graph_needed(graph, &sop->node, 1, job->arena);
    for (NodeId id = 0; id < graph_count(graph); id++)
        for (int k = 0; needed[id] && k < graph_node(graph, id)->arity; k++) {
            const Node *argument = graph_node(graph, graph_node(graph, id)->arg[k]);
            if (argument->kind == NODE_TOKENS && argument->tokens != TOKENS_STR)
                return graph_node(graph, id)->span;
        }
    return fault->span;
}

static void fail_sop(const Job *job, const Sop *sop, const Input *input, Fault *fault) {
    Runner *r = job->runner;
    r->failed = true;
    fault->span = fault_span(job, sop, fault);
    fault_report(fault, &report_sink, session_sources(r->program->session), job->arena);
    note_input(job->text, job->length, job->where);
    if (r->options->json) print_json_error(job, sop->name, input, fault_text(fault, job->arena));
}

static Exec *start(const Job *job, const Input *input) {
    Runner *r = job->runner;
    ExecOptions options = {
        .plan = r->options->plan, .threads = r->options->threads, .stats = r->options->stats};
    Exec *exec = exec_new(session_graph(r->program->session), input, options, job->arena);
    NodeId *nodes = ARENA_ARRAY(job->arena, r->sop_count, NodeId);
    for (size_t k = 0; k < r->sop_count; k++) nodes[k] = r->sops[k].node;
    exec_want(exec, nodes, r->sop_count);
    return exec;
}

static void interpret(const Job *job, const Input *input) {
    Runner *r = job->runner;
    Exec *exec = start(job, input);
    for (size_t k = 0; k < r->sop_count && !report_output_failed(); k++) {
        Fault fault;
        const Column *column = exec_column(exec, r->sops[k].node, &fault);
        progress_hide();
        if (column)
            print_result(job, k, input, column);
        else
            fail_sop(job, &r->sops[k], input, &fault);
    }
    if (r->options->stats) stats_print(exec, session_graph(r->program->session), job->arena);
}

static void run_machine(const Job *job, const Input *input) {
    Runner *r = job->runner;
    char error[1024];
    const Column **columns =
        r->machine->run(r->machine->self, input, job->arena, error, sizeof error);
    progress_hide();
    if (!columns) {
        fail_input(job, error);
        return;
    }
    for (size_t k = 0; k < r->sop_count && !report_output_failed(); k++)
        print_result(job, k, input, columns[k]);
}

static void run_job(const Job *job) {
    Runner *r = job->runner;
    Input input;
    char error[256];
    if (!input_read(r->options->reading, job->text, job->length,
                    session_intern(r->program->session), job->arena, &input, error, sizeof error)) {
        fail_input(job, error);
        return;
    }
    if (r->options->named && !r->options->json && r->inputs > 1) putchar('\n');
    if (r->machine)
        run_machine(job, &input);
    else
        interpret(job, &input);
}

/* The budget's guard has been left by a jump. */
static void give_up(Runner *r, const char *text, size_t length, const char *where) {
    char message[256];
    budget_message(&r->program->budget, message, sizeof message);
    r->interrupted = r->program->budget.stop == BUDGET_CANCELLED;
    if (r->interrupted) {
        report_error("%s", message);
        return;
    }
    fail_input(&(Job){.runner = r, .text = "", .where = where}, message);
    note_input(text, length, NULL);
}

/* `where` says which input it is in messages ("standard input, line 3"), NULL: the only one.
 * False: stop (Ctrl-C, or the output cannot be written). */
static bool run_text(Runner *r, const char *text, size_t length, const char *where) {
    Budget *budget = &r->program->budget;
    Arena *volatile arena = NULL;
    BudgetGuard guard;
    progress_input(++r->inputs);
    if (BUDGET_ENTER(budget, &guard)) {
        arena = arena_new(budget);
        run_job(&(Job){r, arena, text, length, where});
        budget_leave(budget, &guard);
    } else {
        give_up(r, text, length, where);
    }
    arena_free(arena);
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

static bool run_lines(Runner *r) {
    Lines lines = {
        .fd = STDIN_FILENO, .limit = r->program->budget.limit / 2, .before_waiting = flush_output};
    if (isatty(STDIN_FILENO)) report_note("reading inputs, one a line; Ctrl-D ends");
    LinesStatus status;
    const char *line;
    size_t length, number = 0;
    bool going = true;
    while (going) {
        while ((status = lines_next(&lines, &line, &length)) == LINES_INTERRUPTED)
            if (stop_requested()) break;
        if (status != LINES_READ) break;
        if (length && line[length - 1] == '\r') length--;
        char where[64];
        snprintf(where, sizeof where, "standard input, line %zu", ++number);
        going = run_text(r, line, length, where);
    }
    if (going) going = end_of_lines(r, status);
    lines_close(&lines);
    return going;
}

/* --- the command line's inputs ---------------------------------------------------------- */

int runner_run_all(Runner *r, char **inputs, int count) {
    bool going = true;
    char where[32];
    progress_start();
    for (int k = 0; going && k < count; k++) {
        const char *text = inputs[k];
        snprintf(where, sizeof where, "input %d", k + 1);
        if (strcmp(text, "-") == 0)
            going = run_lines(r);
        else
            going = run_text(r, text, strlen(text), count > 1 ? where : NULL);
    }
    if (count == 0) run_lines(r);
    progress_end();
    if (r->interrupted) return EXIT_INTERRUPTED;
    return r->failed ? EXIT_FAILED : EXIT_FINE;
}
