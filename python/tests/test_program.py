"""Programs: values, heads, inputs, settings."""

import json
import subprocess
import sys

import numpy as np
import pytest

import rasp
from conftest import BUNDLED, examples


def printed(value):
    """A value as programs' comments write it."""
    if isinstance(value, bool):
        return "T" if value else "F"
    return repr(value) if isinstance(value, float) else str(value)


def read_input(text):
    return json.loads(text) if text.startswith("[") else text.strip('"')


def is_close(found, wanted):
    try:
        return abs(float(found) - float(wanted)) < 1e-3 and ("." in found) == ("." in wanted)
    except ValueError:
        return found == wanted


@pytest.mark.parametrize("name", sorted(BUNDLED))
def test_examples_of_bundled_programs(name):
    tried = 0
    p = rasp.Program(name)
    for given, wanted in examples(BUNDLED[name]):
        tokens = read_input(given)
        if not wanted.startswith("["):
            with pytest.raises(rasp.RaspError):
                p(tokens)
            continue
        found = [printed(value) for value in p(tokens)]
        listed = [value.strip('"') for value in wanted[1:-1].split(", ")]
        assert len(found) == len(listed)
        assert all(is_close(a, b) for a, b in zip(found, listed)), (given, found, wanted)
        tried += 1
    assert tried > 0


def test_names_paths_and_texts(tmp_path, monkeypatch):
    path = tmp_path / "own.rasp"
    path.write_text("y = indices + 1;\n")
    assert rasp.Program(path)("abc") == [1, 2, 3]
    assert rasp.Program(str(path)[: -len(".rasp")])("abc") == [1, 2, 3]
    assert rasp.Program("y = indices * 2;")("abc") == [0, 2, 4]
    assert rasp.Program("sort.rasp")("cab") == rasp.Program("paper/sort")("cab") == list("abc")
    monkeypatch.setenv("RASP_PATH", str(tmp_path))
    assert rasp.Program("own")("abc") == [1, 2, 3]
    assert rasp.Program('load "own"; z = y * 10;')("ab") == [10, 20]
    with pytest.raises(rasp.ProgramError, match="no program 'srot' .* near are sort"):
        rasp.Program("srot")


ATOMS = [
    ("cab", ["c", "a", "b"]),
    (["hi", "you", "hi"], ["hi", "you", "hi"]),
    ([3, -1, 2**62], [3, -1, 2**62]),
    ([0.5, -0.0, 1e300], [0.5, -0.0, 1e300]),
    ([True, False], [True, False]),
    (np.array([3, 1]), [3, 1]),
    ((np.float64(0.5), 2.0), [0.5, 2.0]),
    ("a\0b\u00e9\U0001f600", list("a\0b\u00e9\U0001f600")),
    ("[1, 2", list("[1, 2")),
    ("@FILE", list("@FILE")),
]


@pytest.mark.parametrize("given, wanted", ATOMS, ids=range(len(ATOMS)))
def test_atoms_go_in_and_come_out(given, wanted):
    found = rasp.Program("y = tokens_asis;")(given)
    assert found == wanted and [type(a) for a in found] == [type(b) for b in wanted]


@pytest.mark.parametrize("given", [3, None, b"ab", {"a": 1}, [None], [[1]], [2**63], [object()]])
def test_what_is_no_input(given):
    with pytest.raises(rasp.UseError, match="expected"):
        rasp.Program("y = tokens;")(given)


def test_sops_by_name_by_expression_and_selectors():
    p = rasp.Program("s = select(tokens, tokens, ==); a = selector_width(s); b = indices;")
    assert p.sops == ["a", "b"] and p("aba") == [0, 1, 2] and p("aba", "a") == [2, 1, 2]
    assert p("aba", "a * 10") == [20, 10, 20]
    grid = p("aba", "s")
    assert grid.dtype == np.bool_ and grid.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]
    assert rasp.Program("a = indices; b = tokens;", sop="a")("xy") == [0, 1]
    assert p.batch(["a", "aa"], "a") == [[1], [2, 2]]
    with pytest.raises(rasp.UseError, match="selector"):
        p.compile("s", alphabet="ab", max_length=2)


def test_layers_and_places():
    layers = rasp.Program("sort").layers()
    assert layers.count == 2 and [head.layer for head in layers.heads] == [1, 2]
    assert layers.heads[1].place.line == 11 and layers.heads[1].place.file.endswith("sort.rasp")
    assert len(layers.path) == 2 and str(layers).startswith("2 attention layers, 2 heads")


def test_inputs_are_all_there_are():
    p = rasp.Program("y = indices;")
    found = ["".join(tokens) for tokens in p.inputs(alphabet="ab", max_length=2)]
    assert found == ["a", "b", "aa", "ab", "ba", "bb"]
    drawn = list(p.inputs(alphabet="ab", max_length=9, count=50, exhaustive_limit=10))
    assert max(map(len, drawn)) > 3
    assert rasp.Program("sort").settings == {"alphabet": "abcdefgh", "max-length": "12"}


def test_show():
    picture = rasp.Program("histogram").show("aab")
    assert picture._repr_svg_().startswith("<svg") and "histogram" in str(picture)
    assert rasp.Program("y = indices;").show([1, 2])._repr_svg_().rstrip().endswith("</svg>")
    own = rasp.Program("y = indices; z = tokens;", sop="y").show("ab")
    assert "y  0  1" in own.text and "z  " not in own.text


def test_command():
    found = subprocess.run(
        [sys.executable, "-m", "rasp", "run", "sort", "cab"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "[a, b, c]\n"


def test_express_and_lab(tmp_path):
    table = rasp.express("histogram", classes="average", max_length=3)
    assert [row["least"] for row in table] == [{"heads": 1}] * 3
    two = rasp.express("y = tokens;", classes=["unique", "average"], alphabet="ab", max_length=2)
    assert {row["class"] for row in two} == {"unique", "average"} and len(two) == 4
    task = tmp_path / "task.tsv"
    task.write_text("ab\t1\nba\t2\n")
    assert rasp.express(None, task=task, classes="unique")
    with pytest.raises(rasp.UseError):
        rasp.express("sort", classes="nonsense")
    assert rasp.lab(4, quick=True)[0]["verdict"] == "holds"
    m = rasp.Program("histogram").compile(alphabet="ab", max_length=4)
    assert rasp.lab("noise", m, quick=True)[0]["checks"]
    own = rasp.Program("# rasp: alphabet=ab max-length=4\ny = indices;")
    assert rasp.lab("noise", own, quick=True)[0]["checks"]
