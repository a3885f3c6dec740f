"""A class of programs, and where they break under noise.

A notebook as a plain script: cells begin with '# %%'.  Needs torch.

    python examples/noise.py [--quick]
"""

# %% The class: by what heads do: move a value, count, take a mean; or one after the other
import sys

import torch

import rasp

QUICK = "--quick" in sys.argv
DRAWS = 2 if QUICK else 8  # of the noise
PROGRAMS = {
    "moves": "y = aggregate(select(indices, length - 1 - indices, ==), tokens);",
    "counts": "y = selector_width(select(tokens, tokens, ==));",
    "mean": 'y = aggregate(select(indices, indices, <=), indicator(tokens == "a"));',
    "counts, moves": "y = sort(tokens, tokens);",
    "moves, moves": 'x = aggregate(select(indices, indices - 1, ==), tokens, "-");\n'
    'y = aggregate(select(indices, indices - 1, ==), x, "-");',
}
names = list(PROGRAMS)[:3] if QUICK else list(PROGRAMS)
models = {
    name: rasp.Program(PROGRAMS[name]).compile(alphabet="abc", max_length=6) for name in names
}
for name, m in models.items():
    print(f"{name:15}{m.check()}, {m.certificate.error:.2g} certified")

# %% Noise on every weight: the part of the inputs that still come out right
SIGMAS = [1e-4, 1e-2, 1e-1] if QUICK else [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1]
print(f"\n{'sigma':15}" + "".join(f"{sigma:>8g}" for sigma in SIGMAS))
breaks = {}
for name, m in models.items():
    row = []
    for sigma in SIGMAS:
        checks = [
            m.check(m.torch(noise=sigma, seed=seed), count=300, exhaustive_limit=300)
            for seed in range(DRAWS)
        ]
        row.append(sum(check.agreement for check in checks) / DRAWS)
        if row[-1] < 1 and name not in breaks:
            breaks[name] = (
                sigma,
                next((seed, c.runs[0].examples[0].input) for seed, c in enumerate(checks) if not c),
            )
    print(f"{name:15}" + "".join(f"{part:8.2f}" for part in row), flush=True)

# %% Where it breaks: the first noise that costs an input, and which head's weights it moves most
print()
for name, (sigma, (seed, tokens)) in breaks.items():
    m, seen = models[name], {}
    broken = m.torch(noise=sigma, seed=seed)
    for at, module in broken.named_modules():
        if at.endswith(".pattern"):
            module.register_forward_hook(lambda _m, _i, out, at=at: seen.update({at: out[0]}))
    broken(torch.as_tensor(m.encode([tokens])))
    trace = m.trace(tokens)
    wanted = [torch.tensor(trace[key]) for key in trace if key.endswith(".weights")]
    moved = {
        at: float((found.double() - true).detach().abs().max())
        for (at, found), true in zip(seen.items(), wanted)
    }
    head = max(moved, key=moved.get)
    print(
        f"{name}: at {sigma:g} on {''.join(tokens)}, "
        f"{head.removeprefix('layers.').removesuffix('.pattern')} is off by {moved[head]:.2g}"
    )

# %% Fewer bits, and another basis: what looks less compiled is the same model
print()
m = models[names[-1]]
for name, options in {
    "as it is": {},
    "rotated": {"rotate": 7},
    "bfloat16": {"dtype": torch.bfloat16},
    "rotated, bfloat16": {"rotate": 7, "dtype": torch.bfloat16},
}.items():
    check = m.check(m.torch(**options), count=300, exhaustive_limit=300)
    print(
        f"{names[-1]}, {name:20}{check.agreement:.2f} of the inputs, "
        f"least margin {check.runs[0].least_margin:.3g}"
    )
