"""Compiled models: runs of the transformer, its certificate, and what is known of it."""

from __future__ import annotations

import json
import os
import threading
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._lib import Host, MissingFile, RaspError, UseError, ffi, lib, text_of
from .circuit import Circuit
from .program import Program, set_inputs
from .progress import Progress, listening
from .reports import (
    Certificate,
    Check,
    CheckRun,
    Disagreement,
    Output,
    Verification,
    certificate_of,
)
from .rules import heat_of, rule_of
from .trace import Trace, record
from .values import (
    Atom,
    Input,
    from_atoms,
    from_sequence,
    inputs_of,
    to_input,
    tokens_of,
    whole_of,
)


def load(path: Union[str, "os.PathLike[str]"], *, memory: Optional[int] = None) -> "Model":
    """The model of a weights file (docs/weights.md)."""
    if not os.path.exists(path):
        raise MissingFile(f"no weights file '{os.fspath(path)}'")
    host = Host(memory)
    data = ffi.new("char[]", os.fsencode(path))
    handle = host.call(lib.rasp_model_load, data, host.config)
    return Model(host, host.own(handle, lib.rasp_model_free))


def _of_bytes(data: bytes, name: str) -> "Model":
    """The model of a weights file's bytes; of an unpickled one."""
    host, said = Host(), ffi.new("char[]", name.encode())
    handle = host.call(lib.rasp_model_from_bytes, data, len(data), said, host.config)
    return Model(host, host.own(handle, lib.rasp_model_free))


