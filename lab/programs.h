/* programs.h: RASP programs as the lab uses them: from a text to a model, through rasp.h. */
#ifndef RASP_LAB_PROGRAMS_H
#define RASP_LAB_PROGRAMS_H

#include "api/rasp.h"
#include "lab/item.h"
#include "runtime/model.h"

/* A program and its model; both are freed when the measurement ends. False after a failed check on
 * the page that says why. */
typedef struct LabProgram {
    RaspProgram *program;
    RaspSop sop;
    RaspModel *model;
} LabProgram;

/* What `expression` gives in the scope of `source` (NULL: the language's library alone), compiled
 * for inputs over the alphabet's characters of up to that length. */
bool lab_compile(Lab *lab, Page *page, const char *source, const char *expression,
                 const char *alphabet, uint32_t length, LabProgram *program);
/* The same for any target. */
bool lab_compile_for(Lab *lab, Page *page, const char *source, const char *expression,
                     const RaspTarget *target, LabProgram *program);

/* An engine for it, of one thread; NULL after a failed check that says why. */
RaspEngine *lab_engine(Lab *lab, Page *page, const LabProgram *program, RaspRule rule,
                       double temperature);

/* Its weights as the runtime reads them from a file; NULL after a failed check. */
Model *lab_weights(Lab *lab, Page *page, const LabProgram *program);

/* Positions at which the engine's first output is not what the interpreter gives, or all n if one
 * of them refuses the word. */
size_t lab_word_errors(const LabProgram *program, RaspEngine *engine, const char *word);

/* What a number is in the residual stream: true is 1; NAN for a string. */
double lab_number(RaspAtom atom);

#endif
