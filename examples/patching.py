"""The induction circuit under patching, and five programs' circuits found by it.

A notebook as a plain script: cells begin with '# %%'.  Needs torch and TransformerLens 4.3.

    python examples/patching.py [--quick]
"""

# %% A program, compiled, in TransformerLens; tl.rasp knows its tokens and values
import sys
import warnings

import numpy as np
import torch

import rasp

QUICK = "--quick" in sys.argv
warnings.filterwarnings("ignore")
torch.manual_seed(1)

tl = rasp.Program("induction").compile(alphabet="abcd", max_length=8).transformer_lens()
ids = torch.as_tensor(tl.rasp.encode("abcdab"))
logits, cache = tl.run_with_cache(ids)
print("induction of abcdab:", tl.rasp.decode_logits(logits, ids)[0])

# %% Which head moves the answer?  Each head's output is put into the run on another input.
other = torch.as_tensor(tl.rasp.encode("badcba"))
_, others = tl.run_with_cache(other)
for layer, facts in enumerate(tl.rasp.info["layers"]):
    for head, h in enumerate(facts["heads"]):

        def patch(z, hook, head=head):
            z[:, 1:, head] = others[hook.name][:, 1:, head]  # row 0 is the sink
            return z

        out = tl.run_with_hooks(ids, fwd_hooks=[(f"blocks.{layer}.attn.hook_z", patch)])
        found = tl.rasp.decode_logits(out, ids)[0]
        print(f"head {layer}.{head} ({h.get('selector', 'padding')}): {found}")


# %% Who reads whom: activation patching of every edge.
# A component's contribution to what one reader is shown of the residual stream is replaced by what
# it is on another input; the edge is there if any logit of any input changes.  Readers are linear
# in the stream, so that the change is one of a head's queries, keys or values, or of the
# feed-forward sublayer before its ReLU.
class Edges:
    def __init__(self, tl, clean, other):
        self.tl, self.clean = tl, clean
        self.layers, self.heads = range(tl.cfg.n_layers), range(tl.cfg.n_heads)
        with torch.no_grad():
            self.logits, a = tl.run_with_cache(clean)
            _, b = tl.run_with_cache(other)
        # Of positions another input knows nothing: they are put into another order.
        order = [0, *(1 + np.roll(np.arange(clean.shape[1] - 1), 1))]
        places = a["hook_pos_embed"]
        self.changes = {
            "tokens": b["hook_embed"] - a["hook_embed"],
            "positions": places[:, order] - places,
        }
        self.written = {"tokens": -1, "positions": -1}  # before which step of the pass
        for k in self.layers:
            z = b[f"blocks.{k}.attn.hook_z"] - a[f"blocks.{k}.attn.hook_z"]
            for h, output in enumerate(self.split(tl.blocks[k].attn.o.weight.T)):
                self.add(f"head {k}.{h}", 2 * k, z[:, :, h] @ output)
            out = f"blocks.{k}.hook_mlp_out"
            self.add(f"mlp {k}.0", 2 * k + 1, b[out] - a[out])

    def split(self, weight):
        """[heads * d_head, width] -> [heads, d_head, width]"""
        return weight.detach().reshape(len(self.heads), -1, weight.shape[-1])

    def add(self, name, step, change):
        self.changes[name], self.written[name] = change, step

    def readers(self):
        """(name, role, step, hook, head, weight): where each reader takes what from the stream."""
        for k in self.layers:
            attn = self.tl.blocks[k].attn
            for role, part in (("query", attn.q), ("key", attn.k), ("value", attn.v)):
                for h, weight in enumerate(self.split(part.weight)):
                    yield (
                        f"head {k}.{h}",
                        role,
                        2 * k,
                        f"blocks.{k}.attn.hook_{role[0]}",
                        h,
                        weight.T,
                    )
            into = getattr(self.tl.blocks[k].mlp, "in").weight.detach().T
            yield f"mlp {k}.0", "input", 2 * k + 1, f"blocks.{k}.mlp.hook_pre", None, into
        name = f"output {self.tl.rasp_output}"
        last = f"blocks.{self.layers[-1]}.hook_resid_post"
        yield (
            name,
            "output",
            2 * len(self.layers),
            last,
            None,
            torch.eye(self.tl.cfg.d_model, dtype=self.logits.dtype),
        )

    def effect(self, change, hook, head):
        """The largest change of a logit."""

        def patch(value, hook):
            value = value.clone()
            part = value if head is None else value[:, :, head]
            part[:, 1:] += change[:, 1:]
            return value

        with torch.no_grad():
            out = self.tl.run_with_hooks(self.clean, fwd_hooks=[(hook, patch)])
        return float((out - self.logits)[:, 1:].abs().max())

    def find(self, least=1e-2):
        found = []
        for reader, role, step, hook, head, weight in self.readers():
            for name, change in self.changes.items():
                seen = change @ weight
                if self.written[name] >= step or seen[:, 1:].abs().max() < 1e-6:
                    continue  # it comes later, or nothing of it is read
                if self.effect(seen, hook, head) > least:
                    found.append((name, reader, role))
        return found


def inputs(model, count, seed):
    """Inputs of the greatest length, those that the program knows an answer for."""
    rng, n = np.random.default_rng(seed), model.max_length
    return [
        [model.alphabet[k] for k in rng.integers(len(model.alphabet), size=n)] for _ in range(count)
    ]


# %% Five programs, and the score of what was found
FIVE = {"induction": "abc", "histogram": "abc", "sort": "abc", "reverse": "abc", "most-freq": "abc"}
if QUICK:
    FIVE = {"induction": "abc", "histogram": "abc"}


# Dimensions of the residual stream are used again: a unit clears a column, by subtracting it, and
# another is written there.  Patching shows the later reader what the earlier writer would change,
# and the clearing unit as a reader: edges by `shared` dimensions, which are none of the circuit's.
def shared(circuit):
    found = set()
    for edge in circuit.edges:
        role = "input" if edge["role"] == "clear" else edge["role"]
        dim = circuit.columns[edge["column"]].get("dim")
        writers = [c["node"] for c in circuit.columns if dim is not None and c.get("dim") == dim]
        found |= {(circuit.label(node), circuit.label(edge["to"]), role) for node in writers}
    return found


columns = ("edges", "found", "right", "shared", "precision", "recall")
print(f"\n{'program':12}" + "".join(f"{name:>10}" for name in columns))
for name, alphabet in FIVE.items():
    tl = rasp.Program(name).compile(alphabet=alphabet, max_length=5).transformer_lens()
    clean, other = (torch.as_tensor(tl.rasp.encode(inputs(tl.rasp, 48, seed))) for seed in (1, 2))
    score = rasp.score(Edges(tl, clean, other).find(), tl.rasp)
    edges, found = len(score.right) + len(score.missed), len(score.right) + len(score.extra)
    reused = score.extra & shared(tl.rasp.circuit)
    counts = "".join(f"{count:10}" for count in (edges, found, len(score.right), len(reused)))
    print(f"{name:12}{counts}{score.precision:10.2f}{score.recall:10.2f}", flush=True)
    for what, some in (("missed", score.missed), ("extra", score.extra - reused)):
        for edge in sorted(some):
            print(f"    {what}: {edge[0]} -> {edge[1]}, {edge[2]}")
