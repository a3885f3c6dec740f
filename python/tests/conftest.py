"""What the tests share.  They run against the installed package: see python/test."""

import json
import os
import re

import pytest

import rasp

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
BUNDLED = rasp.bundled()
PEERS = os.environ.get("PEERS", "") == "1"  # all peers are installed, and there is time
LONG = PEERS or os.environ.get("RASP_LONG", "") == "1"  # what is counted in thousands, whole
PROGRAMS = sorted(BUNDLED)
# One or two of each kind, for what takes long with each.
SOME = [
    "sort",
    "histogram",
    "induction",
    "long-addition",
    "is-dyck-2",
    "median",
    "moving-average",
    "has-seen",
    "frac-prevs",
    "first",
    "length",
    "cycle-navigation",
]


@pytest.fixture(scope="session")
def compiled():
    """Bundled programs by name, compiled for the inputs that their comments speak of, once."""
    made = {}

    def get(name, **target):
        key = (name, *sorted(target.items()))
        if key not in made:
            made[key] = rasp.Program(name).compile(**target)
        return made[key]

    return get


@pytest.fixture(scope="session")
def binary():
    """The number that up to twenty bits write: nobody lists its values."""
    place = "2 ^ (length - 1 - indices)"
    text = f"value = round(aggregate(select(0, 0, ==), tokens_int * {place}) * length);"
    return rasp.Program(text).compile(alphabet=[0, 1], max_length=20)


def edited(model, change, path):
    """The model of the file in which change(document) was made; `path` is written."""
    data = model.tobytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    document = json.loads(header["__metadata__"]["model"])
    change(document)
    header["__metadata__"]["model"] = json.dumps(document)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])
    return rasp.load(path)


# What position adds to scores, of each form (docs/weights.md).
BIASES = [
    {"form": "alibi", "values": [0.25]},
    {"form": "window", "values": [3]},
    {"form": "t5", "values": [k / 8 for k in range(32)]},
    {"form": "prior", "values": [0.0, -0.5, None]},
    {"form": "prior", "values": [None, -1.0, 0.0, 0.5], "from": -2},
]


def biased(model, bias, path):
    """The model with the bias at each of its heads."""

    def change(document):
        for layer in document["layers"]:
            for head in layer["heads"]:
                head["bias"] = bias

    return edited(model, change, path)


def examples(path):
    """The lines `# example: INPUT -> OUTPUT` of a program."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^# example: (.*) -> (.*)$", file.read(), re.M)
