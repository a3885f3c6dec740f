/* target.h: what a program is compiled for: a RaspTarget, then the program's magic comment
 *     # rasp: alphabet=abc max-length=16 first=a where=balanced
 * then defaults (a to z, 16); or all of it from a weights file (record.h).  For the files of api/
 * alone; these functions are for bodies of core_call.
 */
#ifndef RASP_API_TARGET_H
#define RASP_API_TARGET_H

#include "api/program.h"

typedef struct Target {
    Record record; /* with CompileOptions complete */
    CompileOutput *outputs;
    uint32_t output_count;
} Target;

bool target_choose(RaspProgram *program, const RaspSop *outputs, size_t count,
                   const RaspTarget *wanted, Target *target);
/* Its inputs alone: alphabet, length, first token and `where` of the record's options. */
bool target_domain(RaspProgram *program, const RaspTarget *wanted, Record *record);
/* The program is the record's own. */
bool target_recall(RaspProgram *program, const Record *record, Target *target);

/* The program is another one, and the model says for which inputs and which outputs: an s-op of the
 * program for each name of an output. */
bool target_of_model(RaspProgram *program, const Model *model, const RaspModelInfo *info,
                     Target *target);

/* What was said, and where. */
typedef struct Setting {
    RaspProgram *program;
    const char *text;  /* NULL: nothing */
    const char *label; /* "--alphabet", or "alphabet" in the magic comment */
    Span span;         /* there, or SPAN_NONE */
} Setting;

/* An error about the setting; give false. */
bool setting_refuse(const Setting *setting, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The error that is there already is about the setting. */
bool setting_blame(const Setting *setting);

/* Weight rules of the two headers (forward.c). */
RtRule rule_to_runtime(RaspRule rule);
RaspRule rule_from_runtime(RtRule rule);

#endif
