"""What position adds to a head's scores: the key `bias` of docs/weights.md, as numbers."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List

import numpy as np

UNSEEN = -math.inf


def _alibi(bias: Dict[str, Any], d: int) -> float:
    return -bias["values"][0] * abs(d)


def _window(bias: Dict[str, Any], d: int) -> float:
    return 0.0 if abs(d) < bias["values"][0] else UNSEEN


def _t5(bias: Dict[str, Any], d: int) -> float:
    d = max(d, 0)
    bucket = d if d < 16 else min(16 + int(16 * math.log(d / 16) / math.log(8)), 31)
    return bias["values"][bucket]


def _prior(bias: Dict[str, Any], d: int) -> float:
    values: List[Any] = bias["values"]
    value = values[min(max(d - bias.get("from", 0), 0), len(values) - 1)]
    return UNSEEN if value is None else value


FORMS: Dict[str, Callable[[Dict[str, Any], int], float]] = {
    "alibi": _alibi,
    "window": _window,
    "t5": _t5,
    "prior": _prior,
}


def by_distance(bias: Dict[str, Any], longest: int) -> np.ndarray:
    """[2 longest + 1]: what is added at the distances -longest to longest, the query's index minus
    the key's; -inf where the key is not seen."""
    form = FORMS[bias["form"]]
    return np.array([form(bias, d) for d in range(-longest, longest + 1)], np.float64)