class Model:
    """A transformer: made by Program.compile, or from a file by rasp.load."""

    def __init__(
        self,
        host: Host,
        handle: Any,
        program: Optional[Program] = None,
        sops: Sequence[str] = (),
        all: bool = False,
    ) -> None:
        self._host, self._handle, self._program = host, handle, program
        self._sops, self._all = tuple(sops), all
        self._engines: List[Any] = []
        self._engines_lock = threading.Lock()
        self._cache: Dict[str, Any] = {}
        info = lib.rasp_model_info(handle)
        self.alphabet: List[Atom] = from_atoms(info.alphabet, info.alphabet_size)
        self.max_length: int = info.max_length
        self.dtype: str = "f32" if info.dtype == lib.RASP_F32 else "f64"
        self.name: str = text_of(info.program) or "model"
        self._ids = {(type(token), token): k for k, token in enumerate(self.alphabet)}
        self._read_outputs(info)

    def _read_outputs(self, info: Any) -> None:
        described = {entry["name"]: entry for entry in self.info["outputs"]}
        every: List[Output] = []
        count = info.output_count
        last = max([info.outputs[k].flag for k in range(count)] + [count - 1])
        for k in range(last + 1):
            o = info.outputs[k]
            name = text_of(o.name) or ""
            values = from_atoms(o.values, o.value_count)
            places = described[name].get("places")
            if text_of(o.decode) == "nearest":
                places = np.array(values if places is None else places, np.float64)
            flag = text_of(info.outputs[o.flag].name) if k < count and o.flag >= 0 else None
            every.append(Output(name, text_of(o.decode) or "", o.start, values, places, flag))
        self.outputs: List[Output] = every[:count]
        self.flags: List[Output] = every[count:]

    def __repr__(self) -> str:
        i = lib.rasp_model_info(self._handle)
        return (
            f"<rasp.Model {self.name}: {', '.join(o.name for o in self.outputs)}; "
            f"{i.layer_count} layers, {i.heads} heads, width {i.width}, {self.dtype}>"
        )

    def __reduce__(self) -> Any:
        return _of_bytes, (self.tobytes(), self.name)

    def _number(self, output: Optional[str]) -> int:
        if output is None:
            return len(self.outputs) - 1
        for k, found in enumerate(self.outputs):
            if found.name == output:
                return k
        raise UseError(f"no output '{output}': there are {', '.join(o.name for o in self.outputs)}")

    def output(self, name: Optional[str] = None) -> Output:
        """The output (or flag) of that name; None: the default, which is the last."""
        for flag in self.flags:
            if flag.name == name:
                return flag
        return self.outputs[self._number(name)]

    # --- runs ---

    def _take_engine(self, rule: str = "softmax", temperature: float = 1) -> "_Engine":
        # An engine serves one thread at a time, so each call takes one and brings it back.
        kind = (*rule_of(rule), heat_of(rule, temperature))
        with self._engines_lock:
            for k, engine in enumerate(self._engines):
                if engine.kind == kind:
                    return self._engines.pop(k)
        return _Engine(self, *kind)

    def _give_engine(self, engine: "_Engine") -> None:
        with self._engines_lock:
            self._engines.append(engine)

    def __call__(
        self,
        input: Input,
        output: Optional[str] = None,
        *,
        rule: str = "softmax",
        temperature: float = 1,
    ) -> Optional[List[Atom]]:
        """The values of an output on the input, one a position; None: the model says that it has
        no answer there, while another output has one.  `rule`: how scores become weights, as
        `rasp run --rule` spells it, "average", "entmax:1.3", "top-k:4", ..."""
        tokens, number = self._tokens(input), self._number(output)
        engine = self._take_engine(rule, temperature)
        try:
            wanted, keep = to_input(tokens)
            forward = engine.host.call(
                lib.rasp_forward, engine.handle, wanted, quick=wanted.count < 256
            )
            try:
                sequence = lib.rasp_forward_sequence(forward, number)
                return None if sequence == ffi.NULL else from_sequence(sequence)
            finally:
                lib.rasp_forward_free(forward)
        finally:
            self._give_engine(engine)

    def batch(self, inputs: Sequence[Input], output: Optional[str] = None) -> List[Any]:
        """The same for many inputs, in one call of the library that holds no lock of Python's."""
        number = self._number(output)
        ids, lengths = self._token_numbers(inputs_of(inputs))
        values, numbers, _ = self.run(ids, lengths)
        o = self.outputs[number]
        table = np.empty(len(o.values), object)
        table[:] = o.values
        by_number = values[number] == lib.RASP_BY_NUMBER
        decoded = np.empty(len(ids), object)
        read = numbers[number][by_number]
        decoded[by_number] = o.whole(read) if o.decode == "whole" else read
        chosen = values[number] >= 0
        decoded[chosen] = table[values[number][chosen]]
        missing = values[number] == lib.RASP_NO_ANSWER
        ends = np.cumsum(lengths)
        return [
            None if missing[end - n] else decoded[end - n : end].tolist()
            for n, end in zip(lengths.tolist(), ends.tolist())
        ]

    def run(
        self, ids: np.ndarray, lengths: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The C runtime on many inputs as plain arrays: `ids` [tokens], numbers of the alphabet,
        inputs one behind the other, `lengths` [inputs].  Gives [outputs, tokens] each: which of
        Output.values (-1: the number, or Output.whole of it; -2: no answer), the residual value
        read, its margin."""
        ids = np.ascontiguousarray(ids, np.uint32)
        lengths = np.ascontiguousarray(lengths, np.uint64)
        if int(lengths.sum()) != len(ids):
            raise UseError(f"expected {int(lengths.sum())} tokens by the lengths, found {len(ids)}")
        shape = (len(self.outputs), len(ids))
        values, numbers, margins = np.empty(shape, np.int32), np.empty(shape), np.empty(shape)
        batch = ffi.new(
            "RaspBatch *",
            {
                "ids": _pointer("uint32_t *", ids),
                "lengths": _pointer("size_t *", lengths),
                "count": len(lengths),
            },
        )
        readings = ffi.new(
            "RaspBatchReadings *",
            {
                "values": _pointer("int32_t *", values),
                "numbers": _pointer("double *", numbers),
                "margins": _pointer("double *", margins),
            },
        )
        engine = self._take_engine()
        try:
            engine.host.call(lib.rasp_forward_batch, engine.handle, batch, readings)
        finally:
            self._give_engine(engine)
        return values, numbers, margins

    def _token_numbers(self, inputs: Sequence[Input]) -> Tuple[np.ndarray, np.ndarray]:
        """The tokens of all inputs by number, one input behind the other, and their lengths."""
        fast = self._character_numbers(inputs)
        if fast is not None:
            return fast
        rows = [self._tokens(input, f"input {k}: ") for k, input in enumerate(inputs)]
        found = [self._ids[type(token), token] for row in rows for token in row]
        return np.array(found, np.uint32), np.array([len(row) for row in rows], np.uint64)

    def _tokens(self, input: Input, which: str = "") -> List[Atom]:
        """The input's tokens, which the model has to take."""
        tokens = tokens_of(input)
        if not 1 <= len(tokens) <= self.max_length:
            raise UseError(
                f"{which}expected from 1 to {self.max_length} tokens, found {len(tokens)}"
            )
        for token in tokens:
            if (type(token), token) not in self._ids:
                some = ", ".join(map(repr, self.alphabet[:30]))
                more = ", ..." if len(self.alphabet) > 30 else ""
                raise UseError(
                    f"{which}token {token!r} is not in the model's alphabet: {some}{more}"
                )
        return tokens

    def _character_numbers(
        self, inputs: Sequence[Input]
    ) -> Optional[Tuple[np.ndarray, np.ndarray]]:
        """The same at once, if all inputs are strings of the alphabet's characters, and of lengths
        that there are; else None."""
        if not all(type(input) is str and 1 <= len(input) <= self.max_length for input in inputs):
            return None
        text = "".join(str(input) for input in inputs)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        letters = [t if isinstance(t, str) and len(t) == 1 else "" for t in self.alphabet]
        known = np.array([ord(letter) if letter else 0x110000 for letter in letters], np.uint32)
        order = np.argsort(known)
        at = np.searchsorted(known[order], codes).clip(max=len(known) - 1)
        if not np.array_equal(known[order][at], codes):
            return None
        return order[at].astype(np.uint32), np.array([len(input) for input in inputs], np.uint64)

    def trace(self, input: Input, *, rule: str = "softmax", temperature: float = 1) -> Trace:
        """Everything that a forward pass computes, by name, as numpy arrays."""
        tokens, engine = self._tokens(input), self._take_engine(rule, temperature)
        try:
            wanted, keep = to_input(tokens)
            arrays, outputs = record(engine.host, engine.handle, wanted, len(self.outputs))
        finally:
            self._give_engine(engine)
        named = {o.name: values for o, values in zip(self.outputs, outputs)}
        return Trace(self, tokens, arrays, named)

    # --- token numbers, for torch and its like ---

    @property
    def pad(self) -> int:
        """The number that stands behind the end of shorter inputs: see encode."""
        return len(self.alphabet) + 1

    def encode(self, inputs: Union[Input, Sequence[Input]]) -> np.ndarray:
        """int64 [batch, 1 + longest]: 0 is the sink, in front of each input; 1 + k is token k of
        the alphabet; behind the end of shorter inputs stands `pad`.  A string is one input."""
        many: List[Any] = [inputs] if isinstance(inputs, str) else list(inputs_of(inputs))
        if many and not isinstance(many[0], (list, tuple, np.ndarray, str)):
            many = [many]
        elif many and isinstance(many[0], str) and not self._are_inputs(many):
            many = [many]
        ids, lengths = self._token_numbers(many)
        table = np.full((len(many), 1 + int(max(lengths, default=0))), self.pad, np.int64)
        table[:, 0] = 0
        for row, end, n in zip(table, np.cumsum(lengths).tolist(), lengths.tolist()):
            row[1 : 1 + n] = ids[end - n : end].astype(np.int64) + 1
        return table

    def _are_inputs(self, strings: Sequence[str]) -> bool:
        """Is a list of strings several inputs?  One, if all are tokens of an alphabet of words."""
        words = any(isinstance(token, str) and len(token) != 1 for token in self.alphabet)
        return not (words and all((str, s) in self._ids for s in strings))

    def decode(self, read: Any, ids: np.ndarray, output: Optional[str] = None) -> List[Any]:
        """Values from what an output reads: `read` [batch, 1 + longest, size] for the rows of
        encode, as Model.torch() gives it; a list an input."""
        o, read = self.output(output), _numpy(read)
        if o.decode == "nearest":
            read = -np.abs(read[..., :1].astype(np.float64) - o.places)
        return self.decode_logits(read, ids, output)

    def decode_logits(
        self, logits: Any, ids: np.ndarray, output: Optional[str] = None
    ) -> List[Any]:
        """Values from logits [batch, 1 + longest, values], as Model.transformer_lens() gives them:
        the first of the largest; of an output that is a number the one logit."""
        o, logits, ids = self.output(output), _numpy(logits), _numpy(ids)
        by_number = o.decode in ("number", "whole")
        chosen = logits[..., 0].astype(np.float64) if by_number else logits.argmax(-1)
        if o.decode == "whole":
            chosen = o.whole(chosen)
        if chosen.shape != ids.shape:
            raise UseError(
                f"expected what was read of these token numbers, {list(ids.shape)}; "
                f"found {list(chosen.shape)}"
            )
        rows = []
        for row, tokens in zip(chosen, ids):
            cut = row[1 : int((tokens != self.pad).sum())].tolist()
            rows.append(cut if by_number else [o.values[k] for k in cut])
        return rows

    # --- what is known of it ---

    @property
    def program(self) -> Program:
        """The program that it was compiled from, or that its file embeds."""
        if self._program is None:
            handle = self._host.call(lib.rasp_model_program, self._handle)
            self._program = Program._of_model(self._host, handle, self)
        return self._program

    @property
    def info(self) -> Dict[str, Any]:
        """The document of docs/weights.md: all that its file says of itself."""
        return self._file()[0]

    @property
    def weights(self) -> Dict[str, np.ndarray]:
        """The tensors of its file by name, float32 or float64 (docs/weights.md); not to be
        changed."""
        return self._file()[1]

    def _file(self) -> Tuple[Dict[str, Any], Dict[str, np.ndarray]]:
        if "file" not in self._cache:
            data = self.tobytes()
            size = int.from_bytes(data[:8], "little")
            header = json.loads(data[8 : 8 + size])
            document = json.loads(header.pop("__metadata__")["model"])
            kinds: Dict[str, Any] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}
            tensors = {
                name: np.frombuffer(
                    data,
                    kinds[t["dtype"]],
                    int(np.prod(t["shape"], dtype=np.int64)),
                    8 + size + t["data_offsets"][0],
                ).reshape(t["shape"])
                for name, t in header.items()
            }
            self._cache["file"] = document, tensors
        return self._cache["file"]

    @property
    def certificate(self) -> Certificate:
        found = ffi.new("RaspCertificate *")
        with self._host.busy():
            if lib.rasp_model_certificate(self._handle, found):
                return certificate_of(found)
        said = self.info.get("certificate")
        if said is None:
            raise RaspError(f"'{self.name}' says nothing of an error: verify() finds it out")
        return Certificate(
            bool(said["holds"]),
            said["error"],
            said["tightest"],
            said["where"],
            said["layer"],
            said["beta"],
            False,
        )

    @property
    def circuit(self) -> Circuit:
        """Its nodes and edges: who reads whom (docs/circuit.md)."""
        if "circuit" not in self._cache:
            with self._host.busy():
                found = self._host.call_busy(lib.rasp_model_circuit, self._handle)
                self._cache["circuit"] = Circuit.read(found, self)
        return self._cache["circuit"]

    def tobytes(self) -> bytes:
        """The bytes of its weights file."""
        data, size = ffi.new("unsigned char **"), ffi.new("size_t *")
        self._host.call(lib.rasp_model_bytes, self._handle, data, size, quick=True)
        try:
            return bytes(ffi.buffer(data[0], size[0]))
        finally:
            lib.rasp_free(data[0])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the weights file; what was there is replaced when all of it is written."""
        self._host.call(
            lib.rasp_model_save, self._handle, ffi.new("char[]", os.fsencode(path)), quick=True
        )

    # --- checks ---

    def check(
        self,
        model: Any = None,
        *,
        seed: int = 1,
        count: int = 20000,
        exhaustive_limit: int = 200000,
        rule: str = "softmax",
        temperatures: Sequence[float] = (),
        shown: int = 3,
        progress: Progress = None,
    ) -> Check:
        """This model beside the interpreter; or `model`, one that torch(), transformer_lens() or
        the like made of it, beside the interpreter.  All inputs if they are at most
        `exhaustive_limit`, else short ones and `count` that are drawn."""
        if model is not None:
            from .agreement import check_other

            return check_other(
                self, model, seed=seed, count=count, exhaustive_limit=exhaustive_limit, shown=shown
            )
        options = ffi.new("RaspCheckOptions *")
        options[0] = lib.rasp_check_options()
        set_inputs(options, seed, count, exhaustive_limit)
        options.rule, options.parameter = rule_of(rule)
        options.shown = whole_of("shown", shown, 0, 2**32 - 1)
        given = ffi.new("double[]", [heat_of(rule, heat) for heat in temperatures] or [1.0])
        options.temperatures, options.temperature_count = given, len(given)
        with listening(progress, f"checking {self.name}") as listen:
            hear = self._host.listener("void(void *, size_t)", listen)
            options.progress = hear
            with self._host.busy():
                report = self._host.call_busy(lib.rasp_check, self._handle, options)
                try:
                    return self._check_of(report)
                finally:
                    lib.rasp_check_free(report)

    def _check_of(self, r: Any) -> Check:
        def example(e: Any) -> Disagreement:
            given, expected, found = (
                from_atoms(atoms, e.length) for atoms in (e.input, e.expected, e.found)
            )
            return Disagreement(given, expected, found, self.outputs[e.output].name)

        runs = [
            CheckRun(
                run.temperature,
                run.agreed,
                run.right,
                run.largest_error,
                run.least_margin,
                [example(run.examples[k]) for k in range(run.example_count)],
            )
            for run in (r.runs[k] for k in range(r.run_count))
        ]
        return Check(
            bool(r.agree),
            bool(r.exhaustive),
            r.complete_length,
            r.compared,
            r.positions,
            r.faulted,
            r.left_out,
            r.outside,
            runs,
        )

    @property
    def claims(self) -> Optional[Dict[str, Any]]:
        """What the file says that its weights compute, piece by piece (docs/proof.md); None:
        nothing.  verify() shows whether it is so."""
        return self.info.get("claims")

    def verify(
        self,
        program: Union[Program, str, "os.PathLike[str]", None] = None,
        *,
        by: Optional[str] = None,
    ) -> Verification:
        """Shows from the weights that they compute the embedded program, or another: by the
        file's claims, where nothing is compiled, and where there are none or they are not shown
        by compiling the embedded program again.  `by`: "claims" or "compiling" alone."""
        from .verification import verify

        return verify(self, program, by)

    def inputs(self, **options: Any) -> Iterator[List[Atom]]:
        """The inputs that it is for: see Program.inputs."""
        domain = self.info.get("domain") or {}
        return self.program.inputs(
            alphabet=self.alphabet,
            max_length=self.max_length,
            first=domain.get("first"),
            where=domain.get("where"),
            **options,
        )

    # --- in other tools ---

    def standard(self, mask: Optional[str] = None) -> "Model":
        """The same program and inputs, compiled to what common frameworks have: one mask for all
        heads ("causal" where the program allows it, else "none"), heads of one size and one
        feed-forward sublayer a layer."""
        from .transformer_lens import standard

        return standard(self, mask)

    def torch(self, **options: Any) -> Any:
        """A torch.nn.Module: see rasp.torch_model.Transformer, whose options these are."""
        from .torch_model import build

        return build(self, **options)

    def transformer_lens(self, **options: Any) -> Any:
        """TransformerLens's native model: see rasp.transformer_lens.build."""
        from .transformer_lens import build

        return build(self, **options)

    def onnx(self, path: Union[str, "os.PathLike[str]", None] = None) -> Any:
        """One ONNX graph from token numbers to decoded outputs: see rasp.onnx_graph.build."""
        from .onnx_graph import build

        return build(self, path)

    def show(self) -> Any:
        """The residual stream as a score sheet: a picture in a notebook."""
        from .notebook import show_model

        return show_model(self)


class _Engine:
    """A model made ready to run, for one thread at a time."""

    def __init__(self, model: Model, rule: int, parameter: float, temperature: float) -> None:
        self.kind = (rule, parameter, temperature)
        self.host = Host()
        options = ffi.new(
            "RaspEngineOptions *",
            {"rule": rule, "parameter": parameter, "temperature": temperature},
        )
        handle = self.host.call(
            lib.rasp_engine_new, model._handle, options, self.host.config, quick=True
        )
        self.handle = self.host.own(handle, lib.rasp_engine_free)


def _pointer(kind: str, array: np.ndarray) -> Any:
    return ffi.cast(kind, array.ctypes.data)


def _numpy(array: Any) -> np.ndarray:
    if hasattr(array, "detach"):  # torch's; bfloat16 is none of numpy's types
        array = array.detach().cpu()
        array = array.double() if array.is_floating_point() else array
        return array.numpy()
    return np.asarray(array)
