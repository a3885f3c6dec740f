/* claims_fixture.h: programs of one s-op, compiled to the bytes of a file and read again. */
#ifndef RASP_TESTS_CLAIMS_FIXTURE_H
#define RASP_TESTS_CLAIMS_FIXTURE_H

#include "api/rasp_check.h"
#include "runtime/safetensors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct Bytes {
    unsigned char *bytes;
    size_t size;
} Bytes;

static const RaspConfig config = {.cpu_seconds = 60, .memory = (size_t)1 << 30};

typedef struct Subject {
    const char *text;
    RaspTarget target;
} Subject;

static inline RaspProgram *program_of(const Subject *s) {
    RaspError error = {0};
    RaspSource source = {.path = "p.rasp", .text = s->text, .length = strlen(s->text)};
    RaspProgram *program = rasp_program_load(&source, &config, &error);
    if (!program) fail_msg("%s", error.text);
    return program;
}

static inline Bytes compile_in(RaspProgram *program, const Subject *s) {
    RaspError error = {0};
    RaspSop sop;
    assert_true(rasp_program_sop(program, "y", &sop, &error));
    RaspModel *model = rasp_compile(program, &sop, 1, &s->target, &error);
    if (!model) fail_msg("%s", error.text);
    Bytes b;
    assert_true(rasp_model_bytes(model, &b.bytes, &b.size, &error));
    rasp_model_free(model);
    return b;
}

static inline Bytes compile(const Subject *s) {
    RaspProgram *program = program_of(s);
    Bytes b = compile_in(program, s);
    rasp_program_free(program);
    return b;
}

static inline Model *load(Bytes b) {
    RtError error;
    Model *model = model_load_bytes(b.bytes, b.size, &error);
    if (!model) fail_msg("%s", error.text);
    return model;
}

#endif
