"""The runtime beside onnxruntime, torch and jax; the compiler beside tracr.  bench/run runs this by
the Python of bench/peers.sh, and it prints rows for it, separated by tabs.

Everybody has one processor and one thread, and the time is the processor's, of this process.  The
sides take turns; each takes as many calls a turn as fill some milliseconds.  A value is how many
times as long as ours the best of the others takes (its median over our median), low and high the
same of single turns.

    python bench/peers.py [weights] [attention] [tracr]
"""

import os

os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before threads are counted
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"

import json
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import rasp

WORK = Path("build/bench")
TURNS, TURN_SECONDS = 7, 0.02
WORST_SECONDS = 60  # of compiling, then a row is left out


def row(table, what, value, unit, low, high, goal):
    print(table, what, f"{value:.3g}", unit, f"{low:.3g}", f"{high:.3g}", goal, sep="\t", flush=True)


def note(text):
    print(f"bench/peers.py: {text}", file=sys.stderr)


def seconds(call, times):
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def take_turns(sides):
    """{name: seconds of each turn}, of {name: function}."""
    times = {}
    for name, call in sides.items():
        call()  # compiles, caches
        times[name] = max(1, round(TURN_SECONDS / max(seconds(call, 1), 1e-6)))
    found = {name: [] for name in sides}
    for _ in range(TURNS):
        for name, call in sides.items():
            found[name].append(seconds(call, times[name]))
    return found


def compare(table, what, sides, goal):
    """A row: the best of the others over "rasp"; the others' times over ours in its text."""
    found = take_turns(sides)
    ours = found.pop("rasp")
    best = min(found, key=lambda name: statistics.median(found[name]))
    ratios = sorted(theirs / own for theirs, own in zip(found[best], ours))
    said = ", ".join(
        f"{name} {statistics.median(f) / statistics.median(ours):.3g}" for name, f in found.items()
    )
    us = 1e6 * statistics.median(ours)
    row(
        table,
        f"{what} ({us:.3g} us; {said})",
        statistics.median(found[best]) / statistics.median(ours),
        "times",
        ratios[0],
        ratios[-1],
        goal,
    )


# --- the runtime, and the others on the weights of a file -------------------------------------------------------


def rasp_side(path, ids, lengths):
    """The call of the library that Model.run makes, without what Python does around it: the others'
    calls have little of that, too."""
    from rasp._lib import ffi, lib

    error, empty = ffi.new("RaspError *"), ffi.NULL
    options = ffi.new("RaspEngineOptions *", {"threads": 1})
    model = lib.rasp_model_load(str(path).encode(), empty, error)
    engine = lib.rasp_engine_new(model, options, empty, error)
    outputs = lib.rasp_model_info(model).output_count
    ids, lengths = np.ascontiguousarray(ids, np.uint32), np.array(lengths, np.uint64)
    values = np.empty((outputs, len(ids)), np.int32)
    batch = ffi.new("RaspBatch *", {"count": len(lengths)})
    batch.ids = ffi.cast("uint32_t *", ids.ctypes.data)
    batch.lengths = ffi.cast("size_t *", lengths.ctypes.data)
    readings = ffi.new("RaspBatchReadings *")
    readings.values = ffi.cast("int32_t *", values.ctypes.data)

    def call(keep=(ids, lengths, values)):
        if not lib.rasp_forward_batch(engine, batch, readings, error):
            raise RuntimeError(ffi.string(error.text).decode())

    return call


def onnx_side(model, ids):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.onnx().SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda: session.run([model.output().name], {"ids": ids})


def torch_side(model, ids):
    import torch

    torch.set_num_threads(1)
    module, ids, o = model.torch().eval(), torch.from_numpy(ids), model.output()
    places = torch.from_numpy(o.places) if o.decode == "nearest" else None

    def call():
        with torch.inference_mode():
            read = module(ids)[o.name]
            return (read if places is None else -(read - places).abs()).argmax(-1)

    return call


