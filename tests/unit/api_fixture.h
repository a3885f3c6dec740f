/* What the tests of rasp.h share: programs from texts, inputs, and values as text. */
#ifndef TESTS_API_FIXTURE_H
#define TESTS_API_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "api/rasp_check.h"
#include "api/rasp_repl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

UNUSED static const char histogram[] = "histogram = selector_width(select(tokens, tokens, ==));";
UNUSED static const char before[] =
    "before = aggregate(select(indices, indices - 1, ==), tokens, \"-\");";

UNUSED static RaspInput input_of(const char *text) {
    return (RaspInput){.text = text, .length = strlen(text)};
}

/* NULL after an error. */
UNUSED static RaspProgram *try_program(const char *text, const RaspConfig *config,
                                       RaspError *error) {
    RaspSource source = {.text = text, .length = strlen(text)};
    return rasp_program_load(&source, config, error);
}

UNUSED static RaspProgram *program_of(const char *text) {
    RaspError error;
    RaspProgram *program = try_program(text, NULL, &error);
    if (!program) fail_msg("%s", error.text);
    return program;
}

UNUSED static RaspSop sop_of(RaspProgram *program, const char *name) {
    RaspError error;
    RaspSop sop;
    if (!rasp_program_sop(program, name, &sop, &error)) fail_msg("%s", error.text);
    return sop;
}

/* "1 2 2", in a buffer that the next call overwrites. */
UNUSED static const char *text_of(const RaspSequence *sequence) {
    static char text[2048];
    size_t used = 0;
    assert_non_null(sequence);
    text[0] = '\0';
    for (size_t i = 0; i < rasp_sequence_length(sequence); i++) {
        if (i) text[used++] = ' ';
        used += rasp_atom_text(rasp_sequence_at(sequence, i), RASP_PLAIN, text + used,
                               sizeof text - used - 1);
        assert_true(used < sizeof text - 2);
    }
    return text;
}

/* What the interpreter gives, or "STATUS: text" of the error. */
UNUSED static const char *run_of(RaspProgram *program, const RaspSop *sop, const RaspInput *input) {
    static char text[2048];
    RaspError error;
    RaspRun *run = rasp_run_new(program, input, sop, 1, NULL, &error);
    const RaspSequence *values = run ? rasp_run_sequence(run, 0, &error) : NULL;
    if (values)
        snprintf(text, sizeof text, "%s", text_of(values));
    else
        snprintf(text, sizeof text, "%d: %s", (int)error.status, error.text);
    rasp_run_free(run);
    return text;
}

/* The default s-op of a program, compiled. */
UNUSED static RaspModel *model_of(const char *text, const RaspTarget *target) {
    RaspError error;
    RaspProgram *program = program_of(text);
    RaspSop sop = sop_of(program, NULL);
    RaspModel *model = rasp_compile(program, &sop, 1, target, &error);
    if (!model) fail_msg("%s", error.text);
    rasp_program_free(program);
    return model;
}

UNUSED static RaspEngine *engine_of(const RaspModel *model) {
    RaspError error;
    RaspEngine *engine = rasp_engine_new(model, &(RaspEngineOptions){.threads = 1}, NULL, &error);
    if (!engine) fail_msg("%s", error.text);
    return engine;
}

/* What the transformer gives, or "STATUS: text" of the error. */
UNUSED static const char *forward_of(RaspEngine *engine, const RaspInput *input) {
    static char text[2048];
    RaspError error;
    RaspForward *forward = rasp_forward(engine, input, &error);
    if (forward)
        snprintf(text, sizeof text, "%s", text_of(rasp_forward_sequence(forward, 0)));
    else
        snprintf(text, sizeof text, "%d: %s", (int)error.status, error.text);
    rasp_forward_free(forward);
    return text;
}

#endif
