"""Random programs that look like ones people write, and the transformers they compile to."""

from __future__ import annotations

from itertools import count as count_from
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional, Tuple

from ._lib import Host, OutOfMemory, OutOfTime, ProgramError, RaspError, ffi, lib, take_text
from .circuit import Circuit
from .model import Model
from .program import Program, RandomInfo, target_of
from .values import whole_of

Refused = Optional[Callable[[Program, RaspError], None]]

NOTHING_YET, NOTHING_MORE, ALIKE = 4, 50, 300  # seeds in a row after which `rasp generate` ends


class Sample(NamedTuple):
    """A random program, its transformer, and the circuit that this is."""

    program: Program
    model: Model
    circuit: Circuit


def _draw(
    host: Host, seed: Any, layers: Any, heads: Any, steps: Any, target: Dict[str, Any]
) -> Tuple[str, RandomInfo]:
    """The text of a seed's program, and what is known of it."""
    keep: list = []
    options, info = ffi.new("RaspRandomOptions *"), ffi.new("RaspRandomInfo *")
    options.seed = whole_of("seed", seed, 0, 2**64 - 1)
    options.layers = whole_of("layers", layers, 1, lib.RASP_RANDOM_LAYERS)
    if heads is not None:
        options.heads = whole_of("heads", heads, 1, lib.RASP_RANDOM_HEADS)
    if steps is not None:
        options.steps = whole_of("steps", steps, 1, 2**32 - 1)
    options.target = target_of(keep, **target)[0]
    text = take_text(host.call(lib.rasp_random_program, options, host.config, info))
    return text, RandomInfo(
        options.seed, info.layers, info.heads, info.steps, info.behaviour, info.tries
    )


def random_program(
    seed: int,
    *,
    layers: int = 2,
    heads: Optional[int] = None,
    steps: Optional[int] = None,
    memory: Optional[int] = None,
    cpu_seconds: float = 0,
    **target: Any,
) -> Program:
    """The program of a seed, the same everywhere for a version of rasp (docs/generate.md).

    It needs `layers` attention layers, exactly, and `heads` heads, if they are said; it has at
    most `steps` statements (4, and 4 a layer).  `target`: its inputs, `alphabet` ("abcd"),
    `max_length` (8), `first` and `where`, as for Program.compile; its comment says them, but for
    `where`.  `memory` and `cpu_seconds` are the most that one call may use, as of Program.

    `program.random` says its layers, heads, steps, and its behaviour, a hash of what it gives:
    programs of a target with different hashes differ on some input.
    """
    host = Host(memory, cpu_seconds)
    text, info = _draw(host, seed, layers, heads, steps, target)
    return Program._of_text(host, text, "program", info)


def generate(
    count: Optional[int] = 1,
    *,
    seed: int = 1,
    layers: int = 2,
    heads: Optional[int] = None,
    steps: Optional[int] = None,
    memory: Optional[int] = None,
    cpu_seconds: float = 0,
    refused: Refused = None,
    **target: Any,
) -> Iterator[Sample]:
    """A stream of (program, model, circuit), what `rasp generate` writes, one after the other:

        for program, model, circuit in rasp.generate(1000, seed=7, layers=3):
            program.text, model.weights, circuit.document

    The programs of `seed`, `seed` + 1 and so on, but for those that behave like one before them,
    until there are `count` (None: for as long as new ones are found).  One that the compiler
    refuses is counted and not given; `refused` is called with it and the error.  A program's name
    is its number, "000001.rasp".  `target`: all options of Program.compile.
    """
    known: set = set()
    nothing = alike = 0
    if count is not None:
        count = whole_of("count", count, 0, 2**63 - 1)
    for at in count_from(whole_of("seed", seed, 0, 2**64 - 1)):
        if count is not None and len(known) >= count:
            return
        host = Host(memory, cpu_seconds, quiet=True)
        try:
            text, info = _draw(host, at, layers, heads, steps, target)
        except RaspError as reason:
            nothing += 1
            if type(reason) is not RaspError or nothing == (NOTHING_MORE if known else NOTHING_YET):
                raise
            continue
        nothing = 0
        alike = alike + 1 if info.behaviour in known else 0
        if alike == ALIKE:
            raise RaspError(
                f"the last {ALIKE} programs behave like earlier ones: no more than {len(known)} "
                "were found"
            )
        if alike:
            continue
        known.add(info.behaviour)
        program = Program._of_text(host, text, f"{len(known):06}.rasp", info)
        model = _compiled(program, info.layers, target, refused)
        if model:
            yield Sample(program, model, model.circuit)


def _compiled(
    program: Program, layers: int, target: Dict[str, Any], refused: Refused
) -> Optional[Model]:
    """The model; None: the compiler refuses it, or needs more layers than the program."""
    stats = ffi.new("RaspCompileStats *")
    try:
        model = program.compile(**{"alphabet": "abcd", "max_length": 8, **target})
        lib.rasp_model_compile_stats(model._handle, stats)
        if stats.depth == layers:
            return model
        raise RaspError(f"it needs {stats.depth} layers")
    except RaspError as reason:
        if type(reason) not in (RaspError, ProgramError, OutOfTime, OutOfMemory):
            raise
        if refused:
            refused(program, reason)
        return None