def jax_side(model, ids):
    """The pass of docs/weights.md as jax has it best: one function, compiled for the shape."""
    import jax

    jax.config.update("jax_enable_x64", model.dtype == "f64")
    import jax.numpy as jnp

    w = {name: jnp.asarray(tensor) for name, tensor in model.weights.items()}
    layers, o = model.info["layers"], model.output()

    def head(h, at, facts, n):
        scores = jnp.einsum(
            "bqd,bkd->bqk", h @ w[f"{at}.query"], h @ w[f"{at}.key"], precision="highest"
        )
        if facts["scale"] == "log_length":
            scores = scores * np.log(n + 1.0).astype(scores.dtype)
        q, k = np.arange(n + 1)[:, None], np.arange(n + 1)
        order = {"causal": k <= q, "strict_causal": k < q, "anticausal": k >= q}
        order |= {"strict_anticausal": k > q, "none": k >= 0}
        sees = (order[facts["mask"]] & (k > 0) | ((k == 0) & facts["sink"])) & (q > 0)
        weights = jax.nn.softmax(jnp.where(sees | ((q == 0) & (k == 0)), scores, -jnp.inf))
        return weights @ (h @ w[f"{at}.value"]) @ w[f"{at}.output"]

    def run(ids):
        n = ids.shape[1] - 1
        h = w["embed.tokens"][ids] + w["embed.positions"][: n + 1]
        for l, layer in enumerate(layers):
            heads = [
                head(h, f"layers.{l}.heads.{k}", facts, n)
                for k, facts in enumerate(layer["heads"])
            ]
            h = sum(heads, h)
            for m in range(layer["mlps"]):
                at = f"layers.{l}.mlps.{m}"
                hidden = jax.nn.relu(h @ w[f"{at}.in"] + w[f"{at}.in_bias"])
                h = h + hidden @ w[f"{at}.out"] + w[f"{at}.out_bias"]
        read = h[:, 1:, o.start : o.start + o.size]
        if o.decode == "nearest":
            read = -jnp.abs(read[..., :1] - o.places)
        return read.argmax(-1)

    compiled, ids = jax.jit(run), jnp.asarray(ids)
    return lambda: compiled(ids).block_until_ready()


OTHERS = {"onnxruntime": onnx_side, "torch": torch_side, "jax": jax_side}


def installed():
    from importlib.util import find_spec

    return {name: side for name, side in OTHERS.items() if find_spec(name)}


# --- compiled programs --------------------------------------------------------------------------

LENGTHS = (4, 16, 64, 256, 1000)
BATCHES = (1, 64, 1024)
CELLS = 1 << 24  # scores of a head in one call: more do not fit the others' memory


def compiled(program, n):
    """The weights' file, kept from one run to the next; None: they take too long."""
    path = WORK / "weights" / f"{program}-{n}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ["bin/rasp", "compile", program, "--alphabet", "abcd", "--max-length", str(n)]
    command += ["--time-limit", str(WORST_SECONDS), "-o", str(path)]
    if not path.exists() and subprocess.run(command, capture_output=True).returncode != 0:
        return None
    return path


def measure_weights():
    others = installed()
    for program in ("histogram", "reverse", "sort"):
        for n in LENGTHS:
            path = compiled(program, n)
            if path is None:
                note(f"{program} at N = {n} left out: not compiled in {WORST_SECONDS} s")
                continue
            for batch in BATCHES:
                if batch * n * n > CELLS:
                    note(f"{program} at N = {n}, batch {batch} left out: too large for the others")
                    continue
                measure_model(program, path, n, batch, others)


def measure_model(program, path, n, batch, others):
    model = rasp.load(path)
    rng = np.random.default_rng(7)
    ids = rng.integers(0, len(model.alphabet), (batch, n))
    table = np.zeros((batch, n + 1), np.int64)
    table[:, 1:] = ids + 1
    sides = {"rasp": rasp_side(path, ids.reshape(-1), [n] * batch)}
    sides |= {name: side(model, table) for name, side in others.items()}
    middle = n in (16, 64, 256) and batch > 1
    what = f"{program}, N = {n}, batch {batch}"
    compare("Weights: the best of the others over ours", what, sides, ">=2" if middle else ">=1")


# --- attention ----------------------------------------------------------------------------------

SIZE = 64
POSITIONS = (1024, 2048, 4096, 8192, 16384, 32768)


def attention_tensors(n):
    """One head of random weights, no two keys alike."""
    rng = np.random.default_rng(7)

    def draw(rows):
        return (rng.uniform(-1, 1, (rows, SIZE)) / 4).astype(np.float32)

    tensors = {"embed.tokens": draw(3), "embed.positions": 4 * draw(n + 1)}
    tensors |= {
        f"layers.0.heads.0.{name}": draw(SIZE) for name in ("query", "key", "value", "output")
    }
    return tensors


