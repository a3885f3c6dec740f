"""The torch module: equal to the interpreter and the runtime, gradients, hooks, other bases."""

import itertools

import numpy as np
import pytest

import rasp
from conftest import BIASES, PROGRAMS, biased

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_bundled_program(name, compiled):
    m = compiled(name)
    assert m.check(m.torch(), count=60, exhaustive_limit=60)


@pytest.mark.parametrize("name", ["sort", "histogram", "most-freq", "dyck"])
def test_within_the_certificate_on_all_inputs(name):
    """What outputs read is the runtime's, in double, within twice the bound of the certificate."""
    m = rasp.Program(name).compile(max_length=4, dtype="f64")
    t = m.torch()
    for n in range(1, 5):
        inputs = list(itertools.islice(itertools.product(m.alphabet, repeat=n), 300))
        ids = m.encode([list(x) for x in inputs])
        with torch.no_grad():
            read = t(torch.as_tensor(ids))
        for o in m.outputs:
            for row, tokens in zip(read[o.name], inputs[:20]):
                last = [k for k in m.trace(list(tokens)) if k.endswith("residual")][-1]
                wanted = m.trace(list(tokens))[last][:, o.start : o.start + o.size]
                assert np.abs(row.numpy() - wanted).max() <= 2 * m.certificate.error + 1e-9


def test_what_is_no_batch_of_token_numbers(compiled):
    m = compiled("sort", alphabet="abc", max_length=5)
    t, ids = m.torch(), m.encode("cab")
    plain = torch.as_tensor(ids)
    for bad in ("cab", [[0, 1]], ids, plain[0], plain.float(), plain[:, :1].expand(1, 7)):
        with pytest.raises(rasp.UseError, match="expected token numbers, .* n at most 5; found"):
            t(bad)
    with pytest.raises(rasp.UseError, match=r"these token numbers, \[1, 3\]; found \[1, 4\]"):
        m.decode(t(plain)["sorted"], ids[:, :3])
    for bad in (dict(rotate="a"), dict(noise=-1), dict(seed=-1)):
        with pytest.raises(rasp.UseError, match=f"^{list(bad)[0]}: expected a"):
            m.torch(**bad)


def test_ragged_batches_are_each_input_alone(compiled):
    m = compiled("sort", alphabet="abc", max_length=5)
    t = m.torch()
    texts = ["a", "cab", "bb", "abcab"]
    ids = m.encode(texts)
    assert m.decode(t(torch.as_tensor(ids))["sorted"], ids) == [sorted(x) for x in texts]
    for row, text in zip(t(torch.as_tensor(ids))["sorted"], texts):
        alone = t(torch.as_tensor(m.encode(text)))["sorted"][0]
        assert torch.allclose(row[: len(text) + 1], alone, atol=1e-4)


@pytest.mark.parametrize("bias", BIASES, ids=range(len(BIASES)))
def test_position_biases(bias, tmp_path, compiled):
    """What outputs read is what the runtime's residual stream ends with."""
    plain = compiled("sort", alphabet="abc", max_length=5)
    m, o = biased(plain, bias, tmp_path / "w.bin"), plain.output()
    texts = ["a", "cabca", "bb", "ccab"]
    t = m.torch()
    reads = t(torch.as_tensor(m.encode(texts)))[o.name]
    reads.sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in t.parameters())
    reads = reads.detach().numpy()
    differ = False
    for row, text in zip(reads, texts):
        stream, before = (list(x.trace(text).values())[-1] for x in (m, plain))
        wanted = stream[:, o.start : o.start + o.size]
        assert np.allclose(row[: len(text) + 1], wanted, atol=1e-3)
        differ |= not np.allclose(stream, before, atol=1e-3)
    assert differ


@pytest.mark.parametrize("kernel", ["softmax", "sparsemax", "entmax15"])
def test_gradients_go_through_everything(kernel, compiled):
    m = compiled("sort", alphabet="abc", max_length=4, kernel=kernel, dtype="f64")
    t = m.torch()
    assert m.check(t)
    t(torch.as_tensor(m.encode(["cab", "b"])))["sorted"].sum().backward()
    for name, parameter in t.named_parameters():
        assert parameter.grad is not None and torch.isfinite(parameter.grad).all(), name
    assert sum(p.grad.abs().sum() for p in t.parameters()) > 0


