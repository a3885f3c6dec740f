"""How scores become weights: rules by their words, as `rasp run --rule` spells them."""

from __future__ import annotations

from typing import Any, Dict, Tuple

from ._lib import UseError, ffi, lib, text_of
from .values import number_of


def _all() -> Dict[str, int]:
    found: Dict[str, int] = {}
    while lib.rasp_rule_name(len(found)) != ffi.NULL:
        found[text_of(lib.rasp_rule_name(len(found))) or ""] = len(found)
    return found


RULES = _all()
# Those that a model can be compiled for.
KERNELS = {name: rule for name, rule in RULES.items() if lib.rasp_rule_is_kernel(rule)}


def _shown(name: str) -> str:
    takes = lib.rasp_rule_parameter(RULES[name])
    return name if takes.name == ffi.NULL else f"{name}:{takes.example:g}"


def rule_of(text: str) -> Tuple[int, float]:
    """A rule and its parameter: of "softmax", "entmax:1.3", "top-k:4"."""
    name, colon, number = str(text).partition(":")
    if name not in RULES:
        raise UseError(f"rule: expected one of {', '.join(map(_shown, RULES))}, found {text!r}")
    takes = lib.rasp_rule_parameter(RULES[name])
    if takes.name == ffi.NULL:
        if colon:
            raise UseError(f"rule: expected '{name}' alone, it takes no number; found {text!r}")
        return RULES[name], 0.0
    try:
        parameter = float(number)
    except ValueError:
        parameter = float("nan")
    if not lib.rasp_rule_accepts(RULES[name], parameter):
        kind = "a whole number of at least" if takes.whole else "a number above"
        raise UseError(
            f"rule: expected {kind} {takes.least:g} behind '{name}:', as in {_shown(name)}; "
            f"found {text!r}"
        )
    return RULES[name], parameter


def heat_of(rule: str, temperature: Any) -> float:
    """The temperature of a run by the rule: 1 where a rule has none."""
    heat = number_of("temperature", temperature)
    if heat != 1 and not lib.rasp_rule_has_temperature(rule_of(rule)[0]):
        raise UseError(f"temperature: expected none, the rule '{rule}' has none; found {heat:g}")
    return heat
