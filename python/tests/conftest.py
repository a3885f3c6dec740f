"""What the tests share.  They run against the installed package: see python/test."""

import os
import re

import pytest

import rasp

BUNDLED = rasp.bundled()
PEERS = os.environ.get("PEERS", "") == "1"  # all peers are installed, and there is time
# What takes long to compile is left to the whole run.
PROGRAMS = [name for name in sorted(BUNDLED) if PEERS or name != "rover"]
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


def examples(path):
    """The lines `# example: INPUT -> OUTPUT` of a program."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r"^# example: (.*) -> (.*)$", file.read(), re.M)
