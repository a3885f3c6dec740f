/* complete.h: a compiled model that is a whole weights file. */
#ifndef RASP_COMPILE_COMPLETE_H
#define RASP_COMPILE_COMPLETE_H

#include "compile/claims_write.h"
#include "compile/record.h"

/* Adds to the model what its file says of itself, in the file's order: what the pieces are for,
 * where it comes from, what is certified and claimed; then lays it out as the record's options ask.
 * `sources` hold the texts that were compiled, `names` are their program's.  False when memory runs
 * out. */
bool complete_model(Compiled *compiled, const Record *record, const SourceMap *sources,
                    const ProgramNames *names);

#endif
