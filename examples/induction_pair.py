#!/usr/bin/env python3
"""The textbook induction pair, written by hand: two heads, no program, no compiler.

    examples/induction_pair.py w.bin
    rasp verify w.bin --program examples/induction_pair.rasp

Head 1 copies the previous token, head 2 looks for this token among those copies and says what
stands there.  docs/weights.md is the format, docs/proof.md what is claimed of it below.
"""
import json, struct, sys

LETTERS, N, BETA = "abc", 8, 64.0
SINK, ONE, INDEX, SQUARE, TOKEN, PREVIOUS, OUT = 0, 1, 2, 3, 4, 7, 10
W, V = 13, len(LETTERS)

def matrix(rows, cols, entries=()):
    m = [[0.0] * cols for _ in range(rows)]
    for row, col, x in entries:
        m[row][col] = x
    return m

letters = range(V)
tensors = {
    "embed.tokens": matrix(V + 1, W, [(0, SINK, 1)] + [(1 + k, ONE, 1) for k in letters]
                           + [(1 + k, TOKEN + k, 1) for k in letters]),
    "embed.positions": matrix(N + 1, W, [(1 + i, INDEX, i) for i in range(N)]
                              + [(1 + i, SQUARE, i * i) for i in range(N)]),
    # 1 - (j - (i - 1))^2 = 2 j (i - 1) - j^2 + 1 - (i - 1)^2, and 1/2 for the sink
    "layers.0.heads.0.query": matrix(W, 3, [(INDEX, 0, BETA), (ONE, 0, -BETA), (ONE, 1, BETA),
                                            (INDEX, 2, 2 * BETA), (SQUARE, 2, -BETA)]),
    "layers.0.heads.0.key": matrix(W, 3, [(INDEX, 0, 2), (SQUARE, 1, -1), (SINK, 1, 0.5),
                                          (ONE, 2, 1)]),
    "layers.0.heads.0.value": matrix(W, V, [(TOKEN + k, k, 1) for k in letters]),
    "layers.0.heads.0.output": matrix(V, W, [(k, PREVIOUS + k, 1) for k in letters]),
    # 1 where the previous token there is the one here, and 1/2 for the sink
    "layers.1.heads.0.query": matrix(W, V + 1, [(TOKEN + k, k, BETA) for k in letters]
                                     + [(ONE, V, BETA)]),
    "layers.1.heads.0.key": matrix(W, V + 1, [(PREVIOUS + k, k, 1) for k in letters]
                                   + [(SINK, V, 0.5)]),
    "layers.1.heads.0.value": matrix(W, V, [(TOKEN + k, k, 1) for k in letters]),
    "layers.1.heads.0.output": matrix(V, W, [(k, OUT + k, 1) for k in letters]),
}

before = "select(indices, indices - 1, ==)"
is_letter = [f'1.0 if tokens == "{x}" else 0.0' for x in LETTERS]
claims = {
    "version": 1,
    "token": [{"sop": is_letter[k], "dim": TOKEN + k, "until": [1]} for k in letters],
    "position": [{"sop": "indices", "dim": INDEX, "until": [0]},
                 {"sop": "indices ^ 2", "dim": SQUARE, "until": [0]}],
    "layers": [
        {"heads": [{"selector": before, "kind": "default", "mask": "none", "components": [
            {"sop": f"aggregate({before}, {is_letter[k]}, 0.0)", "dim": PREVIOUS + k, "until": [1]}
            for k in letters]}]},
        {"heads": [{"selector": "match", "kind": "default", "mask": "causal",
                    "components": [{"sop": x} for x in LETTERS]}]},
    ],
    "outputs": [{"sop": x} for x in LETTERS],
}
shares = sorted({k / m for m in range(1, N) for k in range(m + 1)})
model = {
    "token_type": "string", "max_length": N, "alphabet": list(LETTERS),
    "layers": [{"heads": [{"mask": mask, "sink": True, "scale": "one", "gap": BETA / 2}], "mlps": 0}
               for mask in ("none", "causal")],
    "outputs": [{"name": x, "decode": "nearest", "start": OUT + k, "values": shares}
                for k, x in enumerate(LETTERS)],
    "claims": claims,
}

header, data = {"__metadata__": {"format": "rasp-transformer/1", "model": json.dumps(model)}}, b""
for name, m in tensors.items():
    numbers = [x for row in m for x in row]
    header[name] = {"dtype": "F32", "shape": [len(m), len(m[0])],
                    "data_offsets": [len(data), len(data) + 4 * len(numbers)]}
    data += struct.pack(f"<{len(numbers)}f", *numbers)
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
