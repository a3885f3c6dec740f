/* compile_fixture.h: a program text compiled in this process. */
#ifndef RASP_TESTS_COMPILE_FIXTURE_H
#define RASP_TESTS_COMPILE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "compile/check.h"
#include "compile/compile.h"
#include "compile/prove/certificate.h"
#include "interp/eval/session.h"

typedef struct CompileFixture {
    Budget budget;
    BudgetGuard guard;
    Session *session;
    Arena *arena;
    CompileOptions options;
    CompileOutput output;
    Compiled compiled;
    LowerError error;
} CompileFixture;

static inline void fixture_say(void *context, Session *session, const Fault *fault) {
    (void)context;
    print_error("%s\n", fault_text(fault, session_arena(session)));
}

static inline void fixture_diag(void *context, const SourceMap *map, const Diag *diag) {
    (void)context, (void)map;
    print_error("%s\n", diag->message);
}

/* A session with the program loaded; `alphabet`: a character a token. */
static inline void fixture_open(CompileFixture *f, const char *text, const char *alphabet,
                                uint32_t max_length) {
    memset(f, 0, sizeof *f);
    budget_init(&f->budget, (size_t)1 << 30);
    budget_push(&f->budget, &f->guard);
    if (setjmp(f->guard.jump)) fail_msg("out of memory");
    SessionOptions options = {.mode = SESSION_BATCH,
                              .budget = &f->budget,

                              .sink = {.fault = fixture_say, .syntax = {fixture_diag, NULL}}};
    f->session = session_new(&options);
    assert_non_null(f->session);
    assert_true(session_load_text(f->session, "test.rasp", text, strlen(text)));
    f->arena = session_arena(f->session);
    f->options = compile_options();
    uint32_t count = (uint32_t)strlen(alphabet);
    Atom *atoms = ARENA_ARRAY(f->arena, count, Atom);
    for (uint32_t k = 0; k < count; k++)
        atoms[k] = atom_string(intern(session_intern(f->session), alphabet + k, 1));
    f->options.alphabet = atoms;
    f->options.alphabet_size = count;
    f->options.max_length = max_length;
}

static inline bool fixture_compile(CompileFixture *f) {
    Binding main;
    assert_true(session_main(f->session, &main));
    f->output = (CompileOutput){main.name->text, main.value.object->node};
    return compile_graph(session_graph(f->session), &f->output, 1, &f->options, f->arena,
                         &f->compiled, &f->error);
}

/* All inputs, or a few thousand; one thread. */
static inline CheckReport fixture_check(CompileFixture *f, const Model *model) {
    RunOptions run = run_options();
    run.threads = 1;
    CheckSubject subject = check_subject(session_graph(f->session), &f->compiled.circuit->domain,
                                         model, &f->output.node, 1, f->arena);
    CheckOptions options = {.inputs = {.exhaustive_limit = 4000, .count = 2000, .seed = 3},
                            .runs = &run,
                            .run_count = 1};
    CheckReport report;
    RtError error = {""};
    if (!check_model(&subject, &options, f->arena, &report, &error)) fail_msg("%s", error.text);
    return report;
}

static inline void fixture_close(CompileFixture *f) {
    compiled_clear(&f->compiled);
    model_free(f->compiled.model);
    budget_leave(&f->budget, &f->guard);
    session_free(f->session);
    assert_int_equal(f->budget.used, 0);
}

#endif
