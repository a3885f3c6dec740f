"""The notebooks in examples/, run from the first line to the last."""

import importlib.util
import os
import subprocess
import sys

import pytest

from conftest import EXAMPLES

NOTEBOOKS = {  # and what they need
    "patching.py": ["torch", "transformer_lens"],
    "noise.py": ["torch"],
    "one_layer.py": [],
}


@pytest.mark.parametrize("name, needs", NOTEBOOKS.items())
def test_notebook(name, needs, tmp_path):
    for package in needs:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")
    ran = subprocess.run(
        [sys.executable, os.path.join(EXAMPLES, name), "--quick"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


def test_every_notebook_is_here():
    found = set()
    for name in os.listdir(EXAMPLES):
        with open(os.path.join(EXAMPLES, name), encoding="utf-8") as file:
            if "\n# %%" in file.read():
                found.add(name)
    assert found == set(NOTEBOOKS)
