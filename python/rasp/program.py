"""Programs: what they give on inputs, the heads they need, and compiling them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np

from ._lib import Host, UseError, ffi, lib, text_of
from .library import path_of
from .progress import Progress, listening
from .rules import KERNELS
from .values import (
    Atom,
    Input,
    from_atoms,
    from_sequence,
    inputs_of,
    number_of,
    to_atoms,
    to_input,
    tokens_of,
    whole_of,
)


if TYPE_CHECKING:
    from .model import Model


class Place(NamedTuple):
    """Where something stands in a program's text: lines and columns from 1, the end just behind."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


def place_of(place: Any) -> Optional[Place]:
    file = text_of(place.source)
    if file is None:
        return None
    return Place(file, place.line, place.column, place.end_line, place.end_column)


class Head(NamedTuple):
    """An attention head that a program needs.  Layers count from 1."""

    layer: int
    selector: str
    place: Optional[Place]
    uses: int  # aggregates and widths that read it


class Step(NamedTuple):
    sop: str
    place: Optional[Place]


class RandomInfo(NamedTuple):
    """What is known of a random program.  The same seed, options and version give it again."""

    seed: int
    layers: int  # attention layers
    heads: int  # as Program.layers counts them
    steps: int  # statements
    behaviour: int  # a hash of what it gives on inputs of its target
    tries: int  # drawn before it


@dataclass(frozen=True)
class Layers:
    """The attention that an s-op needs: `count` layers, their heads, and a longest chain."""

    count: int
    heads: List[Head]
    path: List[Step]

    def __str__(self) -> str:
        lines = [f"{self.count} attention layers, {len(self.heads)} heads"]
        lines += [f"  layer {head.layer}: {head.selector}" for head in self.heads]
        return "\n".join(lines)


# The words of options and what the library calls them.
DTYPES = {
    None: lib.RASP_DTYPE_AUTO,
    "auto": lib.RASP_DTYPE_AUTO,
    "f32": lib.RASP_F32,
    "f64": lib.RASP_F64,
}
MASKS = {
    "per-head": lib.RASP_MASKS_PER_HEAD,
    "none": lib.RASP_MASKS_NONE,
    "causal": lib.RASP_MASKS_CAUSAL,
}
LAYOUTS = {"compact": lib.RASP_COMPACT, "standard": lib.RASP_STANDARD}


def word(words: Dict[Any, int], value: Any, option: str) -> int:
    if value in words:
        return words[value]
    raise UseError(
        f"{option}: expected one of {', '.join(str(w) for w in words if w)}, found {value!r}"
    )


def target_of(
    keep: list,
    *,
    alphabet: Union[str, Sequence[Atom], None] = None,
    max_length: Optional[int] = None,
    first: Optional[Atom] = None,
    where: Optional[str] = None,
    dtype: Optional[str] = None,
    mask: str = "per-head",
    layout: str = "compact",
    log_length: bool = False,
    tolerance: float = 0,
    table_limit: int = 0,
    time_limit: float = 0,
    partial: bool = False,
    kernel: str = "softmax",
) -> Any:
    """A RaspTarget *; `keep` has to live as long as it."""
    target = ffi.new("RaspTarget *")
    keep.append(target)
    if alphabet is not None:
        tokens = tokens_of(alphabet)
        atoms, more = to_atoms(tokens)
        keep += [atoms, more]
        target.tokens, target.token_count = atoms, len(tokens)
    for name, text in (("first", first), ("where", where)):
        if text is not None:
            kept = ffi.new("char[]", str(text).encode())
            keep.append(kept)
            setattr(target, name, kept)
    if max_length is not None:
        target.max_length = whole_of("max_length", max_length, 1, lib.RASP_LONGEST)
    target.dtype = word(DTYPES, dtype, "dtype")
    target.masks = word(MASKS, mask, "mask")
    target.layout = word(LAYOUTS, layout, "layout")
    target.kernel = word(KERNELS, kernel, "kernel")
    target.log_length, target.partial = log_length, partial
    target.tolerance = number_of("tolerance", tolerance)
    target.time_limit = number_of("time_limit", time_limit)
    target.table_limit = whole_of("table_limit", table_limit, 0, 2**32 - 1)
    return target


def set_inputs(options: Any, seed: int, count: int, exhaustive_limit: int) -> None:
    """Which inputs a RaspCheckOptions * speaks of."""
    options.seed = whole_of("seed", seed, 0, 2**64 - 1)
    options.count = whole_of("count", count, 0, 2**63 - 1)
    options.exhaustive_limit = whole_of("exhaustive_limit", exhaustive_limit, 0, 2**63 - 1)


