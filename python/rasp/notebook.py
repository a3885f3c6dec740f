"""Pictures: SVG in a notebook, text elsewhere."""

from __future__ import annotations

import html
import os
import tempfile
from typing import Any, Optional, Union

import numpy as np

from .command import listed, run, source_of
from .values import Input, tokens_of


class Picture:
    """An SVG picture, and the same in words: a notebook shows the one, print() the other."""

    def __init__(self, svg: str, text: str) -> None:
        self.svg, self.text = svg, text

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def show_program(program: Any, input: Input, sop: Optional[str]) -> Picture:
    """`rasp draw` and `rasp run --show` of a program on an input."""
    name, text = source_of(program)
    chosen = []
    if sop is not None:
        chosen = [f"--sop={sop}" if sop.isidentifier() else f"--expr={sop}"]
    tokens = tokens_of(input)
    given = (
        ["--string", "--", name, input]
        if isinstance(input, str)
        else ["--list", "--", name, listed(tokens)]
    )
    return Picture(
        run(["draw", *chosen, *given], text), run(["run", "--show", *chosen, *given], text)
    )


def show_model(model: Any) -> Picture:
    """`rasp draw --model` and `rasp info` of a model."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.splitext(model.name)[0] + ".bin")
        model.save(path)
        return Picture(run(["draw", "--model", "--", path]), run(["info", "--", path]))


CELL = 14  # pixels of a weight


def _grid(weights: np.ndarray, tokens: list, title: str) -> str:
    """A head's weights, queries down the side, keys along the top; row and column 0: the sink."""
    n, left, top = len(weights), 3 * CELL, 2 * CELL
    names = ["·", *(html.escape(str(token)) for token in tokens)]
    cells = [
        f'<rect x="{left + k * CELL}" y="{top + q * CELL}" width="{CELL}" height="{CELL}" '
        f'fill="#1f5fa8" fill-opacity="{weights[q, k]:.3f}"><title>{names[q]} reads {names[k]}: '
        f"{weights[q, k]:.4g}</title></rect>"
        for q in range(n)
        for k in range(n)
    ]
    labels = [
        f'<text x="{left + (k + 0.5) * CELL}" y="{top - 3}" text-anchor="middle">{name}</text>'
        f'<text x="{left - 4}" y="{top + (k + 0.8) * CELL}" text-anchor="end">{name}</text>'
        for k, name in enumerate(names)
    ]
    side, down = max(left + n * CELL + 4, 8 * len(title)), top + n * CELL + 4
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{down}" '
        f'style="margin:6px" font-family="sans-serif" font-size="10">'
        f'<text x="0" y="10">{html.escape(title)}</text>{"".join(labels)}{"".join(cells)}'
        f'<rect x="{left}" y="{top}" width="{n * CELL}" height="{n * CELL}" fill="none" '
        'stroke="#888"/></svg>'
    )


def trace_html(trace: Any) -> str:
    """The attention weights of all heads, and what the model says."""
    layers = trace.model.info["layers"]
    grids = [
        _grid(
            trace[f"layers.{k}.heads.{h}.weights"],
            trace.tokens,
            f"{k}.{h} {head.get('selector', '')}",
        )
        for k, layer in enumerate(layers)
        for h, head in enumerate(layer["heads"])
    ]
    said = "".join(
        f"<div><b>{html.escape(name)}</b> {html.escape(str(values))}</div>"
        for name, values in trace.outputs.items()
    )
    return f"<div>{''.join(grids)}{said}</div>"
