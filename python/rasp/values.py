"""Values of one position, in Python and in the library: strings, ints, floats, bools."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple, Union

from ._lib import UseError, ffi, lib

Atom = Union[str, int, float, bool]
Input = Union[str, Sequence[Atom]]


def plain(value: Any) -> Atom:
    """The atom that a value is; numpy's scalars are what they hold."""
    if hasattr(value, "item") and not isinstance(value, (str, bool, int, float)):
        value = value.item()
    if isinstance(value, (str, bool, int, float)):
        return value
    raise UseError(
        f"expected a string, an int, a float or a bool for a token, found {value!r} "
        f"({type(value).__name__})"
    )


def whole_of(name: str, value: Any, least: int, most: int) -> int:
    """The argument of that name, which has to be a whole number in that range."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not least <= value <= most:
        raise UseError(f"{name}: expected a whole number from {least} to {most}, found {value!r}")
    return value.__index__()


def number_of(name: str, value: Any) -> float:
    """The argument of that name, which has to be a number of at least 0."""
    try:
        number = float("nan") if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not number >= 0:
        raise UseError(f"{name}: expected a number of at least 0, found {value!r}")
    return number


def to_atom(atom: Any, value: Any, keep: list) -> None:
    """Writes the value into a RaspAtom; `keep` has to live as long as it is used."""
    value = plain(value)
    if isinstance(value, bool):
        atom.kind, getattr(atom, "as").b = lib.RASP_BOOL, value
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise UseError(f"expected an int of 64 bits, found {value}")
        atom.kind, getattr(atom, "as").i = lib.RASP_INT, value
    elif isinstance(value, float):
        atom.kind, getattr(atom, "as").f = lib.RASP_FLOAT, value
    else:
        data = value.encode("utf-8", "surrogatepass")
        text = ffi.new("char[]", data)
        keep.append(text)
        atom.kind = lib.RASP_STRING
        getattr(atom, "as").s.text, getattr(atom, "as").s.length = text, len(data)


def from_atom(atom: Any) -> Atom:
    value = getattr(atom, "as")
    if atom.kind == lib.RASP_BOOL:
        return bool(value.b)
    if atom.kind == lib.RASP_INT:
        return int(value.i)
    if atom.kind == lib.RASP_FLOAT:
        return float(value.f)
    return ffi.buffer(value.s.text, value.s.length)[:].decode("utf-8", "replace")


def to_atoms(values: Sequence[Any]) -> Tuple[Any, list]:
    """A RaspAtom[], and what has to live as long as it."""
    keep: list = []
    atoms = ffi.new("RaspAtom[]", max(len(values), 1))
    for k, value in enumerate(values):
        to_atom(atoms[k], value, keep)
    return atoms, keep


def from_atoms(atoms: Any, count: int) -> List[Atom]:
    return [from_atom(atoms[k]) for k in range(count)]


def tokens_of(value: Input) -> List[Atom]:
    """The tokens of an input: of a string its characters."""
    if isinstance(value, (bytes, dict, set)) or not hasattr(value, "__iter__"):
        raise UseError(f"expected a string or a list of tokens, found {value!r}")
    return [plain(token) for token in value]


def inputs_of(value: Any) -> Sequence[Any]:
    """The inputs of a batch.  A string alone is one input, and in a batch hardly meant."""
    if isinstance(value, (str, bytes, dict, set)) or not hasattr(value, "__iter__"):
        raise UseError(f"expected a list of inputs, found {value!r}")
    return value if hasattr(value, "__len__") else list(value)


def to_input(value: Input) -> Tuple[Any, list]:
    """A RaspInput *, and what has to live as long as it."""
    tokens = tokens_of(value)
    atoms, keep = to_atoms(tokens)
    keep.append(atoms)
    return ffi.new("RaspInput *", {"tokens": atoms, "count": len(tokens)}), keep


def from_sequence(sequence: Any) -> List[Atom]:
    count = lib.rasp_sequence_length(sequence)
    atoms = ffi.new("RaspAtom[]", max(count, 1))
    lib.rasp_sequence_atoms(sequence, atoms)
    return from_atoms(atoms, count)


def same(a: Any, b: Any) -> bool:
    """The same kind and value: 1, 1.0, True and "1" are four values."""
    return type(a) is type(b) and (a == b or (a != a and b != b))
