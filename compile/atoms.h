/* atoms.h: the language's atoms as those of weights files, and back. */
#ifndef RASP_COMPILE_ATOMS_H
#define RASP_COMPILE_ATOMS_H

#include "graph/atom.h"
#include "runtime/atom.h"

/* It borrows the text. */
RtAtom atom_to_file(Atom a);
/* Strings are interned. */
Atom atom_from_file(const RtAtom *a, Intern *table);
/* Are they one value, of one kind? */
bool atom_is_in_file(Atom a, const RtAtom *b);

#endif
