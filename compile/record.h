/* record.h: what a weights file says about where it comes from: the program's text and the
 * files it loads, the chosen s-ops, the assumed inputs, the compiler's options.  Enough to
 * run the program beside its weights, and to compile it again.
 *
 * Keys of the model document (docs/weights.md): program, source, source_sha256, sources,
 * compiler, domain, options; and of what was found on the way, answers.
 */
#ifndef RASP_COMPILE_RECORD_H
#define RASP_COMPILE_RECORD_H

#include "compile/compile.h"

typedef struct FileText {
    const char *name, *text;
    size_t length;
} FileText;

typedef struct Record {
    FileText program;
    const FileText *loaded; /* by `load`, in the order of loading; the start-up library is not */
    size_t loaded_count;
    const char *expression;   /* the output, if it is none of the program's names */
    const char *const *names; /* else the outputs; none: the s-op assigned last */
    size_t name_count;
    const char *where;      /* the s-op of CompileOptions.where in source form, or NULL */
    CompileOptions options; /* of a loaded record: where is not set, the text has to be evaluated */
} Record;

/* The spellings of the options, by enumerator; each list ends with NULL. */
extern const char *const compile_dtype_names[];  /* auto f32 f64 */
extern const char *const compile_mask_names[];   /* per-head none causal */
extern const char *const compile_layout_names[]; /* compact standard */

/* Writes the record into the model's document; false when memory runs out. */
bool record_store(const Record *record, Model *model);

/* Whether there is an answer on every input of the domain: a claim of the file. */
bool record_store_answers(const Answers *answers, Model *model);
/* False: the file does not say. */
bool record_load_answers(const Model *model, Answers *answers);

/* Reads it back: the alphabet and the length are the model's, and so are the texts, which live
 * as long as it does.  False and *error when a key is missing or is not what it should be. */
bool record_load(const Model *model, Intern *table, Arena *arena, Record *record, RtError *error);

/* Only the domain: needs no source.  `where`: its text (the model's) or NULL. */
bool record_load_domain(const Model *model, int32_t *first, const char **where, RtError *error);

#endif
