/* A session whose results are collected as text: "x=1 " for a named result, "!message " for a
 * fault, "stopped " for a stop, "=[h, i] " for an application. */
#ifndef TESTS_EVAL_FIXTURE_H
#define TESTS_EVAL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "grammar/parse.h"
#include "interp/eval/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bench {
    Budget budget;
    Session *session;
    char log[4096];
    size_t length;
} Bench;

static void bench_log(Bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void bench_log(Bench *bench, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t room = sizeof bench->log - bench->length;
    int length = vsnprintf(bench->log + bench->length, room, format, args);
    if (length > 0) bench->length += (size_t)length < room ? (size_t)length : room - 1;
    va_end(args);
}

static void bench_named(void *context, Session *session, const Str *name, Value value) {
    bench_log(context, "%s=%s ", name->text,
              value_show(value, TEXT_QUOTED, session_scratch(session)));
}

static void bench_applied(void *context, Session *session, Value value, Value input, Exec *exec) {
    Fault fault;
    (void)session, (void)input;
    bench_log(context, "=");
    if (value.kind == VALUE_SELECTOR) return;
    const Column *column = exec_column(exec, value.object->node, &fault);
    for (size_t i = 0; i < column->length; i++)
        bench_log(context, "%s ",
                  atom_show(column_at(column, i), ATOM_CELL, session_scratch(session)));
}

static void bench_fault(void *context, Session *session, const Fault *fault) {
    bench_log(context, "!%s ", fault_reference_text(fault, session_scratch(session)));
}

static void bench_stopped(void *context, Session *session, const char *message) {
    (void)session;
    bench_log(context, "stopped:%.6s ", message);
}

static void bench_syntax(void *context, const SourceMap *map, const Diag *diag) {
    (void)map;
    if (diag->severity == DIAG_ERROR) bench_log(context, "?%s ", diag->message);
}

static SessionOptions bench_options(Bench *bench, SessionMode mode) {
    return (SessionOptions){.mode = mode,
                            .budget = &bench->budget,

                            .sink = {.context = bench,
                                     .named = mode == SESSION_REPL ? bench_named : NULL,
                                     .applied = bench_applied,
                                     .fault = bench_fault,
                                     .stopped = bench_stopped,
                                     .syntax = {bench_syntax, bench}}};
}

static void bench_open(Bench *bench, SessionMode mode, size_t limit) {
    memset(bench, 0, sizeof *bench);
    budget_init(&bench->budget, limit);
    SessionOptions options = bench_options(bench, mode);
    bench->session = session_new(&options);
    assert_non_null(bench->session);
}

static void bench_close(Bench *bench) {
    session_free(bench->session);
    assert_int_equal(bench->budget.used, 0);
}

/* Executes the statements of a text at the console; gives what was logged. */
static inline const char *bench_run(Bench *bench, const char *text) {
    Session *s = bench->session;
    BudgetGuard guard;
    bench->length = 0;
    bench->log[0] = '\0';
    if (BUDGET_ENTER(&bench->budget, &guard)) {
        DiagSink sink = {bench_syntax, bench};
        ParseContext context = {session_arena(s), session_intern(s), session_sources(s), &sink};
        const Ast *block =
            parse_file(&context, source_add(session_sources(s), "test", text, strlen(text)));
        for (uint32_t k = 0; block && k < block->count; k++) session_execute(s, block->child[k]);
        budget_leave(&bench->budget, &guard);
    } else {
        bench_log(bench, "unread ");
    }
    return bench->log;
}

#endif
