"""A compiled model as a plain torch module: docs/weights.md, "Forward pass", line by line."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

import numpy as np

from ._lib import UseError, need
from .bias import by_distance
from .values import number_of, whole_of

need("torch", "Model.torch()")

import torch  # noqa: E402
from torch import nn  # noqa: E402


INTS = (torch.int64, torch.int32)


def softmax(scores: Any) -> Any:
    return torch.softmax(scores, -1)


def sparsemax(scores: Any) -> Any:
    """max(s - t, 0), t such that a row adds up to 1 (Martins and Astudillo 2016)."""
    s = torch.sort(scores, -1, descending=True).values
    count = torch.arange(1, s.shape[-1] + 1, dtype=s.dtype, device=s.device)
    seen = s.masked_fill(s.isinf(), 0)
    in_support = ~s.isinf() & (1 + count * seen > seen.cumsum(-1))
    k = in_support.sum(-1, keepdim=True)
    t = ((seen * in_support).sum(-1, keepdim=True) - 1) / k
    return torch.relu(scores - t)


def entmax15(scores: Any) -> Any:
    """max(s/2 - t, 0)**2, t such that a row adds up to 1 (Peters, Niculae and Martins 2019)."""
    half = (scores - scores.amax(-1, keepdim=True)) / 2
    s = torch.sort(half, -1, descending=True).values
    count = torch.arange(1, s.shape[-1] + 1, dtype=s.dtype, device=s.device)
    seen = s.masked_fill(s.isinf(), 0)
    mean, square = seen.cumsum(-1) / count, (seen * seen).cumsum(-1) / count
    rest = (1 - count * (square - mean * mean)) / count
    t = mean - torch.sqrt(rest.clamp(min=1e-30))  # at 0 a root has no gradient
    k = (~s.isinf() & (t <= seen)).sum(-1, keepdim=True)
    return torch.relu(half - t.gather(-1, k - 1)) ** 2


KERNELS = {"softmax": softmax, "sparsemax": sparsemax, "entmax15": entmax15}


class Head(nn.Module):
    """h [batch, n+1, width], sees [batch, n+1, n+1] -> what the head adds, [batch, n+1, width]."""

    def __init__(
        self, weights: Dict[str, Any], facts: Dict[str, Any], kernel: str, bias: Any
    ) -> None:
        super().__init__()
        self.register_buffer("bias", bias)  # by the distances -N to N, or None
        for name, weight in weights.items():  # query, key [W, D], value [W, C], output [C, W]
            setattr(self, name, nn.Parameter(weight))
        self.mask, self.sink, self.log_length = (
            facts["mask"],
            facts["sink"],
            facts["scale"] == "log_length",
        )
        self.kernel = KERNELS[kernel]
        self.scores, self.pattern = nn.Identity(), nn.Identity()  # places for hooks

    def forward(self, h: Any, sees: Any, lengths: Any) -> Any:
        scores = (h @ self.query) @ (h @ self.key).mT
        if self.log_length:
            scores = scores * torch.log(lengths + 1.0).to(h.dtype)[:, None, None]
        if self.bias is not None:
            k = torch.arange(h.shape[1], device=h.device)
            bias = self.bias[k[:, None] - k + len(self.bias) // 2]
            scores = scores + bias.masked_fill(k == 0, 0)  # the sink has none
        scores = self.scores(scores.masked_fill(~sees, float("-inf")))
        return self.pattern(self.kernel(scores)) @ (h @ self.value) @ self.output


class Sublayer(nn.Module):
    """h [batch, n+1, width] -> relu(h in_weight + in_bias) out_weight + out_bias, the same
    shape."""

    def __init__(self, weights: Dict[str, Any]) -> None:
        super().__init__()
        for name, weight in weights.items():
            setattr(self, name, nn.Parameter(weight))
        self.hidden = nn.Identity()

    def forward(self, h: Any) -> Any:
        hidden = self.hidden(torch.relu(h @ self.in_weight + self.in_bias))
        return hidden @ self.out_weight + self.out_bias


class Layer(nn.Module):
    def __init__(self, heads: Dict[str, Head], mlps: Dict[str, Sublayer]) -> None:
        super().__init__()
        self.heads, self.mlps = nn.ModuleDict(heads), nn.ModuleDict(mlps)
        self.mid, self.post = nn.Identity(), nn.Identity()  # after the heads, after the layer

    def forward(self, h: Any, sees: Dict[Any, Any], lengths: Any) -> Any:
        h = self.mid(
            h + sum(head(h, sees[head.mask, head.sink], lengths) for head in self.heads.values())
        )
        for mlp in self.mlps.values():
            h = h + mlp(h)
        return self.post(h)


class Transformer(nn.Module):
    """ids [batch, 1 + n], as Model.encode gives them -> what each output reads, by name:
    [batch, 1 + n, size].  Model.decode gives the values, Model.check compares with the program.

    layers.L.heads.H_SELECTOR with `scores` and `pattern` inside, layers.L.mlps.M_SOPS with
    `hidden`, layers.L.mid and layers.L.post are the places for hooks; row 0 is the sink.
    """

    def __init__(
        self, model: Any, tokens: Any, positions: Any, layers: List[Layer], reads: Dict[str, Any]
    ) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Parameter(tokens), nn.Parameter(positions)
        self.layers = nn.ModuleDict({str(k): layer for k, layer in enumerate(layers)})
        self.embed = nn.Identity()
        self.pad = model.pad
        self.names = list(reads)
        for k, matrix in enumerate(reads.values()):  # [W, size]
            self.register_buffer(f"read_{k}", matrix)

    def sees(self, ids: Any) -> Dict[Any, Any]:
        """[batch, 1 + n, 1 + n] for each mask there is: does query q see key k?"""
        k = torch.arange(ids.shape[1], device=ids.device)
        q, there, first = k[:, None], (ids != self.pad)[:, None, :], k == 0
        masks = {
            "none": (k >= 0) & (q >= 0),
            "causal": k <= q,
            "strict_causal": k < q,
            "anticausal": k >= q,
            "strict_anticausal": k > q,
        }
        sink = first & ((q == 0) | (ids == self.pad)[:, :, None])  # what has no keys sees the sink
        return {
            (mask, s): sink | ((seen | first if s else seen & ~first) & (q > 0) & there)
            for mask, seen in masks.items()
            for s in (False, True)
        }

    def fits(self, ids: Any) -> None:
        """Are these token numbers?  Their values are the caller's: column 0 is the sink."""
        most, is_tensor = len(self.positions), isinstance(ids, torch.Tensor)
        if is_tensor and ids.dim() == 2 and ids.shape[1] <= most and ids.dtype in INTS:
            return
        found = f"{ids.dtype} of shape {list(ids.shape)}" if is_tensor else type(ids).__name__
        raise UseError(
            "expected token numbers, torch.as_tensor(m.encode(inputs)): an int64 tensor "
            f"[batch, 1 + n], n at most {most - 1}; found {found}"
        )

    def forward(self, ids: Any) -> Dict[str, Any]:
        self.fits(ids)
        there = ids != self.pad
        h = self.tokens[ids.where(there, 0)] + self.positions[: ids.shape[1]]
        h, sees, lengths = self.embed(h), self.sees(ids), there.sum(-1) - 1
        for layer in self.layers.values():
            h = layer(h, sees, lengths)
        return {name: h @ getattr(self, f"read_{k}") for k, name in enumerate(self.names)}


