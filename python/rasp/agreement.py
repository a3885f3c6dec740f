"""What other tools made of a model, beside the interpreter."""

from __future__ import annotations

from itertools import islice
from typing import Any, Dict, Iterator, List

import numpy as np

from ._lib import RaspError, UseError, need
from .values import Atom, same

AT_ONCE = 512  # inputs of one pass


def reads_of(model: Any, other: Any, ids: np.ndarray) -> Dict[str, np.ndarray]:
    """What each output reads, [batch, 1 + n, size], by another implementation of the model: a
    callable on token numbers that gives an array, of the default output, or a dict by name."""
    if hasattr(other, "parameters"):  # a torch module
        torch = need("torch", "a check of a torch module")
        with torch.no_grad():
            found = other(torch.as_tensor(ids))
    else:
        found = other(ids)
    if not isinstance(found, dict):
        found = {model.output(getattr(other, "rasp_output", None)).name: found}
    return found


def _interpreted(model: Any, inputs: List[List[Atom]]) -> Dict[str, List[Any]]:
    """The interpreter's values by output, a list an input; None: it has no answer there."""
    said = model.info["options"]
    found = {}
    for o in model.outputs:
        sop = said.get("expression") or (o.name if o.name in said.get("sops", ()) else None)
        try:
            found[o.name] = model.program.batch(inputs, sop)
        except RaspError:
            found[o.name] = [_or_none(model.program, tokens, sop) for tokens in inputs]
    return found


def _or_none(program: Any, tokens: List[Atom], sop: Any) -> Any:
    try:
        return program(tokens, sop)
    except RaspError:
        return None


def _answers(
    model: Any, reads: Dict[str, np.ndarray], ids: np.ndarray, logits: bool
) -> Dict[str, List[Any]]:
    """The values that are read, by output, a list an input; None where a flag says so."""
    decode = model.decode_logits if logits else model.decode
    values = {name: decode(read, ids, name) for name, read in reads.items()}
    for o in model.outputs:
        if o.name in values and o.flag in values:
            values[o.name] = [
                None if any(flags) else row for row, flags in zip(values[o.name], values[o.flag])
            ]
    return {o.name: values[o.name] for o in model.outputs if o.name in values}


def check_other(
    model: Any, other: Any, *, seed: int, count: int, exhaustive_limit: int, shown: int
) -> Any:
    """A Check of `other`: as Model.check, over the outputs that it gives."""
    from .reports import Check, CheckRun, Disagreement

    if not callable(other):
        raise UseError(f"expected a model of another tool, which is called, found {other!r}")
    base = getattr(other, "rasp", model)  # it may have been compiled for its tool, which
    logits = hasattr(other, "rasp_output")  # gives logits of one output
    agreed = right = positions = compared = faulted = longest = 0
    examples: List[Disagreement] = []
    margin = np.inf
    for chunk in _chunks(base.inputs(seed=seed, count=count, exhaustive_limit=exhaustive_limit)):
        ids = base.encode(chunk)
        reads = reads_of(base, other, ids)
        found, wanted = _answers(base, reads, ids, logits), _interpreted(base, chunk)
        margin = min(
            [margin, *(least_margin(base, name, read, ids, logits) for name, read in reads.items())]
        )
        longest = max([longest, *map(len, chunk)])
        for k, tokens in enumerate(chunk):
            wrong = []
            for name in found:
                a, b = wanted[name][k], found[name][k]
                fits = _fitting(base, name, a, b, len(tokens))
                positions, right = positions + len(fits), right + sum(fits)
                if not all(fits):
                    wrong.append(Disagreement(tokens, a, b, name))
            compared, agreed = compared + 1, agreed + (not wrong)
            faulted += any(wanted[name][k] is None for name in found)
            examples += wrong[: shown - len(examples)]
    if not compared:
        raise UseError("there are no inputs to check")
    run = CheckRun(1.0, agreed, right, -1.0, float(margin), examples)
    total = sum(len(base.alphabet) ** n for n in range(1, base.max_length + 1))
    return Check(
        agreed == compared,
        total <= exhaustive_limit,
        longest,
        compared,
        positions,
        faulted,
        0,
        0,
        [run],
    )


def _fitting(model: Any, name: str, expected: Any, found: Any, n: int) -> List[bool]:
    """Position by position.  A fault of the program that no flag tells is not compared."""
    if expected is None or found is None:
        return [expected is None] * n
    joined = (model.info.get("certificate") or {}).get("joined") or {}
    slack = joined.get("absolute", 0)
    if model.output(name).decode == "number":
        slack = max(slack, model.certificate.error)
    return [
        same(a, b)
        or (slack > 0 and isinstance(a, float) and isinstance(b, float) and abs(a - b) <= slack)
        for a, b in zip(expected, found)
    ]


def _chunks(inputs: Iterator[List[Atom]]) -> Iterator[List[List[Atom]]]:
    while True:
        chunk = list(islice(inputs, AT_ONCE))
        if not chunk:
            return
        yield chunk


def least_margin(model: Any, name: str, read: Any, ids: np.ndarray, logits: bool) -> float:
    """How far the closest of all decisions is from another, in units of the residual stream."""
    from .model import _numpy

    o, there = model.output(name), ids[:, 1:] != model.pad
    read = _numpy(read)[:, 1:][there].astype(np.float64)  # [positions, size]
    if o.decode == "number" or len(set(map(repr, o.values))) < 2:
        return float("inf")
    if o.decode == "whole":
        return float((0.5 - np.abs(read[..., 0] - o.whole(read[..., 0]))).min())
    if logits or o.decode == "argmax":
        kinds = {text: k for k, text in enumerate(dict.fromkeys(map(repr, o.values)))}
        number = np.array([kinds[repr(value)] for value in o.values])  # equal ones are no other
        best = read.argmax(-1)
        rest = np.where(number == number[best][..., None], -np.inf, read)
        return float((read.max(-1) - rest.max(-1)).min())
    distance = np.sort(np.abs(read[..., :1] - o.places), -1)
    return float(((distance[..., 1] - distance[..., 0]) / 2).min())
