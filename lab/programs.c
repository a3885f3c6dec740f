#include "lab/programs.h"

#include "runtime/safetensors.h"

#include <math.h>
#include <string.h>

static void free_program(void *program) {
    rasp_program_free(program);
}

static void free_model(void *model) {
    rasp_model_free(model);
}

static void free_engine(void *engine) {
    rasp_engine_free(engine);
}

static void free_weights(void *weights) {
    model_free(weights);
}

static bool failed(Lab *lab, Page *page, const char *expression, const RaspError *error) {
    lab_poll(lab); /* what was interrupted did not fail */
    page_note(page, "%s: %s", expression, error->text);
    check_none(page, "programs that could not be compiled", 1);
    return false;
}

bool lab_compile_for(Lab *lab, Page *page, const char *source, const char *expression,
                     const RaspTarget *target, LabProgram *p) {
    RaspError error;
    if (!source) source = "_none = indices;\n";
    RaspSource text = {.name = "the lab's program", .text = source, .length = strlen(source)};
    RaspConfig config = {.cancel = arena_budget(lab->arena)->cancel};
    *p = (LabProgram){.program = rasp_program_load(&text, &config, &error)};
    if (!p->program) return failed(lab, page, expression, &error);
    lab_defer(lab, free_program, p->program);
    if (!rasp_program_expression(p->program, expression, &p->sop, &error))
        return failed(lab, page, expression, &error);
    p->model = rasp_compile(p->program, &p->sop, 1, target, &error);
    if (!p->model) return failed(lab, page, expression, &error);
    lab_defer(lab, free_model, p->model);
    return true;
}

bool lab_compile(Lab *lab, Page *page, const char *source, const char *expression,
                 const char *alphabet, uint32_t length, LabProgram *p) {
    RaspTarget target = {.alphabet = alphabet, .max_length = length};
    return lab_compile_for(lab, page, source, expression, &target, p);
}

RaspEngine *lab_engine(Lab *lab, Page *page, const LabProgram *p, RaspRule rule,
                       double temperature) {
    RaspError error;
    RaspEngineOptions options = {.rule = rule, .temperature = temperature, .threads = 1};
    RaspEngine *engine = rasp_engine_new(p->model, &options, NULL, &error);
    if (engine) {
        lab_defer(lab, free_engine, engine);
        return engine;
    }
    lab_poll(lab);
    page_note(page, "%s", error.text);
    check_none(page, "engines that could not be made", 1);
    return NULL;
}

Model *lab_weights(Lab *lab, Page *page, const LabProgram *p) {
    RaspError error = {.text = ""};
    RtError err = {""};
    unsigned char *bytes;
    size_t size;
    Model *model = NULL;
    if (rasp_model_bytes(p->model, &bytes, &size, &error)) {
        model = model_load_bytes(bytes, size, &err);
        rasp_free(bytes);
    }
    if (model) {
        lab_defer(lab, free_weights, model);
        return model;
    }
    page_note(page, "%s%s", error.text, err.text);
    check_none(page, "weights that could not be read", 1);
    return NULL;
}

size_t lab_word_errors(const LabProgram *p, RaspEngine *engine, const char *word) {
    RaspError error;
    size_t n = strlen(word), wrong = 0;
    RaspInput input = {.text = word, .length = n, .form = RASP_AS_STRING};
    RaspRunOptions options = {.threads = 1};
    RaspForward *f = rasp_forward(engine, &input, &error);
    RaspRun *run = rasp_run_new(p->program, &input, &p->sop, 1, &options, &error);
    const RaspSequence *found = f ? rasp_forward_sequence(f, 0) : NULL;
    const RaspSequence *expected = run ? rasp_run_sequence(run, 0, &error) : NULL;
    for (size_t i = 0; i < n; i++)
        wrong += !found || !expected ||
                 !rasp_atom_equal(rasp_sequence_at(found, i), rasp_sequence_at(expected, i));
    rasp_forward_free(f);
    rasp_run_free(run);
    return wrong;
}

double lab_number(RaspAtom a) {
    switch (a.kind) {
    case RASP_BOOL:
        return a.as.b;
    case RASP_INT:
        return (double)a.as.i;
    case RASP_FLOAT:
        return a.as.f;
    default:
        return NAN;
    }
}
