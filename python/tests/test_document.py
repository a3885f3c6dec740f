"""docs/python.md does what it shows; what needs a peer, its blocks of `python`, others test."""

import doctest
import os
import re

import pytest

PATH = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "python.md"
)


def test_document():
    with open(PATH, encoding="utf-8") as file:
        blocks = re.findall(r"^```pycon\n(.*?)^```", file.read(), re.M | re.S)
    assert len(blocks) > 3
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", PATH, 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


@pytest.mark.parametrize("name", ["torch_model", "transformer_lens", "onnx_graph"])
def test_modules_it_names_are_there(name):
    import rasp

    assert os.path.isfile(os.path.join(os.path.dirname(rasp.__file__), f"{name}.py"))