@pytest.mark.parametrize("kernel", ["sparsemax", "entmax15"])
def test_sparse_kernels_alone(kernel):
    """The weights against their definition: projections that bisection finds."""
    from rasp.torch_model import KERNELS

    rng = np.random.default_rng(1)
    for _ in range(50):
        s = rng.standard_normal(6) * 3
        s[rng.random(6) < 0.3] = -np.inf
        s[0] = 0.0
        power, scale = (1, 1.0) if kernel == "sparsemax" else (2, 0.5)
        low, high = (s * scale)[np.isfinite(s)].min() - 3, (s * scale).max()
        for _ in range(200):
            middle = (low + high) / 2
            total = (np.maximum(s * scale - middle, 0) ** power).sum()
            low, high = (middle, high) if total > 1 else (low, middle)
        wanted = np.maximum(s * scale - low, 0) ** power
        assert np.allclose(KERNELS[kernel](torch.tensor(s)).numpy(), wanted, atol=1e-9)


def test_hooks_by_the_names_of_heads(compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    t, seen = m.torch(), {}
    heads = {name: module for name, module in t.named_modules() if name.endswith(".pattern")}
    assert any("selector_width" in name for name in heads)
    for name, module in heads.items():
        module.register_forward_hook(lambda _m, _i, out, name=name: seen.update({name: out}))
    t(torch.as_tensor(m.encode("cab")))
    trace = m.trace("cab")
    wanted = [trace[name] for name in trace if name.endswith(".weights")]
    for found, weights in zip(seen.values(), wanted):
        assert np.allclose(found[0].detach().numpy(), weights, atol=1e-5)
    assert len(seen) == len(wanted)


@pytest.mark.parametrize("name", ["sort", "histogram", "is-dyck-2"])
def test_another_basis(name, compiled):
    m = compiled(name)
    t = m.torch(rotate=3, dtype=torch.float64)
    assert m.check(t, count=200, exhaustive_limit=200)
    plain = m.torch(dtype=torch.float64)
    assert not torch.allclose(t.tokens, plain.tokens)
    ids = torch.as_tensor(m.encode([m.alphabet[:3]]))
    assert torch.allclose(t(ids)[m.output().name], plain(ids)[m.output().name], atol=1e-6)
    again = m.torch(rotate=3, dtype=torch.float64)
    assert torch.equal(t.tokens, again.tokens)


def test_what_noise_and_few_bits_leave(compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    assert m.check(m.torch(noise=1e-6))
    broken = m.check(m.torch(noise=0.3))
    assert not broken and broken.agreement < 1 and broken.runs[0].examples
    few = m.check(m.torch(dtype=torch.bfloat16))
    assert few.compared == 120 and 0 <= few.agreement <= 1
    assert torch.equal(m.torch(noise=0.1, seed=2).tokens, m.torch(noise=0.1, seed=2).tokens)
    with pytest.raises(rasp.UseError, match="dtype"):
        m.torch(dtype=torch.int64)


def test_saved_and_exported(compiled, tmp_path):
    m = compiled("sort", alphabet="abc", max_length=4)
    t, ids = m.torch(), torch.as_tensor(m.encode(["cab", "b"]))
    torch.save(t, tmp_path / "t.pt")
    again = torch.load(tmp_path / "t.pt", weights_only=False)
    exported = torch.export.export(t, (ids,)).module()
    for other in (again, exported):
        assert torch.equal(other(ids)["sorted"], t(ids)["sorted"])


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_by_torch(backend, compiled):
    m = compiled("sort", alphabet="abc", max_length=4)
    t = torch.compile(m.torch(), backend=backend)
    ids = m.encode(["cab", "b"])
    assert m.decode(t(torch.as_tensor(ids))["sorted"], ids) == [list("abc"), ["b"]]


def test_under_nnsight(compiled):
    nnsight = pytest.importorskip("nnsight")
    m = compiled("induction")
    t = m.torch()
    model, ids = nnsight.NNsight(t), torch.as_tensor(m.encode("abcab"))
    head = next(name for name, _ in t.named_modules() if name.endswith(".pattern"))
    with model.trace(ids):
        pattern = model.get(head).output.save()
        out = model.output.save()
    assert torch.allclose(
        pattern[0].double(), torch.tensor(m.trace("abcab")["layers.0.heads.0.weights"]), atol=1e-5
    )
    assert m.decode(out[m.output().name], ids) == [m.program("abcab")]


def test_whole_numbers_that_are_too_many_to_list(binary):
    ids, t = binary.encode([[1, 0, 1, 1], [1] * 20]), binary.torch()
    assert binary.decode(t(torch.as_tensor(ids))["value"], ids) == [[11] * 4, [2**20 - 1] * 20]
    check = binary.check(t, count=300)
    assert check and 0.49 < check.runs[0].least_margin <= 0.5