# --- from a model -----------------------------------------------------------------------------


def slug(number: int, texts: List[str]) -> str:
    """A name for a module: "0_select_tokens_tokens_eq"; of several texts those that are names."""
    texts = [text for text in texts if text.isidentifier()] or texts[:1]
    words = {"==": " eq ", "!=": " ne ", "<=": " le ", ">=": " ge ", "<": " lt ", ">": " gt "}
    text = " ".join(texts)
    for sign, name in words.items():
        text = text.replace(sign, name)
    text = re.sub(r"\{[^}]*\}", "", text)  # tables of values
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")[:40].strip("_")
    return f"{number}_{name}" if name else str(number)


def module_names(model: Any) -> List[Dict[str, List[str]]]:
    """For each layer the names of its heads' and sublayers' modules."""
    found = []
    for layer in model.info["layers"]:
        heads = [slug(k, [head.get("selector", "")]) for k, head in enumerate(layer["heads"])]
        count = layer["mlps"] if isinstance(layer["mlps"], int) else len(layer["mlps"])
        said = layer.get("sublayers") or [{}] * count
        mlps = [
            slug(k, [sop for table in s.get("tables", []) for sop in table["gives"]])
            for k, s in enumerate(said)
        ]
        found.append({"heads": heads, "mlps": mlps})
    return found


