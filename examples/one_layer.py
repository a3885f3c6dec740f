"""Which one-layer model does my task?

A notebook as a plain script: cells begin with '# %%'.  Needs nothing but rasp.

    python examples/one_layer.py [--quick]
"""

# %% A task is a program, or a file of inputs and outputs.  Here: has the token been here before?
import sys

import rasp

QUICK = "--quick" in sys.argv
LONGEST = 4 if QUICK else 6
task = rasp.Program(
    "y = selector_width(select(tokens, tokens, ==) and select(indices, indices, <)) > 0;"
)
print("aba:", task("aba"))

# %% What heads of each class need: averaging heads, heads that pick one key, relative positions
rows = rasp.express(
    task,
    classes=["average", "unique", "relative"],
    alphabet="ab",
    max_length=LONGEST,
    time_limit=10,
)
for row in rows:
    if row["max_length"] == LONGEST:
        print(f"{row['class']:10} {row.get('least') or row.get('answer') or row}")

# %% The program that was found is a model like any other
found = [row["program"] for row in rows if row.get("program")]
print(f"\n{found[0]['source']}")
model = rasp.Program(found[0]["source"]).compile()
print(model, model.check())

# %% It does the task, and says how far it carries
same = all(model.program(tokens) == task(tokens) for tokens in model.inputs())
print(
    "the same as the task on all its inputs:",
    same,
    "- it holds up to length",
    found[0].get("holds_up_to", LONGEST),
)

# %% And one that heads which pick one key cannot do: how many are needed, length by length
rows = rasp.express("histogram", classes="unique", max_length=4, heads=2)
for row in rows:
    print(f"counting equal tokens, to length {row['max_length']}:", row["least"])
