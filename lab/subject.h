/* subject.h: a compiled model as the lab examines it: its weights as plain data, inputs, and what
 * its outputs should say on them.
 *
 * The judge is the interpreter, which runs the program that the model embeds; a file without one is
 * held against its own hard attention (rule `average`), which is then all that can be known. How
 * far a run is from what is meant is measured against hard attention in double either way.
 *
 * All of it dies with the measurement. */
#ifndef RASP_LAB_SUBJECT_H
#define RASP_LAB_SUBJECT_H

#include "lab/ask.h"
#include "lab/matrix.h"
#include "runtime/forward.h"
#include "runtime/reference.h"

typedef struct SubjectInput {
    const size_t *ids; /* token numbers */
    size_t length;
    const RtAtom **expected; /* by output: its value at each position; NULL: not compared */
    const double *nominal;   /* what hard attention has outputs read: RunResult.raw */
} SubjectInput;

typedef struct Subject {
    Lab *lab;
    RaspModel *handle;
    const RaspModelInfo *info;
    const Model *model; /* as the file has it */
    Model *scratch;     /* the same shapes, for changed weights: subject_restore */
    bool judged;        /* by a program */
    bool states_beta;   /* else `beta` is the greatest gap of a head */
    double beta;        /* what separates the scores of selected and other keys */
    double joined_absolute, joined_relative; /* floats that may stand for one another */
    const SubjectInput *inputs;              /* ascending by length */
    size_t input_count;
} Subject;

/* The question's inputs, or drawn ones of up to `longest` tokens. False after a failed check on the
 * page that says why. Notes on the page say who judges and what was drawn. */
bool subject_open(Lab *lab, Page *page, const ModelQuestion *question, size_t longest,
                  Subject *subject);

/* "1.0 select(tokens, tokens, ==)": layer, head and what the file calls its selector, cut. */
const char *subject_head_name(const Subject *subject, Arena *arena, size_t head);
size_t subject_head_count(const Subject *subject);

/* A head by its number, counted through the layers. */
typedef struct SubjectHead {
    const ModelHead *head;
    size_t layer, number; /* within the layer */
    size_t step;          /* whose stream it reads (SubjectTrace) */
} SubjectHead;
SubjectHead subject_head(const Subject *subject, size_t head);

/* The scratch model has the file's weights again. */
void subject_restore(Subject *subject);
/* Of its weights, those that are not the file's. */
size_t subject_changed(const Subject *subject);

/* How a model of the subject's shapes does on inputs `first` .. `first + count − 1`. */
typedef struct Fare {
    size_t inputs, agreed;
    double error; /* the greatest distance of what an output reads from `nominal`; infinite: a pass
                     that gave no number */
} Fare;
Fare subject_fare(const Subject *subject, const Model *weights, double temperature, size_t first,
                  size_t count);

/* --- subject_trace.c -------------------------------------------------------------------------- */

/* One pass in plain loops and double. Row and column 0 are the sink; heads and steps are counted
 * through the layers, in the order of the pass. */
typedef struct SubjectTrace {
    Matrix *weights; /* [head]: [n+1, n+1] */
    Matrix *results; /* [head]: [n+1, width], what it adds to the residual stream */
    Matrix *streams; /* [step]: [n+1, width]: after the embedding; for each layer after its heads,
                        and after each of its sublayers */
    size_t head_count, step_count;
} SubjectTrace;
size_t subject_step_count(const Subject *subject);

/* In `arena`. False when it gave something that is no number, or less than all. */
bool subject_trace(const Subject *subject, const Model *weights, const SubjectInput *input,
                   Arena *arena, SubjectTrace *trace);
/* What a head's matrix reads of the stream at a step: [n+1, cols]. */
Matrix subject_read(const SubjectTrace *trace, size_t step, const Tensor *tensor, Arena *arena);

/* Says on the page what the library says; an end of memory or time ends the measurement. */
bool subject_refuse(Lab *lab, Page *page, const RaspError *error);

/* --- subject_inputs.c ------------------------------------------------------------------------- */

/* Fills inputs with `expected`, if there is a program; false after a failed check. */
bool subject_take_inputs(Subject *subject, Page *page, const ModelQuestion *question,
                         size_t longest);

#endif
