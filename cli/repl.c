#include "cli/repl.h"

#include "grammar/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Repl {
    const ReplOptions *options;
    FILE *out;
    Session *session;
    Reader *reader;
    char *prompt; /* malloc'd: statements may hold any number of defs */
    size_t prompt_room;
    bool done;
} Repl;

static void greet(const Repl *repl) {
    static const char reference[] = "RASP 0.1\nrunning example is: hello\n";
    fputs(repl->options->banner ? repl->options->banner : reference, repl->out);
}

/* ">> ", or ".. " and two blanks for each word `def` so far. */
static const char *prompt(Repl *repl) {
    if (reader_is_fresh(repl->reader)) return ">> ";
    size_t blanks = 2 * (size_t)reader_def_words(repl->reader), size = blanks + sizeof ".. ";
    if (size > repl->prompt_room) {
        char *larger = realloc(repl->prompt, size);
        if (!larger) return ".. ";
        repl->prompt = larger;
        repl->prompt_room = size;
    }
    memcpy(repl->prompt, ".. ", 3);
    memset(repl->prompt + 3, ' ', blanks);
    repl->prompt[3 + blanks] = '\0';
    return repl->prompt;
}

/* --- one line --------------------------------------------------------------------------- */

static void execute(Repl *repl, const Ast *unit) {
    if (repl->options->cancel) *repl->options->cancel = 0;
    if (session_execute(repl->session, unit) == SESSION_EXIT) repl->done = true;
}

static void report(const Repl *repl, const ReaderResult *result) {
    print_syntax(repl->options->printer, session_sources(repl->session),
                 &(Diag){.severity = DIAG_ERROR, .span = result->span, .message = result->message});
}

static void take(Repl *repl, const ReaderResult *result) {
    switch (result->status) {
    case READER_MORE:
        break;
    case READER_UNIT:
        execute(repl, result->unit);
        break;
    case READER_SEVERAL:
        print_fault(repl->options->printer, repl->session,
                    &(Fault){.id = FAULT_SEVERAL_STATEMENTS});
        break;
    case READER_ERROR:
        report(repl, result);
        break;
    }
}

/* Adds the line to the session's texts and reads it. */
static ReaderResult read_line(const Repl *repl, const char *line, size_t length) {
    SourceMap *map = session_sources(repl->session);
    const Source *source = source_add(map, "console", line, length);
    if (source) return reader_line(repl->reader, source, 0, source->length);
    reader_drop(repl->reader);
    return (ReaderResult){.status = READER_ERROR,
                          .message = "no room for this line: a session holds 4 GiB of text"};
}

static void say_stopped(const Repl *repl, const Budget *budget) {
    char message[256];
    budget_message(budget, message, sizeof message);
    fprintf(repl->out, "something went wrong: %s\n", message);
}

static void take_line(Repl *repl, const char *line, size_t length) {
    const ReplOptions *options = repl->options;
    bool fresh = reader_is_fresh(repl->reader);
    if (fresh && options->command &&
        options->command(options->context, repl->session, line, length))
        return;
    Budget *budget = session_budget(repl->session);
    BudgetGuard guard;
    if (BUDGET_ENTER(budget, &guard)) {
        ReaderResult result = read_line(repl, line, length);
        take(repl, &result);
        budget_leave(budget, &guard);
    } else {
        say_stopped(repl, budget);
    }
}

/* --- the loop --------------------------------------------------------------------------- */

static void loop(Repl *repl) {
    while (!repl->done) {
        const char *line;
        size_t length;
        switch (line_read(repl->options->lines, prompt(repl), &line, &length)) {
        case LINE_READ:
            take_line(repl, line, length);
            break;
        case LINE_DROPPED:
            reader_drop(repl->reader);
            break;
        case LINE_END:
            fputc('\n', repl->out);
            repl->done = true;
            break;
        }
    }
}

static bool open_reader(Repl *repl) {
    Session *session = repl->session;
    Budget *budget = session_budget(session);
    ParseContext context = {session_arena(session), session_intern(session),
                            session_sources(session), NULL};
    BudgetGuard guard;
    if (BUDGET_ENTER(budget, &guard)) {
        repl->reader = reader_new(&context);
        budget_leave(budget, &guard);
        return true;
    }
    say_stopped(repl, budget);
    return false;
}

bool repl_run(const ReplOptions *options) {
    Repl repl = {.options = options, .out = options->printer->out};
    SessionOptions session = options->session;
    session.mode = SESSION_REPL;
    session.sink = print_sink(options->printer);
    repl.session = session_new(&session);
    if (!repl.session) return false;
    bool ready = open_reader(&repl);
    if (ready) {
        if (options->started) options->started(options->context, repl.session);
        greet(&repl);
        loop(&repl);
    }
    reader_free(repl.reader);
    session_free(repl.session);
    free(repl.prompt);
    return ready;
}
