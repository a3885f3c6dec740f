/* value.h: the library's atoms and columns as the public ones, and the way back; for the files of
 * api/ alone. */
#ifndef RASP_API_VALUE_H
#define RASP_API_VALUE_H

#include "api/rasp.h"

#include "interp/exec/column.h"
#include "runtime/atom.h"

RaspAtom atom_out(Atom atom);
/* Strings become the table's; numbers need no table. */
Atom atom_in(RaspAtom atom, Intern *table);
RtAtom atom_to_runtime(RaspAtom atom);
RaspAtom atom_from_runtime(const RtAtom *atom);

/* One of three representations; whatever it points to belongs to the sequence's handle. */
struct RaspSequence {
    RaspType type;
    size_t length;
    const Column *column; /* from `first` on */
    size_t first;
    const Atom *tokens;
    const RaspAtom *atoms;
};

RaspSequence sequence_of_column(const Column *column);
RaspSequence sequence_of_part(const Column *column, size_t first, size_t length);
RaspSequence sequence_of_tokens(const Atom *tokens, size_t length);
RaspSequence sequence_of_atoms(const RaspAtom *atoms, size_t length);

#endif