def build(
    model: Any, *, dtype: Any = None, rotate: Optional[int] = None, noise: float = 0, seed: int = 0
) -> Transformer:
    """The module.  `dtype`: a torch.dtype, else the model's own; `rotate`: the seed of a random
    orthogonal change of basis of the residual stream, exact up to rounding; `noise`: the standard
    deviation of normal noise, drawn by `seed`, that is added to every weight.  What is left of
    the program then, Model.check(module) says."""
    if rotate is not None:
        rotate = whole_of("rotate", rotate, 0, 2**63 - 1)
    seed, noise = whole_of("seed", seed, 0, 2**63 - 1), number_of("noise", noise)
    width, rng = model.weights["embed.tokens"].shape[1], np.random.default_rng(seed)
    basis = np.eye(width)
    if rotate is not None:
        basis, r = np.linalg.qr(np.random.default_rng(rotate).standard_normal((width, width)))
        basis = basis * np.sign(np.diag(r))
    kind = dtype or {"f32": torch.float32, "f64": torch.float64}[model.dtype]
    if not isinstance(kind, torch.dtype) or not kind.is_floating_point:
        raise UseError(f"dtype: expected a floating-point torch.dtype, found {dtype!r}")

    def weight(name: str, reads: bool = False, writes: bool = False) -> Any:
        w = model.weights[name].astype(np.float64)
        if noise:
            w = w + noise * rng.standard_normal(w.shape)
        if rotate is not None:
            w = basis.T @ w if reads else w @ basis if writes else w
        return torch.tensor(w, dtype=kind)

    def head(at: str, facts: Dict[str, Any]) -> Head:
        parts = {
            name: weight(f"{at}.{name}", reads=name != "output", writes=name == "output")
            for name in ("query", "key", "value", "output")
        }
        bias = facts.get("bias")
        if bias is not None:
            bias = torch.tensor(by_distance(bias, model.max_length), dtype=kind)
        return Head(parts, facts, model.info.get("kernel", "softmax"), bias)

    def sublayer(at: str) -> Sublayer:
        return Sublayer(
            {
                "in_weight": weight(f"{at}.in", reads=True),
                "in_bias": weight(f"{at}.in_bias"),
                "out_weight": weight(f"{at}.out", writes=True),
                "out_bias": weight(f"{at}.out_bias", writes=True),
            }
        )

    layers = [
        Layer(
            {
                name: head(f"layers.{k}.heads.{h}", model.info["layers"][k]["heads"][h])
                for h, name in enumerate(names["heads"])
            },
            {name: sublayer(f"layers.{k}.mlps.{m}") for m, name in enumerate(names["mlps"])},
        )
        for k, names in enumerate(module_names(model))
    ]
    reads = {
        o.name: torch.tensor(basis.T[:, o.start : o.start + o.size].copy(), dtype=kind)
        for o in model.outputs + model.flags
    }
    return Transformer(
        model,
        weight("embed.tokens", writes=True),
        weight("embed.positions", writes=True),
        layers,
        reads,
    )
