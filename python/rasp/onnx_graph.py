"""A compiled model as one ONNX graph, from token numbers to decoded outputs.

Inputs and outputs, `batch` and `length` being any:

    ids       int64 [batch, length]   as Model.encode gives them: 0, the sink, in front
    NAME      [batch, length - 1]     the values of the output: int64, double, bool or string; of
                                      ints among floats double, of other mixtures strings
    NAME.read [batch, length, size]   what it reads of the residual stream

An output that is called `ids` is `ids.value`.  Weights have the names of docs/weights.md, and
what is computed is called as Model.trace calls it: "layers.0.heads.1.weights".
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Union

import numpy as np

from ._lib import need, lib, text_of
from .bias import by_distance
from .values import Atom

OPSET = 17


class Graph:
    """Nodes and constants in the making; each node is named by what it gives."""

    def __init__(self, real: np.dtype) -> None:
        self.onnx = need("onnx", "Model.onnx()")
        self.real = real
        self.nodes: List[Any] = []
        self.constants: Dict[str, Any] = {}

    def constant(self, name: str, value: Any, kind: Any = None) -> str:
        array = np.asarray(value, kind if kind is not None else self.real)
        self.constants[name] = self.onnx.numpy_helper.from_array(array, name)
        return name

    def add(self, kind: str, inputs: List[str], name: str, **attributes: Any) -> str:
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name


def _masks(g: Graph, pad: int) -> None:
    """`there` [batch, 1, length]; for each mask `sees.MASK.sink` and `sees.MASK`, [batch, length,
    length]: who sees whom, as in docs/weights.md; rows behind the end see the sink."""
    g.constant("the.pad", pad, np.int64)
    g.constant("the.zero", 0, np.int64)
    g.constant("the.one", 1, np.int64)
    g.constant("axis.1", [1], np.int64)
    g.constant("axis.2", [2], np.int64)
    g.add("Shape", ["ids"], "the.shape", start=1, end=2)
    g.add("Squeeze", ["the.shape"], "the.length")
    g.add("Range", ["the.zero", "the.length", "the.one"], "the.k")  # [length]
    g.add("Unsqueeze", ["the.k", "axis.1"], "the.q")  # [length, 1]
    g.add("Equal", ["ids", "the.pad"], "the.behind")  # [batch, length]
    g.add("Not", ["the.behind"], "the.here")
    g.add("Unsqueeze", ["the.here", "axis.1"], "the.there")
    g.add("Unsqueeze", ["the.behind", "axis.2"], "behind.row")
    g.add("Equal", ["the.k", "the.zero"], "the.first")  # [length]
    g.add("Not", ["the.first"], "the.later")
    g.add("Equal", ["the.q", "the.zero"], "sink.row")  # [length, 1]
    g.add("Not", ["sink.row"], "other.row")
    g.add("Or", ["sink.row", "behind.row"], "the.alone")  # [batch, length, 1]
    g.add("And", ["the.alone", "the.first"], "sink.cell")
    g.add("And", ["the.there", "other.row"], "the.seen")  # [batch, length, length]
    for name, kind in (
        ("causal", "LessOrEqual"),
        ("strict_causal", "Less"),
        ("anticausal", "GreaterOrEqual"),
        ("strict_anticausal", "Greater"),
    ):
        g.add(kind, ["the.k", "the.q"], f"order.{name}")
    g.add("GreaterOrEqual", ["the.k", "the.zero"], "order.none")


def _sees(g: Graph, mask: str, sink: bool) -> str:
    name = f"sees.{mask}{'.sink' if sink else ''}"
    if name not in {node.name for node in g.nodes}:
        keys = g.add("And", [f"order.{mask}", "the.later"], f"{name}.keys")
        if sink:
            keys = g.add("Or", [keys, "the.first"], f"{name}.all")
        g.add("And", [keys, "the.seen"], f"{name}.rows")
        g.add("Or", [f"{name}.rows", "sink.cell"], name)
    return name


def _sparsemax(g: Graph, scores: str, at: str) -> str:
    """max(s - t, 0): docs/weights.md.  t from the sorted row, where 1 + k s_k > the sum so far."""
    s, total, seen = _sorted(g, scores, at)
    g.add("Mul", ["the.counts", s], f"{at}.times")
    g.add("Add", ["the.unit", f"{at}.times"], f"{at}.more")
    g.add("Greater", [f"{at}.more", total], f"{at}.above")
    g.add("And", [f"{at}.above", seen], f"{at}.support")
    g.add("Cast", [f"{at}.support"], f"{at}.in", to=_kind(g))
    g.add("ReduceSum", [f"{at}.in", "axis.last"], f"{at}.size", keepdims=1)
    g.add("Mul", [f"{at}.in", s], f"{at}.kept")
    g.add("ReduceSum", [f"{at}.kept", "axis.last"], f"{at}.sum", keepdims=1)
    g.add("Sub", [f"{at}.sum", "the.unit"], f"{at}.less")
    g.add("Div", [f"{at}.less", f"{at}.size"], f"{at}.t")
    g.add("Sub", [scores, f"{at}.t"], f"{at}.over")
    return g.add("Relu", [f"{at}.over"], f"{at}.weights")


def _entmax15(g: Graph, scores: str, at: str) -> str:
    """max(s/2 - t, 0)²: docs/weights.md.  t of the greatest support that stands above it."""
    g.add("ReduceMax", [scores], f"{at}.most", axes=[-1], keepdims=1)
    g.add("Sub", [scores, f"{at}.most"], f"{at}.below")
    half = g.add("Mul", [f"{at}.below", "the.half"], f"{at}.half")
    s, total, seen = _sorted(g, half, at)
    g.add("Mul", [s, s], f"{at}.squares")
    g.add("CumSum", [f"{at}.squares", "axis.last.scalar"], f"{at}.square.sum")
    g.add("Div", [total, "the.counts"], f"{at}.mean")
    g.add("Div", [f"{at}.square.sum", "the.counts"], f"{at}.square")
    g.add("Mul", [f"{at}.mean", f"{at}.mean"], f"{at}.mean.square")
    g.add("Sub", [f"{at}.square", f"{at}.mean.square"], f"{at}.variance")
    g.add("Mul", ["the.counts", f"{at}.variance"], f"{at}.spread")
    g.add("Sub", ["the.unit", f"{at}.spread"], f"{at}.left")
    g.add("Div", [f"{at}.left", "the.counts"], f"{at}.share")
    g.add("Relu", [f"{at}.share"], f"{at}.share.some")
    g.add("Sqrt", [f"{at}.share.some"], f"{at}.root")
    g.add("Sub", [f"{at}.mean", f"{at}.root"], f"{at}.ts")
    g.add("LessOrEqual", [f"{at}.ts", s], f"{at}.fits")
    g.add("And", [f"{at}.fits", seen], f"{at}.support")
    g.add("Cast", [f"{at}.support"], f"{at}.in", to=g.onnx.TensorProto.INT64)
    g.add("ReduceSum", [f"{at}.in", "axis.last"], f"{at}.size", keepdims=1)
    g.add("Sub", [f"{at}.size", "the.one"], f"{at}.last")
    g.add("GatherElements", [f"{at}.ts", f"{at}.last"], f"{at}.t", axis=-1)
    g.add("Sub", [half, f"{at}.t"], f"{at}.over")
    g.add("Relu", [f"{at}.over"], f"{at}.over.some")
    return g.add("Mul", [f"{at}.over.some", f"{at}.over.some"], f"{at}.weights")


def _sorted(g: Graph, scores: str, at: str) -> Any:
    """A row from the greatest down, 0 where no key is seen; its sums so far; where one is seen."""
    node = g.onnx.helper.make_node(
        "TopK", [scores, "the.shape"], [f"{at}.sorted", f"{at}.order"], name=f"{at}.sorted", axis=-1
    )
    g.nodes.append(node)
    g.add("IsInf", [f"{at}.sorted"], f"{at}.unseen")
    seen = g.add("Not", [f"{at}.unseen"], f"{at}.finite")
    s = g.add("Where", [seen, f"{at}.sorted", "the.nothing"], f"{at}.s")
    return s, g.add("CumSum", [s, "axis.last.scalar"], f"{at}.total"), seen


def _softmax(g: Graph, scores: str, at: str) -> str:
    return g.add("Softmax", [scores], f"{at}.weights", axis=-1)


KERNELS = {"softmax": _softmax, "sparsemax": _sparsemax, "entmax15": _entmax15}


def _kind(g: Graph) -> int:
    return g.onnx.helper.np_dtype_to_tensor_dtype(g.real)


def _head(g: Graph, model: Any, h: str, at: str, facts: Dict[str, Any]) -> str:
    """[batch, length, width]: what the head adds."""
    for name in ("query", "key", "value", "output"):
        g.constant(f"{at}.{name}", model.weights[f"{at}.{name}"])
    for name in ("query", "key", "value"):
        g.add("MatMul", [h, f"{at}.{name}"], f"{at}.{name[0]}")
    g.add("Transpose", [f"{at}.k"], f"{at}.k.transposed", perm=[0, 2, 1])
    scores = g.add("MatMul", [f"{at}.q", f"{at}.k.transposed"], f"{at}.products")
    if facts["scale"] == "log_length":
        scores = g.add("Mul", [scores, "log.length"], f"{at}.scaled")
    if "bias" in facts:
        scores = g.add("Add", [scores, _bias(g, facts["bias"], model.max_length, at)], f"{at}.sum")
    sees = _sees(g, facts["mask"], facts["sink"])
    scores = g.add("Where", [sees, scores, "the.unseen"], f"{at}.scores")
    weights = KERNELS[model.info.get("kernel", "softmax")](g, scores, at)
    g.add("MatMul", [weights, f"{at}.v"], f"{at}.z")
    return g.add("MatMul", [f"{at}.z", f"{at}.output"], f"{at}.result")


def _bias(g: Graph, bias: Dict[str, Any], longest: int, at: str) -> str:
    """[length, length]: what position adds to scores, of the sink's column nothing."""
    g.constant(f"{at}.bias.by.distance", by_distance(bias, longest))
    g.constant("the.longest", longest, np.int64)
    g.add("Sub", ["the.q", "the.k"], f"{at}.distance")
    g.add("Add", [f"{at}.distance", "the.longest"], f"{at}.distance.index")
    g.add("Gather", [f"{at}.bias.by.distance", f"{at}.distance.index"], f"{at}.bias.all")
    return g.add("Where", ["the.first", "the.nothing", f"{at}.bias.all"], f"{at}.bias")


