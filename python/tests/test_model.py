"""Models: equal to the interpreter on every bundled program, files, traces, circuits, checks."""

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import rasp
from conftest import BIASES, EXAMPLES, PEERS, PROGRAMS, biased, edited
from rasp.bias import by_distance


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_bundled_program(name, compiled):
    """The batch, which is the C runtime, the single call, and the trace say what the interpreter
    says; the circuit is that of the command."""
    m = compiled(name)
    few = 60 if PEERS else 12
    inputs = list(itertools.islice(m.inputs(count=few, exhaustive_limit=few), 200))
    found = m.batch(inputs)
    for tokens, values in zip(inputs, found):
        wanted = m.program(tokens)
        assert len(values) == len(wanted)
        for a, b in zip(values, wanted):
            assert type(a) is type(b) and (a == b or abs(a - b) <= 2e-12 * abs(b))
    tokens = max(inputs, key=len)
    assert m(tokens) == found[inputs.index(tokens)]
    assert m.trace(tokens).outputs[m.output().name] == m(tokens)
    assert m.certificate.holds and m.certificate.tightest < 1 and m.certificate.proved


@pytest.mark.parametrize(
    "name, layout",
    [
        ("sort", "compact"),
        ("long-addition", "standard"),
        *[(name, layout) for name in ("induction", "dyck") for layout in ("compact", "standard")][
            : 4 if PEERS else 0
        ],
    ],
)
def test_the_circuit_is_that_of_the_command(name, layout, compiled):
    ran = subprocess.run(
        [sys.executable, "-m", "rasp", "compile", name, f"--layout={layout}", "--circuit=-"],
        capture_output=True,
        text=True,
        check=True,
    )
    m = compiled(name, layout=layout)
    assert m.circuit.document == json.loads(ran.stdout)
    assert json.loads(m.circuit.json()) == json.loads(ran.stdout)


def test_outputs_and_alphabets():
    p = rasp.Program("a = selector_width(select(tokens, tokens, ==)); b = tokens_asis; c = a / 7;")
    m = p.compile("a", "b", "c", alphabet=[1, 2, 3], max_length=3)
    assert m.alphabet == [1, 2, 3] and [o.name for o in m.outputs] == ["a", "b", "c"]
    assert m([2, 2, 1], "a") == [2, 2, 1] and m([2, 2, 1], "b") == [2, 2, 1]
    assert m([2, 2, 1]) == [2 / 7, 2 / 7, 1 / 7]
    assert m.batch([[1], [3, 3]], "a") == [[1], [2, 2]] and m.batch([]) == []
    words = p.compile("a", alphabet=["hi", "you"], max_length=3)
    assert words(["hi", "hi"]) == [2, 2] and len(p.compile(all=True, alphabet="ab").outputs) == 3
    first = p.compile("a", alphabet="ab", first="b", max_length=3)
    assert first("ba") == [1, 1]
    with pytest.raises(rasp.RaspError, match='inputs start with "b"'):
        first.batch(["ba", "ab"])
    with pytest.raises(rasp.RaspError, match="position 1"), pytest.warns(rasp.RaspWarning):
        p.compile("a", alphabet="ab", where="indices < 1", max_length=3)("ab")


def test_where_there_is_no_answer():
    p = rasp.Program("some = 1 / (selector_width(full_s) - 2); all = indices;")
    m = p.compile("some", "all", alphabet="ab", max_length=3, partial=True)
    assert m("ab", "some") is None and m("a", "some") == [-1.0] and m("ab") == [0, 1]
    assert m.batch(["a", "ab", "aba"], "some") == [[-1.0], None, [1.0, 1.0, 1.0]]
    assert m.outputs[0].flag == m.flags[0].name and m.check()


def test_numbers_are_decoded_as_numbers():
    m = rasp.Program("y = (indices + 1) / 3;").compile(alphabet="a", max_length=4, dtype="f64")
    assert m("aaa") == rasp.Program("y = (indices + 1) / 3;")("aaa")