class Program:
    """A program: the name of a bundled one, a path, or its text (which has a ';').

    In the language `tokens` are strings whatever the input's are; `tokens_asis`, `tokens_int` and
    the like are the tokens as they are (docs/language.md).

    `sop` is the s-op that calls, layers and compile() speak of; without it, the one that the
    program assigns last.  It may be any expression over the program's names.  `memory` (bytes)
    and `cpu_seconds` are the most that one call may use.
    """

    def __init__(
        self,
        source: Union[str, "os.PathLike[str]"],
        *,
        sop: Optional[str] = None,
        memory: Optional[int] = None,
        cpu_seconds: float = 0,
    ) -> None:
        text: Optional[str] = None
        if not isinstance(source, (str, os.PathLike)):
            raise UseError(f"expected a program's name, path or text, found {source!r}")
        source = os.fspath(source)
        if not os.path.isfile(source) and (";" in source or "\n" in source):
            text, self.path = source, None
        else:
            self.path = path_of(source)
        self._text, self._sop = text, sop
        self._file = self.path or "program"  # as messages and models name it
        self._owner: Any = None  # the model that embeds it
        self.random: Optional[RandomInfo] = None  # of random_program and generate
        self._host = Host(memory, cpu_seconds)
        self._handle = self._load(self._host)

    def _load(self, host: Host) -> Any:
        """A handle of it that belongs to the host."""
        keep = [ffi.new("char[]", os.fsencode(self._file))]
        made = ffi.new("RaspSource *", {"path": keep[0]})
        if self.path is None:
            data = self.text.encode("utf-8", "surrogatepass")
            keep.append(ffi.new("char[]", data))
            made.text, made.length = keep[1], len(data)
        handle = host.call(lib.rasp_program_load, made, host.config)
        return host.own(handle, lib.rasp_program_free)

    @classmethod
    def _of_model(cls, host: Host, handle: Any, owner: Any) -> "Program":
        """The program of a model, which keeps it."""
        program = cls._bare(host, None, owner.name)
        program._handle, program._owner = handle, owner
        return program

    @classmethod
    def _of_text(
        cls, host: Host, text: str, name: str, random: Optional[RandomInfo] = None
    ) -> "Program":
        """The program of a text, called `name`."""
        program = cls._bare(host, text, name)
        program._handle, program.random = program._load(host), random
        return program

    @classmethod
    def _bare(cls, host: Host, text: Optional[str], name: str) -> "Program":
        program = cls.__new__(cls)
        program._host, program._text, program._file = host, text, name
        program._sop = program.path = program._owner = program.random = None
        return program

    def __reduce__(self) -> Any:
        said = {"_sop": self._sop, "random": self.random}
        if self.path is not None:
            return Program, (self.path,), said
        return _of_source, (self.text, self._file), said

    @property
    def name(self) -> str:
        return os.path.basename(self._file)

    @property
    def text(self) -> str:
        """What is in its file."""
        if self._text is None:
            if self.path is None:  # the model that embeds it has it
                self._text = self._owner.info["source"]
            else:
                with open(self.path, encoding="utf-8") as file:
                    self._text = file.read()
        return self._text

    def __repr__(self) -> str:
        return f"<rasp.Program {self.name}: {', '.join(self.sops) or 'no s-ops'}>"

    # --- s-ops ---

    @property
    def sops(self) -> List[str]:
        """The names of its public s-ops, in the order of their last assignment."""
        count = ffi.new("size_t *")
        with self._host.busy():
            found = self._host.call_busy(
                lib.rasp_program_sops, self._handle, count, quick=True, optional=True
            )
            return [text_of(found[k].name) or "" for k in range(count[0])]

    @property
    def settings(self) -> Dict[str, str]:
        """What its comment `# rasp: alphabet=abc max-length=16` says."""
        found: Dict[str, str] = {}
        key = ffi.new("const char **")
        value = ffi.new("const char **")
        with self._host.busy():
            while lib.rasp_program_setting(self._handle, len(found), key, value):
                found[text_of(key[0]) or ""] = text_of(value[0]) or ""
        return found

    def _value(self, text: Optional[str]) -> Tuple[Any, bool]:
        """A RaspSop * of a name or an expression; is it a selector?  For who is busy."""
        sop = ffi.new("RaspSop *")
        if text is None:
            self._host.call_busy(lib.rasp_program_sop, self._handle, ffi.NULL, sop, quick=True)
            return sop, False
        kind, data = ffi.new("RaspValueKind *"), ffi.new("char[]", text.encode())
        is_name = text.isidentifier()
        self._host.call_busy(lib.rasp_program_value, self._handle, data, is_name, kind, sop)
        return sop, kind[0] == lib.RASP_VALUE_SELECTOR

    # --- runs ---

    def __call__(self, input: Input, sop: Optional[str] = None) -> Any:
        """The values of an s-op on the input, a list as long as it; of a selector a bool array
        [n, n], row i the keys that query i selects.  A string's tokens are its characters."""
        return self.batch([input], sop)[0]

    def batch(self, inputs: Sequence[Input], sop: Optional[str] = None) -> List[Any]:
        """The same for each of many inputs."""
        inputs, found = inputs_of(inputs), []
        with self._host.busy():
            value, is_selector = self._value(sop if sop is not None else self._sop)
            for input in inputs:
                found.append(self._run(input, value, is_selector))
        return found

    def _run(self, input: Input, value: Any, is_selector: bool) -> Any:
        wanted, keep = to_input(input)
        quick = wanted.count < 64
        run = self._host.call_busy(
            lib.rasp_run_new, self._handle, wanted, value, 1, ffi.NULL, quick=True
        )
        try:
            if not is_selector:
                return from_sequence(
                    self._host.call_busy(lib.rasp_run_sequence, run, 0, quick=quick)
                )
            n = wanted.count
            cells = self._host.call_busy(lib.rasp_run_selection, run, 0, quick=quick)
            return np.frombuffer(ffi.buffer(cells, n * n), np.bool_).reshape(n, n).copy()
        finally:
            lib.rasp_run_free(run)

    # --- what it needs ---

    def layers(self, sop: Optional[str] = None) -> Layers:
        """The attention layers and heads that the s-op needs."""
        with self._host.busy():
            value, _ = self._value(sop if sop is not None else self._sop)
            found = self._host.call_busy(lib.rasp_program_layers, self._handle, value)
            heads = [found.heads[k] for k in range(found.head_count)]
            steps = [found.path[k] for k in range(found.count)]
            return Layers(
                found.count,
                [
                    Head(h.layer, text_of(h.selector) or "", place_of(h.place), h.uses)
                    for h in heads
                ],
                [Step(text_of(s.sop) or "", place_of(s.place)) for s in steps],
            )

    def show(self, input: Input, sop: Optional[str] = None) -> Any:
        """How it computes its result on the input: a picture in a notebook, text elsewhere."""
        from .notebook import show_program

        return show_program(self, input, sop if sop is not None else self._sop)

    def inputs(
        self, *, seed: int = 1, count: int = 20000, exhaustive_limit: int = 200000, **target: Any
    ) -> Iterator[List[Atom]]:
        """The inputs of a target (alphabet, max_length, first, where): all if they are at most
        `exhaustive_limit`, shortest first, else all short ones and then `count` that are drawn."""
        keep: list = []
        wanted, options = target_of(keep, **target), ffi.new("RaspCheckOptions *")
        options[0] = lib.rasp_check_options()
        set_inputs(options, seed, count, exhaustive_limit)
        inputs = self._host.own(
            self._host.call(lib.rasp_inputs_new, self._handle, wanted, options),
            lib.rasp_inputs_free,
        )
        input = ffi.new("RaspInput *")
        while True:
            with self._host.busy():
                if not self._host.call_busy(
                    lib.rasp_inputs_next, inputs, input, quick=True, optional=True
                ):
                    return
                tokens = from_atoms(input.tokens, input.count)
            yield tokens

    # --- compiling ---

    def compile(
        self, *sops: str, all: bool = False, progress: Progress = None, **target: Any
    ) -> "Model":
        """A transformer that gives the s-ops' values on every input of the target, certified.

        `alphabet`: a string, each character a token, or a list of tokens; `max_length`; without
        them, what the program's comment says, else a to z and 16.  Inputs may have to start with
        the token `first`, and to make the s-op `where` true everywhere.  `dtype`: "f32", "f64" or
        the smaller that can be certified; `mask`: "per-head", "none" or "causal"; `layout`:
        "compact" or "standard"; `kernel`: "softmax", "sparsemax" or "entmax15"; `tolerance`: the
        greatest certified error to accept; `table_limit`; `time_limit` in CPU seconds;
        `log_length`; `partial`: there may be inputs without an answer.

        `progress`: called with a step's name and the tries before it, or True.
        """
        from .model import Model

        keep: list = []
        wanted = target_of(keep, **target)
        with listening(progress, f"compiling {self.name}") as listen:
            hear = self._host.listener(
                "void(void *, const char *, uint32_t)",
                listen and (lambda s, k: listen(text_of(s), k)),
            )
            wanted.progress = hear
            with self._host.busy():
                outputs = self._outputs(sops, all)
                chosen = ffi.new("RaspSop[]", [output[0] for output in outputs])
                handle = self._host.call_busy(
                    lib.rasp_compile, self._handle, chosen, len(outputs), wanted
                )
        return Model(self._host, self._host.own(handle, lib.rasp_model_free), self, sops, all)

    def _outputs(self, sops: Sequence[Optional[str]], all: bool) -> List[Any]:
        if all:
            count = ffi.new("size_t *")
            found = self._host.call_busy(lib.rasp_program_sops, self._handle, count, optional=True)
            return [found + k for k in range(count[0])]
        found = [self._value(name) for name in sops or (self._sop,)]
        for (_, is_selector), name in zip(found, sops or (self._sop,)):
            if is_selector:
                raise UseError(f"expected an s-op to compile, found the selector '{name}'")
        return [value for value, _ in found]


def _of_source(text: str, name: str) -> Program:
    """An unpickled program, but for what pickle sets afterwards."""
    return Program._of_text(Host(), text, name)