def _sublayer(g: Graph, model: Any, h: str, at: str) -> str:
    for name in ("in", "in_bias", "out", "out_bias"):
        g.constant(f"{at}.{name}", model.weights[f"{at}.{name}"])
    g.add("MatMul", [h, f"{at}.in"], f"{at}.product")
    g.add("Add", [f"{at}.product", f"{at}.in_bias"], f"{at}.pre")
    g.add("Relu", [f"{at}.pre"], f"{at}.hidden")
    g.add("MatMul", [f"{at}.hidden", f"{at}.out"], f"{at}.added")
    return g.add("Add", [f"{at}.added", f"{at}.out_bias"], f"{at}.result")


def _numbers(g: Graph, model: Any) -> None:
    """What several parts of the graph use."""
    g.constant("the.unseen", -np.inf)
    g.constant("the.nothing", 0)
    g.constant("the.unit", 1)
    g.constant("the.half", 0.5)
    g.constant("axis.last", [-1], np.int64)
    g.constant("axis.last.scalar", -1, np.int64)
    g.add("Add", ["the.k", "the.one"], "k.from.1")
    g.add("Cast", ["k.from.1"], "the.counts", to=_kind(g))
    g.add("Cast", ["the.here"], "here.number", to=_kind(g))
    # ln(n + 1): the sink is the one more.
    g.add("ReduceSum", ["here.number", "axis.last"], "the.row.count", keepdims=1)
    g.add("Log", ["the.row.count"], "the.log.row.count")
    g.add("Unsqueeze", ["the.log.row.count", "axis.2"], "log.length")


