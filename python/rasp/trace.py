"""Everything that a forward pass computes, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Optional, Tuple

import numpy as np

from ._lib import Host, UseError, ffi, lib
from .values import Atom, from_sequence


def _array(pointer: Any, *shape: int) -> np.ndarray:
    size = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(ffi.buffer(pointer, size * 8), np.float64).reshape(shape).copy()


def record(host: Host, engine: Any, input: Any, outputs: int) -> Tuple[Dict[str, np.ndarray], list]:
    """The arrays of a pass by name, and the values of each output (None: it has no answer)."""
    arrays: Dict[str, np.ndarray] = {}

    def head(
        layer: int, h: int, n: int, scores: Any, weights: Any, width: int, result: Any
    ) -> None:
        name = f"layers.{layer}.heads.{h}"
        arrays[f"{name}.scores"] = _array(scores, n + 1, n + 1)
        arrays[f"{name}.weights"] = _array(weights, n + 1, n + 1)
        arrays[f"{name}.result"] = _array(result, n + 1, width)

    def sublayer(layer: int, m: int, n: int, units: int, hidden: Any) -> None:
        arrays[f"layers.{layer}.mlps.{m}.hidden"] = _array(hidden, n + 1, units)

    def residual(layer: int, m: int, n: int, width: int, stream: Any) -> None:
        names = {-2: "embed", -1: f"layers.{layer}.heads"}
        name = names.get(m, f"layers.{layer}.mlps.{m}")
        arrays[f"{name}.residual"] = _array(stream, n + 1, width)

    hear = [
        host.listener(
            "void(void *, size_t, size_t, size_t, const double *, const double *, size_t, "
            "const double *)",
            head,
        ),
        host.listener("void(void *, size_t, size_t, size_t, size_t, const double *)", sublayer),
        host.listener("void(void *, size_t, int, size_t, size_t, const double *)", residual),
    ]
    tap = ffi.new("RaspTap *", {"head": hear[0], "sublayer": hear[1], "residual": hear[2]})
    with host.busy():
        forward = host.call_busy(lib.rasp_trace, engine, input, tap)
        try:
            sequences = [lib.rasp_forward_sequence(forward, k) for k in range(outputs)]
            return arrays, [None if s == ffi.NULL else from_sequence(s) for s in sequences]
        finally:
            lib.rasp_forward_free(forward)


class Trace(Mapping):
    """A forward pass on one input of n tokens, in float64: t[name] is an array.

        embed.residual                   [n+1, width]   after the embedding
        layers.L.heads.H.scores          [n+1, n+1]     row i: how query i scores the keys,
        layers.L.heads.H.weights         [n+1, n+1]     and weighs them; -inf: not seen
        layers.L.heads.H.result          [n+1, width]   what the head adds
        layers.L.heads.residual          [n+1, width]   after the layer's heads
        layers.L.mlps.M.hidden           [n+1, units]   after the ReLU
        layers.L.mlps.M.residual         [n+1, width]   after the sublayer

    Row and column 0 are the sink.  `sop` gives an s-op's values as the residual stream holds
    them, `outputs` what the model says.
    """

    def __init__(
        self,
        model: Any,
        tokens: List[Atom],
        arrays: Dict[str, np.ndarray],
        outputs: Dict[str, Optional[List[Atom]]],
    ) -> None:
        self.model, self.tokens, self._arrays, self.outputs = model, tokens, arrays, outputs

    def __getitem__(self, name: str) -> np.ndarray:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def residual(self, step: int) -> np.ndarray:
        """[n+1, width]: the stream after a step of the circuit (0: after the embedding)."""
        place = self.model.circuit.steps[step]
        if place["after"] == "embedding":
            return self["embed.residual"]
        kind = f"mlps.{place['sublayer']}" if "sublayer" in place else "heads"
        return self[f"layers.{place['layer']}.{kind}.residual"]

    def sop(self, name: str) -> np.ndarray:
        """[n]: the numbers that stand for an s-op, by its name or its text in source form, at the
        step that writes it.  True is 1; strings have codes (docs/circuit.md)."""
        circuit = self.model.circuit
        for sop in circuit.sops:
            if name in (sop.get("name"), sop["text"]):
                for k in sop.get("columns", []):
                    column = circuit.columns[k]
                    if "dim" in column:
                        return self.residual(column["written"])[1:, column["dim"]]
        held = sorted({circuit.sop_text(c["sop"]) for c in circuit.columns if "dim" in c})
        raise UseError(
            f"no column of the residual stream carries '{name}'; there are {', '.join(held)}"
        )

    def __repr__(self) -> str:
        return f"<rasp.Trace of {self.tokens}: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        from .notebook import trace_html

        return trace_html(self)
