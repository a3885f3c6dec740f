"""The ONNX graph: equal under onnxruntime, names, types, any batch and length."""

import itertools

import numpy as np
import pytest

import rasp
from conftest import BIASES, PEERS, PROGRAMS, SOME, biased

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")


class Session:
    """An onnxruntime session as Model.check wants it: what each output reads, by its name."""

    def __init__(self, model, made=None):
        self.session = ort.InferenceSession((made or model.onnx()).SerializeToString())
        self.names = [o.name for o in model.outputs + model.flags]

    def values(self, ids, name):
        return self.session.run([name], {"ids": ids})[0]

    def __call__(self, ids):
        wanted = [f"{'ids.value' if name == 'ids' else name}.read" for name in self.names]
        return dict(zip(self.names, self.session.run(wanted, {"ids": ids})))


@pytest.mark.parametrize("name", PROGRAMS if PEERS else SOME)
def test_every_bundled_program(name, compiled):
    m = compiled(name)
    session = Session(m)
    inputs = list(itertools.islice(m.inputs(count=60, exhaustive_limit=60), 200))
    ids = m.encode(inputs)
    found = session.values(ids, m.output().name)
    assert found.shape == (len(inputs), ids.shape[1] - 1)
    for row, tokens in zip(found.tolist(), inputs):
        wanted = m.program(tokens)
        kinds = {type(value) for value in wanted}
        assert (
            len(kinds) > 1
            or all(type(a) is type(b) for a, b in zip(row, wanted))
            or len({type(value) for value in m.output().values}) > 1
        )
        assert all(
            a == b or a == repr(b) or abs(a - b) <= 2e-12 * abs(b) for a, b in zip(row, wanted)
        ), (tokens, row, wanted)
    assert m.check(session, count=60, exhaustive_limit=60)


@pytest.mark.parametrize("kernel", ["sparsemax", "entmax15"])
@pytest.mark.parametrize("name", ["histogram", "sort", "induction", "frac-prevs"])
def test_sparse_kernels(name, kernel, compiled):
    m = compiled(name, kernel=kernel, max_length=6)
    assert m.check(Session(m), count=200, exhaustive_limit=200)


@pytest.mark.parametrize("bias", BIASES, ids=range(len(BIASES)))
def test_position_biases(bias, tmp_path, compiled):
    """What outputs read is what the runtime's residual stream ends with."""
    plain = compiled("sort", alphabet="abc", max_length=5)
    m, o = biased(plain, bias, tmp_path / "w.bin"), plain.output()
    texts = ["a", "cabca", "bb", "ccab"]
    reads = Session(m)(m.encode(texts))[o.name]
    differ = False
    for row, text in zip(reads, texts):
        stream, before = (list(x.trace(text).values())[-1] for x in (m, plain))
        wanted = stream[:, o.start : o.start + o.size]
        assert np.allclose(row[: len(text) + 1], wanted, atol=1e-3)
        differ |= not np.allclose(stream, before, atol=1e-3)
    assert differ


def test_all_inputs_in_one_batch(compiled):
    m = compiled("sort", alphabet="abc", max_length=5)
    inputs = ["".join(x) for n in range(1, 6) for x in itertools.product("abc", repeat=n)]
    found = Session(m).values(m.encode(inputs), "sorted").tolist()
    assert all(row[: len(text)] == sorted(text) for row, text in zip(found, inputs))


def test_options_of_compiling():
    p = rasp.Program("a = selector_width(select(tokens, tokens, ==)); ids = indices; k = a / 3;")
    for options in (
        dict(log_length=True),
        dict(layout="standard"),
        dict(mask="none"),
        dict(dtype="f64"),
    ):
        m = p.compile("a", "ids", "k", alphabet="ab", max_length=4, **options)
        session = Session(m)
        assert m.check(session)
        assert session.values(m.encode("abb"), "ids.value").tolist() == [[0, 1, 2]]
        assert session.values(m.encode("abb"), "k").dtype == np.float64


def test_what_has_no_answer():
    p = rasp.Program("some = 1 / (selector_width(full_s) - 2);")
    m = p.compile(alphabet="ab", max_length=3, partial=True)
    session = Session(m)
    assert m.check(session).faulted == 4
    assert session.values(m.encode(["a", "ab"]), m.flags[0].name)[:, 0].tolist() == [False, True]


def test_the_file_and_its_names(tmp_path, compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    m.onnx(tmp_path / "m.onnx")
    made = onnx.load(tmp_path / "m.onnx")
    onnx.checker.check_model(made, full_check=True)
    initial = {t.name: onnx.numpy_helper.to_array(t) for t in made.graph.initializer}
    for name, weight in m.weights.items():
        assert np.array_equal(initial[name][: len(weight)], weight), name
    computed = {node.name for node in made.graph.node}
    assert {n for n in m.trace("cab") if n != "embed.residual"} <= computed | {
        n for n in m.trace("cab") if n.endswith(".residual")
    }
    assert [i.name for i in made.graph.input] == ["ids"]
    assert [o.name for o in made.graph.output] == ["sorted", "sorted.read"]


def test_whole_numbers_that_are_too_many_to_list(binary):
    session, ids = Session(binary), binary.encode([[1, 0, 1, 1], [1] * 20])
    found = session.values(ids, "value")
    assert found.dtype == np.int64
    assert found[0, :4].tolist() == [11] * 4 and found[1].tolist() == [2**20 - 1] * 20
    assert binary.check(session, count=300)
