"""Errors as exceptions: kind, place, caret; Ctrl-C, limits, callbacks."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings

import pytest

import rasp

WRONG = [  # text, kind, line, column, in the message
    ("x = 1;\ny = 3 + ;\n", rasp.ProgramError, 2, 9, "    2 | y = 3 + ;\n      |         ^"),
    ("y = nonsense;", rasp.ProgramError, 1, 5, "    1 | y = nonsense;\n      |     ^~~~~~~~"),
    ('load "nowhere"; y = 1;', rasp.ProgramError, 1, 6, "among the bundled programs"),
    ("y = select(tokens, tokens, 1);", rasp.ProgramError, 1, None, "^"),
]


@pytest.mark.parametrize("text, kind, line, column, shown", WRONG)
def test_a_wrong_program(text, kind, line, column, shown):
    with pytest.raises(kind) as caught:
        rasp.Program(text)
    e = caught.value
    assert e.line == line and (column is None or e.column == column) and e.file == "program"
    assert shown in str(e) and shown in e.caret and "\n" not in e.text
    assert e.messages[0].severity == "error" and e.messages[0].line == line


def test_all_mistakes_are_heard():
    with pytest.raises(rasp.ProgramError) as caught:
        rasp.Program("x = ;\ny = 1 + ;\n")
    assert [m.line for m in caught.value.messages] == [1, 2] and caught.value.line == 1


def test_an_error_while_running():
    p = rasp.Program("x = tokens;\ny = aggregate(select(indices, indices - 1, ==), tokens);")
    with pytest.raises(rasp.RaspError, match="give aggregate a third argument") as caught:
        p("ab")
    assert (caught.value.line, caught.value.column) == (2, 5)
    assert p("ab", "x") == ["a", "b"]  # and it goes on


def test_an_error_while_compiling():
    p = rasp.Program("y = 1 / indices;")
    with pytest.raises(rasp.RaspError, match="has no answer on the input") as caught:
        p.compile(alphabet="ab", max_length=3)
    assert caught.value.line == 1 and "note: inputs are 1 to 3 tokens" in caught.value.caret


def test_warnings():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        rasp.Program("y = 1 if tokens == 1 else 2;").compile(alphabet="ab", max_length=2)
    assert {w.category for w in heard} == {rasp.RaspWarning}
    assert "^" in str(heard[0].message) and heard[0].filename == __file__


BAD = [
    (dict(alphabet="ab", max_length=0), "max_length"),
    (dict(alphabet="ab", dtype="f16"), "dtype: expected one of"),
    (dict(alphabet="ab", mask="diagonal"), "mask: expected one of per-head"),
    (dict(alphabet="ab", layout="wide"), "layout"),
    (dict(alphabet="ab", kernel="average"), "kernel"),
    (dict(alphabet=3), "expected a string or a list"),
    (dict(alphabet="aab"), "^alphabet: expected different tokens"),
    (dict(max_length="8"), "^max_length: expected a whole number from 1 to [0-9]*, found '8'"),
    (dict(max_length=2.5), "^max_length: expected a whole number"),
    (dict(tolerance="x"), "^tolerance: expected a number of at least 0"),
    (dict(time_limit=-1), "^time_limit: expected a number of at least 0"),
    (dict(table_limit=-1), "^table_limit: expected"),
]


@pytest.mark.parametrize("target, text", BAD)
def test_a_wrong_target(target, text):
    with pytest.raises(rasp.UseError, match=text):
        rasp.Program("y = indices;").compile(**target)
    with pytest.raises(ValueError):
        rasp.Program("y = indices;").compile(**target)


def test_files(tmp_path):
    with pytest.raises(rasp.MissingFile):
        rasp.load(tmp_path / "none.bin")
    with pytest.raises(FileNotFoundError):
        rasp.load(tmp_path / "none.bin")
    (tmp_path / "odd.bin").write_bytes(b"\0" * 100)
    with pytest.raises(rasp.WeightsError):
        rasp.load(tmp_path / "odd.bin")


def test_inputs_outside():
    m = rasp.Program("y = indices;").compile(alphabet="ab", max_length=2)
    for call in (m, m.trace, lambda x: m.batch([x]), m.encode):
        with pytest.raises(rasp.UseError, match="token 'x' is not in .* alphabet: 'a', 'b'$"):
            call("ax")
        with pytest.raises(rasp.UseError, match="expected from 1 to 2 tokens, found 3"):
            call("aaa")
        with pytest.raises(rasp.UseError, match="expected from 1 to 2 tokens, found 0"):
            call("")
        with pytest.raises(rasp.UseError, match="expected a string"):
            call(["a", None])
    with pytest.raises(rasp.UseError, match="input 1: .* found 3"):
        m.batch(["a", "aaa"])
    for batch in (m.batch, m.program.batch):
        for no_list in ("ab", 3, None):
            with pytest.raises(rasp.UseError, match="expected a list of inputs, found"):
                batch(no_list)
    with pytest.raises(rasp.UseError, match="no output 'z': there are y"):
        m("a", "z")


MISTAKES = [  # a call on a model, and what is said
    (lambda m: m("a", rule="average", temperature=2), "^temperature: .* 'average' has none"),
    (lambda m: m("a", temperature=-1), "^temperature: expected a number of at least 0, found -1"),
    (lambda m: m.check(rule="average", temperatures=[0.5]), "^temperature: "),
    (lambda m: m.check(count=-1), "^count: expected a whole number"),
    (lambda m: m.check(3), "a model of another tool, .* found 3"),
    (lambda m: rasp.score([("a", "tokens")], m), "^no such components: a; there are [^,]*, "),
    (lambda m: m.program.show("a", "nope"), "^no s-op 'nope'"),
    (lambda m: m.program.compile("sorted", "sorted"), "^sop: 'sorted' stands twice"),
    (lambda m: rasp.express("sort", classes="nonsense"), "^--class expects .* found 'nonsense'$"),
    (lambda m: rasp.lab("nonsense"), "^no group or command 'nonsense'"),
    (lambda m: rasp.lab(), "expected some of these, or 'all'\nheads: "),
    (lambda m: m.check(progress=3), "^progress: expected True or a function, found 3"),
    (lambda m: rasp.Program(3), "expected a program's name, path or text, found 3"),
    (lambda m: rasp.random_program(1, layers=0), "^layers: expected a whole number from 1"),
    (lambda m: next(rasp.generate("2")), "^count: expected a whole number"),
]


@pytest.mark.parametrize("call, text", MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes(call, text, compiled):
    with pytest.raises(rasp.RaspError, match=text):
        call(compiled("sort", alphabet="ab", max_length=2))


def test_messages_say_arguments():
    """Where the command would name its option."""
    p = rasp.Program("y = 1 / indices;")
    with pytest.raises(rasp.RaspError) as caught:
        p.compile(alphabet="ab", max_length=3)
    said = str(caught.value)
    assert "partial=True" in said and "by where or first" in said and "--" not in said
    with pytest.raises(rasp.OutOfMemory, match="[(]memory raises it[)]"):
        rasp.Program("sort", memory=4_000_000).compile(alphabet="abcdef", max_length=200)
    with pytest.raises(rasp.ProgramError) as caught:
        p("a", "y + --nonsense")
    assert caught.value.file == "sop" and "y + --nonsense" in caught.value.caret


def test_errors_are_named_as_they_are_used():
    for name in dir(rasp):
        kind = getattr(rasp, name)
        if isinstance(kind, type) and issubclass(kind, (Exception, Warning)):
            assert (kind.__module__, kind.__name__) == ("rasp", name)
    with pytest.raises(rasp.ProgramError) as caught:
        rasp.Program("y = ;")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.line, again.text, str(again)) == (1, caught.value.text, str(caught.value))


def test_limits():
    with pytest.raises(rasp.OutOfMemory):
        rasp.Program("sort", memory=4_000_000).compile(alphabet="abcdef", max_length=200)
    with pytest.raises(rasp.OutOfTime):
        rasp.Program("sort").compile(alphabet="abcdef", max_length=2000, time_limit=0.05)


def test_progress():
    heard = []
    p = rasp.Program("histogram")
    m = p.compile(alphabet="ab", max_length=3, progress=lambda *said: heard.append(said))
    assert heard[0] == ("answers", 0) and heard[-1][0] == "description"
    counts = []
    assert m.check(progress=counts.append, count=1000) and counts == sorted(counts)
    p.compile(alphabet="ab", max_length=3, progress=True)


def test_a_callback_that_fails_ends_the_call():
    p = rasp.Program("histogram")

    def refuse(step, tries):
        if step == "weights":
            raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError, match="enough"):
        p.compile(alphabet="ab", max_length=3, progress=refuse)
    with pytest.raises(RuntimeError, match="cannot call rasp"):
        p.compile(alphabet="ab", max_length=3, progress=lambda *said: p("ab"))
    assert p("ab") == [1, 1] and p.compile(alphabet="ab", max_length=3)("ab") == [1, 1]


def test_ctrl_c_ends_a_long_compile():
    """A compile that would take far longer than the test's limit ends, and the program lives on."""
    p = rasp.Program("sort")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        p.compile(alphabet="abcdefghijklmnopqrstuvwxyz", max_length=3000)
    timer.join()
    assert p("cab") == ["a", "b", "c"]


def test_a_missing_package_is_said(tmp_path):
    """Without torch and its like the rest works, and the message says what to install."""
    code = """
import sys
for name in ("torch", "onnx", "transformer_lens", "networkx"):
    sys.modules[name] = None
import rasp
m = rasp.Program("y = indices;").compile(alphabet="ab", max_length=2)
for call in (m.torch, m.onnx, m.transformer_lens, m.circuit.networkx):
    try:
        call()
    except rasp.MissingPackage as e:
        assert isinstance(e, ImportError)
        print(e)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = out.stdout.splitlines()
    assert len(lines) == 4 and all("pip install" in line for line in lines)
