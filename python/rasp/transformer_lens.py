"""A compiled model in TransformerLens's native model, TransformerBridge.boot_native.

What the native model is: every head sees every position (or, causal, those up to its own), heads
are of one size, one feed-forward sublayer a layer, scores are divided by a number, all rows read
one table of tokens, decoding is linear and without a bias.  What a compiled model needs beside
that is brought by three dimensions of the residual stream of our own, which the embedding alone
writes, and two more of each head's queries and keys:

    bos    1 in row 0, the sink      the sink sees itself alone, and is seen by heads with a sink
    pad    1 in rows behind the end  nobody sees them, so inputs of several lengths go together
    one    1 in every row            the bias of decoders, and queries of the two

A score of -HIDDEN leaves softmax a weight of exactly 0.  Keys that are seen have 0 in the
dimensions of our own, so that their scores are what they were, to the last bit.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from ._lib import RaspError, UseError, need

HIDDEN = 2.0**40  # far above every score, and exact
SCALE = 2.0  # scores are divided by it, which is exact; 1 is refused by TransformerLens


class Unsupported(RaspError):
    """What of a program cannot be had in TransformerLens, and why."""

    status = "unsupported"


def refuse(reason: str) -> None:
    raise Unsupported(f"not to be had in TransformerLens's native model: {reason}")


def fits(model: Any, mask: Optional[str] = None) -> bool:
    """Is it compiled as the native model needs it, with this mask, if there is one?"""
    options = model.info["options"]
    masks = ("none", "causal") if mask is None else (mask,)
    return options["layout"] == "standard" and options["mask"] in masks


def standard(model: Any, mask: Optional[str] = None) -> Any:
    """Model.standard."""
    if mask not in (None, "none", "causal"):
        raise UseError(f"mask: expected 'causal' or 'none', found {mask!r}")
    options, domain = model.info["options"], model.info.get("domain") or {}
    sops = [options["expression"]] if options.get("expression") else options["sops"]
    target = dict(
        alphabet=model.alphabet,
        max_length=model.max_length,
        first=domain.get("first"),
        where=domain.get("where"),
        layout="standard",
        partial=options["partial"],
        table_limit=options["table_limit"],
    )
    for tried in ("causal", "none") if mask is None else (mask,):
        try:
            return model.program.compile(*sops, mask=tried, **target)
        except RaspError as reason:
            if mask is not None or tried == "none":
                refuse(
                    f"it cannot be compiled with one mask for all heads (mask={tried!r}): {reason}"
                )
    raise AssertionError


def check(model: Any) -> None:
    """Refuses what the native model cannot do."""
    kernel = model.info.get("kernel", "softmax")
    if kernel != "softmax":
        refuse(
            f"the kernel {kernel}: its attention is softmax, whose weights are never 0; compile "
            "with kernel='softmax'"
        )
    if any("bias" in head for layer in model.info["layers"] for head in layer["heads"]):
        refuse(
            "a head's bias: positions add nothing to its scores but by the embedding; "
            "torch() and onnx() have it"
        )
    scaled = [
        (k, h)
        for k, layer in enumerate(model.info["layers"])
        for h, head in enumerate(layer["heads"])
        if head["scale"] != "one"
    ]
    if scaled:
        refuse(
            "log_length: its scores have one scale, whatever the input's length; compile without"
        )


def build(
    model: Any, *, mask: Optional[str] = None, output: Optional[str] = None, dtype: Any = None
) -> Any:
    """A TransformerBridge (TransformerLens 4.3) with the weights of the model, or of
    Model.standard(mask) where it was compiled otherwise; that one is its attribute `rasp`, by whose
    encode, decode_logits and circuit the bridge is used:

        ids = torch.as_tensor(tl.rasp.encode(["cab", "ab"]))
        logits, cache = tl.run_with_cache(ids)
        tl.rasp.decode_logits(logits, ids)             # [['a', 'b', 'c'], ['a', 'b']]

    Logits [batch, 1 + n, values] are of one output (the default, or `output`), an entry for each of
    its values, the largest where it decodes; row 0 is the sink, as BOS.  An output that is a
    number, or whole numbers too many to list, has one logit, which is it.  `dtype`: a torch.dtype,
    else the model's own.
    """
    check(model)
    torch = need("torch", "Model.transformer_lens()")
    lens = need(
        "transformer_lens.model_bridge", "Model.transformer_lens()", "'transformer_lens>=4.3'"
    )
    config = need("transformer_lens.config", "Model.transformer_lens()", "'transformer_lens>=4.3'")
    need(
        "transformer_lens.model_bridge.sources.native",
        "Model.transformer_lens()",
        "'transformer_lens>=4.3'",
    )
    made = model if fits(model, mask) else standard(model, mask)
    kind = dtype or {"f32": torch.float32, "f64": torch.float64}[made.dtype]
    sizes = _sizes(made)
    out = made.output(output)
    unembed = _unembed(made, out, sizes["d_model"])
    causal = made.info["options"]["mask"] == "causal"
    bridge = lens.TransformerBridge.boot_native(
        config.TransformerBridgeConfig(
            n_layers=max(len(made.info["layers"]), 1),
            n_ctx=made.max_length + 1,
            d_vocab=made.pad + 1,
            d_vocab_out=len(unembed),
            act_fn="relu",
            attention_dir="causal" if causal else "bidirectional",
            normalization_type=None,
            use_attn_scale=True,
            attn_scale=SCALE,
            init_weights=False,
            dtype=kind,
            **sizes,
        ),
        dtype=kind,
    )
    state = {name: torch.tensor(w, dtype=kind) for name, w in _state(made, sizes, unembed).items()}
    # Not strict: the bridge knows each tensor by several names, and misses the others.
    unknown = bridge.load_state_dict(state, strict=False).unexpected_keys
    if unknown:
        refuse(f"this release of it has no {', '.join(sorted(unknown))}; 4.3 has")
    bridge.eval()
    bridge.rasp, bridge.rasp_output = made, out.name
    return bridge


def _sizes(model: Any) -> Dict[str, int]:
    w, layers = model.weights, model.info["layers"]
    inner = [name for name in w if ".heads." in name or ".mlps." in name]
    ranks = [w[name].shape[1] for name in inner if name.endswith((".query", ".value"))]
    units = [w[name].shape[1] for name in inner if name.endswith(".in")]
    return dict(
        d_model=w["embed.tokens"].shape[1] + 3,
        d_head=max(ranks, default=0) + 2,
        n_heads=max([len(layer["heads"]) for layer in layers] + [1]),
        d_mlp=max(units, default=1),
    )


def _unembed(model: Any, output: Any, width: int) -> np.ndarray:
    """[values, width]: what each value's logit reads.  The nearest of places v to x has the
    greatest 2xv - v², which is linear in x and `one`; v counts from the middle place."""
    if output.decode == "nearest":
        middle = (output.places.max() + output.places.min()) / 2
        v = output.places - middle
        found = np.zeros((len(v), width))
        found[:, output.start], found[:, width - 1] = 2 * v, -v * v - 2 * v * middle
        return found
    found = np.zeros((output.size, width))
    found[np.arange(output.size), output.start + np.arange(output.size)] = 1
    return found


def _state(model: Any, sizes: Dict[str, int], unembed: np.ndarray) -> Dict[str, np.ndarray]:
    w, width = model.weights, sizes["d_model"]
    d, heads, units = sizes["d_head"], sizes["n_heads"], sizes["d_mlp"]
    bos, pad, one = width - 3, width - 2, width - 1
    tokens = np.zeros((model.pad + 1, width))
    tokens[:-1, :bos], tokens[0, bos], tokens[-1, pad], tokens[:, one] = w["embed.tokens"], 1, 1, 1
    positions = np.zeros((model.max_length + 1, width))
    positions[:, :bos] = w["embed.positions"]
    state = {"tok_embed.weight": tokens, "pos.weight": positions, "head.weight": unembed}
    layers = model.info["layers"] or [{"heads": []}]
    for k, layer in enumerate(layers):
        parts = {name: np.zeros((heads, d, width)) for name in "qkv"}
        output = np.zeros((heads, d, width))
        for h in range(heads):
            facts = layer["heads"][h] if h < len(layer["heads"]) else {"sink": False}
            for name, tensor in (("q", "query"), ("k", "key"), ("v", "value")):
                given = w.get(f"layers.{k}.heads.{h}.{tensor}")
                if given is not None:
                    parts[name][h, : given.shape[1], :bos] = given.T
            given = w.get(f"layers.{k}.heads.{h}.output")
            if given is not None:
                output[h, : len(given), :bos] = given
            _hide(parts["q"][h], parts["k"][h], facts["sink"], bos, pad, one)
        parts["q"] *= SCALE
        for name in "qkv":
            state[f"layers.{k}.attn.{name}.weight"] = parts[name].reshape(heads * d, width)
            state[f"layers.{k}.attn.{name}.bias"] = np.zeros(heads * d)
        state[f"layers.{k}.attn.o.weight"] = output.reshape(heads * d, width).T
        state[f"layers.{k}.attn.o.bias"] = np.zeros(width)
        state.update(_sublayer(w, f"layers.{k}", width, units, bos))
    return state


def _hide(query: np.ndarray, key: np.ndarray, sink: bool, bos: int, pad: int, one: int) -> None:
    """Who sees whom, in the last two dimensions of a head: row 0 itself alone; other rows row 0 if
    the head has a sink, and no row behind the end."""
    query[-1, one], key[-1, pad] = 1, -HIDDEN
    key[-2, bos] = 1
    query[-2, bos] = HIDDEN
    if not sink:
        query[-2, one] = -HIDDEN
        query[-2, bos] += HIDDEN


def _sublayer(
    w: Dict[str, np.ndarray], at: str, width: int, units: int, bos: int
) -> Dict[str, np.ndarray]:
    into, bias = np.zeros((units, width)), np.zeros(units)
    out, out_bias = np.zeros((width, units)), np.zeros(width)
    if f"{at}.mlps.0.in" in w:
        given = w[f"{at}.mlps.0.in"]
        n = given.shape[1]
        into[:n, :bos], bias[:n] = given.T, w[f"{at}.mlps.0.in_bias"]
        out[:bos, :n], out_bias[:bos] = w[f"{at}.mlps.0.out"].T, w[f"{at}.mlps.0.out_bias"]
    return {
        f"{at}.mlp.fc_in.weight": into,
        f"{at}.mlp.fc_in.bias": bias,
        f"{at}.mlp.fc_out.weight": out,
        f"{at}.mlp.fc_out.bias": out_bias,
    }
