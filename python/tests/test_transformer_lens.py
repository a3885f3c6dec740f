"""TransformerLens's native model: equal to the interpreter, hooks and patching, what is refused."""

import numpy as np
import pytest

import rasp
from conftest import BIASES, PEERS, PROGRAMS, SOME, biased

torch = pytest.importorskip("torch")
pytest.importorskip("transformer_lens")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", PROGRAMS if PEERS else SOME)
def test_every_bundled_program(name, compiled):
    m = compiled(name)
    tl = m.transformer_lens()
    assert m.check(tl, count=60, exhaustive_limit=60)
    causal = tl.rasp.info["options"]["mask"] == "causal"
    assert tl.cfg.attention_dir == ("causal" if causal else "bidirectional")


def test_both_masks():
    m = rasp.Program("has-seen").compile(max_length=5) if "has-seen" in rasp.bundled() else None
    for mask in ("causal", "none"):
        tl = m.transformer_lens(mask=mask)
        assert tl.rasp.info["options"]["mask"] == mask and m.check(tl, count=100)


def test_the_cache_is_the_trace(compiled):
    tl = compiled("sort", alphabet="abc", max_length=5).transformer_lens()
    ids = torch.as_tensor(tl.rasp.encode("cab"))
    logits, cache = tl.run_with_cache(ids)
    trace = tl.rasp.trace("cab")
    assert tl.rasp.decode_logits(logits, ids) == [list("abc")]
    width = trace["embed.residual"].shape[1]
    for layer, facts in enumerate(tl.rasp.info["layers"]):
        for h in range(len(facts["heads"])):
            pattern = cache[f"blocks.{layer}.attn.hook_pattern"][0, h]
            assert np.allclose(pattern, trace[f"layers.{layer}.heads.{h}.weights"], atol=1e-5)
        stream = cache[f"blocks.{layer}.hook_resid_mid"][0, :, :width]
        assert np.allclose(stream, trace[f"layers.{layer}.heads.residual"], atol=1e-3)
        stream = cache[f"blocks.{layer}.hook_resid_post"][0, :, :width]
        assert np.allclose(stream, trace[f"layers.{layer}.mlps.0.residual"], atol=1e-3)


def test_patching(compiled):
    """All heads of the last input's values put into the run on another: its answer comes out."""
    tl = compiled("induction").transformer_lens()
    clean, other = (torch.as_tensor(tl.rasp.encode(x)) for x in ("abcab", "acbac"))
    _, cache = tl.run_with_cache(other)
    hooks = [
        (f"blocks.{k}.hook_resid_post", lambda value, hook: cache[hook.name])
        for k in range(tl.cfg.n_layers)
    ]
    patched = tl.run_with_hooks(clean, fwd_hooks=hooks)
    assert tl.rasp.decode_logits(patched, clean) == [tl.rasp.program("acbac")]


def test_gradients(compiled):
    tl = compiled("histogram", alphabet="abc", max_length=4).transformer_lens()
    tl(torch.as_tensor(tl.rasp.encode(["cab", "b"]))).sum().backward()
    grads = [p.grad for p in tl.parameters() if p.grad is not None]
    assert grads and all(torch.isfinite(g).all() for g in grads)


def test_outputs_and_types():
    p = rasp.Program("a = indices; b = tokens; c = (indices + 1) / 3;")
    m = p.compile("a", "b", "c", alphabet="ab", max_length=4)
    for output, wanted in (("a", [0, 1, 2]), ("b", list("aab")), (None, [1 / 3, 2 / 3, 1.0])):
        tl = m.transformer_lens(output=output, dtype=torch.float64)
        ids = torch.as_tensor(tl.rasp.encode("aab"))
        assert tl.rasp.decode_logits(tl(ids), ids, output) == [wanted]


REFUSED = [
    (dict(kernel="sparsemax"), dict(), "sparsemax: its attention is softmax"),
    (dict(log_length=True), dict(), "log_length"),
    (dict(), dict(mask="causal"), "one mask for all heads .* later positions"),
]


@pytest.mark.parametrize("target, options, reason", REFUSED)
def test_what_cannot_be_had_is_said(target, options, reason):
    m = rasp.Program("sort").compile(alphabet="ab", max_length=4, **target)
    with pytest.raises(rasp.RaspError, match=reason):
        m.transformer_lens(**options)


def test_position_biases_are_refused(compiled, tmp_path):
    m = biased(compiled("sort", alphabet="ab", max_length=4), BIASES[0], tmp_path / "w.bin")
    with pytest.raises(rasp.RaspError, match="a head's bias"):
        m.transformer_lens()


def test_whole_numbers_that_are_too_many_to_list(binary):
    tl = binary.transformer_lens()
    ids = torch.as_tensor(tl.rasp.encode([[1, 0, 1, 1], [1] * 20]))
    assert tl.rasp.decode_logits(tl(ids), ids) == [[11] * 4, [2**20 - 1] * 20]
    assert binary.check(tl, count=300)