def attention_model(tensors, n, mask):
    path = WORK / "attention.bin"
    head = {"mask": mask, "sink": True, "scale": "one", "gap": 1.0}
    outputs = [{"name": "out", "decode": "argmax", "start": 0, "values": [0, 1]}]
    model = {"token_type": "int", "max_length": n, "alphabet": [0, 1], "outputs": outputs}
    model["layers"] = [{"heads": [head], "mlps": 0}]
    header = {"__metadata__": {"format": "rasp-transformer/1", "model": json.dumps(model)}}
    at = 0
    for name, tensor in tensors.items():
        offsets = [at, at := at + tensor.nbytes]
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": offsets}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            file.write(tensor.tobytes())
    return path


def attention_torch(tensors, rows, mask):
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    torch.set_num_threads(1)
    t = {name: torch.from_numpy(tensor) for name, tensor in tensors.items()}
    rows = torch.from_numpy(rows)
    at = "layers.0.heads.0"

    def call():
        with torch.inference_mode():
            h = t["embed.tokens"][rows] + t["embed.positions"]
            q, k, v = ((h @ t[f"{at}.{name}"])[None, None] for name in ("query", "key", "value"))
            z = scaled_dot_product_attention(q, k, v, is_causal=mask == "causal", scale=1.0)
            return (h + z[0, 0] @ t[f"{at}.output"])[:, :2].argmax(-1)

    return call