def test_whole_numbers_that_are_too_many_to_list(binary):
    m, o = binary, binary.output()
    assert (o.decode, o.values, o.size) == ("whole", [0, 2**20 - 1], 1)
    texts = ["1", "0110", "1" * 20, "10" * 10, "0" * 19 + "1"]
    inputs = [[int(bit) for bit in text] for text in texts]
    wanted = [[int(text, 2)] * len(text) for text in texts]
    assert m.batch(inputs) == wanted == [m(tokens) for tokens in inputs]
    assert {type(value) for row in m.batch(inputs) for value in row} == {int}
    ids = m.encode(inputs)
    read = np.zeros((*ids.shape, 1))
    for k, row in enumerate(wanted):
        read[k, 1:, 0] = row[0] + 0.25
    assert m.decode(read, ids) == wanted
    assert m.check(count=200) and m.verify()


def test_the_nearest_whole_number(binary):
    numbers = {-7: 0, -0.2: 0, 0.5: 0, np.nextafter(0.5, 1): 1, 1.5: 1, 2.5: 2, 1e7: 2**20 - 1}
    assert binary.output().whole(np.array(list(numbers))).tolist() == list(numbers.values())


def test_files(tmp_path, compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    m.save(tmp_path / "w.bin")
    found = rasp.load(tmp_path / "w.bin")
    assert found("cab") == list("abc") and found.program("cab") == list("abc")
    assert (tmp_path / "w.bin").read_bytes() == m.tobytes() == found.tobytes()
    assert found.certificate[:3] == m.certificate[:3] and not found.certificate.proved
    assert found.verify() and found.verify().certificate.holds
    assert found.verify(found.program) and found.verify(m.program) and m.verify(found.program)
    assert found.program.text == m.program.text and str(found.program.show("cab"))
    assert found.claims == m.claims and found.claims["version"] == 1
    assert found.circuit.document == m.circuit.document
    assert found.info["alphabet"] == ["a", "b", "c"] and found.check().exhaustive
    changed = bytearray(m.tobytes())
    changed[-4:] = np.float32(3).tobytes()
    (tmp_path / "v.bin").write_bytes(changed)
    broken = rasp.load(tmp_path / "v.bin").verify()
    assert not broken and broken.way == "compiling" and broken.refused
    assert broken.comparison.changed == 1


def test_verified_by_claims_and_by_compiling(tmp_path):
    m = rasp.Program("histogram").compile(alphabet="ab", max_length=4)
    one, other = m.verify(), m.verify(by="compiling")
    assert one and one.way == "claims" and one.comparison is None and not one.refused
    assert other and other.way == "compiling" and other.comparison.same_structure
    assert one.claimed == other.claimed == m.certificate.error and one.certificate.proved
    # Another text of the same, a wrong one, and one without the output.
    same = m.verify("s = select(tokens, tokens, ==); histogram = selector_width(s);")
    wrong = m.verify("histogram = indices;")
    assert same and same.way == wrong.way == "claims" and m.verify(rasp.Program("histogram"))
    assert not wrong and wrong.refused and wrong.certificate is None
    with pytest.raises(rasp.ProgramError, match="histogram"):
        m.verify("y = indices;")
    with pytest.raises(rasp.UseError, match="by: expected"):
        m.verify(by="looking")
    with pytest.raises(rasp.UseError, match="only the embedded program"):
        m.verify("sort", by="compiling")
    bare = edited(m, lambda document: document.pop("claims"), tmp_path / "bare.bin")
    assert bare.claims is None and bare.verify() and bare.verify().way == "compiling"
    with pytest.raises(rasp.RaspError, match="claims"):
        bare.verify(by="claims")


def test_weights_that_nobody_compiled(tmp_path):
    """The induction pair of the examples, written by hand: no program is in it."""
    subprocess.run(
        [sys.executable, os.path.join(EXAMPLES, "induction_pair.py"), tmp_path / "w.bin"],
        check=True,
    )
    m, path = rasp.load(tmp_path / "w.bin"), os.path.join(EXAMPLES, "induction_pair.rasp")
    assert m.verify(path).holds and m.claims
    p = rasp.Program(path)
    for text in ("abcab", "aabbcc", "c"):
        assert m(text) == p(text, m.output().name)


@pytest.mark.parametrize("bias", BIASES, ids=range(len(BIASES)))
def test_biases_by_distance(bias, tmp_path):
    """The table that torch and ONNX read, against what the runtime adds."""
    plain = rasp.Program("y = selector_width(select(tokens, tokens, ==));").compile(
        alphabet="ab", max_length=40
    )
    m = biased(plain, bias, tmp_path / "w.bin")
    text = "ab" * 20
    added = by_distance(bias, m.max_length)
    a, b = (x.trace(text)["layers.0.heads.0.scores"][1:, 1:] for x in (m, plain))
    k = np.arange(len(text))
    wanted = b + added[k[:, None] - k + m.max_length]
    assert np.allclose(a, wanted, atol=1e-3) and not np.allclose(a, b)


def test_the_forward_pass_from_weights_alone(compiled):
    """docs/weights.md in numpy: `weights` and `trace` are what they are said to be."""
    m = compiled("sort", alphabet="abc", max_length=4)
    w, t, tokens = m.weights, m.trace("cabb"), "cabb"
    h = w["embed.tokens"][[0] + [1 + m.alphabet.index(c) for c in tokens]].astype(float)
    h = h + w["embed.positions"][: len(tokens) + 1]
    k = np.arange(len(tokens) + 1)
    assert np.allclose(h, t["embed.residual"])
    for at, layer in enumerate(m.info["layers"]):
        added = 0
        for i, facts in enumerate(layer["heads"]):
            name = f"layers.{at}.heads.{i}"
            q, key, v, o = (
                w[f"{name}.{x}"].astype(float) for x in ("query", "key", "value", "output")
            )
            q, key = h @ q, h @ key
            mask = {
                "none": k >= 0,
                "strict_causal": k[:, None] > k,
                "causal": k[:, None] >= k,
                "anticausal": k[:, None] <= k,
                "strict_anticausal": k[:, None] < k,
            }
            sees = np.broadcast_to(mask[facts["mask"]], (len(k), len(k))).copy()
            sees[:, 0], sees[0] = facts["sink"], k == 0
            scores = np.where(sees, q @ key.T, -np.inf)
            e = np.exp(scores - scores.max(-1, keepdims=True))
            weights = e / e.sum(-1, keepdims=True)
            assert np.allclose(scores, t[f"{name}.scores"])
            assert np.allclose(weights, t[f"{name}.weights"])
            added = added + weights @ (h @ v) @ o
        h = h + added
        for i in range(layer["mlps"]):
            name = f"layers.{at}.mlps.{i}"
            hidden = np.maximum(h @ w[f"{name}.in"] + w[f"{name}.in_bias"], 0)
            assert np.allclose(hidden, t[f"{name}.hidden"], atol=1e-4)
            h = h + hidden @ w[f"{name}.out"] + w[f"{name}.out_bias"]
            assert np.allclose(h, t[f"{name}.residual"], atol=1e-4)
    ids = m.encode("cabb")
    o = m.output()
    assert m.decode(h[None, :, o.start : o.start + o.size], ids) == [list("abbc")]


def test_a_trace_by_the_names_of_sops(compiled):
    m = compiled("histogram", alphabet="ab", max_length=4)
    t = m.trace("aab")
    assert np.allclose(t.sop("1 / (histogram + 1)"), [1 / 3, 1 / 3, 1 / 2], atol=1e-4)
    with pytest.raises(rasp.UseError, match="there are"):
        t.sop("nothing")
    assert t._repr_html_().count("<svg") == len([n for n in t if n.endswith(".weights")])
    assert m.trace("aab", temperature=1e9)["layers.0.heads.0.weights"][1].std() < 1e-6
    assert "layers.0.heads.0.scores" in t and len(t) == len(list(t))


def test_encode_and_decode(compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    assert (
        m.encode("cab").tolist()
        == [[0, 3, 1, 2]]
        == m.encode(list("cab")[:0] + [list("cab")]).tolist()
    )
    assert m.encode(["cab", "b"]).tolist() == [[0, 3, 1, 2], [0, 2, m.pad, m.pad]]
    words = rasp.Program("y = tokens;").compile(alphabet=["hi", "you"], max_length=3)
    assert words.encode(["you", "hi"]).tolist() == [[0, 2, 1]]
    assert words.encode([["you"], ["hi", "hi"]]).tolist() == [[0, 2, 3], [0, 1, 1]]
    numbers = rasp.Program("y = tokens;").compile(alphabet=[5, 7], max_length=3)
    assert numbers.encode([7, 5]).tolist() == [[0, 2, 1]]


def test_check_and_its_disagreements(compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    assert m.check().compared == 3 + 9 + 27 + 81
    hot = m.check(temperatures=[1, 1000])
    assert not hot and hot.runs[0].agreed == hot.compared > hot.runs[1].agreed
    example = hot.runs[1].examples[0]
    assert example.expected == sorted(example.input) != example.found and "all inputs" in str(hot)


def test_runs_by_other_rules(compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    for rule in ("average", "sparsemax", "entmax15", "entmax:1.3", "top-k:4"):
        assert m("cab", rule=rule) == list("abc")
        assert m.check(rule=rule)
    weights = "layers.0.heads.0.weights"
    for rule, same in (("entmax:1.5", "entmax15"), ("entmax:2", "sparsemax")):
        a, b = (m.trace("cab", rule=name)[weights] for name in (rule, same))
        assert np.allclose(a, b, atol=1e-9)
    assert (m.trace("cab", rule="top-k:1")[weights] > 0).sum() == 4
    assert m("cab", rule="hard-left") != list("abc")  # a head that counts needs all its keys
    for rule in ("nonsense", "softmax:3", "entmax", "entmax:1", "entmax:x", "top-k:0", "top-k:1.5"):
        with pytest.raises(rasp.UseError, match="rule: expected"):
            m("cab", rule=rule)
    sparse = rasp.Program("histogram").compile(alphabet="ab", max_length=4, kernel="sparsemax")
    assert sparse("aab") == [2, 2, 1] and sparse.info["kernel"] == "sparsemax"


def test_score():
    m = rasp.Program("sort").compile(alphabet="abc", max_length=4)
    c = m.circuit
    every = c.component_edges()
    assert rasp.score(every, m)[:2] == (1.0, 1.0) and rasp.score([], m)[:2] == (1.0, 0.0)
    assert rasp.score(c.component_edges(roles=True), m).recall == 1
    half = sorted(every)[: len(every) // 2]
    wrong = {("tokens", "mlp 0.0"), ("positions", "head 0.0")} - every
    s = rasp.score([*half, *wrong, *half], m)
    assert s.right == set(half) and s.extra == wrong and s.missed == every - set(half)
    assert s.precision == len(half) / (len(half) + len(wrong)) and 0 < s.f1 < 1
    nodes = {(e["from"], e["to"]) for e in c.edges if e["role"] != "clear"}
    assert rasp.score(nodes, m)[:2] == (1.0, 1.0) == rasp.score(nodes, c)[:2]
    for bad in ([("tokens", "nowhere")], [("tokens",)], [("tokens", 1)], [(0, 10**6)]):
        with pytest.raises(rasp.UseError, match="expected|no such (components|nodes)"):
            rasp.score(bad, m)


def test_networkx(compiled):
    nx = pytest.importorskip("networkx")
    m = compiled("sort", alphabet="abc", max_length=4)
    graph = m.circuit.networkx()
    assert isinstance(graph, nx.DiGraph) and nx.is_directed_acyclic_graph(graph)
    assert graph.number_of_edges() == len(m.circuit.edges)
    head = next(n for n, data in graph.nodes(data=True) if data["kind"] == "head")
    assert graph.nodes[head]["spans"][0][0] == "sort.rasp" and graph.nodes[head]["sops"]


def test_show(compiled):
    picture = compiled("sort", alphabet="abc", max_length=4).show()
    assert picture._repr_svg_().startswith("<svg") and "sorted" in picture.text
