/* programs.h: RASP programs as the lab uses them: from a text to a model, through rasp.h. */
#ifndef RASP_LAB_PROGRAMS_H
#define RASP_LAB_PROGRAMS_H

#include "api/rasp.h"
#include "lab/item.h"

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

#endif