def attention_onnx(tensors, rows, mask):
    """With MultiHeadAttention of onnxruntime's own operators."""
    import onnx
    import onnxruntime
    from onnx import helper

    at = "layers.0.heads.0"
    nodes = [
        helper.make_node("Gather", ["embed.tokens", "rows"], ["token"]),
        helper.make_node("Add", ["token", "embed.positions"], ["h"]),
        *(
            helper.make_node("MatMul", ["h", f"{at}.{name}"], [name])
            for name in ("query", "key", "value")
        ),
        helper.make_node(
            "MultiHeadAttention",
            ["query", "key", "value"],
            ["z"],
            domain="com.microsoft",
            num_heads=1,
            scale=1.0,
            unidirectional=int(mask == "causal"),
        ),
        helper.make_node("MatMul", ["z", f"{at}.output"], ["result"]),
        helper.make_node("Add", ["h", "result"], ["after"]),
        helper.make_node("Slice", ["after", "from", "to", "axis"], ["read"]),
        helper.make_node("ArgMax", ["read"], ["out"], axis=2, keepdims=0),
    ]
    constants = tensors | {
        name: np.array([k], np.int64) for name, k in {"from": 0, "to": 2, "axis": 2}.items()
    }
    integers = onnx.TensorProto.INT64
    graph = helper.make_graph(
        nodes,
        "attention",
        [helper.make_tensor_value_info("rows", integers, [1, len(rows)])],
        [helper.make_tensor_value_info("out", integers, [1, len(rows)])],
        [onnx.numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=sets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return lambda: session.run(["out"], {"rows": rows[None]})[0]


ATTENTION = {"torch": attention_torch, "onnxruntime": attention_onnx}


def attention_sides(n, mask, others):
    """The same head: embeddings, products, attention, the output's product."""
    tensors = attention_tensors(n)
    ids = np.random.default_rng(7).integers(0, 2, n).astype(np.uint32)
    rows = np.concatenate([[0], ids + 1]).astype(np.int64)
    sides = {"rasp": rasp_side(attention_model(tensors, n, mask), ids, [n])}
    return sides | {name: ATTENTION[name](tensors, rows, mask) for name in others}


def sgemm_seconds(n, mask):
    """What the two products of the scores would take at the rate that torch's sgemm reaches, on
    matrices of 1,024 rows and columns."""
    import torch

    a, b = torch.rand(1024, 1024), torch.rand(1024, 1024)
    one = statistics.median(take_turns({"product": lambda: a @ b})["product"])
    pairs = n * n / 2 if mask == "causal" else n * n
    return one * 2 * pairs * SIZE / 1024**3


def measure_attention():
    others = [name for name in ATTENTION if name in installed()]
    if "torch" not in others:
        note("no torch: the rows of attention are left out")
        return
    for n in POSITIONS:
        for mask in ("none", "causal"):
            measure_head(n, mask, others)


def measure_head(n, mask, others):
    what = f"{n:,} positions, {'causal' if mask == 'causal' else 'no mask'}"
    found = take_turns(attention_sides(n, mask, others))
    ours = sorted(found["rasp"])
    middle = len(ours) // 2
    for name in others:
        ratios = sorted(b / a for a, b in zip(found["rasp"], found[name]))
        row(
            f"Attention, size 64: {name} over ours",
            f"{what} ({1e3 * ours[middle]:.3g} ms)",
            statistics.median(found[name]) / ours[middle],
            "times",
            ratios[0],
            ratios[-1],
            ">=1",
        )
    share = 100 * sgemm_seconds(n, mask)
    row(
        "Attention, size 64: of sgemm's rate",
        what,
        share / ours[middle],
        "%",
        share / ours[-1],
        share / ours[0],
        ">=75",
    )


# --- tracr --------------------------------------------------------------------------------------

COMPILED = (5, 10, 20, 50, 100, 200)


def tracr_programs():
    """What tracr's library has and we have, by name: (maker of its RASP, tokens, our arguments)."""
    from tracr.compiler import lib

    letters, numbers = list("abcd"), [1, 2, 3, 4]
    ours = ["--alphabet", "abcd"]
    return {
        "histogram": (lambda n: lib.make_hist(), letters, ["histogram", *ours]),
        "reverse": (lambda n: lib.make_reverse(rasp_of_tracr().tokens), letters, ["reverse", *ours]),
        "sort": (
            lambda n: lib.make_sort(
                rasp_of_tracr().tokens, rasp_of_tracr().tokens, max_seq_len=n, min_key=1
            ),
            numbers,
            ["sort", "--alphabet", "[1, 2, 3, 4]"],
        ),
        "sort-unique": (
            lambda n: lib.make_sort_unique(rasp_of_tracr().tokens, rasp_of_tracr().tokens),
            numbers,
            ["--expr", SORTED.replace("KEY", "tokens_int"), "--alphabet", "[1, 2, 3, 4]"],
        ),
        "sort by tokens + indices / 1024": (
            lambda n: lib.make_sort_unique(rasp_of_tracr().tokens, broken_ties()),
            numbers,
            ["--expr", SORTED.replace("KEY", "(tokens_int + indices / 1024)"),
             "--alphabet", "[1, 2, 3, 4]"],
        ),
    }  # fmt: skip


SORTED = "aggregate(select(selector_width(select(KEY, KEY, <)), indices, ==), tokens)"


def broken_ties():
    language = rasp_of_tracr()
    return language.SequenceMap(lambda t, i: t + i / 1024, language.tokens, language.indices)


def rasp_of_tracr():
    from tracr.rasp import rasp as language

    return language


def by_tracr(make, tokens, n):
    """Seconds in process, parameters."""
    import jax
    from tracr.compiler import compiling

    start = time.process_time()
    model = compiling.compile_rasp_to_model(
        make(n), vocab=set(tokens), max_seq_len=n, compiler_bos="BOS"
    )
    spent = time.process_time() - start
    return spent, sum(leaf.size for leaf in jax.tree_util.tree_leaves(model.params))


def by_rasp(arguments, n):
    """The same of the command, whose start is counted with it."""
    import resource

    path = WORK / "tracr.bin"
    command = ["bin/rasp", "compile", *arguments, "--max-length", str(n), "-o", str(path)]
    command += ["--time-limit", str(WORST_SECONDS)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(command, capture_output=True).returncode != 0:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent, sum(tensor.size for tensor in rasp.load(path).weights.values())


def measure_tracr():
    try:
        programs = tracr_programs()
    except Exception as reason:  # not installed, or not with this jax
        note(f"no tracr ({type(reason).__name__}): its rows are left out")
        return
    for name, (make, tokens, arguments) in programs.items():
        for n in COMPILED:
            try:
                theirs = by_tracr(make, tokens, n)
            except Exception as reason:
                note(f"tracr fails on {name} at N = {n}: {type(reason).__name__}: {reason}")
                continue
            ours = by_rasp(arguments, n)
            if ours is None:
                note(f"{name} at N = {n} left out: we do not compile it in {WORST_SECONDS} s")
                continue
            for table, k, unit in (("time", 0, "s"), ("parameters", 1, "parameters")):
                what = f"{name}, N = {n} (ours {ours[k]:.3g}, tracr {theirs[k]:.3g} {unit})"
                value = theirs[k] / ours[k]
                print(f"Compiling: {table}, tracr over ours", what, f"{value:.3g}", "times", "-", "-",
                      ">=1", sep="\t", flush=True)  # fmt: skip
            if theirs[0] > WORST_SECONDS:
                note(f"tracr takes {theirs[0]:.0f} s for {name} at N = {n}: longer ones are left out")
                break


SECTIONS = {"weights": measure_weights, "attention": measure_attention, "tracr": measure_tracr}

if __name__ == "__main__":
    for section in sys.argv[1:] or SECTIONS:
        SECTIONS[section]()
