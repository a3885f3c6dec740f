/* document.h: what a weights file says of itself, against what its program compiles to.
 *
 * Nothing that the compiler writes is believed: every key of the model's document, of its layers,
 * heads, sublayers and outputs (docs/weights.md, "What else the compiler writes") is compared with
 * that of a fresh compilation, value by value.  Keys that the compiler does not know are listed:
 * nobody has verified them.
 */
#ifndef RASP_COMPILE_DOCUMENT_H
#define RASP_COMPILE_DOCUMENT_H

#include "base/arena.h"
#include "runtime/model.h"

enum { DOCUMENT_SHOWN = 8 }; /* most texts kept of each kind */

typedef struct DocumentReport {
    size_t difference_count, unknown_count;  /* all of them */
    const char *differences[DOCUMENT_SHOWN]; /* "groups[3].carries: expected "x", found "y"" */
    const char *unknown[DOCUMENT_SHOWN];     /* "layers[0].note" */
} DocumentReport;

/* `expected` and `file` have the same layers, heads, sublayers and outputs.  `compiled` is NULL,
 * or what the document said before the file's weights were changed, an object with some of the
 * keys of expected->extra: the file may say that instead, numbers only if they are no smaller than
 * the expected ones (they are bounds).  Texts live in `arena`. */
void document_compare(const Model *expected, const json_t *compiled, const Model *file,
                      Arena *arena, DocumentReport *report);

#endif
