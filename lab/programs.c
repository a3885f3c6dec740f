#include "lab/programs.h"

#include <string.h>

static void free_program(void *program) {
    rasp_program_free(program);
}

static void free_model(void *model) {
    rasp_model_free(model);
}

static bool failed(Lab *lab, Page *page, const char *expression, const RaspError *error) {
    lab_poll(lab); /* what was interrupted did not fail */
    page_note(page, "%s: %s", expression, error->text);
    check_none(page, "programs that could not be compiled", 1);
    return false;
}

bool lab_compile(Lab *lab, Page *page, const char *source, const char *expression,
                 const char *alphabet, uint32_t length, LabProgram *p) {
    RaspError error;
    if (!source) source = "_none = indices;\n";
    RaspSource text = {.name = "the lab's program", .text = source, .length = strlen(source)};
    RaspConfig config = {.cancel = arena_budget(lab->arena)->cancel};
    RaspTarget target = {.alphabet = alphabet, .max_length = length};
    *p = (LabProgram){.program = rasp_program_load(&text, &config, &error)};
    if (!p->program) return failed(lab, page, expression, &error);
    lab_defer(lab, free_program, p->program);
    if (!rasp_program_expression(p->program, expression, &p->sop, &error))
        return failed(lab, page, expression, &error);
    p->model = rasp_compile(p->program, &p->sop, 1, &target, &error);
    if (!p->model) return failed(lab, page, expression, &error);
    lab_defer(lab, free_model, p->model);
    return true;
}