def _embed(g: Graph, model: Any) -> str:
    w = model.weights
    g.constant("embed.tokens", np.vstack([w["embed.tokens"], 0 * w["embed.tokens"][:1]]))
    g.constant("embed.positions", w["embed.positions"])
    g.add("Gather", ["embed.tokens", "ids"], "embed.token.rows")
    g.add("Gather", ["embed.positions", "the.k"], "embed.position.rows")
    return g.add("Add", ["embed.token.rows", "embed.position.rows"], "embed.residual")


def _table(values: List[Atom]) -> np.ndarray:
    """Decoded values as one type of ONNX's."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, np.bool_)
    if kinds == {int}:
        return np.array(values, np.int64)
    if kinds <= {int, float, bool}:
        return np.array(values, np.float64)
    return np.array([value if isinstance(value, str) else repr(value) for value in values], object)


def output_name(output: Any) -> str:
    """Of the value that holds an output."""
    return output.name if output.name != "ids" else "ids.value"


def _whole(g: Graph, name: str, ends: List[Atom], rows: str) -> Any:
    """Output.whole of what was read."""
    double, int64 = g.onnx.TensorProto.DOUBLE, g.onnx.TensorProto.INT64
    for key, end in zip(("least", "greatest"), ends):
        g.constant(f"{name}.{key}", end, np.float64)
    g.add("Cast", [rows], f"{name}.numbers", to=double)
    x = g.add("Squeeze", [f"{name}.numbers", "axis.2"], f"{name}.number")
    below, above = g.add("Floor", [x], f"{name}.below"), g.add("Ceil", [x], f"{name}.above")
    g.add("Sub", [x, below], f"{name}.up")
    g.add("Sub", [above, x], f"{name}.down")
    g.add("Greater", [f"{name}.up", f"{name}.down"], f"{name}.upwards")
    g.add("Where", [f"{name}.upwards", above, below], f"{name}.nearest")
    g.add("Max", [f"{name}.nearest", f"{name}.least"], f"{name}.enough")
    g.add("Min", [f"{name}.enough", f"{name}.greatest"], f"{name}.whole")
    g.add("Cast", [f"{name}.whole"], name, to=int64)
    return int64


def _output(g: Graph, model: Any, h: str, output: Any) -> List[Any]:
    name, helper = output_name(output), g.onnx.helper
    g.constant(f"{name}.dimensions", np.arange(output.start, output.start + output.size), np.int64)
    g.add("Gather", [h, f"{name}.dimensions"], f"{name}.read", axis=2)
    for key, value in (("from", [1]), ("to", [2**31])):
        g.constant(f"{name}.{key}", value, np.int64)
    rows = g.add("Slice", [f"{name}.read", f"{name}.from", f"{name}.to", "axis.1"], f"{name}.rows")
    if output.decode == "number":
        g.add("Squeeze", [rows, "axis.2"], name)
        kind = _kind(g)
    elif output.decode == "whole":
        kind = _whole(g, name, output.values, rows)
    else:
        if output.decode == "nearest":
            g.constant(f"{name}.places", output.places, np.float64)
            g.add("Cast", [rows], f"{name}.number", to=g.onnx.TensorProto.DOUBLE)
            g.add("Sub", [f"{name}.number", f"{name}.places"], f"{name}.difference")
            g.add("Abs", [f"{name}.difference"], f"{name}.distance")
            rows = g.add("Neg", [f"{name}.distance"], f"{name}.nearness")
        g.add("ArgMax", [rows], f"{name}.value", axis=2, keepdims=0)
        table = _table(output.values)
        g.constant(f"{name}.values", table, table.dtype)
        g.add("Gather", [f"{name}.values", f"{name}.value"], name)
        kind = g.constants[f"{name}.values"].data_type
    read = helper.make_tensor_value_info(f"{name}.read", _kind(g), ["batch", "length", output.size])
    return [helper.make_tensor_value_info(name, kind, ["batch", f"{name}.positions"]), read]


def build(model: Any, path: Union[str, "os.PathLike[str]", None] = None) -> Any:
    """The onnx.ModelProto, checked by onnx's checker, and written to `path`, if there is one.
    Flags (docs/weights.md) are outputs, too."""
    g = Graph(np.dtype(np.float32 if model.dtype == "f32" else np.float64))
    onnx, helper = g.onnx, g.onnx.helper
    _masks(g, model.pad)
    _numbers(g, model)
    h = _embed(g, model)
    for k, layer in enumerate(model.info["layers"]):
        results = [
            _head(g, model, h, f"layers.{k}.heads.{i}", facts)
            for i, facts in enumerate(layer["heads"])
        ]
        if results:
            h = g.add("Sum", [h, *results], f"layers.{k}.heads.residual")
        for m in range(layer["mlps"]):
            at = f"layers.{k}.mlps.{m}"
            h = g.add("Add", [h, _sublayer(g, model, h, at)], f"{at}.residual")
    outputs = [info for o in model.outputs + model.flags for info in _output(g, model, h, o)]
    ids = helper.make_tensor_value_info("ids", onnx.TensorProto.INT64, ["batch", "length"])
    graph = helper.make_graph(
        _used(g, outputs),
        os.path.splitext(model.name)[0] or "rasp",
        [ids],
        outputs,
        list(g.constants.values()),
    )
    made = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="rasp",
        producer_version=text_of(lib.rasp_version()),
    )
    made.ir_version = 8  # of opset 17: older runtimes read it, too
    onnx.checker.check_model(made, full_check=True)
    if path is not None:
        onnx.save(made, os.fspath(path))
    return made


def _used(g: Graph, outputs: List[Any]) -> List[Any]:
    """The nodes that outputs need, in order; forgets constants that none of them reads."""
    wanted, kept = {info.name for info in outputs}, []
    for node in reversed(g.nodes):
        if wanted & set(node.output):
            wanted |= set(node.input)
            kept.append(node)
    g.constants = {name: c for name, c in g.constants.items() if name in wanted}
    return kept[::-1]
