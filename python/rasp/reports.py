"""What is said of a model: its outputs, its certificate, what checks found."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

import numpy as np

from ._lib import text_of
from .values import Atom


class Certificate(NamedTuple):
    """What is proved of a model's numbers.  `proved`: by this compilation; False: the file says
    it, and Model.verify() shows whether it is so."""

    holds: bool
    error: float  # bound on |what an output reads - its nominal value|
    tightest: float  # largest error / what the decision `where` allows; holds: below 1
    where: str
    layer: int  # of the file
    beta: float  # score difference between selected and not
    proved: bool


def certificate_of(c: Any) -> Certificate:
    """A RaspCertificate *, of a proof that was just made."""
    return Certificate(
        bool(c.holds), c.error, c.tightest, text_of(c.where) or "", c.layer, c.beta, True
    )


class Output(NamedTuple):
    """An output: how it is decoded, from which dimensions of the residual stream, to what."""

    name: str
    decode: str  # "argmax", "nearest", "number", "whole"
    start: int
    values: List[Atom]  # of "whole" the least and the greatest
    places: Optional[np.ndarray]  # of "nearest": where each value stands
    flag: Optional[str]  # the output that says where this one has no answer

    @property
    def size(self) -> int:
        """How many dimensions it reads."""
        return len(self.values) if self.decode == "argmax" else 1

    def whole(self, read: np.ndarray) -> np.ndarray:
        """Of "whole": the nearest whole numbers from the least to the greatest, the lower on a
        tie."""
        x = np.asarray(read, np.float64)
        below, above = np.floor(x), np.ceil(x)
        nearest = np.where(x - below > above - x, above, below)
        return np.clip(nearest, *self.values).astype(np.int64)


class Disagreement(NamedTuple):
    input: List[Atom]
    expected: List[Atom]
    found: List[Atom]
    output: str


class CheckRun(NamedTuple):
    """How one temperature fared."""

    temperature: float
    agreed: int  # inputs
    right: int  # positions, over all outputs
    largest_error: float  # of outputs decoded as numbers; -1: none are
    least_margin: float  # negative: a decision is wrong; infinite: nothing was decided
    examples: List[Disagreement]


class Check(NamedTuple):
    """A model beside the interpreter.  True if every input agrees."""

    agree: bool
    exhaustive: bool  # every input of the domain was tried
    complete_length: int  # every input up to this length was
    compared: int
    positions: int
    faulted: int  # inputs on which the interpreter reports an error of an output
    left_out: int  # those of them that were not compared
    outside: int  # inputs that the domain excludes
    runs: List[CheckRun]

    def __bool__(self) -> bool:
        return self.agree

    @property
    def agreement(self) -> float:
        """The part of the inputs that agree, at the first temperature."""
        return self.runs[0].agreed / max(self.compared, 1)

    def __str__(self) -> str:
        run = self.runs[0]
        which = "all inputs" if self.exhaustive else "inputs"
        return f"{run.agreed} of {self.compared} {which} agree, least margin {run.least_margin:.3g}"


class Comparison(NamedTuple):
    """A file beside what the program that it embeds compiles to."""

    same_structure: bool
    difference: str  # the first of structure
    changed: int  # weights
    largest: float  # of the changes
    false_claims: int  # keys of its document that are not what they should be
    texts: List[str]  # the first of these


class Verification(NamedTuple):
    """Does a file compute the program that it embeds, or another?  True if that is shown."""

    holds: bool
    way: str  # "claims", "compiling"
    certificate: Optional[Certificate]  # of these weights; None: what they compute is not shown
    claimed: Optional[float]  # the error that the file states
    refused: str  # what of its claims is not shown, and why; ""
    comparison: Optional[Comparison]  # by compiling

    def __bool__(self) -> bool:
        return self.holds
